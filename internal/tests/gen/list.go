package gen

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// Taints makes lists of up to [MaxList] taints. They can repeat, so not every list is
// valid for a node: see [NodeTaints].
func Taints() *rapid.Generator[taint.List] { return listOf[taint.List](Taint(), unchanged) }

// TaintsAndZeros makes lists as [Taints] does, with zero Taints in some.
func TaintsAndZeros() *rapid.Generator[taint.List] {
	return listOf[taint.List](TaintOrZero(), unchanged)
}

// NodeTaints makes lists that a node can have: no two taints have the same key
// and effect.
func NodeTaints() *rapid.Generator[taint.List] {
	return rapid.Map(Taints(), func(list taint.List) taint.List {
		var unique taint.List
		for _, t := range list {
			if !slices.ContainsFunc(unique, t.SameKeyEffect) {
				unique = append(unique, t)
			}
		}
		return unique
	})
}

// Tolerations makes lists of up to [MaxList] tolerations. Some lists repeat a
// toleration, unchanged or with other seconds. In a third, Lt or Gt decides about many
// nodes.
func Tolerations() *rapid.Generator[toleration.List] { return tolerations(Toleration()) }

// TolerationsAndZeros makes lists as [Tolerations] does, with zero Tolerations
// in some.
func TolerationsAndZeros() *rapid.Generator[toleration.List] {
	return tolerations(TolerationOrZero())
}

func tolerations(elem *rapid.Generator[toleration.Toleration]) *rapid.Generator[toleration.List] {
	lists := listOf[toleration.List](elem, maybeTimed)
	return rapid.Custom(func(t *rapid.T) toleration.List {
		if oneIn(t, 3, "numeric") {
			return numeric(t)
		}
		return lists.Draw(t, "tolerations")
	})
}

// numeric makes a list that tolerates all taints, but those of one key only by their
// integers.
func numeric(t *rapid.T) (list toleration.List) {
	key := rapid.SampledFrom([]string{"a", "b", "b", "x.io/a"}).Draw(t, "key")
	for _, other := range slices.Compact(slices.Clone(keys)) {
		if other != key {
			list = append(list, problem.Must(toleration.New(other, toleration.Exists, "", 0)))
		}
	}
	op, bounds := toleration.Gt, []string{"-1", "-1", "0", "2"}
	if rapid.Bool().Draw(t, "Lt") {
		op, bounds = toleration.Lt, []string{"9223372036854775807", "9223372036854775807", "10", "2"}
	}
	effect := rapid.SampledFrom([]taint.Effect{0, 0, 0, taint.NoSchedule, taint.NoExecute}).Draw(t, "effect")
	u := problem.Must(toleration.New(key, op, rapid.SampledFrom(bounds).Draw(t, "bound"), effect))
	return append(list, maybeTimed(t, u))
}

// ListOf makes lists of a named type with min to max elements.
func ListOf[L ~[]V, V any](elem *rapid.Generator[V], min, max int) *rapid.Generator[L] {
	return rapid.Map(rapid.SliceOfN(elem, min, max), func(list []V) L { return list })
}

// listOf makes lists of which a quarter repeat an element, as repeat changes it.
func listOf[L ~[]V, V any](elem *rapid.Generator[V], repeat func(*rapid.T, V) V) *rapid.Generator[L] {
	return rapid.Custom(func(t *rapid.T) L {
		list := rapid.SliceOfN(elem, 0, MaxList-1).Draw(t, "list")
		if len(list) > 0 && oneIn(t, 4, "repeat") {
			list = append(list, repeat(t, rapid.SampledFrom(list).Draw(t, "repeated")))
		}
		return list
	})
}

func unchanged[V any](_ *rapid.T, v V) V { return v }

// Near makes tolerations. Half of them match the taint; in the others one field is
// drawn again. A toleration with Lt or Gt is never made to match a taint whose value is
// not an integer.
func Near(node taint.Taint) *rapid.Generator[toleration.Toleration] {
	return rapid.Custom(func(t *rapid.T) toleration.Toleration {
		key, value, effect := node.Key(), "", node.Effect()
		op := Operator().Draw(t, "operator")
		n, err := validate.Integer(node.Value())
		isInteger := err == nil
		switch {
		case op == toleration.Lt && isInteger && n < 1<<63-1:
			value = decimal(n + rapid.SampledFrom([]int64{1, 1, 1<<63 - 1 - n}).Draw(t, "distance"))
		case op == toleration.Gt && isInteger:
			value = decimal(n - rapid.SampledFrom([]int64{1, 1, n + 1, n + 1<<62}).Draw(t, "distance"))
		case op == toleration.Lt || op == toleration.Gt:
			value = Bound().Draw(t, "bound")
		case op != toleration.Exists:
			value = node.Value()
		}
		if oneIn(t, 2, "near miss") {
			switch field := rapid.SampledFrom([]string{"key", "value", "effect"}).Draw(t, "field"); {
			case field == "key":
				key = Key().Draw(t, "key")
			case field == "effect":
				effect = Effect().Draw(t, "effect")
			case isInteger && (op == toleration.Lt || op == toleration.Gt):
				value = rapid.SampledFrom([]string{node.Value(), "0", "-1"}).Draw(t, "bound")
			case op != toleration.Exists && op != toleration.Lt && op != toleration.Gt:
				value = Value().Draw(t, "value")
			}
		} else {
			if oneIn(t, 3, "any effect") {
				effect = 0
			}
			if op == toleration.Exists && oneIn(t, 3, "any key") {
				key = ""
			}
		}
		return maybeTimed(t, problem.Must(toleration.New(key, op, value, effect)))
	})
}

// A Scene is a node's taints and a pod's tolerations.
type Scene struct {
	Taints      taint.List
	Tolerations toleration.List
}

// Scenes makes scenes. In many of them all taints are tolerated, or all except one,
// because most tolerations are made for one of the taints. Both lists contain zero
// values and repeats. In a fifth, each taint is tolerated alone, the integers by Gt.
func Scenes() *rapid.Generator[Scene] {
	return rapid.Custom(func(t *rapid.T) Scene {
		if oneIn(t, 5, "integers") {
			s := Scene{Taints: Taints().Draw(t, "taints")}
			for _, node := range s.Taints {
				op, value := toleration.Equal, node.Value()
				if n, err := validate.Integer(node.Value()); err == nil {
					op, value = toleration.Gt, decimal(n-1)
				}
				u := problem.Must(toleration.New(node.Key(), op, value, node.Effect()))
				s.Tolerations = append(s.Tolerations, maybeTimed(t, u))
			}
			return s
		}
		s := Scene{Taints: TaintsAndZeros().Draw(t, "taints")}
		elem := TolerationOrZero()
		if len(s.Taints) > 0 {
			near := rapid.Custom(func(t *rapid.T) toleration.Toleration {
				node := rapid.SampledFrom(s.Taints).Draw(t, "taint")
				if node.IsZero() {
					return toleration.Toleration{}
				}
				return Near(node).Draw(t, "toleration")
			})
			elem = rapid.OneOf(near, near, near, elem)
		}
		s.Tolerations = tolerations(elem).Draw(t, "tolerations")
		return s
	})
}
