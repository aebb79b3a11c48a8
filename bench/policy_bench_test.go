package bench_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

var (
	sinkVerdict policy.Verdict
	sinkRefused bool
	sinkPolicy  policy.Policy
	sinkErr     error
)

// plainDenied is what is mostly written instead of a policy: is one of these
// taints tolerated? It knows no set of taints, so for a rule about any value it
// asks about the values that somebody thought of.
func plainDenied(restricted []taint.Taint, list []toleration.Toleration) bool {
	for _, t := range restricted {
		if toleration.Index(list, t) >= 0 {
			return true
		}
	}
	return false
}

// platform returns a policy of n deny rules about pools, and one about time;
// with lists also as many that allow, in two halves; and the taints of the pools
// by themselves.
func platform(n int, listed bool) (policy.Rules, []taint.Taint) {
	var (
		r          policy.Rules
		restricted []taint.Taint
	)
	for i := range n {
		key := fmt.Sprintf("pool-%d.example.com/dedicated", i)
		r.Deny = append(r.Deny, policy.Rule{
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
			r.Allow = append(r.Allow, policy.Rule{Taints: tolerations(key+"=100 op=Lt", key+"=99 op=Gt")})
		}
	}
	r.Deny = append(r.Deny, policy.Rule{
		Taints:     tolerations("node.kubernetes.io/unreachable:NoExecute op=Exists"),
		MaxSeconds: new(int64(3600)),
	})
	if listed {
		r.Allow = append(r.Allow, policy.Rule{Taints: tolerations("node.kubernetes.io/unreachable:NoExecute op=Exists")})
	}
	return r, restricted
}

func checkPolicy(p policy.Policy, list []toleration.Toleration) error {
	return p.Check("spec.tolerations", list)
}

// A pod's list against a policy: allowed, and refused for its last toleration.
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
				list    []toleration.Toleration
			}{{"allowed", pod}, {"refused", wild}} {
				if err := p.Check("", bb.list); (err == nil) != (bb.verdict == "allowed") {
					b.Fatalf("%s: %v", bb.verdict, err)
				}
				name := fmt.Sprintf("rules=%d/kind=%s/verdict=%s", n, kind, bb.verdict)
				b.Run("impl=policy/"+name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						sinkErr = checkPolicy(p, bb.list)
					}
				})
				if kind == "deny" {
					b.Run("impl=plain/"+name, func(b *testing.B) {
						b.ReportAllocs()
						for b.Loop() {
							sinkRefused = plainDenied(restricted, bb.list)
						}
					})
				}
			}
		}
	}
}

func judge(p policy.Policy, u toleration.Toleration) policy.Verdict { return p.Judge(u) }

// The worst case: every rule bears upon every other and upon the toleration,
// and only all of them together allow it.
func BenchmarkPolicyJudge(b *testing.B) {
	for _, n := range []int{2, 8, 64} {
		var r policy.Rules
		r.Allow = append(r.Allow, policy.Rule{Taints: tolerations(fmt.Sprintf("k=%d op=Gt", n-2))})
		for i := range n - 1 {
			r.Allow = append(r.Allow, policy.Rule{Taints: tolerations(fmt.Sprintf("k=%d", i))})
		}
		p, err := policy.New(r)
		if err != nil {
			b.Fatal(err)
		}
		u := toleration.MustParse("k=-1 op=Gt")
		if v := p.Judge(u); !v.Allowed() || v.Rule != "" {
			b.Fatal(v)
		}
		b.Run(fmt.Sprintf("kind=together/rules=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkVerdict = judge(p, u)
			}
		})
	}
}

func decodePolicy(data []byte) (policy.Policy, error) { return policy.Decode(data) }

func BenchmarkPolicyDecode(b *testing.B) {
	data := []byte(`{"deny": [{"name": "control-plane", "message": "ask the platform team",
		"taints": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}]},
		{"taints": [{"key": "dedicated", "operator": "Exists"}], "except": [{"key": "dedicated", "value": "team-a"}]}]}`)
	b.ReportAllocs()
	for b.Loop() {
		sinkPolicy, sinkErr = decodePolicy(data)
	}
}
