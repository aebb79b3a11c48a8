package toleration_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestK5_round_trips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkRoundTrips(t, gen.Toleration().Draw(t, "toleration"))
	})
}

// checkRoundTrips demands that a toleration comes back whole from text, JSON
// and YAML.
func checkRoundTrips(t interface {
	Helper()
	Errorf(string, ...any)
}, u toleration.Toleration) {
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
	if large, _ := u.Seconds(); large < 1<<53 && large > -1<<53 && (err != nil || back != u) { // a map holds a float64
		t.Errorf("K5: YAML %s of %v is read back as %v, %v", data, u, back, err)
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

func TestR1_compare_is_a_total_order(t *testing.T) {
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

func TestR1_canonical_form(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := gen.TolerationOrZero().Draw(t, "u")
		c := u.Canonical()
		if c.Canonical() != c || c.Hash() != u.Hash() || c.IsZero() != u.IsZero() {
			t.Errorf("canonical form of %v: %v", u, c)
		}
		bears := gen.TaintOrZero().Draw(t, "taint")
		if u.Tolerates(bears) != c.Tolerates(bears) {
			t.Errorf("%v and its canonical form differ on %v", u, bears)
		}
		v := gen.TolerationOrZero().Draw(t, "v")
		if (c == v.Canonical()) != (u.Hash() == v.Hash()) {
			t.Errorf("hashes of %v and %v: %#x, %#x", u, v, u.Hash(), v.Hash())
		}
	})
}

func TestR1_sets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.TolerationsAndZeros().Draw(t, "list")
		shuffled := rapid.Permutation(slices.Concat(list, list)).Draw(t, "shuffled")
		if !toleration.EqualSets(list, shuffled) || toleration.HashSet(list) != toleration.HashSet(shuffled) {
			t.Errorf("order or repeats matter: %v, %v", list, shuffled)
		}
		other := gen.TolerationsAndZeros().Draw(t, "other")
		want := slices.Equal(toleration.AppendCanonical(nil, list), toleration.AppendCanonical(nil, other))
		if got := toleration.EqualSets(list, other); got != want {
			t.Errorf("EqualSets(%v, %v) = %t, want %t", list, other, got, want)
		}
	})
}

// Index is a loop of its own; it must agree with Tolerates.
func TestM1_to_M6_index(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.TolerationsAndZeros().Draw(t, "list")
		bears := gen.TaintOrZero().Draw(t, "taint")
		want := slices.IndexFunc(list, func(u toleration.Toleration) bool { return u.Tolerates(bears) })
		if got := toleration.Index(list, bears); got != want {
			t.Errorf("Index(%v, %v) = %d, want %d", list, bears, got, want)
		}
	})
}

func TestM7_seconds_and_time_never_matter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pair := gen.NearPair().Draw(t, "pair")
		u, bears := pair.Toleration, pair.Taint
		want := u.Tolerates(bears)
		if got := u.WithoutSeconds().Tolerates(bears); got != want {
			t.Errorf("%v without seconds tolerates %v: %t, want %t", u, bears, got, want)
		}
		if timed, err := bears.WithTimeAdded(gen.Time().Draw(t, "added")); err == nil && u.Tolerates(timed) != want {
			t.Errorf("the time added decides whether %v tolerates %v", u, bears)
		}
	})
}

func TestE3_policies_are_ordered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.Tolerations().Draw(t, "list")
		if len(list) == 0 {
			return
		}
		length := func(p toleration.Policy) float64 {
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

func TestV9_updates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := gen.Tolerations().Draw(t, "old")
		added := gen.Tolerations().Draw(t, "added")
		changed := rapid.Permutation(slices.Concat(old, added)).Draw(t, "changed")
		if err := toleration.ValidateUpdate(old, changed, toleration.ListOptions{}); err != nil {
			t.Errorf("an addition and reordering of %v to %v: %v", old, changed, err)
		}
		other := gen.Tolerations().Draw(t, "other")
		want := true
		for _, u := range old {
			want = want && slices.ContainsFunc(other, func(v toleration.Toleration) bool {
				return u.Key() == v.Key() && u.Operator() == v.Operator() && u.Value() == v.Value() && u.Effect() == v.Effect()
			})
		}
		if err := toleration.ValidateUpdate(old, other, toleration.ListOptions{}); (err == nil) != want {
			t.Errorf("ValidateUpdate(%v, %v) = %v, want accepted: %t", old, other, err, want)
		}
	})
}

func TestM9_without_numeric_matches_as_without_them(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.Tolerations().Draw(t, "list")
		bears := gen.Taint().Draw(t, "taint")
		want := slices.IndexFunc(list, func(u toleration.Toleration) bool {
			return u.Operator() != toleration.Lt && u.Operator() != toleration.Gt && u.Tolerates(bears)
		})
		if got := toleration.Index(toleration.WithoutNumeric(list), bears); got != want {
			t.Errorf("Index of %v without numeric operators on %v = %d, want %d", list, bears, got, want)
		}
	})
}

// A list is accepted as a whole exactly when each element is, and then reads
// as written.
func TestK4_lists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.Tolerations().Draw(t, "list")
		data, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		got, err := toleration.DecodeList(data, toleration.ListOptions{Strict: true})
		if err != nil || !slices.Equal(got, list) {
			t.Errorf("DecodeList(%s) = %v, %v", data, got, err)
		}
	})
}

// What matches is decided by fields alone.
func TestM8_zero_taint_is_never_matched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := gen.TolerationOrZero().Draw(t, "u")
		if u.Tolerates(taint.Taint{}) {
			t.Errorf("%v tolerates the zero Taint", u)
		}
	})
}

// The fields that are valid are those that From, New and Check take.
func TestV7_fields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := gen.AnyTolerationFields().Draw(t, "fields")
		got, err := toleration.From(f.Key, f.Operator, f.Value, f.Effect, f.Seconds)
		p := parts{key: f.Key, operator: f.Operator, value: f.Value, effect: f.Effect, limited: f.Seconds != nil}
		want := refValid(p)
		if (err == nil) != want || got.IsZero() == want {
			t.Errorf("From(%+v) = %v, %v, want accepted: %t", f, got, err, want)
		}
		if checked := toleration.Check(f.Key, f.Operator, f.Value, f.Effect, f.Seconds); (checked == nil) != want {
			t.Errorf("Check(%+v) = %v, want accepted: %t", f, checked, want)
		}
	})
}
