package lint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/internal/nearest"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/validate"
)

// Limits of what is checked.
const (
	maxElement  = 1 << 10 // bytes of an element
	maxElements = 10_000  // in a list
	maxFindings = 50_000  // in all files
)

// A Finding is a mistake at one place in a file.
type Finding struct {
	File     string        `json:"file"`
	Line     int           `json:"line,omitempty"` // in YAML
	Column   int           `json:"column,omitempty"`
	Owner    string        `json:"owner,omitempty"` // of a pod in a cluster
	Item     string        `json:"item,omitempty"`  // the place of the object in a list or a text
	Severity lint.Severity `json:"severity"`
	Check    string        `json:"check"`
	Object   string        `json:"object,omitempty"`
	Path     string        `json:"path"`
	Message  string        `json:"message"`
	Fix      string        `json:"fix,omitempty"`

	clause string // of the rules
}

// A checker checks one object.
type checker struct {
	*command
	walk
	from *objects.Object
}

// check checks an object, and reports whether it is one of Kubernetes or has a list.
func (o *command) check(from *objects.Object) bool {
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(from.Raw))
	d.UseNumber() // a float64 does not represent all seconds
	if err := d.Decode(&v); err != nil {
		o.note(from.Problem(err))
		return true
	}
	at := &place{value: from.Root}
	if name, index, ok := strings.Cut(strings.TrimSuffix(from.Place, "]"), "["); ok {
		if name != "" {
			at = at.fields(name)[name]
		}
		i, _ := strconv.Atoi(index)
		at = &place{value: at.element(i).value}
	}
	c := &checker{o, walk{object: newObject(v, from.Kind)}, from}
	c.kustomize = o.within == "" && (strings.HasPrefix(c.group, "kustomize.") || strings.HasPrefix(filepath.Base(from.Source), "kustomization."))
	c.values = o.chart && o.within == "" && from.APIVersion == "" && from.Kind == ""
	before, lists := len(o.findings), o.listCount
	if o.depth == 0 {
		o.left = maxTexts
	}
	op, _ := v["op"].(string)
	path, isPatch := v["path"].(string)
	switch {
	case isRules(v):
		if _, err := rules.Decode(from.Raw); err != nil {
			o.note(from.Problem(err))
		}
		return true
	case op != "" && isPatch:
		c.patch(op, path, v, at)
	default:
		c.value(v, at, false)
	}
	if c.agent = c.agent || o.agents; c.kind == "DeviceTaintRule" {
		c.selector(v, at)
	}
	if c.kind == "Namespace" && o.within == "" {
		o.label(from)
	}
	for _, l := range c.lists {
		c.list(l)
	}
	for _, l := range c.odd {
		c.notList(l)
	}
	if o.config != nil {
		c.judge()
	}
	inner := c.readTexts()
	slices.SortStableFunc(o.findings[before:], func(f, g *Finding) int {
		return cmp.Or(cmp.Compare(f.Line, g.Line), cmp.Compare(f.Column, g.Column), cmp.Compare(f.Path, g.Path))
	})
	if err := c.unnamed(v); err != nil {
		o.note(from.Problem(err))
	}
	return c.kind != "" || isPatch && op != "" || c.values && !c.named || o.listCount > lists || inner
}

// others are files of Helm and Kustomize that have an apiVersion and no kind.
var others = []string{"Chart.yaml", "index.yaml", "kustomization.yaml", "kustomization.yml"}

// unnamed returns an error if an object has an apiVersion or a kind, and the other is misspelt
// or, if it is the kind and the file is named, missing.
func (c *checker) unnamed(v map[string]any) error {
	noKind := c.kind == "" && !slices.Contains(others, filepath.Base(c.from.Source)) // it is a mistake
	for _, field := range slices.Sorted(maps.Keys(v)) {
		near := nearest.Name(field, []string{"apiVersion", "kind"})
		if near != "" && near != field && v[near] == nil && (v["kind"] != nil || v["apiVersion"] != nil && noKind) {
			return fmt.Errorf("unknown field %q, did you mean %s?", field, near)
		}
	}
	if v["apiVersion"] != nil && noKind && c.named && c.within == "" {
		return errors.New("an object without a kind")
	}
	return nil
}

// isRules reports whether the object is a file of rules, which has taints of policies.
func isRules(v map[string]any) bool {
	list, _ := v["rules"].([]any)
	return v["apiVersion"] == nil && v["kind"] == nil && slices.ContainsFunc(list, func(rule any) bool {
		fields, _ := rule.(map[string]any)
		policy, _ := fields["policy"].(map[string]any)
		return policy["allow"] != nil || policy["deny"] != nil
	})
}

// problem describes what was not checked.
func (c *checker) problem(at *place, message string) *objects.Problem {
	p := c.from.Problem(fmt.Errorf("%v: %s", at, message))
	if n := at.node(); n != nil {
		p.Line += n.Line - 1
	}
	p.Object = strings.TrimSpace(c.within + " " + p.Object)
	return p
}

// unread notes that something was not checked.
func (c *checker) unread(at *place, message string) { c.note(c.problem(at, message)) }

// report adds a finding. It returns nil if a flag or a comment suppresses it.
func (c *checker) report(at *place, check string, severity lint.Severity, message string) *Finding {
	manifest := check == "invalid" || check == "misplaced" || check == "policy"
	hidden := severity < c.severity
	if len(c.only) > 0 {
		hidden = !slices.Contains(c.only, check)
	}
	if (c.config == nil || !manifest) && (hidden || suppresses(at.key, check)) || len(c.findings) == maxFindings {
		return nil
	}
	f := &Finding{File: c.from.Source, Item: strings.TrimSpace(c.within + " " + c.from.Place), Severity: severity, Check: check, Object: c.String(), Path: at.String(), Message: message, Owner: c.controller}
	f.at(c.from, at.node())
	c.findings = append(c.findings, f)
	return f
}

func (f *Finding) at(from *objects.Object, n *yaml.Node) {
	if n != nil {
		f.Line, f.Column = from.Line+n.Line-1, n.Column
	}
}

// ignored returns the checks that comments above the node or within it name after
// tolerate:ignore, "" for all checks.
func ignored(n *yaml.Node) (checks []string) {
	if n == nil {
		return nil
	}
	for _, comment := range []string{n.HeadComment, n.LineComment} {
		for line := range strings.Lines(comment) {
			_, list, found := strings.Cut(line, "tolerate:ignore")
			list, _, _ = strings.Cut(list, ":") // a reason can follow
			names := strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" ,\t\r\n", r) })
			if found && len(names) == 0 {
				names = []string{""}
			}
			checks = append(checks, names...)
		}
	}
	for _, child := range n.Content {
		checks = append(checks, ignored(child)...)
	}
	return checks
}

// suppresses reports whether a comment suppresses the check.
func suppresses(n *yaml.Node, check string) bool {
	return slices.ContainsFunc(ignored(n), func(name string) bool { return name == "" || name == check })
}

// comments reports the names of checks in comments that are none.
func (c *checker) comments(at *place) {
	for _, name := range ignored(at.key) {
		if name != "" && !slices.Contains(checkNames, name) {
			c.report(at, "unknown-check", lint.Warning, fmt.Sprintf("tolerate:ignore: unknown check %q%s", short(name), hint(name)))
		}
	}
}

// hint returns the check that was probably meant, as the end of a message.
func hint(check string) string {
	if near := nearest.Name(check, checkNames); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// list checks one list.
func (c *checker) list(l *list) {
	if l.wrong = templated(l.v); l.wrong {
		c.omit(c.problem(l.place, "a template; check its output"), c.named)
		return
	}
	c.listCount++
	if l.wrong = l.near != ""; l.wrong {
		c.report(l.place, "misplaced", lint.Error, fmt.Sprintf("unknown field %q, did you mean %s?", l.name, l.near))
		return
	}
	if l.home != "" {
		has := l.home[strings.LastIndexByte(l.home, '.')+1:]
		message := fmt.Sprintf("%s have no effect here: a %s has them in %s; move them", has, c.kind, l.home)
		if has != l.name {
			message = fmt.Sprintf("a %s has no %s; remove them (it has %s in %s)", c.kind, l.name, has, l.home)
		}
		c.report(l.place, "misplaced", lint.Error, message)
	}
	switch {
	case l.values == nil && l.v != nil:
		l.wrong = true
		wants := "must be a list"
		if l.spot != nil && l.spot.form&(inList|inTexts) == 0 {
			wants = "must be an object"
		}
		c.report(l.place, "invalid", lint.Error, wants)
	case len(l.values) > maxElements:
		l.wrong = true
		c.unread(l.place, fmt.Sprintf("more than %d elements", maxElements))
		return
	}
	c.comments(l.place)
	seen := make(map[taint.Taint]bool)
	for i, v := range l.values {
		c.comments(l.element(i))
		t, u, problems := c.decode(v, l)
		if l.tolerations = append(l.tolerations, u); !t.IsZero() {
			id, _ := taint.New(t.Key(), "", t.Effect())
			if seen[id] {
				problems = append(problems, &validate.Problem{Value: t.String(), Rule: validate.Duplicate})
			}
			seen[id] = true
		}
		for _, p := range problems {
			l.wrong = true
			c.invalid(l.element(i), p)
		}
	}
	if l.isTaints = l.isTaints || l.ofDevices(); l.isTaints { // nor are these for the rules
		return
	}
	allowed := c.agent // it runs everywhere
	if c.config != nil && !allowed {
		settings, err := c.settings(cmp.Or(c.object.namespace, c.command.namespace))
		allowed = err == nil && settings.Policy != nil && len(settings.Check(alone(l.tolerations))) == 0
	}
	var skip []lint.Check
	if allowed {
		skip = []lint.Check{lint.ToleratesEverything, lint.OpenToEveryNode}
	}
	for _, found := range lint.Find(l.tolerations, lint.Options{Skip: skip}) {
		open := found.Check == lint.ToleratesEverything || found.Check == lint.OpenToEveryNode
		switch {
		case open && l.spot == nil && c.targeted():
			continue
		case open && l.spot == nil && (l.agent || l.name != "tolerations" || c.chart()):
			found.Severity = lint.Info
		}
		f := c.report(l.element(found.Index), found.Check.String(), found.Severity, found.Message())
		switch {
		case f == nil || found.Fix.IsZero():
		case found.Fix.After.IsZero():
			f.Fix = "remove it"
		default:
			f.Fix = "replace it with " + found.Fix.After.String()
		}
	}
}

// notList checks a field of values that has another name than a list, or no list. An object or a
// text of another form can be what the chart's templates need.
func (c *checker) notList(l *list) {
	elements, isList := l.v.([]any)
	near := nearest.Name(l.name, []string{"tolerations", "taints"})
	has := func(v any) bool {
		fields, _ := v.(map[string]any)
		return isElement(v) && (near != "taints" || fields["effect"] != nil)
	}
	fields, isObject := l.v.(map[string]any)
	text, isText := l.v.(string)
	severity, message, fix := lint.Warning, "must be a list", "write it as an element of a list"
	switch {
	case isList && !strings.EqualFold(l.name+"s", near) && near != "" && slices.ContainsFunc(elements, has):
		message, fix = fmt.Sprintf("%q is probably %s", short(l.name), near), "write "+near
	case isList || listName(l.name) == "":
		return
	case isElement(l.v):
		empty := cmp.Or(fields["key"], fields["operator"], fields["effect"]) == any("")
		if name := l.name + "."; empty || c.inTemplates(name+"key", name+"operator", name+"effect") { // it writes the list
			return
		}
	case isObject && len(fields) == 0 || isText && text == "":
		severity, message, fix = lint.Info, "an empty text or object; most templates need a list", "write []"
	default:
		return
	}
	c.listCount++
	if f := c.report(l.place, "values", severity, message); f != nil {
		f.Fix = fix
	}
}

// decode reads one element, so that an invalid one does not hide the others.
func (c *checker) decode(v any, l *list) (t taint.Taint, u toleration.Toleration, ps validate.Problems) {
	fields, isObject := v.(map[string]any)
	if isObject && len(fields) == 1 && fields["$patch"] != nil { // only a directive of a patch
		return t, u, nil
	}
	text, isString := v.(string)
	if isObject && (l.isTaints || l.ofDevices()) {
		fields, ps = l.translate(fields)
		v = fields
	}
	data, err := json.Marshal([]any{v})
	switch {
	case err != nil:
	case len(data) > maxElement:
		return t, u, validate.Problems{{Rule: validate.Syntax, Allowed: []string{"at most 1 KiB"}}}
	case !l.isTaints:
		var one toleration.List
		one, _, err = toleration.Decode(data, toleration.DecodeOptions{Path: "x", Strict: true})
		u = append(one, u)[0]
	case isString && (l.spot == nil || l.spot.form&(inTexts|inText) != 0):
		texts := []string{text}
		if l.spot != nil && l.spot.form&inText != 0 {
			texts = strings.Split(text, ",")
		}
		for i := 0; i < len(texts) && err == nil; i++ {
			t, err = taint.Parse(texts[i])
		}
	case !isObject && l.places != nil || l.spot != nil && l.spot.form&(inList|inMap|inObject) == 0:
		return t, u, validate.Problems{{Rule: validate.WrongType, Value: string(data[1 : len(data)-1]), Want: "must be a string"}}
	default:
		var one taint.List
		one, _, err = taint.Decode(data, taint.DecodeOptions{Path: "x", Strict: true})
		t = append(one, t)[0]
	}
	var more validate.Problems
	errors.As(err, &more)
	for _, p := range more {
		q := *p
		q.Func, q.Input = "", ""
		q.Path = strings.TrimPrefix(strings.TrimPrefix(p.Path, "x[0]"), ".")
		ps = append(ps, &q)
	}
	if l.ofDevices() { // they are no taints of nodes, and seconds without NoExecute are ignored
		ps = slices.DeleteFunc(ps, func(p *validate.Problem) bool { return p.Rule == validate.SecondsEffect })
		return taint.Taint{}, toleration.Toleration{}, ps
	} else if len(ps) > 0 {
		t = taint.Taint{}
	}
	return t, u, ps
}

// invalid reports a problem of an element.
func (c *checker) invalid(at *place, p *validate.Problem) {
	f := c.report(at, "invalid", lint.Error, p.Error())
	if f == nil {
		return
	}
	name := p.Path
	if p.Rule == validate.FieldUnknown {
		name = p.Value
	}
	if name != "" {
		field := at.fields(name)[name]
		if f.Path = field.String(); field.key != nil {
			f.at(c.from, field.key)
			if n := field.value; p.Rule != validate.FieldUnknown && n.Value != "" {
				f.at(c.from, n)
			}
		}
	}
	near := nearest.Name(p.Value, p.Allowed)
	switch {
	case p.Rule == validate.WrongType && (p.Path == "value" && validate.Value(p.Value) == nil || p.Path == "key" && validate.Key(p.Value) == nil):
		f.Fix = "write " + strconv.Quote(p.Value)
	case near != "":
		f.Fix = "write " + near
	case p.Want == required && p.Path == "value":
		f.Fix = `add value: ""`
	case p.Want == required:
		f.Fix = "add propagation: Always, or OnInitialization"
	case p.Rule == validate.SecondsEffect:
		f.Fix = "remove tolerationSeconds, or write effect: NoExecute"
	}
}

// label keeps the labels of a namespace, with that of its name, which the API server adds.
func (o *command) label(from *objects.Object) {
	var v struct {
		Metadata struct {
			Labels labels.Set `json:"labels"`
		} `json:"metadata"`
	}
	if !from.Is("Namespace") || from.Decode(&v) != nil {
		return
	}
	all := labels.Merge(v.Metadata.Labels, labels.Set{corev1.LabelMetadataName: from.Name})
	others, ok := o.labels[from.Name]
	if ok && !maps.Equal(others, all) || slices.ContainsFunc(slices.Collect(maps.Values(all)), func(value string) bool { return validate.Value(value) != nil }) {
		all = nil // it is not known which it has, as of a template
	}
	o.labels[from.Name] = all
}

// judge reports what the rules refuse, and what they cannot judge.
func (c *checker) judge() {
	for _, l := range c.unsure {
		c.unread(l.place, l.name)
	}
	c.judgeDefaults()
	if !slices.ContainsFunc(slices.Concat(c.pods, c.lists), func(l *list) bool { return !l.isTaints }) {
		return
	}
	settings, err := c.settings(cmp.Or(c.object.namespace, c.command.namespace))
	if err != nil {
		c.note(c.from.Problem(err))
		return
	}
	for _, l := range c.pods {
		spec := l.v
		if fields, ok := spec.(map[string]any); ok && slices.ContainsFunc(c.lists, func(t *list) bool { return t.wrong && t.above == l.place }) {
			spec = maps.Clone(fields) // what is wrong with the list is reported; its other elements are judged below
			delete(spec.(map[string]any), "tolerations")
		}
		data, err := json.Marshal(map[string]any{"spec": spec})
		var pod rules.Pod
		if err == nil {
			pod, err = rules.DecodePod(data, "")
		}
		if err != nil {
			c.unread(l.place, err.Error())
			continue
		}
		pod.Manifest, pod.Daemon = true, c.daemon
		if c.existing && c.kind == "Pod" { // it is scheduled, and the DaemonSet's selector is judged in its template
			pod.NodeName, pod.Deleted, pod.Mirror, pod.Update = "", c.deleted, c.mirror, pod.Daemon
		}
		c.refuse(l.place, l.fields("tolerations")["tolerations"], settings, pod)
	}
	for _, l := range c.lists {
		if valid := slices.DeleteFunc(slices.Clone(l.tolerations), toleration.Toleration.IsZero); len(valid) < len(l.tolerations) || !l.inPod {
			c.refuse(l.place, nil, settings, alone(valid))
		}
	}
}

// alone returns a pod that has only these tolerations.
func alone(list toleration.List) rules.Pod {
	return rules.Pod{Tolerations: list, Manifest: true}
}

// settings returns the rules of a namespace, or why they are not known.
func (c *checker) settings(namespace string) (rules.Settings, error) {
	settings, known := c.config.For(rules.Request{Namespace: namespace, Labels: c.labels[namespace]})
	switch {
	case namespace == "" && !c.config.Namespaced() || known && validation.IsDNS1123Label(namespace) == nil:
		return settings, nil
	case validation.IsDNS1123Label(namespace) == nil:
		return rules.Settings{}, fmt.Errorf("the labels of namespace %s are not known, or differ in the input: give one manifest of it before the pods, or the output of kubectl get ns,pods -A -o json", namespace)
	case namespace == "":
		return rules.Settings{}, errors.New("its namespace is not known: give -n")
	}
	return rules.Settings{}, fmt.Errorf("%s is not the name of a namespace", objects.Printable(namespace))
}

// judgeDefaults judges the tolerations that a namespace adds to its pods.
func (c *checker) judgeDefaults() {
	for _, l := range c.defaults {
		text, ok := l.v.(string)
		if l.v != nil && !ok || len(text) > 256<<10 {
			c.unread(l.place, "must be a string of at most 256 KiB")
			continue
		}
		got, err := admission.NamespaceRestriction(map[string]string{l.name: text}, admission.Restriction{}, "annotations")
		if err == nil && text != "" { // unknown fields are mistakes here
			_, _, err = toleration.Decode([]byte(text), toleration.DecodeOptions{Path: "annotations[" + l.name + "]", Strict: true})
		}
		if err != nil {
			c.unread(l.place, err.Error())
		} else if settings, err := c.settings(c.name); err != nil {
			c.note(c.from.Problem(err))
		} else {
			c.refuse(l.place, nil, settings, alone(got.Defaults))
		}
	}
}

// refuse reports what the rules refuse of a pod, or of a list of tolerations whose elements
// have no places of their own if list is nil.
func (c *checker) refuse(at, list *place, settings rules.Settings, pod rules.Pod) {
	severity := lint.Error
	if settings.Warns() {
		severity = lint.Warning
	}
	for _, r := range settings.Check(pod) {
		p, where := *r.Problem, at
		if list != nil && r.Index >= 0 && r.Index < len(pod.Tolerations) {
			p.Path, where = "", list.element(r.Index)
		}
		message := p.Error()
		if r.Clause != "" {
			message += " (" + r.Clause + ")"
		}
		if f := c.report(where, "policy", severity, message); f != nil {
			f.clause = r.Clause
		}
	}
}
