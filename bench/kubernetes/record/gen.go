package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

type (
	taint      = recorded.Taint
	toleration = recorded.Toleration
)

// gen draws cases: few keys and values, so that matches and near misses are
// common, and the edges of what is valid.
type gen struct{ *rand.Rand }

// newGen returns a separate generator for each case, so that a change of one does not
// change the others.
func newGen(id string) *gen {
	h := fnv.New64a()
	h.Write([]byte(id))
	return &gen{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

func (g *gen) one(in ...string) string { return in[g.IntN(len(in))] }
func (g *gen) in(n int) bool           { return g.IntN(n) == 0 }

// gate draws whether numeric operators are enabled: usually, if the version has them.
func (g *gen) gate() bool { return !g.in(4) && upstream.HasNumeric }

// possible reports whether the version has the operators of the tolerations.
func possible(list []toleration) bool {
	return upstream.HasNumeric || !slices.ContainsFunc(list, toleration.Numeric)
}

var (
	keys       = []string{"a", "b", "example.com/a", "A", "node.kubernetes.io/not-ready"}
	badKeys    = []string{"", "/a", "a/", "a/b/c", "Example.com/a", "-a", "a-", "a b", "\x00", "é", strings.Repeat("k", 64), strings.Repeat("p", 254) + "/a", "a..b/c"}
	values     = []string{"", "x", "y", "X", "0", "1", "5", "6", "05", "1.5", "1_0", "9223372036854775806", "9223372036854775807", "9223372036854775808", strings.Repeat("v", 63)}
	badValues  = []string{"-1", "-", "a/b", "a b", "a-", " 1", "+1", strings.Repeat("v", 64), "é"}
	integers   = []string{"0", "1", "-1", "5", "6", "4", "-5", "9223372036854775806", "9223372036854775807", "-9223372036854775808"}
	badInts    = []string{"", "00", "05", "-0", "+1", "1.5", " 1", "9223372036854775808", "-9223372036854775809", "x"}
	effects    = []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	badEffects = []string{"noschedule", "NO_EXECUTE", "NoExecute ", "x"}
	operators  = []string{"", "Equal", "Exists", "Lt", "Gt"}
	badOps     = []string{"equal", "exists", "LT", "Ge", "In"}
	// The keys that admission adds tolerations for.
	wellKnown = []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/memory-pressure",
		"node.kubernetes.io/disk-pressure", "node.kubernetes.io/pid-pressure", "node.kubernetes.io/unschedulable", "example.com/gpu"}
)

// taint makes a valid taint.
func (g *gen) taint() taint {
	return taint{Key: g.one(keys...), Value: g.one(values...), Effect: g.one(effects...)}
}

// toleration makes a valid toleration, as far as the version has its operator.
func (g *gen) toleration() toleration {
	t := toleration{Key: g.one(keys...), Operator: g.one(operators...), Effect: g.one("", g.one(effects...), g.one(effects...))}
	switch t.Operator {
	case "Exists":
		if g.in(3) {
			t.Key = ""
		}
	case "Lt", "Gt":
		t.Value = g.one(integers...)
	default:
		t.Value = g.one(values...)
	}
	if t.Effect == "NoExecute" && g.in(2) {
		t.Seconds = g.seconds()
	}
	return t
}

func (g *gen) seconds() *int64 {
	n := []int64{0, 1, 30, 60, 300, -1, -5, math.MaxInt64, math.MinInt64, 9223372036, 9223372037, 18446744074}[g.IntN(12)]
	return &n
}

// spoil breaks one or more of the toleration's fields, or only changes them.
func (g *gen) spoil(t *toleration) {
	for again := true; again; again = g.in(3) {
		switch g.IntN(6) {
		case 0:
			t.Key = g.one(badKeys...)
		case 1:
			t.Operator = g.one(g.one(operators...), g.one(badOps...))
		case 2:
			t.Value = g.one(g.one(values...), g.one(badValues...), g.one(badInts...))
		case 3:
			t.Effect = g.one("", g.one(effects...), g.one(badEffects...))
		case 4:
			t.Seconds = g.seconds()
		case 5:
			t.Key, t.Value = "", ""
		}
	}
}

// spoilTaint breaks one or more of the taint's fields.
func (g *gen) spoilTaint(t *taint) {
	for again := true; again; again = g.in(3) {
		switch g.IntN(3) {
		case 0:
			t.Key = g.one(badKeys...)
		case 1:
			t.Value = g.one(badValues...)
		case 2:
			t.Effect = g.one("", g.one(badEffects...))
		}
	}
}

func times[T any](n int, draw func() T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = draw()
	}
	return list
}

func (g *gen) tolerations(n int) []toleration { return times(n, g.toleration) }
func (g *gen) taints(n int) []taint           { return times(n, g.taint) }

// node makes a node's taints, unique by key and effect.
func (g *gen) node(n int) []taint {
	list := []taint{}
	for _, t := range g.taints(n) {
		if !slices.ContainsFunc(list, func(u taint) bool { return sameKeyEffect(t, u) }) {
			list = append(list, t)
		}
	}
	return list
}

// aimed makes tolerations of which many match one of the taints.
func (g *gen) aimed(n int, taints []taint) []toleration {
	list := g.tolerations(n)
	for i := range list {
		if len(taints) == 0 || g.in(3) {
			continue
		}
		t, u := taints[g.IntN(len(taints))], &list[i]
		if u.Key != "" {
			u.Key = t.Key
		}
		if u.Effect != "" && u.Seconds == nil {
			u.Effect = t.Effect
		}
		if u.Operator == "" || u.Operator == "Equal" {
			u.Value = t.Value
		}
	}
	return list
}

// near makes a valid toleration that is like t in some of its fields.
func (g *gen) near(t toleration) toleration {
	u := g.toleration()
	if u.Key != "" && t.Key != "" && !g.in(5) {
		u.Key = t.Key
	}
	if g.in(2) {
		u.Effect = t.Effect
		if u.Effect != "NoExecute" {
			u.Seconds = nil
		}
	}
	if u.Operator != "Exists" && t.Operator != "Exists" && u.Numeric() == t.Numeric() && g.in(2) {
		u.Value = t.Value
	}
	return u
}

// nearLists makes lists whose tolerations are near each other.
func (g *gen) nearLists(sizes ...int) [][]toleration {
	var all []toleration
	lists := make([][]toleration, len(sizes))
	for k, n := range sizes {
		lists[k] = []toleration{}
		for range n {
			u := g.toleration()
			switch {
			case len(all) == 0 || g.in(4):
			case g.in(6):
				u = all[g.IntN(len(all))]
			default:
				u = g.near(all[g.IntN(len(all))])
			}
			lists[k], all = append(lists[k], u), append(all, u)
		}
	}
	return lists
}
