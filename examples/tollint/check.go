package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// The rules that package lint does not have.
const (
	ruleInvalid = "invalid" // no toleration or taint at all: the API server refuses it
	rulePolicy  = "policy"  // the policy file refuses it
)

// A config says what is looked for.
type config struct {
	policy   policy.Policy
	severity lint.Severity // the least that is told
	skip     lint.Rules
	skipped  map[string]bool // of the rules that package lint does not have
}

// A result is what is found in one source.
type result struct {
	source   *source
	docs     []*document
	findings []*finding
	skipped  []note
	failures []note
	lists    []*checked
	plain    resolved
}

// A checked is a list that was read, with what it says: zero values where an
// element says nothing valid.
type checked struct {
	*place
	elements    []element
	tolerations []toleration.Toleration
	taints      []taint.Taint
	problems    []validate.Problems // of each element
	found       map[string]int      // how often each rule found something
}

// check finds everything in one source.
func (c *config) check(s *source) *result {
	r := &result{source: s, plain: make(resolved)}
	docs, failures := parse(s)
	r.docs = docs
	for _, f := range failures {
		line, _ := s.position(f.offset)
		if f.template {
			r.skipped = append(r.skipped, note{s.name, line, "a template, not YAML: " + f.err.Error()})
		} else {
			r.failures = append(r.failures, note{s.name, line, f.err.Error()})
		}
	}
	for _, d := range docs {
		for _, p := range d.places() {
			if l := r.read(p); l != nil {
				r.lists = append(r.lists, l)
				c.list(r, l)
			}
		}
	}
	sortFindings(r.findings)
	return r
}

// read reads the list of a place, nil when there is none to be read.
func (r *result) read(p *place) *checked {
	l := &checked{place: p, found: make(map[string]int)}
	if p.list() == nil {
		if _, err := newElement(p.value, false, r.plain); err != nil {
			r.skip(p, err)
			return nil
		}
		return l
	}
	for _, n := range p.list().Content {
		e, err := newElement(n, p.shared, r.plain)
		if err != nil {
			r.skip(p, err)
			return nil
		}
		l.elements = append(l.elements, e)
	}
	l.decode()
	return l
}

func (r *result) skip(p *place, err error) {
	line, _ := p.position(p.offset(p.value))
	n := note{p.name, line, p.path + ": " + err.Error()}
	if errors.Is(err, errTemplate) {
		r.skipped = append(r.skipped, n)
	} else {
		r.failures = append(r.failures, n)
	}
}

// decode reads every element by itself, so that what is wrong with one hides
// nothing of the others.
func (l *checked) decode() {
	const path = "x"
	for i := range l.elements {
		list := append(append([]byte{'['}, l.elements[i].json...), ']')
		if l.elements[i].directive() {
			list = []byte("[]")
		}
		var err error
		if l.place.taints {
			var one []taint.Taint
			one, err = taint.DecodeList(cloudSpelling(list, l.core), taint.ListOptions{Path: path, Strict: l.core})
			l.taints = append(l.taints, append(one, taint.Taint{})[0])
		} else {
			var one []toleration.Toleration
			one, err = toleration.DecodeList(list, toleration.ListOptions{Path: path, Strict: true})
			l.tolerations = append(l.tolerations, append(one, toleration.Toleration{})[0])
		}
		var ps validate.Problems
		errors.As(err, &ps)
		for j, p := range ps {
			q := *p
			q.Path = strings.TrimPrefix(strings.TrimPrefix(p.Path, path+"[0]"), ".")
			ps[j] = &q
		}
		l.problems = append(l.problems, ps)
	}
	l.repeated()
}

// cloudSpelling returns the JSON with the effects of a cloud's node pools as
// Kubernetes spells them, where others than Kubernetes read the list.
func cloudSpelling(list []byte, core bool) []byte {
	if core {
		return list
	}
	text := string(list)
	for _, e := range []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute} {
		text = strings.ReplaceAll(text, `"effect":"`+e.CloudString()+`"`, `"effect":"`+e.String()+`"`)
	}
	return []byte(text)
}

// repeated adds what is wrong with a list of taints as a whole.
func (l *checked) repeated() {
	for i, t := range l.taints {
		for _, earlier := range l.taints[:i] {
			if t.IsZero() || !t.SameKeyEffect(earlier) {
				continue
			}
			l.problems[i] = append(l.problems[i], &validate.Problem{Value: t.String(), Rule: validate.Duplicate})
			break
		}
	}
}

// list finds everything in one list.
func (c *config) list(r *result, l *checked) {
	if l.list() == nil {
		c.tell(r, l, -1, &finding{severity: lint.Error, rule: ruleInvalid, message: "must be a list"})
		return
	}
	for i, ps := range l.problems {
		for _, p := range ps {
			c.tell(r, l, i, l.invalid(i, p))
		}
	}
	if l.place.taints {
		return
	}
	skip := c.skip
	if l.object.kind == "DaemonSet" { // meant to run everywhere
		skip = skip.With(lint.ToleratesEverything, lint.OpenToEveryNode)
	}
	for _, f := range lint.List(l.tolerations, lint.Options{Skip: skip}) {
		told := &finding{severity: f.Severity, rule: f.Rule.Name(), message: f.Message()}
		if !f.Fix.IsZero() {
			told.mend = mendList(f.Fix)
		}
		c.tell(r, l, f.Index, told)
	}
	for i, v := range c.policy.Verdicts(l.tolerations) {
		if !v.Allowed() {
			c.tell(r, l, i, &finding{severity: lint.Error, rule: rulePolicy, message: strconv.Quote(v.Toleration.String()) + " " + v.String()})
		}
	}
}

// invalid tells a problem of element i.
func (l *checked) invalid(i int, p *validate.Problem) *finding {
	f := &finding{severity: lint.Error, rule: ruleInvalid, message: p.Error(), path: p.Path}
	if p.Rule == validate.FieldUnknown {
		f.path, f.atKey = p.Value, true
	}
	f.mend = l.mendProblem(i, p)
	return f
}

// tell adds a finding about element i, or about the list as a whole when i is
// negative, unless it is not to be told. The finding's path, so far, is a field.
func (c *config) tell(r *result, l *checked, i int, f *finding) {
	if f.severity < c.severity || c.skipped[f.rule] || !c.bound(f.rule) && l.ignored(i, f.rule) {
		return
	}
	name := f.path
	f.path = l.path
	node := l.value
	if i >= 0 {
		e := &l.elements[i]
		node = e.node
		f.path = validate.Index(f.path, i)
		if name != "" {
			f.path += "." + name
		}
		if g, ok := e.find(name); ok && !e.shared {
			node = g.value
			if !g.shared && (f.atKey || g.value.Kind == yaml.ScalarNode && g.value.Value == "") {
				node = g.key
			}
		}
	}
	begin := l.offset(node)
	f.file = l.name
	f.begin = begin
	f.line, f.column = l.position(begin)
	if _, end, ok := l.scalar(node); ok && end > begin {
		_, f.end = l.position(end)
	}
	f.object = l.object.String()
	if f.mend != nil {
		f.mend.index, f.mend.rule = i, f.rule
	}
	f.list = l
	l.found[f.rule]++
	r.findings = append(r.findings, f)
}

// bound reports whether a comment cannot keep the rule from being told: nobody
// gets out of a policy by one, nor by what the policy cannot judge.
func (c *config) bound(rule string) bool {
	return rule == rulePolicy || rule == ruleInvalid && !c.policy.IsZero()
}

const ignore = "tollint:ignore"

// ignored reports whether a comment beside element i, or in the line above it,
// says that the rule is not to be told of it.
func (l *checked) ignored(i int, rule string) bool {
	node := l.key
	if i >= 0 {
		node = l.elements[i].node
	}
	begin := l.offset(node)
	end, ok := l.endOf(node)
	if !ok {
		end = begin
	}
	from, _, _ := l.lineAt(begin)
	_, _, to := l.lineAt(end)
	if from > 0 {
		if above, stop, _ := l.lineAt(from - 1); strings.HasPrefix(strings.TrimSpace(l.text[above:stop]), "#") {
			from = above
		}
	}
	for line := range strings.Lines(l.text[from:to]) {
		_, comment, found := strings.Cut(line, "#")
		if !found {
			continue
		}
		_, names, found := strings.Cut(comment, ignore)
		if !found {
			continue
		}
		names, _, _ = strings.Cut(names, ":") // a reason follows
		fields := strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune(" ,\t\r\n", r) })
		if len(fields) == 0 || slices.Contains(fields, rule) {
			return true
		}
	}
	return false
}
