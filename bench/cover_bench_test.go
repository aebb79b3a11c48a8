package bench_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

var (
	sinkCover  bool
	sinkMerged []toleration.Toleration
)

func tolerations(texts ...string) []toleration.Toleration {
	var list []toleration.Toleration
	for _, text := range texts {
		list = append(list, toleration.MustParse(text))
	}
	return list
}

func coversPair(a, b toleration.Toleration) bool { return cover.Covers(a, b) }

// One toleration against one.
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
		b.Run("kind="+bb.kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkCover = coversPair(u, v)
			}
		})
	}
}

// plainMerge joins as Keep does, by identity alone: the least that a merge
// costs.
func plainMerge(a, b []toleration.Toleration) []toleration.Toleration {
	out := append(make([]toleration.Toleration, 0, len(a)+len(b)), a...)
	for _, u := range b {
		if !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

// Two lists of two, as of a pod and its namespace.
func BenchmarkMerge(b *testing.B) {
	for _, bb := range []struct {
		kind string
		a, b []toleration.Toleration
	}{
		{"distinct", tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 60s", "dedicated=gpu:NoSchedule"),
			tolerations("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s", "team=a:NoSchedule op=Equal")},
		{"seconds", tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 60s", "dedicated=gpu:NoSchedule"),
			tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "dedicated op=Exists")},
		{"covered", tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists", "dedicated op=Exists"),
			tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "dedicated=gpu:NoSchedule")},
		{"ranges", tolerations("cores=16 op=Gt", "cores=8 op=Lt"), tolerations("cores=16", "cores=32 op=Gt")},
	} {
		dst := make([]toleration.Toleration, 0, 4)
		for _, impl := range []struct {
			name string
			do   func() []toleration.Toleration
		}{
			{"plain", func() []toleration.Toleration { return plainMerge(bb.a, bb.b) }},
			{"keep", func() []toleration.Toleration { return cover.Merge(cover.Keep, bb.a, bb.b) }},
			{"appendkeep", func() []toleration.Toleration { return cover.AppendMerge(dst, cover.Keep, bb.a, bb.b) }},
			{"reduce", func() []toleration.Toleration { return cover.Merge(cover.Reduce, bb.a, bb.b) }},
		} {
			b.Run("impl="+impl.name+"/kind="+bb.kind, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sinkMerged = impl.do()
				}
			})
		}
	}
}

// crowded returns n tolerations of few keys, which is the worst case: most of
// them bear upon each other, and none makes another redundant.
func crowded(n int) []toleration.Toleration {
	list := make([]toleration.Toleration, n)
	for i := range list {
		list[i] = toleration.MustParse(fmt.Sprintf("k%d=%d:NoExecute for %ds", i%2, i, i))
	}
	return list
}

// spread returns n tolerations of as many keys.
func spread(n int) []toleration.Toleration {
	list := make([]toleration.Toleration, n)
	for i := range list {
		list[i] = toleration.MustParse(fmt.Sprintf("k%d=%d:NoExecute for %ds", i, i, i))
	}
	return list
}

func BenchmarkCoverLists(b *testing.B) {
	for _, bb := range []struct {
		kind string
		list func(n int) []toleration.Toleration
	}{{"spread", spread}, {"crowded", crowded}} {
		for _, n := range []int{2, 8, 64} {
			list := bb.list(n)
			other := slices.Clone(list)
			slices.Reverse(other)
			name := fmt.Sprintf("kind=%s/n=%d", bb.kind, n)
			b.Run("op=ListCovers/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sinkCover = cover.ListCovers(toleration.First, list, other)
				}
			})
			b.Run("op=Reduced/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sinkMerged = cover.Reduced(toleration.First, list)
				}
			})
		}
	}
}
