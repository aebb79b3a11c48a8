// Package objects reads Kubernetes objects from JSON and YAML, one at a time. It reads the
// items of a list in JSON one by one, so memory follows the largest object and not the
// input.
package objects

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/go-tolerate/tolerate/validate"
)

// Limits of the input. They bound the memory that it takes.
const (
	maxObject   = 4 << 20  // bytes of an object in JSON; the API server's own limit is near 1.5 MiB
	maxFields   = 100_000  // and elements of an object that is decoded
	maxDocument = 4 << 20  // bytes of a document in YAML
	maxValues   = 250_000  // of a document in YAML, each of which takes 1 KB of memory
	maxResolved = 64 << 20 // bytes of a document in YAML with its aliases resolved, of which each value is 16
	maxLevels   = 1000     // of a document in YAML with its aliases resolved
	maxCopied   = 256 << 20
)

// An Object is one object of the input.
type Object struct {
	Source string // the file, as the caller named it
	Line   int    // of the YAML document that it is in, from 1; 0 in JSON
	Place  string // in a list, such as "items[3]"; empty on its own

	APIVersion string // may be empty
	Kind       string // may be empty
	Namespace  string // may be empty
	Name       string // may be empty, or end in "*" when it is still to be generated
	Continue   string // of a list that is a part of one: the rest is requested with this parameter

	Raw  []byte     // JSON, of a list without its items; valid until the next object is read
	Root *yaml.Node // in YAML, with the lines of the document
}

// String returns the kind and the name, such as "Pod shop/web-1".
func (o *Object) String() string {
	return strings.TrimSpace(o.Kind + " " + strings.TrimPrefix(o.Namespace+"/"+o.Name, "/"))
}

// Is reports whether the object is of that kind in the core group, version v1. An object
// without apiVersion counts as such.
func (o *Object) Is(kind string) bool {
	return o.Kind == kind && (o.APIVersion == "v1" || o.APIVersion == "")
}

// Decode decodes the object into the struct that into points to, whose fields have tags
// like those of encoding/json. Names are case-sensitive.
func (o *Object) Decode(into any) error {
	if bytes.Count(o.Raw, []byte{','}) > maxFields {
		return fmt.Errorf("more than %d fields and elements", maxFields)
	}
	return decode(o.Raw, into)
}

func decode(raw []byte, into any) error {
	err := json.Unmarshal(raw, into, jsontext.AllowDuplicateNames(true)) // it has none
	if wrong := new(json.SemanticError); errors.As(err, &wrong) {
		path := strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", ".")
		err = fmt.Errorf("%s: %w", Printable(path), cmp.Or(wrong.Err, fmt.Errorf("wrong type, %v", wrong.JSONKind)))
	}
	return err
}

// A Problem is something that is wrong with the input, and where. The text of Error is for
// people and may change.
type Problem struct {
	Source string // the file, as the caller named it
	Line   int    // of YAML, or of what is no JSON, from 1; otherwise 0
	Object string // such as "items[3] Pod shop/web-1", as far as it is known
	Err    error
}

// ErrPart describes a list with Continue.
var ErrPart = errors.New("the list is incomplete (metadata.continue is set); get all of it")

// Problem returns the problem of the object that err describes, or the first that it has,
// and how many more there are.
func (o *Object) Problem(err error) *Problem {
	var all validate.Problems
	if errors.As(err, &all) && len(all) > 1 {
		err = fmt.Errorf("%w (and %d more)", all[0], len(all)-1)
	}
	return &Problem{o.Source, o.Line, strings.TrimSpace(o.Place + " " + o.String()), err}
}

// Error describes the problem in one line.
func (p *Problem) Error() string {
	place := Printable(p.Source) + ":"
	if p.Line > 0 {
		place += strconv.Itoa(p.Line) + ":"
	}
	if p.Object != "" {
		place += " " + Printable(p.Object) + ":"
	}
	return place + " " + p.Err.Error()
}

// Unwrap returns p.Err.
func (p *Problem) Unwrap() error { return p.Err }

// Printable returns s as it may be shown on a terminal: as it is, or in quotes with
// everything else escaped.
func Printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' }) {
		return strconv.Quote(s)
	}
	return s
}

// ErrEmpty describes an input without any object.
var ErrEmpty = errors.New("is empty")

// ErrNotObject describes a value that is no object.
var ErrNotObject = errors.New("not an object")

// ErrTemplate describes a text that does not parse near an expression of a template.
var ErrTemplate = errors.New("is a template (pipe the output of helm template) or has a mistake")

var (
	expression = regexp.MustCompile(`\{[{%]|[$%]\{|\{[A-Z_]+\}|@\w+@|%\w+%|%[sdv]\b`)
	blank      = regexp.MustCompile(`^\s*(#|$)`)
)

// near returns the error of a text that does not parse at a line. It is ErrTemplate too if an
// expression is there or next to it, except for comments.
func near(text []byte, line int, err error) error {
	lines := bytes.SplitN(text, []byte{'\n'}, line+2)
	lines = lines[:min(line+1, len(lines))]
	first := max(min(line-3, len(lines)-1), 0) // the line can be one too late
	for first > 0 && blank.Match(lines[first]) {
		first--
	}
	if slices.ContainsFunc(lines[first:], expression.Match) {
		return fmt.Errorf("%w: %w", ErrTemplate, err)
	}
	return err
}

// A counter counts the lines that are read, at most so many bytes at a time.
type counter struct {
	io.Reader
	most, lines int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p[:min(len(p), c.most)])
	c.lines += bytes.Count(p[:n], []byte{'\n'})
	return n, err
}

var errStop = errors.New("the caller stopped")

// A stream is an input that is being read.
type stream struct {
	*jsontext.Decoder
	in    *io.LimitedReader // of the Decoder
	yield func(*Object, error) bool
	at    Object // where it is read
	empty bool   // nothing was read yet
	items bool   // the present value has items
}

// Read returns the objects of r in order, or in their place the problems: an error is always
// a *[Problem]. The items of a list precede the list itself. The iterator works once.
func Read(source string, r io.Reader) iter.Seq2[*Object, error] {
	return func(yield func(*Object, error) bool) {
		s := &stream{yield: yield, at: Object{Source: source}, empty: true}
		in := bufio.NewReader(r)
		var begin string
		var err error
		for n := 2; err == nil && len(begin) < 2; n++ {
			var text []byte
			text, err = in.Peek(n)
			begin = string(bytes.TrimLeft(text, " \t\r\n"))
		}
		if strings.HasPrefix(begin, "[") || strings.HasPrefix(begin, "{") && begin != "{{" { // which begins a template
			err = s.json(in)
		} else {
			err = s.yaml(in)
		}
		if err == nil && s.empty {
			err, s.at.Line = ErrEmpty, 0
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, s.at.Problem(err))
		}
	}
}

// json reads the values of a JSON text. An error ends the reading.
func (s *stream) json(r io.Reader) (err error) {
	read := &counter{Reader: r, most: maxObject}
	s.in = &io.LimitedReader{R: read}
	for s.Decoder = jsontext.NewDecoder(s.in); err == nil; {
		s.in.N, s.items = maxObject, false
		switch s.PeekKind() {
		case '{':
			var top struct {
				Items items          `json:"items"`
				Rest  jsontext.Value `json:",embed"`
			}
			top.Items = items{s, "items", &top.Rest}
			if err = json.UnmarshalDecode(s.Decoder, &top); err == nil {
				err = s.value(slices.Concat(top.Rest, []byte("{}")[2*min(len(top.Rest), 1):]), "", head{})
			}
		case '[':
			err = (&items{stream: s, rest: new(jsontext.Value)}).UnmarshalJSONFrom(s.Decoder)
		default:
			var value jsontext.Value
			if value, err = s.ReadValue(); err == io.EOF {
				return nil
			} else if err == nil {
				err = s.value(value, "", head{})
			}
		}
	}
	syntax, wrong := new(jsontext.SyntacticError), new(json.SemanticError)
	switch {
	case s.in.N <= 0:
		err = fmt.Errorf("an object of more than %d MiB; the input is not read further", maxObject>>20)
	case errors.As(err, &syntax):
		text := s.UnreadBuffer()
		s.at.Line = 1 + read.lines - bytes.Count(text, []byte{'\n'})
		err = s.syntax(text, syntax)
	case errors.As(err, &wrong):
		err = cmp.Or(wrong.Err, err)
	}
	return err
}

// syntax returns the error of a text, and adds the lines before it to the place.
func (s *stream) syntax(text []byte, err *jsontext.SyntacticError) error {
	before, after := text[:0], text
	if i := err.ByteOffset - s.InputOffset(); 0 <= i && i <= int64(len(text)) {
		before, after = text[:i], text[i:]
	}
	lines := bytes.Count(before, []byte{'\n'})
	s.at.Line += lines
	if kind, n := s.StackIndex(s.StackDepth()); kind == '{' && n == 0 {
		text = append([]byte{'{'}, text...) // it can begin an expression
	}
	if bytes.HasPrefix(after, []byte("//")) || bytes.HasPrefix(after, []byte("/*")) {
		return fmt.Errorf("%w: JSON with comments; the input is not read further", ErrNotObject)
	}
	return fmt.Errorf("%w; the input is not read further", near(text, 1+lines, fmt.Errorf("not JSON: %w", err)))
}

// items reads the items of a list. The rest is the fields before them.
type items struct {
	*stream
	name string
	rest *jsontext.Value
}

func (l *items) UnmarshalJSONFrom(*jsontext.Decoder) error {
	var list head
	l.stream.items = true
	if len(*l.rest) > 0 {
		_ = json.Unmarshal(*l.rest, &list) // it is checked when all of it is read
	}
	if l.PeekKind() != '[' {
		value, err := l.ReadValue()
		if err == nil && value.Kind() != 'n' {
			err = errors.New("items: must be a list; the input is not read further")
		}
		return err
	}
	_, _ = l.ReadToken()
	for i := 0; l.PeekKind() != ']'; i++ {
		l.in.N = maxObject
		value, err := l.ReadValue()
		if err == nil {
			err = l.value(value, l.name+"["+strconv.Itoa(i)+"]", list)
		}
		if err != nil {
			return err
		}
	}
	_, err := l.ReadToken()
	return err
}

// head is what is decoded of every object.
type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Namespace    string `json:"namespace"`
		Name         string `json:"name"`
		GenerateName string `json:"generateName"`
		Continue     string `json:"continue"`
	} `json:"metadata"`
}

// value gives the caller an object, or what is wrong with it. The list is that around it.
func (s *stream) value(raw jsontext.Value, place string, list head) error {
	o := s.at
	o.Raw, o.Place = raw, place
	var h head
	var err error
	if raw.Kind() != '{' {
		err = fmt.Errorf("%w: %.40s", ErrNotObject, Printable(string(raw[:min(len(raw), 40)])))
	} else if err = decode(raw, &h); err != nil {
		var other struct {
			APIVersion any `json:"apiVersion"`
			Kind       any `json:"kind"`
		}
		_ = decode(raw, &other)
		_, version := other.APIVersion.(string)
		if _, kind := other.Kind.(string); !version && !kind {
			err = fmt.Errorf("%w: %w", ErrNotObject, err)
		}
	}
	kind, isList := strings.CutSuffix(list.Kind, "List")
	if o.APIVersion, o.Kind = h.APIVersion, h.Kind; h.Kind == "" && isList && kind != "" {
		o.APIVersion, o.Kind = list.APIVersion, kind
	}
	o.Continue = h.Metadata.Continue
	if o.Namespace, o.Name = h.Metadata.Namespace, h.Metadata.Name; o.Name == "" && h.Metadata.GenerateName != "" {
		o.Name = h.Metadata.GenerateName + "*"
	}
	if err == nil && strings.HasSuffix(o.Kind, "List") && o.Name == "" {
		if place != "" {
			err = errors.New("a list within a list; extract its items")
		} else if !s.items {
			err = errors.New("items: missing")
		}
	}
	return s.give(&o, err)
}

// give gives the caller an object, or an error that is there instead.
func (s *stream) give(o *Object, err error) error {
	if s.empty = false; err != nil {
		o, err = nil, o.Problem(err)
	}
	if !s.yield(o, err) {
		return errStop
	}
	return nil
}

// Files returns the names of files, those in directories sorted. Files and directories whose
// path or last name matches a pattern of package path/filepath are excluded.
func Files(names []string, recursive bool, exclude ...string) (all []string, err error) {
	for _, pattern := range exclude {
		if _, err := filepath.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
	}
	excluded := func(path string) bool {
		return slices.ContainsFunc(exclude, func(pattern string) bool {
			whole, _ := filepath.Match(filepath.Clean(pattern), filepath.Clean(path))
			last, _ := filepath.Match(filepath.Clean(pattern), filepath.Base(path))
			return whole || last
		})
	}
	for _, name := range names {
		if excluded(name) {
			continue
		}
		if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
			return nil, fmt.Errorf("%s: addresses are not read; use curl and -f -", name)
		}
		info, err := os.Stat(name)
		if name == "-" || err == nil && !info.IsDir() {
			all = append(all, name)
			continue
		} else if err != nil {
			return nil, err
		}
		before := len(all)
		err = filepath.WalkDir(name+"/", func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != name+"/" && (!recursive || d.Name() == ".git" || excluded(path)):
				return fs.SkipDir
			case d.IsDir() || !slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)) || excluded(path):
				return nil
			}
			all = append(all, path)
			if info, err = os.Stat(path); err == nil && !info.Mode().IsRegular() {
				err = fmt.Errorf("%s: not a regular file", path) // a pipe could block
			}
			return err
		})
		if err == nil && len(all) == before {
			err = fmt.Errorf("%s: the directory has no .json, .yaml or .yml files", name)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ReadFile is Read for a file, or for stdin if the name is -. An error that is no [*Problem]
// is of the file. The iterator ends with the context, even while a pipe is silent.
func ReadFile(ctx context.Context, name string, stdin io.Reader) iter.Seq2[*Object, error] {
	return func(yield func(*Object, error) bool) {
		r, w := io.Pipe()
		defer r.Close()
		defer context.AfterFunc(ctx, func() { r.Close() })()
		source := name
		if name == "-" {
			source = "standard input"
		}
		go func() { w.CloseWithError(Copy(w, name, stdin)) }()
		for o, err := range Read(source, r) {
			if file := (*fs.PathError)(nil); errors.As(err, &file) {
				o, err = nil, file
			}
			if ctx.Err() != nil || !yield(o, err) {
				return
			}
		}
	}
}

// Copy copies the file, or stdin if the name is -. More than 256 MiB are an error.
func Copy(w io.Writer, name string, stdin io.Reader) error {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		stdin = f
	}
	n, err := io.Copy(w, io.LimitReader(stdin, maxCopied+1))
	if err == nil && n > maxCopied {
		err = fmt.Errorf("%s: more than %d MiB", Printable(name), maxCopied>>20)
	}
	return err
}
