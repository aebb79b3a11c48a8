package toleration_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// updateAnyLength compares ValidateUpdate with the text of V9, on lists shorter and
// longer than the length from which they are hashed.
func updateAnyLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(gen.Toleration(), 1, 8).Draw(t, "tolerations")
		drawn := func(name string) (list toleration.List) {
			for range rapid.SampledFrom([]int{0, 1, 31, 32, 33, 70}).Draw(t, name+" length") {
				list = append(list, rapid.SampledFrom(some).Draw(t, name))
			}
			return list
		}
		old, changed := drawn("old"), drawn("changed")
		var want []string
		for _, u := range old {
			kept := false
			for _, v := range changed {
				kept = kept || u.Key() == v.Key() && u.Operator() == v.Operator() && u.Value() == v.Value() && u.Effect() == v.Effect()
			}
			if !kept {
				want = append(want, u.String())
			}
		}
		var got []string
		if err := changed.ValidateUpdate(old, toleration.ListOptions{}); err != nil {
			for _, p := range err.(validate.Problems) {
				if p.Rule != validate.NotKept || p.Path != "spec.tolerations" {
					t.Errorf("V9: problem %v", p)
				}
				got = append(got, p.Value)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("V9: ValidateUpdate(%v, %v) removes %q, want %q", old, changed, got, want)
		}
	})
}

func tolerationCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := gen.TolerationOrZero().Draw(t, "u")
		c := u.Canonical()
		if c.Canonical() != c || c.IsZero() != u.IsZero() {
			t.Errorf("canonical form of %v: %v", u, c)
		}
		one := gen.TaintOrZero().Draw(t, "taint")
		if u.Tolerates(one) != c.Tolerates(one) {
			t.Errorf("%v and its canonical form differ on %v", u, one)
		}
	})
}

func TestList_Match(t *testing.T) {
	t.Run("M1_M2_M3_M4_M5_M6_as_Tolerates", matchProperty)
}

// Index has a loop of its own, which must agree with Tolerates.
func matchProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.TolerationsAndZeros().Draw(t, "list")
		one := gen.TaintOrZero().Draw(t, "taint")
		want := slices.IndexFunc(list, func(u toleration.Toleration) bool { return u.Tolerates(one) })
		if got := list.Match(one); got != want {
			t.Errorf("Match(%v, %v) = %d, want %d", list, one, got, want)
		}
	})
}

func toleratesTimeless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pair := gen.NearPair().Draw(t, "pair")
		u, one := pair.Toleration, pair.Taint
		want := u.Tolerates(one)
		if got := u.WithoutSeconds().Tolerates(one); got != want {
			t.Errorf("%v without seconds tolerates %v: %t, want %t", u, one, got, want)
		}
		if timed, err := one.WithTimeAdded(gen.Time().Draw(t, "added")); err == nil && u.Tolerates(timed) != want {
			t.Errorf("the time added decides whether %v tolerates %v", u, one)
		}
	})
}

func choicesOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.Tolerations().Draw(t, "list")
		if len(list) == 0 {
			return
		}
		length := func(p toleration.Choice) float64 {
			chosen := list[0]
			for _, u := range list[1:] {
				if p.Prefers(u, chosen) {
					chosen = u
				}
			}
			if seconds, timed := chosen.Seconds(); timed {
				return float64(max(seconds, 0))
			}
			return 1e300
		}
		shortest, first, longest := length(toleration.Shortest), length(toleration.First), length(toleration.Longest)
		forever := length(toleration.ForeverElseShortest)
		if shortest > first || first > longest || forever != shortest && forever != 1e300 || longest == 1e300 && forever != longest {
			t.Errorf("of %v: shortest %g, first %g, longest %g, forever else shortest %g", list, shortest, first, longest, forever)
		}
	})
}

func withoutNumericProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.Tolerations().Draw(t, "list")
		one := gen.Taint().Draw(t, "taint")
		want := slices.IndexFunc(list, func(u toleration.Toleration) bool {
			return u.Operator() != toleration.Lt && u.Operator() != toleration.Gt && u.Tolerates(one)
		})
		if got := list.WithoutNumeric().Match(one); got != want {
			t.Errorf("Match of %v without numeric operators on %v = %d, want %d", list, one, got, want)
		}
	})
}

func TestToleration(t *testing.T) {
	t.Run("V7_fields", tolerationFields)
	t.Run("M3_same_tags", tolerationSameTags)
	t.Run("R1_identity", tolerationIdentity)
	t.Run("R1_canonical_form", tolerationCanonical)
	t.Run("M8_zero_values", tolerationZero)
}

// The fields that are valid are those that From and New accept.
func tolerationFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := gen.AnyTolerationFields().Draw(t, "fields")
		got, err := toleration.From(f.Key, f.Operator, f.Value, f.Effect, f.Seconds)
		p := parts{key: f.Key, operator: f.Operator, value: f.Value, effect: f.Effect, limited: f.Seconds != nil}
		want := refValid(p)
		if (err == nil) != want || got.IsZero() == want {
			t.Errorf("From(%+v) = %v, %v, want accepted: %t", f, got, err, want)
		}
	})
}
