package bench_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
)

// manifests returns the lists of n manifests, in proportions that are usual in
// published manifests. Most have one or two keys and no findings. One in ten is an
// agent's and tolerates nearly everything. Some have both keys of the control plane.
func manifests(n int, seed uint64) []toleration.List {
	rng := rand.New(rand.NewPCG(seed, 0))
	shapes := []struct {
		share int
		list  func() toleration.List
	}{
		{30, func() toleration.List { return tolerations("nvidia.com/gpu:NoSchedule op=Exists") }},
		{20, func() toleration.List {
			return tolerations(fmt.Sprintf("dedicated=team-%d:NoSchedule op=Equal", rng.IntN(100)))
		}},
		{12, func() toleration.List {
			return tolerations("nvidia.com/gpu=present:NoSchedule op=Equal", fmt.Sprintf("pool-%d=true:NoSchedule", rng.IntN(100)))
		}},
		{10, func() toleration.List {
			return tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")
		}},
		{8, func() toleration.List {
			return tolerations("CriticalAddonsOnly op=Exists", "node-role.kubernetes.io/control-plane:NoSchedule")
		}},
		{8, func() toleration.List {
			return tolerations("CriticalAddonsOnly op=Exists", "node-role.kubernetes.io/master:NoSchedule", "node-role.kubernetes.io/control-plane:NoSchedule")
		}},
		{5, func() toleration.List { return tolerations("op=Exists") }},
		{5, func() toleration.List {
			return tolerations(":NoSchedule op=Exists", "CriticalAddonsOnly op=Exists", ":NoExecute op=Exists")
		}},
		{1, func() toleration.List { return tolerations("nvidia.com/gpu:NoSchedule op=Exists", "op=Exists") }},
		{1, func() toleration.List {
			return tolerations("drain:NoExecute op=Exists", "drain:NoExecute op=Exists for 60s", "cores=0 op=Lt")
		}},
	}
	lists := make([]toleration.List, 0, n)
	for range n {
		p := rng.IntN(100)
		for _, s := range shapes {
			if p -= s.share; p < 0 {
				lists = append(lists, s.list())
				break
			}
		}
	}
	return lists
}

func lintAll(lists []toleration.List, opts lint.Options) int {
	found := 0
	for _, l := range lists {
		found += len(lint.Find(l, opts))
	}
	return found
}

// plainLint is the plain implementation: it compares each toleration and each pair
// field by field. It has no findings about integers, about several tolerations that
// together cover another, or about the list as a whole.
func plainLint(lists []toleration.List) int {
	found := 0
	for _, l := range lists {
		for i, u := range l {
			seconds, timed := u.Seconds()
			switch {
			case u.Operator() == toleration.Exists && u.Key() == "" && u.Effect() == 0,
				u.Key() == "node.kubernetes.io/out-of-disk",
				timed && seconds <= 0:
				found++
			}
			for j, v := range l {
				wider := (v.Key() == "" || v.Key() == u.Key()) && (v.Effect() == 0 || v.Effect() == u.Effect()) &&
					(v.Operator() == toleration.Exists || u.Operator() != toleration.Exists && v.Value() == u.Value())
				if j != i && wider {
					found++
					break
				}
			}
		}
	}
	return found
}

func lintJSON(lists [][]byte) int {
	found := 0
	for _, data := range lists {
		list, _, err := toleration.Decode(data, toleration.ListOptions{})
		if err != nil {
			panic(err)
		}
		found += len(lint.Find(list, lint.Options{}))
	}
	return found
}

// BenchmarkLint lints a repository of 10,000 manifests.
func BenchmarkLint(b *testing.B) {
	const n = 10_000
	lists := manifests(n, 1)
	var clean []toleration.List
	var texts [][]byte
	for _, l := range lists {
		if lint.Find(l, lint.Options{}) == nil {
			clean = append(clean, l)
		}
		text := []byte{'['}
		for i, u := range l {
			if i > 0 {
				text = append(text, ',')
			}
			text = u.AppendJSON(text)
		}
		texts = append(texts, append(text, ']'))
	}
	for len(clean) < n {
		clean = append(clean, clean[:min(len(clean), n-len(clean))]...)
	}
	defaults := tolerations("dedicated=team-7:NoSchedule", "node.kubernetes.io/not-ready:NoExecute op=Exists for 60s")
	for _, bb := range []struct {
		name string
		do   func() int
	}{
		{"lists=clean/impl=tolerate", func() int { return lintAll(clean, lint.Options{}) }},
		{"lists=all/impl=tolerate", func() int { return lintAll(lists, lint.Options{}) }},
		{"lists=defaults/impl=tolerate", func() int { return lintAll(lists, lint.Options{Defaults: defaults}) }},
		{"lists=json/impl=tolerate", func() int { return lintJSON(texts) }},
		{"lists=all/impl=plain", func() int { return plainLint(lists) }},
	} {
		workload.Run(b, fmt.Sprintf("manifests=%d/%s", n, bb.name), bb.do)
	}
}

// BenchmarkLintLong lints one list of n tolerations. They have n keys; or two keys, and
// none is redundant; or the same after a wildcard, which makes all of them redundant.
// In the worst case they are integers in a range that no single toleration covers.
// More than 128 are not compared with one another.
func BenchmarkLintLong(b *testing.B) {
	for _, n := range []int{4, 64, 128, 1024} {
		shadowed := append(tolerations("op=Exists"), crowded(n-1)...)
		for _, bb := range []struct {
			keys string
			list toleration.List
		}{
			{"many", spread(n)},
			{"two", crowded(n)},
			{"shadowed", shadowed},
			{"together", together(n)},
		} {
			lists := []toleration.List{bb.list}
			workload.Run(b, fmt.Sprintf("tolerations=%d/keys=%s/impl=tolerate", n, bb.keys), func() int {
				return lintAll(lists, lint.Options{})
			})
		}
	}
}

// together returns n tolerations. The first two, less than 1000 and greater than 999,
// together cover all others. Neither covers all others alone.
func together(n int) toleration.List {
	list := tolerations("k=1000 op=Lt", "k=999 op=Gt")
	for i := len(list); i < n; i++ {
		list = append(list, toleration.MustParse(fmt.Sprintf("k=%d op=Gt", 999-i)))
	}
	return list
}
