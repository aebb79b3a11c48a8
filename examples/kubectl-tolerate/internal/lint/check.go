package lint

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"

	rules "github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// A Rule is a rule that package match/lint does not have.
type Rule struct{ Name, Summary, Text string }

// Own are the rules of manifests. Their findings are errors.
var Own = []Rule{
	{"invalid", "The API server rejects the toleration or taint.",
		"A value that is not a string in YAML, such as true or 5, needs quotes. Unknown and repeated fields are invalid too."},
	{"misplaced", "The list is not where Kubernetes reads it.",
		"The API server ignores an unknown field with a warning, so the list has no effect. A pod has tolerations in its spec, not beside it or in a container; a node has taints."},
	{"policy", "The policy of --policy refuses the toleration.",
		"The message names a taint that the policy does not allow to tolerate. The toleration matches it in any spelling."},
}

// Limits of the lists of a file.
const (
	maxElement  = 1 << 10 // bytes of an element
	maxElements = 10_000  // in a list
	maxTotal    = 200_000 // elements in a file
	maxNotes    = 100     // of one kind, for a document
)

// A Finding is a mistake at one place in a file.
type Finding struct {
	File     string         `json:"file"`
	Line     int            `json:"line"`
	Column   int            `json:"column"` // in characters
	Severity rules.Severity `json:"severity"`
	Rule     string         `json:"rule"`
	Object   string         `json:"object,omitempty"`
	Path     string         `json:"path"`
	Message  string         `json:"message"`
	Fix      string         `json:"fix,omitempty"`

	end  int // the column after it, or 0
	list *list
	mend *mend // nil if there is no fix
}

// A config is what to find.
type config struct {
	keep     bool // the documents and lists of a file
	policed  bool
	policy   policy.Policy
	severity rules.Severity // the lowest that is reported
	skip     []rules.Check
	skipped  map[string]bool // by the name of the rule
}

// A result is what was found in one file.
type result struct {
	*source
	docs     []*document // if they are kept
	lists    []*list
	findings []*Finding
	notes    []note
	count    int // of the lists
	elements int
	manifest bool
}

func (c *config) check(s *source) *result {
	r := &result{source: s}
	notes := s.parse(func(d *document) {
		w := new(walk)
		w.whole(d.value, d.root, false)
		r.manifest = r.manifest || w.manifest
		slices.SortFunc(w.lists, func(l, m *list) int { return byPosition(l.value, m.value) })
		first := len(r.findings)
		for _, l := range w.lists {
			if l.number = r.count; c.read(r, w, l) {
				r.count++
				c.list(r, l)
				if c.keep {
					r.lists = append(r.lists, l)
				}
			}
		}
		for _, f := range w.repeated[:min(len(w.repeated), maxNotes)] {
			c.report(r, &list{object: new(object), path: func() string { return short(f.name) }, field: f}, -1, "invalid", rules.Error,
				"the field is repeated: some tools read the first one, others the last one; remove one")
		}
		if c.policed {
			c.unsure(r, d, w)
		}
		if c.keep {
			r.docs = append(r.docs, d)
			return
		}
		for _, f := range r.findings[first:] {
			f.list = nil
		}
	})
	for _, n := range notes {
		n.Skipped = n.Skipped && !c.policed
		r.notes = append(r.notes, n)
	}
	slices.SortStableFunc(r.findings, func(f, g *Finding) int {
		return cmp.Or(cmp.Compare(f.Line, g.Line), cmp.Compare(f.Column, g.Column), cmp.Compare(f.Path, g.Path), cmp.Compare(f.Rule, g.Rule))
	})
	return r
}

func byPosition(a, b *node) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// unsure adds a failure for everything that the policy cannot judge.
func (c *config) unsure(r *result, d *document, w *walk) {
	for _, n := range w.unsure[:min(len(w.unsure), maxNotes)] {
		n.File = r.name
		r.notes = append(r.notes, n)
	}
	if d.ambiguous != nil && len(w.repeated) == 0 {
		r.notes = append(r.notes, r.noteOf(d.ambiguous, d.root.Line))
	}
	for _, l := range w.defaults { // tolerations that a namespace adds to its pods
		text, ok := l.parent[l.name].(string)
		if l.parent[l.name] != nil && !ok || len(text) > 256<<10 {
			r.fail(l, errors.New("must be a string of at most 256 KiB"))
			continue
		}
		got, err := admission.NamespaceRestriction(map[string]string{l.name: text}, admission.Restriction{}, toleration.ListOptions{Path: "annotations", Strict: true})
		if err != nil {
			r.fail(l, err)
		}
		for i, u := range got.Defaults {
			c.judge(r, l, -1, u, "["+strconv.Itoa(i)+"] ")
		}
	}
}

func (c *config) judge(r *result, l *list, i int, u toleration.Toleration, prefix string) {
	if v := c.policy.Judge(u); !v.Allowed && !u.IsZero() { // a zero one has its own finding
		c.report(r, l, i, "policy", rules.Error, prefix+strconv.Quote(v.Toleration.String())+" "+v.String())
	}
}

// fail adds a note that a list could not be read.
func (r *result) fail(l *list, err error) {
	n := r.noteOf(err, l.value.Line)
	n.Message = l.path() + ": " + n.Message
	r.notes = append(r.notes, n)
}

// read finds the elements of a list. It reports whether the list can be checked.
func (c *config) read(r *result, w *walk, l *list) bool {
	if !c.policed && templated(l.parent[l.name]) {
		r.fail(l, errors.New("a template; check its output"))
		r.notes[len(r.notes)-1].Skipped = true
		return false
	}
	if r.elements += len(l.values); len(l.values) > maxElements || r.elements > maxTotal {
		r.fail(l, fmt.Errorf("more than %d elements in a list, or %d in a file", maxElements, maxTotal))
		return false
	}
	w.each(l.values, l.value, l.shared, func(i int, v any, n *node, shared bool) {
		e := element{node: n, shared: shared}
		if object, ok := v.(map[string]any); ok {
			e.fields = w.fields(object, n, shared)
			slices.SortStableFunc(e.fields, func(f, g field) int { return byPosition(f.key, g.key) })
		}
		l.elements = append(l.elements, e)
	})
	return true
}

// list checks one list.
func (c *config) list(r *result, l *list) {
	if l.home != "" {
		kind, has := l.object.kind, l.home[strings.LastIndexByte(l.home, '.')+1:]
		message := fmt.Sprintf("%s have no effect here: a %s has them in %s; move them", has, kind, l.home)
		if has != l.name {
			message = fmt.Sprintf("a %s has no %s; remove them (it has %s in %s)", kind, l.name, has, l.home)
		}
		c.report(r, l, -1, "misplaced", rules.Error, message)
	}
	if l.values == nil && l.parent[l.name] != nil {
		c.report(r, l, -1, "invalid", rules.Error, "must be a list")
	}
	seen := make(map[taint.Taint]bool)
	for i, v := range l.values {
		problems := l.decode(v)
		if l.isTaints && !l.taints[i].IsZero() {
			t := l.taints[i]
			if id, _ := taint.New(t.Key(), "", t.Effect()); seen[id] {
				problems = append(problems, &validate.Problem{Value: t.String(), Rule: validate.Duplicate})
			} else {
				seen[id] = true
			}
		}
		for _, p := range problems {
			l.invalid(c.report(r, l, i, "invalid", rules.Error, p.Error()), r, i, p)
		}
	}
	skip := c.skip
	if l.object.kind == "DaemonSet" { // it runs everywhere
		skip = append(slices.Clip(skip), rules.ToleratesEverything, rules.OpenToEveryNode)
	}
	for _, f := range rules.Find(l.tolerations, rules.Options{Skip: skip}) {
		c.report(r, l, f.Index, f.Check.String(), f.Severity, f.Message()).fixed(r, mendOf(f.Fix, f.Index))
	}
	for i, u := range l.tolerations {
		if c.policed {
			c.judge(r, l, i, u, "")
		}
	}
}

// decode reads one element, so that an invalid one does not hide the others.
func (l *list) decode(v any) (ps validate.Problems) {
	fields, _ := v.(map[string]any)
	data, err := json.Marshal([]any{v})
	switch {
	case len(data) > maxElement:
		ps = validate.Problems{{Rule: validate.Syntax, Allowed: []string{"at most 1 KiB"}}}
		data = []byte("[]")
	case len(fields) == 1 && fields["$patch"] != nil: // only a directive of a patch
		data = []byte("[]")
	}
	text, isString := v.(string)
	switch {
	case err != nil:
	case !l.isTaints:
		var one toleration.List
		one, _, err = toleration.Decode(data, toleration.ListOptions{Path: "x", Strict: true})
		l.tolerations = append(l.tolerations, append(one, toleration.Toleration{})[0])
	case isString && (l.object.kind == "InstanceGroup" || homes[l.object.group+"/"+l.object.kind] == ""):
		var one taint.Taint
		one, err = taint.Parse(text)
		l.taints = append(l.taints, one)
	default:
		effect, _ := fields["effect"].(string)
		if e, err := taint.ParseCloudEffect(effect); err == nil && homes[l.object.group+"/"+l.object.kind] == "" && l.object.kind != "ResourceFlavor" {
			data = []byte(strings.Replace(string(data), strconv.Quote(effect), strconv.Quote(e.String()), 1)) // a cloud's spelling
		}
		var one taint.List
		one, _, err = taint.Decode(data, taint.ListOptions{Path: "x", Strict: l.object.group != "cluster.x-k8s.io"})
		l.taints = append(l.taints, append(one, taint.Taint{})[0])
	}
	var more validate.Problems
	errors.As(err, &more)
	for _, p := range more {
		q := *p
		q.Func, q.Input = "", ""
		q.Path = strings.TrimPrefix(strings.TrimPrefix(p.Path, "x[0]"), ".")
		ps = append(ps, &q)
	}
	return ps
}

// nearest returns the allowed name that s can mean, and whether they differ only by case,
// '_' or '-'.
func nearest(s string, allowed []string) (name string, sure bool) {
	fold := strings.NewReplacer("_", "", "-", "")
	least := min(4, max(1, len(s)/4)) + 1
	for _, a := range allowed {
		if strings.EqualFold(fold.Replace(a), fold.Replace(s)) {
			return a, true
		}
		if d := Distance(s, a); d < least {
			name, least = a, d
		}
	}
	return name, false
}

// Distance returns how many letters to change, insert or remove to get b from a. Case does
// not matter, and long texts are not compared.
func Distance(a, b string) int {
	if a, b = strings.ToLower(a), strings.ToLower(b); len(a)+len(b) > 100 {
		return 100
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}

// report adds a finding about element i, or about the list if i is negative. It returns
// nil if a flag or a comment suppresses it.
func (c *config) report(r *result, l *list, i int, rule string, severity rules.Severity, message string) *Finding {
	f := &Finding{File: r.name, Rule: rule, Severity: severity, Message: message, Object: l.object.String(), Path: l.path(), list: l}
	e := &element{node: l.key}
	if i >= 0 {
		e = &l.elements[i]
		f.Path += "[" + strconv.Itoa(i) + "]"
	}
	if e.ignores == nil {
		e.ignores = make(map[string]bool)
		ignored(e.node, e.ignores)
	}
	own := slices.ContainsFunc(Own, func(o Rule) bool { return o.Name == rule })
	if (!c.policed || !own) && (severity < c.severity || c.skipped[rule] || e.ignores[rule] || e.ignores[""]) {
		return nil
	}
	if l.found++; rule == "invalid" {
		l.invalids++
	}
	f.at(r, e.node)
	r.findings = append(r.findings, f)
	return f
}

// at sets the position of the finding.
func (f *Finding) at(r *result, n *node) {
	f.Line, f.Column, f.end = n.Line, n.Column, 0
	if begin, end, ok := r.scalar(n); ok && begin < end {
		f.end = f.Column + utf8.RuneCountInString(r.text[begin:end])
	}
}

// fixed sets the fix of a finding, if it can be made.
func (f *Finding) fixed(r *result, m *mend) {
	if f == nil || m == nil {
		return
	}
	if _, ok := r.edits(f.list, m); ok {
		f.mend, f.Fix = m, m.text
	}
}

// invalid sets the field and the fix of a problem of element i.
func (l *list) invalid(f *Finding, r *result, i int, p *validate.Problem) {
	if f == nil {
		return
	}
	name := p.Path
	if p.Rule == validate.FieldUnknown {
		name = p.Value
	}
	if name != "" {
		f.Path += "." + short(name)
	}
	if g, ok := l.elements[i].find(name); ok && !l.elements[i].shared {
		if f.at(r, g.value); p.Rule == validate.FieldUnknown || f.end == 0 && g.value.Value == "" && g.value.Kind == yamlv3.ScalarNode {
			f.at(r, g.key)
		}
	}
	if near, _ := nearest(p.Value, p.Allowed); near != "" && !strings.Contains(f.Message, "did you mean") {
		f.Message = strings.Replace(f.Message, " (allowed:", ", did you mean "+near+"? (allowed:", 1)
	}
	f.fixed(r, l.mendProblem(i, p))
}

// ignored adds the rules that comments above the node or within it suppress; an empty name
// is all rules.
func ignored(n *node, names map[string]bool) {
	for _, comment := range []string{n.HeadComment, n.LineComment} {
		for line := range strings.Lines(comment) {
			_, list, found := strings.Cut(line, "tolerate:ignore")
			list, _, _ = strings.Cut(list, ":") // a reason can follow
			rules := strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" ,\t\r\n", r) })
			if names[""] = names[""] || found && len(rules) == 0; !found {
				continue
			}
			for _, name := range rules {
				names[name] = true
			}
		}
	}
	for _, child := range n.Content {
		ignored(child, names)
	}
}
