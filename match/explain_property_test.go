package match_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// explainProperty draws a node and a pod, and compares the explanations with the
// reference, and the reasons of a few such nodes. Fuzzing runs it, too.
func explainProperty(t *rapid.T) {
	s := scene().Draw(t, "scene")
	node := match.Node{Taints: s.Taints, Unschedulable: rapid.Bool().Draw(t, "cordoned")}
	explainsAsReference(t, gen.Choice().Draw(t, "choice"), node, s.Tolerations)

	nodes := []match.Node{node, node, {Taints: s.Taints}}
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		nodes = append(nodes, match.Node{Taints: gen.TaintsAndZeros().Draw(t, "taints"), Unschedulable: rapid.Bool().Draw(t, "cordoned")})
	}
	reasonsAsReference(t, nodes, s.Tolerations)
}

// The reference has E3, F7 and R4.
func TestExplain_property(t *testing.T) { rapid.Check(t, explainProperty) }

// The addition makes the taint tolerated permanently, and decides about it. It is the
// smallest toleration that does this: it is equivalent to the taint's own key, value
// and effect, and every toleration that matches the taint covers it.
func TestExplanation_Addition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene().Draw(t, "scene")
		p := gen.Choice().Draw(t, "choice")
		u := gen.Toleration().Draw(t, "toleration")
		for _, one := range s.Taints {
			add := match.Explain(one, p, s.Tolerations).Addition()
			if add.IsZero() {
				continue
			}
			added := toleration.List{add}
			after := match.Explain(one, p, slices.Concat(s.Tolerations, added))
			if after.Mismatch != 0 || after.Toleration != add || after.At != len(s.Tolerations) || !after.Addition().IsZero() {
				t.Errorf("F11: with %v concatenated: %+v", add, after)
			}
			equal := toleration.MustParse(one.String())
			if !equivalent(p, added, toleration.List{equal}) {
				t.Errorf("the addition for %v, %v, is not equivalent to %v", one, add, equal)
			}
			near := gen.Near(one).Draw(t, "near")
			for _, u := range []toleration.Toleration{u, near} {
				if u.Tolerates(one) && !cover.Covers(u.WithoutSeconds(), add) {
					t.Errorf("the addition for %v, %v, tolerates more than %v", one, add, u)
				}
			}
		}
	})
}

// FuzzExplain searches, among the nodes and pods that TestExplain_property
// draws, for one whose explanation differs from the reference.
func FuzzExplain(f *testing.F) {
	gen.Fuzz(f, explainProperty)
}

// equivalent reports whether each of the lists covers the other.
func equivalent(choice toleration.Choice, a, b toleration.List) bool {
	_, inA := cover.UncoveredTaint(a, b, choice)
	_, inB := cover.UncoveredTaint(b, a, choice)
	return !inA && !inB
}
