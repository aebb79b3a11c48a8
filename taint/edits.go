package taint

import (
	"slices"
	"time"
	"unique"

	"github.com/go-tolerate/tolerate/validate"
)

// An Outcome is what edits have done to a node, in the words that kubectl
// taint prints. The zero Outcome is none: that of edits that failed.
type Outcome uint8

const (
	// Untainted is the outcome of edits that only remove, or of none at all.
	Untainted Outcome = iota + 1
	// Tainted is the outcome of edits that only add.
	Tainted
	// Modified is the outcome of edits that add and remove, and of all that
	// may overwrite.
	Modified
)

var outcomes = [...]string{"", "untainted", "tainted", "modified"}

// String returns the outcome's word, "" for the zero Outcome.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return ""
}

// EditOptions says how edits are applied. The zero value is kubectl's own way.
type EditOptions struct {
	// Overwrite lets an edit that adds take the place of a taint with the same
	// key and effect, whatever its value, where that is an error otherwise.
	Overwrite bool
	// TimeAdded is the time, in whole seconds, that new taints with the effect
	// NoExecute get when their edits set none; absent when zero. A time outside
	// the years 1 to 9999 is an error, as it is in a taint.
	TimeAdded time.Time
}

// ParseEdits returns the edits that the texts write, such as the arguments of
// one kubectl taint. See [ParseEdit] for their form.
//
// No two edits may add the same key and effect, and none may remove what
// another adds. The error tells all problems, with paths such as "edits[2]",
// and comes with a nil list. It allocates the list alone when the strings are
// known and there are at most 32 of them.
func ParseEdits(texts ...string) ([]Edit, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	edits := make([]Edit, len(texts))
	for i, text := range texts {
		edits[i], _ = parseEdit("", text)
	}
	p := planOf(edits)
	var ps validate.Problems
	for i, text := range texts {
		switch rule := p.clash(i); rule {
		case 0:
		case validate.ZeroValue: // as every edit that could not be read
			_, err := parseEdit("", text)
			ps = validate.Append(ps, validate.Index("edits", i), err)
		default:
			ps = append(ps, failing(i, text, rule))
		}
	}
	if len(ps) > 0 {
		return nil, ps
	}
	return edits, nil
}

func failing(i int, text string, rule validate.Rule) *validate.Problem {
	return &validate.Problem{Path: validate.Index("edits", i), Value: text, Rule: rule}
}

// Apply returns what the edits make of a node's taints, and the outcome.
//
// Taints keep their order, and new ones come last, in the order of the edits.
// What no edit touches stays as it is. A taint that is overwritten keeps its
// place and its time added, unless the edit's taint has a time added: then it
// gets that. Of repeated taints, which no node has, the first is overwritten
// and the others go.
//
// It is an error to add a key and effect that the node has, unless opts say
// that edits overwrite; to remove what the node does not have, or what an
// earlier edit has removed already; and what [ParseEdits] tells of edits that
// clash. The error tells all problems, one for an edit at most, with paths
// such as "edits[2]", and comes with a nil list and the zero Outcome.
//
// It allocates the list alone, and nothing when that is empty, for at most 32
// edits; it is O(len(node)·len(edits)), and O(len(node)+len(edits)) for more.
func Apply(node []Taint, edits []Edit, opts EditOptions) ([]Taint, Outcome, error) {
	out, outcome, err := AppendApply(nil, node, edits, opts)
	return out, outcome, err
}

// AppendApply appends what [Apply] returns to dst, which may be node[:0]: then
// node is edited where it stands. On an error it returns dst unchanged, and
// has written nothing. It does not allocate when dst has room, for at most 32
// edits.
func AppendApply(dst, node []Taint, edits []Edit, opts EditOptions) ([]Taint, Outcome, error) {
	p := planOf(edits)
	var room [short]bool
	hit := room[:] // by edit: whether it has touched a taint
	if len(edits) > short {
		hit = make([]bool, len(edits))
	}
	size := 0
	for _, t := range node {
		i := p.find(t)
		if i < 0 {
			size++
		} else {
			hit[i] = true
		}
	}
	var ps validate.Problems
	adds, removes := false, false
	for i, e := range edits {
		rule := p.clash(i)
		switch {
		case rule != 0:
		case e.remove && !hit[i]:
			rule = validate.Missing
		case !e.remove && hit[i] && !opts.Overwrite:
			rule = validate.Present
		}
		if rule != 0 {
			ps = append(ps, failing(i, e.String(), rule))
		}
		if e.remove {
			removes = true
		} else {
			adds = true
			size++
		}
	}
	if !inRange(opts.TimeAdded) {
		ps = append(ps, &validate.Problem{Path: "timeAdded", Value: opts.TimeAdded.String(), Rule: validate.TimeRange})
	}
	if len(ps) > 0 {
		return dst, 0, ps
	}
	out := slices.Grow(dst, size)
	clear(hit)
	for _, t := range node {
		i := p.find(t)
		switch {
		case i < 0:
			out = append(out, t)
		case !edits[i].remove && !hit[i]:
			out = append(out, edits[i].taint.timed(t.TimeAdded()))
		}
		if i >= 0 {
			hit[i] = true
		}
	}
	for i, e := range edits {
		switch {
		case e.remove || hit[i]:
		case e.Effect() == NoExecute:
			out = append(out, e.taint.timed(opts.TimeAdded))
		default:
			out = append(out, e.taint)
		}
	}
	switch {
	case opts.Overwrite || adds && removes:
		return out, Modified, nil
	case adds:
		return out, Tainted, nil
	}
	return out, Untainted, nil
}

// timed returns the taint with that time added when it has none. The time must
// be in range.
func (t Taint) timed(at time.Time) Taint {
	if t == t.Canonical() {
		t, _ = t.WithTimeAdded(at)
	}
	return t
}

// A plan finds edits in a list.
type plan struct {
	edits []Edit
	first map[target]int // where each stands first; nil while the list is short
}

// A target is what an edit touches, and how. One that adds and has no effect
// stands for all edits that add something under the key.
type target struct {
	key    unique.Handle[string]
	effect Effect
	remove bool
}

func planOf(edits []Edit) plan {
	p := plan{edits: edits}
	if len(edits) > short {
		p.first = make(map[target]int, 2*len(edits))
		for i, e := range slices.Backward(edits) {
			p.first[target{e.taint.key, e.Effect(), e.remove}] = i
			if !e.remove {
				p.first[target{key: e.taint.key}] = i
			}
		}
	}
	return p
}

// at returns the index of the first edit with the target, len(p.edits) when
// there is none.
func (p *plan) at(t target) int {
	if p.first != nil {
		if i, ok := p.first[t]; ok {
			return i
		}
		return len(p.edits)
	}
	for i, e := range p.edits {
		if e.taint.key == t.key && e.remove == t.remove && (e.Effect() == t.effect || !t.remove && t.effect == 0) {
			return i
		}
	}
	return len(p.edits)
}

// find returns the index of the first edit that touches the taint, -1 when
// none does.
func (p *plan) find(t Taint) int {
	if p.first == nil {
		return slices.IndexFunc(p.edits, func(e Edit) bool { return e.Touches(t) })
	}
	i := min(
		p.at(target{t.key, t.Effect(), false}),
		p.at(target{t.key, t.Effect(), true}),
		p.at(target{t.key, 0, true}),
	)
	if i == len(p.edits) {
		return -1
	}
	return i
}

// clash returns the rule that edit i breaks whatever the node, by itself or
// beside the edits before it.
func (p *plan) clash(i int) validate.Rule {
	e := p.edits[i]
	key, effect := e.taint.key, e.Effect()
	switch {
	case e.IsZero():
		return validate.ZeroValue
	case e.remove:
		if p.at(target{key, effect, false}) < i {
			return validate.Conflict
		}
	case p.at(target{key, effect, false}) < i:
		return validate.Duplicate
	case min(p.at(target{key, effect, true}), p.at(target{key, 0, true})) < i:
		return validate.Conflict
	}
	return 0
}
