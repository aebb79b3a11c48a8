package taint

import (
	"slices"
	"time"
	"unique"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

// EditOptions are the options of [Apply]. By default, as in kubectl taint, it is an
// error to add a key and effect that the node has, and to remove what it does not
// have. With IgnoreAbsent and one of KeepExisting, Overwrite and ReplaceKey, edits
// are idempotent.
type EditOptions struct {
	// Overwrite replaces the taint with the key and effect of an added one. The new
	// taint gets its place, and its time added unless the edit sets one.
	Overwrite bool
	// ReplaceKey is Overwrite, and also removes all other taints with the key of an
	// added one.
	ReplaceKey bool
	// KeepExisting leaves the taint with the key and effect of an added one
	// unchanged, whatever its value; with Overwrite or ReplaceKey, only if it has the
	// same value.
	KeepExisting bool
	// IgnoreAbsent allows removing what the node does not have.
	IgnoreAbsent bool
	// TimeAdded, if not zero, is set in whole seconds on new NoExecute taints that
	// have no time added. It must be in the years 1 to 9999.
	TimeAdded time.Time
}

func (o *EditOptions) overwrites() bool { return o.Overwrite || o.ReplaceKey }

// An Outcome is the word that kubectl taint prints for edits. It depends on the
// edits and the options, not on what they changed. The zero Outcome is that of
// failed edits, and its text is empty.
type Outcome uint8

const (
	Untainted Outcome = iota + 1 // edits that only remove, or none
	Tainted                      // edits that only add
	Modified                     // edits that do both, or any with Overwrite or ReplaceKey
)

const outcomeType = "taint.Outcome"

var outcomes = []string{"", "untainted", "tainted", "modified"}

// String returns the outcome's word.
func (o Outcome) String() string { return enum.String(o, outcomeType, outcomes) }

// AppendText implements [encoding.TextAppender].
func (o Outcome) AppendText(b []byte) ([]byte, error) {
	return enum.AppendText(b, o, outcomeType, outcomes)
}

// MarshalText implements [encoding.TextMarshaler].
func (o Outcome) MarshalText() ([]byte, error) { return o.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (o *Outcome) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(o, text, outcomeType, outcomes)
}

// ParseEdits returns the edits with those texts, such as the arguments of
// kubectl taint. No two may add the same key and effect, and none may remove what
// another adds. Paths of problems are such as "edits[2]".
func ParseEdits(texts ...string) ([]Edit, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	edits := make([]Edit, len(texts))
	for i, text := range texts {
		edits[i], _ = parseEdit("", text)
	}
	p := planOf(edits, &EditOptions{})
	var ps validate.Problems
	for i, text := range texts {
		switch rule := p.clash(i); rule {
		case 0:
		case validate.ZeroValue: // an edit that was not parsed
			_, err := parseEdit("", text)
			ps = problem.Append(ps, problem.Index("edits", i), err)
		default:
			ps = append(ps, failing(i, text, rule))
		}
	}
	if len(ps) > 0 {
		return nil, problem.In("taint.ParseEdits", ps)
	}
	return edits, nil
}

func failing(i int, text string, rule validate.Rule) *validate.Problem {
	return &validate.Problem{Path: problem.Index("edits", i), Value: text, Rule: rule}
}

// Apply returns the taints of a node after the edits. Taints keep their order, and
// new ones are appended in the order of the edits.
//
// The error is validate.Problems, and the list is then nil. Each edit has at most
// one problem: [validate.EditPresent] or [validate.EditAbsent], those of [ParseEdits] for edits that
// conflict, and validate.ZeroValue for the zero Edit. A TimeAdded out of range is
// validate.TimeRange. Removals are applied one after the other, so the second of
// "k-" and "k:NoSchedule-" is [validate.EditAbsent].
//
// For at most 32 edits it allocates only the list, and is O(len(node)·len(edits));
// for more it is linear.
func Apply(node List, edits []Edit, opts EditOptions) (List, Outcome, error) {
	p := planOf(edits, &opts)
	var room [short]bool
	hit := room[:] // by edit: whether it has touched a taint
	if len(edits) > short {
		hit = make([]bool, len(edits))
	}
	size := p.mark(node, hit)
	outcome, ps := p.check(hit)
	if len(ps) > 0 {
		return nil, 0, ps
	}
	if size == 0 {
		return nil, outcome, nil
	}
	clear(hit)
	return p.appendTo(make(List, 0, size), node, hit), outcome, nil
}

// mark sets hit for each edit that touches a taint of the node, and returns the
// number of taints after the edits.
func (p *plan) mark(node List, hit []bool) (size int) {
	for _, t := range node {
		switch i := p.find(t); {
		case i >= 0:
			hit[i] = true
		case i == untouched:
			size++
		}
	}
	for _, e := range p.edits {
		if !e.remove {
			size++
		}
	}
	return size
}

// check returns the outcome of the edits, or what is wrong with them.
func (p *plan) check(hit []bool) (Outcome, validate.Problems) {
	var ps validate.Problems
	adds, removes := false, false
	for i, e := range p.edits {
		rule := p.clash(i)
		switch {
		case rule != 0:
		case e.remove && !hit[i] && !p.opts.IgnoreAbsent:
			rule = validate.EditAbsent
		case !e.remove && hit[i] && !p.opts.overwrites() && !p.opts.KeepExisting:
			rule = validate.EditPresent
		}
		if rule != 0 {
			ps = append(ps, failing(i, e.String(), rule))
		}
		adds, removes = adds || !e.remove, removes || e.remove
	}
	if at := p.opts.TimeAdded; !value.InRange(at) {
		ps = append(ps, &validate.Problem{Path: "timeAdded", Value: at.String(), Rule: validate.TimeRange})
	}
	switch {
	case len(ps) > 0:
		return 0, ps
	case p.opts.overwrites() || adds && removes:
		return Modified, nil
	case adds:
		return Tainted, nil
	}
	return Untainted, nil
}

// appendTo appends the node's taints after the edits to out. It sets hit for each
// edit that touches a taint.
func (p *plan) appendTo(out, node List, hit []bool) List {
	for _, t := range node {
		i := p.find(t)
		if i == untouched {
			out = append(out, t)
		}
		if i < 0 {
			continue
		}
		if e := p.edits[i]; !e.remove && !hit[i] {
			out = append(out, p.opts.over(t, e.taint))
		}
		hit[i] = true
	}
	for i, e := range p.edits {
		switch {
		case e.remove || hit[i]:
		case e.Effect() == NoExecute:
			out = append(out, e.taint.timed(p.opts.TimeAdded))
		default:
			out = append(out, e.taint)
		}
	}
	return out
}

// over returns what the node's taint becomes when one with its key and effect is
// added.
func (o *EditOptions) over(t, added Taint) Taint {
	if o.KeepExisting && (!o.overwrites() || t.Canonical() == added.Canonical()) {
		return t
	}
	return added.timed(t.TimeAdded())
}

// timed returns the taint with that time added if it has none. The time must be
// in range.
func (t Taint) timed(at time.Time) Taint {
	if t == t.Canonical() {
		t, _ = t.WithTimeAdded(at)
	}
	return t
}

// A plan finds edits in a list.
type plan struct {
	edits []Edit
	opts  *EditOptions
	first map[target]int // the first edit of each target; nil for a short list
}

// A target is what an edit touches, and how. One that adds and has no effect
// represents all edits that add something under the key.
type target struct {
	key    unique.Handle[string]
	effect Effect
	remove bool
}

func planOf(edits []Edit, opts *EditOptions) plan {
	p := plan{edits: edits, opts: opts}
	if len(edits) > short {
		p.first = make(map[target]int, 2*len(edits))
		for i, e := range slices.Backward(edits) {
			p.first[target{value.Taint(e.taint).KeyHandle(), e.Effect(), e.remove}] = i
			if !e.remove {
				p.first[target{key: value.Taint(e.taint).KeyHandle()}] = i
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
		if value.Taint(e.taint).KeyHandle() == t.key && e.remove == t.remove && (e.Effect() == t.effect || !t.remove && t.effect == 0) {
			return i
		}
	}
	return len(p.edits)
}

const (
	untouched = -1 // no edit touches the taint
	replaced  = -2 // ReplaceKey removes it
)

// find returns the index of the first edit that touches the taint, untouched or
// replaced.
func (p *plan) find(t Taint) int {
	i := untouched
	if p.first == nil {
		i = slices.IndexFunc(p.edits, func(e Edit) bool { return e.Touches(t) })
	} else if at := min(
		p.at(target{value.Taint(t).KeyHandle(), t.Effect(), false}),
		p.at(target{value.Taint(t).KeyHandle(), t.Effect(), true}),
		p.at(target{value.Taint(t).KeyHandle(), 0, true}),
	); at < len(p.edits) {
		i = at
	}
	if i == untouched && p.opts.ReplaceKey && p.at(target{key: value.Taint(t).KeyHandle()}) < len(p.edits) {
		return replaced
	}
	return i
}

// clash returns the rule that edit i breaks on every node, alone or together with
// the edits before it.
func (p *plan) clash(i int) validate.Rule {
	e := p.edits[i]
	key, effect := value.Taint(e.taint).KeyHandle(), e.Effect()
	switch {
	case e.IsZero():
		return validate.ZeroValue
	case e.remove:
		if p.at(target{key, effect, false}) < i {
			return validate.EditConflict
		}
	case p.at(target{key, effect, false}) < i:
		return validate.Duplicate
	case min(p.at(target{key, effect, true}), p.at(target{key, 0, true})) < i:
		return validate.EditConflict
	}
	return 0
}
