package taint

import (
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

// EditOptions are the options of [Apply]. By default, as in kubectl taint, it is an error
// to add a key and effect that the node has, and to remove what it does not have. With
// IgnoreAbsent and KeepExisting, Overwrite or ReplaceKey, edits are idempotent.
type EditOptions struct {
	// Overwrite replaces the taint with the key and effect of an added one. The time
	// added stays unless the edit sets one.
	Overwrite bool
	// ReplaceKey is Overwrite, and removes all other taints with the key.
	ReplaceKey bool
	// KeepExisting leaves a taint with the key and effect of an added one; with Overwrite
	// or ReplaceKey, only one with its value.
	KeepExisting bool
	// IgnoreAbsent allows removals of what is absent.
	IgnoreAbsent bool
	// TimeAdded, if not zero, is that of new NoExecute taints without one. It must be in
	// the years 1 to 9999.
	TimeAdded time.Time
}

func (o *EditOptions) overwrites() bool { return o.Overwrite || o.ReplaceKey }

// ParseEdits returns the edits of kubectl taint's arguments. No two may add the same key
// and effect, and none may remove what another adds.
func ParseEdits(texts ...string) ([]Edit, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	edits, unread := make([]Edit, 0, len(texts)), 0
	for _, text := range texts {
		e, err := parseEdit("", text)
		if edits = append(edits, e); err != nil {
			if unread++; unread == problem.Most {
				texts = texts[:len(edits)]
				break
			}
		}
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
		if len(ps) >= problem.Most {
			break
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

// Apply returns the taints of a node after the edits. New ones are appended. Removals are
// applied in order, so the second of "k-" and "k:NoSchedule-" fails. There is one error
// for each edit that the options or other edits do not allow.
func Apply(node List, edits []Edit, opts EditOptions) (List, error) {
	p := planOf(edits, &opts)
	hit := make([]bool, len(edits)) // by edit: whether it has touched a taint
	out := make(List, 0, len(node)+len(edits))
	for _, t := range node {
		i := p.find(t)
		switch {
		case i == untouched:
			out = append(out, t)
		case i == replaced:
		case !edits[i].remove && !hit[i]:
			out = append(out, opts.over(t, edits[i].taint))
			fallthrough
		default:
			hit[i] = true
		}
	}
	if ps := p.problems(hit); len(ps) > 0 {
		return nil, ps
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
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

func (p *plan) problems(hit []bool) (ps validate.Problems) {
	for i, e := range p.edits {
		rule, want := p.clash(i), ""
		switch {
		case rule != 0:
		case e.remove && !hit[i] && !p.opts.IgnoreAbsent:
			rule, want = validate.EditConflict, "not present; use IgnoreAbsent to allow this"
		case !e.remove && hit[i] && !p.opts.overwrites() && !p.opts.KeepExisting:
			rule, want = validate.EditConflict, "already present; use Overwrite to replace it"
		}
		if rule != 0 {
			problem := failing(i, e.String(), rule)
			problem.Want = want
			ps = append(ps, problem)
		}
	}
	if at := p.opts.TimeAdded; !value.InRange(at) {
		ps = append(ps, &validate.Problem{Path: "timeAdded", Value: at.String(), Rule: validate.TimeRange})
	}
	return ps
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
	first map[Edit]int // by what at searches for; nil if the list is short
}

func planOf(edits []Edit, opts *EditOptions) plan {
	p := plan{edits: edits, opts: opts}
	if len(edits) > set.Short {
		p.first = make(map[Edit]int)
		for i, e := range slices.Backward(edits) {
			p.first[Edit{e.taint.keyEffect(), e.remove}] = i
			if !e.remove {
				p.first[Edit{taint: e.taint.keyAlone()}] = i
			}
		}
	}
	return p
}

func (t Taint) keyAlone() Taint { return Taint(value.Taint(t).KeyAlone()) }

// at returns the index of the first edit that adds or removes taints with this key and
// effect, or len(p.edits). The effect 0 is that of an edit that removes all with the key,
// and any effect of one that adds.
func (p *plan) at(t Taint, remove bool) int {
	if p.first != nil {
		if i, ok := p.first[Edit{t.keyEffect(), remove}]; ok {
			return i
		}
		return len(p.edits)
	}
	key, effect := value.Taint(t).KeyHandle(), t.Effect()
	for i, e := range p.edits {
		if value.Taint(e.taint).KeyHandle() == key && e.remove == remove && (e.Effect() == effect || !remove && effect == 0) {
			return i
		}
	}
	return len(p.edits)
}

// removes returns the index of the first edit that removes the taint, or len(p.edits).
func (p *plan) removes(t Taint) int { return min(p.at(t, true), p.at(t.keyAlone(), true)) }

const (
	untouched = -1 // no edit touches the taint
	replaced  = -2 // ReplaceKey removes it
)

// find returns the index of the first edit that touches the taint, untouched or
// replaced.
func (p *plan) find(t Taint) int {
	switch i := min(p.at(t, false), p.removes(t)); {
	case i < len(p.edits):
		return i
	case p.opts.ReplaceKey && p.at(t.keyAlone(), false) < len(p.edits):
		return replaced
	}
	return untouched
}

// clash returns the rule that edit i breaks on every node, alone or together with
// the edits before it.
func (p *plan) clash(i int) validate.Rule {
	e := p.edits[i]
	switch {
	case e.IsZero():
		return validate.ZeroValue
	case p.at(e.taint, false) < i && !e.remove:
		return validate.Duplicate
	case p.at(e.taint, false) < i, !e.remove && p.removes(e.taint) < i:
		return validate.EditConflict
	}
	return 0
}
