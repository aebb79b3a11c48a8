package eviction_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestKinds(t *testing.T) {
	for i, name := range []string{"Never", "Due", "At"} {
		if text, err := eviction.DecisionKind(i).MarshalText(); string(text) != name || err != nil || eviction.DecisionKind(i).String() != name {
			t.Errorf("%d is %s, %v, want %s", i, text, err, name)
		}
	}
	for i, name := range []string{"Unchanged", "Scheduled", "Earlier", "Later", "Cancelled"} {
		if text, err := eviction.UpdateKind(i).MarshalText(); string(text) != name || err != nil || eviction.UpdateKind(i).String() != name {
			t.Errorf("%d is %s, %v, want %s", i, text, err, name)
		}
	}
	if _, err := eviction.DecisionKind(3).MarshalText(); err == nil || eviction.DecisionKind(3).String() != "DecisionKind(3)" {
		t.Error("DecisionKind(3) has a name")
	}
	if _, err := eviction.UpdateKind(5).MarshalText(); err == nil || eviction.UpdateKind(5).String() != "UpdateKind(5)" {
		t.Error("UpdateKind(5) has a name")
	}
}

// decisions returns one decision of each kind, and one whose deadline has no RFC 3339
// text.
func decisions(t *testing.T) []eviction.Decision {
	t.Helper()
	observed := observe(t, "x:NoSchedule @0", "a:NoExecute @10", "b:NoExecute @5")
	none := pod()
	return []eviction.Decision{
		{},
		eviction.Decide(observed, second(20), eviction.Options{}, none),
		eviction.Decide(observed, second(20), eviction.Options{}, pod("a", "b:NoExecute for 60s")),
		eviction.Decide(observed, second(20), eviction.Options{}, none, pod("b", "a:NoExecute for 30s")),
		eviction.Decide(observed, second(20), eviction.Options{}, pod("b", "a:NoExecute for 300000000000s")),
	}
}

func TestDecision_contract(t *testing.T) {
	contract.Result[eviction.Decision]{Samples: decisions(t)}.Test(t)
}

func TestUpdate_contract(t *testing.T) {
	samples := []eviction.Update{{}}
	var before eviction.State
	taints := taint.List{taint.MustParse("a:NoExecute")}
	for _, u := range []string{"a:NoExecute for 60s", "a:NoExecute for 30s", "a:NoExecute for 90s", "a", "a:NoExecute for 300000000000s", "a:NoExecute for 90s", "b"} {
		var c eviction.Update
		before, c = eviction.Reevaluate(before, taints, second(10), toleration.First, pod(u))
		samples = append(samples, c)
	}
	contract.Result[eviction.Update]{Samples: samples}.Test(t)
}

func TestState_contract(t *testing.T) {
	contract.Result[eviction.State]{Samples: []eviction.State{
		{}, {Deadline: noon}, {Deadline: second(1)}, {Deadline: second(1), Start: noon}, {Deadline: last}, {Deadline: time.Unix(math.MinInt64, 0)},
	}}.Test(t)
}

func TestObserved_contract(t *testing.T) {
	x := taint.MustParse("x:NoExecute")
	contract.Result[eviction.Observed]{Samples: []eviction.Observed{
		{}, {Taint: x}, {Since: noon}, {Taint: x, Since: noon}, {Taint: x, Since: last},
	}}.Test(t)
}

// The JSON of decisions and changes has the values of their methods and fields.
func TestMarshalJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var observed []eviction.Observed
		for _, one := range rapid.SliceOfN(gen.TaintOrZero(), 0, 5).Draw(t, "taints") {
			observed = append(observed, eviction.Observed{Taint: one, Since: anyTime().Draw(t, "since")})
		}
		before := eviction.State{Deadline: anyTime().Draw(t, "deadline"), Start: anyTime().Draw(t, "start")}
		var s eviction.Schedule[int]
		s.Restore(0, before)
		c := s.Set(0, eviction.Decide(observed, anyTime().Draw(t, "now"), someOptions().Draw(t, "options"), gen.Tolerations().Draw(t, "tolerations")))
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		type decision struct {
			Kind       string
			Deadline   string
			Taint      *int
			Toleration *match.Position
		}
		var got struct {
			Kind     string
			Before   string
			Decision decision
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		want := got
		want.Kind, want.Before = c.Kind.String(), stampText(t, c.Before)
		want.Decision = decision{Kind: c.Decision.Kind().String()}
		if at, ok := c.Decision.Deadline(); ok {
			want.Decision.Deadline = stampText(t, at)
			if at.IsZero() { // a deadline there is
				want.Decision.Deadline = "0001-01-01T00:00:00Z"
			}
		}
		if i, ok := c.Decision.Taint(); ok {
			want.Decision.Taint = &i
		}
		if at, ok := c.Decision.Toleration(); ok {
			want.Decision.Toleration = &at
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s mismatch (-want +got):\n%s", data, diff)
		}
	})
}

// stampText returns the time as a State writes it, "" for the zero time.
func stampText(t *rapid.T, at time.Time) string {
	data, err := json.Marshal(eviction.State{Deadline: at})
	var s struct{ Deadline string }
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.Deadline
}

// go-cmp compares decisions, alone and in an Update, by Equal, which agrees with ==.
func TestEqual(t *testing.T) {
	all := decisions(t)
	for i, d := range all {
		for j, e := range all {
			if cmp.Equal(d, e) != (i == j) || cmp.Equal(eviction.Update{Decision: d}, eviction.Update{Decision: e}) != (i == j) {
				t.Errorf("%v and %v: Equal is %v", d, e, cmp.Equal(d, e))
			}
		}
	}
}
