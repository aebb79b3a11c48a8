package lint

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/internal/nearest"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// An object identifies an API object.
type object struct {
	group, kind, namespace, name string
	owner                        string // the kind of its controller; DaemonSet for a DaemonSet
	controller                   string // of a pod in a cluster, without a ReplicaSet's hash; the pod if it has none
	agent                        bool   // a DaemonSet, or a pod that a DaemonSet or a kubelet controls
	daemon                       bool   // a DaemonSet of Kubernetes, or its pod in a cluster
	existing                     bool   // in a cluster
	deleted, mirror              bool   // as the API server reports it of what exists
	spots                        []spot // where objects of the kind have their taints or tolerations
}

// newObject returns the object of these fields, and of this kind if they have none.
func newObject(v map[string]any, kind string) *object {
	u := unstructured.Unstructured{Object: v}
	group, _, found := strings.Cut(u.GetAPIVersion(), "/")
	if !found {
		group = ""
	}
	kind = cmp.Or(u.GetKind(), kind)
	o := &object{group: short(group), kind: short(kind), namespace: short(u.GetNamespace()), name: short(cmp.Or(u.GetName(), u.GetGenerateName())), existing: u.GetUID() != ""}
	if o.spots = spots[u.GetAPIVersion()+"/"+kind]; o.spots == nil { // of a version that differs
		o.spots = spots[group+"/"+kind]
	}
	name := o.name
	if owner := metav1.GetControllerOfNoCopy(&u); owner != nil && kind == "Pod" {
		o.owner, name = short(owner.Kind), short(owner.Name)
		if before, ok := strings.CutSuffix(name, u.GetLabels()[appsv1.DefaultDeploymentUniqueLabelKey]); ok && o.owner == "ReplicaSet" && before != name {
			name = before + "*"
		}
		o.daemon = o.existing && owner.Kind == "DaemonSet" && strings.HasPrefix(owner.APIVersion, "apps/")
	} else if kind == "DaemonSet" {
		o.owner, o.daemon = kind, group == "apps"
	}
	if o.existing && kind == "Pod" {
		o.controller = cmp.Or(o.owner, kind) + " " + strings.TrimPrefix(o.namespace+"/"+name, "/")
	}
	o.agent = o.owner == "DaemonSet" || o.owner == "Node"
	o.deleted = o.existing && u.GetDeletionTimestamp() != nil
	o.mirror = o.existing && o.owner == "Node" && u.GetAnnotations()[corev1.MirrorPodAnnotationKey] != ""
	return o
}

func (o *object) String() string {
	return strings.TrimSpace(o.kind + " " + strings.TrimPrefix(o.namespace+"/"+o.name, "/"))
}

// short returns the text, or its end if it is long: it is part of every finding.
func short(s string) string {
	const limit = 300
	if len(s) <= limit {
		return s
	}
	return "…" + strings.ToValidUTF8(s[len(s)-limit/2:], "")
}

// A place is a field or an element of an object, in YAML with its syntax.
type place struct {
	above      *place
	name       string // such as ".spec" or "[3]"
	single     bool   // it is itself its only element
	key, value *yaml.Node
}

// String returns the path, such as "spec.tolerations[3]".
func (p *place) String() string {
	var parts []string
	for length := 0; p != nil && length < 1000; p = p.above {
		parts, length = append(parts, p.name), length+len(p.name)
	}
	slices.Reverse(parts)
	return strings.TrimPrefix(strings.Join(parts, ""), ".")
}

// node returns the syntax of the place, or what is nearest around it; nil in JSON.
func (p *place) node() *yaml.Node {
	for p.key == nil && p.above != nil {
		p = p.above
	}
	return p.key
}

// fields returns the places of the fields of an object with these names. One that is not
// found in the syntax is where the object is.
func (p *place) fields(names ...string) map[string]*place {
	places := make(map[string]*place)
	for _, name := range names {
		places[name] = &place{above: p, name: "." + short(name), key: p.value, value: p.value}
	}
	find(places, p.value, nil)
	return places
}

// find finds the places in a mapping, or in what is merged into one: the first wins of a list,
// but in a mapping the last, even if it is a merge. key is that of the merge, if any.
func find(places map[string]*place, n, key *yaml.Node) {
	n = target(n)
	switch {
	case n == nil:
	case n.Kind == yaml.SequenceNode && key != nil:
		for _, n := range slices.Backward(n.Content) {
			find(places, n, key)
		}
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			name, value := n.Content[i], n.Content[i+1]
			if objects.IsMerge(name) {
				find(places, value, cmp.Or(key, name))
			} else if at := places[target(name).Value]; at != nil {
				at.key, at.value = cmp.Or(key, name), value
			}
		}
	}
}

// element returns the place of an element of a list.
func (p *place) element(i int) *place {
	if p.single {
		return p
	}
	at := &place{above: p, name: "[" + strconv.Itoa(i) + "]", key: p.value, value: p.value}
	if n := target(p.value); n != nil && n.Kind == yaml.SequenceNode && i < len(n.Content) {
		at.key, at.value = n.Content[i], n.Content[i]
	}
	return at
}

// target resolves an alias.
func target(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// A list is a list of tolerations or taints, or a spec of a pod.
type list struct {
	*place
	name     string
	v        any
	values   []any
	isTaints bool
	inPod    bool     // which is judged
	inPatch  bool     // a text of a kustomization
	spot     *spot    // which is known
	places   []*place // of the elements, if they are in a map
	agent    bool     // it is, or can be, of a DaemonSet
	home     string   // the path where the object has such a list, if not here
	near     string   // the name that was meant, if the field is misspelt
	wrong    bool     // and reported

	tolerations toleration.List // an invalid element is the zero value
}

// A walk finds the lists of an object, and the pods, of which v is the spec.
type walk struct {
	*object
	lists, pods []*list
	defaults    []*list // annotations of namespaces with tolerations
	unsure      []*list // what can add tolerations and cannot be read; the name says why
	kustomize   bool
	values      bool    // of a chart
	odd         []*list // fields of values that can have a wrong name or no list
	texts       []*list // fields with a text that can have such lists, by their name or that of a variable
	hinted      bool    // what is read can be of a DaemonSet
}

func (w *walk) doubt(at *place, message string) {
	w.unsure = append(w.unsure, &list{place: at, name: message})
}

// value walks any value of an object.
func (w *walk) value(v any, at *place, inPod bool) {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		places, before := at.fields(names...), w.hinted
		w.hinted = before || daemons(v) || isAgent(strings.TrimPrefix(at.name, "."))
		if name, _ := v["name"].(string); listName(name) != "" { // of an environment variable
			if s, ok := v["value"].(string); ok {
				w.textOf(name, s, places["value"])
			}
		}
		for _, name := range names {
			w.field(name, v, places[name], inPod)
		}
		w.hinted = before
	case []any:
		for i, v := range v {
			w.value(v, at.element(i), false)
		}
	case string:
		w.text(v, at)
	}
}

// patch walks an operation of a JSON patch.
func (w *walk) patch(op, path string, fields map[string]any, at *place) {
	w.name = short(path)
	v, has := fields["value"]
	at = at.fields("value")["value"]
	names := strings.Split(path, "/")
	i := len(names) - 1
	for i > 0 && names[i] != "tolerations" && names[i] != "taints" {
		i--
	}
	switch depth := len(names) - 1 - i; {
	case op == "remove" || op == "test":
	case !has:
		w.doubt(at, "a patch that copies")
	case i <= 0:
		w.field(names[len(names)-1], map[string]any{names[len(names)-1]: v}, at, false)
	case depth == 0:
		w.field(names[i], map[string]any{names[i]: v, "containers": []any{}}, at, false)
	case depth == 1:
		at.single = true
		w.field(names[i], map[string]any{names[i]: []any{v}, "containers": []any{}}, at, false)
	default:
		w.doubt(at, "a patch of a part of a toleration or a taint")
	}
}

// structural are fields that contain tolerations, or the annotations of a namespace.
var structural = map[string]bool{"spec": true, "jobTemplate": true, "template": true, "items": true, "metadata": true, "annotations": true}

// field walks one field of an object, which is the spec of a pod if inPod is set.
func (w *walk) field(name string, parent map[string]any, at *place, inPod bool) {
	v := parent[name]
	l := &list{place: at, name: name, v: v, inPod: inPod}
	if templated(name) {
		w.doubt(at, "a template as a field name")
	}
	home := w.closed(name)
	l.spot = w.spotAt(at.above, name)
	_, containers := parent["containers"].([]any)
	field, list := "tolerations", listName(name)
	if home != nil {
		field = ending(home.path)
	}
	values, isList := v.([]any)
	if name == "taint" && w.kind != "" && slices.ContainsFunc(values, isElement) { // of providers, in the templates of others
		list = "taints"
	}
	l.isTaints = list == "taints" || l.spot != nil && list == ""
	switch {
	case l.spot != nil && l.spot.form&foreign != 0:
		return
	case name == admission.DefaultsAnnotation || name == admission.WhitelistAnnotation:
		w.defaults = append(w.defaults, l)
		return
	case l.spot == nil && name != list && nearest.Name(name, []string{field}) != "" && (containers || home != nil && w.spotAt(at.above, field) != nil):
		l.near = field
		w.lists = append(w.lists, l)
		w.value(v, at, false)
		return
	case l.spot == nil && list == "":
		if w.values {
			w.odd = append(w.odd, l)
		}
		if s, ok := v.(string); ok && templated(s) && structural[name] && w.group != "argoproj.io" { // names of Argo's steps
			w.doubt(at, "a template")
		}
		spec, _ := v.(map[string]any)
		_, isSpec := spec["containers"].([]any)
		isPod := name == "spec" && (isSpec || home != nil && home.path == at.String()+".tolerations")
		if isPod {
			w.pods = append(w.pods, l)
		}
		if name != "pattern" && name != "anyPattern" || w.group != "kyverno.io" { // these are not values
			w.value(v, at, isPod)
		}
		return
	}
	here := at.String()
	if home != nil && l.spot == nil && len(values) > 0 && !strings.Contains(here, "providerSpec.") && !strings.Contains(here, "parameters.") {
		l.home, l.spot = home.path, home
	}
	if l.agent = w.hinted; !l.agent {
		l.agent = slices.ContainsFunc(slices.Collect(maps.Values(parent)), func(v any) bool { fields, _ := v.(map[string]any); return daemons(fields) })
	}
	isObject := func(v any) bool { _, ok := v.(map[string]any); return ok }
	_, text := v.(string)
	switch read := l.spot != nil || name == "tolerations" && containers; {
	case v != nil && read, isList && len(values) == 0, slices.ContainsFunc(values, func(v any) bool { return isElement(v) || ofTexts[name] && isText(v) }):
		l.read()
		w.lists = append(w.lists, l)
		return
	case name == "tolerations" && (text || !slices.ContainsFunc(values, isObject) && len(values) > 0 || isObject(v) && !strings.Contains(here, "properties.")):
		w.doubt(at, "not a list of tolerations")
	}
	if w.values && !isList && !strings.Contains(here, "properties.") {
		w.odd = append(w.odd, l)
	}
	w.value(v, at, false)
}

// ofTexts are the lists whose taints can be texts.
var ofTexts = map[string]bool{"taints": true, "nodeTaints": true, "registerWithTaints": true}

// isElement reports whether the value looks like a toleration or a taint.
func isElement(v any) bool {
	object, _ := v.(map[string]any)
	return object["key"] != nil || object["operator"] != nil || object["effect"] != nil
}

// isText reports whether the value is the text of a taint, as in kOps and similar tools.
func isText(v any) bool {
	s, ok := v.(string)
	return ok && strings.Contains(s, ":") && !strings.Contains(s, " ")
}

// templated reports whether the value has an expression of a template.
func templated(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "{{") || strings.Contains(v, "${")
	case map[string]any:
		for name, w := range v {
			if templated(name) || templated(w) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, templated)
	}
	return false
}

// Limits of the texts in an object.
const (
	maxTexts = 16 << 20 // bytes, with those in texts
	maxDepth = 4        // of a text in a text
)

// listed matches what a text in YAML or JSON has if it has a list of tolerations or taints, or
// a patch of one.
var listed = regexp.MustCompile(`(?im)(^|[-{,"'\\])\s*["']?(\w*(tolerations?|taints)|node-taint\+?)["']?\s*:|/(tolerations|taints)\b`)

var words = []string{"oleration", "aint", "OLERATION", "AINT"} // without which a text is not searched

// listName returns the list that a field is by the end of its name: tolerations, taints, or "".
func listName(name string) string {
	for _, list := range []string{"tolerations", "taints"} {
		if len(name) >= len(list) && strings.EqualFold(name[len(name)-len(list):], list) {
			return list
		}
	}
	return ""
}

// text adds a text that can have a list, by the name of its field or by what is in it.
func (w *walk) text(s string, at *place) {
	field := at
	for field.above != nil && strings.HasPrefix(field.name, "[") {
		field = field.above
	}
	if name := strings.TrimPrefix(field.name, "."); field == at || listName(name) == "" {
		w.textOf(name, s, at)
	}
}

func (w *walk) textOf(name, s string, at *place) {
	l := &list{place: at, name: name, v: s, agent: w.hinted}
	switch {
	case w.kustomize && strings.HasPrefix(name, "patch"):
		l.inPatch = true
	case name == "description", strings.Contains(name, "/last-"): // a copy in an annotation
		return
	case listName(name) != "" && strings.ContainsAny(s, ":{"), slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s, word) }) && listed.MatchString(s):
	default:
		return
	}
	w.texts = append(w.texts, l)
}

// readTexts checks the texts in fields of the object, which are in YAML or JSON. It reports
// whether one has something to check.
func (c *checker) readTexts() (some bool) {
	within := c.within
	for _, l := range c.texts {
		text, _ := l.v.(string)
		if c.left -= len(text); c.left < 0 || c.depth == maxDepth {
			c.unread(l.place, "too many texts, or a text in a text in a text")
			continue
		}
		begin := "#\n" // so that it is YAML
		if listName(l.name) != "" {
			begin = strconv.Quote(l.name) + ":\n"
			if flow := strings.TrimSpace(text); strings.HasPrefix(flow, "[") || strings.HasPrefix(flow, "{") {
				begin += " "
			}
		}
		inner := strings.Join(strings.Fields(within+" "+c.from.Place+" "+c.String()+" "+l.place.String()), " ")
		n, root := target(l.value), (*yaml.Node)(nil)
		for o, err := range objects.Read(c.from.Source, strings.NewReader(begin+text)) {
			p := new(objects.Problem)
			switch {
			case errors.Is(err, objects.ErrNotObject) || errors.Is(err, objects.ErrEmpty): // the name of a file, or prose
				continue
			case errors.As(err, &p):
				at := c.problem(l.place, p.Err.Error())
				if n != nil && n.Style&yaml.LiteralStyle != 0 {
					at.Line += p.Line - 1
				}
				c.omit(at, c.config != nil || c.named && l.inPatch)
				continue
			case n == nil: // in JSON
				o.Line, o.Root = 0, nil
			case n.Style&yaml.LiteralStyle != 0:
				o.Line += c.from.Line + n.Line - 2
			default:
				o.Line = c.from.Line + n.Line - 1
			}
			if o.Root != root { // not that of the item before
				root = o.Root
				flatten(root, n.Style&yaml.LiteralStyle == 0)
			}
			c.within, c.depth, c.command.agents = inner, c.depth+1, l.agent
			some = c.check(o) || some
			c.within, c.depth, c.command.agents = within, c.depth-1, false
		}
	}
	return some
}

// flatten removes the columns of a node, and its lines if oneLine is set.
func flatten(n *yaml.Node, oneLine bool) {
	if n.Column = 0; oneLine {
		n.Line, n.Style = 1, 0
	}
	for _, child := range n.Content {
		flatten(child, oneLine)
	}
}
