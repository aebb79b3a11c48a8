package bench_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A hostileFilter is a fleet and a pod that are chosen to be slow to filter.
type hostileFilter struct {
	name  string
	fleet []match.Node
	pod   toleration.List
}

// hostile returns the hostile cases. Each fleet has this many nodes; two in five have
// no taints.
func hostile(nodes int) []hostileFilter {
	sameKeys, sameValues := collisions(32), collisions(1000)
	long := strings.Repeat("x", 40)
	texts := func(n int, format string, values ...string) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf(format, at(values, i)))
		}
		return out
	}
	last := strings.Split("0123456789abcdefghijklmnopqrstuv", "")
	all := func(taints []string) func(int) []string {
		return func(i int) []string { return taints[i%len(taints) : i%len(taints)+1] }
	}
	thousand := texts(1000, "example.com/key-%s=v")
	own := texts(1000, "dedicated=%s", sameValues...)
	shared := texts(8, "example.com/shared-%s")
	return []hostileFilter{
		// Half of the taints are tolerated. All keys, or all values, have the same tag.
		newHostile("keys_of_one_tag", nodes, all(texts(32, "%s", sameKeys...)), texts(16, "%s op=Exists", sameKeys...)),
		newHostile("values_of_one_tag", nodes, all(own[:60]), own[:30]),
		newHostile("keys_but_the_last_byte", nodes, all(texts(32, long+"%s", last...)), texts(16, long+"%s op=Exists", last...)),
		newHostile("values_but_the_last_byte", nodes, all(texts(32, "dedicated="+long+"%s", last...)), texts(16, "dedicated="+long+"%s", last...)),
		newHostile("1000_keys", nodes, all(texts(2000, "example.com/key-%s=v")), thousand),
		newHostile("1000_values", nodes, all(texts(2000, "dedicated=team-%s")), texts(1000, "dedicated=team-%s")),
		newHostile("1000_values_of_one_tag", nodes, all(own), own[:999]),
		newHostile("1000_numbers", nodes, all(texts(2000, "example.com/key-%s=5")), texts(1000, "example.com/key-%s=4 op=Gt")),
		// Each node has eight taints. All nodes have the same seven, and the pod
		// tolerates these.
		newHostile("lists_but_one_taint", nodes, func(i int) []string {
			return append(shared[:7:7], fmt.Sprintf("example.com/own-%d", i%100))
		}, append(texts(8, "example.com/shared-%s op=Exists"), texts(50, "example.com/own-%s op=Exists")...)),
	}
}

// at returns the i-th text, or the number i if there are no texts.
func at(texts []string, i int) string {
	if texts == nil {
		return fmt.Sprint(i)
	}
	return texts[i]
}

// collisions returns n texts that have the same hash in the tags of taints.
func collisions(n int) (out []string) {
	want := value.TagOf("team-0", "", 0)
	for i := 0; len(out) < n; i++ {
		if s := fmt.Sprintf("team-%d", i); value.TagOf(s, "", 0) == want {
			out = append(out, s)
		}
	}
	return out
}

// newHostile returns the case in which a node has the NoSchedule taints that node
// returns for a random number.
func newHostile(name string, nodes int, node func(i int) []string, tolerations []string) hostileFilter {
	rng := rand.New(rand.NewPCG(4, 0))
	a := hostileFilter{name: name, fleet: make([]match.Node, nodes)}
	for i := range a.fleet {
		if rng.IntN(5) < 2 {
			continue
		}
		for _, text := range node(rng.IntN(1 << 20)) {
			a.fleet[i].Taints = append(a.fleet[i].Taints, taint.MustParse(text+":NoSchedule"))
		}
	}
	for _, text := range tolerations {
		a.pod = append(a.pod, toleration.MustParse(text))
	}
	return a
}

// plainCount is a plain loop that counts as Filter does.
func plainCount(fleet [][]plainTaint, pod []plainToleration) (schedulable int) {
	for _, taints := range fleet {
		untolerated, first := 0, 0
		for i := range taints {
			if !plainTolerated(&taints[i], pod) {
				if untolerated == 0 {
					first = i
				}
				untolerated++
			}
		}
		plainFirst = first
		if untolerated == 0 {
			schedulable++
		}
	}
	return schedulable
}

var plainFirst int

// BenchmarkFilterAdversary is BenchmarkFilter for the hostile cases. No case should
// take much longer than the plain loop over strings. Here this loop counts untolerated
// taints, as Filter does.
func BenchmarkFilterAdversary(b *testing.B) {
	const nodes = 5000
	for _, a := range hostile(nodes) {
		b.Run("case="+a.name, func(b *testing.B) {
			plain := make([][]plainTaint, nodes)
			for i, n := range a.fleet {
				plain[i] = plainTaints(n.Taints)
			}
			m, theirs := match.Compile(a.pod), plainTolerations(a.pod)
			want := plainCount(plain, theirs)
			if got, compiled := filterNodes(a.fleet, a.pod), filterCompiled(a.fleet, m); got != want || compiled != want {
				b.Fatalf("schedulable: %d, compiled %d, plain %d", got, compiled, want)
			}
			workload.RunNodes(b, "impl=plain", nodes, func() int { return plainCount(plain, theirs) })
			workload.RunNodes(b, "impl=tolerate", nodes, func() int { return filterNodes(a.fleet, a.pod) })
			workload.RunNodes(b, "impl=tolerate-compiled", nodes, func() int { return filterCompiled(a.fleet, m) })
		})
	}
}
