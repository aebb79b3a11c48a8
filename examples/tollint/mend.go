package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"go.yaml.in/yaml/v4"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A mend is a change of one element of a list that fixes a finding.
type mend struct {
	rule  string // of the finding
	index int
	// fix is set for a finding of package lint. Otherwise the value of the field is
	// replaced by write or, if rename is set, its name by rename.
	fix    lint.Fix
	field  string
	write  string
	rename string
}

func mendList(f lint.Fix) *mend { return &mend{fix: f} }

func (m *mend) removes() bool  { return !m.fix.IsZero() && m.fix.After.IsZero() }
func (m *mend) replaces() bool { return !m.fix.After.IsZero() }

// String describes the change.
func (m *mend) String() string {
	switch {
	case m.removes():
		return "remove it"
	case m.replaces():
		return "replace it with " + m.fix.After.String()
	case m.rename != "":
		return "write " + m.rename
	}
	return "write " + m.write
}

// mendProblem returns the change that fixes a problem of element i, nil if there
// is not exactly one.
func (l *checked) mendProblem(i int, p *validate.Problem) *mend {
	e := &l.elements[i]
	f, ok := e.find(p.Path)
	switch p.Rule {
	case validate.NotString:
		// Add quotes, if the text is valid within them.
		if ok && bare(f.value) && (p.Path == "value" && validate.Value(f.value.Value) == nil || p.Path == "key" && validate.Key(f.value.Value) == nil) {
			return &mend{field: p.Path, write: strconv.Quote(f.value.Value)}
		}
	case validate.NotWhole:
		if !ok || f.value.Kind != yaml.ScalarNode || bare(f.value) {
			return nil
		}
		if _, err := validate.Integer(f.value.Value); err == nil {
			return &mend{field: p.Path, write: f.value.Value}
		}
	case validate.NameUnknown:
		if name := meant(p.Value, p.Allowed); ok && name != "" {
			return &mend{field: p.Path, write: l.styled(f.value, name)}
		}
	case validate.FieldUnknown:
		f, ok := e.find(p.Value)
		if name := meant(p.Value, p.Allowed); ok && name != "" {
			if _, there := e.find(name); !there {
				return &mend{field: p.Value, rename: l.styled(f.key, name)}
			}
		}
	}
	return nil
}

// bare reports whether the node is a scalar without quotes.
func bare(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Style == 0 }

// meant returns the allowed name that differs from s only by case, '_' or '-'.
func meant(s string, allowed []string) string {
	fold := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for _, name := range allowed {
		if fold(name) == fold(s) {
			return name
		}
	}
	return ""
}

// styled returns the text in the quotes of the node.
func (l *checked) styled(like *yaml.Node, s string) string {
	switch {
	case like.Style&yaml.DoubleQuotedStyle != 0:
		return strconv.Quote(s)
	case like.Style&yaml.SingleQuotedStyle != 0:
		return "'" + s + "'"
	}
	return s
}

// edits returns the edits of the text for the changes of one list, false if they
// are not safe.
func (l *checked) edits(mends []*mend) (edits []udiff.Edit, ok bool) {
	if l.shared {
		return nil, false
	}
	removed := make(map[int]bool)
	for _, m := range mends {
		if m.removes() {
			removed[m.index] = true
		}
	}
	for _, m := range mends {
		e := &l.elements[m.index]
		if e.shared {
			return nil, false
		}
		var more []udiff.Edit
		switch {
		case m.removes():
			more, ok = l.remove(m.index, removed)
		case m.replaces():
			more, ok = l.replace(e, l.tolerations[m.index], m.fix.After)
		default:
			more, ok = l.rewrite(e, m)
		}
		if !ok {
			return nil, false
		}
		edits = append(edits, more...)
	}
	if len(removed) == len(l.elements) && !l.flow() {
		// Write the empty list.
		_, end, ok := l.scalar(l.key)
		colon := strings.IndexByte(l.text[end:], ':')
		if !ok || colon < 0 || strings.TrimLeft(l.text[end:end+colon], " ") != "" {
			return nil, false
		}
		edits = append(edits, insert(end+colon+1, " []"))
	}
	udiff.SortEdits(edits)
	for i := 1; i < len(edits); i++ {
		if edits[i].Start < edits[i-1].End {
			return nil, false
		}
	}
	return edits, true
}

func insert(at int, text string) udiff.Edit { return udiff.Edit{Start: at, End: at, New: text} }

// rewrite changes one scalar.
func (l *checked) rewrite(e *element, m *mend) ([]udiff.Edit, bool) {
	f, ok := e.find(m.field)
	node, text := f.value, m.write
	if m.rename != "" {
		node, text = f.key, m.rename
	}
	if !ok || f.shared {
		return nil, false
	}
	begin, end, ok := l.scalar(node)
	return []udiff.Edit{{Start: begin, End: end, New: text}}, ok && begin < end
}

// remove removes element i from the list. In flow style, it also removes the
// elements after it that are removed too, and returns no edits for these.
func (l *checked) remove(i int, removed map[int]bool) ([]udiff.Edit, bool) {
	begin, end, ok := l.span(l.elements[i].node)
	switch {
	case !ok:
		return nil, false
	case !l.flow():
		return l.removeLines(begin, end, "-")
	case removed[i-1]:
		return nil, true
	}
	var before, after int // of the elements around these
	if i > 0 {
		if before, ok = l.endOf(l.elements[i-1].node); !ok {
			return nil, false
		}
	}
	j := i + 1
	for ; removed[j]; j++ {
		next, stop, ok := l.span(l.elements[j].node)
		if !ok || !onlyComma(l.text[end:next]) {
			return nil, false
		}
		end = stop
	}
	last := j == len(l.elements)
	if !last {
		after = l.offset(l.elements[j].node)
	}
	return l.removeItem(begin, end, before, after, i == 0 && last)
}

// removeLines removes the lines from begin to end in block style, including
// comments at their ends, if only the mark is before them.
func (l *checked) removeLines(begin, end int, mark string) ([]udiff.Edit, bool) {
	from, _, _ := l.lineAt(begin)
	_, _, to := l.lineAt(end)
	if strings.TrimSpace(l.text[from:begin]) != mark {
		return nil, false
	}
	return []udiff.Edit{{Start: from, End: to}}, true
}

// removeItem removes the text from begin to end in flow style, and one comma. The
// next item begins at after, and the previous one ends at before; both are 0 if
// there is none.
func (l *checked) removeItem(begin, end, before, after int, all bool) ([]udiff.Edit, bool) {
	switch {
	case all:
	case after > 0 && onlyComma(l.text[end:after]):
		end = after
	case after == 0 && before > 0 && onlyComma(l.text[before:begin]):
		begin = before
	default:
		return nil, false
	}
	return []udiff.Edit{{Start: begin, End: end}}, true
}

func onlyComma(s string) bool { return strings.TrimSpace(s) == "," }

// order is the order of the fields of a toleration.
var order = []string{"key", "operator", "value", "effect", "tolerationSeconds"}

// replace changes one toleration into another, field by field.
func (l *checked) replace(e *element, old, by toleration.Toleration) (edits []udiff.Edit, ok bool) {
	was, is := fieldsOf(old), fieldsOf(by)
	for i, name := range order {
		f, there := e.find(name)
		var more []udiff.Edit
		ok := true
		switch {
		case was[i] == is[i]:
			continue
		case there && f.shared:
			return nil, false
		case there && is[i] == "":
			more, ok = l.removeField(e, f)
		case there:
			var begin, end int
			begin, end, ok = l.scalar(f.value)
			write := is[i]
			if name != "tolerationSeconds" {
				write = l.styled(f.value, write)
			}
			more = []udiff.Edit{{Start: begin, End: end, New: write}}
			ok = ok && begin < end
		default:
			more, ok = l.addField(e, i, is[i])
		}
		if !ok {
			return nil, false
		}
		edits = append(edits, more...)
	}
	return edits, true
}

// fieldsOf returns the fields as text, in order; "" for an absent field.
func fieldsOf(u toleration.Toleration) [5]string {
	seconds := ""
	if n, timed := u.Seconds(); timed {
		seconds = strconv.FormatInt(n, 10)
	}
	return [...]string{u.Key(), u.Operator().String(), u.Value(), u.Effect().String(), seconds}
}

// flow reports whether the element has the form {a: b}.
func (e *element) flow() bool { return target(e.node).Style&yaml.FlowStyle != 0 }

func (l *checked) removeField(e *element, f field) ([]udiff.Edit, bool) {
	begin := l.offset(f.key)
	end, ok := l.endOf(f.value)
	i := slices.IndexFunc(e.fields, func(g field) bool { return g.key == f.key })
	if !ok || slices.ContainsFunc(e.fields, func(g field) bool { return g.shared }) {
		return nil, false
	}
	var before, after int
	if i > 0 {
		if before, ok = l.endOf(e.fields[i-1].value); !ok {
			return nil, false
		}
	}
	if i+1 < len(e.fields) {
		after = l.offset(e.fields[i+1].key)
	}
	if e.flow() {
		return l.removeItem(begin, end, before, after, false)
	}
	if edits, ok := l.removeLines(begin, end, ""); ok {
		return edits, true
	}
	// The first field is on the line of the element's mark.
	if i == 0 && after > 0 && strings.TrimSpace(l.text[end:after]) == "" {
		return []udiff.Edit{{Start: begin, End: after}}, true
	}
	return nil, false
}

// addField adds field i after the one that precedes it in order.
func (l *checked) addField(e *element, i int, value string) ([]udiff.Edit, bool) {
	if len(e.fields) == 0 {
		return nil, false
	}
	at := e.fields[0]
	for _, name := range order[:i] {
		if f, ok := e.find(name); ok {
			at = f
		}
	}
	end, ok := l.endOf(at.value)
	if !ok || at.shared {
		return nil, false
	}
	name := l.styled(at.key, order[i])
	if order[i] != "tolerationSeconds" {
		value = l.styled(at.key, value)
	}
	if e.flow() {
		between := ", "
		if j := slices.IndexFunc(e.fields, func(g field) bool { return g.key == at.key }); j+1 < len(e.fields) {
			if s := l.text[end:l.offset(e.fields[j+1].key)]; onlyComma(s) {
				between = s
			}
		}
		return []udiff.Edit{insert(end, between+name+": "+value)}, true
	}
	from, _, _ := l.lineAt(l.offset(at.key))
	_, stop, next := l.lineAt(end)
	newline := l.text[stop:next]
	if newline == "" {
		newline = "\n"
	}
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, l.text[from:l.offset(at.key)])
	return []udiff.Edit{insert(stop, newline+indent+name+": "+value)}, true
}
