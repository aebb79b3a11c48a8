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
		"Most API servers ignore an unknown field with a warning, so the list has no effect. A pod has tolerations in its spec, not beside it or in a container; a node has taints."},
	{"policy", "The policy of --policy refuses the toleration.",
		"The message names a taint that the policy does not allow to tolerate. The toleration matches it in any spelling."},
}

// Limits of the lists of a file.
const (
	maxValues   = 100     // in an element
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
	policed  bool
	policy   policy.Policy
	severity rules.Severity // the lowest that is reported
	skip     []rules.Check
	skipped  map[string]bool // by the name of the rule
}

// A result is what was found in one file.
type result struct {
	*source
	docs     []*document
	findings []*Finding
	notes    []note
	lists    []*list
	elements int
	manifest bool
}

// A list is a place that was read. An invalid element is a zero value of tolerations or
// taints.
type list struct {
	*place
	values      []any
	elements    []element
	tolerations toleration.List
	taints      taint.List
	found       int // findings
	invalids    int // of the rule invalid
}

type element struct {
	fields []field // of an object
	node   *node
	shared bool
}

func (e *element) find(name string) (f field, ok bool) {
	i := slices.IndexFunc(e.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return f, false
	}
	return e.fields[i], true
}

func (c *config) check(s *source) *result {
	r := &result{source: s}
	r.docs, r.notes = s.parse()
	for i := range r.notes {
		r.notes[i].skipped = r.notes[i].skipped && !c.policed
	}
	for _, d := range r.docs {
		w := d.walk()
		r.manifest = r.manifest || w.manifest || len(w.places) > 0
		slices.SortFunc(w.places, func(p, q *place) int { return byPosition(p.value, q.value) })
		for _, p := range w.places {
			if l := c.read(r, w, p); l != nil {
				r.lists = append(r.lists, l)
				c.list(r, l)
			}
		}
		for i, f := range w.repeated {
			if i == maxNotes {
				r.notes = append(r.notes, note{s.name, 0, fmt.Sprintf("%d more repeated fields", len(w.repeated)-i), false})
				break
			}
			c.report(r, &list{place: &place{doc: d, object: new(object), path: &path{above: new(path), name: short(f.name)}, field: f}}, -1,
				&Finding{Severity: rules.Error, Rule: "invalid", Message: "the field is repeated: some tools read the first one, others the last one; remove one"})
		}
		if c.policed {
			c.unsure(r, d, w)
		}
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
	for i, u := range w.unsure {
		if i == maxNotes {
			u.message = fmt.Sprintf("%d more places that cannot be checked", len(w.unsure)-i)
		}
		r.notes = append(r.notes, note{r.name, u.at.Line, u.message, false})
		if i == maxNotes {
			break
		}
	}
	for _, p := range w.defaults {
		c.annotation(r, p)
	}
	if d.ambiguous != nil && len(w.repeated) == 0 {
		r.notes = append(r.notes, r.noteOf(d.ambiguous, d.root.Line))
	}
}

// annotation judges the tolerations that a namespace adds to its pods.
func (c *config) annotation(r *result, p *place) {
	const limit = 256 << 10 // of all annotations of an object
	text, ok := p.parent[p.name].(string)
	if p.parent[p.name] != nil && !ok || len(text) > limit {
		r.fail(p, errors.New("must be a string of at most 256 KiB"))
		return
	}
	got, err := admission.NamespaceRestriction(map[string]string{p.name: text}, admission.Restriction{}, toleration.ListOptions{Path: "annotations", Strict: true})
	if err != nil {
		r.fail(p, err)
		return
	}
	for i, u := range got.Defaults {
		c.judge(r, &list{place: p}, -1, u, "["+strconv.Itoa(i)+"] ")
	}
}

func (c *config) judge(r *result, l *list, i int, u toleration.Toleration, prefix string) {
	if v := c.policy.Judge(u); !v.Allowed && !u.IsZero() { // a zero one has its own finding
		c.report(r, l, i, &Finding{Severity: rules.Error, Rule: "policy", Message: prefix + strconv.Quote(v.Toleration.String()) + " " + v.String()})
	}
}

// fail adds a note that a place could not be read.
func (r *result) fail(p *place, err error) {
	n := r.noteOf(err, p.value.Line)
	n.Message = p.path.String() + ": " + n.Message
	r.notes = append(r.notes, n)
}

// read reads the list of a place; nil if it cannot be read.
func (c *config) read(r *result, w *walk, p *place) *list {
	v := p.parent[p.name]
	l := &list{place: p}
	if !c.policed && templated(v) {
		r.notes = append(r.notes, note{r.name, p.value.Line, p.path.String() + ": a template; check the output of the template", true})
		return nil
	}
	l.values, _ = v.([]any)
	if r.elements += len(l.values); len(l.values) > maxElements || r.elements > maxTotal {
		r.fail(p, fmt.Errorf("more than %d elements in a list, or %d in a file", maxElements, maxTotal))
		return nil
	}
	large := false
	w.elements(l.values, p.value, p.shared, func(i int, v any, n *node, shared bool) {
		e := element{node: n, shared: shared}
		left := maxValues
		if large = large || !count(v, &left); large {
			return
		}
		if object, ok := v.(map[string]any); ok {
			e.fields = w.fields(object, n, shared)
			slices.SortStableFunc(e.fields, func(f, g field) int { return byPosition(f.key, g.key) })
		}
		l.elements = append(l.elements, e)
	})
	if large {
		r.fail(p, fmt.Errorf("an element of more than %d values", maxValues))
		return nil
	}
	return l
}

// count reports whether the value has at most *left values.
func count(v any, left *int) bool {
	*left--
	switch v := v.(type) {
	case map[string]any:
		for _, w := range v {
			if *left < 0 || !count(w, left) {
				return false
			}
		}
	case []any:
		for _, w := range v {
			if *left < 0 || !count(w, left) {
				return false
			}
		}
	}
	return *left >= 0
}

// list checks one list.
func (c *config) list(r *result, l *list) {
	if l.home != "" {
		c.report(r, l, -1, &Finding{Severity: rules.Error, Rule: "misplaced", Message: l.misplaced()})
	}
	if v := l.parent[l.name]; v != nil && l.values == nil {
		c.report(r, l, -1, &Finding{Severity: rules.Error, Rule: "invalid", Message: "must be a list"})
	}
	seen := make(map[taint.Taint]bool)
	for i, v := range l.values {
		problems := l.decode(v)
		if l.place.taints {
			t := l.taints[i]
			id, _ := taint.New(t.Key(), "", t.Effect())
			if !t.IsZero() && seen[id] {
				problems = append(problems, &validate.Problem{Value: t.String(), Rule: validate.Duplicate})
			}
			seen[id] = true
		}
		for _, p := range problems {
			c.report(r, l, i, l.invalid(i, p))
		}
	}
	if l.place.taints {
		return
	}
	skip := c.skip
	if l.object.kind == "DaemonSet" { // it runs everywhere
		skip = append(slices.Clip(skip), rules.ToleratesEverything, rules.OpenToEveryNode)
	}
	for _, f := range rules.Find(l.tolerations, rules.Options{Skip: skip}) {
		c.report(r, l, f.Index, &Finding{Severity: f.Severity, Rule: f.Check.String(), Message: f.Message(), mend: mendOf(f.Fix)})
	}
	for i, u := range l.tolerations {
		if c.policed {
			c.judge(r, l, i, u, "")
		}
	}
}

func (l *list) misplaced() string {
	has := "tolerations"
	if strings.HasSuffix(l.home, "taints") {
		has = "taints"
	}
	if has != l.name {
		return fmt.Sprintf("a %s has no %s: remove them (it has %s in %s)", l.object.kind, l.name, has, l.home)
	}
	return fmt.Sprintf("%s have no effect here: a %s has them in %s; move them", has, l.object.kind, l.home)
}

// decode reads one element, so that an invalid one does not hide the others.
func (l *list) decode(v any) (ps validate.Problems) {
	const root = "x"
	fields, isObject := v.(map[string]any)
	text, isText := v.(string)
	data, err := json.Marshal([]any{v})
	if len(fields) == 1 && fields["$patch"] != nil { // only a directive of a patch
		data = []byte("[]")
	}
	switch {
	case err != nil:
	case !l.place.taints:
		var one toleration.List
		one, _, err = toleration.Decode(data, toleration.ListOptions{Path: root, Strict: true})
		l.tolerations = append(l.tolerations, append(one, toleration.Toleration{})[0])
	case isText && l.object.kind == "InstanceGroup":
		var one taint.Taint
		one, err = taint.Parse(text)
		l.taints = append(l.taints, one)
	default:
		if e, ok := fields["effect"].(string); ok && isObject && !l.core { // other objects can have the spelling of a cloud
			if effect, err := taint.ParseCloudEffect(e); err == nil {
				data = []byte(strings.Replace(string(data), strconv.Quote(e), strconv.Quote(effect.String()), 1))
			}
		}
		var one taint.List
		one, _, err = taint.Decode(data, taint.ListOptions{Path: root, Strict: l.object.group != "cluster.x-k8s.io"})
		l.taints = append(l.taints, append(one, taint.Taint{})[0])
	}
	errors.As(err, &ps)
	for i, p := range ps {
		q := *p
		q.Func, q.Input = "", ""
		q.Path = strings.TrimPrefix(strings.TrimPrefix(p.Path, root+"[0]"), ".")
		ps[i] = &q
	}
	return ps
}

// invalid returns the finding of a problem of element i.
func (l *list) invalid(i int, p *validate.Problem) *Finding {
	f := &Finding{Severity: rules.Error, Rule: "invalid", Message: p.Error(), Path: p.Path}
	if p.Rule == validate.FieldUnknown {
		f.Path = p.Value
	}
	f.mend = l.mendProblem(i, p)
	if name, _ := nearest(p.Value, p.Allowed); name != "" && !strings.Contains(f.Message, "did you mean") {
		f.Message = strings.Replace(f.Message, " (allowed:", ", did you mean "+name+"? (allowed:", 1)
	}
	return f
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

// Distance returns how many letters to change, insert or remove to get b from a, at most
// the length of the longer one. Case does not matter.
func Distance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return max(len(a), len(b))
	}
	a, b = strings.ToLower(a), strings.ToLower(b)
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

// report adds a finding about element i, or about the list if i is negative, unless a
// flag or a comment suppresses it. Its path is only a field until then.
func (c *config) report(r *result, l *list, i int, f *Finding) {
	bound := c.policed && slices.ContainsFunc(Own, func(o Rule) bool { return o.Name == f.Rule })
	at := l.value
	name, key := f.Path, l.key
	f.Path = l.path.String()
	if i >= 0 {
		e := &l.elements[i]
		at, key = e.node, e.node
		f.Path += "[" + strconv.Itoa(i) + "]"
		if name != "" {
			f.Path += "." + short(name)
		}
		if g, ok := e.find(name); ok && !e.shared {
			at = g.value
			if strings.HasPrefix(f.Message, "unknown field") || at.Value == "" && at.Kind == yamlv3.ScalarNode {
				at = g.key
			}
		}
	} else if l.home != "" || l.values == nil {
		at = l.key
	}
	if !bound && (f.Severity < c.severity || c.skipped[f.Rule] || ignored(key, f.Rule)) {
		return
	}
	f.File, f.Line, f.Column, f.Object, f.list = r.name, at.Line, at.Column, l.object.String(), l
	if begin, end, ok := r.scalar(at); ok && begin < end {
		f.end = f.Column + utf8.RuneCountInString(r.text[begin:end])
	}
	if f.mend != nil {
		f.mend.index = max(i, 0)
		f.Fix = f.mend.text
		if _, ok := r.edits(l, []*mend{f.mend}); !ok {
			f.mend, f.Fix = nil, ""
		}
	}
	if l.found++; f.Rule == "invalid" {
		l.invalids++
	}
	r.findings = append(r.findings, f)
}

// ignored reports whether a comment above the node or within it suppresses the rule.
func ignored(n *node, rule string) bool {
	for _, comment := range []string{n.HeadComment, n.LineComment} {
		for line := range strings.Lines(comment) {
			_, names, found := strings.Cut(line, "tolerate:ignore")
			names, _, _ = strings.Cut(names, ":") // a reason can follow
			list := strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune(" ,\t\r\n", r) })
			if found && (len(list) == 0 || slices.Contains(list, rule)) {
				return true
			}
		}
	}
	return n.Kind != yamlv3.AliasNode && slices.ContainsFunc(n.Content, func(c *node) bool { return ignored(c, rule) })
}
