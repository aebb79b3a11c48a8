package eviction_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestKinds(t *testing.T) {
	contract.Enum[eviction.DecisionKind]{Names: map[eviction.DecisionKind]string{
		eviction.Never: "Never", eviction.Due: "Due", eviction.At: "At",
	}}.Test(t)
	contract.Enum[eviction.UpdateKind]{Names: map[eviction.UpdateKind]string{
		eviction.Unchanged: "Unchanged", eviction.Scheduled: "Scheduled", eviction.Earlier: "Earlier", eviction.Later: "Later", eviction.Cancelled: "Cancelled",
	}}.Test(t)
}

// decisions returns one decision of each kind, and one whose deadline has no RFC 3339
// text.
func decisions(t *testing.T) []eviction.Decision {
	t.Helper()
	observed := observe(t, "x:NoSchedule @0", "a:NoExecute @10", "b:NoExecute @5")
	return []eviction.Decision{
		{},
		eviction.Decide(observed, after(20), eviction.Options{}, nil),
		eviction.Decide(observed, after(20), eviction.Options{}, toleration.MustParseList("a,b:NoExecute for 60s")),
		eviction.Decide(observed, after(20), eviction.Options{}, toleration.MustParseList("b,a:NoExecute for 30s")),
		eviction.Decide(observed, after(20), eviction.Options{}, toleration.MustParseList("b,a:NoExecute for 300000000000s")),
	}
}

func TestContract(t *testing.T) {
	updates := []eviction.Update{{}}
	var before eviction.State
	for _, u := range []string{"a:NoExecute for 60s", "a:NoExecute for 30s", "a:NoExecute for 90s", "a", "a:NoExecute for 300000000000s", "a:NoExecute for 90s", "b"} {
		var c eviction.Update
		before, c = eviction.Reevaluate(before, taint.List{taint.MustParse("a:NoExecute")}, after(10), toleration.First, toleration.MustParseList(u))
		updates = append(updates, c)
	}
	x := taint.MustParse("x:NoExecute")
	t.Run("Decision", contract.Result[eviction.Decision]{Samples: decisions(t)}.Test)
	t.Run("Update", contract.Result[eviction.Update]{Samples: updates}.Test)
	t.Run("State", contract.Result[eviction.State]{Samples: []eviction.State{
		{}, {Deadline: noon}, {Deadline: after(1)}, {Deadline: after(1), Start: noon}, {Deadline: last}, {Deadline: time.Unix(math.MinInt64, 0)},
	}}.Test)
	t.Run("Observed", contract.Result[eviction.Observed]{Samples: []eviction.Observed{
		{}, {Taint: x}, {Since: noon}, {Taint: x, Since: noon},
	}}.Test)
}

func TestStrings(t *testing.T) {
	for v, want := range map[fmt.Stringer]string{
		eviction.State{}:                                         "not scheduled",
		eviction.State{Deadline: noon}:                           "scheduled at 2026-01-02T12:00:00Z",
		eviction.Observed{Since: noon}:                           "(invalid taint) since 2026-01-02T12:00:00Z",
		eviction.Observed{Taint: taint.MustParse("x:NoExecute")}: "x:NoExecute",
	} {
		if got := v.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
