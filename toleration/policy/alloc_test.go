//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package policy_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// These variables keep the results of calls, so that the compiler does not remove the
// calls.
var (
	sinkVerdict policy.Verdict
	sinkError   error
)

// The rows are the functions that promise not to allocate, with exact counts. The tests
// must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	limited := policy.Clause{Taints: list("node.kubernetes.io/unreachable:NoExecute op=Exists"), MaxSeconds: seconds(300)}
	rules := policy.Spec{
		Allow: []policy.Clause{
			{Taints: list("dedicated op=Exists", "other op=Exists"), Except: list("dedicated=team-b")},
			{Taints: list("k:NoSchedule op=Exists", "k:NoExecute op=Exists")},
			{Taints: list("k:PreferNoSchedule op=Exists", "cores=64 op=Lt")},
			limited,
		},
		Deny: []policy.Clause{{Taints: list("cores=16 op=Lt"), Except: list("cores=5")}, limited},
	}
	for i := range 1500 {
		rules.Deny = append(rules.Deny, policy.Clause{Taints: list("dedicated=" + strconv.Itoa(i))})
	}
	p := problem.Must(policy.New(rules))
	every, pod := toleration.MustParse("op=Exists"), list("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s", "dedicated=team-a:NoSchedule", "k=v", "cores=30 op=Lt")[:3]
	for _, u := range pod {
		measure.Allocs(t, "Judge "+u.String(), 0, func() { sinkVerdict = p.Judge(u) })
	}
	measure.Allocs(t, "Judge/zero", 0, func() { sinkVerdict = p.Judge(toleration.Toleration{}) })
	measure.Allocs(t, "Judge/witness", 0, func() { sinkVerdict = p.Judge(every) })
	measure.Allocs(t, "Check", 0, func() { sinkError = p.Check(pod, "spec.tolerations") })
	if err := p.Check(pod, ""); err != nil {
		t.Errorf("%v: the promises are about other verdicts", err)
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// What a stranger writes takes less than 100 times its size, however many mistakes it has.
func TestDecode_memory(t *testing.T) {
	const size = 150_000
	repeat := func(s string) string { return strings.Repeat(s+",", size/(len(s)+1)) + s }
	for _, file := range []string{
		`{"allow":[` + repeat(`0`) + `]}`,
		`{"allow":[` + repeat(`{"taints":[{}]}`) + `]}`,
		`{"allow":[{"taints":[` + repeat(`0`) + `]}]}`,
		`{"allow":[{"taints":[{` + repeat(`"":0`) + `}]}]}`,
		`{"deny":[{` + repeat(`"":0`) + `}]}`,
		`{` + repeat(`"deny":0`) + `}`,
	} {
		if n := allocated(func() { _, sinkError = policy.Decode([]byte(file)) }); n > 100*len(file) || sinkError == nil {
			t.Errorf("R6: Decode(%.40s...), %v: %d bytes", file, sinkError != nil, n)
		}
	}
}

// The problems of all lists together are limited, too.
func TestDecode_problems(t *testing.T) {
	element := "{" + strings.Repeat(`"":0,`, 1000) + `"":0}`
	clause := `{"taints":[` + strings.Repeat(element+",", 50) + element + `]}`
	_, err := policy.Decode([]byte(`{"allow":[` + strings.Repeat(clause+",", 50) + clause + `]}`))
	if ps, ok := err.(validate.Problems); !ok || len(ps) < problem.Most || len(ps) > 2*problem.Most {
		t.Errorf("R6: Decode returns %d problems", len(ps))
	}
}

// The text of an error is bounded, and made when it is needed.
func TestCheck_text(t *testing.T) {
	long := strings.Repeat("€", 10_000)
	p := problem.Must(policy.New(policy.Spec{Allow: everything, Deny: []policy.Clause{{Name: long, Message: long, Taints: everything[0].Taints}}}))
	many := make(toleration.List, 200)
	for i := range many {
		many[i] = toleration.MustParse("k")
	}
	if n := allocated(func() { sinkError = p.Check(many, "spec.tolerations") }); n > 200*1000 {
		t.Errorf("R6: Check allocates %d bytes", n)
	}
	if text := sinkError.Error(); len(text) > 100_000 || !strings.Contains(text, `€..." denies: €`) || strings.ContainsRune(text, '\ufffd') {
		t.Errorf("R6: the text has %d bytes: %.1000s", len(text), text)
	}
}
