package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// Limits of one file. They bound the memory and time that it takes.
const (
	maxInput     = 32 << 20
	maxNesting   = 1000      // levels of a document, with aliases resolved
	maxDocuments = 20_000    // documents of a file
	maxMarks     = 4_000_000 // characters that can begin a value
	maxLineMarks = 500_000   // of one line, which the YAML library keeps in memory
	maxExtra     = 16 << 20  // bytes that aliases can add to a document
	maxMessage   = 300       // bytes of an error, which can quote the input
)

type node = yamlv3.Node

// A source is the text of one file, and where its lines begin.
type source struct {
	name, text string
	lines      []int
	line       int   // the line whose columns are known, from 1
	columns    []int // where its characters begin
}

// newSource finds the ends of lines as YAML 1.1 defines them.
func newSource(name, text string) *source {
	s := &source{name: name, text: text, lines: []int{0}}
	for i, r := range text {
		if r == '\n' || r == '\r' && !strings.HasPrefix(text[i+1:], "\n") || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			s.lines = append(s.lines, i+utf8.RuneLen(r))
		}
	}
	return s
}

// lineEnd returns the end of a line from 1, after its line break.
func (s *source) lineEnd(line int) int {
	if line < len(s.lines) {
		return s.lines[line]
	}
	return len(s.text)
}

// offset returns where a node begins. It keeps the columns of a line, so that many
// nodes of a long line take linear time.
func (s *source) offset(n *node) int {
	if n.Line < 1 || n.Line > len(s.lines) {
		return 0
	}
	if s.line != n.Line {
		s.line, s.columns = n.Line, s.columns[:0]
		begin := s.lines[n.Line-1]
		for i := range s.text[begin:s.lineEnd(n.Line)] {
			s.columns = append(s.columns, begin+i)
		}
		s.columns = append(s.columns, s.lineEnd(n.Line))
	}
	return s.columns[min(max(n.Column-1, 0), len(s.columns)-1)]
}

// A document is one YAML document or JSON value.
type document struct {
	value     any   // as kubectl reads it: this is checked
	root      *node // the syntax, for positions and fixes only
	ambiguous error // of the strict reader, if it rejects what kubectl reads
}

// A note describes what was not checked.
type note struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	skipped bool   // a template
}

func (n note) String() string {
	place := quoted(n.File)
	if n.Line > 0 {
		place += ":" + strconv.Itoa(n.Line)
	}
	if n.skipped {
		place += ": skipped"
	}
	return place + ": " + quoted(n.Message)
}

var (
	lineOf  = regexp.MustCompile(`\bline ([0-9]+): `)
	escapes = regexp.MustCompile(`\\(?:u[dD][89a-fA-F][0-9a-fA-F]{2}|.)`)
)

// noteOf returns the error of the text that begins at this line, with its own line if it
// has one.
func (s *source) noteOf(err error, begin int) note {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := lineOf.FindStringSubmatchIndex(text); m != nil {
		line, _ := strconv.Atoi(text[m[2]:m[3]])
		begin += max(line, 1) - 1
		text, _, _ = strings.Cut(text[m[1]:], "\n")
	}
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return note{File: s.name, Line: min(begin, len(s.lines)), Message: text}
}

// parse returns the documents, and a note for each part that cannot be read.
func (s *source) parse() (docs []*document, notes []note) {
	if i := strings.IndexByte(s.text, 0); i >= 0 || !utf8.ValidString(s.text) {
		return nil, []note{{File: s.name, Message: "not UTF-8 text"}}
	}
	if line := s.crowded(); line > 0 {
		return nil, []note{{File: s.name, Line: line, Message: fmt.Sprintf("more than %d values in the line, or %d in the file; split it", maxLineMarks, maxMarks)}}
	}
	first := len(s.text) - len(strings.TrimPrefix(s.text, "\uFEFF"))
	begin, line, content := first, 1, false
	add := func(end, next int) {
		text := s.text[begin:end]
		if content && len(docs) <= maxDocuments {
			more, err := load(text, line)
			if docs = append(docs, more...); err != nil {
				n := s.noteOf(err, line)
				n.skipped = strings.Contains(text, "{{")
				notes = append(notes, n)
			}
		}
		begin, line, content = end, next, false
	}
	for i, at := range s.lines {
		text := s.text[max(at, first):s.lineEnd(i+1)]
		mark, rest := "", text
		if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") {
			mark, rest = text[:3], text[3:]
		}
		switch blank := rest == "" || strings.ContainsRune(" \t\r\n\u0085\u2028\u2029", rune0(rest)); {
		case mark == "---" && blank && content:
			add(at, i+1)
		case mark == "..." && blank:
			add(s.lineEnd(i+1), i+2)
			continue
		case mark == "---" && !blank && (strings.HasPrefix(rest, "#") || strings.TrimSpace(rest) == ""):
			notes = append(notes, note{File: s.name, Line: i + 1, Message: "only some tools read this line as the end of a document; write ---"})
		}
		rest = strings.TrimSpace(rest)
		content = content || rest != "" && rest[0] != '#' && text[0] != '%'
	}
	add(len(s.text), 0)
	if len(docs) > maxDocuments {
		return nil, []note{{File: s.name, Message: fmt.Sprintf("more than %d documents; split the file", maxDocuments)}}
	}
	return docs, notes
}

func rune0(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// crowded returns a line that can have too many values, or 0.
func (s *source) crowded() int {
	all := 0
	for i, at := range s.lines {
		line := 0
		for _, c := range []byte(s.text[at:s.lineEnd(i+1)]) {
			switch c {
			case ',', ':', '[', '{', '-', '?':
				line++
			}
		}
		if all += line + 1; all > maxMarks || line > maxLineMarks {
			return i + 1
		}
	}
	return 0
}

// load reads one part of a file, which begins at this line: a YAML document, or any
// number of JSON values.
func load(text string, line int) ([]*document, error) {
	bare := strings.TrimPrefix(text, "---")
	if start := strings.TrimSpace(bare); start != "" && (start[0] == '{' || start[0] == '[') {
		if docs, err := loadJSON(bare, line, len(text)-len(bare)); docs != nil || err != nil {
			return docs, err
		}
	}
	d, err := tree(text, line, 0)
	if d == nil || err != nil {
		return nil, err
	}
	data, err := convert(text, yaml.YAMLToJSONStrict)
	if err != nil {
		d.ambiguous = err
		if data, err = convert(text, yaml.YAMLToJSON); err != nil {
			return nil, err
		}
	}
	if d.value, _, err = decodeJSON(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	return []*document{d}, nil
}

// loadJSON returns the JSON values of the text, or nil if it is not JSON.
func loadJSON(text string, line, column int) (docs []*document, err error) {
	rest := text
	for strings.TrimSpace(rest) != "" {
		value, size, err := decodeJSON(strings.NewReader(rest))
		if err != nil || len(docs) > maxDocuments {
			return nil, nil
		}
		// The YAML library has fewer escapes than JSON. Their length remains.
		syntax := escapes.ReplaceAllStringFunc(rest[:size], func(e string) string {
			if e == `\/` {
				return "//"
			} else if len(e) == 6 {
				return `\uFFFD`
			}
			return e
		})
		d, err := tree(syntax, line, column)
		if err != nil || d == nil {
			return nil, err
		}
		d.value = value
		docs = append(docs, d)
		read := rest[:size]
		line += strings.Count(read, "\n")
		if i := strings.LastIndexByte(read, '\n'); i >= 0 {
			column, read = 0, read[i+1:]
		}
		column += utf8.RuneCountInString(read)
		rest = rest[size:]
	}
	return docs, nil
}

// decodeJSON reads one value. A float64 does not represent all seconds.
func decodeJSON(r io.Reader) (v any, size int64, err error) {
	d := json.NewDecoder(r)
	d.UseNumber()
	err = d.Decode(&v)
	return v, d.InputOffset(), err
}

// convert calls a conversion. It returns a panic of the YAML library as an error.
func convert(text string, how func([]byte) ([]byte, error)) (data []byte, err error) {
	defer recovered(&err)
	return how([]byte(text))
}

func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the YAML library failed: %v", r)
	}
}

// tree returns the syntax of a document with its positions in the file, nil if there is
// none.
func tree(text string, line, column int) (d *document, err error) {
	defer recovered(&err)
	root, next := new(node), new(node)
	decoder := yamlv3.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(root); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err := decoder.Decode(next); err == nil {
		return nil, fmt.Errorf("line %d: another document without a line --- before it", next.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if root.Kind == yamlv3.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	w := weights{anchors: make(map[*node]*weight), line: line - 1, column: column}
	if _, err := w.weigh(root, 0); err != nil {
		return nil, err
	}
	return &document{root: root}, nil
}

// weights computes the size of a document with its aliases resolved, and moves the
// positions of its nodes.
type weights struct {
	anchors      map[*node]*weight // nil values are incomplete
	written      int
	line, column int
}

type weight struct{ cost, depth int }

func (w *weights) weigh(n *node, level int) (sum weight, err error) {
	fail := func(what string) error {
		return fmt.Errorf("line %d: %s", n.Line-w.line, what)
	}
	if n.Line == 1 {
		n.Column += w.column
	}
	n.Line += w.line
	if n.Kind == yamlv3.AliasNode {
		known := w.anchors[n.Alias]
		if known == nil {
			return sum, fail("the expansion of aliases is infinite")
		}
		return *known, nil
	}
	if level > maxNesting {
		return sum, fail("more than " + strconv.Itoa(maxNesting) + " levels")
	}
	sum.cost = 64 + len(n.Value)
	w.written += sum.cost
	for _, child := range n.Content {
		below, err := w.weigh(child, level+1)
		if err != nil {
			return sum, err
		}
		sum.cost += below.cost
		sum.depth = max(sum.depth, below.depth+1)
	}
	if sum.cost > w.written+maxExtra || sum.depth > maxNesting {
		return sum, fail("the expansion of aliases is too large")
	}
	if n.Anchor != "" {
		w.anchors[n] = &sum
	}
	return sum, nil
}

// position returns the line and the column, in characters, of an offset.
func (s *source) position(offset int) (line, column int) {
	line, found := slices.BinarySearch(s.lines, offset)
	if found {
		line++
	}
	s.offset(&node{Line: line})
	i, _ := slices.BinarySearch(s.columns, offset)
	return line, i + 1
}
