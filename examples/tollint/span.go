package main

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// The YAML library returns where a node begins. These methods return where it ends
// if its syntax is simple; otherwise ok is false, and nothing is changed.

// scalar returns the begin and the end of a scalar that is within one line.
func (d *document) scalar(n *yaml.Node) (begin, end int, ok bool) {
	begin = d.offset(n)
	if n.Kind != yaml.ScalarNode || n.Anchor != "" {
		return begin, 0, false
	}
	rest := d.text[begin:]
	switch n.Style {
	case 0:
		if !strings.HasPrefix(rest, n.Value) {
			return begin, 0, false
		}
		end = begin + len(n.Value)
	case yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle:
		length := quoted(rest)
		if length < 0 {
			return begin, 0, false
		}
		end = begin + length
	default:
		return begin, 0, false
	}
	return begin, end, !strings.ContainsAny(d.text[begin:end], "\r\n")
}

// quoted returns the length of the quoted text at the begin of s, -1 if there is
// none.
func quoted(s string) int {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return -1
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] == '"':
			i++
		case s[i] == s[0] && s[0] == '\'' && strings.HasPrefix(s[i:], "''"):
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return -1
}

// span returns the begin and the end of a node.
func (d *document) span(n *yaml.Node) (begin, end int, ok bool) {
	end, ok = d.endOf(n)
	return d.offset(n), end, ok
}

// endOf returns the end of a node.
func (d *document) endOf(n *yaml.Node) (end int, ok bool) {
	switch n.Kind {
	case yaml.ScalarNode:
		_, end, ok = d.scalar(n)
		return end, ok
	case yaml.AliasNode:
		begin := d.offset(n)
		return begin + len("*") + len(n.Value), strings.HasPrefix(d.text[begin:], "*"+n.Value)
	case yaml.MappingNode, yaml.SequenceNode:
	default:
		return 0, false
	}
	begin := d.offset(n)
	end = begin
	flow := n.Style&yaml.FlowStyle != 0
	if flow {
		end++ // the bracket
	}
	for _, child := range n.Content {
		stop, ok := d.endOf(child)
		if !ok || n.Anchor != "" {
			return 0, false
		}
		end = max(end, stop)
	}
	if !flow {
		return end, n.Anchor == "" && len(n.Content) > 0
	}
	return d.closing(begin, end)
}

// closing returns the end of the bracket that closes the one at begin, if there
// are only spaces, commas and comments between at and it.
func (d *document) closing(begin, at int) (end int, ok bool) {
	if begin >= len(d.text) {
		return 0, false
	}
	bracket := map[byte]byte{'{': '}', '[': ']'}[d.text[begin]]
	for at < len(d.text) {
		switch c := d.text[at]; c {
		case bracket:
			return at + 1, true
		case ' ', '\t', '\r', '\n', ',':
		case '#':
			_, stop, _ := d.lineAt(at)
			at = stop - 1
		default:
			return 0, false
		}
		at++
	}
	return 0, false
}
