//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package cover_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// What calls leave behind, so that they are not done away with.
var (
	sinkBool    bool
	sinkList    []toleration.Toleration
	sinkWitness cover.Witness
	sinkText    string
	sinkTaint   taint.Taint
)

// Every promise that something does not allocate, with the exact count. Not to
// be run in parallel with anything.
func TestAllocs(t *testing.T) {
	var (
		pod      = list("node.kubernetes.io/not-ready:NoExecute op=Exists for 60s", "dedicated=gpu:NoSchedule")
		defaults = list("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "dedicated op=Exists")
		numbers  = list("k=3 op=Gt", "k=4 op=Lt", "k=-1 op=Gt", "k=05", "k=1:NoExecute for 5s")
		dst      = make([]toleration.Toleration, 0, 16)
		first    = toleration.First
		// The first lies within the other two, and in no taint in both.
		sets = []cover.Set{{In: list("k=2 op=Gt"), Except: numbers[3:4]}, {In: list("k=4 op=Lt")}, {In: list("k=3 op=Gt")}}
		// The witnesses' texts are held, as those of a cluster's taints are.
		w, _ = cover.FindWitness(first, pod, defaults)
	)
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Covers", 0, func() { sinkBool = cover.Covers(defaults[0], pod[0]) }},
		{"Covers/numeric", 0, func() { sinkBool = cover.Covers(numbers[0], numbers[2]) }},
		{"Empty", 0, func() { sinkBool = cover.Empty(numbers[0]) }},
		{"ListCovers", 0, func() { sinkBool = cover.ListCovers(first, pod, defaults) }},
		{"ListCovers/numeric", 0, func() { sinkBool = cover.ListCovers(first, numbers[:2], numbers[2:]) }},
		{"Equivalent", 0, func() { sinkBool = cover.Equivalent(toleration.Longest, numbers, numbers) }},
		{"Redundant", 0, func() { sinkBool = cover.Redundant(first, numbers, 2) }},
		{"FindWitness", 0, func() { sinkWitness, _ = cover.FindWitness(first, pod, defaults) }},
		{"FindWitness/none", 0, func() { sinkWitness, sinkBool = cover.FindWitness(first, pod, pod) }},
		{"Set.Has", 0, func() { sinkBool = sets[0].Has(w.Taint) }},
		{"Set.Within", 0, func() { sinkBool = sets[0].Within(sets[1:]...) }},
		{"FindCommon/none", 0, func() { sinkTaint, sinkBool = cover.FindCommon(sets[0], sets[1:]...) }},
		{"FindOutside/none", 0, func() { sinkTaint, sinkBool = cover.FindOutside(sets[0], sets[1:]...) }},
		{"Merge/Keep", 1, func() { sinkList = cover.Merge(cover.Keep, pod, defaults) }},
		{"Merge/Reduce", 1, func() { sinkList = cover.Merge(cover.Reduce, pod, defaults) }},
		{"Merge/nothing", 0, func() { sinkList = cover.Merge(cover.Keep, nil, nil) }},
		{"AppendMerge/Keep", 0, func() { sinkList = cover.AppendMerge(dst, cover.Keep, pod, defaults) }},
		{"AppendMerge/Reduce", 0, func() { sinkList = cover.AppendMerge(dst, cover.Reduce, pod, defaults) }},
		{"Reduced", 1, func() { sinkList = cover.Reduced(toleration.Shortest, pod, defaults) }},
		{"AppendReduced", 0, func() { sinkList = cover.AppendReduced(dst, toleration.Shortest, numbers, defaults) }},
		{"Strategy.String", 0, func() { sinkText = cover.Keep.String() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(50, tt.do); got != tt.want {
				t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
			}
		})
	}
	if w.Taint.IsZero() {
		t.Error("no witness")
	}
}
