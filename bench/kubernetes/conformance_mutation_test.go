package kubernetes_test

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A mistake changes one step of the right matcher, which is written here step by step
// with the public accessors.
type mistake struct {
	effect func(u toleration.Toleration, t taint.Taint) bool
	key    func(u toleration.Toleration, t taint.Taint) bool
	equal  func(u toleration.Toleration, t taint.Taint) bool
	exists func(u toleration.Toleration, t taint.Taint) bool
	number func(s string) (int64, bool)
	lt, gt func(taint, bound int64) bool
}

// matcher replaces the omitted steps by the right ones.
func (m mistake) matcher() matcher {
	type pair = func(toleration.Toleration, taint.Taint) bool
	or := func(f, right pair) pair {
		if f != nil {
			return f
		}
		return right
	}
	effect := or(m.effect, func(u toleration.Toleration, t taint.Taint) bool {
		return u.Effect() == 0 || u.Effect() == t.Effect()
	})
	key := or(m.key, func(u toleration.Toleration, t taint.Taint) bool { return u.Key() == "" || u.Key() == t.Key() })
	equal := or(m.equal, func(u toleration.Toleration, t taint.Taint) bool { return u.Value() == t.Value() })
	exists := or(m.exists, func(toleration.Toleration, taint.Taint) bool { return true })
	number, lt, gt := m.number, m.lt, m.gt
	if number == nil {
		number = func(s string) (int64, bool) { n, err := validate.Integer(s); return n, err == nil }
	}
	if lt == nil {
		lt = func(taint, bound int64) bool { return taint < bound }
	}
	if gt == nil {
		gt = func(taint, bound int64) bool { return taint > bound }
	}
	return func(u toleration.Toleration, t taint.Taint) bool {
		if u.IsZero() || !effect(u, t) || !key(u, t) {
			return false
		}
		switch u.Operator() {
		case toleration.Exists:
			return exists(u, t)
		case toleration.Lt, toleration.Gt:
			bound, ok := number(u.Value())
			n, ok2 := number(t.Value())
			if u.Operator() == toleration.Lt {
				return ok && ok2 && lt(n, bound)
			}
			return ok && ok2 && gt(n, bound)
		}
		return equal(u, t)
	}
}

var mistakes = map[string]mistake{
	"M1_absent_effect_matches_only_NoSchedule": {effect: func(u toleration.Toleration, t taint.Taint) bool {
		return u.Effect() == t.Effect() || u.Effect() == 0 && t.Effect() == taint.NoSchedule
	}},
	"M1_NoExecute_implies_NoSchedule": {effect: func(u toleration.Toleration, t taint.Taint) bool {
		return u.Effect() == 0 || u.Effect() == t.Effect() || u.Effect() == taint.NoExecute && t.Effect() == taint.NoSchedule
	}},
	"M2_absent_key_matches_nothing": {key: func(u toleration.Toleration, t taint.Taint) bool { return u.Key() == t.Key() }},
	"M2_keys_folded": {key: func(u toleration.Toleration, t taint.Taint) bool {
		return u.Key() == "" || strings.EqualFold(u.Key(), t.Key())
	}},
	"M2_key_is_a_prefix":        {key: func(u toleration.Toleration, t taint.Taint) bool { return strings.HasPrefix(t.Key(), u.Key()) }},
	"M3_exists_compares_values": {exists: func(u toleration.Toleration, t taint.Taint) bool { return u.Value() == t.Value() }},
	"M4_empty_value_matches_any": {equal: func(u toleration.Toleration, t taint.Taint) bool {
		return u.Value() == "" || u.Value() == t.Value()
	}},
	"M4_values_folded":        {equal: func(u toleration.Toleration, t taint.Taint) bool { return strings.EqualFold(u.Value(), t.Value()) }},
	"M5_gt_wrong_way":         {gt: func(taint, bound int64) bool { return taint < bound }},
	"M5_lt_accepts_equal":     {lt: func(taint, bound int64) bool { return taint <= bound }},
	"M5_gt_accepts_equal":     {gt: func(taint, bound int64) bool { return taint >= bound }},
	"M5_difference_overflows": {gt: func(taint, bound int64) bool { return taint-bound > 0 }},
	"M6_leading_zeros_accepted": {number: func(s string) (int64, bool) {
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil
	}},
	"M6_overflow_is_the_largest": {number: func(s string) (int64, bool) {
		n, err := validate.Integer(s)
		if _, large := strconv.ParseInt(s, 10, 64); errors.Is(large, strconv.ErrRange) {
			return math.MaxInt64, true
		}
		return n, err == nil
	}},
	"M7_zero_seconds_match_nothing": {effect: func(u toleration.Toleration, t taint.Taint) bool {
		n, timed := u.Seconds()
		return (!timed || n > 0) && (u.Effect() == 0 || u.Effect() == t.Effect())
	}},
}

// The harness must detect every one of these mistakes, and none in the matcher without
// a mistake. Otherwise it proves nothing.
func TestMutation(t *testing.T) {
	const cases = 50_000
	mustAgree(t, cases, tolerates(mistake{}.matcher(), nil))
	for name, m := range mistakes {
		mustSee(t, name, cases, tolerates(m.matcher(), nil))
	}
}

// These are mistakes of the filter, made with the right matcher.
func TestMutationFilter(t *testing.T) {
	const cases = 50_000
	see(t, cases, func(f filterFunc) func(*gen) string { return finds(f, nil) }, match.Node.Filter, map[string]filterFunc{
		"F1_one_taint_is_enough": func(n match.Node, tolerations toleration.List) match.Result {
			r := n.Filter(tolerations)
			if r.Count(0) < len(n.Taints) {
				return match.Result{}
			}
			return r
		},
		"F4_only_the_first_taint": func(n match.Node, tolerations toleration.List) match.Result {
			return match.Node{Taints: n.Taints[:min(1, len(n.Taints))]}.Filter(tolerations)
		},
		"F6_last_taint_first": func(n match.Node, tolerations toleration.List) match.Result {
			turned := slices.Clone(n.Taints)
			slices.Reverse(turned)
			return match.Node{Taints: turned}.Filter(tolerations)
		},
	})
}
