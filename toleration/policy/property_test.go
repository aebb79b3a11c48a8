package policy_test

import (
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// aboutTaints makes tolerations that a clause can have. If there is an effect, all have
// it.
func aboutTaints(effect taint.Effect) *rapid.Generator[toleration.Toleration] {
	return rapid.Map(gen.Toleration(), func(u toleration.Toleration) toleration.Toleration {
		op, e := u.Operator(), u.Effect()
		if op == 0 && u.Value() == "" {
			op = toleration.Equal
		}
		if effect != 0 {
			e = effect
		}
		v, err := toleration.New(u.Key(), op, u.Value(), e)
		if err != nil || cover.MatchesNothing(v) {
			v, err = toleration.New("k", toleration.Exists, "", e)
		}
		return problem.Must(v, err)
	})
}

func aClause() *rapid.Generator[policy.Clause] {
	return rapid.Custom(func(t *rapid.T) policy.Clause {
		var r policy.Clause
		var effect taint.Effect
		if rapid.IntRange(0, 2).Draw(t, "about time") == 0 {
			r.MaxSeconds = seconds(gen.Seconds().Draw(t, "seconds"))
			effect = taint.NoExecute
		}
		r.Taints = rapid.SliceOfN(aboutTaints(effect), 1, 4).Draw(t, "taints")
		if rapid.IntRange(0, 2).Draw(t, "exceptions") == 0 {
			r.Except = rapid.SliceOfN(aboutTaints(0), 1, 3).Draw(t, "except")
		}
		r.Message = rapid.SampledFrom([]string{"", "contact"}).Draw(t, "message")
		return r
	})
}

func someSpec() *rapid.Generator[policy.Spec] {
	return rapid.Custom(func(t *rapid.T) policy.Spec {
		allow, deny := rapid.SliceOfN(aClause(), 0, 4).Draw(t, "allow"), rapid.SliceOfN(aClause(), 0, 3).Draw(t, "deny")
		if rapid.IntRange(0, 2).Draw(t, "open") == 0 || len(allow) == 0 && len(deny) > 0 {
			allow = append(allow, everything...)
		}
		return policy.Spec{
			Allow: allow,
			Deny:  deny,
		}
	})
}

// near makes tolerations that are often at the edge of the clauses: parts of what the
// clauses select, and tolerations outside.
func near(r policy.Spec) *rapid.Generator[toleration.Toleration] {
	return rapid.Custom(func(t *rapid.T) toleration.Toleration {
		named := tolerationsOf(r, toleration.Toleration{})[1:]
		if len(named) == 0 || rapid.IntRange(0, 3).Draw(t, "other") == 0 {
			return gen.TolerationOrZero().Draw(t, "u")
		}
		u := rapid.SampledFrom(named).Draw(t, "of a rule")
		key, op, value, effect := u.Key(), u.Operator(), u.Value(), u.Effect()
		switch change := rapid.IntRange(0, 5).Draw(t, "change"); {
		case change == 0:
			effect = gen.EffectOrAbsent().Draw(t, "effect")
		case change == 1 || key == "":
			op, value = toleration.Exists, ""
		case change == 2:
			key, op, value = "", toleration.Exists, ""
		case change == 3:
			op, value = rapid.SampledFrom([]toleration.Operator{toleration.Lt, toleration.Gt}).Draw(t, "operator"), gen.Bound().Draw(t, "bound")
		case change == 4:
			op, value = toleration.Equal, gen.Value().Draw(t, "value")
		}
		v := problem.Must(toleration.New(key, op, value, effect))
		if timed, err := v.WithSeconds(gen.Seconds().Draw(t, "seconds")); err == nil && rapid.Bool().Draw(t, "timed") {
			return timed
		}
		return v
	})
}

func property(t *rapid.T) {
	r := someSpec().Draw(t, "rules")
	p, err := policy.New(r)
	if err != nil {
		t.Fatalf("New(%+v): %v", r, err)
	}
	u := near(r).Draw(t, "u")
	check(t, r, p, u)
}
