package main

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/go-tolerate/tolerate/toleration/admission"
)

// An object identifies an API object.
type object struct{ apiVersion, kind, namespace, name string }

// String returns the kind and the name, if the object has them.
func (o object) String() string {
	name := o.name
	if o.namespace != "" {
		name = o.namespace + "/" + name
	}
	return strings.TrimSpace(o.kind + " " + name)
}

// A place is where a list of tolerations or taints is.
type place struct {
	*document
	object object
	path   string     // in the object
	number int        // in the document
	json   any        // as Kubernetes reads it
	key    *yaml.Node // the name of the list
	value  *yaml.Node // the list, may be an alias
	taints bool
	// core means that Kubernetes itself, or Kueue, reads the list: it is that of a
	// pod, a node or a flavor.
	core bool
	// shared means that the list can be in several places, by an alias. Then it is
	// not fixed.
	shared bool
}

// flow reports whether the list has the form [a, b].
func (p *place) flow() bool { return target(p.value).Style&yaml.FlowStyle != 0 }

// target resolves an alias.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias // never an alias itself
	}
	return n
}

// A walk finds the places of a document.
type walk struct {
	*document
	places   []*place
	repeated []field // in mappings that are not elements
	manifest bool    // whether there is an object with a kind
	unsure   []unsure
	defaults []*place // annotations of namespaces with tolerations
}

func (d *document) walk() *walk {
	w := &walk{document: d}
	w.whole(d.value, d.root)
	w.object(d.value, d.root, false)
	return w
}

// object walks an object, or a list of objects. For kubectl, any object with items
// is a list.
func (w *walk) object(v any, n *yaml.Node, shared bool) {
	shared = shared || n.Kind == yaml.AliasNode || n.Anchor != ""
	if list, ok := v.([]any); ok {
		w.items(list, n, shared)
		return
	}
	fields, ok := w.fields(v, n, shared)
	if !ok {
		w.hole(v, n, "")
		return
	}
	o := object{apiVersion: text(v, "apiVersion"), kind: text(v, "kind")}
	meta, metaNode := child(v, "metadata"), written(n, "metadata")
	o.namespace, o.name = shown(meta, metaNode, "namespace"), shown(meta, metaNode, "name")
	if o.name == "" {
		o.name = shown(meta, metaNode, "generateName")
	}
	w.manifest = w.manifest || o.kind != ""
	for _, f := range fields {
		if list, ok := f.json.([]any); ok && f.name == "items" {
			w.items(list, f.value, f.shared)
		} else if f.name == "items" && w.hole(f.json, f.value, f.name) {
			continue
		} else if !strings.HasPrefix(o.apiVersion, "resource.k8s.io/") { // tolerations of devices are something else
			w.field(v, f, o, "")
		}
	}
}

func (w *walk) items(list []any, n *yaml.Node, shared bool) {
	nodes, found := items(list, n)
	for i, item := range list {
		w.object(item, nodes[i], shared || !found)
	}
}

// fields returns the fields of an object, and records duplicates.
func (w *walk) fields(v any, n *yaml.Node, shared bool) ([]field, bool) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	fields, repeated := w.document.fields(object, n, shared)
	w.repeated = append(w.repeated, repeated...)
	for _, f := range fields {
		w.hole(f.name, f.key, "key "+strconv.Quote(short(f.name)))
	}
	return fields, true
}

// any walks any value within an object.
func (w *walk) any(v any, n *yaml.Node, o object, path string, shared bool) {
	shared = shared || n.Kind == yaml.AliasNode || n.Anchor != ""
	if list, ok := v.([]any); ok {
		nodes, found := items(list, n)
		for i, item := range list {
			switch item.(type) {
			case map[string]any, []any:
				w.any(item, nodes[i], o, short(elementAt(path, i)), shared || !found)
			}
		}
		return
	}
	fields, _ := w.fields(v, n, shared)
	for _, f := range fields {
		w.field(v, f, o, path)
	}
}

// field walks one field of an object.
func (w *walk) field(parent any, f field, o object, path string) {
	below := short(f.name)
	if path != "" {
		below = short(path + "." + below)
	}
	p := &place{document: w.document, object: o, path: below, json: f.json, key: f.key, value: f.value, shared: f.shared}
	switch f.name {
	case "tolerations":
		// A schema can have both fields too, but neither is a list there.
		_, pod := child(parent, "containers").([]any)
		p.core = pod || o.kind == "Pod" && path == "spec"
	case admission.DefaultsAnnotation, admission.WhitelistAnnotation:
		w.defaults = append(w.defaults, p)
		return
	case "taints", "startupTaints", "nodeTaints", "registerWithTaints":
		p.taints = true
		p.core = path == "spec" && (o.kind == "Node" || o.kind == "ResourceFlavor" && f.name == "nodeTaints")
	case "pattern", "anyPattern":
		if strings.HasPrefix(o.apiVersion, "kyverno.io/") {
			return // patterns, not values
		}
		fallthrough
	default:
		if structural(p, f.name) {
			w.hole(p.json, p.value, p.path)
		}
		w.below(p)
		return
	}
	if p.relevant() {
		p.number = len(w.places)
		w.places = append(w.places, p)
	} else {
		if f.name == "tolerations" && !harmless(p) {
			w.unsure = append(w.unsure, unsure{p.value, p.path + ": not a list of tolerations"})
		}
		w.below(p)
	}
}

func (w *walk) below(p *place) {
	switch p.json.(type) {
	case map[string]any, []any:
		w.any(p.json, p.value, p.object, p.path, p.shared)
	}
}

// relevant reports whether the place has a list of tolerations or taints. It must
// if Kubernetes itself reads it; elsewhere the same name can mean something else.
func (p *place) relevant() bool {
	if p.core {
		return p.json != nil
	}
	list, _ := p.json.([]any)
	for _, item := range list {
		if object, ok := item.(map[string]any); ok {
			for _, name := range []string{"key", "operator", "effect"} {
				if _, ok := object[name]; ok {
					return true
				}
			}
		}
	}
	return false
}

// child returns the field of an object, nil if there is none.
func child(v any, name string) any {
	object, _ := v.(map[string]any)
	return object[name]
}

// text returns the field of an object if it is a string, else "".
func text(v any, name string) string {
	s, _ := child(v, name).(string)
	return short(s)
}

// maxPath limits names and paths, which are part of every finding.
const maxPath = 1000

// short returns the text, or only its end if it is long.
func short(s string) string {
	if len(s) <= maxPath {
		return s
	}
	return "…" + strings.ToValidUTF8(s[len(s)-maxPath/2:], "")
}

// shown returns the field of an object for output. If it is not a string, it has
// its original text.
func shown(v any, n *yaml.Node, name string) string {
	switch v := child(v, name).(type) {
	case nil:
		return ""
	case string:
		return short(v)
	}
	if value := written(n, name); value != nil {
		return short(target(value).Value)
	}
	return ""
}

// written returns the node of a field that is in the mapping itself, nil if there
// is none.
func written(n *yaml.Node, name string) *yaml.Node {
	if n == nil || target(n).Kind != yaml.MappingNode {
		return nil
	}
	for pairs := target(n).Content; len(pairs) > 1; pairs = pairs[2:] {
		if pairs[0].Kind == yaml.ScalarNode && pairs[0].Value == name {
			return pairs[1]
		}
	}
	return nil
}

// elementAt returns the path of element i of the list at path.
func elementAt(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
