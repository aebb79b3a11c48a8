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
	certain    = iota // of an invalid element, if only one fix is possible
	guess             // of an invalid element
	equivalent        // of a valid list, which then means the same
	other             // of a valid list
)

// A mend is the fix of one element.
type mend struct {
	kind    int
	index   int
	text    string
	key     string // of the toleration that replaces this one
	remove  bool   // the element
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
func mendOf(f rules.Fix) *mend {
	if f.IsZero() {
		return nil
	}
	m := &mend{kind: other, text: "remove it", key: f.After.Key(), remove: f.After.IsZero()}
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

// mendProblem returns the fix of a problem of element i, nil if there is none.
func (l *list) mendProblem(i int, p *validate.Problem) *mend {
	e := &l.elements[i]
	f, found := e.find(p.Path)
	scalar := found && f.value.Kind == yamlv3.ScalarNode
	name, sure := nearest(p.Value, p.Allowed)
	m := &mend{kind: certain}
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
func (l *list) apply(mends []*mend) []any {
	after := slices.Clone(l.values)
	removed := map[int]bool{}
	for _, m := range mends {
		object, _ := after[m.index].(map[string]any)
		object = maps.Clone(object)
		for _, c := range m.changes {
			v := object[c.field]
			if delete(object, c.field); c.rename != "" {
				object[c.rename] = v
			} else if c.field == "tolerationSeconds" && c.set != "" {
				object[c.field] = json.Number(c.set)
			} else if c.set != "" {
				object[c.field] = c.set
			}
		}
		after[m.index], removed[m.index] = object, m.remove
	}
	list := []any{}
	for i, v := range after {
		if !removed[i] {
			list = append(list, v)
		}
	}
	return list
}

// fix fixes a file as far as possible in a few rounds. Each round makes all changes that
// do not affect each other, reads the result, and is kept if it has the intended effect
// and no other. So the work is linear. It returns the findings that were fixed.
func (c *config) fix(r *result, all bool) (after *result, done []*Finding) {
	const maxRounds, maxTries = 10, 3
	type kindOf struct{ list, kind int }
	rejected := make(map[kindOf]bool)
	first := r
	for range maxRounds {
		for range maxTries {
			number := make(map[*list]int)
			for i, l := range r.lists {
				number[l] = i
			}
			batch := r.batch(all, func(l *list, kind int) bool { return rejected[kindOf{number[l], kind}] })
			if len(batch) == 0 {
				return r, done
			}
			next, bad := c.try(r, batch)
			if next == nil {
				for i := range bad {
					rejected[kindOf{i, batch[r.lists[i]][0].mend.kind}] = true
				}
				continue
			}
			for i, l := range r.lists {
				for _, f := range batch[l] {
					if r != first { // the original position of the list
						f.Line, f.Column = first.lists[i].value.Line, first.lists[i].value.Column
					}
					done = append(done, f)
				}
			}
			r = next
			break
		}
	}
	return r, done
}

// batch returns the findings of each list that can be fixed together: those of the first
// kind that it has, one for each element, and one for each key that is new.
func (r *result) batch(all bool, rejected func(l *list, kind int) bool) map[*list][]*Finding {
	batch := make(map[*list][]*Finding)
	for kind := certain; kind <= other; kind++ {
		index, keys := make(map[*list]map[int]bool), make(map[*list]map[string]bool)
		if (kind == guess || kind == other) && !all {
			continue
		}
		for _, f := range r.findings {
			switch m := f.mend; {
			case m == nil || m.kind != kind || rejected(f.list, kind):
				continue
			case batch[f.list] != nil && index[f.list] == nil: // of an earlier kind
				continue
			case index[f.list] == nil:
				index[f.list], keys[f.list] = make(map[int]bool), make(map[string]bool)
				fallthrough
			default:
				if index[f.list][m.index] || kind == other && !m.remove && keys[f.list][m.key] {
					continue
				}
				index[f.list][m.index], keys[f.list][m.key] = true, true
				batch[f.list] = append(batch[f.list], f)
			}
		}
	}
	return batch
}

// try makes the changes. If they have another effect than intended, it returns the
// numbers of the lists that cause this.
func (c *config) try(r *result, batch map[*list][]*Finding) (next *result, bad map[int]bool) {
	var edits []udiff.Edit
	bad = make(map[int]bool)
	expected := make([][]any, len(r.lists))
	for i, l := range r.lists {
		expected[i] = l.values
		if batch[l] == nil {
			continue
		}
		var mends []*mend
		for _, f := range batch[l] {
			mends = append(mends, f.mend)
		}
		more, ok := r.edits(l, mends)
		if !ok {
			bad[i] = true
			continue
		}
		edits, expected[i] = append(edits, more...), l.apply(mends)
		l.parent[l.name] = expected[i]
		defer func() { l.parent[l.name] = l.values }()
	}
	text, err := udiff.Apply(r.text, edits)
	if len(bad) > 0 {
		return nil, bad
	}
	next = c.check(newSource(r.name, text))
	aligned := err == nil && len(next.lists) == len(r.lists)
	for i, l := range r.lists {
		if batch[l] == nil {
			continue
		}
		if !aligned || !reflect.DeepEqual(append([]any{}, next.lists[i].values...), expected[i]) {
			bad[i] = true
			continue
		}
		// A problem hides others of its field, and findings of its element.
		if batch[l][0].mend.kind <= guess {
			bad[i] = next.lists[i].invalids > l.invalids
		} else {
			bad[i] = next.lists[i].found > l.found-len(batch[l])
		}
	}
	maps.DeleteFunc(bad, func(_ int, is bool) bool { return !is })
	same := slices.EqualFunc(r.docs, next.docs, func(a, b *document) bool { return reflect.DeepEqual(a.value, b.value) })
	if len(bad) == 0 && (!same || len(next.notes) != len(r.notes)) {
		for i, l := range r.lists {
			if batch[l] != nil {
				bad[i] = true
			}
		}
	}
	if len(bad) > 0 {
		return nil, bad
	}
	return next, nil
}

// edits returns the edits of the text for the fixes of one list, in order, or false if
// they are not safe.
func (r *result) edits(l *list, mends []*mend) (edits []udiff.Edit, ok bool) {
	if l.shared || target(l.value).Kind != yamlv3.SequenceNode {
		return nil, false
	}
	items := func(i int) (begin, end *node) { return l.elements[i].node, l.elements[i].node }
	removed := make(map[int]bool)
	for _, m := range mends {
		removed[m.index] = m.remove
	}
	for _, m := range mends {
		e := &l.elements[m.index]
		var more []udiff.Edit
		switch {
		case e.shared:
			return nil, false
		case m.remove && removed[m.index-1] && flow(l.value): // the edits of the first one remove this one too
			ok = true
		case m.remove:
			last := m.index
			for flow(l.value) && removed[last+1] {
				last++
			}
			more, ok = r.remove(flow(l.value), "-", len(l.elements), m.index, last, items)
		default:
			more, ok = r.changes(e, m.changes)
		}
		if !ok {
			return nil, false
		}
		edits = append(edits, more...)
	}
	if !flow(l.value) && len(mends) == len(l.elements) && !slices.ContainsFunc(mends, func(m *mend) bool { return !m.remove }) {
		// Nothing is left: write the empty list.
		_, end, ok := r.scalar(l.key)
		if !ok || !strings.HasPrefix(r.text[end:], ":") {
			return nil, false
		}
		edits = append(edits, udiff.Edit{Start: end + 1, End: end + 1, New: " []"})
	}
	udiff.SortEdits(edits)
	for i := 1; i < len(edits); i++ {
		if edits[i].Start < edits[i-1].End {
			return nil, false
		}
	}
	return edits, true
}

func flow(n *node) bool { return n.Style&yamlv3.FlowStyle != 0 }

// changes changes the fields of an element.
func (r *result) changes(e *element, changes []change) (edits []udiff.Edit, ok bool) {
	for _, c := range changes {
		i := slices.IndexFunc(e.fields, func(f field) bool { return f.name == c.field })
		if slices.ContainsFunc(e.fields, func(f field) bool { return f.shared }) || i < 0 && c.set == "" {
			return nil, false
		}
		var more []udiff.Edit
		switch {
		case i < 0:
			more, ok = r.add(e, c)
		case c.rename == "" && c.set == "":
			more, ok = r.remove(flow(e.node), "", len(e.fields), i, i, func(i int) (begin, end *node) { return e.fields[i].key, e.fields[i].value })
		default:
			n, text := e.fields[i].value, c.set
			if c.rename != "" {
				n, text = e.fields[i].key, c.rename
			}
			var begin, end int
			begin, end, ok = r.scalar(n)
			ok = ok && begin < end
			if c.rename != "" || c.field != "tolerationSeconds" {
				text = styled(n, text)
			}
			more = []udiff.Edit{{Start: begin, End: end, New: text}}
		}
		if !ok {
			return nil, false
		}
		edits = append(edits, more...)
	}
	return edits, true
}
