package eviction_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// FuzzDecide searches, among the nodes and pods of TestDecide_properties, for one for
// which Decide and the reference differ.
func FuzzDecide(f *testing.F) {
	gen.Fuzz(f, property)
}

// FuzzDecideText compares them for text: a comma-separated list of taints, observed one
// after the other, and tolerations, one on each line. Invalid ones are ignored.
func FuzzDecideText(f *testing.F) {
	f.Add("x:NoExecute,y:NoExecute", "x:NoExecute for 300s\ny:NoExecute for 30s", int64(0), int64(100e9), int64(1e9), uint8(0), uint8(0))
	f.Add("x:NoExecute,x:NoSchedule", "op=Exists", int64(-62135596800), int64(1), int64(-1), uint8(1), uint8(1))
	f.Add("x:NoExecute", "x:NoExecute for 9223372036854775807s\nx:NoExecute for 18446744074s", int64(1e12), int64(0), int64(0), uint8(2), uint8(0))
	f.Add("a=5:NoExecute,b:NoExecute", ":NoExecute op=Exists for 9s\na=4 op=Gt\nb:NoExecute for -1s", int64(1<<62), int64(1<<62), int64(7), uint8(3), uint8(2))
	f.Fuzz(func(t *testing.T, node, pod string, since, ago, step int64, choice, start uint8) {
		const most = 64 // a longer list only takes more time
		// No time is before the year 1, where the reference is not defined.
		at := time.Unix(max(since, -62135596800)&(1<<62-1), 0)
		now := at.Add(time.Duration(max(ago, 0)))
		var observed []eviction.Observed
		for text := range strings.SplitSeq(node, ",") {
			if one, err := taint.Parse(text); err == nil && len(observed) < most {
				if len(observed)%3 == 2 {
					if timed, err := one.WithTimeAdded(now.Add(-time.Second)); err == nil {
						one = timed
					}
				}
				observed = append(observed, eviction.Observed{Taint: one, Since: at})
				at = at.Add(time.Duration(step & (1<<40 - 1)))
			}
		}
		var u toleration.List
		for line := range strings.SplitSeq(pod, "\n") {
			if one, err := toleration.Parse(line); err == nil && len(u) < most {
				u = append(u, one)
			}
		}
		p := eviction.Options{Choice: toleration.Choice(choice % 4), PerTaint: start%2 == 1}
		check(t, now, observed, p, u[:len(u)/2], u[len(u)/2:])

		// Reevaluate returns the Decision of Decide for new taints, and then no change.
		var taints taint.List
		for i := range observed {
			taints, observed[i].Since = append(taints, observed[i].Taint), now
		}
		p.PerTaint = true
		d := check(t, now, observed, p, u)
		state, c := eviction.Reevaluate(eviction.State{}, taints, now, p.Choice, u[:len(u)/2], u[len(u)/2:])
		if !sameTime(c.Decision, d) || c.Kind != expected(time.Time{}, spell(d)) {
			t.Errorf("Reevaluate gives %v, Decide %v", c, d)
		}
		again, c := eviction.Reevaluate(state, taints, now, p.Choice, u[:len(u)/2], u[len(u)/2:])
		if again != state || c.Kind != eviction.Unchanged {
			t.Errorf("again: %v and %v, after %v", again, c, state)
		}
	})
}
