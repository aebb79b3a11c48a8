package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// A document is one YAML document, or one JSON value, of a source.
type document struct {
	*source
	index int // in the source
	base  int // offset of its part in the source
	part  []int
	root  *yaml.Node // the syntax, only for positions and changes
	value any        // as Kubernetes reads it: this is checked
	// ambiguous is the error of a stricter reader.
	ambiguous error
	conversions
}

// offset returns the offset of the node in the source.
func (d *document) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(d.part) {
		return d.base
	}
	return d.forward(d.base+d.part[n.Line-1], n.Column-1)
}

// A failure is a part of a source that could not be read.
type failure struct {
	offset int
	err    error
	// template means that the part looks like a template, which need not be YAML.
	// It is never set with a policy.
	template bool
}

const byteOrderMark = "\uFEFF"

// Limits of one input. They are far above what Kubernetes stores, and bound the
// memory and time for an input.
const (
	maxNesting   = 1000      // levels of a document, with aliases resolved
	maxDocuments = 20_000    // documents of an input
	maxMarks     = 8_000_000 // characters of an input that can begin a value
	maxLineMarks = 1_000_000 // of one line, which the YAML library keeps in memory
)

// parse returns the documents of the source, and a failure for each part that
// cannot be read. With a policy, no part is a template.
func parse(s *source, policed bool) (docs []*document, failures []failure) {
	if i := strings.IndexByte(s.text, 0); i >= 0 || !utf8.ValidString(s.text) {
		return nil, []failure{{offset: max(i, 0), err: errors.New("not UTF-8 text")}}
	}
	if at := crowded(s.text); at >= 0 {
		return nil, []failure{{offset: at, err: fmt.Errorf("more than %d possible values in the line, or %d in the file", maxLineMarks, maxMarks)}}
	}
	parts, failures := split(s.text)
	for _, p := range parts {
		if len(docs) == maxDocuments {
			return docs, append(failures, failure{offset: p.base, err: fmt.Errorf("more than %d documents; the rest is not read", maxDocuments)})
		}
		d, err := p.load()
		if err != nil && !policed && strings.Contains(p.text, braces) {
			if masked, maskedErr := p.masked().load(); maskedErr == nil {
				d, err = masked, nil
			}
		}
		switch {
		case err != nil:
			failures = append(failures, p.failure(err, !policed))
		case d != nil:
			d.source, d.index = s, len(docs)
			docs = append(docs, d)
		}
	}
	return docs, failures
}

// crowded returns the offset at which there can be too many values, or -1.
func crowded(text string) int {
	all, line := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n', '\r':
			all, line = all+1, 0
		case ',', ':', '[', '{', '-', '?':
			all, line = all+1, line+1
		default:
			continue
		}
		if all > maxMarks || line > maxLineMarks {
			return i
		}
	}
	return -1
}

// A part is a piece of a source that can be read separately. Its lines have as
// many characters as those of the source.
type part struct {
	base  int
	text  string
	lines []int  // where the lines begin in the source
	json  []byte // the text of a JSON value
}

func newPart(base int, text string) part {
	return part{base: base, text: text, lines: lineStarts(text, true)}
}

// split splits the text where documents begin: at JSON values, and where YAML or
// kubectl sees a separator. What follows the end of a document is read too,
// although kubectl does not read it.
func split(text string) (parts []part, failures []failure) {
	rest := strings.TrimPrefix(text, byteOrderMark)
	from := len(text) - len(rest)
	if parts := splitJSON(rest, from); parts != nil {
		return parts, nil
	}
	add := func(to int) {
		piece := text[from:to]
		switch values := splitJSON(strings.TrimPrefix(piece, "---"), to-len(strings.TrimPrefix(piece, "---"))); {
		case values != nil:
			parts = append(parts, values...)
		case !blank(piece):
			parts = append(parts, newPart(from, piece))
		}
		from = to
	}
	first := from
	starts := lineStarts(rest, true)
	for i, start := range starts {
		at := first + start
		next := len(text)
		if i+1 < len(starts) {
			next = first + starts[i+1]
		}
		line := text[at:]
		switch {
		case strings.HasPrefix(line, "---") && blankAt(line, 3):
		case strings.HasPrefix(line, "---") && separates(text, at):
			failures = append(failures, failure{offset: at, err: errors.New("some tools take this line as the end of a document, others do not")})
		case strings.HasPrefix(line, "...") && blankAt(line, 3):
			add(next)
			continue
		default:
			continue
		}
		if at > from && !directives(text[from:at]) {
			add(at)
		}
	}
	add(len(text))
	return parts, failures
}

// blankAt reports whether the text ends there, or has a space or line end of YAML.
func blankAt(s string, at int) bool {
	r, size := utf8.DecodeRuneInString(s[at:])
	return size == 0 || strings.ContainsRune(" \t\r\n\u0085\u2028\u2029", r)
}

// separates reports whether kubectl takes the line, which begins with ---, as a
// separator.
func separates(text string, at int) bool {
	if at > 0 && text[at-1] != '\n' {
		return false
	}
	line, _, _ := strings.Cut(text[at+3:], "\n")
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// blank reports whether the text has neither values nor directives.
func blank(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "---"), "...")
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' || strings.ContainsAny(line, "\r\u0085\u2028\u2029") {
			return false
		}
	}
	return true
}

// directives reports whether the text has only comments and the directives of
// the next document.
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

// YAML has no escapes of surrogate pairs.
var surrogate = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)

// splitJSON returns the JSON values of the text in a form that the YAML library
// reads; nil if the text is not JSON.
func splitJSON(text string, base int) []part {
	if start := strings.TrimLeft(text, " \t\r\n"); start == "" || start[0] != '{' && start[0] != '[' {
		return nil
	}
	var parts []part
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil
		}
		begin := int(d.InputOffset()) - len(value)
		p := newPart(base+begin, surrogate.ReplaceAllString(string(value), `\uFFFD\uFFFD`))
		p.json = value
		parts = append(parts, p)
	}
	return parts
}

// braces begin an expression of a template of Helm and similar tools.
const braces = "{{"

var expression = regexp.MustCompile(`\{\{[^\r\n]*?\}\}`)

// mask replaces each character of an expression.
const mask = '\uE000'

// masked returns the part with each expression replaced by a plain word.
func (p part) masked() part {
	p.text = expression.ReplaceAllStringFunc(p.text, func(s string) string {
		return strings.Repeat(string(mask), utf8.RuneCountInString(s))
	})
	p.json = nil
	return p
}

// maxMessage limits an error text, which may quote the input.
const maxMessage = 300

var lineOf = regexp.MustCompile(`\bline ([0-9]+): `)

// failure returns the failure with its position.
func (p part) failure(err error, template bool) failure {
	f := failure{offset: p.base, template: template && strings.Contains(p.text, braces)}
	line := 0
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if loading := new(yaml.LoadError); errors.As(err, &loading) {
		text, line = loading.Message, loading.Mark.Line
	} else if m := lineOf.FindStringSubmatchIndex(text); m != nil {
		line, _ = strconv.Atoi(text[m[2]:m[3]])
		text, _, _ = strings.Cut(text[m[1]:], "\n")
	}
	if line >= 1 && line <= len(p.lines) {
		f.offset += p.lines[line-1]
	}
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	f.err = errors.New(text)
	return f
}
