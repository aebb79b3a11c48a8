package kubejson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/validate"
)

const (
	maxObject = 64 << 20 // bytes; the API server's own limit is near 1.5 MiB
	maxLists  = 4        // lists within lists
)

var errNoKind = errors.New("no kind")

// Objects returns the objects of r in order, or in their place the problems:
// an error is always a *[Problem]. Items without a kind come after the others
// of their list when its own kind, which says theirs, follows them.
//
// It reads r once, so the iterator works once. An input without any object is
// no problem when it holds an empty list, and one when it is empty.
func Objects(source string, r io.Reader) iter.Seq2[*Object, error] {
	return objects(source, r, maxObject)
}

func objects(source string, r io.Reader, limit int64) iter.Seq2[*Object, error] {
	return func(yield func(*Object, error) bool) {
		p := parser{source: source, window: newWindow(r, limit), yield: yield}
		p.stream()
	}
}

type parser struct {
	*window
	source string
	yield  func(*Object, error) bool
	done   bool // the caller wants no more
	ended  bool // that the input ends too early is reported
}

// A frame is where the reader is: an object, or a list's head.
type frame struct {
	line  int
	place string
	level int // lists around it
}

func (p *parser) report(at frame, err error) {
	if !p.done {
		p.done = !p.yield(nil, &Problem{Source: p.source, Line: at.line, Place: at.place, Err: err})
	}
}

func (p *parser) stream() {
	if p.utf16() {
		p.report(frame{}, errors.New("is UTF-16; save it as UTF-8 (PowerShell: Out-File -Encoding utf8)"))
		return
	}
	for empty := true; !p.done; empty = false {
		p.skipMark()
		c, ok := p.peek()
		if !ok {
			if empty && p.err == io.EOF {
				p.report(frame{}, errors.New("is empty"))
			}
			break
		}
		at := frame{line: p.lineAt(p.pos)}
		switch c {
		case '{':
			p.object(at, nil)
		case '[':
			p.items(at, nil)
		default:
			p.other(at)
		}
	}
	if p.err != nil && p.err != io.EOF {
		p.report(frame{}, p.err)
	}
}

// utf16 reports whether the input begins with a byte order mark of UTF-16.
func (p *parser) utf16() bool {
	return p.ahead("\xff\xfe") || p.ahead("\xfe\xff")
}

// skipMark steps over UTF-8 byte order marks, which some editors write, and
// over the white space around them: files put together have them in the middle.
func (p *parser) skipMark() {
	for {
		p.peek()
		if !p.ahead("\ufeff") {
			return
		}
		p.pos += int64(len("\ufeff"))
	}
}

// ahead reports whether text comes next.
func (p *parser) ahead(text string) bool {
	p.keep = p.pos
	start, same := p.pos, true
	for i := 0; same && i < len(text); i++ {
		same = p.fill() && p.buf[p.pos-p.base] == text[i]
		p.pos++
	}
	p.pos, p.keep = start, -1
	return same
}

// other steps over what is no object and no list: over one value, or, when it
// is no JSON at all, to the next line that begins like some.
func (p *parser) other(at frame) {
	p.keep = p.pos
	start := p.pos
	ok := p.value()
	raw := []byte("(very long)")
	if !p.over {
		raw = bytes.Clone(p.bytes(start))
	}
	p.keep, p.over = -1, false
	if ok && json.Valid(raw) {
		p.report(at, fmt.Errorf("not an object: %s", shown(raw)))
		return
	}
	for p.fill() {
		rest := p.buf[p.pos-p.base:]
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			p.pos += int64(len(rest))
			continue
		}
		p.pos += int64(i) + 1
		if p.fill() && bytes.IndexByte([]byte("{["), p.buf[p.pos-p.base]) >= 0 {
			break
		}
	}
	err := fmt.Errorf("not JSON: %s", shown(raw))
	switch word := strings.TrimSpace(string(raw)); {
	case word == "apiVersion" || word == "kind" || word == "items" || strings.HasPrefix(word, "---"):
		err = errors.New("not JSON but YAML, it seems; run kubectl with -o json")
	case word == "NAME" || word == "NAMESPACE": // the first column's title
		err = errors.New("not JSON but a table, it seems; run kubectl with -o json")
	}
	p.report(at, err)
}

// shown returns the beginning of an unexpected text.
func shown(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return Printable(strings.ToValidUTF8(string(raw[:most]), "")) + "..."
	}
	return Printable(string(raw))
}

// object reads an object: one to give to the caller, or the head of a list with
// the items in it. An object without a kind is left to hold, when there is one.
func (p *parser) object(at frame, hold func(*Object)) {
	p.over, p.keep = false, p.pos
	segment := p.pos // what is not yet in head
	var head []byte  // of a list: the object without its items
	var held []*Object
	isList, open := false, false

	p.pos++
	for {
		c, ok := p.peek()
		if open = !ok; open {
			break
		}
		if c == '}' {
			p.pos++
			break
		}
		if c == ',' || c == ':' { // whether they are where they must be is checked with the whole
			p.pos++
			continue
		}
		key := p.pos
		if open = !p.value(); open {
			break
		}
		if c != '"' || p.over || !named(p.bytes(key), "items") {
			continue
		}
		if c, ok = p.peek(); !ok || c != ':' {
			continue
		}
		p.pos++
		if c, ok = p.peek(); !ok || c != '[' {
			continue
		}
		if at.level >= maxLists {
			p.report(at, fmt.Errorf("more than %d lists within each other", maxLists))
			p.ended = !p.close(1) || p.ended
			p.keep, p.over = -1, false
			return
		}
		isList = true
		if !p.over {
			head = append(append(head, p.bytes(segment)...), "[]"...)
		}
		p.keep = -1
		p.items(at, func(o *Object) { held = append(held, o) })
		segment, p.keep = p.pos, p.pos
	}
	raw, over := head, p.over
	if !over {
		if isList {
			raw = append(raw, p.bytes(segment)...)
		} else {
			raw = p.bytes(segment)
		}
	}
	p.keep, p.over = -1, false
	switch {
	case p.done:
	case open:
		p.reportEnd(at)
		p.release(at, held, &Object{})
	case over:
		p.report(at, fmt.Errorf("an object of more than %d MiB", p.limit>>20))
		p.release(at, held, &Object{})
	default:
		o, err := p.check(at, raw)
		switch {
		case err != nil:
			p.reportSyntax(at, raw, err, isList)
			p.release(at, held, &Object{})
		case isList:
			p.head(at, o)
			p.release(at, held, o)
		default:
			p.give(at, o, hold)
		}
	}
}

// named reports whether the JSON string raw is that name.
func named(raw []byte, name string) bool {
	if bytes.IndexByte(raw, '\\') < 0 {
		return len(raw) == len(name)+2 && string(raw[1:len(raw)-1]) == name
	}
	var s string
	return json.Unmarshal(raw, &s) == nil && s == name
}

// reportEnd reports once that the input ends before what it began.
func (p *parser) reportEnd(at frame) {
	if !p.ended && p.err == io.EOF {
		p.report(at, errors.New("not JSON: the input ends before this is closed"))
	}
	p.ended = true
}

func (p *parser) reportSyntax(at frame, raw []byte, err error, isList bool) {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		err = fmt.Errorf("not JSON: %w", syntax)
		if !isList { // a list's head has lost the lines of its items
			at.line += bytes.Count(raw[:min(max(int(syntax.Offset)-1, 0), len(raw))], []byte{'\n'})
		}
	}
	p.report(at, err)
}

func (p *parser) check(at frame, raw []byte) (*Object, error) {
	if !utf8.Valid(raw) { // encoding/json would replace what is invalid
		return nil, errors.New("not JSON: not UTF-8")
	}
	scan, err := apijson.NewScanner(raw)
	if err != nil {
		return nil, err
	}
	o := &Object{Source: p.source, Line: at.line, Place: at.place, Raw: raw, scan: scan}
	o.identify()
	return o, nil
}

// give hands an object to the caller, once it has a kind.
func (p *parser) give(at frame, o *Object, hold func(*Object)) {
	f, ps := o.Fields("kind", "apiVersion")
	_, ps = f[0].AsString("kind", ps)
	_, ps = f[1].AsString("apiVersion", ps)
	switch {
	case ps != nil:
		for _, problem := range o.Problems(ps.Err()) {
			p.done = p.done || !p.yield(nil, problem)
		}
	case o.Kind == "List" || strings.HasSuffix(o.Kind, "List") && o.Name == "":
		p.head(at, o) // without items, or with null: empty
	case o.Kind == "" && hold != nil:
		o.Raw, o.scan = bytes.Clone(o.Raw), apijson.Scanner{} // one copy is enough while it waits
		hold(o)
	case o.Kind == "":
		p.done = !p.yield(nil, o.problem(errNoKind))
	default:
		p.done = !p.yield(o, nil)
	}
}

// head reports what is wrong with a list besides its items.
func (p *parser) head(at frame, o *Object) {
	f, ps := o.Fields("kind", "items", "metadata.continue", "apiVersion")
	kind, ps := f[0].AsString("kind", ps)
	_, ps = f[3].AsString("apiVersion", ps)
	if v := f[1]; v.Kind != apijson.Absent && v.Raw() != "[]" {
		ps = append(ps, &validate.Problem{Path: "items", Value: v.Raw(), Rule: validate.NotList})
	}
	err := ps.Err()
	switch more, _ := f[2].AsString("", nil); {
	case err != nil:
	case kind != "" && !strings.HasSuffix(kind, "List"):
		err = fmt.Errorf("items in a %s, which is no list", Printable(kind))
	case more != "":
		err = errors.New("the list is incomplete (metadata.continue is set): request all of it")
	default:
		return
	}
	for _, problem := range o.Problems(err) {
		p.done = p.done || !p.yield(nil, problem)
	}
}

// release gives the items that waited for the kind of their list: those of a
// NodeList are nodes.
func (p *parser) release(at frame, held []*Object, list *Object) {
	kind := strings.TrimSuffix(list.Kind, "List")
	if kind == list.Kind {
		kind = ""
	}
	for _, o := range held {
		if p.done {
			return
		}
		o.scan, _ = apijson.NewScanner(o.Raw) // it was read before
		o.Kind = kind
		if o.APIVersion == "" {
			o.APIVersion = list.APIVersion
		}
		if kind == "" {
			p.done = !p.yield(nil, o.problem(errNoKind))
		} else {
			p.done = !p.yield(o, nil)
		}
	}
}

// items reads the elements of a list, each an object. Those without a kind are
// left to hold, when there is one.
func (p *parser) items(list frame, hold func(*Object)) {
	prefix := list.place
	if hold != nil {
		prefix = strings.TrimPrefix(prefix+".items", ".")
	}
	p.pos++
	for i, commas := 0, 0; !p.done; {
		c, ok := p.peek()
		if !ok {
			p.reportEnd(list)
			return
		}
		at := frame{line: p.lineAt(p.pos), place: problem.Index(prefix, i), level: list.level + 1}
		switch c {
		case ',':
			p.pos++
			commas++
			continue
		case ']':
			if commas > 0 {
				p.report(at, errors.New("not JSON: a comma too many"))
			}
			p.pos++
			return
		}
		if commas != min(i, 1) {
			p.report(at, fmt.Errorf("not JSON: %d commas before it", commas))
		}
		i, commas = i+1, 0
		if c == '{' {
			p.object(at, hold)
			continue
		}
		p.keep = p.pos
		start := p.pos
		if !p.value() {
			p.reportEnd(at)
		} else if !p.over {
			p.report(at, fmt.Errorf("not an object: %s", shown(p.bytes(start))))
		} else {
			p.report(at, errors.New("not an object"))
		}
		p.keep, p.over = -1, false
	}
}
