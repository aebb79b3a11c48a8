package lint

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	yamlv3 "go.yaml.in/yaml/v3"

	rules "github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// The kinds of fixes, in the order in which they are made. Those of guess and other need
// --fix=all.
const (
	certain    = iota // of an invalid element, such as letter case and quotes
	guess             // of an invalid element
	equivalent        // of a valid list, which then means the same
	other             // of a valid list
)

// A mend is the fix of one element.
type mend struct {
	kind    int
	index   int
	text    string
	remove  bool // the element
	changes []change
}

// A change sets a field, renames it, or removes it if neither is set.
type change struct{ field, set, rename string }

var order = []string{"key", "operator", "value", "effect", "tolerationSeconds"}

// fieldsOf returns the fields as text, in order.
func fieldsOf(u toleration.Toleration) [5]string {
	seconds := ""
	if n, timed := u.Seconds(); timed {
		seconds = strconv.FormatInt(n, 10)
	}
	return [...]string{u.Key(), u.Operator().String(), u.Value(), u.Effect().String(), seconds}
}

// mendOf returns a fix of package match/lint, or nil.
func mendOf(f rules.Fix, index int) *mend {
	if f.IsZero() {
		return nil
	}
	m := &mend{kind: other, index: index, text: "remove it", remove: f.After.IsZero()}
	if f.Equivalent {
		m.kind = equivalent
	}
	if !m.remove {
		m.text = "replace it with " + f.After.String()
		was, is := fieldsOf(f.Before), fieldsOf(f.After)
		for i, name := range order {
			if was[i] != is[i] {
				m.changes = append(m.changes, change{field: name, set: is[i]})
			}
		}
	}
	return m
}

// mendProblem returns the fix of a problem of element i, nil if there is none. The name is
// the nearest one that is allowed.
func (l *list) mendProblem(i int, p *validate.Problem, name string, sure bool) *mend {
	e := &l.elements[i]
	f, found := e.find(p.Path)
	scalar := found && f.value.Kind == yamlv3.ScalarNode
	m := &mend{kind: certain, index: i}
	switch {
	case p.Rule == validate.NotString && scalar && f.value.Style == 0:
		raw := f.value.Value // valid within quotes?
		if p.Path == "value" && validate.Value(raw) != nil || p.Path != "value" && (p.Path != "key" || validate.Key(raw) != nil) {
			return nil
		}
		m.text, m.changes = "write "+strconv.Quote(raw), []change{{field: p.Path, set: raw}}
	case p.Rule == validate.NotWhole && scalar && f.value.Style != 0:
		if _, err := validate.Integer(f.value.Value); err != nil {
			return nil
		}
		m.text, m.changes = "write "+f.value.Value, []change{{field: p.Path, set: f.value.Value}}
	case p.Rule == toleration.SecondsEffect:
		m.kind, m.text, m.changes = guess, "remove tolerationSeconds, or write effect: NoExecute", []change{{field: "tolerationSeconds"}}
		if effect, _ := e.find("effect"); effect.parent["effect"] == nil || effect.parent["effect"] == "" {
			m.changes = []change{{field: "effect", set: "NoExecute"}}
		}
	case p.Rule == validate.NameUnknown && scalar && name != "":
		m.text, m.changes = "write "+name, []change{{field: p.Path, set: name}}
	case p.Rule == validate.FieldUnknown && name != "":
		if _, there := e.find(name); there {
			return nil
		}
		m.text, m.changes = "write "+name, []change{{field: p.Value, rename: name}}
	default:
		return nil
	}
	if name != "" && !sure {
		m.kind = guess
	}
	return m
}

// apply returns the list after its fixes.
func (l *list) apply(batch []*Finding) []any {
	type removed struct{}
	after := append([]any{}, l.values...)
	for _, f := range batch {
		object, _ := after[f.mend.index].(map[string]any)
		object = maps.Clone(object)
		for _, c := range f.mend.changes {
			v := object[c.field]
			if delete(object, c.field); c.rename != "" {
				object[c.rename] = v
			} else if c.field == "tolerationSeconds" && c.set != "" {
				object[c.field] = json.Number(c.set)
			} else if c.set != "" {
				object[c.field] = c.set
			}
		}
		if after[f.mend.index] = object; f.mend.remove {
			after[f.mend.index] = removed{}
		}
	}
	return slices.DeleteFunc(after, func(v any) bool { return v == removed{} })
}

// The bytes that are read again when a file is fixed are limited by these.
const (
	minReread = 1 << 20
	maxRounds = 40
)

// A mender fixes a file as far as possible, in rounds. Each changes several elements of
// each list, reads the result, and keeps what has the intended effect and no other.
type mender struct {
	*config
	all      bool
	most     map[int]int     // changes of a list, by its number, after some failed together
	rejected map[string]bool // findings that cannot be fixed
}

// id identifies a finding of a list in all rounds.
func (f *Finding) id() string {
	return strconv.Itoa(f.list.number) + f.Path + " " + f.Rule + " " + f.Message
}

// fix returns the document after the fixes, and the findings that were fixed. It reads at
// most *left bytes again.
func (c *config) fix(d *document, all bool, left *int) (after *document, done []*Finding) {
	m := &mender{c, all, make(map[int]int), make(map[string]bool)}
	was := d
	found := make(map[string]*Finding) // in the text before the fixes
	for _, f := range d.findings {
		found[f.id()] = f
	}
	origins := make([][]int, len(d.lists)) // the indices of the elements in it
	for i, l := range d.lists {
		for j := range l.elements {
			origins[i] = append(origins[i], j)
		}
	}
	for ; ; *left -= len(d.text) {
		batch := m.batch(d)
		if len(batch) == 0 {
			return d, done
		} else if *left < 0 {
			d.notes = append(d.notes, note{File: d.file, Line: d.before + 1, Message: "not everything was fixed, because many changes conflict; run the command again"})
			return d, done
		}
		next, bad := m.try(d, batch)
		for i, fs := range bad {
			if m.most[i] = len(fs) / 2; len(fs) == 1 {
				m.rejected[fs[0].id()] = true
			}
		}
		if next == nil {
			continue
		}
		for i, l := range was.lists {
			for _, f := range batch[i] {
				at := &origins[i][f.mend.index]
				f.Path = l.element(*at) + strings.TrimPrefix(f.Path, f.list.element(f.mend.index))
				if first := found[f.id()]; first != nil {
					f.Line, f.Column = first.Line, first.Column
				} else {
					f.at(was, l.elements[*at].node)
				}
				if f.mend.remove {
					*at = -1
				}
				done = append(done, f)
			}
			origins[i] = slices.DeleteFunc(origins[i], func(j int) bool { return j < 0 })
		}
		d = next
	}
}

// batch returns the findings to fix for each list that has some, by its number: those of
// the first kind that it has, one of an element, and not of two elements in a row to be
// removed.
func (m *mender) batch(d *document) map[int][]*Finding {
	batch := make(map[int][]*Finding)
	for kind := certain; kind <= other; kind++ {
		for _, f := range d.findings {
			i := f.list.number
			if f.mend == nil || f.mend.kind != kind || !m.all && (kind == guess || kind == other) || m.rejected[f.id()] {
				continue
			}
			if fs := batch[i]; len(fs) == 0 {
				batch[i] = []*Finding{f}
			} else if at := fs[len(fs)-1].mend.index; fs[0].mend.kind == kind && len(fs) != m.most[i] && (at < f.mend.index-1 || at == f.mend.index-1 && !f.mend.remove) {
				batch[i] = append(fs, f)
			}
		}
	}
	return batch
}

// try makes the changes. If they have another effect than intended, it returns those of
// the lists that cause this.
func (m *mender) try(d *document, batch map[int][]*Finding) (next *document, bad map[int][]*Finding) {
	var edits []udiff.Edit
	expected := make(map[int][]any)
	for i, fs := range batch {
		l := d.lists[i]
		for _, f := range fs {
			more, _ := d.edits(l, f.mend)
			edits = append(edits, more...)
		}
		expected[i] = l.apply(fs)
		l.parent[l.name] = expected[i]
		defer func() { l.parent[l.name] = l.values }()
	}
	text, err := udiff.Apply(d.text, edits)
	if err != nil {
		return nil, batch
	}
	next = m.check(d.file, d.before, text)
	if len(next.lists) != len(d.lists) || len(next.notes) != len(d.notes) {
		return nil, batch
	}
	bad = make(map[int][]*Finding)
	for i, fs := range batch {
		was, is := d.lists[i], next.lists[i]
		if !reflect.DeepEqual(append([]any{}, is.values...), expected[i]) ||
			fs[0].mend.kind <= guess && is.invalids > was.invalids || // a problem can hide others
			fs[0].mend.kind > guess && is.found > was.found-len(fs) {
			bad[i] = fs
		}
	}
	if len(bad) > 0 {
		return nil, bad
	} else if parts, _ := split(text); strings.TrimSpace(strings.Join(parts[1:], "")) != "" || !reflect.DeepEqual(d.value, next.value) {
		return nil, batch
	}
	return next, nil
}

// edits returns the edits of the text for a fix, or false if they are not safe.
func (d *document) edits(l *list, m *mend) ([]udiff.Edit, bool) {
	e := &l.elements[m.index]
	if l.shared || e.shared || target(l.value).Kind != yamlv3.SequenceNode {
		return nil, false
	}
	if !m.remove {
		return d.changes(e, m.changes)
	}
	edits, ok := d.remove(flow(l.value), "-", len(l.elements), m.index, func(i int) (begin, end *node) { return l.elements[i].node, l.elements[i].node })
	if len(l.elements) == 1 && !flow(l.value) { // write the empty list
		_, end, found := d.scalar(l.key)
		ok = ok && found && strings.HasPrefix(d.text[end:], ":")
		edits = append([]udiff.Edit{{Start: end + 1, End: end + 1, New: " []"}}, edits...)
	}
	return edits, ok
}

func flow(n *node) bool { return n.Style&yamlv3.FlowStyle != 0 }

// changes changes the fields of an element.
func (d *document) changes(e *element, changes []change) (edits []udiff.Edit, ok bool) {
	for _, c := range changes {
		i := slices.IndexFunc(e.fields, func(f field) bool { return f.name == c.field })
		if slices.ContainsFunc(e.fields, func(f field) bool { return f.shared }) || i < 0 && c.set == "" {
			return nil, false
		}
		var more []udiff.Edit
		switch {
		case i < 0:
			more, ok = d.add(e, c)
		case c.rename == "" && c.set == "":
			more, ok = d.remove(flow(e.node), "", len(e.fields), i, func(i int) (begin, end *node) { return e.fields[i].key, e.fields[i].value })
		default:
			n, text := e.fields[i].value, c.set
			if c.rename != "" {
				n, text = e.fields[i].key, c.rename
			}
			if c.rename != "" || c.field != "tolerationSeconds" {
				text = styled(n, text)
			}
			begin, end, found := d.scalar(n)
			more, ok = []udiff.Edit{{Start: begin, End: end, New: text}}, found && begin < end
		}
		if !ok {
			return nil, false
		}
		edits = append(edits, more...)
	}
	return edits, true
}
