package bench_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
)

var (
	sinkEdit    taint.Edit
	sinkTaints  []taint.Taint
	sinkChanges []taint.Change
	sinkText    struct{ key, value, effect string }
)

// plainEdit cuts a text where an edit has its parts, and checks nothing: the
// least that reading one costs.
func plainEdit(s string) (key, value, effect string, remove bool) {
	s, remove = strings.CutSuffix(s, "-")
	key, effect, _ = strings.Cut(s, ":")
	key, value, _ = strings.Cut(key, "=")
	return key, value, effect, remove
}

func BenchmarkParseEdit(b *testing.B) {
	for _, bb := range []struct{ kind, text string }{
		{"add", "dedicated=gpu-a100-80gb:NoSchedule"},
		{"remove", "dedicated:NoSchedule-"},
		{"removeall", "dedicated-"},
	} {
		held := taint.MustParse("dedicated=gpu-a100-80gb:NoSchedule") // so that the texts are known
		b.Run("impl=plain/kind="+bb.kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkText.key, sinkText.value, sinkText.effect, _ = plainEdit(bb.text)
			}
		})
		b.Run("impl=edit/kind="+bb.kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkEdit, _ = taint.ParseEdit(bb.text)
			}
		})
		sinkTaints = append(sinkTaints[:0], held)
	}
}

// plainPut is what one writes for one edit that overwrites: a copy, and a
// search.
func plainPut(node []taint.Taint, t taint.Taint) []taint.Taint {
	out := append(make([]taint.Taint, 0, len(node)+1), node...)
	if i := slices.IndexFunc(out, t.SameKeyEffect); i >= 0 {
		out[i] = t
		return out
	}
	return append(out, t)
}

// keys returns n taints of as many keys.
func keys(n int, value string) []taint.Taint {
	list := make([]taint.Taint, n)
	for i := range list {
		list[i] = taint.MustParse(fmt.Sprintf("k%d=%s:NoSchedule", i, value))
	}
	return list
}

// One edit on nodes of the usual size, and as many edits as the node has
// taints, which is the worst case: 32 are searched, 1,000 are hashed.
func BenchmarkApply(b *testing.B) {
	opts := taint.EditOptions{Overwrite: true}
	for _, n := range []int{0, 3, 32} {
		node, one := keys(n, "v"), taint.MustParse("dedicated=gpu:NoSchedule")
		b.Run(fmt.Sprintf("impl=plain/taints=%d/edits=1", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkTaints = plainPut(node, one)
			}
		})
		b.Run(fmt.Sprintf("impl=apply/taints=%d/edits=1", n), func(b *testing.B) {
			edits := []taint.Edit{taint.Adding(one)}
			b.ReportAllocs()
			for b.Loop() {
				sinkTaints, _, _ = taint.Apply(node, edits, opts)
			}
		})
		b.Run(fmt.Sprintf("impl=append/taints=%d/edits=1", n), func(b *testing.B) {
			edits := []taint.Edit{taint.Adding(one)}
			room := make([]taint.Taint, 0, n+1)
			b.ReportAllocs()
			for b.Loop() {
				sinkTaints, _, _ = taint.AppendApply(room, node, edits, opts)
			}
		})
	}
	for _, n := range []int{32, 1000} {
		node, edits := keys(n, "v"), taint.EditsBetween(keys(n, "v"), keys(n, "w"))
		b.Run(fmt.Sprintf("impl=apply/taints=%d/edits=%d", n, n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkTaints, _, _ = taint.Apply(node, edits, opts)
			}
		})
	}
}

// What a controller asks whenever a node is updated: usually nothing differs.
func BenchmarkDifference(b *testing.B) {
	for _, n := range []int{3, 32, 1000} {
		before := keys(n, "v")
		for _, bb := range []struct {
			differ string
			after  []taint.Taint
		}{{"none", slices.Clone(before)}, {"one", append(before[1:n:n], taint.MustParse("dedicated=gpu:NoSchedule"))}, {"all", keys(n, "w")}} {
			room := make([]taint.Change, 0, 2*n)
			b.Run(fmt.Sprintf("taints=%d/differ=%s", n, bb.differ), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sinkChanges = taint.AppendDifference(room, before, bb.after)
				}
			})
		}
	}
}

func BenchmarkPropagate(b *testing.B) {
	for _, n := range []int{3, 32, 1000} {
		node, after := append(keys(n, "v"), taint.MustParse("own:NoExecute")), keys(n, "w")
		room := make([]taint.Taint, 0, 2*n+1)
		b.Run(fmt.Sprintf("taints=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkTaints = taint.AppendPropagate(room, node, node[:n], after)
			}
		})
	}
}
