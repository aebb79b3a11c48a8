package bench_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint"
)

// plainEdit splits a text into the parts of an edit and checks nothing. It is a lower
// bound for the cost of parsing.
func plainEdit(s string) (t plainTaint, remove bool) {
	s, remove = strings.CutSuffix(s, "-")
	t.key, t.effect, _ = strings.Cut(s, ":")
	t.key, t.value, _ = strings.Cut(t.key, "=")
	return t, remove
}

func parseEdit(s string) taint.Edit {
	e, err := taint.ParseEdit(s)
	if err != nil {
		panic(err)
	}
	return e
}

func BenchmarkParseEdit(b *testing.B) {
	for _, bb := range []struct{ kind, text string }{
		{"add", "dedicated=gpu-a100-80gb:NoSchedule"},
		{"remove", "dedicated:NoSchedule-"},
		{"removeall", "dedicated-"},
	} {
		held := taint.MustParse("dedicated=gpu-a100-80gb:NoSchedule") // keeps the strings interned
		workload.Run(b, "kind="+bb.kind+"/impl=plain", func() plainTaint { t, _ := plainEdit(bb.text); return t })
		workload.Run(b, "kind="+bb.kind+"/impl=tolerate", func() taint.Edit { return parseEdit(bb.text) })
		runtime.KeepAlive(held)
	}
}

// plainPut is the plain implementation of one edit that overwrites: it copies and
// searches.
func plainPut(node taint.List, t taint.Taint) taint.List {
	out := append(make(taint.List, 0, len(node)+1), node...)
	if i := slices.IndexFunc(out, t.SameKeyEffect); i >= 0 {
		out[i] = t
		return out
	}
	return append(out, t)
}

// keys returns n taints, each with its own key.
func keys(n int, value string) taint.List {
	list := make(taint.List, n)
	for i := range list {
		list[i] = taint.MustParse(fmt.Sprintf("k%d=%s:NoSchedule", i, value))
	}
	return list
}

func apply(node taint.List, edits []taint.Edit) taint.List {
	after, err := taint.Apply(node, edits, taint.EditOptions{Overwrite: true})
	if err != nil {
		panic(err)
	}
	return after
}

// BenchmarkApply applies one edit to a node of the usual size, and as many edits as the
// node has taints, which is the worst case. Lists of 32 are searched; lists of 1,000
// are hashed.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{0, 3, 32} {
		node, one := keys(n, "v"), taint.MustParse("dedicated=gpu:NoSchedule")
		workload.Run(b, fmt.Sprintf("taints=%d/edits=1/impl=plain", n), func() taint.List { return plainPut(node, one) })
		edits := []taint.Edit{taint.Add(one)}
		workload.Run(b, fmt.Sprintf("taints=%d/edits=1/impl=tolerate", n), func() taint.List { return apply(node, edits) })
	}
	for _, n := range []int{32, 1000} {
		node := keys(n, "v")
		var edits []taint.Edit
		for _, t := range keys(n, "w") {
			edits = append(edits, taint.Add(t))
		}
		workload.Run(b, fmt.Sprintf("taints=%d/edits=%d/impl=tolerate", n, n), func() taint.List { return apply(node, edits) })
	}
}

// BenchmarkDifference compares a node's taints before and after an update. Usually they
// are equal.
func BenchmarkDifference(b *testing.B) {
	for _, n := range []int{3, 32, 1000} {
		before := keys(n, "v")
		for _, bb := range []struct {
			differ string
			after  taint.List
		}{{"none", slices.Clone(before)}, {"one", append(before[1:n:n], taint.MustParse("dedicated=gpu:NoSchedule"))}, {"all", keys(n, "w")}} {
			workload.Run(b, fmt.Sprintf("taints=%d/differ=%s/impl=tolerate", n, bb.differ), func() []taint.Change { return taint.Difference(before, bb.after) })
		}
	}
}

func BenchmarkPropagate(b *testing.B) {
	for _, n := range []int{3, 32, 1000} {
		node, after := append(keys(n, "v"), taint.MustParse("own:NoExecute")), keys(n, "w")
		workload.Run(b, fmt.Sprintf("taints=%d/impl=tolerate", n), func() taint.List { return taint.Propagate(node, node[:n], after) })
	}
}
