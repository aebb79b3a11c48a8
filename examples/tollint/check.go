package main

import (
	"errors"
	"fmt"
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
	ruleInvalid = "invalid" // the API server rejects it
	rulePolicy  = "policy"  // the policy file rejects it
)

// A config states what to find.
type config struct {
	policed  bool // whether there is a policy
	policy   policy.Policy
	severity lint.Severity // the lowest that is reported
	skip     []lint.Check
	skipped  map[string]bool // by the name of the rule
}

// A result holds the findings in one source.
type result struct {
	source   *source
	docs     []*document
	findings []*finding
	skipped  []note
	failures []note
	lists    []*checked
	elements int  // of all lists
	manifest bool // whether there is an object with a kind, or a list
}

// A checked is a list that was read. For invalid elements, tolerations and taints
// have zero values.
type checked struct {
	*place
	notList     bool
	elements    []element
	tolerations toleration.List
	taints      taint.List
	problems    []validate.Problems // of each element
	found       map[string]int      // number of findings of each rule
}

// check checks one source.
func (c *config) check(s *source) *result {
	r := &result{source: s}
	docs, failures := parse(s, c.policed)
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
		w := d.walk()
		r.manifest = r.manifest || w.manifest || len(w.places) > 0
		c.unsure(r, d, w)
		for _, p := range w.places {
			if l := c.read(r, p); l != nil {
				r.lists = append(r.lists, l)
				c.list(r, l)
			}
		}
	}
	sortFindings(r.findings)
	return r
}

// maxRepeated is how many repeated fields of a document are listed.
const maxRepeated = 100

// unsure adds failures for what tools read differently: duplicate fields and,
// with a policy, everything that the strict form of the conversion rejects.
func (c *config) unsure(r *result, d *document, w *walk) {
	for i, f := range w.repeated {
		if i == maxRepeated {
			r.failures = append(r.failures, note{d.name, 0, fmt.Sprintf("%d more duplicate fields", len(w.repeated)-i)})
			break
		}
		line, _ := d.position(d.offset(f.key))
		r.failures = append(r.failures, note{d.name, line, "duplicate field " + strconv.Quote(short(f.name)) + ": some tools read the first one, others the last"})
	}
	if !c.policed {
		return
	}
	for i, u := range w.unsure {
		line, _ := d.position(d.offset(u.node))
		if i == maxRepeated {
			r.failures = append(r.failures, note{d.name, line, fmt.Sprintf("%d more places cannot be checked", len(w.unsure)-i)})
			break
		}
		r.failures = append(r.failures, note{d.name, line, u.message})
	}
	for _, p := range w.defaults {
		c.annotation(r, p)
	}
	if d.ambiguous != nil && len(w.repeated) == 0 {
		f := part{base: d.base, lines: d.part}.failure(d.ambiguous, false)
		line, _ := d.position(f.offset)
		r.failures = append(r.failures, note{d.name, line, f.err.Error()})
	}
}

// read reads the list of a place; nil if it cannot be read.
func (c *config) read(r *result, p *place) *checked {
	l := &checked{place: p, found: make(map[string]int)}
	if !c.policed && templated(p.json) {
		r.note(&r.skipped, p, errTemplate)
		return nil
	}
	list, ok := p.json.([]any)
	if !ok {
		l.notList = true
		return l
	}
	if r.elements += len(list); len(list) > maxElements || r.elements > maxTotal {
		r.note(&r.failures, p, fmt.Errorf("more than %d elements in a list, or %d in a file", maxElements, maxTotal))
		return nil
	}
	nodes, found := items(list, p.value)
	for i, v := range list {
		e, err := p.newElement(v, nodes[i], p.shared || !found)
		if err != nil {
			r.note(&r.failures, p, err)
			return nil
		}
		l.elements = append(l.elements, e)
	}
	l.decode()
	return l
}

// note adds the reason why a place was not checked.
func (r *result) note(notes *[]note, p *place, err error) {
	line, _ := p.position(p.offset(p.value))
	*notes = append(*notes, note{p.name, line, p.path + ": " + err.Error()})
}

// decode reads each element separately, so that an invalid one does not hide the
// others.
func (l *checked) decode() {
	const path = "x"
	for i := range l.elements {
		list := append(append([]byte{'['}, l.elements[i].json...), ']')
		if l.elements[i].directive() {
			list = []byte("[]")
		}
		var err error
		if l.place.taints {
			var one taint.List
			one, _, err = taint.Decode(cloudSpelling(list, l.core), taint.ListOptions{Path: path, Strict: l.core})
			l.taints = append(l.taints, append(one, taint.Taint{})[0])
		} else {
			var one toleration.List
			one, _, err = toleration.Decode(list, toleration.ListOptions{Path: path, Strict: true})
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

// cloudSpelling returns the JSON with the effects in Kubernetes' spelling. A list
// that Kubernetes does not read itself may have the spelling of a cloud.
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

// repeated adds a problem for each duplicate in a list of taints.
func (l *checked) repeated() {
	type identity struct {
		key    string
		effect taint.Effect
	}
	seen := make(map[identity]bool)
	for i, t := range l.taints {
		id := identity{t.Key(), t.Effect()}
		if !t.IsZero() && seen[id] {
			l.problems[i] = append(l.problems[i], &validate.Problem{Value: t.String(), Rule: validate.Duplicate})
		}
		seen[id] = true
	}
}

// list checks one list.
func (c *config) list(r *result, l *checked) {
	if l.notList {
		c.report(r, l, -1, &finding{severity: lint.Error, rule: ruleInvalid, message: "must be a list"})
		return
	}
	for i, ps := range l.problems {
		for _, p := range ps {
			c.report(r, l, i, l.invalid(i, p))
		}
	}
	if l.place.taints {
		return
	}
	skip := c.skip
	if l.object.kind == "DaemonSet" { // it runs everywhere
		skip = append(slices.Clip(skip), lint.ToleratesEverything, lint.OpenToEveryNode)
	}
	for _, f := range lint.Find(l.tolerations, lint.Options{Skip: skip}) {
		reported := &finding{severity: f.Severity, rule: f.Check.String(), message: f.Message()}
		if !f.Fix.IsZero() {
			reported.mend = mendList(f.Fix)
		}
		c.report(r, l, f.Index, reported)
	}
	if !c.policed {
		return
	}
	for i, u := range l.tolerations {
		if v := c.policy.Judge(u); !v.Allowed && !u.IsZero() { // a zero one has its own error
			c.report(r, l, i, &finding{severity: lint.Error, rule: rulePolicy, message: strconv.Quote(v.Toleration.String()) + " " + v.String()})
		}
	}
}

// invalid returns the finding for a problem of element i.
func (l *checked) invalid(i int, p *validate.Problem) *finding {
	f := &finding{severity: lint.Error, rule: ruleInvalid, message: p.Error(), path: p.Path}
	if p.Rule == validate.FieldUnknown {
		f.path, f.atKey = p.Value, true
	}
	f.mend = l.mendProblem(i, p)
	return f
}

// report adds a finding about element i, or about the whole list if i is negative,
// unless it is suppressed. The path of the finding is only a field until then.
func (c *config) report(r *result, l *checked, i int, f *finding) {
	if !c.bound(f.rule) && (f.severity < c.severity || c.skipped[f.rule] || l.ignored(i, f.rule)) {
		return
	}
	name := f.path
	f.path = l.path
	node := l.value
	if i >= 0 {
		e := &l.elements[i]
		node = e.node
		f.path = elementAt(f.path, i)
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

// bound reports whether comments and flags cannot suppress the findings of the
// rule: with a policy, those of the rules policy and invalid.
func (c *config) bound(rule string) bool {
	return c.policed && (rule == rulePolicy || rule == ruleInvalid)
}

// ignored reports whether a comment beside element i, or in the line above it,
// suppresses the findings of the rule.
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
	all, rules := l.source.ignores(from, to)
	return all || slices.Contains(rules, rule)
}
