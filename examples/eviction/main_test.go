package main

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

const want = `00:00:00  node-a: Ready is Unknown
            +node.kubernetes.io/unreachable:NoSchedule
            +node.kubernetes.io/unreachable:NoExecute
            web        must be evicted at 00:05:00
            batch      must be evicted at 00:00:30
            cache      must be evicted now
            database   stays: it tolerates the taints permanently
            log-agent  stays: it tolerates the taints permanently
00:00:00  cache is evicted
00:00:30  batch is evicted
00:01:00  node-b: Ready is Unknown
            +node.kubernetes.io/unreachable:NoSchedule
            +node.kubernetes.io/unreachable:NoExecute
            queue      must be evicted at 00:06:00
            index      must be evicted at 00:02:00
00:02:00  index is evicted
00:02:30  node-b: Ready is True
            -node.kubernetes.io/unreachable:NoSchedule
            -node.kubernetes.io/unreachable:NoExecute
            queue      stays: its eviction at 00:06:00 is cancelled
00:05:00  web is evicted
`

func TestSimulate(t *testing.T) {
	var out strings.Builder
	evicted := simulate(&out, pods(), events)
	if got := out.String(); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}

	// The same by single decisions, from when the taint is added until it is removed.
	unreachable := taint.MustParse("node.kubernetes.io/unreachable:NoExecute")
	failed := map[string]time.Duration{"node-a": 0, "node-b": time.Minute}
	lasts := map[string]time.Duration{"node-a": time.Hour, "node-b": 90 * time.Second}
	start, expected := time.Unix(0, 0), map[string]time.Duration{}
	for _, p := range pods() {
		since := start.Add(failed[p.node])
		d := eviction.Decide([]eviction.Observed{{Taint: unreachable, Since: since}}, since, eviction.Options{}, p.tolerations)
		at, ok := d.Deadline()
		if ok && at.Sub(since) <= lasts[p.node] {
			expected[p.name] = at.Sub(start)
		}
		if forever := match.Classify(taint.List{unreachable}, toleration.First, p.tolerations) == match.Forever; forever == ok {
			t.Errorf("%s: %v, but permanently is %v", p.name, d, forever)
		}
	}
	if !maps.Equal(evicted, expected) || len(expected) != 4 {
		t.Errorf("evicted %v, want %v", evicted, expected)
	}
}

// A pod whose node fails again gets a new deadline, and one that is evicted at the time
// of the recovery stays evicted.
func TestSimulate_again(t *testing.T) {
	twice := []event{{0, "node-b", "Unknown"}, {60 * time.Second, "node-b", "True"}, {70 * time.Second, "node-b", "False"}}
	got := simulate(&strings.Builder{}, pods(), twice)
	if want := map[string]time.Duration{"index": 60 * time.Second, "queue": 370 * time.Second}; !maps.Equal(got, want) {
		t.Errorf("evicted %v, want %v", got, want)
	}
}
