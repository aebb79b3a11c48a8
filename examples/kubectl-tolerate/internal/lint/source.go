package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
)

// Limits of one file. They bound the memory and time that it takes.
const (
	maxInput     = 32 << 20
	maxFixed     = 4 << 20   // of a file to fix
	maxPart      = 1 << 20   // of a document to fix, which is kept before and after it
	maxNesting   = 1000      // levels of a document, with aliases resolved
	maxDocuments = 20_000    // documents of a file
	maxMarks     = 2_000_000 // characters of a document that can begin a value
	maxExtra     = 16 << 20  // bytes that aliases can add to a document
	maxMessage   = 300       // bytes of an error, which can quote the input
)

type node = yamlv3.Node

// linesOf returns where the lines begin, as YAML 1.1 defines them.
func linesOf(text string) []int {
	lines := []int{0}
	for i, r := range text {
		if r == '\n' || r == '\r' && !strings.HasPrefix(text[i+1:], "\n") || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			lines = append(lines, i+utf8.RuneLen(r))
		}
	}
	return lines
}

// lineEnd returns the end of a line from 1, after its line break.
func (d *document) lineEnd(line int) int {
	if line < len(d.lines) {
		return d.lines[line]
	}
	return len(d.text)
}

// offset returns where a node begins. It keeps the columns of a line, so that many
// nodes of a long line take linear time.
func (d *document) offset(n *node) int {
	if n.Line < 1 || n.Line > len(d.lines) {
		return 0
	}
	if d.line != n.Line {
		d.line, d.columns = n.Line, d.columns[:0]
		begin := d.lines[n.Line-1]
		for i := range d.text[begin:d.lineEnd(n.Line)] {
			d.columns = append(d.columns, begin+i)
		}
		d.columns = append(d.columns, d.lineEnd(n.Line))
	}
	return d.columns[min(max(n.Column-1, 0), len(d.columns)-1)]
}

// A document is one YAML document or JSON value, and what was found in it.
type document struct {
	file    string
	before  int // lines of the file before it
	text    string
	lines   []int // where they begin
	line    int   // the line whose columns are known, from 1
	columns []int // where its characters begin

	value     any   // as kubectl reads it: this is checked
	root      *node // the syntax, for positions and fixes only
	ambiguous error // of the strict reader, if it rejects what kubectl reads

	lists    []*list
	findings []*Finding
	notes    []note
	elements int
	manifest bool // there is an object with a kind, or a list
}

// A note describes what was not checked.
type note struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	Skipped bool   `json:"skipped,omitempty"` // a template; otherwise it is a failure
}

func (n note) String() string {
	place := objects.Printable(n.File)
	if n.Line > 0 {
		place += ":" + strconv.Itoa(n.Line)
	}
	if n.Skipped {
		place += ": skipped"
	}
	return place + ": " + objects.Printable(n.Message)
}

var (
	lineOf     = regexp.MustCompile(`\bline ([0-9]+): `)
	escapes    = regexp.MustCompile(`\\(?:u[dD][89a-fA-F][0-9a-fA-F]{2}|.)`)
	separator  = regexp.MustCompile(`^(---|\.\.\.)([ \t\r\n\x{85}\x{2028}\x{2029}]|$)`)
	directives = regexp.MustCompile(`^\x{FEFF}?([ \t\r\n]*(#.*|%.*)?\n)*$`)
)

// noteOf returns an error of the document, at its own line if it has one.
func (d *document) noteOf(err error, line int) note {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := lineOf.FindStringSubmatchIndex(text); m != nil {
		own, _ := strconv.Atoi(text[m[2]:m[3]])
		line += max(own, 1) - 1
		text, _, _ = strings.Cut(text[m[1]:], "\n")
	}
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return note{File: d.file, Line: d.before + min(line, len(d.lines)), Message: text}
}

// split returns the documents of a file, and the lines that only some tools read as the
// end of one.
func split(text string) (parts []string, odd []int) {
	d := document{text: text, lines: linesOf(text)}
	begin := 0
	for i, at := range d.lines {
		end := d.lineEnd(i + 1)
		line := text[at:end]
		switch {
		case separator.MatchString(line) && line[0] == '.':
			parts, begin = append(parts, text[begin:end]), end
		case separator.MatchString(line) && !directives.MatchString(text[begin:at]):
			parts, begin = append(parts, text[begin:at]), at
		case strings.HasPrefix(line, "---") && !separator.MatchString(line) && (line[3] == '#' || strings.TrimSpace(line[3:]) == ""):
			odd = append(odd, i+1)
		}
	}
	return append(parts, text[begin:]), odd
}

// load reads the document. The value remains nil if there is none.
func (d *document) load() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML library failed: %v", r)
		}
	}()
	text := d.text
	marks := 0
	for _, mark := range ",:[{-?\r\n" {
		marks += strings.Count(text, string(mark))
	}
	if marks > maxMarks {
		return fmt.Errorf("a document that can have more than %d values; split it", maxMarks)
	}
	data, syntax, isJSON := []byte(text), text, json.Valid([]byte(text))
	if isJSON { // the YAML library has fewer escapes; the length remains
		syntax = escapes.ReplaceAllStringFunc(text, func(e string) string {
			if e == `\/` {
				return "//"
			} else if len(e) == 6 {
				return `\uFFFD`
			}
			return e
		})
	}
	if d.root, err = tree(syntax); d.root == nil || err != nil {
		return err
	}
	if !isJSON {
		if data, err = yaml.YAMLToJSONStrict([]byte(text)); err != nil {
			d.ambiguous = err
			if data, err = yaml.YAMLToJSON([]byte(text)); err != nil {
				return err
			}
		}
	}
	values := json.NewDecoder(bytes.NewReader(data))
	values.UseNumber() // a float64 does not represent all seconds
	return values.Decode(&d.value)
}

// tree returns the syntax of a document, nil if there is none.
func tree(text string) (root *node, err error) {
	root = new(node)
	next := new(node)
	decoder := yamlv3.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(root); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err = decoder.Decode(next); err == nil {
		err = fmt.Errorf("line %d: another document without a line --- before it", next.Line)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if root.Kind == yamlv3.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	// The size of each part of the tree with its aliases resolved.
	anchors, written := make(map[*node]weight), 0
	var weigh func(n *node, level int) (weight, error)
	weigh = func(n *node, level int) (sum weight, err error) {
		known, complete := anchors[n.Alias]
		for _, child := range n.Content {
			if level > maxNesting {
				break
			}
			below, err := weigh(child, level+1)
			if err != nil {
				return sum, err
			}
			sum.cost += below.cost
			sum.depth = max(sum.depth, below.depth+1)
		}
		sum.cost += 64 + len(n.Value)
		written += 64 + len(n.Value)
		switch {
		case n.Kind == yamlv3.AliasNode && !complete:
			err = errors.New("the expansion of aliases is infinite")
		case n.Kind == yamlv3.AliasNode:
			sum = known
		case sum.depth > maxNesting || level > maxNesting:
			err = fmt.Errorf("more than %d levels", maxNesting)
		case sum.cost > written+maxExtra:
			err = errors.New("the expansion of aliases is too large")
		case n.Anchor != "":
			anchors[n] = sum
		}
		if err != nil {
			err = fmt.Errorf("line %d: %w", n.Line, err)
		}
		return sum, err
	}
	_, err = weigh(root, 0)
	return root, err
}

type weight struct{ cost, depth int }
