// Package reference is a slow and readable implementation of package match: it
// compares text, prepares nothing, and follows SEMANTICS.md rule by rule. The
// tests compare match with it, so it shares no code with the library.
//
// Its inputs are valid values and zero values.
package reference

import (
	"math"
	"math/big"
	"regexp"
	"slices"
)

// A Taint is a taint's fields, without the time added, which never matters here.
type Taint struct {
	Key, Value, Effect string
}

// A Toleration is a toleration's fields. An absent field is "" or nil.
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

// Cordon is the taint that a cordoned node virtually has (F10).
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
	return u.Operator == "Gt" && taints.Cmp(mine) > 0 || u.Operator == "Lt" && taints.Cmp(mine) < 0
}

var integerForm = regexp.MustCompile(`\A(0|-?[1-9][0-9]*)\z`)

// integer returns the integer with that text (V3), or nil.
func integer(s string) *big.Int {
	if !integerForm.MatchString(s) {
		return nil
	}
	if n, ok := new(big.Int).SetString(s, 10); ok && n.IsInt64() {
		return n
	}
	return nil
}

// A Choice is one of E3's.
type Choice string

// The choices.
const (
	First               Choice = "first"
	Shortest            Choice = "shortest"
	Longest             Choice = "longest"
	ForeverElseShortest Choice = "forever-else-shortest"
)

// A Class is how well a taint or a node is tolerated (F7), worst first.
type Class int

// The classes.
const (
	NotTolerated Class = iota
	ForSeconds
	Forever
)

// A Position is the position of a toleration: its list, and its index there.
type Position struct{ List, Index int }

// Serving returns which toleration decides for how long the taint is tolerated
// (E3), the first of equal ones.
func Serving(p Choice, t Taint, tolerations ...[]Toleration) (best Position, ok bool) {
	for l, list := range tolerations {
		for i, u := range list {
			if Tolerates(u, t) && (!ok || prefers(p, duration(u), duration(tolerations[best.List][best.Index]))) {
				best, ok = Position{l, i}, true
			}
		}
	}
	return best, ok
}

const forever = math.MaxUint64

// duration returns for how many seconds the toleration tolerates, or forever.
func duration(u Toleration) uint64 {
	if u.Seconds == nil {
		return forever
	}
	return uint64(max(*u.Seconds, 0)) // V7 (f)
}

func prefers(p Choice, a, b uint64) bool {
	switch p {
	case Shortest:
		return a < b
	case Longest:
		return a > b
	case ForeverElseShortest:
		return b != forever && (a == forever || a < b)
	}
	return false
}

// Classify returns how well one taint is tolerated (F7).
func Classify(p Choice, t Taint, tolerations ...[]Toleration) Class {
	at, ok := Serving(p, t, tolerations...)
	switch {
	case !ok:
		return NotTolerated
	case tolerations[at.List][at.Index].Seconds != nil:
		return ForSeconds
	}
	return Forever
}

// A Verdict is the result for one taint of a node: its index there (-1 for the virtual
// one), the effect by which it counts, and whether it is tolerated.
type Verdict struct {
	Index     int
	Taint     Taint
	Effect    string // NoSchedule for the zero Taint (M8)
	Tolerated bool
}

// Verdicts returns the verdict on every taint of the node in order, the virtual
// one first (F10).
func Verdicts(n Node, tolerations ...[]Toleration) (all []Verdict) {
	for i, t := range append([]Taint{Cordon}, n.Taints...) {
		if !n.Cordoned && i == 0 || n.Cordoned && i > 0 && t == Cordon {
			continue
		}
		v := Verdict{i - 1, t, t.Effect, Classify(First, t, tolerations...) != NotTolerated}
		if t == (Taint{}) {
			v.Effect = NoSchedule
		}
		all = append(all, v)
	}
	return all
}

// An Answer is the effect of a node's taints on a pod.
type Answer struct {
	Schedulable, Preferred, Evicted bool           // F3
	Count                           map[string]int // by effect, "" for all; no key where it is 0
	First                           map[string]int // likewise: the first one's index (F6)
	Untolerated                     []Verdict      // in the node's order
}

// Filter returns the answer for a node and a pod's lists of tolerations
// (F1 to F12).
func Filter(n Node, tolerations ...[]Toleration) Answer {
	a := Answer{Count: make(map[string]int), First: make(map[string]int)}
	for _, v := range Verdicts(n, tolerations...) {
		if v.Tolerated {
			continue
		}
		a.Untolerated = append(a.Untolerated, v)
		for _, effect := range []string{"", v.Effect} {
			if a.Count[effect] == 0 {
				a.First[effect] = v.Index
			}
			a.Count[effect]++
		}
	}
	a.Schedulable = a.Count[NoSchedule] == 0 && a.Count[NoExecute] == 0
	a.Preferred = a.Schedulable && a.Count[PreferNoSchedule] == 0
	a.Evicted = a.Count[NoExecute] > 0
	return a
}

// Scores returns the nodes' scores from their counts of untolerated
// PreferNoSchedule taints (F8). A negative count is 0.
func Scores(counts []int64) []int64 {
	largest := big.NewInt(slices.Max(append([]int64{1}, counts...)))
	scores := make([]int64, len(counts))
	for i, c := range counts {
		share := new(big.Int).Mul(big.NewInt(100), big.NewInt(max(c, 0)))
		scores[i] = 100 - share.Quo(share, largest).Int64()
	}
	return scores
}
