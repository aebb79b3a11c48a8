package bench_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// plainDenied is the code that is usually written instead of a policy: it reports
// whether the list tolerates one of these taints. A rule about any value becomes a list
// of some values.
func plainDenied(restricted taint.List, list toleration.List) bool {
	for _, t := range restricted {
		if list.Match(t) >= 0 {
			return true
		}
	}
	return false
}

// platform returns a policy of n deny clauses about pools and one about time, and the
// taints of the pools. The policy allows everything else. If listed is set, it instead
// allows only n other pools, each by two clauses.
func platform(n int, listed bool) (policy.Spec, taint.List) {
	var (
		r          policy.Spec
		restricted taint.List
	)
	for i := range n {
		key := fmt.Sprintf("pool-%d.example.com/dedicated", i)
		r.Deny = append(r.Deny, policy.Clause{
			Taints: tolerations(key + " op=Exists"),
			Except: tolerations(key + "=shared"),
		})
		for _, e := range []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute} {
			t, err := taint.New(key, "private", e)
			if err != nil {
				panic(err)
			}
			restricted = append(restricted, t)
		}
		if listed {
			key = fmt.Sprintf("open-%d.example.com/dedicated", i)
			r.Allow = append(r.Allow, policy.Clause{Taints: tolerations(key+"=100 op=Lt", key+"=99 op=Gt")})
		}
	}
	hour := int64(3600)
	r.Deny = append(r.Deny, policy.Clause{
		Taints:     tolerations("node.kubernetes.io/unreachable:NoExecute op=Exists"),
		MaxSeconds: &hour,
	})
	if listed {
		r.Allow = append(r.Allow, policy.Clause{Taints: tolerations("node.kubernetes.io/unreachable:NoExecute op=Exists")})
	} else {
		r.Allow = []policy.Clause{{Taints: tolerations("op=Exists")}}
	}
	return r, restricted
}

// BenchmarkPolicyCheck checks a pod's list: one that is allowed, and one that is
// refused for its last toleration.
func BenchmarkPolicyCheck(b *testing.B) {
	pod := tolerations("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s", "open-0.example.com/dedicated=7", "open-0.example.com/dedicated=0 op=Gt")
	wild := append(slices.Clone(pod), toleration.MustParse("op=Exists"))
	for _, n := range []int{1, 10, 100} {
		for _, kind := range []string{"deny", "denyandallow"} {
			rules, restricted := platform(n, kind == "denyandallow")
			p, err := policy.New(rules)
			if err != nil {
				b.Fatal(err)
			}
			for _, bb := range []struct {
				verdict string
				list    toleration.List
			}{{"allowed", pod}, {"refused", wild}} {
				if err := p.Check(bb.list, ""); (err == nil) != (bb.verdict == "allowed") {
					b.Fatalf("%s: %v", bb.verdict, err)
				}
				name := fmt.Sprintf("rules=%d/kind=%s/verdict=%s", n, kind, bb.verdict)
				workload.Run(b, name+"/impl=tolerate", func() error { return p.Check(bb.list, "spec.tolerations") })
				if kind == "deny" {
					workload.Run(b, name+"/impl=plain", func() bool { return plainDenied(restricted, bb.list) })
				}
			}
		}
	}
}

// BenchmarkPolicyJudge is the worst case: only all clauses together allow the
// toleration.
func BenchmarkPolicyJudge(b *testing.B) {
	for _, n := range []int{2, 8, 64} {
		var r policy.Spec
		r.Allow = append(r.Allow, policy.Clause{Taints: tolerations(fmt.Sprintf("k=%d op=Gt", n-2))})
		for i := range n - 1 {
			r.Allow = append(r.Allow, policy.Clause{Taints: tolerations(fmt.Sprintf("k=%d", i))})
		}
		p, err := policy.New(r)
		if err != nil {
			b.Fatal(err)
		}
		u := toleration.MustParse("k=-1 op=Gt")
		if v := p.Judge(u); !v.Allowed || v.Clause != "" {
			b.Fatal(v)
		}
		workload.Run(b, fmt.Sprintf("kind=together/rules=%d/impl=tolerate", n), func() policy.Verdict { return p.Judge(u) })
	}
}

func decodePolicy(data []byte) policy.Policy {
	p, err := policy.Decode(data)
	if err != nil {
		panic(err)
	}
	return p
}

func BenchmarkPolicyDecode(b *testing.B) {
	data := []byte(`{"allow": [{"taints": [{"operator": "Exists"}]}],
		"deny": [{"name": "control-plane", "message": "contact the platform team",
		"taints": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"},
			{"key": "node-role.kubernetes.io/master", "operator": "Exists"}]},
		{"taints": [{"key": "dedicated", "operator": "Exists"}], "except": [{"key": "dedicated", "value": "team-a"}]}]}`)
	workload.Run(b, "impl=tolerate", func() policy.Policy { return decodePolicy(data) })
}
