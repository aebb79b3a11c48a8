package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// A document is one YAML document, or one JSON value, of a source.
type document struct {
	*source
	index int // in the source
	base  int // where the part of the source begins that the library was given
	part  []int
	root  *yaml.Node
}

// offset returns where in the source the node begins.
func (d *document) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(d.part) {
		return d.base
	}
	at := d.base + d.part[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(d.text[at:])
		at += size
	}
	return at
}

// A failure is a part of a source that could not be read.
type failure struct {
	offset int
	err    error
	// template tells that the part looks like a template, for which it is no
	// failure not to be YAML.
	template bool
}

const byteOrderMark = "\uFEFF"

// parse returns the documents of the source, and what cannot be read: the
// documents around it are read nevertheless.
func parse(s *source) (docs []*document, failures []failure) {
	if i := strings.IndexByte(s.text, 0); i >= 0 || !utf8.ValidString(s.text) {
		return nil, []failure{{offset: max(i, 0), err: errors.New("not UTF-8 text")}}
	}
	for _, p := range split(s.text) {
		found, err := p.load()
		for _, root := range found {
			docs = append(docs, &document{source: s, index: len(docs), base: p.base, part: p.lines, root: root})
		}
		if err != nil {
			failures = append(failures, p.failure(err))
		}
	}
	return docs, failures
}

// A part is a piece of a source that can be read by itself. Its text is as long
// as the source's, byte by byte.
type part struct {
	base  int
	text  string
	lines []int
}

var separator = regexp.MustCompile(`(?m)^---(?:[ \t\r]|$)`)

// split cuts the text where YAML's documents begin, which is at lines that can
// stand nowhere else, or JSON's values.
func split(text string) []part {
	rest := strings.TrimPrefix(text, byteOrderMark)
	from := len(text) - len(rest)
	if parts := splitJSON(rest, from); parts != nil {
		return parts
	}
	var parts []part
	for _, at := range separator.FindAllStringIndex(rest, -1) {
		at := at[0] + len(text) - len(rest)
		if before := text[from:at]; at > from && !directives(before) {
			parts = append(parts, newPart(from, before))
			from = at
		}
	}
	return append(parts, newPart(from, text[from:]))
}

func newPart(base int, text string) part { return part{base, text, lineStarts(text, true)} }

// directives reports whether the text holds nothing but comments and the
// directives of the document that follows.
func directives(text string) bool {
	found := false
	for line := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
		case line[0] == '%':
			found = true
		default:
			return false
		}
	}
	return found
}

// Halves of surrogate pairs are escaped in JSON only.
var surrogate = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)

// splitJSON returns the JSON values of the text, written such that the YAML
// library reads them; nil when it is no JSON.
func splitJSON(text string, base int) []part {
	if start := strings.TrimLeft(text, " \t\r\n"); start == "" || start[0] != '{' && start[0] != '[' {
		return nil
	}
	var parts []part
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var value json.RawMessage
		if err := d.Decode(&value); errors.Is(err, io.EOF) {
			return parts
		} else if err != nil {
			return nil
		}
		begin := int(d.InputOffset()) - len(value)
		readable := surrogate.ReplaceAllString(text[begin:begin+len(value)], `\uFFFD\uFFFD`)
		parts = append(parts, newPart(base+begin, readable))
	}
}

// maxNesting is how deep a document may be; Kubernetes' objects stay far below.
const maxNesting = 1000

// load returns the documents of the part up to the first that cannot be read.
func (p part) load() (roots []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil { // what a stranger wrote must not end the program
			err = fmt.Errorf("the YAML library failed: %v", r)
		}
	}()
	loader, err := yaml.NewLoader(strings.NewReader(p.text), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxNesting))))
	if err != nil {
		return nil, err
	}
	for {
		var n yaml.Node
		if err := loader.Load(&n); errors.Is(err, io.EOF) {
			return roots, nil
		} else if err != nil {
			return roots, err
		}
		root := &n
		if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
			root = root.Content[0]
		}
		roots = append(roots, root)
	}
}

// braces are how the templates of Helm and its like begin.
const braces = "{{"

func (p part) failure(err error) failure {
	f := failure{offset: p.base, err: err, template: strings.Contains(p.text, braces)}
	var loading *yaml.LoadError
	if errors.As(err, &loading) {
		f.err = errors.New(loading.Message)
		if line := loading.Mark.Line; line >= 1 && line <= len(p.lines) {
			f.offset += p.lines[line-1]
		}
	}
	return f
}
