package dra_test

import (
	"math/big"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

func TestDecide(t *testing.T) {
	for _, tt := range []struct {
		name, taints, tolerations string
		now                       int64 // seconds after noon
		want                      string
		by                        int // the index of the toleration, -1 for none
	}{
		{"G7_untolerated", "a:NoExecute@0", "", 1, "due", -1},
		{"G7_NoSchedule", "a:NoSchedule@0,a:None@0,a:Future@0", "", 1, "never", -1},
		{"G7_other_effect", "a:NoExecute@0", "a:NoSchedule op=Exists", 1, "due", -1},
		{"G7_no_effect", "a:NoExecute@0", "a op=Exists", 1, "never", -1},
		{"G7_no_effect_with_seconds", "a:NoExecute@0", "a:NoExecute for 9s,op=Exists for 5s", 1, "at 2026-01-02T12:00:05Z", 1},
		{"G8_future", "a:NoExecute@0", "", -1, "at 2026-01-02T12:00:00Z", -1},
		{"G8_future_with_seconds", "a:NoExecute@60", "a for 5s", 0, "at 2026-01-02T12:01:05Z", 0},
		{"G8_fewest", "a:NoExecute@0", "a for 9s,a for 3s,a for 3s", 0, "at 2026-01-02T12:00:03Z", 1},
		{"G8_forever", "a:NoExecute@0", "a for 3s,a", 9, "never", -1},
		{"G8_negative", "a:NoExecute@0", "a for 3s,a for -9s,a for -99s", 0, "due", 1},
		{"G8_earliest_taint", "a:NoExecute@0,b:NoExecute@1", "a for 9s,b for 3s", 0, "at 2026-01-02T12:00:04Z", 1},
		{"G8_no_time_added", "a:NoExecute", "a for 3s", 1, "due", 0},
		{"G8_no_time_added_forever", "a:NoExecute", "a", 1, "never", -1},
		{"G8_exact", "a:NoExecute@0", "a for 9223372037s", 0, "at 2318-04-14T11:47:17Z", 0},
		{"G8_far", "a:NoExecute@-1767355200", "a for 135536078568729600s", 0, "at @135536078568729600", 0}, // the year overflows to 2026 in 32 bits
		{"G8_overflow", "a:NoExecute@0", "a for 9223372036854775807s", 0, "never", -1},
		{"G13_no_effect", "a@0", "", 1, "never", -1},
		{"G13_operator", "a:NoExecute@0", "a op=Lt", 1, "due", -1},
		{"G13_exists_with_value", "a=x:NoExecute@0", "a=x op=Exists,a=x for 5s", 1, "at 2026-01-02T12:00:05Z", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := tolerations(tt.tolerations)
			claims := []*resourcev1.ResourceClaim{claim(list, dra.ID{})}
			taintsOf := func(dra.ID) []resourcev1.DeviceTaint { return taints(tt.taints) }
			d, cause := dra.Decide(noon.Add(time.Duration(tt.now)*time.Second), claims, taintsOf, nil)
			var by *resourcev1.DeviceToleration
			if tt.by >= 0 {
				by = &list[tt.by]
			}
			if d.String() != tt.want || cause.Toleration != by || (cause.Taint == nil) != (tt.want == "never") {
				t.Errorf("Decide = %v because of %+v, want %s", d, cause, tt.want)
			}
		})
	}
}

func TestDecide_devices(t *testing.T) {
	a, b, gone := dra.ID{Driver: "gpu", Pool: "n1", Device: "a"}, dra.ID{Driver: "gpu", Pool: "n1", Device: "b"}, dra.ID{Driver: "gpu", Pool: "n2", Device: "a"}
	one := taints("a:NoExecute@0")
	own := map[dra.ID][]resourcev1.DeviceTaint{a: one, b: one}
	rules := []dra.Rule{
		{Taint: taints("b:NoExecute@0")[0]}, // selects none
		{Selector: &dra.Selector{Pool: &gone.Pool}, Taint: taints("c:NoExecute@2")[0]},
	}
	for name, tt := range map[string]struct {
		claims []*resourcev1.ResourceClaim
		want   string
		claim  int    // whose
		device dra.ID // decides
		rule   *dra.Rule
	}{
		"G8_earliest_device": {[]*resourcev1.ResourceClaim{claim(tolerations("a for 9s"), a), {}, claim(tolerations("a for 3s"), a, b)},
			"at 2026-01-02T12:00:03Z", 2, a, nil},
		"G9_rule":            {[]*resourcev1.ResourceClaim{claim(nil, gone)}, "at 2026-01-02T12:00:02Z", 0, gone, &rules[1]},
		"G9_rule_tolerated":  {[]*resourcev1.ResourceClaim{claim(tolerations("c"), gone)}, "never", 0, dra.ID{}, nil},
		"G10_each_claim":     {[]*resourcev1.ResourceClaim{claim(tolerations("op=Exists"), a, b), claim(tolerations("a for 5s"), b)}, "at 2026-01-02T12:00:05Z", 1, b, nil},
		"G10_not_allocated":  {[]*resourcev1.ResourceClaim{{}}, "never", 0, dra.ID{}, nil},
		"G10_without_claims": {nil, "never", 0, dra.ID{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d, cause := dra.Decide(noon, tt.claims, func(id dra.ID) []resourcev1.DeviceTaint { return own[id] }, rules)
			if d.String() != tt.want || cause.Rule != tt.rule {
				t.Errorf("Decide = %v because of %+v, want %s", d, cause, tt.want)
			}
			if tt.want == "never" {
				return
			}
			results := tt.claims[tt.claim].Status.Allocation.Devices.Results
			if c := cause.Device; c != &results[0] || tt.device != (dra.ID{Driver: c.Driver, Pool: c.Pool, Device: c.Device}) {
				t.Errorf("Decide names %+v, want %v", c, tt.device)
			}
		})
	}
}

func TestRule_Selects(t *testing.T) {
	x, id := "x", dra.ID{Driver: "x", Pool: "y", Device: "z"}
	for name, tt := range map[string]struct {
		s    *dra.Selector
		want bool
	}{
		"G9_none":         {nil, false},
		"G9_empty":        {&dra.Selector{}, true},
		"G9_driver":       {&dra.Selector{Driver: &x}, true},
		"G9_other_pool":   {&dra.Selector{Driver: &x, Pool: &x}, false},
		"G9_other_device": {&dra.Selector{Device: &x}, false},
		"G9_pool_device":  {&dra.Selector{Pool: &id.Pool, Device: &id.Device}, true},
		"G9_empty_name":   {&dra.Selector{Pool: new(string)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (&dra.Rule{Selector: tt.s}).Selects(id); got != tt.want {
				t.Errorf("Selects = %v", got)
			}
		})
	}
}

func TestDecide_property(t *testing.T) {
	seen := map[string]int{}
	t.Run("G4_G7_G8_G9", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			d, cause := decideProperty(t)
			seen[d.Kind().String()]++
			if cause.Rule != nil {
				seen["rule"]++
			}
			if cause.Toleration != nil {
				seen["toleration"]++
			}
		})
	})
	for _, what := range []string{"Never", "Due", "At", "rule", "toleration"} {
		if seen[what] < 50 && !testing.Short() {
			t.Errorf("%d cases of %s", seen[what], what)
		}
	}
}

func FuzzDecide(f *testing.F) { gen.Fuzz(f, func(t *rapid.T) { decideProperty(t) }) }

// decideProperty compares Decide with the reference, which has the deadline in nanoseconds.
func decideProperty(t *rapid.T) (eviction.Decision, dra.Cause) {
	own := map[dra.ID][]resourcev1.DeviceTaint{}
	var claims []*resourcev1.ResourceClaim
	for range rapid.IntRange(0, 3).Draw(t, "claims") {
		c := &resourcev1.ResourceClaim{}
		if rapid.IntRange(0, 3).Draw(t, "allocated") > 0 {
			c = claim(nil, listOf(t, drawID)...)
			for i, r := range c.Status.Allocation.Devices.Results {
				own[dra.ID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}] = listOf(t, drawTaint)
				c.Status.Allocation.Devices.Results[i].Tolerations = listOf(t, drawToleration)
			}
		}
		claims = append(claims, c)
	}
	now, rules := gen.Time().Draw(t, "now"), listOf(t, drawRule)
	got, cause := dra.Decide(now, claims, func(id dra.ID) []resourcev1.DeviceTaint { return own[id] }, rules)
	want, because := refDecide(now, claims, own, rules)
	if want != nil && want.Cmp(nanos(time.Time{})) == 0 {
		want = nanos(now) // as NewDecision has it
	}
	at, ok := got.Deadline()
	due := want != nil && want.Cmp(nanos(now)) <= 0
	if ok != (want != nil) || ok && nanos(at).Cmp(want) != 0 || (got.Kind() == eviction.Due) != due || cause != because {
		t.Errorf("Decide(%v, %+v, %+v, %+v) = %v because of %+v, want %v because of %+v", now, claims, own, rules, got, cause, want, because)
	}
	return got, cause
}

// refDecide is G7, G8 and G9: the earliest deadline, nil for never, and its cause.
func refDecide(now time.Time, claims []*resourcev1.ResourceClaim, own map[dra.ID][]resourcev1.DeviceTaint, rules []dra.Rule) (first *big.Int, cause dra.Cause) {
	for _, c := range claims {
		if c.Status.Allocation == nil {
			continue
		}
		for i := range c.Status.Allocation.Devices.Results {
			d := &c.Status.Allocation.Devices.Results[i]
			id := dra.ID{Driver: d.Driver, Pool: d.Pool, Device: d.Device}
			var all []dra.Cause
			for i := range own[id] {
				all = append(all, dra.Cause{Device: d, Taint: &own[id][i]})
			}
			for i := range rules {
				if refSelects(rules[i].Selector, id) {
					all = append(all, dra.Cause{Device: d, Taint: &rules[i].Taint, Rule: &rules[i]})
				}
			}
			for _, one := range all {
				if at := refDeadline(now, &one); at != nil && (first == nil || at.Cmp(first) < 0) {
					first, cause = at, one
				}
			}
		}
	}
	return first, cause
}

// refDeadline sets the toleration of the cause.
func refDeadline(now time.Time, c *dra.Cause) *big.Int {
	if c.Taint.Effect != "NoExecute" {
		return nil
	}
	fewest := int64(0)
	for i, u := range c.Device.Tolerations {
		switch {
		case !refMatches(u, *c.Taint):
		case u.TolerationSeconds == nil:
			return nil
		case c.Toleration == nil || max(*u.TolerationSeconds, 0) < fewest:
			c.Toleration, fewest = &c.Device.Tolerations[i], max(*u.TolerationSeconds, 0)
		}
	}
	if c.Taint.TimeAdded == nil || c.Taint.TimeAdded.Time.IsZero() {
		return nanos(now)
	}
	at := nanos(c.Taint.TimeAdded.Time)
	at.Add(at, new(big.Int).Mul(big.NewInt(fewest), big.NewInt(1e9)))
	// A time represents its seconds since the year 1 as an int64.
	last := new(big.Int).Lsh(big.NewInt(1), 63)
	if at.Cmp(last.Mul(last.Add(last, big.NewInt(time.Time{}.Unix())), big.NewInt(1e9))) >= 0 {
		return nil
	}
	return at
}

// nanos returns the nanoseconds since 1970, also where Unix overflows: before and after what an int64 holds.
func nanos(t time.Time) *big.Int {
	epoch := time.Time{}.Unix() // seconds until the year 1
	n := big.NewInt(t.Unix() - epoch)
	n.Add(n, big.NewInt(epoch))
	n.Mul(n, big.NewInt(1e9))
	return n.Add(n, big.NewInt(int64(t.Nanosecond())))
}
