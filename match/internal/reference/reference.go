// Package reference answers what package match answers, slowly and plainly:
// over text, with nothing prepared, one rule of SEMANTICS.md after the other.
// It is what match is compared with, so it shares no code with the library.
//
// It takes valid values and the zero ones; of others it says nothing.
package reference

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
)

// A Taint is a taint's fields. Its time added never matters here.
type Taint struct {
	Key, Value, Effect string
}

// A Toleration is a toleration's fields; "" and nil are absent ones.
type Toleration struct {
	Key, Operator, Value, Effect string
	Seconds                      *int64
}

// A Node is a node's taints, and whether it is cordoned.
type Node struct {
	Taints   []Taint
	Cordoned bool
}

// The effects, and the virtual taint of a cordoned node.
const (
	NoSchedule       = "NoSchedule"
	PreferNoSchedule = "PreferNoSchedule"
	NoExecute        = "NoExecute"
)

// Cordon is the taint that a cordoned node behaves as if it bore (F10).
var Cordon = Taint{Key: "node.kubernetes.io/unschedulable", Effect: NoSchedule}

// Tolerates reports whether the toleration matches the taint (M1 to M8).
func Tolerates(u Toleration, t Taint) bool {
	if t == (Taint{}) || u == (Toleration{}) { // M8
		return false
	}
	sameEffect := u.Effect == "" || u.Effect == t.Effect // M1
	sameKey := u.Key == "" || u.Key == t.Key             // M2
	return sameEffect && sameKey && admits(u, t.Value)
}

func admits(u Toleration, value string) bool {
	switch u.Operator {
	case "Exists": // M3
		return true
	case "", "Equal": // M4
		return u.Value == value
	}
	taints, mine := integer(value), integer(u.Value) // M5, M6
	if taints == nil || mine == nil {
		return false
	}
	if u.Operator == "Gt" {
		return taints.Cmp(mine) > 0
	}
	return taints.Cmp(mine) < 0
}

var integerForm = regexp.MustCompile(`\A(0|-?[1-9][0-9]*)\z`)

// integer returns the integer that the text stands for (V3), nil when none.
func integer(s string) *big.Int {
	if !integerForm.MatchString(s) {
		return nil
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok || !n.IsInt64() {
		return nil
	}
	return n
}

// WithoutNumeric returns the tolerations without those that have Lt or Gt (M9).
func WithoutNumeric(list []Toleration) []Toleration {
	return slices.DeleteFunc(slices.Clone(list), func(u Toleration) bool {
		return u.Operator == "Lt" || u.Operator == "Gt"
	})
}

// A Policy is one of E3's.
type Policy string

// The policies.
const (
	First               Policy = "first"
	Shortest            Policy = "shortest"
	Longest             Policy = "longest"
	ForeverElseShortest Policy = "forever-else-shortest"
)

// A Class is how well a taint or a node is tolerated (F7), worst first.
type Class int

// The classes.
const (
	NotTolerated Class = iota
	ForAWhile
	ForGood
)

// A Position is where a toleration stands: in which list, and where there.
type Position struct{ List, Index int }

// Serving returns which toleration decides for how long the taint is tolerated
// (E3); of equally good ones it is the first.
func Serving(p Policy, t Taint, tolerations ...[]Toleration) (Position, bool) {
	type candidate struct {
		at      Position
		forever bool
		seconds int64
	}
	var found []candidate
	for l, list := range tolerations {
		for i, u := range list {
			if !Tolerates(u, t) {
				continue
			}
			c := candidate{at: Position{l, i}, forever: u.Seconds == nil}
			if !c.forever && *u.Seconds > 0 { // V7 (f)
				c.seconds = *u.Seconds
			}
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return Position{}, false
	}
	length := func(a, b candidate) int { // the shorter first
		switch {
		case a.forever && b.forever:
			return 0
		case a.forever:
			return 1
		case b.forever:
			return -1
		}
		return cmp.Compare(a.seconds, b.seconds)
	}
	switch p {
	case Shortest:
		slices.SortStableFunc(found, length)
	case Longest:
		slices.SortStableFunc(found, func(a, b candidate) int { return length(b, a) })
	case ForeverElseShortest:
		if i := slices.IndexFunc(found, func(c candidate) bool { return c.forever }); i >= 0 {
			return found[i].at, true
		}
		slices.SortStableFunc(found, length)
	}
	return found[0].at, true
}

// Classify returns how well one taint is tolerated (F7).
func Classify(p Policy, t Taint, tolerations ...[]Toleration) Class {
	at, ok := Serving(p, t, tolerations...)
	switch {
	case !ok:
		return NotTolerated
	case tolerations[at.List][at.Index].Seconds != nil:
		return ForAWhile
	}
	return ForGood
}

// A Verdict is one taint of a node: its index there (-1 for the virtual one)
// and its class by each policy.
type Verdict struct {
	Index   int
	Taint   Taint
	Classes map[Policy]Class
}

// Verdicts returns the verdict on every taint of the node, in its order, the
// virtual one first (F10). Zero Taints are left out (M8).
func Verdicts(n Node, tolerations ...[]Toleration) []Verdict {
	var all []Verdict
	add := func(i int, t Taint) {
		v := Verdict{i, t, make(map[Policy]Class)}
		for _, p := range []Policy{First, Shortest, Longest, ForeverElseShortest} {
			v.Classes[p] = Classify(p, t, tolerations...)
		}
		all = append(all, v)
	}
	if n.Cordoned {
		add(-1, Cordon)
	}
	for i, t := range n.Taints {
		if t == (Taint{}) || n.Cordoned && t == Cordon {
			continue
		}
		add(i, t)
	}
	return all
}

// An Answer is what a node's taints do to a pod.
type Answer struct {
	Schedulable, Preferred, Evicted bool             // F3
	ShouldRun, ShouldContinue       bool             // F9
	Count                           map[string]int   // by effect, "" for all; no key where it is 0
	First                           map[string]int   // likewise: the first one's index (F6)
	Classes                         map[Policy]Class // of the node as a whole (F7)
	Untolerated                     []Verdict        // in the node's order
}

// Filter returns the answer for a node and a pod's lists of tolerations
// (F1 to F12).
func Filter(n Node, tolerations ...[]Toleration) Answer {
	a := Answer{
		Count:   make(map[string]int),
		First:   make(map[string]int),
		Classes: map[Policy]Class{First: ForGood, Shortest: ForGood, Longest: ForGood, ForeverElseShortest: ForGood},
	}
	for _, v := range Verdicts(n, tolerations...) {
		for p, c := range v.Classes {
			a.Classes[p] = min(a.Classes[p], c)
		}
		if v.Classes[First] != NotTolerated {
			continue
		}
		a.Untolerated = append(a.Untolerated, v)
		for _, effect := range []string{"", v.Taint.Effect} {
			if a.Count[effect] == 0 {
				a.First[effect] = v.Index
			}
			a.Count[effect]++
		}
	}
	a.Schedulable = a.Count[NoSchedule] == 0 && a.Count[NoExecute] == 0
	a.Preferred = a.Schedulable && a.Count[PreferNoSchedule] == 0
	a.Evicted = a.Count[NoExecute] > 0
	a.ShouldRun = a.Schedulable
	a.ShouldContinue = !a.Evicted
	return a
}

// Scores returns the nodes' scores from their counts of untolerated
// PreferNoSchedule taints (F8). Negative counts are taken for 0.
func Scores(counts []int64) []int64 {
	largest := big.NewInt(0)
	for _, c := range counts {
		if n := big.NewInt(c); n.Cmp(largest) > 0 {
			largest = n
		}
	}
	scores := make([]int64, len(counts))
	for i, c := range counts {
		scores[i] = 100
		if c > 0 {
			share := new(big.Int).Mul(big.NewInt(100), big.NewInt(c))
			scores[i] -= share.Quo(share, largest).Int64()
		}
	}
	return scores
}
