package match_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// explainProperty draws a node and a pod, and compares the explanations with the
// reference, and the reasons of a few such nodes. Fuzzing runs it, too.
func explainProperty(t *rapid.T) {
	s := scene().Draw(t, "scene")
	node := match.Node{Taints: s.Taints, Unschedulable: rapid.Bool().Draw(t, "cordoned")}
	explainsAsReference(t, gen.Choice().Draw(t, "choice"), node, s.Tolerations...)

	nodes := []match.Node{node, node, {Taints: s.Taints}}
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		nodes = append(nodes, match.Node{Taints: gen.TaintsAndZeros().Draw(t, "taints"), Unschedulable: rapid.Bool().Draw(t, "cordoned")})
	}
	reasonsAsReference(t, nodes, s.Tolerations...)
}

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
			add := match.Explain(one, p, s.Tolerations...).Addition()
			if add.IsZero() {
				continue
			}
			added := toleration.List{add}
			after := match.Explain(one, p, append(s.Tolerations[:len(s.Tolerations):len(s.Tolerations)], added)...)
			if after.Class != match.Forever || after.Toleration != add || after.At != (match.Position{List: len(s.Tolerations)}) || !after.Addition().IsZero() {
				t.Errorf("with %v added: %+v", add, after)
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

// fields returns how many of key, effect and value are equal, or 0 if the keys differ.
func fields(u toleration.Toleration, t taint.Taint) (n int) {
	if u.IsZero() || u.Key() != "" && u.Key() != t.Key() {
		return 0
	}
	n = 1
	if u.Effect() == 0 || u.Effect() == t.Effect() {
		n++
	}
	of, err := taint.New(t.Key(), t.Value(), max(u.Effect(), taint.NoSchedule)) // with the effect of u
	if err == nil && u.Tolerates(of) {
		n++
	}
	return n
}

// No toleration has more fields in common with a taint than the nearest one, and no
// earlier one has as many, unless its effect differs.
func TestExplain_nearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene().Draw(t, "scene")
		for _, one := range s.Taints {
			e := match.Explain(one, toleration.First, s.Tolerations...)
			if e.Class != match.NotTolerated || one.IsZero() || e.Miss == match.InvalidToleration {
				continue
			}
			most := fields(e.Toleration, one)
			for l, list := range s.Tolerations {
				for i, u := range list {
					n := fields(u, one)
					before := l < e.At.List || l == e.At.List && i < e.At.Index
					if n > most || n == most && n > 0 && before && (e.Miss == match.OtherEffect || u.Effect() == 0 || u.Effect() == one.Effect()) {
						t.Errorf("%v is nearer to %v than %v", u, one, e.Toleration)
					}
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

// FuzzExplainText does so from text: one taint, and tolerations, one on each line.
// Invalid ones are ignored.
func FuzzExplainText(f *testing.F) {
	f.Add("k=v:NoSchedule", "k=w\nk=v:NoExecute for 5s\nl=v:NoSchedule op=Equal")
	f.Add("k=07:NoExecute", "k=7 op=Gt\nop=Exists")
	f.Add("op=x:NoSchedule", "op=x:NoExecute\nop=y op=\n:NoExecute op=Exists for 3s")
	f.Fuzz(func(t *testing.T, node, pod string) {
		one, err := taint.Parse(node)
		if err != nil {
			return
		}
		var list toleration.List
		for line := range strings.SplitSeq(pod, "\n") {
			if u, err := toleration.Parse(line); err == nil && len(list) < 64 {
				list = append(list, u)
			}
		}
		n := match.Node{Taints: taint.List{one}}
		explainsAsReference(t, toleration.First, n, list)
		reasonsAsReference(t, []match.Node{n, {Unschedulable: true}, n}, list)
	})
}

// equivalent reports whether each of the lists covers the other.
func equivalent(choice toleration.Choice, a, b toleration.List) bool {
	_, inA := cover.UncoveredTaint(a, b, choice)
	_, inB := cover.UncoveredTaint(b, a, choice)
	return !inA && !inB
}
