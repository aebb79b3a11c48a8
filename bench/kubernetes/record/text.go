package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	taintutils "k8s.io/kubernetes/pkg/util/taints"
	kjson "sigs.k8s.io/json"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// An object is the members of a JSON object, in order: their names and their values' text.
type object [][2]string

func (o *object) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, _ := dec.Token(); open != json.Delim('{') {
		return errors.New("no object")
	}
	for dec.More() {
		name, _ := dec.Token() // data is valid
		var value json.RawMessage
		must(dec.Decode(&value))
		*o = append(*o, [2]string{name.(string), string(value)})
	}
	return nil
}

// withoutOverruled returns the text of a list without the values that
// K4-overruled ignores: those of a wrong type before another value of the same
// name. A null replaces only the value that it unsets. If the text is not a list, the
// result is empty.
func withoutOverruled[A any](text, unset string) string {
	var list []object
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return ""
	}
	var objects []string
	for _, o := range list {
		var parts []string
		for i, f := range o {
			part := strconv.Quote(f[0]) + ":" + f[1]
			overruled := slices.ContainsFunc(o[i+1:], func(l [2]string) bool { return l[0] == f[0] && (l[1] != "null" || l[0] == unset) })
			if _, err := kjson.UnmarshalStrict([]byte("{"+part+"}"), new(A)); !overruled || err == nil {
				parts = append(parts, part)
			}
		}
		objects = append(objects, "{"+strings.Join(parts, ",")+"}")
	}
	return "[" + strings.Join(objects, ",") + "]"
}

// decoded completes a case. read converts a list, and reports whether it is valid. If the
// field unset is null, it is absent.
func decoded[A, T any](c recorded.Decode[T], unset string, read func(list []A) ([]T, bool)) recorded.Decode[T] {
	var list []A
	strict, err := kjson.UnmarshalStrict([]byte(c.Text), &list)
	overruled := err != nil
	if overruled {
		_, err = kjson.UnmarshalStrict([]byte(withoutOverruled[A](c.Text, unset)), &list)
	}
	all, valid := read(list)
	switch {
	case err != nil || !valid:
	case overruled:
		c.Ours, c.Differences = all, []string{"K4-overruled"}
	default:
		c.List, c.Accepted, c.Strict = all, true, len(strict) == 0
	}
	return c
}

func decodedTolerations(c recorded.Decode[toleration]) any {
	return decoded(c, "tolerationSeconds", func(list []corev1.Toleration) ([]toleration, bool) {
		read := recordable(list)
		return read, len(upstream.TolerationErrors(internal(read), path, true)) == 0
	})
}

func decodedTaints(c recorded.Decode[taint]) any {
	c = decoded(c, "timeAdded", func(list []corev1.Taint) ([]taint, bool) {
		read := fromTaints(list)
		return read, len(taintErrors(read)) == 0
	})
	for i, t := range c.List {
		switch {
		case t.TimeAdded == zeroTime:
			if c.Ours == nil {
				c.Ours, c.Differences = slices.Clone(c.List), []string{"V6-zero-time"}
			}
			c.Ours[i].TimeAdded = ""
		case strings.HasPrefix(t.TimeAdded, "0000"):
			c.Ours, c.Differences = nil, []string{"V6-years"} // the library rejects the list
			return c
		}
	}
	return c
}

// zeroTime is the zero time as it is written.
const zeroTime = "0001-01-01T00:00:00Z"

func parsed(c recorded.Parse) any {
	add, remove, err := taintutils.ParseTaints([]string{c.Text})
	switch {
	case err == nil && len(remove) > 0:
		c.Differences = []string{"K1-edits"}
	case err == nil:
		c.Taint = &fromTaints(add)[0]
	}
	return c
}

func edited(c recorded.Edit) any {
	if len(c.Args) == 0 {
		c.Differences = []string{"K2-none"}
		return c
	}
	e, err := upstream.ParseEdit(c.Overwrite, c.Args...)
	if err != nil {
		return c
	}
	after, outcome, err := e.Apply(apiTaints(c.Node))
	if err != nil {
		return c
	}
	c.After, c.Outcome = fromTaints(after), outcome
	if mine, differences := rearranged(c.Node, c.After); len(differences) > 0 {
		c.Ours, c.Differences = mine, differences
	}
	return c
}

func sameKeyEffect(a, b taint) bool { return a.Key == b.Key && a.Effect == b.Effect }

// rearranged returns kubectl's result in the order of K2-order, with new taints
// last, and with the times that K2-time-added keeps.
func rearranged(node, after []taint) (out []taint, differences []string) {
	place := func(t taint) int {
		if at := slices.IndexFunc(node, func(u taint) bool { return sameKeyEffect(t, u) }); at >= 0 {
			return at
		}
		return len(node)
	}
	out = slices.Clone(after)
	slices.SortStableFunc(out, func(a, b taint) int { return cmp.Compare(place(a), place(b)) })
	if !slices.EqualFunc(out, after, sameKeyEffect) {
		differences = append(differences, "K2-order")
	}
	for i, t := range out {
		if at := place(t); at < len(node) && t.TimeAdded != node[at].TimeAdded {
			out[i].TimeAdded = node[at].TimeAdded
			differences = append(differences, "K2-time-added")
		}
	}
	return out, slices.Compact(differences)
}
