// Package reference is a slow and readable implementation of package match, which
// follows SEMANTICS.md rule by rule. The tests compare match with it, so it shares only
// the values with the library.
package reference

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Cordon is the taint that a cordoned node virtually has (F10).
var Cordon = taint.MustParse("node.kubernetes.io/unschedulable:NoSchedule")

// Tolerates reports whether the toleration matches the taint (M1 to M8).
func Tolerates(u toleration.Toleration, t taint.Taint) bool {
	if t.IsZero() || u.IsZero() { // M8
		return false
	}
	sameEffect := u.Effect() == 0 || u.Effect() == t.Effect() // M1
	sameKey := u.Key() == "" || u.Key() == t.Key()            // M2
	return sameEffect && sameKey && MatchesValue(u, t.Value())
}

// MatchesValue reports whether the toleration matches taints with its key and effect, and
// this value.
func MatchesValue(u toleration.Toleration, value string) bool {
	switch u.Operator() {
	case toleration.Exists: // M3
		return true
	case 0, toleration.Equal: // M4
		return u.Value() == value
	}
	taints, ok1 := Integer(value) // M5, M6
	mine, ok2 := Integer(u.Value())
	return ok1 && ok2 && (u.Operator() == toleration.Gt && taints > mine || u.Operator() == toleration.Lt && taints < mine)
}

// Integer returns the integer with that text (V3).
func Integer(s string) (n int64, ok bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

// Deciding returns the index of the toleration that decides for how long the taint is
// tolerated (E3), the first of equal ones, or -1.
func Deciding(p toleration.Choice, t taint.Taint, tolerations toleration.List) (index int) {
	index = -1
	for i, u := range tolerations {
		if Tolerates(u, t) && (index < 0 || prefers(p, duration(u), duration(tolerations[index]))) {
			index = i
		}
	}
	return index
}

const forever = math.MaxUint64

// duration returns for how many seconds the toleration tolerates, or forever.
func duration(u toleration.Toleration) uint64 {
	n, ok := u.Seconds()
	if !ok {
		return forever
	}
	return uint64(max(n, 0)) // V7 (f)
}

func prefers(p toleration.Choice, a, b uint64) bool {
	switch p {
	case toleration.Shortest:
		return a < b
	case toleration.Longest:
		return a > b
	case toleration.ForeverElseShortest:
		return b != forever && (a == forever || a < b)
	}
	return false
}

// A Verdict is the result for one taint of a node: its index there (-1 for the virtual
// one), the effect by which it counts, and whether it is tolerated.
type Verdict struct {
	Index     int
	Taint     taint.Taint
	Effect    taint.Effect // NoSchedule for the zero Taint (M8)
	Tolerated bool
}

// Verdicts returns the verdict on every taint of a node in order, the virtual one first
// (F10).
func Verdicts(taints taint.List, cordoned bool, tolerations toleration.List) (all []Verdict) {
	for i, t := range slices.Concat(taint.List{Cordon}, taints) {
		isCordon := t.Key() == Cordon.Key() && t.Value() == "" && t.Effect() == Cordon.Effect()
		if !cordoned && i == 0 || cordoned && i > 0 && isCordon {
			continue
		}
		tolerated := Deciding(toleration.First, t, tolerations) >= 0
		all = append(all, Verdict{i - 1, t, max(t.Effect(), taint.NoSchedule), tolerated})
	}
	return all
}

// An Answer is the effect of a node's taints on a pod.
type Answer struct {
	Schedulable, Preferred, Evicted bool      // F3
	Untolerated                     []Verdict // in the node's order (F6)
}

// Filter returns the answer for a node and a pod's tolerations (F1 to F12).
func Filter(taints taint.List, cordoned bool, tolerations toleration.List) Answer {
	a := Answer{Untolerated: slices.DeleteFunc(Verdicts(taints, cordoned, tolerations), func(v Verdict) bool { return v.Tolerated })}
	has := func(e taint.Effect) bool {
		return slices.ContainsFunc(a.Untolerated, func(v Verdict) bool { return v.Effect == e })
	}
	a.Evicted = has(taint.NoExecute)
	a.Schedulable = !has(taint.NoSchedule) && !a.Evicted
	a.Preferred = a.Schedulable && !has(taint.PreferNoSchedule)
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
