package main

import (
	"slices"
	"sort"

	"github.com/aymanbagabas/go-udiff"
	"go.yaml.in/yaml/v4"

	"github.com/go-tolerate/tolerate/match/lint"
)

// A fixed is the result of fixing a source.
type fixed struct {
	text   string
	done   []*finding // findings that were fixed
	rest   *result    // of the fixed text
	reread int        // bytes that were read again
}

// Each attempt to fix a file reads the result again, to test it. These are the
// limits of the bytes that are read in this way. A few rounds are enough for the
// changes that can be made together; the others are found by bisection.
const (
	maxReread = 2 << 20
	maxTries  = 20 // of larger files
)

// A mender fixes one source.
type mender struct {
	*config
	fixed
	all      bool
	most     int              // limit of bytes read again
	rejected map[mending]bool // changes that could not be made
	made     []shifts         // in each round
}

// A mending identifies the change for one finding in all rounds.
type mending struct {
	document, list      int
	path, rule, message string
}

func (f *finding) mending() mending {
	return mending{f.list.index, f.list.number, f.path, f.rule, f.message}
}

// fix fixes a source; it changes the meaning of lists only if all is set. Each
// change is made in a copy first, and kept if it has only the intended effect.
func (c *config) fix(r *result, all bool) fixed {
	m := mender{
		config: c, fixed: fixed{text: r.source.text, rest: r}, all: all,
		most: max(maxReread, maxTries*len(r.source.text)), rejected: make(map[mending]bool),
	}
	for {
		batch := m.rest.batch(all, m.rejected)
		if len(batch) == 0 {
			break
		}
		a := m.settle(attempt{}, batch)
		if a.next == nil {
			if m.reread >= m.most {
				break
			}
			continue // the whole batch is rejected
		}
		for _, f := range a.batch {
			offset := f.begin
			for i := len(m.made) - 1; i >= 0; i-- {
				offset = m.made[i].before(offset)
			}
			gone := *f
			gone.line, gone.column = r.source.position(offset)
			gone.list = nil // so that the tree of this round can be freed
			m.done = append(m.done, &gone)
		}
		m.made = append(m.made, newShifts(a.edits))
		m.text, m.rest = a.next.source.text, a.next
	}
	if m.reread >= m.most {
		m.rest.failures = append(m.rest.failures, note{file: r.source.name, message: "not everything was fixed: too many changes conflict"})
	}
	return m.fixed
}

// An attempt is a set of changes, and the result after them.
type attempt struct {
	batch []*finding
	edits []udiff.Edit
	next  *result
}

// settle adds to an attempt as many findings of the batch as can be fixed
// together, and rejects the others.
func (m *mender) settle(a attempt, batch []*finding) attempt {
	if len(batch) == 0 || m.reread >= m.most {
		return a
	}
	both := slices.Concat(a.batch, batch)
	next, edits, blamed := m.try(m.rest, both)
	if next != nil {
		return attempt{both, edits, next}
	}
	var innocent, first, others []*finding
	met := make(map[elementOf]bool)
	for _, f := range batch {
		switch e := (elementOf{f.list, f.mend.index}); {
		case !blamed[e]:
			innocent = append(innocent, f)
		case !met[e]:
			met[e] = true
			first = append(first, f)
		default:
			others = append(others, f)
		}
	}
	switch {
	case len(first) > 0 && len(first) < len(batch): // other changes of the same elements failed
		return m.settle(m.settle(m.settle(a, innocent), first), others)
	case len(first) > 0, len(batch) == 1:
		for _, f := range batch {
			m.rejected[f.mending()] = true
		}
		return a
	}
	half := len(batch) / 2
	return m.settle(m.settle(a, batch[:half]), batch[half:])
}

// An elementOf is one element of a list.
type elementOf struct {
	list  *checked
	index int
}

// shifts holds the end of each edit, and how far it moved the text after it.
type shifts []struct{ from, by int }

func newShifts(edits []udiff.Edit) (s shifts) {
	longer := 0
	for _, e := range edits {
		from := e.Start + longer
		longer += len(e.New) - (e.End - e.Start)
		s = append(s, struct{ from, by int }{from, longer})
	}
	return s
}

// before returns the offset before the edits.
func (s shifts) before(offset int) int {
	i := sort.Search(len(s), func(i int) bool { return s[i].from > offset })
	if i == 0 {
		return offset
	}
	return offset - s[i-1].by
}

// batch returns the findings that can be fixed together: of each list all
// problems; if there are none, all findings whose fix is equivalent; otherwise the
// others, except those that give two tolerations the same key.
func (r *result) batch(all bool, rejected map[mending]bool) []*finding {
	type group struct {
		kinds [3][]*finding
		keys  map[string]bool
		names map[mend]bool // new names of fields
	}
	groups := make(map[*checked]*group)
	for _, f := range r.findings {
		if f.mend == nil || rejected[f.mending()] {
			continue
		}
		if _, ok := f.list.edits([]*mend{f.mend}); !ok {
			continue
		}
		if groups[f.list] == nil {
			groups[f.list] = &group{keys: make(map[string]bool), names: make(map[mend]bool)}
		}
		g := groups[f.list]
		fix := f.mend.fix
		switch {
		case fix.IsZero():
			if name := (mend{index: f.mend.index, rename: f.mend.rename}); name.rename != "" {
				if g.names[name] {
					continue // a field cannot be there twice
				}
				g.names[name] = true
			}
			g.kinds[0] = append(g.kinds[0], f)
		case fix.Equivalent:
			g.kinds[1] = append(g.kinds[1], f)
		case all && (fix.After.IsZero() || !g.keys[fix.After.Key()]):
			g.keys[fix.After.Key()] = true
			g.kinds[2] = append(g.kinds[2], f)
		}
	}
	var batch []*finding
	for _, l := range r.lists {
		if groups[l] == nil {
			continue
		}
		for _, k := range groups[l].kinds {
			if len(k) > 0 {
				batch = append(batch, k...)
				break
			}
		}
	}
	return batch
}

// try makes the changes, and returns the result after them. If they do not have
// the intended effect, it returns nil and the elements that cause this, if known.
func (m *mender) try(r *result, batch []*finding) (*result, []udiff.Edit, map[elementOf]bool) {
	var edits []udiff.Edit
	byList := make(map[*checked][]*mend)
	for _, f := range batch {
		byList[f.list] = append(byList[f.list], f.mend)
	}
	for _, l := range r.lists {
		if mends := byList[l]; mends != nil {
			more, ok := l.edits(mends)
			if !ok {
				return nil, nil, nil
			}
			edits = append(edits, more...)
		}
	}
	text, err := udiff.Apply(r.source.text, edits)
	if err != nil {
		return nil, nil, nil
	}
	m.reread += len(text)
	next := m.check(newSource(r.source.name, text))
	if len(next.failures) != len(r.failures) || len(next.lists) != len(r.lists) || !sameAround(r, next) {
		return nil, nil, nil
	}
	blamed := make(map[elementOf]bool)
	failed := false
	for i, l := range r.lists {
		if !mended(l, next.lists[i], byList[l]) {
			failed = true
			blame(blamed, l, next.lists[i], byList[l])
		}
	}
	if failed {
		return nil, nil, blamed
	}
	udiff.SortEdits(edits)
	return next, edits, nil
}

// blame adds the elements whose changes did not remove their problems. It adds
// none if fixes of package lint were made too.
func blame(blamed map[elementOf]bool, was, is *checked, mends []*mend) {
	made := make(map[int]int)
	for _, m := range mends {
		if !m.fix.IsZero() {
			return
		}
		made[m.index]++
	}
	for i, n := range made {
		if i < len(is.problems) && len(is.problems[i]) > len(was.problems[i])-n {
			blamed[elementOf{was, i}] = true
		}
	}
}

// mended reports whether the changes had the intended effect on the list, and
// removed their findings.
func mended(was, is *checked, mends []*mend) bool {
	gone := make(map[string]int)
	opened := make(map[int]bool) // elements that were invalid
	var fixes []lint.Fix
	for _, m := range mends {
		gone[m.rule]++
		if m.fix.IsZero() {
			opened[m.index] = true
		} else {
			fixes = append(fixes, m.fix)
		}
	}
	if !slices.Equal(leave(lint.Apply(was.tolerations, fixes...), opened), leave(is.tolerations, opened)) ||
		!slices.Equal(leave(was.taints, opened), leave(is.taints, opened)) {
		return false
	}
	before, after := was.found, is.found
	for rule := range after {
		// An element that was invalid can have new findings.
		if after[rule] > before[rule]-gone[rule] && (len(opened) == 0 || rule == ruleInvalid) {
			return false
		}
	}
	return true
}

// leave returns the list without these elements.
func leave[E any](list []E, without map[int]bool) []E {
	var out []E
	for i, e := range list {
		if !without[i] {
			out = append(out, e)
		}
	}
	return out
}

// sameAround reports whether the documents are the same except for the lists.
func sameAround(a, b *result) bool {
	lists := make(map[*yaml.Node]bool)
	for _, r := range []*result{a, b} {
		for _, l := range r.lists {
			lists[l.value] = true
		}
	}
	return slices.EqualFunc(a.docs, b.docs, func(a, b *document) bool { return sameNode(a.root, b.root, lists) })
}

func sameNode(a, b *yaml.Node, lists map[*yaml.Node]bool) bool {
	if lists[a] && lists[b] {
		return true
	}
	return a.Kind == b.Kind && a.Style == b.Style && a.Tag == b.Tag && a.Anchor == b.Anchor && a.Value == b.Value &&
		slices.EqualFunc(a.Content, b.Content, func(a, b *yaml.Node) bool { return sameNode(a, b, lists) })
}
