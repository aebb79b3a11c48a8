//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package policy_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// What calls leave behind, so that they are not done away with.
var (
	sinkVerdict policy.Verdict
	sinkError   error
	sinkBool    bool
)

// Every promise that something does not allocate, with the exact count. Not to
// be run in parallel with anything.
func TestAllocs(t *testing.T) {
	limited := policy.Rule{Taints: list("node.kubernetes.io/unreachable:NoExecute op=Exists"), MaxSeconds: new(int64(300))}
	rules := policy.Rules{
		Allow: []policy.Rule{
			{Taints: list("dedicated op=Exists"), Except: list("dedicated=team-b")},
			{Taints: list("k:NoSchedule op=Exists", "k:NoExecute op=Exists")},
			{Taints: list("k:PreferNoSchedule op=Exists", "cores=64 op=Lt")},
			limited,
		},
		Deny: []policy.Rule{
			{Taints: list("node-role.kubernetes.io/control-plane op=Exists")},
			{Taints: list("cores=16 op=Lt"), Except: list("cores=5")},
			limited,
		},
	}
	var (
		p         = made(t, rules)
		timed     = toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")
		pool      = toleration.MustParse("dedicated=team-a:NoSchedule")
		together  = toleration.MustParse("k=v")
		integers  = toleration.MustParse("cores=30 op=Gt")
		wildcard  = toleration.MustParse("op=Exists")
		pod       = []toleration.Toleration{timed, pool, together}
		bigger    = append([]toleration.Toleration{wildcard}, pod...)
		pools     = rules.Allow[0]
		someTaint = taint.MustParse("dedicated=team-a:NoSchedule")
		// The witnesses' texts are held, as those of a cluster's taints are.
		held = [...]policy.Verdict{p.Judge(integers), p.Judge(wildcard)}
	)
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Judge/timed", 0, func() { sinkVerdict = p.Judge(timed) }},
		{"Judge/except", 0, func() { sinkVerdict = p.Judge(pool) }},
		{"Judge/together", 0, func() { sinkVerdict = p.Judge(together) }},
		{"Judge/zero", 0, func() { sinkVerdict = p.Judge(toleration.Toleration{}) }},
		{"Judge/zero_policy", 0, func() { sinkVerdict = policy.Policy{}.Judge(wildcard) }},
		{"Check", 0, func() { sinkError = p.Check("spec.tolerations", pod) }},
		{"CheckUpdate", 0, func() { sinkError = p.CheckUpdate("spec.tolerations", bigger, bigger) }},
		{"Verdicts", 0, func() {
			for _, v := range p.Verdicts(pod) {
				sinkVerdict = v
			}
		}},
		{"Rule.Has", 0, func() { sinkBool = pools.Has(someTaint) }},
		{"Verdict.Allowed", 0, func() { sinkBool = sinkVerdict.Allowed() }},
		{"IsZero", 0, func() { sinkBool = p.IsZero() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(50, tt.do); got != tt.want {
				t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
			}
		})
	}
	if err := p.Check("", pod); err != nil || held[1].Allowed() {
		t.Errorf("%v: the promises are about other verdicts", err)
	}
}
