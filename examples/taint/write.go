package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	indent = "    " // kubectl's
	nested = indent + indent
)

// writeNodes writes the nodes as one List. It writes all or, when a node
// cannot be written, nothing.
func writeNodes(w io.Writer, c *cluster, only bool) error {
	nodes := c.nodes
	if only {
		nodes = c.chosen
	}
	var b bytes.Buffer
	b.WriteString("{\n" + indent + `"apiVersion": "v1",` + "\n" + indent + `"items": [`)
	for i, n := range nodes {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + nested)
		raw, err := n.edited()
		if err == nil {
			err = json.Indent(&b, raw, nested, indent)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", n.where.Object, err)
		}
	}
	b.WriteString("\n" + indent + "],\n" + indent + `"kind": "List"` + "\n}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// edited returns the node's JSON with its new taints, and everything else as
// it was written, except for white space. An item of a list that leaves its kind
// to the list gets one.
func (n *node) edited() ([]byte, error) {
	raw, err := n.withTaints()
	if err != nil {
		return nil, err
	}
	for _, m := range []struct{ name, value string }{{"kind", `"Node"`}, {"apiVersion", `"v1"`}} {
		if at, err := find(raw, m.name); err != nil {
			return nil, err
		} else if !at.found || isNull(raw[at.start:at.end]) {
			raw = at.replace(raw, m.name, []byte(m.value))
		}
	}
	return raw, nil
}

func isNull(value []byte) bool { return string(value) == "null" }

func (n *node) withTaints() ([]byte, error) {
	if slices.Equal(n.before.Taints, n.after.Taints) {
		return n.raw, nil
	}
	spec, err := find(n.raw, "spec")
	if err != nil {
		return nil, err
	}
	if !spec.found || isNull(n.raw[spec.start:spec.end]) {
		list, err := taintsJSON(n, nil)
		return spec.replace(n.raw, "spec", slices.Concat([]byte(`{"taints":`), list, []byte("}"))), err
	}
	inner := n.raw[spec.start:spec.end]
	taints, err := find(inner, "taints")
	if err != nil {
		return nil, err
	}
	list, err := taintsJSON(n, inner[taints.start:taints.end])
	if err != nil {
		return nil, err
	}
	return spec.replace(n.raw, "spec", taints.replace(inner, "taints", list)), nil
}

// taintsJSON returns the list of the node's new taints. A taint that is in old
// stays verbatim.
func taintsJSON(n *node, old []byte) ([]byte, error) {
	var elements []json.RawMessage
	if len(old) > 0 {
		if err := json.Unmarshal(old, &elements); err != nil {
			return nil, err
		}
	}
	if len(elements) != len(n.before.Taints) {
		return nil, fmt.Errorf("spec.taints: %d elements for %d taints", len(elements), len(n.before.Taints))
	}
	b := []byte{'['}
	for i, t := range n.after.Taints {
		if i > 0 {
			b = append(b, ',')
		}
		if at := slices.Index(n.before.Taints, t); at >= 0 {
			b = append(b, elements[at]...)
		} else {
			b = t.AppendJSON(b)
		}
	}
	return append(b, ']'), nil
}

// A place is where the value of an object's member is in its JSON, or
// where the member may be put when there is none.
type place struct {
	start, end int
	found      bool
	empty      bool // the object has no members at all
}

// find returns the place of the member's value in an object, of the last
// member when there are several, as that one counts.
func find(object []byte, name string) (place, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return place{}, errors.Join(errors.New("no object"), err)
	}
	p := place{start: int(d.InputOffset()), empty: true}
	p.end = p.start
	for d.More() {
		p.empty = false
		key, err := d.Token()
		if err != nil {
			return place{}, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return place{}, err
		}
		if key == name {
			p.end = int(d.InputOffset())
			p.start = p.end - len(value)
			p.found = true
		}
	}
	return p, nil
}

// replace returns the object with that value for the member, which comes first
// when it is new.
func (p place) replace(object []byte, name string, value []byte) []byte {
	if !p.found {
		value = slices.Concat([]byte(`"`+name+`":`), value)
		if !p.empty {
			value = append(value, ',')
		}
	}
	return slices.Concat(object[:p.start], value, object[p.end:])
}
