package bench_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// handwrittenSchedulable is the loop that an adopter has: it stops at the first taint
// that decides.
func handwrittenSchedulable(taints []plainTaint, tolerations []plainToleration) bool {
	for i := range taints {
		t := &taints[i]
		if t.effect == "PreferNoSchedule" {
			continue
		}
		tolerated := false
		for j := range tolerations {
			u := &tolerations[j]
			if (u.effect == "" || u.effect == t.effect) && (u.key == "" || u.key == t.key) &&
				(u.operator == "Exists" || u.operator != "Lt" && u.operator != "Gt" && u.value == t.value) {
				tolerated = true
				break
			}
		}
		if !tolerated {
			return false
		}
	}
	return true
}

// ownStrings gives each struct strings of its own, as decoded objects have.
func ownStrings(fleet []taint.List) [][]plainTaint {
	plain := plainFleet(fleet)
	for _, taints := range plain {
		for i := range taints {
			t := &taints[i]
			t.key, t.value, t.effect = strings.Clone(t.key), strings.Clone(t.value), strings.Clone(t.effect)
		}
	}
	return plain
}

// BenchmarkSchedulable compares with the loop of an adopter, for 5,000 nodes in random
// order.
func BenchmarkSchedulable(b *testing.B) {
	const nodes = 5000
	fleets := []struct {
		name string
		node func(i int) string
	}{
		{"usual", func(i int) string {
			return []string{
				"", "", "", "", "", "", "dedicated=gpu:NoSchedule", "dedicated=team:NoSchedule",
				"node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/not-ready:NoSchedule", "spot=true:NoSchedule",
			}[i%10]
		}},
		{"one", func(i int) string { return fmt.Sprintf("dedicated=team-%d:NoSchedule", i%10) }},
		{"two", func(i int) string {
			return fmt.Sprintf("dedicated=team-%d:NoSchedule,spot=pool-%d:NoExecute", i%10, i%3)
		}},
	}
	defaults := []string{"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"}
	with := func(more ...string) []string { return append(defaults[:2:2], more...) }
	for _, bb := range []struct {
		fleet int
		pod   string
		texts []string
	}{
		{0, "none", nil},
		{0, "defaults", defaults},
		{0, "three", with("dedicated=gpu:NoSchedule")},
		{0, "tolerated", with("dedicated op=Exists", "spot op=Exists", "node.kubernetes.io/not-ready:NoSchedule op=Exists")},
		{1, "three", with("dedicated=team-3:NoSchedule")},
		{1, "tolerated", with("dedicated op=Exists")},
		{2, "three", with("dedicated=team-3:NoSchedule")},
		{2, "tolerated", with("dedicated op=Exists", "spot op=Exists")},
		{2, "everything", []string{"op=Exists"}},
	} {
		fleet := make([]taint.List, nodes)
		for i := range fleet {
			if text := fleets[bb.fleet].node(i); text != "" {
				fleet[i], _ = taint.ParseList(text)
			}
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(nodes, func(i, j int) { fleet[i], fleet[j] = fleet[j], fleet[i] })
		var pod toleration.List
		for _, text := range bb.texts {
			pod = append(pod, toleration.MustParse(text))
		}
		plain, plainPod, compiled := ownStrings(fleet), plainTolerations(pod), match.Compile(pod)
		name := fmt.Sprintf("nodes=%s/pod=%s/", fleets[bb.fleet].name, bb.pod)
		count := func(impl string, schedulable func(i int) bool) {
			workload.RunNodes(b, name+"impl="+impl, nodes, func() (n int) {
				for i := range nodes {
					if schedulable(i) {
						n++
					}
				}
				return n
			})
		}
		count("handwritten", func(i int) bool { return handwrittenSchedulable(plain[i], plainPod) })
		count("tolerate", func(i int) bool { return match.Schedulable(fleet[i], pod) })
		count("tolerate-compiled", func(i int) bool { return compiled.Schedulable(match.Node{Taints: fleet[i]}) })
		count("tolerate-filter", func(i int) bool { return match.Filter(fleet[i], pod).Schedulable() })
	}
}
