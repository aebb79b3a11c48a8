package eviction_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// anyTime makes times of every age, zone and precision.
func anyTime() *rapid.Generator[time.Time] {
	anywhere := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64().Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).
			In(rapid.SampledFrom([]*time.Location{time.UTC, time.FixedZone("", 5400), time.FixedZone("", -86400), time.Local}).Draw(t, "zone"))
	})
	return rapid.OneOf(moment(noon), anywhere, rapid.SampledFrom([]time.Time{
		{}, time.Now(), last, time.Unix(math.MinInt64, 0), time.Unix(math.MaxInt64, 999_999_999),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(0, 1, 1, 0, 0, 0, -1, time.UTC),
	}))
}

// rfc3339 makes those that encoding/json can write.
func rfc3339() *rapid.Generator[time.Time] {
	return rapid.Map(anyTime(), plain).Filter(func(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 })
}

// A codec writes a value and reads it into another.
var codecs = map[string]func(from, to any) error{
	"gob": func(from, to any) error {
		var buf bytes.Buffer
		if err := gob.NewEncoder(&buf).Encode(from); err != nil {
			return err
		}
		return gob.NewDecoder(&buf).Decode(to)
	},
	"JSON": func(from, to any) error {
		text, err := json.Marshal(from)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, to)
	},
}

// plain returns the same instant in UTC, without a monotonic reading.
func plain(t time.Time) time.Time { return t.Round(0).UTC() }

func TestStored(t *testing.T) {
	t.Run("E8_gob_and_JSON", rapid.MakeCheck(testStoredCodecs))
	t.Run("E8_invalid", testStoredInvalid)
}

// A controller can read again what it stores: every list of observed taints, and every
// State.
func testStoredCodecs(t *rapid.T) {
	var observed, want []eviction.Observed
	states := map[string]eviction.State{"other": {Deadline: anyTime().Draw(t, "deadline"), Start: anyTime().Draw(t, "start")}}
	for _, one := range rapid.SliceOfN(gen.TaintOrZero(), 1, 5).Draw(t, "taints") {
		o := eviction.Observed{Taint: one, Since: rfc3339().Draw(t, "since")}
		observed, want = append(observed, o), append(want, eviction.Observed{Taint: one, Since: plain(o.Since)})
	}
	now := anyTime().Draw(t, "now")
	p, u := someOptions().Draw(t, "options"), gen.Tolerations().Draw(t, "tolerations")
	if u = append(u, toleration.MustParseList(":NoExecute op=Exists for 300s")...); rapid.Bool().Draw(t, "for ages") {
		u[len(u)-1], _ = u[len(u)-1].WithSeconds(math.MaxInt64 / 2)
	}
	var node taint.List
	for _, o := range observed {
		node = append(node, o.Taint)
	}
	decision := eviction.Decide(observed, now, p, u)
	state, change := eviction.Reevaluate(eviction.State{}, node, now, p.Choice, u)
	states["pod"] = state
	for name, codec := range codecs {
		var back []eviction.Observed
		err := codec(observed, &back)
		for i := range back {
			back[i].Since = plain(back[i].Since)
		}
		if err != nil || !reflect.DeepEqual(back, want) {
			t.Errorf("%s: %v is read as %v, %v", name, observed, back, err)
		}
		var kept map[string]eviction.State
		if err := codec(states, &kept); err != nil || len(kept) != len(states) {
			t.Fatalf("%s: %v is read as %v, %v", name, states, kept, err)
		}
		for id, s := range states {
			if got := kept[id]; plain(got.Deadline) != plain(s.Deadline) || plain(got.Start) != plain(s.Start) {
				t.Errorf("%s: %v is read as %v", name, s, got)
			}
		}
		// After a restart, the decision is the same and is not a change.
		if again, c := eviction.Reevaluate(kept["pod"], node, now, p.Choice, u); again != state || c.Decision.Kind() != change.Decision.Kind() {
			t.Errorf("%s: %v after a restart, %v before", name, c, change)
		}
		if again := eviction.Decide(back, now, p, u); again != decision {
			t.Errorf("%s: %v after a restart, %v before", name, again, decision)
		}
	}
}

func testStoredInvalid(t *testing.T) {
	var none eviction.State
	if err := json.Unmarshal([]byte(`{"deadline":null}`), &none); err != nil || none != (eviction.State{}) { // as earlier versions wrote it
		t.Errorf("null is read as %v, %v", none, err)
	}
	state := eviction.State{Deadline: noon, Start: after(1)}
	for _, text := range []string{
		``, `{`, `1`, `"x:NoExecute"`, `[]`, `{"Start":1}`, `{"Start":""}`, `{"Start":"@"}`, `{"Start":"@x"}`, `{"Start":"@1.x"}`, `{"Start":"@1.1234567890"}`,
		`{"Start":"` + strings.Repeat("x", 1e6) + `"}`, `{"Start":"@` + strings.Repeat("1", 1e6) + `"}`, `{"Start":"@1.` + strings.Repeat("x", 1e6) + `"}`,
		`{"Start":"@1.-5"}`, `{"Start":"@9223372036854775808"}`, `{"Start":"2026-01-02"}`, `{"Start":"10000-01-02T12:00:00Z"}`, `{"Start":"@1"} x`,
	} {
		s := state
		if err := s.UnmarshalJSON([]byte(text)); err == nil || s != state || len(err.Error()) > 1000 {
			t.Errorf("%.100s: %v, %.1000v", text, s, err)
		}
	}
}
