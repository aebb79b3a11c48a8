package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
	k8syaml "sigs.k8s.io/yaml"
)

func sizeAt(n *yaml.Node) error {
	return fmt.Errorf("line %d: the expansion of aliases is too large", n.Line)
}

// load returns the document of the part, nil if there is none.
func (p part) load() (*document, error) {
	root, err := p.tree()
	if root == nil || err != nil {
		return nil, err
	}
	d := &document{base: p.base, part: p.lines, root: root}
	if err := bounded(root); err != nil {
		return nil, err
	}
	data := p.json
	if data == nil {
		if data, d.ambiguous, err = convert(p.text); err != nil {
			return nil, err
		}
	}
	values := json.NewDecoder(bytes.NewReader(data))
	values.UseNumber() // a float64 does not hold all seconds exactly
	return d, values.Decode(&d.value)
}

// tree returns the syntax tree of the part.
func (p part) tree() (root *yaml.Node, err error) {
	defer recovered(&err)
	loader, err := yaml.NewLoader(strings.NewReader(p.text), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxNesting))))
	if err != nil {
		return nil, err
	}
	for {
		var n yaml.Node
		switch err := loader.Load(&n); {
		case errors.Is(err, io.EOF):
			return root, nil
		case err != nil:
			return nil, err
		case root != nil:
			return nil, fmt.Errorf("line %d: another document without a line --- before it", n.Line)
		}
		root = &n
		if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
			root = root.Content[0]
		}
	}
}

// recovered turns a panic of the YAML library into an error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the YAML library failed: %v", r)
	}
}

// convert converts YAML to JSON as kubectl does. If the strict form of the
// conversion rejects the text, ambiguous is its error.
func convert(text string) (data []byte, ambiguous, err error) {
	defer recovered(&err)
	data, err = k8syaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		ambiguous = err
		data, err = k8syaml.YAMLToJSON([]byte(text))
	}
	return data, ambiguous, err
}

// A weight is the size of a node with its aliases resolved.
type weight struct {
	cost, depth int
	open        bool // weighing is in progress
}

const (
	nodeCost = 64       // of a node without its text
	maxExtra = 16 << 20 // what aliases can add
)

// bounded returns an error if the tree is too large, or infinite, with its aliases
// resolved.
func bounded(root *yaml.Node) error {
	anchored := make(map[*yaml.Node]*weight)
	written := 0
	var weigh func(n *yaml.Node) (weight, error)
	weigh = func(n *yaml.Node) (weight, error) {
		if n.Kind == yaml.AliasNode && n.Alias != nil {
			w := anchored[n.Alias]
			if w == nil || w.open {
				return weight{}, sizeAt(n)
			}
			return *w, nil
		}
		var w weight
		if n.Anchor != "" {
			anchored[n] = &weight{open: true}
		}
		w.cost = nodeCost + len(n.Value)
		written += w.cost
		for _, child := range n.Content {
			below, err := weigh(child)
			if err != nil {
				return w, err
			}
			w.cost += below.cost
			w.depth = max(w.depth, below.depth+1)
			if w.cost > written+maxExtra {
				return w, sizeAt(child)
			}
		}
		if w.depth > maxNesting {
			return w, fmt.Errorf("line %d: more than %d levels, aliases followed", n.Line, maxNesting)
		}
		if n.Anchor != "" {
			anchored[n] = &w
		}
		return w, nil
	}
	_, err := weigh(root)
	return err
}

// conversions maps the text of a key to its name, if they differ.
type conversions map[string]string

// maxConversions is how many different keys of a document are converted. The
// findings at other keys have the position of the mapping. Tests reduce it.
var maxConversions = 10_000

// nameOf returns the name of the key in the mapping.
func (d *document) nameOf(key *yaml.Node, object map[string]any) (string, bool) {
	key = target(key)
	if key.Kind != yaml.ScalarNode {
		return "", false
	}
	if _, ok := object[key.Value]; ok {
		return key.Value, true
	}
	text := strconv.Quote(key.Value)
	if key.Style&yaml.TaggedStyle != 0 {
		text = key.Tag + " " + text
	} else if key.Style == 0 {
		text = key.Value
	}
	name, ok := d.conversions[text]
	if !ok && len(d.conversions) < maxConversions {
		if d.conversions == nil {
			d.conversions = make(conversions)
		}
		name = converted(text)
		d.conversions[text] = name
	}
	_, ok = object[name]
	return name, ok
}

// converted returns the name of a key.
func converted(text string) string {
	data, _, err := convert("{? " + text + " : 0}")
	var object map[string]any
	if err != nil || json.Unmarshal(data, &object) != nil {
		return ""
	}
	for name := range object {
		return name
	}
	return ""
}

// A field is a field of a mapping.
type field struct {
	name       string
	json       any        // as Kubernetes reads it
	key, value *yaml.Node // empty, with the position of the mapping, if not found
	// shared means that it must not be changed: it is behind an alias, or has an
	// unusual syntax.
	shared bool
	own    bool // it is in the mapping itself, and not merged
}

// fields returns the fields of an object, whose node is n, in order, and those
// that have a later duplicate.
func (d *document) fields(object map[string]any, n *yaml.Node, shared bool) (fields, repeated []field) {
	at := make(map[string]int, len(object))
	set := func(f field) {
		i, there := at[f.name]
		switch {
		case !there:
			at[f.name] = len(fields)
			fields = append(fields, f)
			return
		case fields[i].own && f.own:
			repeated = append(repeated, fields[i])
		}
		fields[i] = f // the last one is used, even if it is merged
	}
	var collect func(m *yaml.Node, own, shared bool)
	collect = func(m *yaml.Node, own, shared bool) {
		if m.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(m.Content); i += 2 {
			key, value := m.Content[i], m.Content[i+1]
			if !merges(key) {
				if name, ok := d.nameOf(key, object); ok {
					hidden := shared || !quotedOrPlain(key) || value.Kind == yaml.AliasNode || value.Anchor != ""
					set(field{name, object[name], key, value, hidden, own})
				}
				continue
			}
			from := []*yaml.Node{value}
			if value.Kind == yaml.SequenceNode {
				from = value.Content
			}
			for j := len(from) - 1; j >= 0; j-- { // the first one is used
				collect(target(from[j]), false, true)
			}
		}
	}
	collect(target(n), true, shared)
	for _, name := range sortedKeys(object) {
		if _, there := at[name]; !there {
			at := elsewhere(n)
			fields = append(fields, field{name, object[name], at, at, true, false})
		}
	}
	return fields, repeated
}

// elsewhere returns an empty node with the position of n, for something within n.
// To search n for each part would take quadratic time.
func elsewhere(n *yaml.Node) *yaml.Node { return &yaml.Node{Line: n.Line, Column: n.Column} }

// merges reports whether the key is a merge key.
func merges(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && (key.Style == 0 || key.Tag == "!!merge")
}

// quotedOrPlain reports whether the node is a scalar without tag and anchor.
func quotedOrPlain(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Anchor == "" && n.Style&yaml.TaggedStyle == 0
}

// items returns the nodes of the elements of a list. If they are not found, each
// has the position of the list.
func items(list []any, n *yaml.Node) (nodes []*yaml.Node, found bool) {
	if m := target(n); m.Kind == yaml.SequenceNode && len(m.Content) == len(list) {
		return m.Content, true
	}
	at := elsewhere(n)
	nodes = make([]*yaml.Node, len(list))
	for i := range nodes {
		nodes[i] = at
	}
	return nodes, false
}
