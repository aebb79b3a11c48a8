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

	"github.com/aymanbagabas/go-udiff"
	yamlv3 "go.yaml.in/yaml/v3"

	rules "github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// A Rule is a rule of a manifest, which only this package has, or of a list of
// tolerations.
type Rule struct {
	Name, Summary, Text string
	Severity            rules.Severity
	Manifest            bool
}

// Rules returns all rules.
func Rules() (list []Rule) {
	for _, r := range own {
		list = append(list, Rule{r[0], r[1], r[2], rules.Error, true})
	}
	for _, c := range rules.Checks() {
		summary, text, _ := strings.Cut(c.Doc(), "\n\n")
		list = append(list, Rule{c.String(), summary, text, c.Severity(), false})
	}
	return list
}

// own has the names, summaries and texts of the rules of manifests.
var own = [][3]string{
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
	maxTotal    = 200_000 // elements in a document
	maxFindings = 50_000  // in a file
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
	policy   *policy.Policy // or nil
	severity rules.Severity // the lowest that is reported
}

// A result is what was found in a file.
type result struct {
	text            string // after the fixes
	findings, fixed []*Finding
	notes           []note
	lists           int
	manifest        bool // there was something to check
}

// file checks one file, and fixes it if mode is safe or all. It yields each document then.
func (c *config) file(name, text, mode string, yield func(d *document)) *result {
	r := &result{text: text}
	fail := func(line int, message string) {
		r.notes = append(r.notes, note{File: name, Line: line, Message: message})
	}
	if strings.Contains(text, "\x00") || !utf8.ValidString(text) {
		fail(0, "not UTF-8 text")
		return r
	}
	parts, odd := split(text)
	var out strings.Builder
	left := max(minReread, maxRounds*len(text))
	line, shift := 0, 0 // lines before the document, and how many more are before the fixed one
	for i, part := range parts {
		if i == maxDocuments || len(r.findings) >= maxFindings {
			fail(line+1, fmt.Sprintf("not read further, after %d documents or %d findings; split the file", maxDocuments, maxFindings))
			out.WriteString(strings.Join(parts[i:], ""))
			break
		}
		text := strings.TrimPrefix(part, "\uFEFF")
		out.WriteString(part[:len(part)-len(text)])
		lines := len(linesOf(text)) - 1
		if strings.TrimSpace(text) != "" {
			d := c.check(name, line+shift, text)
			if mode != "" && len(text) > maxPart {
				fail(line+1, fmt.Sprintf("a document larger than %d MiB is not fixed; split it", maxPart>>20))
			} else if mode != "" {
				var fixed []*Finding
				d, fixed = c.fix(d, mode == "all", &left)
				for _, f := range fixed {
					f.Line -= shift
				}
				r.fixed = append(r.fixed, fixed...)
				shift += len(d.lines) - 1 - lines
			}
			text = d.text
			for _, f := range d.findings {
				f.list = nil // with all of the document
			}
			r.findings, r.notes = append(r.findings, d.findings...), append(r.notes, d.notes...)
			r.lists, r.manifest = r.lists+len(d.lists), r.manifest || d.manifest
			yield(d)
		}
		out.WriteString(text)
		line += lines
	}
	for _, line := range odd[:min(len(odd), maxNotes)] {
		fail(line, "only some tools read this line as the end of a document; write ---")
	}
	r.text = out.String()
	return r
}

// check checks a document.
func (c *config) check(file string, before int, text string) *document {
	d := &document{file: file, before: before, text: text, lines: linesOf(text)}
	if err := d.load(); err != nil {
		n := d.noteOf(err, 1)
		n.Skipped = c.policy == nil && strings.Contains(text, "{{")
		d.notes = append(d.notes, n)
	}
	if d.value == nil || len(d.notes) > 0 {
		return d
	}
	w := new(walk)
	w.whole(d.value, d.root, false)
	d.manifest = w.manifest
	slices.SortFunc(w.lists, func(l, m *list) int { return byPosition(l.value, m.value) })
	for _, l := range w.lists {
		if l.number = len(d.lists); c.read(d, w, l) {
			d.lists = append(d.lists, l)
			c.list(d, l)
		}
	}
	for _, f := range w.repeated[:min(len(w.repeated), maxNotes)] {
		c.report(d, &list{object: new(object), path: func() string { return short(f.name) }, field: f}, -1, "invalid", rules.Error,
			"the field is repeated: some tools read the first one, others the last one; remove one")
	}
	if c.policy != nil {
		c.unsure(d, w)
	}
	if len(d.findings) == maxFindings {
		d.notes = append(d.notes, note{File: d.file, Line: d.before + 1, Message: fmt.Sprintf("not checked further, after %d findings; fix these first", maxFindings)})
	}
	slices.SortStableFunc(d.findings, func(f, g *Finding) int {
		return cmp.Or(cmp.Compare(f.Line, g.Line), cmp.Compare(f.Column, g.Column), cmp.Compare(f.Path, g.Path), cmp.Compare(f.Rule, g.Rule))
	})
	return d
}

func byPosition(a, b *node) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// unsure adds a failure for everything that the policy cannot judge.
func (c *config) unsure(d *document, w *walk) {
	for _, n := range w.unsure[:min(len(w.unsure), maxNotes)] {
		n.File, n.Line = d.file, d.before+n.Line
		d.notes = append(d.notes, n)
	}
	if d.ambiguous != nil && len(w.repeated) == 0 {
		d.notes = append(d.notes, d.noteOf(d.ambiguous, d.root.Line))
	}
	for _, l := range w.defaults { // tolerations that a namespace adds to its pods
		text, ok := l.parent[l.name].(string)
		if l.parent[l.name] != nil && !ok || len(text) > 256<<10 {
			d.fail(l, errors.New("must be a string of at most 256 KiB"))
			continue
		}
		got, err := admission.NamespaceRestriction(map[string]string{l.name: text}, admission.Restriction{}, toleration.ListOptions{Path: "annotations", Strict: true})
		if err != nil {
			d.fail(l, err)
		}
		for i, u := range got.Defaults {
			c.judge(d, l, -1, u, "["+strconv.Itoa(i)+"] ")
		}
	}
}

func (c *config) judge(d *document, l *list, i int, u toleration.Toleration, prefix string) {
	if v := c.policy.Judge(u); !v.Allowed && !u.IsZero() { // a zero one has its own finding
		c.report(d, l, i, "policy", rules.Error, prefix+strconv.Quote(v.Toleration.String())+" "+v.String())
	}
}

// fail adds a note that a list could not be read.
func (d *document) fail(l *list, err error) {
	n := d.noteOf(err, l.value.Line)
	n.Message = l.path() + ": " + n.Message
	d.notes = append(d.notes, n)
}

// read finds the elements of a list. It reports whether the list can be checked.
func (c *config) read(d *document, w *walk, l *list) bool {
	if c.policy == nil && templated(l.parent[l.name]) {
		d.fail(l, errors.New("a template; check its output"))
		d.notes[len(d.notes)-1].Skipped = true
		return false
	}
	if d.elements += len(l.values); len(l.values) > maxElements || d.elements > maxTotal {
		d.fail(l, fmt.Errorf("more than %d elements in a list, or %d in a document", maxElements, maxTotal))
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
func (c *config) list(d *document, l *list) {
	if l.home != "" {
		kind, has := l.object.kind, l.home[strings.LastIndexByte(l.home, '.')+1:]
		message := fmt.Sprintf("%s have no effect here: a %s has them in %s; move them", has, kind, l.home)
		if has != l.name {
			message = fmt.Sprintf("a %s has no %s; remove them (it has %s in %s)", kind, l.name, has, l.home)
		}
		c.report(d, l, -1, "misplaced", rules.Error, message)
	}
	if l.values == nil && l.parent[l.name] != nil {
		c.report(d, l, -1, "invalid", rules.Error, "must be a list")
	}
	seen := make(map[taint.Taint]bool)
	for i, v := range l.values {
		if len(d.findings) == maxFindings {
			return
		}
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
			l.invalid(c.report(d, l, i, "invalid", rules.Error, p.Error()), d, i, p)
		}
	}
	var skip []rules.Check
	if l.object.agent { // it runs everywhere
		skip = []rules.Check{rules.ToleratesEverything, rules.OpenToEveryNode}
	}
	for _, f := range rules.Find(l.tolerations, rules.Options{Skip: skip}) {
		c.report(d, l, f.Index, f.Check.String(), f.Severity, f.Message()).fixed(d, mendOf(f.Fix, f.Index))
	}
	for i, u := range l.tolerations {
		if c.policy != nil {
			c.judge(d, l, i, u, "")
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

var fold = strings.NewReplacer("_", "", "-", "")

// nearest returns the allowed name that s can mean, and whether they differ only by case,
// '_' or '-'. It allows more edits of a long name than the message of a problem does.
func nearest(s string, allowed []string) (name string, sure bool) {
	least := min(4, max(1, len(s)/4)) + 1
	for _, a := range allowed {
		if strings.EqualFold(fold.Replace(a), fold.Replace(s)) {
			return a, true
		}
		if longer := len(s) - len(a); longer >= least || -longer >= least {
			continue
		}
		edits := 0
		for _, e := range udiff.Strings(strings.ToLower(s), strings.ToLower(a)) {
			edits += max(e.End-e.Start, len(e.New))
		}
		if edits < least {
			name, least = a, edits
		}
	}
	return name, false
}

// report adds a finding about element i, or about the list if i is negative. It returns
// nil if a flag or a comment suppresses it.
func (c *config) report(d *document, l *list, i int, rule string, severity rules.Severity, message string) *Finding {
	f := &Finding{File: d.file, Rule: rule, Severity: severity, Message: message, Object: l.object.String(), Path: l.path(), list: l}
	e := &element{node: l.key}
	if i >= 0 {
		e = &l.elements[i]
		f.Path += "[" + strconv.Itoa(i) + "]"
	}
	if e.ignores == nil {
		e.ignores = make(map[string]bool)
		ignored(e.node, e.ignores)
	}
	manifest := slices.ContainsFunc(own, func(r [3]string) bool { return r[0] == rule })
	if (c.policy == nil || !manifest) && (severity < c.severity || e.ignores[rule] || e.ignores[""]) || len(d.findings) == maxFindings {
		return nil
	}
	if l.found++; rule == "invalid" {
		l.invalids++
	}
	f.at(d, e.node)
	d.findings = append(d.findings, f)
	return f
}

// at sets the position of the finding.
func (f *Finding) at(d *document, n *node) {
	f.Line, f.Column, f.end = d.before+n.Line, n.Column, 0
	if begin, end, ok := d.scalar(n); ok && begin < end {
		f.end = f.Column + utf8.RuneCountInString(d.text[begin:end])
	}
}

// fixed sets the fix of a finding, if it can be made.
func (f *Finding) fixed(d *document, m *mend) {
	if f == nil || m == nil {
		return
	}
	if _, ok := d.edits(f.list, m); ok {
		f.mend, f.Fix = m, m.text
	}
}

// invalid sets the field and the fix of a problem of element i.
func (l *list) invalid(f *Finding, d *document, i int, p *validate.Problem) {
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
		if f.at(d, g.value); p.Rule == validate.FieldUnknown || f.end == 0 && g.value.Value == "" && g.value.Kind == yamlv3.ScalarNode {
			f.at(d, g.key)
		}
	}
	near, sure := nearest(p.Value, p.Allowed)
	if near != "" && !strings.Contains(f.Message, "did you mean") {
		f.Message = strings.Replace(f.Message, " (allowed:", ", did you mean "+near+"? (allowed:", 1)
	}
	f.fixed(d, l.mendProblem(i, p, near, sure))
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
