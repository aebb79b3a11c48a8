package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	taintutils "k8s.io/kubernetes/pkg/util/taints"
	kjson "sigs.k8s.io/json"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// jsonList makes the JSON of a list, with common mistakes.
func (g *gen) jsonList(elements []object) string {
	objects := []string{}
	for _, fields := range elements {
		parts := []string{}
		for _, f := range fields {
			name, value := f[0], f[1]
			switch g.IntN(20) {
			case 0:
				name = g.one(strings.ToUpper(name), strings.ToUpper(name[:1])+name[1:], name+"s", "operation", "")
			case 1:
				value = g.one("null", "true", "5", "-5", "5.0", "1e2", "{}", "[]", `"5"`, `""`, `"\u0061"`, `"x"`, "9223372036854775808", "0")
			case 2: // the field is already set
				parts = append(parts, strconv.Quote(name)+": "+g.one(value, `"b"`, "null", "7"))
			case 3: // again
				parts = append(parts, strconv.Quote(name)+": "+value)
				value = g.one(value, `"b"`, "null", "null", "7")
			case 4:
				value = " " + value + "\n"
			}
			parts = append(parts, strconv.Quote(name)+":"+value)
		}
		objects = append(objects, "{"+strings.Join(parts, ",")+"}")
	}
	if g.in(20) {
		objects = append(objects, g.one("null", "1", `"k:NoSchedule"`, "[]", "{}"))
	}
	list := "[" + strings.Join(objects, ", ") + "]"
	switch g.IntN(30) {
	case 0:
		return g.one("null", " [ ] ", "{}", "1", `""`, "", "[", "[,]", list+",", list+"]", list+" ", "\t"+list)
	case 1:
		i := g.IntN(len(list))
		return list[:i] + list[i+1:]
	}
	return list
}

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

// decoded returns the case of a text. read converts a list, and reports whether it is
// valid. If the field unset is null, it is absent.
func decoded[A, T any](text, unset string, read func(list []A) ([]T, bool)) recorded.Decode[T] {
	c := recorded.Decode[T]{Text: text}
	var list []A
	strict, err := kjson.UnmarshalStrict([]byte(text), &list)
	overruled := err != nil
	if overruled {
		_, err = kjson.UnmarshalStrict([]byte(withoutOverruled[A](text, unset)), &list)
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

func decodeTolerations(g *gen) string {
	return g.jsonList(times(g.IntN(3), func() object { return to[object](g.toleration()) }))
}

func decodedTolerations(text string) any {
	return decoded(text, "tolerationSeconds", func(list []corev1.Toleration) ([]toleration, bool) {
		read := recordable(list)
		return read, len(upstream.TolerationErrors(internal(read), path, true)) == 0
	})
}

func decodeTaints(g *gen) string {
	return g.jsonList(times(g.IntN(3), func() object {
		o := to[object](g.taint())
		if g.in(3) {
			o = append(o, [2]string{"timeAdded", g.one(`"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05+05:30"`, `"2026-01-02T03:04:05.999Z"`, `"2026-01-02"`, `"2026-02-30T00:00:00Z"`, `""`, "null", "0")})
		}
		return o
	}))
}

func decodedTaints(text string) any {
	c := decoded(text, "timeAdded", func(list []corev1.Taint) ([]taint, bool) {
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

// taintText makes a taint as text, mostly a valid one.
func (g *gen) taintText(t taint) string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	text += ":" + t.Effect
	switch g.IntN(12) {
	case 0:
		text = t.Key + "="
	case 1, 2:
		text = t.Key + ":"
	case 3:
		text = t.Key + g.one("=:", "=x:", "=a b:", "=-:", "-:", ":") + t.Effect
	case 4:
		i := g.IntN(len(text))
		text = text[:i] + g.one("", "=", ":", "/", "-", " ") + text[i+1:]
	}
	return text
}

// parse draws the text of one taint.
func parse(g *gen) string {
	t := g.taint()
	if g.in(6) {
		g.spoilTaint(&t)
	}
	text := g.taintText(t)
	if g.in(12) {
		text += "-"
	}
	return text
}

func parsed(text string) any {
	c := recorded.Parse{Text: text}
	add, remove, err := taintutils.ParseTaints([]string{c.Text})
	switch {
	case err == nil && len(remove) > 0:
		c.Differences = []string{"K1-edits"}
	case err == nil:
		c.Taint = &fromTaints(add)[0]
	}
	return c
}

// edit draws a node and the arguments of kubectl taint.
func edit(g *gen) recorded.Edit {
	few := keys[:3]
	c := recorded.Edit{Node: g.node(g.IntN(5)), Overwrite: g.in(3), Args: make([]string, g.IntN(4))}
	for i := range c.Node {
		if c.Node[i].Key = g.one(few...); g.in(2) {
			c.Node[i].TimeAdded = time.Unix(g.Int64N(2e9), 0).UTC().Format(time.RFC3339)
		}
	}
	slices.SortFunc(c.Node, func(a, b taint) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Effect, b.Effect)) })
	c.Node = slices.CompactFunc(c.Node, sameKeyEffect)
	g.Shuffle(len(c.Node), func(a, b int) { c.Node[a], c.Node[b] = c.Node[b], c.Node[a] })
	for i := range c.Args {
		t := taint{Key: g.one(few...), Value: g.one("", "x", "y"), Effect: g.one(effects...)}
		if len(c.Node) > 0 && g.in(2) {
			n := c.Node[g.IntN(len(c.Node))]
			t.Key, t.Effect = n.Key, n.Effect
		}
		switch c.Args[i] = g.taintText(t); g.IntN(20) {
		case 0, 1, 2, 3, 4, 5:
			c.Args[i] = t.Key + "-"
		case 6, 7, 8, 9:
			c.Args[i] += "-"
		case 10:
			c.Args[i] += "--"
		}
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
