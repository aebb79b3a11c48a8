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

// about reports whether the clause applies to the taint, by the clause's text and
// Tolerates alone.
func about(r policy.Clause, t taint.Taint) bool {
	tolerates := func(u toleration.Toleration) bool { return u.Tolerates(t) }
	return slices.ContainsFunc(r.Taints, tolerates) && !slices.ContainsFunc(r.Except, tolerates)
}

// within reports whether u tolerates taints for no longer than the clause's limit, if it has
// one.
func within(u toleration.Toleration, r policy.Clause) bool {
	seconds, timed := u.Seconds()
	return r.MaxSeconds != nil && timed && (seconds < 0 || seconds <= max(*r.MaxSeconds, 0))
}

func denies(r policy.Clause, u toleration.Toleration, t taint.Taint) bool {
	return about(r, t) && !within(u, r)
}

func allows(r policy.Clause, u toleration.Toleration, t taint.Taint) bool {
	return about(r, t) && (r.MaxSeconds == nil || within(u, r))
}

// may reports whether a pod is allowed to tolerate the taint by u, which tolerates it.
func may(r policy.Spec, u toleration.Toleration, t taint.Taint) bool {
	return !slices.ContainsFunc(r.Deny, func(c policy.Clause) bool { return denies(c, u, t) }) &&
		slices.ContainsFunc(r.Allow, func(c policy.Clause) bool { return allows(c, u, t) })
}

// tolerationsOf returns all tolerations in the clauses, and u.
func tolerationsOf(r policy.Spec, u toleration.Toleration) toleration.List {
	all := toleration.List{u}
	for _, rule := range slices.Concat(r.Allow, r.Deny) {
		all = slices.Concat(all, rule.Taints, rule.Except)
	}
	return all
}

// tolerated returns the taints that u tolerates, of those that distinguish the clauses.
func tolerated(r policy.Spec, u toleration.Toleration) taint.List {
	return slices.DeleteFunc(gen.Distinguishing(tolerationsOf(r, u)), func(x taint.Taint) bool { return !u.Tolerates(x) })
}

// check compares a verdict with the clauses, taint by taint.
func check(t rapid.TB, r policy.Spec, p policy.Policy, u toleration.Toleration) {
	t.Helper()
	v := p.Judge(u)
	if again := p.Judge(u); !reflect.DeepEqual(again, v) {
		t.Errorf("R6: Judge(%v) = %+v, then %+v", u, v, again)
	}
	if err := p.Check(toleration.List{u}, "x"); (err == nil) != v.Allowed {
		t.Errorf("R6: Check of %v: %v, and Judge: %+v", u, err, v)
	}
	all, want := tolerated(r, u), policy.Verdict{Toleration: u, Witness: v.Witness}
	switch i := denier(r, u, all); {
	case u.IsZero():
	case i >= 0:
		want.Denied = true
		setClause(&want, "deny", i, r.Deny[i])
		if !u.Tolerates(v.Witness) || !denies(r.Deny[i], u, v.Witness) {
			t.Errorf("R6: Judge(%v) = %+v by %+v: the witness is none", u, v, r)
		}
	case slices.ContainsFunc(all, func(x taint.Taint) bool { return !may(r, u, x) }):
		if !u.Tolerates(v.Witness) || may(r, u, v.Witness) {
			t.Errorf("R6: Judge(%v) = %+v by %+v: the witness is none", u, v, r)
		}
		// Of the clauses with the most seconds, any can be named.
		for i, c := range r.Allow {
			if about(c, v.Witness) && (want.MaxSeconds == nil || max(*c.MaxSeconds, 0) > *want.MaxSeconds || max(*c.MaxSeconds, 0) == *want.MaxSeconds && v.Clause == label("allow", i, c)) {
				setClause(&want, "allow", i, c)
			}
		}
	default:
		want.Allowed, want.Witness = true, taint.Taint{}
		want.Clause = alone(r, u, all)
	}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("R6: Judge(%v) = %+v by %+v, want %+v", u, v, r, want)
	}
}

// denier returns the index of the clause that denies u: that with the fewest seconds, and of
// equal ones the first. It is -1 if none does.
func denier(r policy.Spec, u toleration.Toleration, tolerated taint.List) int {
	found := -1
	for i, c := range r.Deny {
		if slices.ContainsFunc(tolerated, func(x taint.Taint) bool { return denies(c, u, x) }) && (found < 0 || from(c) < from(r.Deny[found])) {
			found = i
		}
	}
	return found
}

// from returns the seconds above which the clause denies, or -1 if it has no limit.
func from(c policy.Clause) int64 {
	if c.MaxSeconds == nil {
		return -1
	}
	return max(*c.MaxSeconds, 0)
}

func setClause(v *policy.Verdict, path string, i int, c policy.Clause) {
	v.Clause, v.Message, v.MaxSeconds = label(path, i, c), c.Message, nil
	if c.MaxSeconds != nil {
		v.MaxSeconds = seconds(max(*c.MaxSeconds, 0))
	}
}

func label(path string, i int, c policy.Clause) string {
	return cmp.Or(c.Name, path+"["+strconv.Itoa(i)+"]")
}

// alone returns the name of the first allow clause that allows u all these taints
// without other clauses, or "" if there is none.
func alone(r policy.Spec, u toleration.Toleration, tolerated taint.List) string {
	for i, c := range r.Allow {
		if len(tolerated) > 0 && !slices.ContainsFunc(tolerated, func(x taint.Taint) bool { return !allows(c, u, x) }) {
			return label("allow", i, c)
		}
	}
	return ""
}

// list parses tolerations, all of which must be valid.
func list(texts ...string) toleration.List {
	return toleration.MustParseList(strings.Join(texts, ","))
}

const greatest = math.MaxInt64
