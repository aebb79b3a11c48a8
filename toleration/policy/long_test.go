package policy_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// drawn returns a toleration with one of a few keys, values and bounds.
func drawn(rng *rand.Rand, timed bool) toleration.Toleration {
	key, op, value := "k"+strconv.Itoa(rng.IntN(2)), toleration.Operator(1+rng.IntN(4)), strconv.Itoa(1+rng.IntN(30))
	if rng.IntN(12) == 0 {
		key, op = "", toleration.Exists
	}
	if op == toleration.Exists {
		value = ""
	}
	u, err := toleration.New(key, op, value, taint.Effect(rng.IntN(4)))
	if err != nil {
		panic(err)
	}
	if t, err := u.WithSeconds(int64(rng.IntN(50))); err == nil && timed && rng.IntN(2) == 0 {
		return t
	}
	return u
}

// drawnClauses returns n clauses, each with few tolerations.
func drawnClauses(rng *rand.Rand, n int) []policy.Clause {
	var rules []policy.Clause
	for range n {
		u := drawn(rng, false)
		for u.Operator() != toleration.Equal {
			u = drawn(rng, false)
		}
		r := policy.Clause{Taints: toleration.List{u}}
		if u.Effect() == taint.NoExecute && rng.IntN(2) == 0 {
			r.MaxSeconds = seconds(int64(rng.IntN(50)))
		}
		if rng.IntN(6) == 0 {
			r.Except = append(r.Except, drawn(rng, false))
		}
		rules = append(rules, r)
	}
	return rules
}

// These policies and lists are so long that package cover indexes them.
func judgeLongLists(t *testing.T) {
	seed := uint64(1)
	if s, err := strconv.ParseUint(os.Getenv("TOLERATE_SEED"), 10, 64); err == nil {
		seed = s
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	var allowed, denied, unlisted int
	for round := range 6 {
		rules := policy.Spec{Allow: drawnClauses(rng, 120)}
		for i := range round {
			rules.Deny = append(rules.Deny, policy.Clause{Taints: list("k1=" + strconv.Itoa(5*i) + ":NoExecute"), MaxSeconds: seconds(int64(i))})
		}
		p := made(t, rules)
		for range 8 {
			u := drawn(rng, true)
			check(t, rules, p, u)
			switch v := p.Judge(u); {
			case v.Allowed:
				allowed++
			case v.Denied:
				denied++
			default:
				unlisted++
			}
		}
		var old, changed toleration.List
		for range 150 {
			old, changed = append(old, drawn(rng, true)), append(changed, drawn(rng, true))
		}
		old = old[:rng.IntN(len(old))]
		var want []string
		for i, u := range changed {
			if _, more := cover.UncoveredTaint(changed[i:i+1], old, toleration.Longest); more && !p.Judge(u).Allowed {
				want = append(want, problem.Index("x", i))
			}
		}
		problems := problem.Append(nil, "", p.CheckUpdate(changed, old, "x"))
		if len(problems) != len(want) {
			t.Errorf("R6: CheckUpdate refuses %d, want %d", len(problems), len(want))
			continue
		}
		for i, problem := range problems {
			if problem.Path != want[i] {
				t.Errorf("R6: CheckUpdate refuses %v, want %s", problem, want[i])
			}
		}
	}
	if allowed == 0 || denied == 0 || unlisted == 0 {
		t.Errorf("%d allowed, %d denied, %d unlisted: one kind is never drawn", allowed, denied, unlisted)
	}
	if t.Failed() {
		t.Logf("TOLERATE_SEED=%d", seed)
	}
}
