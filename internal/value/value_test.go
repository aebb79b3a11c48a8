package value_test

import (
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A tag is unchanged if the time added fills all of its bits.
func TestTaint_Tag(t *testing.T) {
	if tag := (value.Taint{}).Tag(); tag != 0 {
		t.Errorf("zero Taint's Tag() = %#x, want 0", tag)
	}
	u := taint.MustParse("dedicated=gpu:NoExecute")
	timed := problem.Must(u.WithTimeAdded(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)))
	want := value.TagOf("dedicated", "gpu", uint8(taint.NoExecute))
	a, b := value.Taint(u), value.Taint(timed)
	if a.Tag() != want || b.Tag() != want || b.Canonical() != a || b.Effect() != a.Effect() {
		t.Errorf("tags %#x and, with a time added, %#x, want %#x", a.Tag(), b.Tag(), want)
	}
}

// Equal keys and values have equal handles, in taints and tolerations alike.
func TestHandles(t *testing.T) {
	texts := []string{"", "a", "b", "ab", "1"}
	for _, s := range texts {
		for _, r := range texts {
			a, b := value.NewTaint("k", s, 1), value.NewToleration("k", uint8(toleration.Equal), r, 1)
			if (a.ValueHandle() == b.ValueHandle()) != (s == r) || a.KeyHandle() != b.KeyHandle() || a.Value() != s || b.Value() != r {
				t.Errorf("values %q, %q: handles are equal: %v", s, r, a.ValueHandle() == b.ValueHandle())
			}
			if r == "" {
				continue // a taint has a key
			}
			a, b = value.NewTaint(r, "", 1), value.NewToleration(s, uint8(toleration.Exists), "", 1)
			if (a.KeyHandle() == b.KeyHandle()) != (s == r) || a.Key() != r || b.Key() != s {
				t.Errorf("keys %q, %q: handles are equal: %v", r, s, a.KeyHandle() == b.KeyHandle())
			}
		}
	}
}

// An operator that this package does not know matches nothing.
func TestNewToleration(t *testing.T) {
	for op := 0; op < 256; op++ {
		u := value.NewToleration("k", uint8(op), "1", 1)
		if zero, known := u == (value.Toleration{}), op == 0 || toleration.Operator(op).IsValid(); zero == known {
			t.Errorf("V5: operator %d: %v", op, u)
		}
	}
}

// The sieve of a toleration passes every taint that it matches, with any time added.
// This includes the zero values.
func TestToleration_MayMatch(t *testing.T) {
	var taints []value.Taint
	var tolerations []value.Toleration
	for _, key := range []string{"", "a", "b"} {
		for _, val := range []string{"", "x", "1"} {
			for e := taint.Effect(0); e <= taint.NoExecute; e++ {
				u, _ := taint.New(key, val, e)
				timed, _ := u.WithTimeAdded(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))
				taints = append(taints, value.Taint(u), value.Taint(timed))
				for op := toleration.Operator(0); op <= toleration.Gt; op++ {
					u, _ := toleration.New(key, op, val, e)
					tolerations = append(tolerations, value.Toleration(u))
				}
			}
		}
	}
	matched, held := 0, 0
	for _, u := range tolerations {
		for _, v := range taints {
			may := u.MayMatch(v.Tag())
			if u.Matches(v) != (may && (u.MatchesText(&v) || u.MatchesNumber(&v))) || u.Matches(v) != u.Matches(v.Canonical()) {
				t.Errorf("%v, %v: Matches is neither the three methods nor the same without a time added",
					toleration.Toleration(u), taint.Taint(v))
			}
			if u.Matches(v) {
				matched++
			} else if !may {
				held++
			}
		}
	}
	if matched < 200 || held < 200 {
		t.Errorf("%d matched, %d held back: that proves nothing", matched, held)
	}
}
