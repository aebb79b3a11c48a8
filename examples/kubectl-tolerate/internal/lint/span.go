package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// The YAML library returns where a node begins. This file finds where it ends, if its
// syntax is simple; otherwise ok is false, and nothing is changed.

// scalar returns the begin and the end of a scalar that is within one line.
func (d *document) scalar(n *node) (begin, end int, ok bool) {
	if n.Kind != yamlv3.ScalarNode || n.Anchor != "" {
		return 0, 0, false
	}
	begin = d.offset(n)
	rest := d.text[begin:d.lineEnd(n.Line)]
	switch n.Style {
	case 0:
		return begin, begin + len(n.Value), strings.HasPrefix(rest, n.Value)
	case yamlv3.DoubleQuotedStyle, yamlv3.SingleQuotedStyle:
		for i := 1; i < len(rest); i++ {
			switch {
			case rest[i] == '\\' && rest[0] == '"', rest[0] == '\'' && strings.HasPrefix(rest[i:], "''"):
				i++
			case rest[i] == rest[0]:
				return begin, begin + i + 1, true
			}
		}
	}
	return begin, 0, false
}

// endOf returns the end of a node.
func (d *document) endOf(n *node) (end int, ok bool) {
	if n.Kind == yamlv3.ScalarNode {
		_, end, ok = d.scalar(n)
		return end, ok
	}
	if n.Kind == yamlv3.AliasNode || n.Anchor != "" || n.Style&yamlv3.TaggedStyle != 0 {
		return 0, false
	}
	end = d.offset(n)
	if flow(n) {
		end++ // the bracket
	}
	for _, child := range n.Content {
		if end, ok = d.endOf(child); !ok {
			return 0, false
		}
	}
	if !flow(n) {
		return end, len(n.Content) > 0
	}
	for ; end < len(d.text); end++ { // only spaces and a comma can be before the bracket
		switch d.text[end] {
		case ']', '}':
			return end + 1, true
		case ' ', '\t', '\r', '\n', ',':
		default:
			return 0, false
		}
	}
	return 0, false
}

// around returns the begin and the end of the line at an offset.
func (d *document) around(offset int) (begin, end int) {
	line, found := slices.BinarySearch(d.lines, offset)
	if found {
		line++
	}
	return d.lines[line-1], d.lineEnd(line)
}

func onlyComma(s string) bool { return strings.TrimSpace(s) == "," }

// remove removes item i of a list or an object, which has n items. In block style these
// are whole lines, with the comments at their ends; in flow style, one comma is removed as
// well.
func (d *document) remove(flow bool, mark string, n, i int, items func(i int) (begin, end *node)) ([]udiff.Edit, bool) {
	first, last := items(i)
	begin := d.offset(first)
	end, ok := d.endOf(last)
	before, after := 0, 0 // of the items around it
	if i+1 < n {
		next, _ := items(i + 1)
		after = d.offset(next)
	} else if i > 0 && flow {
		_, previous := items(i - 1)
		var known bool
		before, known = d.endOf(previous)
		ok = ok && known
	}
	from, _ := d.around(begin)
	_, to := d.around(end)
	line := strings.TrimSpace(d.text[from:begin])
	switch {
	case !ok || end < begin:
		return nil, false
	case flow && before > 0:
		from, to, ok = before, end, onlyComma(d.text[before:begin])
	case flow && after > 0:
		from, to, ok = begin, after, onlyComma(d.text[end:after])
	case flow:
		from, to = begin, end
	case line == mark:
		ok = after == 0 || after >= to
	case mark == "" && line == "-" && after > 0: // the first field is on the line of the mark
		from, to, ok = begin, after, strings.TrimSpace(d.text[end:after]) == ""
	default:
		ok = false
	}
	return []udiff.Edit{{Start: from, End: to}}, ok
}

// add adds a field after the one that is before it in order.
func (d *document) add(e *element, c change) ([]udiff.Edit, bool) {
	if len(e.fields) == 0 {
		return nil, false
	}
	at := e.fields[0]
	for _, name := range order[:slices.Index(order, c.field)] {
		if f, ok := e.find(name); ok {
			at = f
		}
	}
	end, ok := d.endOf(at.value)
	text := styled(at.key, c.field) + ": " + c.set
	if c.field != "tolerationSeconds" {
		text = styled(at.key, c.field) + ": " + styled(at.key, c.set)
	}
	if flow(e.node) {
		return []udiff.Edit{{Start: end, End: end, New: ", " + text}}, ok
	}
	begin := d.offset(at.key)
	from, _ := d.around(begin)
	_, next := d.around(end)
	line := strings.TrimRight(d.text[from:next], "\r\n")
	newline := d.text[from+len(line) : next]
	if newline == "" {
		newline = "\n"
	}
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, d.text[from:begin])
	return []udiff.Edit{{Start: from + len(line), End: from + len(line), New: newline + indent + text}}, ok
}

// styled returns the text in the quotes of a node, or in quotes if it needs them.
func styled(like *node, text string) string {
	if like.Style&yamlv3.SingleQuotedStyle != 0 {
		return "'" + text + "'"
	}
	var v any
	if like.Style&yamlv3.DoubleQuotedStyle != 0 || yaml.Unmarshal([]byte(text), &v) != nil || v != text {
		return strconv.Quote(text)
	}
	return text
}
