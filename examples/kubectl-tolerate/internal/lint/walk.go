package lint

import (
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/go-tolerate/tolerate/toleration/admission"
)

// homes are the fields of an object that have its tolerations or taints, by group and
// kind. Elsewhere in such an object these lists have no effect.
var homes = map[string]string{
	"/Pod":                            "spec.tolerations",
	"/PodTemplate":                    "template.spec.tolerations",
	"/ReplicationController":          "spec.template.spec.tolerations",
	"apps/Deployment":                 "spec.template.spec.tolerations",
	"apps/ReplicaSet":                 "spec.template.spec.tolerations",
	"apps/StatefulSet":                "spec.template.spec.tolerations",
	"apps/DaemonSet":                  "spec.template.spec.tolerations",
	"batch/Job":                       "spec.template.spec.tolerations",
	"batch/CronJob":                   "spec.jobTemplate.spec.template.spec.tolerations",
	"/Node":                           "spec.taints",
	"machine.openshift.io/Machine":    "spec.taints",
	"machine.openshift.io/MachineSet": "spec.template.spec.taints",
	"kops.k8s.io/InstanceGroup":       "spec.taints",
}

// An object identifies an API object.
type object struct{ group, kind, namespace, name string }

func (o *object) String() string {
	name := o.name
	if o.namespace != "" {
		name = o.namespace + "/" + name
	}
	return strings.TrimSpace(o.kind + " " + name)
}

// A path is where a value is in its object. The zero Path is the object.
type path struct {
	above *path
	name  string // of a field, or empty
	index int    // in a list
}

func (p *path) String() string {
	if p.above == nil {
		return ""
	}
	above := p.above.String()
	switch {
	case p.name == "":
		above += "[" + strconv.Itoa(p.index) + "]"
	case above == "":
		above = p.name
	default:
		above += "." + p.name
	}
	return short(above)
}

// maxPath limits names and paths, which are part of every finding.
const maxPath = 1000

// short returns the text, or its end if it is long.
func short(s string) string {
	if len(s) <= maxPath {
		return s
	}
	return "…" + strings.ToValidUTF8(s[len(s)-maxPath/2:], "")
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

// A place is a list of tolerations or taints.
type place struct {
	field
	doc    *document
	object *object
	path   *path
	taints bool
	core   bool   // Kubernetes reads it, so it must be a list
	home   string // the path where the object has such a list, if not here
}

// A walk finds the places of a document.
type walk struct {
	doc      *document
	object   *object
	places   []*place
	repeated []field  // that have a later duplicate
	defaults []*place // annotations of namespaces with tolerations
	unsure   []unsure
	manifest bool // whether there is an object with a kind
}

// An unsure is what can add tolerations and cannot be read: a failure with a policy.
type unsure struct {
	at      *node
	message string
}

func (d *document) walk() *walk {
	w := &walk{doc: d}
	w.whole(d.value, d.root, false)
	return w
}

// whole walks an object, or a list of objects.
func (w *walk) whole(v any, n *node, shared bool) {
	switch v := v.(type) {
	case map[string]any:
		w.object = newObject(v)
		o := w.object
		w.manifest = w.manifest || o.kind != ""
		for _, f := range w.fields(v, n, shared) {
			if list, ok := v[f.name].([]any); ok && f.name == "items" {
				w.elements(list, f.value, f.shared, func(i int, v any, n *node, shared bool) { w.whole(v, n, shared) })
				w.object = o
			} else if o.group != "resource.k8s.io" { // tolerations of devices are something else
				w.field(f, new(path))
			}
		}
	case []any:
		w.elements(v, n, shared, func(i int, v any, n *node, shared bool) { w.whole(v, n, shared) })
	case nil:
	default:
		w.unsure = append(w.unsure, unsure{n, "not an object"})
	}
}

func newObject(v map[string]any) *object {
	text := func(v map[string]any, name string) string {
		s, _ := v[name].(string)
		return short(s)
	}
	group, _, found := strings.Cut(text(v, "apiVersion"), "/")
	if !found {
		group = ""
	}
	meta, _ := v["metadata"].(map[string]any)
	o := &object{group: group, kind: text(v, "kind"), namespace: text(meta, "namespace"), name: text(meta, "name")}
	if o.name == "" {
		o.name = text(meta, "generateName")
	}
	return o
}

// value walks any value within an object.
func (w *walk) value(v any, n *node, p *path, shared bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, f := range w.fields(v, n, shared) {
			w.field(f, p)
		}
	case []any:
		w.elements(v, n, shared, func(i int, v any, n *node, shared bool) {
			w.value(v, n, &path{above: p, index: i}, shared)
		})
	}
}

// field walks one field of an object.
func (w *walk) field(f field, above *path) {
	v := f.parent[f.name]
	p := &place{field: f, doc: w.doc, object: w.object, path: &path{above: above, name: short(f.name)}}
	if templated(f.name) {
		w.unsure = append(w.unsure, unsure{f.key, "a template as a field name"})
	}
	switch f.name {
	case "tolerations":
	case "taints", "startupTaints", "nodeTaints", "registerWithTaints":
		p.taints = true
	case admission.DefaultsAnnotation, admission.WhitelistAnnotation:
		w.defaults = append(w.defaults, p)
		return
	case "pattern", "anyPattern":
		if w.object.group == "kyverno.io" {
			return // patterns, not values
		}
		fallthrough
	default:
		if s, ok := v.(string); ok && templated(s) && structural[f.name] {
			w.unsure = append(w.unsure, unsure{f.value, p.path.String() + ": a template"})
		}
		w.value(v, f.value, p.path, f.shared)
		return
	}
	home, known := homes[w.object.group+"/"+w.object.kind]
	here := p.path.String()
	list, isList := v.([]any)
	_, containers := f.parent["containers"].([]any)
	p.core = known && here == home || !p.taints && containers
	switch {
	case known && here != home && len(list) > 0 && !strings.Contains(here, "providerSpec."):
		p.home = home
	case w.object.kind == "ResourceFlavor":
		p.core = true
	}
	if v != nil && p.core || relevant(v) {
		w.places = append(w.places, p)
		return
	}
	_, text := v.(string)
	if !p.taints && (text || isList && slices.ContainsFunc(list, func(e any) bool { _, object := e.(map[string]any); return !object })) {
		w.unsure = append(w.unsure, unsure{f.value, here + ": not a list of tolerations"})
	}
	w.value(v, f.value, p.path, f.shared)
}

// structural are fields that contain tolerations, or the annotations of a namespace.
var structural = map[string]bool{"spec": true, "jobTemplate": true, "template": true, "items": true, "metadata": true, "annotations": true}

// relevant reports whether a value is a list of tolerations or taints.
func relevant(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 0 || slices.ContainsFunc(list, func(e any) bool {
		object, _ := e.(map[string]any)
		return object["key"] != nil || object["operator"] != nil || object["effect"] != nil
	})
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

// fields returns the fields of an object in the order of their names. A field that is
// not found in the syntax, such as one with the key 0x1, has the nodes of the object.
func (w *walk) fields(object map[string]any, n *node, shared bool) []field {
	shared = shared || n.Kind == yamlv3.AliasNode || n.Anchor != ""
	found := make(map[string]field, len(object))
	own := make(map[string]bool)
	var collect func(m *node, merged bool)
	collect = func(m *node, merged bool) {
		if m.Kind == yamlv3.SequenceNode {
			for _, from := range m.Content {
				collect(target(from), true)
			}
			return
		}
		for pairs := m.Content; m.Kind == yamlv3.MappingNode && len(pairs) > 1; pairs = pairs[2:] {
			key, value := pairs[0], pairs[1]
			name := target(key).Value
			if key.Tag == "!!merge" {
				shared = true // a merged field can replace others
				collect(target(value), true)
			} else if _, ok := object[name]; ok && (!merged || !own[name]) {
				f := field{name, object, key, value, merged || key.Kind != yamlv3.ScalarNode || key.Anchor != "" || key.Style&yamlv3.TaggedStyle != 0}
				if !merged && own[name] {
					w.repeated = append(w.repeated, f)
				}
				found[name], own[name] = f, own[name] || !merged
			}
		}
	}
	collect(target(n), false)
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	list := make([]field, len(names))
	for i, name := range names {
		f, ok := found[name]
		if !ok {
			at := &node{Line: n.Line, Column: n.Column}
			f = field{name, object, at, at, true}
		}
		f.shared = f.shared || shared || f.value.Kind == yamlv3.AliasNode || f.value.Anchor != ""
		list[i] = f
	}
	return list
}

// elements yields the elements of a list. One that is not found in the syntax has the
// position of the list.
func (w *walk) elements(list []any, n *node, shared bool, yield func(i int, v any, n *node, shared bool)) {
	nodes := target(n).Content
	lost := target(n).Kind != yamlv3.SequenceNode || len(nodes) != len(list)
	shared = shared || lost || n.Kind == yamlv3.AliasNode || n.Anchor != ""
	for i, v := range list {
		at := &node{Line: n.Line, Column: n.Column}
		if !lost {
			at = nodes[i]
		}
		yield(i, v, at, shared || at.Kind == yamlv3.AliasNode || at.Anchor != "")
	}
}
