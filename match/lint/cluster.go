package lint

import (
	"strconv"
	"unique"

	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// A Cluster finds tolerations that match no taint of a cluster, and taints that
// no pod tolerates. The zero Cluster is empty.
//
// It ignores temporary taints, which are those of [condition.Temporary] and of
// nodes that were shut down, and tolerations with their keys or without a key.
//
// Its size depends on the number of distinct taints and tolerations. A used
// Cluster must not be copied: a copy's methods panic. It must not be used
// concurrently with AddNode or AddPod, which do not allocate for known taints
// and tolerations.
type Cluster struct {
	guard       nocopy.Guard
	taints      inventory[taint.Taint]
	tolerations inventory[toleration.Toleration]
}

// An inventory holds the distinct values of all owners (nodes or pods) in the
// order in which they were added.
type inventory[V comparable] struct {
	owners  int
	at      map[V]int // indices in entries by canonical value
	entries []entry[V]
}

type entry[V comparable] struct {
	value       V // as it was added first
	first, last int
	position    match.Position
	count       int // of owners
}

func (s *inventory[V]) add(value, canonical V, p match.Position) {
	k, ok := s.at[canonical]
	if !ok {
		if s.at == nil {
			s.at = make(map[V]int)
		}
		s.at[canonical] = len(s.entries)
		s.entries = append(s.entries, entry[V]{value, s.owners, s.owners, p, 1})
		return
	}
	if e := &s.entries[k]; e.last != s.owners {
		e.last = s.owners
		e.count++
	}
}

// AddNode adds a node, which need not exist yet.
func (c *Cluster) AddNode(taints taint.List) {
	c.guard.Check("lint.Cluster")
	for i, t := range taints {
		if !t.IsZero() {
			c.taints.add(t, t.Canonical(), match.Position{Index: i})
		}
	}
	c.taints.owners++
}

// AddPod adds a pod with the tolerations of all lists.
func (c *Cluster) AddPod(tolerations ...toleration.List) {
	c.guard.Check("lint.Cluster")
	for n, list := range tolerations {
		for i, u := range list {
			if !u.IsZero() {
				c.tolerations.add(u, u.Canonical(), match.Position{List: n, Index: i})
			}
		}
	}
	c.tolerations.owners++
}

// A ClusterFinding is a probable mistake in a cluster, comparable with ==. Its
// texts may change.
type ClusterFinding struct {
	Check    Check    `json:"check"`
	Severity Severity `json:"severity"`
	// Toleration is set for UnneededToleration, Taint for UntoleratedTaint.
	Toleration toleration.Toleration `json:"toleration,omitzero"`
	Taint      taint.Taint           `json:"taint,omitzero"`
	// First is the number, from 0, of the first pod or node that has it, and
	// Position is where. The list of a node is list 0.
	First    int            `json:"first"`
	Position match.Position `json:"position"`
	// Count is the number of pods or nodes that have it.
	Count int `json:"count"`
	// KeyInUse means that some taint has the key of the toleration.
	KeyInUse bool `json:"keyInUse"`
}

// Findings returns a finding for each distinct toleration, then for each distinct
// taint, in the order in which they were added. It omits tolerations that match
// no valid taint, which [Find] reports. It takes linear time.
func (c *Cluster) Findings(opts Options) []ClusterFinding {
	skip := newCheckSet(opts.Skip)
	if c.taints.owners+c.tolerations.owners > 0 { // an empty one may be used concurrently
		c.guard.Check("lint.Cluster")
	}
	var found []ClusterFinding
	if !skip.has(UnneededToleration) {
		found = c.unneeded(found)
	}
	if !skip.has(UntoleratedTaint) {
		found = c.untolerated(found)
	}
	return found
}

var temporary = func() condition.Selector {
	s, err := condition.ParseSelector(condition.Temporary().String() + "," + condition.OutOfService + "," + condition.CloudShutdown)
	if err != nil {
		panic(err)
	}
	return s
}()

// A spot is a key, a value and an effect, or a key and an effect alone.
type spot struct {
	key, value unique.Handle[string]
	effect     taint.Effect
}

// A span is the taints with the least and the greatest number.
type span struct{ least, greatest taint.Taint }

// A taintIndex finds a taint that a toleration with a key matches.
type taintIndex struct {
	any, exact map[spot]taint.Taint
	spans      map[spot]span
}

func (c *Cluster) indexTaints() taintIndex {
	x := taintIndex{make(map[spot]taint.Taint), make(map[spot]taint.Taint), make(map[spot]span)}
	for i := range c.taints.entries {
		t := c.taints.entries[i].value
		v := value.Taint(t)
		any := spot{key: v.KeyHandle(), effect: t.Effect()}
		x.any[any] = t
		x.exact[spot{v.KeyHandle(), v.ValueHandle(), t.Effect()}] = t
		if n, ok := t.Integer(); ok {
			s, known := x.spans[any]
			if m, _ := s.least.Integer(); !known || n < m {
				s.least = t
			}
			if m, _ := s.greatest.Integer(); !known || n > m {
				s.greatest = t
			}
			x.spans[any] = s
		}
	}
	return x
}

// match reports whether u matches one of the taints, and whether one of them has
// its key.
func (x *taintIndex) match(u toleration.Toleration) (matches, keyInUse bool) {
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		any := spot{key: keyOf(&u), effect: e}
		t, ok := x.any[any]
		keyInUse = keyInUse || ok
		numbers := x.spans[any]
		matches = matches || u.Tolerates(t) || u.Tolerates(x.exact[spot{keyOf(&u), valueOf(&u), e}]) ||
			u.Tolerates(numbers.least) || u.Tolerates(numbers.greatest)
	}
	return matches, keyInUse
}

func (c *Cluster) unneeded(found []ClusterFinding) []ClusterFinding {
	x := c.indexTaints()
	for _, e := range c.tolerations.entries {
		u := e.value
		if keyOf(&u) == anyKey || cover.Empty(u) {
			continue
		}
		if t, _ := taint.New(u.Key(), "", taint.NoSchedule); temporary.Has(t) { // only by its key
			continue
		}
		if matches, keyInUse := x.match(u); !matches {
			found = append(found, ClusterFinding{
				Check: UnneededToleration, Severity: UnneededToleration.Severity(),
				Toleration: u, First: e.first, Position: e.position, Count: e.count, KeyInUse: keyInUse,
			})
		}
	}
	return found
}

// A form is a toleration without its seconds and, for Lt and Gt, its value.
type form struct {
	key, value unique.Handle[string]
	op         toleration.Operator // not absent
	effect     taint.Effect
}

func formOf(u *toleration.Toleration) form {
	f := form{keyOf(u), valueOf(u), max(u.Operator(), toleration.Equal), u.Effect()}
	if u.IsNumeric() {
		f.value = anyKey // no value
	}
	return f
}

// indexTolerations returns the tolerations by form; of several with Lt or Gt the
// one that matches most.
func (c *Cluster) indexTolerations() map[form]toleration.Toleration {
	x := make(map[form]toleration.Toleration)
	for i := range c.tolerations.entries {
		u := c.tolerations.entries[i].value.WithoutSeconds()
		if f := formOf(&u); cover.Covers(u, x[f]) {
			x[f] = u
		}
	}
	return x
}

// tolerated reports whether a toleration with the key of t matches t.
func tolerated(x map[form]toleration.Toleration, t taint.Taint) bool {
	v := value.Taint(t)
	for _, e := range [...]taint.Effect{0, t.Effect()} {
		for _, op := range [...]toleration.Operator{toleration.Exists, toleration.Lt, toleration.Gt} {
			if x[form{key: v.KeyHandle(), op: op, effect: e}].Tolerates(t) {
				return true
			}
		}
		if x[form{v.KeyHandle(), v.ValueHandle(), toleration.Equal, e}].Tolerates(t) {
			return true
		}
	}
	return false
}

func (c *Cluster) untolerated(found []ClusterFinding) []ClusterFinding {
	x := c.indexTolerations()
	for _, e := range c.taints.entries {
		t := e.value
		if t.Effect() == taint.PreferNoSchedule || temporary.Has(t) || tolerated(x, t) {
			continue
		}
		found = append(found, ClusterFinding{
			Check: UntoleratedTaint, Severity: UntoleratedTaint.Severity(),
			Taint: t, First: e.first, Position: e.position, Count: e.count,
		})
	}
	return found
}

// Message describes the mistake in one sentence.
func (f ClusterFinding) Message() string {
	switch f.Check {
	case UnneededToleration:
		text := quote(f.Toleration) + " matches no taint of the cluster (" + several(f.Count, "pod") + ")"
		if f.KeyInUse {
			text += ": its key has other values or effects there"
		}
		return text
	case UntoleratedTaint:
		return "no pod tolerates " + f.Taint.String() + " by its key (" + several(f.Count, "node") + ")"
	}
	return ""
}

func several(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// String describes the finding in one line.
func (f ClusterFinding) String() string {
	return f.Severity.String() + ": " + f.Message() + " (" + f.Check.String() + ")"
}
