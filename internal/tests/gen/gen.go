// Package gen makes taints, tolerations and lists of them for property tests
// with pgregory.net/rapid.
//
// Its values are crowded on purpose. They have few keys, few values, and integers that
// are adjacent or at both ends, so that matches, near misses, repeats and
// contradictions are common. Optional fields are often absent. Only the public
// constructors make values; if they reject one, the generator or the constructor has a
// bug, and the generator panics.
//
// Tests check how often each kind is made. rapid.Make cannot be used here: for a type with
// unexported fields it makes only the zero value.
package gen

import (
	"strconv"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// MaxList is the length of the longest list that is made.
const MaxList = 8

// These are the pools. Repeated elements are drawn more often. Failures shrink to the
// first elements.
var (
	keys = []string{
		"a", "a", "a", "a", "a", "a", "b", "b", "b", "b", "A", "a.b", "x.io/a", "x.io/a", "y.io/a",
		"node.kubernetes.io/unschedulable",
	}
	// words are values for Equal; most of them are not integers.
	words = []string{"", "", "", "", "x", "x", "x", "x", "X", "y", "1", "1", "01", "high", "1.5", "9223372036854775808"}
	// naturals are the integers that a taint can have.
	naturals = []string{
		"0", "1", "1", "2", "2", "3", "10", "9",
		"9223372036854775806", "9223372036854775807",
	}
	// bounds are the integers that a toleration can have.
	bounds = append([]string{
		"-1", "-9", "-9223372036854775808", "-9223372036854775807",
	}, naturals...)

	effects   = []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}
	anyEffect = []taint.Effect{0, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute, taint.NoExecute}
	operators = []toleration.Operator{
		0, toleration.Equal, toleration.Exists, toleration.Lt, toleration.Gt, toleration.Exists, toleration.Equal,
	}
	seconds = []int64{
		0, 1, 30, 60, 300, 300, 86400, -1, -5, -1 << 63,
		1<<31 - 1, 1 << 31, 9223372036, 9223372037, 18446744074, 1<<63 - 2, 1<<63 - 1,
	}
	times = []time.Time{
		time.Unix(0, 0),
		time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC),
		time.Date(2026, 1, 2, 15, 4, 5, 999_999_999, time.UTC),
		time.Date(2026, 1, 2, 15, 4, 6, 0, time.FixedZone("", -8*60*60)),
		time.Date(1969, 12, 31, 23, 59, 59, 1, time.UTC),
		time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	}
)

// Key makes valid keys.
func Key() *rapid.Generator[string] { return rapid.SampledFrom(keys) }

// Value makes values that are valid for a taint and under Equal, the empty one
// and integers among them.
func Value() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(words), rapid.SampledFrom(naturals))
}

// Bound makes the integers, as text, that a toleration's value can be under Lt
// and Gt.
func Bound() *rapid.Generator[string] { return rapid.SampledFrom(bounds) }

// Effect makes the three effects.
func Effect() *rapid.Generator[taint.Effect] { return rapid.SampledFrom(effects) }

// EffectOrAbsent makes the three effects and 0.
func EffectOrAbsent() *rapid.Generator[taint.Effect] { return rapid.SampledFrom(anyEffect) }

// Operator makes the four operators and 0, the absent one.
func Operator() *rapid.Generator[toleration.Operator] { return rapid.SampledFrom(operators) }

// Seconds makes numbers of seconds: negative, 0, usual and large ones.
func Seconds() *rapid.Generator[int64] { return rapid.SampledFrom(seconds) }

// Time makes times at which a taint can have been added, some with fractions of seconds
// and some outside UTC, but not the zero time.
func Time() *rapid.Generator[time.Time] { return rapid.SampledFrom(times) }

// Choice makes the four choices.
func Choice() *rapid.Generator[toleration.Choice] {
	return rapid.SampledFrom([]toleration.Choice{
		toleration.First, toleration.Shortest, toleration.Longest, toleration.ForeverElseShortest,
	})
}

// Taint makes valid taints; a third of them have a time added.
func Taint() *rapid.Generator[taint.Taint] {
	return rapid.Custom(func(t *rapid.T) taint.Taint {
		made := problem.Must(taint.New(Key().Draw(t, "key"), Value().Draw(t, "value"), Effect().Draw(t, "effect")))
		if oneIn(t, 3, "timed") {
			made = problem.Must(made.WithTimeAdded(Time().Draw(t, "time")))
		}
		return made
	})
}

// Toleration makes valid tolerations. Half of those with the effect NoExecute
// have seconds, and about a tenth of all have no key.
func Toleration() *rapid.Generator[toleration.Toleration] {
	return rapid.Custom(func(t *rapid.T) toleration.Toleration {
		key, value := Key().Draw(t, "key"), ""
		op := Operator().Draw(t, "operator")
		switch op {
		case toleration.Exists:
			if oneIn(t, 3, "wildcard") {
				key = ""
			}
		case toleration.Lt, toleration.Gt:
			value = Bound().Draw(t, "bound")
		default:
			value = Value().Draw(t, "value")
		}
		made := problem.Must(toleration.New(key, op, value, EffectOrAbsent().Draw(t, "effect")))
		return maybeTimed(t, made)
	})
}

func maybeTimed(t *rapid.T, u toleration.Toleration) toleration.Toleration {
	if u.Effect() == taint.NoExecute && oneIn(t, 2, "timed") {
		u = problem.Must(u.WithSeconds(Seconds().Draw(t, "seconds")))
	}
	return u
}

// TaintOrZero makes valid taints and, sometimes, the zero one.
func TaintOrZero() *rapid.Generator[taint.Taint] { return orZero(Taint()) }

// TolerationOrZero makes valid tolerations and, sometimes, the zero one.
func TolerationOrZero() *rapid.Generator[toleration.Toleration] { return orZero(Toleration()) }

func orZero[V any](g *rapid.Generator[V]) *rapid.Generator[V] {
	return rapid.Custom(func(t *rapid.T) V {
		if oneIn(t, 8, "zero") {
			return *new(V)
		}
		return g.Draw(t, "value")
	})
}

// oneIn is true once in n times. Failures shrink to false.
func oneIn(t *rapid.T, n int, label string) bool {
	return rapid.IntRange(0, n-1).Draw(t, label) == n-1
}

// SameTags returns n keys with the same tag, which have the same tag as values, too.
// Since tags have a seed, they are others in each run.
func SameTags(n int) (same []string) {
	for i := 0; len(same) < n; i++ {
		s := "t" + strconv.Itoa(i)
		if len(same) == 0 || value.TagOf(s, "", 0) == value.TagOf(same[0], "", 0) {
			same = append(same, s)
		}
	}
	return same
}
