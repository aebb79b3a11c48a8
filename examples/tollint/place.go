package main

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/go-tolerate/tolerate/validate"
)

// An object is what the findings in it are told of.
type object struct{ apiVersion, kind, namespace, name string }

// String returns the object's kind and name, as far as it has them.
func (o object) String() string {
	name := o.name
	if o.namespace != "" {
		name = o.namespace + "/" + name
	}
	return strings.TrimSpace(o.kind + " " + name)
}

// A place is where a list of tolerations or taints stands.
type place struct {
	*document
	object object
	path   string     // in the object
	id     string     // in the document
	key    *yaml.Node // its name
	value  *yaml.Node // the list as it stands there, which may be an alias
	taints bool
	// core is set where Kubernetes itself, or Kueue, reads the list: a pod's, a
	// node's or a flavor's.
	core bool
	// shared is set when the list may stand in other places too, by an alias:
	// then it is not fixed.
	shared bool
}

// list returns the sequence, nil when there is none.
func (p *place) list() *yaml.Node {
	if n := target(p.value); n.Kind == yaml.SequenceNode {
		return n
	}
	return nil
}

// target returns what an alias stands for.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias // never an alias itself
	}
	return n
}

// A walk finds the places of a document.
type walk struct {
	*document
	places []*place
}

func (d *document) places() []*place {
	w := walk{document: d}
	w.object(d.root, "", false)
	return w.places
}

// object walks through an object, or a list of them.
func (w *walk) object(n *yaml.Node, id string, shared bool) {
	shared = shared || n.Anchor != ""
	if n.Kind == yaml.SequenceNode {
		w.items(n, id, shared)
		return
	}
	o := object{apiVersion: text(child(n, "apiVersion")), kind: text(child(n, "kind"))}
	if items := child(n, "items"); items != nil && items.Kind == yaml.SequenceNode && strings.HasSuffix(o.kind, "List") {
		w.items(items, id+".items", shared || items.Anchor != "")
		return
	}
	if strings.HasPrefix(o.apiVersion, "resource.k8s.io/") {
		return // the tolerations of devices are of another kind
	}
	if meta := child(n, "metadata"); meta != nil {
		o.name, o.namespace = text(child(meta, "name")), text(child(meta, "namespace"))
		if o.name == "" {
			o.name = text(child(meta, "generateName"))
		}
	}
	w.any(n, o, "", id, shared)
}

func (w *walk) items(n *yaml.Node, id string, shared bool) {
	for i, item := range n.Content {
		w.object(item, validate.Index(id, i), shared)
	}
}

// any walks through whatever an object holds. Aliases are not followed: what
// they stand for is met where it is.
func (w *walk) any(n *yaml.Node, o object, path, id string, shared bool) {
	shared = shared || n.Anchor != ""
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			w.any(item, o, validate.Index(path, i), validate.Index(id, i), shared)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			name := key.Value
			below := name
			if path != "" {
				below = path + "." + name
			}
			p := &place{document: w.document, object: o, path: below, id: id + "." + name, key: key, value: value, shared: shared}
			switch name {
			case "tolerations":
				// In a schema, containers and tolerations stand side by side too, and
				// neither is a list.
				containers := child(n, "containers")
				p.core = containers != nil && containers.Kind == yaml.SequenceNode || o.kind == "Pod" && path == "spec"
			case "taints", "startupTaints", "nodeTaints", "registerWithTaints":
				p.taints = true
				p.core = path == "spec" && (o.kind == "Node" || o.kind == "ResourceFlavor" && name == "nodeTaints")
			case "pattern", "anyPattern":
				if strings.HasPrefix(o.apiVersion, "kyverno.io/") {
					continue // what values are compared with
				}
				fallthrough
			default:
				w.any(value, o, below, p.id, shared)
				continue
			}
			p.shared = shared || value.Anchor != "" || value.Kind == yaml.AliasNode
			if p.relevant() {
				w.places = append(w.places, p)
			} else {
				w.any(value, o, below, p.id, shared)
			}
		}
	}
}

// relevant reports whether the place holds what it seems to hold. Where
// Kubernetes itself reads it, it must; elsewhere other things have the same name.
func (p *place) relevant() bool {
	n := target(p.value)
	if p.core {
		return n.Tag != "!!null"
	}
	if n.Kind != yaml.SequenceNode {
		return false
	}
	for _, item := range n.Content {
		item = target(item)
		if item.Kind == yaml.MappingNode && (child(item, "key") != nil || child(item, "operator") != nil || child(item, "effect") != nil) {
			return true
		}
	}
	return false
}

// child returns the value under a name in a mapping, nil when there is none.
func child(n *yaml.Node, name string) *yaml.Node {
	if n = target(n); n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; key.Kind == yaml.ScalarNode && key.Value == name {
			return target(n.Content[i+1])
		}
	}
	return nil
}

// text returns what a scalar says, "" when there is none.
func text(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}
