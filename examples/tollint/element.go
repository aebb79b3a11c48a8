package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	k8syaml "sigs.k8s.io/yaml"
)

// A field is what a mapping has under one name.
type field struct {
	name       string
	key, value *yaml.Node
	// shared is set when it stands elsewhere, behind an alias.
	shared bool
}

var (
	// errTemplate is met where a template would fill in something.
	errTemplate = errors.New("a template")
	errSize     = errors.New("aliases stand for too much")
)

// maxNodes is how many nodes an element of a list may have, aliases followed.
// It keeps a few lines from standing for more than there is memory.
const maxNodes = 10_000

// An element is one toleration or taint as it is written.
type element struct {
	node   *yaml.Node // what stands in the list, which may be an alias
	shared bool
	fields []field // of a mapping
	json   []byte  // what Kubernetes is given
}

// directive reports whether the element is no toleration but tells how a
// strategic merge patch, such as kustomize's, is to be applied.
func (e *element) directive() bool { return len(e.fields) == 1 && e.fields[0].name == "$patch" }

// newElement reads an element of a list.
func newElement(n *yaml.Node, shared bool, known resolved) (element, error) {
	e := element{node: n, shared: shared || n.Kind == yaml.AliasNode || n.Anchor != ""}
	w := jsonWriter{known: known}
	if m := target(n); m.Kind == yaml.MappingNode {
		fields, err := w.fields(m, e.shared, 0)
		if err != nil {
			return e, err
		}
		e.fields = fields
	}
	err := w.write(n, 0)
	e.json = w.Bytes()
	return e, err
}

// find returns the last field of that name.
func (e *element) find(name string) (f field, ok bool) {
	for _, g := range e.fields {
		if g.name == name {
			f, ok = g, true
		}
	}
	return f, ok
}

// A jsonWriter writes nodes as the JSON that Kubernetes is given for them. What
// is written twice stays twice.
type jsonWriter struct {
	bytes.Buffer
	known resolved
	nodes int
}

const maxDepth = 64 // of aliases and values in one element

func (w *jsonWriter) count(depth int) error {
	if w.nodes++; w.nodes > maxNodes || depth > maxDepth {
		return errSize
	}
	return nil
}

// fields returns the fields of a mapping, those of mappings that are merged into
// it behind its own.
func (w *jsonWriter) fields(n *yaml.Node, shared bool, depth int) (fields []field, err error) {
	if err := w.count(depth); err != nil {
		return nil, err
	}
	own := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind == yaml.ScalarNode && key.Tag == "!!merge":
			continue
		case key.Kind != yaml.ScalarNode: // {{ .Values.x }} is a mapping in a mapping
			return nil, errTemplate
		}
		own[key.Value] = true
		fields = append(fields, field{key.Value, key, value, shared || value.Kind == yaml.AliasNode || value.Anchor != ""})
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			continue
		}
		from := []*yaml.Node{n.Content[i+1]}
		if list := target(from[0]); list.Kind == yaml.SequenceNode {
			from = list.Content
		}
		for _, m := range from {
			if m = target(m); m.Kind != yaml.MappingNode {
				continue
			}
			merged, err := w.fields(m, true, depth+1)
			if err != nil {
				return nil, err
			}
			for _, f := range merged {
				if !own[f.name] {
					own[f.name] = true
					fields = append(fields, f)
				}
			}
		}
	}
	return fields, nil
}

func (w *jsonWriter) write(n *yaml.Node, depth int) error {
	if err := w.count(depth); err != nil {
		return err
	}
	switch n = target(n); n.Kind {
	case yaml.MappingNode:
		fields, err := w.fields(n, false, depth)
		if err != nil {
			return err
		}
		w.WriteByte('{')
		for i, f := range fields {
			if i > 0 {
				w.WriteByte(',')
			}
			w.string(f.name)
			w.WriteByte(':')
			if n, ok := wholeNumber(target(f.value)); ok && f.name == "tolerationSeconds" {
				w.WriteString(strconv.FormatInt(n, 10))
			} else if err := w.write(f.value, depth+1); err != nil {
				return err
			}
		}
		w.WriteByte('}')
	case yaml.SequenceNode:
		w.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				w.WriteByte(',')
			}
			if err := w.write(item, depth+1); err != nil {
				return err
			}
		}
		w.WriteByte(']')
	default:
		return w.scalar(n)
	}
	return nil
}

func (w *jsonWriter) scalar(n *yaml.Node) error {
	if strings.Contains(n.Value, braces) || strings.Contains(n.Value, "${") {
		return errTemplate
	}
	if n.Style == 0 || n.Style&yaml.TaggedStyle != 0 {
		w.Write(w.known.plain(n))
		return nil
	}
	w.string(n.Value)
	return nil
}

// A resolved holds the JSON of scalars without quotes that were met, since most
// are met again and again.
type resolved map[string][]byte

func (r resolved) plain(n *yaml.Node) []byte {
	if n.Style != 0 {
		return plain(n)
	}
	known, ok := r[n.Value]
	if !ok {
		known = plain(n)
		r[n.Value] = known
	}
	return known
}

// plain returns the JSON of a scalar without quotes, as Kubernetes' tools see
// it: for them yes and 0x1F are no strings, though for YAML 1.2 they are.
func plain(n *yaml.Node) []byte {
	text := n.Value
	if n.Style&yaml.TaggedStyle != 0 {
		text = n.Tag + " " + strconv.Quote(n.Value)
	}
	const before, after = `{"v":`, `}`
	out, err := k8syaml.YAMLToJSON([]byte("v: " + text))
	if err != nil || strings.ContainsAny(text, "\r\n") || !bytes.HasPrefix(out, []byte(before)) {
		return quoteJSON(n.Value) // of several lines, or in no other way a simple value
	}
	out = bytes.TrimSuffix(out[len(before):], []byte(after))
	if out[0] == '"' || out[0] == 'n' || !json.Valid([]byte(n.Value)) {
		return out
	}
	return []byte(n.Value) // as it was written: 1.0 is not 1
}

// wholeNumber returns the whole number that is written with a point or an
// exponent, such as 300.0 or 3e2: Kubernetes' tools make it one.
func wholeNumber(n *yaml.Node) (int64, bool) {
	const exact = 1 << 53
	if n.Kind != yaml.ScalarNode || n.Style != 0 || !strings.ContainsAny(n.Value, ".eE") || !json.Valid([]byte(n.Value)) {
		return 0, false
	}
	x, err := strconv.ParseFloat(n.Value, 64)
	return int64(x), err == nil && x == math.Trunc(x) && math.Abs(x) < exact
}

func (w *jsonWriter) string(s string) { w.Write(quoteJSON(s)) }

func quoteJSON(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`) // not reached: strings have JSON
	}
	return b
}
