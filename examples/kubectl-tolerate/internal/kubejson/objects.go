package kubejson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/toleration"
)

const (
	maxObject = 4 << 20 // bytes; the API server's own limit is near 1.5 MiB
	maxHeld   = 64 << 20
	maxLists  = 4 // lists within lists
)

var (
	errNoKind = errors.New("no kind")
	errLists  = fmt.Errorf("more than %d lists within each other", maxLists)
)

// Objects returns the objects of r in order, or in their place the problems:
// an error is always a *[Problem]. Items without a kind come after the others
// of their list when its own kind, which determines theirs, follows them.
//
// It reads r once, so the iterator works once. An input without any object is
// no problem when it holds an empty list, and one when it is empty.
//
// Of each object it reads what this package decodes, and the fields at more paths,
// such as "spec.nodeSelector", for [Object.Decode].
func Objects(source string, r io.Reader, more ...string) iter.Seq2[*Object, error] {
	return objects(source, r, maxObject, more...)
}

func objects(source string, r io.Reader, limit int64, more ...string) iter.Seq2[*Object, error] {
	return func(yield func(*Object, error) bool) {
		p := parser{source: source, in: newInput(r, limit), yield: yield, seen: make(map[string]toleration.List), wanted: newFields(more), empty: true}
		p.Decoder = jsontext.NewDecoder(p.in, jsontext.AllowDuplicateNames(true))
		var err error
		for err == nil {
			err = p.document()
		}
		p.end(err)
	}
}

type parser struct {
	*jsontext.Decoder
	in     *input
	source string
	yield  func(*Object, error) bool
	wanted fields
	seen   map[string]toleration.List
	empty  bool   // nothing was read yet
	at     frame  // what is being read
	text   []byte // what is kept of the objects that are being read
}

// A frame is where a value begins.
type frame struct {
	line  int
	place string
	level int // lists around it
}

// A list is what is known of a list while its items are read.
type list struct {
	head
	held []*Object // items without a kind, while that of the list is unknown
	size int       // of held, in bytes
}

func (p *parser) give(o *Object, err error) error {
	if !p.yield(o, err) {
		return errStop
	}
	return nil
}

func (p *parser) report(at frame, err error) error {
	return p.give(nil, &Problem{Source: p.source, Line: at.line, Place: at.place, Err: err})
}

// next returns the frame of the next value, and its kind.
func (p *parser) next(place string, level int) (frame, jsontext.Kind) {
	kind := p.PeekKind() // reads up to it
	ahead := bytes.TrimLeft(p.UnreadBuffer(), " \t\r\n,")
	return frame{p.in.lines - bytes.Count(ahead, []byte{'\n'}), place, level}, kind
}

// document reads what is next outside of all objects and lists.
func (p *parser) document() error {
	p.in.from = p.InputOffset()
	at, kind := p.next("", 0)
	p.empty = p.empty && kind == jsontext.KindInvalid
	return p.value(at, kind, nil)
}

func (p *parser) value(at frame, kind jsontext.Kind, in *list) (err error) {
	switch p.at = at; {
	case kind == '{':
		return p.object(at, in)
	case kind == '[' && at.level == 0:
		return p.items(at, "", nil)
	}
	value, err := p.ReadValue()
	if err != nil {
		return err
	}
	return p.report(at, fmt.Errorf("not an object: %s", shown(value)))
}

// items reads the elements of a list, each an object.
func (p *parser) items(list frame, place string, in *list) error {
	if _, err := p.ReadToken(); err != nil {
		return err
	}
	// The limit is for each item, and for the object around them without them.
	from, began := p.in.from, p.InputOffset()
	defer func() { p.in.from = from + p.InputOffset() - began }()
	for i := 0; ; i++ {
		p.in.from = p.InputOffset()
		at, kind := p.next(problem.Index(place, i), list.level+1)
		if kind == ']' {
			_, err := p.ReadToken()
			return err
		}
		if err := p.value(at, kind, in); err != nil {
			return err
		}
	}
}

// object reads an object: one to give to the caller, or the head of a list with
// the items in it.
func (p *parser) object(at frame, in *list) error {
	start := len(p.text)
	defer func() { p.text = p.text[:start] }()
	var items *list
	err := p.keep(p.wanted, func() error {
		if at.level >= maxLists {
			return errLists
		}
		repeated := items != nil
		if !repeated {
			items = new(list)
		}
		p.text = append(p.text, "[]"...)
		if repeated || decode(append(p.text[start:], '}'), &items.head) != nil { // as far as it was read
			items.head = head{}
		}
		if err := p.items(at, strings.TrimPrefix(at.place+".items", "."), items); err != nil {
			return err
		}
		p.at = at
		return nil
	})
	if err != nil {
		return err
	}
	return p.finish(&Object{Source: p.source, Line: at.line, Place: at.place, Raw: p.text[start:], seen: p.seen}, items, in)
}

// keep reads the next value, and appends it to p.text: of an object the wanted
// fields, and instead of a list of items what items does.
func (p *parser) keep(wanted fields, items func() error) error {
	if wanted == nil || p.PeekKind() != '{' {
		value, err := p.ReadValue()
		p.text = append(p.text, value...)
		return err
	}
	if _, err := p.ReadToken(); err != nil {
		return err
	}
	p.text = append(p.text, '{')
	for p.PeekKind() != '}' {
		name, err := p.ReadValue()
		if err != nil {
			return err
		}
		field := unquoted(name)
		below, ok := wanted[string(field)]
		if !ok {
			if _, err := p.ReadValue(); err != nil { // checks it, and is faster than SkipValue
				return err
			}
			continue
		}
		if p.text[len(p.text)-1] != '{' {
			p.text = append(p.text, ',')
		}
		p.text = append(append(p.text, name...), ':')
		list := items != nil && string(field) == "items"
		if list && p.PeekKind() == '[' {
			err = items()
		} else {
			err = p.keep(below, nil)
		}
		if err != nil {
			return err
		}
	}
	_, err := p.ReadToken()
	p.text = append(p.text, '}')
	return err
}

// finish gives an object to the caller, or what waited for the end of a list.
func (p *parser) finish(o *Object, items, in *list) error {
	var h head
	err := decode(o.Raw, &h)
	o.APIVersion, o.Kind, o.Namespace, o.Name = h.APIVersion, h.Kind, h.Metadata.Namespace, h.Metadata.Name
	if o.Name == "" && h.Metadata.GenerateName != "" {
		o.Name = h.Metadata.GenerateName + "*"
	}
	isList := items != nil || o.Kind == "List" || strings.HasSuffix(o.Kind, "List") && o.Name == ""
	if isList && err == nil {
		err = h.check()
	}
	if err != nil {
		h.Kind = "" // so the items have none
	}
	for _, err := range o.Problems(err) {
		if err := p.give(nil, err); err != nil {
			return err
		}
	}
	switch {
	case !isList && err == nil:
		return p.item(o, in)
	case items != nil:
		for _, o := range items.held {
			if err := p.item(o, &list{head: h, size: maxHeld}); err != nil {
				return err
			}
		}
	}
	return nil
}

// item gives an object to the caller once its kind is known, if only from the
// list that it is in: the items of a NodeList are nodes.
func (p *parser) item(o *Object, in *list) error {
	if o.Kind == "" && in != nil {
		if kind, ok := strings.CutSuffix(in.Kind, "List"); ok {
			o.Kind = kind
		}
		if o.APIVersion == "" {
			o.APIVersion = in.APIVersion
		}
		if in.size += 512 + len(o.Raw); o.Kind == "" && in.size < maxHeld {
			o.Raw = bytes.Clone(o.Raw)
			in.held = append(in.held, o)
			return nil
		}
	}
	if o.Kind == "" {
		return p.give(nil, o.problem(errNoKind))
	}
	return p.give(o, nil)
}

// shown returns the beginning of an unexpected text.
func shown(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return Printable(strings.ToValidUTF8(string(raw[:most]), "")) + "..."
	}
	return Printable(string(raw))
}
