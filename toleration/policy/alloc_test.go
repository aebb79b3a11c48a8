//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package policy_test

import (
	"strconv"
	"testing"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// These variables keep the results of calls, so that the compiler does not remove the
// calls.
var (
	sinkVerdict policy.Verdict
	sinkError   error
)

// The rows are the functions that promise not to allocate, with exact counts. The test
// must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	limited := policy.Clause{Taints: list("node.kubernetes.io/unreachable:NoExecute op=Exists"), MaxSeconds: seconds(300)}
	rules := policy.Spec{
		Allow: []policy.Clause{
			{Taints: list("dedicated op=Exists"), Except: list("dedicated=team-b")},
			{Taints: list("k:NoSchedule op=Exists", "k:NoExecute op=Exists")},
			{Taints: list("k:PreferNoSchedule op=Exists", "cores=64 op=Lt")},
			limited,
		},
		Deny: []policy.Clause{
			{Taints: list("node-role.kubernetes.io/control-plane op=Exists")},
			{Taints: list("cores=16 op=Lt"), Except: list("cores=5")},
			limited,
		},
	}
	var (
		p        = problem.Must(policy.New(rules))
		timed    = toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")
		pool     = toleration.MustParse("dedicated=team-a:NoSchedule")
		together = toleration.MustParse("k=v")
		integers = toleration.MustParse("cores=30 op=Gt")
		wildcard = toleration.MustParse("op=Exists")
		pod      = toleration.List{timed, pool, together}
		// The texts of the witnesses are kept interned, as those of a cluster's taints
		// are.
		held = [...]policy.Verdict{p.Judge(integers), p.Judge(wildcard)}
		many = make(toleration.List, 64)
	)
	largeRules := policy.Spec{Allow: []policy.Clause{{Taints: list("unlisted op=Exists")}}}
	for i := range 1500 {
		largeRules.Deny = append(largeRules.Deny, policy.Clause{Taints: list("dedicated=" + strconv.Itoa(i))})
	}
	large := problem.Must(policy.New(largeRules))
	for i := range many {
		many[i] = toleration.MustParse("unlisted=" + strconv.Itoa(i))
	}
	measure.Allocs(t, "Judge/timed", 0, func() { sinkVerdict = p.Judge(timed) })
	measure.Allocs(t, "Judge/except", 0, func() { sinkVerdict = p.Judge(pool) })
	measure.Allocs(t, "Judge/together", 0, func() { sinkVerdict = p.Judge(together) })
	measure.Allocs(t, "Judge/zero", 0, func() { sinkVerdict = p.Judge(toleration.Toleration{}) })
	measure.Allocs(t, "Check", 0, func() { sinkError = p.Check(pod, "spec.tolerations") })
	measure.Allocs(t, "Check/1500", 0, func() { sinkError = large.Check(many, "spec.tolerations") })
	// The key of the witness is made once, so a list of many is judged without searching for it.
	named := problem.Must(policy.New(policy.Spec{Allow: []policy.Clause{{Taints: list("other op=Exists", "other1 op=Exists")}}}))
	if n := testing.AllocsPerRun(100, func() { sinkVerdict = named.Judge(wildcard) }); n > 1 {
		t.Errorf("R6: Judge allocates %v times for a witness", n)
	}
	if err := p.Check(pod, ""); err != nil || held[1].Allowed {
		t.Errorf("%v: the promises are about other verdicts", err)
	}
}
