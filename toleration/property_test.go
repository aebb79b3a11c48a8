package toleration_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

func tolerationRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkRoundTrips(t, gen.Toleration().Draw(t, "toleration"))
	})
}

// checkRoundTrips requires that a toleration is read back unchanged from text, JSON and
// YAML.
func checkRoundTrips(t reporter, u toleration.Toleration) {
	t.Helper()
	if back, err := toleration.Parse(u.String()); err != nil || back != u {
		t.Errorf("K5: %q is read back as %v, %v", u, back, err)
	}
	data, err := json.Marshal(u)
	back := toleration.MustParse("other")
	if err != nil || json.Unmarshal(data, &back) != nil || back != u {
		t.Errorf("K5: %s of %v is read back as %v, %v", data, u, back, err)
	}
	back = toleration.MustParse("other")
	err = back.UnmarshalYAML(func(v any) error { return json.Unmarshal(data, v) })
	if large, _ := u.Seconds(); large < 1<<53 && large > -1<<53 && (err != nil || back != u) { // a float64 in the map
		t.Errorf("K5: YAML %s of %v is read back as %v, %v", data, u, back, err)
	}
	var written bytes.Buffer
	err = gob.NewEncoder(&written).Encode(toleration.List{u, {}, u})
	var list toleration.List
	if err != nil || gob.NewDecoder(&written).Decode(&list) != nil || !slices.Equal(list, toleration.List{u, {}, u}) {
		t.Errorf("K5: gob of %v is read back as %v, %v", u, list, err)
	}
	seconds, timed := u.Seconds()
	var p *int64
	if timed {
		p = &seconds
	}
	if back, err := toleration.From(u.Key(), u.Operator().String(), u.Value(), u.Effect().String(), p); err != nil || back != u {
		t.Errorf("K5: the fields of %v make %v, %v", u, back, err)
	}
}

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

func tolerationCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := gen.TolerationOrZero().Draw(t, "a"), gen.TolerationOrZero().Draw(t, "b"), gen.TolerationOrZero().Draw(t, "c")
		if (a.Compare(b) == 0) != (a == b) {
			t.Errorf("Compare(%v, %v) = %d", a, b, a.Compare(b))
		}
		if a.Compare(b) != -b.Compare(a) {
			t.Errorf("Compare(%v, %v) = %d and back %d", a, b, a.Compare(b), b.Compare(a))
		}
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 && a.Compare(c) > 0 {
			t.Errorf("%v <= %v <= %v, but Compare of the ends is %d", a, b, c, a.Compare(c))
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

func equalSetProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.TolerationsAndZeros().Draw(t, "list")
		shuffled := rapid.Permutation(slices.Concat(list, list)).Draw(t, "shuffled")
		if !list.EqualSet(shuffled) {
			t.Errorf("order or repeats matter: %v, %v", list, shuffled)
		}
		other := gen.TolerationsAndZeros().Draw(t, "other")
		want := slices.Equal(list.Canonical(), other.Canonical())
		if got := list.EqualSet(other); got != want {
			t.Errorf("%v.EqualSet(%v) = %t, want %t", list, other, got, want)
		}
		if got := list.Canonical().String() == other.Canonical().String(); got != want {
			t.Errorf("the texts of %v and %v agree: %t, want %t", list, other, got, want)
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

func updateProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := gen.Tolerations().Draw(t, "old")
		added := gen.Tolerations().Draw(t, "added")
		changed := rapid.Permutation(slices.Concat(old, added)).Draw(t, "changed")
		if err := changed.ValidateUpdate(old, toleration.ListOptions{}); err != nil {
			t.Errorf("an addition and reordering of %v to %v: %v", old, changed, err)
		}
		other := gen.Tolerations().Draw(t, "other")
		want := true
		for _, u := range old {
			want = want && slices.ContainsFunc(other, func(v toleration.Toleration) bool {
				return u.Key() == v.Key() && u.Operator() == v.Operator() && u.Value() == v.Value() && u.Effect() == v.Effect()
			})
		}
		if err := other.ValidateUpdate(old, toleration.ListOptions{}); (err == nil) != want {
			t.Errorf("ValidateUpdate(%v, %v) = %v, want accepted: %t", old, other, err, want)
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

// A list is accepted exactly if each element is, and its text is then the given one.
func decodeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.Tolerations().Draw(t, "list")
		data, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := toleration.Decode(data, toleration.ListOptions{Strict: true})
		if err != nil || !slices.Equal(got, list) {
			t.Errorf("Decode(%s) = %v, %v", data, got, err)
		}
	})
}

// Only the fields decide what a toleration matches.
func toleratesZeroTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := gen.TolerationOrZero().Draw(t, "u")
		if u.Tolerates(taint.Taint{}) {
			t.Errorf("%v tolerates the zero Taint", u)
		}
	})
}

func TestToleration(t *testing.T) {
	t.Run("V7_fields", tolerationFields)
	t.Run("M3_same_tags", tolerationSameTags)
	t.Run("R1_identity", tolerationIdentity)
	t.Run("R1_compare_is_a_total_order", tolerationCompare)
	t.Run("R1_canonical_form", tolerationCanonical)
	t.Run("M8_zero_values", tolerationZero)
	t.Run("K5_round_trips", tolerationRoundTrips)
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
