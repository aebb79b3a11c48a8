package bench_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

func tolerations(texts ...string) toleration.List {
	var list toleration.List
	for _, text := range texts {
		list = append(list, toleration.MustParse(text))
	}
	return list
}

// BenchmarkCovers compares one toleration with another.
func BenchmarkCovers(b *testing.B) {
	for _, bb := range []struct{ kind, a, b string }{
		{"same", "dedicated=gpu:NoSchedule", "dedicated=gpu:NoSchedule"},
		{"otherkey", "dedicated=gpu:NoSchedule", "team=a:NoSchedule"},
		{"othervalue", "dedicated=gpu:NoSchedule", "dedicated=cpu:NoSchedule"},
		{"wildcard", "op=Exists", "dedicated=gpu:NoSchedule"},
		{"seconds", "k:NoExecute op=Exists for 60s", "k:NoExecute op=Exists for 300s"},
		{"equalrange", "cores=16 op=Gt", "cores=32"},
		{"ranges", "cores=16 op=Gt", "cores=9223372036854775806 op=Gt"},
	} {
		u, v := toleration.MustParse(bb.a), toleration.MustParse(bb.b)
		workload.Run(b, "kind="+bb.kind+"/impl=tolerate", func() bool { return cover.Covers(u, v) })
	}
}

// plainMerge joins two lists and compares tolerations by ==. It is a lower bound for
// the cost of a merge.
func plainMerge(a, b toleration.List) toleration.List {
	out := append(make(toleration.List, 0, len(a)+len(b)), a...)
	for _, u := range b {
		if !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

// BenchmarkMerge merges two lists of two tolerations, such as a pod's and its
// namespace's.
func BenchmarkMerge(b *testing.B) {
	for _, bb := range []struct {
		kind string
		a, b toleration.List
	}{
		{"distinct", tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 60s", "dedicated=gpu:NoSchedule"),
			tolerations("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s", "team=a:NoSchedule op=Equal")},
		{"seconds", tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 60s", "dedicated=gpu:NoSchedule"),
			tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "dedicated op=Exists")},
		{"covered", tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists", "dedicated op=Exists"),
			tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "dedicated=gpu:NoSchedule")},
		{"ranges", tolerations("cores=16 op=Gt", "cores=8 op=Lt"), tolerations("cores=16", "cores=32 op=Gt")},
	} {
		b.Run("kind="+bb.kind, func(b *testing.B) {
			workload.Run(b, "impl=plain", func() toleration.List { return plainMerge(bb.a, bb.b) })
			workload.Run(b, "impl=tolerate", func() toleration.List { return cover.Merge(bb.a, bb.b) })
		})
	}
}

// crowded returns n tolerations with two keys. This is the worst case: many have the
// same key, and none makes another redundant.
func crowded(n int) toleration.List {
	list := make(toleration.List, n)
	for i := range list {
		list[i] = toleration.MustParse(fmt.Sprintf("k%d=%d:NoExecute for %ds", i%2, i, i))
	}
	return list
}

// spread returns n tolerations, each with its own key.
func spread(n int) toleration.List {
	list := make(toleration.List, n)
	for i := range list {
		list[i] = toleration.MustParse(fmt.Sprintf("k%d=%d:NoExecute for %ds", i, i, i))
	}
	return list
}

// BenchmarkCoverLists compares lists of n tolerations.
func BenchmarkCoverLists(b *testing.B) {
	for _, bb := range []struct {
		kind string
		list func(n int) toleration.List
	}{{"spread", spread}, {"crowded", crowded}} {
		for _, n := range []int{2, 8, 64} {
			list := bb.list(n)
			other := slices.Clone(list)
			slices.Reverse(other)
			name := fmt.Sprintf("kind=%s/n=%d/impl=tolerate", bb.kind, n)
			workload.Run(b, "op=UncoveredTaint/"+name, func() bool { _, ok := cover.UncoveredTaint(other, list, toleration.First); return ok })
		}
	}
}
