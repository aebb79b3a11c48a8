package lint

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

const template = "spec.template.spec.tolerations"

// homes are the fields of objects that have their tolerations or taints, by group and
// kind. Elsewhere in such an object these lists have no effect.
var homes = map[string]string{
	"/Pod": "spec.tolerations", "/PodTemplate": "template.spec.tolerations", "/ReplicationController": template,
	"apps/Deployment": template, "apps/ReplicaSet": template, "apps/StatefulSet": template, "apps/DaemonSet": template,
	"batch/Job": template, "batch/CronJob": "spec.jobTemplate." + template,
	"/Node": "spec.taints", "kops.k8s.io/InstanceGroup": "spec.taints",
	"machine.openshift.io/Machine": "spec.taints", "machine.openshift.io/MachineSet": "spec.template.spec.taints",
}

// An object identifies an API object.
type object struct {
	group, kind, name string
	agent             bool // a DaemonSet, or a pod that a DaemonSet or a kubelet controls
}

func newObject(v map[string]any) *object {
	u := unstructured.Unstructured{Object: v}
	name := cmp.Or(u.GetName(), u.GetGenerateName())
	if namespace := u.GetNamespace(); namespace != "" {
		name = namespace + "/" + name
	}
	group, _, found := strings.Cut(u.GetAPIVersion(), "/")
	if !found {
		group = ""
	}
	agent := u.GetKind() == "DaemonSet"
	if owner := metav1.GetControllerOfNoCopy(&u); owner != nil && u.GetKind() == "Pod" {
		agent = owner.Kind == "DaemonSet" || owner.Kind == "Node"
	}
	return &object{short(group), short(u.GetKind()), short(name), agent}
}

func (o *object) String() string { return strings.TrimSpace(o.kind + " " + o.name) }

// A path returns where a value is in its object.
type path func() string

func (p path) field(name string) path {
	return func() string { return short(strings.TrimPrefix(p()+"."+name, ".")) }
}

func (p path) element(i int) path {
	return func() string { return p() + "[" + strconv.Itoa(i) + "]" }
}

// short returns the text, or its end if it is long: it is part of every finding.
func short(s string) string {
	const limit = 1000
	if len(s) <= limit {
		return s
	}
	return "…" + strings.ToValidUTF8(s[len(s)-limit/2:], "")
}

// A field is a field of an object.
type field struct {
	name       string
	parent     map[string]any
	key, value *node
	// shared means that it is not changed: it is behind an alias, or was not found in the
	// syntax. Then the nodes are those around it.
	shared bool
}

// A list is a list of tolerations or taints. An invalid element is a zero value in these.
type list struct {
	field
	object      *object
	path        path
	isTaints    bool
	home        string // the path where the object has such a list, if not here
	values      []any
	elements    []element
	tolerations toleration.List
	taints      taint.List
	number      int // in the file
	found       int // findings
	invalids    int // of the rule invalid
}

// element returns the path of an element.
func (l *list) element(i int) string { return l.path() + "[" + strconv.Itoa(i) + "]" }

type element struct {
	fields  []field // of an object, in the order of the text
	node    *node
	shared  bool
	ignores map[string]bool // once it is known
}

func (e *element) find(name string) (f field, ok bool) {
	for _, f := range e.fields {
		if f.name == name {
			return f, true
		}
	}
	return f, false
}

// A walk finds the lists of a document.
type walk struct {
	object   *object
	lists    []*list
	repeated []field // that have a later duplicate
	defaults []*list // annotations of namespaces with tolerations
	unsure   []note  // what can add tolerations and cannot be read: a failure with a policy
	manifest bool    // whether there is an object with a kind, or a list
}

func (w *walk) doubt(n *node, message string) {
	w.unsure = append(w.unsure, note{Line: n.Line, Message: message})
}

// whole walks an object, or a list of objects.
func (w *walk) whole(v any, n *node, shared bool) {
	each := func(_ int, v any, n *node, shared bool) { w.whole(v, n, shared) }
	switch v := v.(type) {
	case map[string]any:
		o := newObject(v)
		w.manifest = w.manifest || o.kind != ""
		for _, f := range w.fields(v, n, shared) {
			w.object = o
			if list, ok := v[f.name].([]any); ok && f.name == "items" {
				w.each(list, f.value, f.shared, each)
			} else if o.group != "resource.k8s.io" || f.name == "items" { // tolerations of devices are something else
				w.field(f, func() string { return "" })
			}
		}
	case []any:
		w.each(v, n, shared, each)
	case nil:
	default:
		w.doubt(n, "not an object")
	}
}

// value walks any value within an object.
func (w *walk) value(v any, n *node, p path, shared bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, f := range w.fields(v, n, shared) {
			w.field(f, p)
		}
	case []any:
		w.each(v, n, shared, func(i int, v any, n *node, shared bool) { w.value(v, n, p.element(i), shared) })
	}
}

// structural are fields that contain tolerations, or the annotations of a namespace.
var structural = map[string]bool{"spec": true, "jobTemplate": true, "template": true, "items": true, "metadata": true, "annotations": true}

// field walks one field of an object.
func (w *walk) field(f field, above path) {
	v := f.parent[f.name]
	l := &list{field: f, object: w.object, path: above.field(f.name)}
	if templated(f.name) {
		w.doubt(f.key, "a template as a field name")
	}
	switch f.name {
	case "tolerations":
	case "taints", "startupTaints", "nodeTaints", "registerWithTaints":
		l.isTaints = true
	case admission.DefaultsAnnotation, admission.WhitelistAnnotation:
		w.defaults = append(w.defaults, l)
		return
	default:
		if s, ok := v.(string); ok && templated(s) && structural[f.name] && w.object.group != "argoproj.io" { // names of Argo's steps
			w.doubt(f.value, l.path()+": a template")
		}
		if f.name != "pattern" && f.name != "anyPattern" || w.object.group != "kyverno.io" { // these are not values
			w.value(v, f.value, l.path, f.shared)
		}
		return
	}
	home, known := homes[w.object.group+"/"+w.object.kind]
	here := l.path()
	_, containers := f.parent["containers"].([]any)
	values, isList := v.([]any)
	if known && here != home && len(values) > 0 && !strings.Contains(here, "providerSpec.") {
		l.home = home
	}
	isObject := func(v any) bool { _, ok := v.(map[string]any); return ok }
	_, text := v.(string)
	switch read := here == home || !l.isTaints && containers || w.object.kind == "ResourceFlavor"; {
	case v != nil && read, isList && len(values) == 0, slices.ContainsFunc(values, func(v any) bool { return isElement(v) || l.isTaints && isText(v) }):
		l.values = values
		w.lists = append(w.lists, l)
		w.manifest = true
		return
	case !l.isTaints && (text || !slices.ContainsFunc(values, isObject) && len(values) > 0 || isObject(v) && !strings.Contains(here, "properties.")):
		w.doubt(f.value, here+": not a list of tolerations")
	}
	w.value(v, f.value, l.path, f.shared)
}

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

// target resolves an alias.
func target(n *node) *node {
	if n.Kind == yamlv3.AliasNode {
		return n.Alias
	}
	return n
}

// shares reports whether the node can be in several places.
func shares(n *node) bool { return n.Kind == yamlv3.AliasNode || n.Anchor != "" }

// fields returns the fields of an object by name. One that is not found in the syntax,
// such as one that is merged or has the key 0x1, has the position of the object.
func (w *walk) fields(object map[string]any, n *node, shared bool) (list []field) {
	shared = shared || shares(n)
	found := make(map[string]field)
	for i, m := 0, target(n); m.Kind == yamlv3.MappingNode && i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		name := target(key).Value
		f := field{name, object, key, value, shares(key) || shares(value) || key.Style&yamlv3.TaggedStyle != 0}
		if _, ok := object[name]; key.Tag == "!!merge" {
			shared = true // a merged field can replace others
		} else if _, again := found[name]; ok {
			if found[name] = f; again {
				w.repeated = append(w.repeated, f)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		f, ok := found[name]
		if !ok {
			at := &node{Line: n.Line, Column: n.Column}
			f = field{name, object, at, at, true}
		}
		f.shared = f.shared || shared
		list = append(list, f)
	}
	return list
}

// each yields the elements of a list. One that is not found in the syntax has the position
// of the list.
func (w *walk) each(list []any, n *node, shared bool, yield func(i int, v any, n *node, shared bool)) {
	nodes := target(n).Content
	lost := target(n).Kind != yamlv3.SequenceNode || len(nodes) != len(list)
	for i, v := range list {
		at := &node{Line: n.Line, Column: n.Column}
		if !lost {
			at = nodes[i]
		}
		yield(i, v, at, shared || lost || shares(n) || shares(at))
	}
}
