package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Deciding by classes gives what deciding node by node gives, with each reason
// counted once a node (R4), a cordon among them (F10).
func TestDecide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	effects := []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}
	keys := []string{"a", "b", "c", "node.kubernetes.io/unschedulable"}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	for range 1_000 {
		var c cluster
		for i := range 1 + r.IntN(30) {
			n := &node{name: fmt.Sprint(i)}
			n.taints.Unschedulable = r.IntN(6) == 0
			for range r.IntN(4) {
				u, err := taint.New(pick(keys), pick([]string{"", "v", "1", "2"}), effects[r.IntN(3)])
				if err != nil {
					t.Fatal(err)
				}
				if !slices.ContainsFunc(n.taints.Taints, u.SameKeyEffect) {
					u, _ = u.WithTimeAdded(added)
					n.taints.Taints = append(n.taints.Taints, u)
				}
			}
			if r.IntN(10) == 0 {
				n = &node{name: n.name, because: "of the test"}
			}
			c.nodes = append(c.nodes, n)
		}
		c.classify()
		var tolerations toleration.List
		for range r.IntN(7) {
			op := []toleration.Operator{0, toleration.Equal, toleration.Exists, toleration.Lt, toleration.Gt}[r.IntN(5)]
			value := pick([]string{"", "v", "1", "2"})
			if u, err := toleration.New(pick(append(keys, "", "node.kubernetes.io/unschedulables")), op, value, append(effects, 0)[r.IntN(4)]); err == nil {
				tolerations = append(tolerations, u)
			}
		}

		want := decidePlainly(c.nodes, tolerations)
		j := newJudge(c.classes, 0)
		for range 2 { // nothing of the first is left for the second
			j.decide(newPodClass(toleration.List{toleration.MustParse("a op=Exists")}))
			got := j.decide(newPodClass(tolerations))
			checkDecision(t, got, want, tolerations)
		}
		merging := newJudge(c.classes, 0)
		merging.mergeValues()
		checkDecision(t, withoutValues(merging.decide(newPodClass(tolerations))), mergePlainly(want), tolerations)
		checkFix(t, c.nodes, j, newPodClass(tolerations))
		most := 1 + r.IntN(4)
		want.reasons = want.reasons[:min(most, len(want.reasons))]
		checkDecision(t, newJudge(c.classes, most).decide(newPodClass(tolerations)), want, tolerations)
	}
}

func checkDecision(t *testing.T, got, want *decision, tolerations toleration.List) {
	t.Helper()
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(decision{}, reason{}), cmpopts.EquateComparable(taint.Taint{}), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("decide(%v) mismatch (-want +got):\n%s", tolerations, diff)
	}
}

// withoutValues puts the same value in the place of all.
func withoutValues(d *decision) *decision {
	for i := range d.reasons {
		if t := &d.reasons[i].taint; t.Value() != "" {
			*t, _ = taint.New(t.Key(), "hidden", t.Effect())
		}
	}
	return d
}

// mergePlainly makes one reason of those that read alike without values.
func mergePlainly(d *decision) *decision {
	out := &decision{nodes: d.nodes}
	for _, re := range withoutValues(&decision{reasons: slices.Clone(d.reasons)}).reasons {
		i := slices.IndexFunc(out.reasons, func(o reason) bool { return o.verdict == re.verdict && o.taint == re.taint })
		if i < 0 {
			out.reasons = append(out.reasons, re)
			continue
		}
		out.reasons[i].nodes += re.nodes
	}
	out.taints = len(out.reasons)
	sortReasons(out.reasons)
	return out
}

func sortReasons(reasons []reason) {
	slices.SortFunc(reasons, func(a, b reason) int {
		return cmp.Or(cmp.Compare(b.verdict, a.verdict), cmp.Compare(b.nodes, a.nodes), a.taint.Compare(b.taint))
	})
}

func decidePlainly(nodes []*node, tolerations toleration.List) *decision {
	d := new(decision)
	for _, n := range nodes {
		if n.because != "" {
			continue
		}
		taints := n.taints.Taints
		if n.taints.Unschedulable && !slices.ContainsFunc(taints, func(u taint.Taint) bool { return u.Canonical() == match.CordonTaint() }) {
			taints = append(slices.Clone(taints), match.CordonTaint())
		}
		v := mayRun
		var hard, soft taint.List
		for _, u := range taints {
			switch {
			case slices.ContainsFunc(tolerations, func(tol toleration.Toleration) bool { return tol.Tolerates(u) }):
			case u.Effect() == taint.PreferNoSchedule:
				soft = append(soft, u.Canonical())
			default:
				hard = append(hard, u.Canonical())
			}
		}
		because := hard
		switch {
		case hard != nil:
			v = mayNot
		case soft != nil:
			v, because = ratherNot, soft
		}
		d.nodes[v]++
		for _, u := range because {
			i := slices.IndexFunc(d.reasons, func(re reason) bool { return re.verdict == v && re.taint == u })
			if i < 0 {
				i = len(d.reasons)
				d.reasons = append(d.reasons, reason{verdict: v, taint: u})
			}
			d.reasons[i].nodes++
		}
	}
	d.taints = len(d.reasons)
	sortReasons(d.reasons)
	return d
}
