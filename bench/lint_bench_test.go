package bench_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var sinkFindings int

// manifests returns the lists of n manifests, in the shares in which such lists
// are published: most name one or two keys and nothing is found in them; one
// in ten is an agent's that tolerates nearly everything; some name the control
// plane by its old key, too.
func manifests(n int, seed uint64) [][]toleration.Toleration {
	rng := rand.New(rand.NewPCG(seed, 0))
	shapes := []struct {
		share int
		list  func() []toleration.Toleration
	}{
		{30, func() []toleration.Toleration { return tolerations("nvidia.com/gpu:NoSchedule op=Exists") }},
		{20, func() []toleration.Toleration {
			return tolerations(fmt.Sprintf("dedicated=team-%d:NoSchedule op=Equal", rng.IntN(100)))
		}},
		{12, func() []toleration.Toleration {
			return tolerations("nvidia.com/gpu=present:NoSchedule op=Equal", fmt.Sprintf("pool-%d=true:NoSchedule", rng.IntN(100)))
		}},
		{10, func() []toleration.Toleration {
			return tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")
		}},
		{8, func() []toleration.Toleration {
			return tolerations("CriticalAddonsOnly op=Exists", "node-role.kubernetes.io/control-plane:NoSchedule")
		}},
		{8, func() []toleration.Toleration {
			return tolerations("CriticalAddonsOnly op=Exists", "node-role.kubernetes.io/master:NoSchedule", "node-role.kubernetes.io/control-plane:NoSchedule")
		}},
		{5, func() []toleration.Toleration { return tolerations("op=Exists") }},
		{5, func() []toleration.Toleration {
			return tolerations(":NoSchedule op=Exists", "CriticalAddonsOnly op=Exists", ":NoExecute op=Exists")
		}},
		{1, func() []toleration.Toleration { return tolerations("nvidia.com/gpu:NoSchedule op=Exists", "op=Exists") }},
		{1, func() []toleration.Toleration {
			return tolerations("drain:NoExecute op=Exists", "drain:NoExecute op=Exists for 60s", "cores=0 op=Lt")
		}},
	}
	lists := make([][]toleration.Toleration, 0, n)
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

func lintAll(dst []lint.Finding, lists [][]toleration.Toleration, defaults []toleration.Toleration, opts lint.Options) int {
	found := 0
	for _, l := range lists {
		dst = lint.AppendPod(dst[:0], l, defaults, opts)
		found += len(dst)
	}
	return found
}

// plainLint looks at each toleration, and at each pair, field by field: about
// what one would write instead. It finds no numbers, nothing that several cover
// together, and nothing that depends on the list.
func plainLint(lists [][]toleration.Toleration) int {
	found := 0
	for _, l := range lists {
		for i, u := range l {
			seconds, timed := u.Seconds()
			switch {
			case u.Operator() == toleration.Exists && u.Key() == "" && u.Effect() == 0,
				u.Key() == "node-role.kubernetes.io/master",
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

func lintJSON(dst []lint.Finding, lists [][]byte) int {
	found := 0
	var buf []toleration.Toleration
	for _, data := range lists {
		var err error
		if buf, err = toleration.AppendDecode(buf[:0], data, toleration.ListOptions{}); err != nil {
			panic(err)
		}
		dst = lint.AppendList(dst[:0], buf, lint.Options{})
		found += len(dst)
	}
	return found
}

// A repository of 10,000 manifests.
func BenchmarkLint(b *testing.B) {
	const n = 10_000
	lists := manifests(n, 1)
	var clean [][]toleration.Toleration
	var texts [][]byte
	for _, l := range lists {
		if lint.List(l, lint.Options{}) == nil {
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
	dst := make([]lint.Finding, 0, 64)
	for _, bb := range []struct {
		name string
		do   func() int
	}{
		{"lists=clean", func() int { return lintAll(dst, clean, nil, lint.Options{}) }},
		{"lists=all", func() int { return lintAll(dst, lists, nil, lint.Options{}) }},
		{"lists=defaults", func() int { return lintAll(dst, lists, defaults, lint.Options{}) }},
		{"lists=json", func() int { return lintJSON(dst, texts) }},
		{"lists=plain", func() int { return plainLint(lists) }},
	} {
		b.Run(fmt.Sprintf("manifests=%d/%s", n, bb.name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkFindings = bb.do()
			}
		})
	}
}

// One list of n: of as many keys; of two keys and nothing to do without; the
// same behind a wildcard, so that all the others can be done without; and, the
// worst, numbers in a range that no single other covers, which are looked at
// together in lists of up to 128.
func BenchmarkLintLong(b *testing.B) {
	for _, n := range []int{4, 64, 128, 1024} {
		shadowed := append(tolerations("op=Exists"), crowded(n-1)...)
		for _, bb := range []struct {
			keys string
			list []toleration.Toleration
		}{
			{"many", spread(n)},
			{"two", crowded(n)},
			{"shadowed", shadowed},
			{"together", together(n)},
		} {
			lists := [][]toleration.Toleration{bb.list}
			dst := make([]lint.Finding, 0, 2*n)
			b.Run(fmt.Sprintf("tolerations=%d/keys=%s", n, bb.keys), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sinkFindings = lintAll(dst, lists, nil, lint.Options{})
				}
			})
		}
	}
}

// together returns n tolerations, of which two cover all others, though none of
// those alone: ranges from a number below the middle to one above.
func together(n int) []toleration.Toleration {
	list := tolerations("k=1000 op=Lt", "k=999 op=Gt")
	for i := len(list); i < n; i++ {
		list = append(list, toleration.MustParse(fmt.Sprintf("k=%d op=Gt", 999-i)))
	}
	return list
}

func lintCluster(nodes [][]taint.Taint, pods [][]toleration.Toleration) int {
	var c lint.Cluster
	for _, n := range nodes {
		c.AddNode(n)
	}
	for _, p := range pods {
		c.AddPod(p)
	}
	return len(c.Findings(lint.Options{}))
}

// plainCluster holds every pod's tolerations against every node's taints.
func plainCluster(nodes [][]taint.Taint, pods [][]toleration.Toleration) int {
	found := 0
	for _, p := range pods {
		for _, u := range p {
			needed := false
			for _, n := range nodes {
				for _, t := range n {
					if u.Tolerates(t) {
						needed = true
					}
				}
				if needed {
					break
				}
			}
			if !needed {
				found++
			}
		}
	}
	return found
}

// A cluster of 5,000 nodes and 10,000 pods.
func BenchmarkLintCluster(b *testing.B) {
	nodes, pods := workload.Fleet(5_000, 1), manifests(10_000, 1)
	for _, bb := range []struct {
		impl string
		do   func() int
	}{
		{"lint", func() int { return lintCluster(nodes, pods) }},
		{"plain", func() int { return plainCluster(nodes, pods) }},
	} {
		b.Run(fmt.Sprintf("nodes=%d/pods=%d/impl=%s", len(nodes), len(pods), bb.impl), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkFindings = bb.do()
			}
		})
	}
}
