package main

import (
	"fmt"
	"slices"

	"github.com/aymanbagabas/go-udiff"
	"go.yaml.in/yaml/v4"

	"github.com/go-tolerate/tolerate/match/lint"
)

// A fixed source is one that was mended.
type fixed struct {
	text string
	done []*finding // what is gone
	rest *result    // what is left
}

// rounds is how often a file is mended anew. A round that mends nothing is the
// last one, and every other one mends something, so it is reached by files with
// very many findings only.
const rounds = 1000

// fix mends what can be mended: what changes the meaning only if all is set.
// Each change is made in a copy first and kept if it does what it should and
// nothing else.
func (c *config) fix(r *result, all bool) fixed {
	out := fixed{text: r.source.text, rest: r}
	var made [][]udiff.Edit
	keep := func(next *result, edits []udiff.Edit, batch ...*finding) {
		for _, f := range batch {
			f.line, f.column = r.source.position(original(made, f.begin))
		}
		made = append(made, edits)
		out.text, out.rest = next.source.text, next
		out.done = append(out.done, batch...)
	}
	given := make(map[string]bool) // what could not be mended
	for range rounds {
		batch := out.rest.batch(all, given)
		if len(batch) == 0 {
			break
		}
		if next, edits := c.try(out.rest, batch); next != nil {
			keep(next, edits, batch...)
			continue
		}
		for _, f := range batch {
			if next, edits := c.try(out.rest, []*finding{f}); next != nil {
				keep(next, edits, f)
				break // the others stand elsewhere now
			}
			given[f.key()] = true
		}
	}
	return out
}

// original returns where what is at the offset was before the edits of several
// rounds.
func original(made [][]udiff.Edit, offset int) int {
	for i := len(made) - 1; i >= 0; i-- {
		longer := 0
		for _, e := range made[i] {
			if e.Start+longer > offset {
				break
			}
			longer += len(e.New) - (e.End - e.Start)
		}
		offset -= longer
	}
	return offset
}

// key tells findings apart.
func (f *finding) key() string {
	return fmt.Sprintln(f.list.index, f.list.id, f.path, f.rule, f.message)
}

// batch returns the findings that can be mended at once: in each list all
// problems; if it has none, all findings whose mends leave its meaning; or else
// one of the others.
func (r *result) batch(all bool, given map[string]bool) []*finding {
	kinds := make(map[*checked]*[3][]*finding)
	for _, f := range r.findings {
		if f.mend == nil || given[f.key()] {
			continue
		}
		if _, ok := f.list.edits([]*mend{f.mend}); !ok {
			continue
		}
		if kinds[f.list] == nil {
			kinds[f.list] = new([3][]*finding)
		}
		k := kinds[f.list]
		switch {
		case f.mend.fix.IsZero():
			k[0] = append(k[0], f)
		case f.mend.fix.Same:
			k[1] = append(k[1], f)
		case all && k[2] == nil:
			k[2] = []*finding{f}
		}
	}
	var batch []*finding
	for _, l := range r.lists {
		if kinds[l] == nil {
			continue
		}
		for _, k := range kinds[l] {
			if len(k) > 0 {
				batch = append(batch, k...)
				break
			}
		}
	}
	return batch
}

// try makes the changes, and returns what is found then; nil when they are not
// what they should be.
func (c *config) try(r *result, batch []*finding) (*result, []udiff.Edit) {
	var edits []udiff.Edit
	byList := make(map[*checked][]*mend)
	for _, f := range batch {
		byList[f.list] = append(byList[f.list], f.mend)
	}
	for _, l := range r.lists {
		if mends := byList[l]; mends != nil {
			more, ok := l.edits(mends)
			if !ok {
				return nil, nil
			}
			edits = append(edits, more...)
		}
	}
	text, err := udiff.Apply(r.source.text, edits)
	if err != nil {
		return nil, nil
	}
	next := c.check(newSource(r.source.name, text))
	if len(next.failures) != len(r.failures) || len(next.lists) != len(r.lists) || !sameAround(r, next) {
		return nil, nil
	}
	for i, l := range r.lists {
		if !mended(l, next.lists[i], byList[l]) {
			return nil, nil
		}
	}
	udiff.SortEdits(edits)
	return next, edits
}

// mended reports whether the list says what it should after the mends, and
// what is found in it has become less.
func mended(was, is *checked, mends []*mend) bool {
	gone := make(map[string]int)
	opened := make(map[int]bool) // elements that were not valid
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
		// What could not be looked at may have come to light.
		if after[rule] > before[rule]-gone[rule] && (len(opened) == 0 || rule == ruleInvalid) {
			return false
		}
	}
	return true
}

// leave returns the list without those elements.
func leave[E any](list []E, without map[int]bool) []E {
	var out []E
	for i, e := range list {
		if !without[i] {
			out = append(out, e)
		}
	}
	return out
}

// sameAround reports whether the documents say the same but for the lists.
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
