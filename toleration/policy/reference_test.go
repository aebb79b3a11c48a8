package policy_test

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// The properties are cheap, so there are more than the usual 100 draws, unless
// RAPID_CHECKS or the flag sets the number.
func TestMain(m *testing.M) { gen.Main(m, 1000) }

// about reports whether the clause is about the taint, by the clause's text and
// Tolerates alone.
func about(r policy.Clause, t taint.Taint) bool {
	tolerates := func(u toleration.Toleration) bool { return u.Tolerates(t) }
	return slices.ContainsFunc(r.Taints, tolerates) && !slices.ContainsFunc(r.Except, tolerates)
}

// atMost reports whether u tolerates taints for no longer than n seconds.
func atMost(u toleration.Toleration, n int64) bool {
	seconds, timed := u.Seconds()
	if n < 0 {
		n = 0
	}
	return timed && (seconds < 0 || seconds <= n)
}

// may reports whether a pod is allowed to tolerate the taint by u, which tolerates it,
// and whether a clause of this kind decides so.
func may(r policy.Spec, u toleration.Toleration, t taint.Taint) bool {
	for _, rule := range r.Deny {
		if about(rule, t) && (rule.MaxSeconds == nil || !atMost(u, *rule.MaxSeconds)) {
			return false
		}
	}
	for _, rule := range r.Allow {
		if about(rule, t) && (rule.MaxSeconds == nil || atMost(u, *rule.MaxSeconds)) {
			return true
		}
	}
	return false
}

// tolerationsOf returns all tolerations in the clauses, and u.
func tolerationsOf(r policy.Spec, u toleration.Toleration) toleration.List {
	all := toleration.List{u}
	for _, rule := range slices.Concat(r.Allow, r.Deny) {
		all = slices.Concat(all, rule.Taints, rule.Except)
	}
	return all
}

// check compares a verdict with the clauses, taint by taint.
func check(t rapid.TB, r policy.Spec, p policy.Policy, u toleration.Toleration) {
	t.Helper()
	v := p.Judge(u)
	if again := p.Judge(u); !reflect.DeepEqual(again, v) || v.Toleration != u {
		t.Errorf("R6: Judge(%v) = %+v, then %+v", u, v, again)
	}
	if err := p.Check(toleration.List{u}, "x"); (err == nil) != v.Allowed {
		t.Errorf("R6: Check of %v: %v, and Judge: %+v", u, err, v)
	}
	if u.IsZero() {
		if v.Allowed || v.Denied || !v.Witness.IsZero() {
			t.Errorf("R6: Judge(%v) = %+v", u, v)
		}
		return
	}
	tolerated := slices.DeleteFunc(gen.Distinguishing(tolerationsOf(r, u)), func(x taint.Taint) bool { return !u.Tolerates(x) })
	for _, escape := range tolerated {
		if v.Allowed && !may(r, u, escape) {
			t.Errorf("R6: %v is allowed by %+v, and tolerates %v", u, r, escape)
			return
		}
	}
	w := v.Witness
	if v.Allowed {
		if !w.IsZero() || v.MaxSeconds != nil || v.Denied {
			t.Errorf("R6: Judge(%v) = %+v, allowed", u, v)
		}
		if want := alone(r, u, tolerated); v.Clause != want {
			t.Errorf("R6: %v is allowed by %q alone, want %q, by %+v", u, v.Clause, want, r)
		}
		return
	}
	if !u.Tolerates(w) || may(r, u, w) {
		t.Errorf("R6: Judge(%v) = %+v by %+v: the witness is none", u, v, r)
	}
	if v.Denied {
		i := index("deny", v.Clause, r.Deny)
		if rule := r.Deny[i]; !about(rule, w) || !speaks(v, rule) {
			t.Errorf("R6: Judge(%v) = %+v names the rule %+v", u, v, rule)
		}
		for j, other := range r.Deny {
			if !stricter(other, r.Deny[i], j < i) {
				continue
			}
			for _, x := range tolerated {
				if !may(policy.Spec{Allow: everything, Deny: []policy.Clause{other}}, u, x) {
					t.Errorf("R6: Judge(%v) = %+v, though deny[%d] denies %v", u, v, j, x)
					return
				}
			}
		}
	} else {
		longest := int64(-1)
		for _, rule := range r.Allow {
			if about(rule, w) {
				longest = max(longest, *rule.MaxSeconds, 0)
			}
		}
		if limitOf(v) != longest || v.Clause != "" && !speaks(v, r.Allow[index("allow", v.Clause, r.Allow)]) {
			t.Errorf("R6: Judge(%v) = %+v by %+v, want at most %d", u, v, r, longest)
		}
	}
}

// stricter reports whether r, and not than, decides about what both deny.
func stricter(r, than policy.Clause, earlier bool) bool {
	seconds := func(c policy.Clause) int64 {
		if c.MaxSeconds == nil {
			return -1
		}
		return max(*c.MaxSeconds, 0)
	}
	return cmp.Or(cmp.Compare(seconds(r), seconds(than)), map[bool]int{true: -1, false: 1}[earlier]) < 0
}

// limitOf returns the verdict's MaxSeconds, or -1 if it has none.
func limitOf(v policy.Verdict) int64 {
	if v.MaxSeconds == nil {
		return -1
	}
	return *v.MaxSeconds
}

// speaks reports whether the verdict has the clause's limit and message.
func speaks(v policy.Verdict, r policy.Clause) bool {
	want := int64(-1)
	if r.MaxSeconds != nil {
		want = max(*r.MaxSeconds, 0)
	}
	return limitOf(v) == want && v.Message == r.Message
}

// alone returns the name of the first allow clause that allows u all these taints
// without other clauses, or "" if there is none.
func alone(r policy.Spec, u toleration.Toleration, tolerated taint.List) string {
	for i, rule := range r.Allow {
		one := policy.Spec{Allow: []policy.Clause{rule}}
		if len(tolerated) > 0 && !slices.ContainsFunc(tolerated, func(x taint.Taint) bool { return !may(one, u, x) }) {
			return cmp.Or(rule.Name, "allow["+strconv.Itoa(i)+"]")
		}
	}
	return ""
}

// index returns the index, in the list at path, of the clause that a verdict names.
func index(path, name string, rules []policy.Clause) int {
	for i, r := range rules {
		if r.Name == name && name != "" || r.Name == "" && name == path+"["+strconv.Itoa(i)+"]" {
			return i
		}
	}
	panic("no rule " + name)
}

// list parses tolerations, all of which must be valid.
func list(texts ...string) toleration.List {
	return toleration.MustParseList(strings.Join(texts, ","))
}

const greatest = math.MaxInt64
