package main

import (
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/taint/condition"
)

const want = `00:00:00  a-1, a-2, a-3: Ready is Unknown
00:00:00  a-1: +node.kubernetes.io/unreachable:NoSchedule
00:00:00  a-2: +node.kubernetes.io/unreachable:NoSchedule
00:00:00  a-3: +node.kubernetes.io/unreachable:NoSchedule
00:00:00  zone "a" in Normal: 3 of 6 nodes ready, 3 waiting at 0.1/s
00:00:00  a-1: +node.kubernetes.io/unreachable:NoExecute
            web        must be evicted at 00:05:00
            batch      must be evicted at 00:00:30
            cache      must be evicted at 00:00:00
            database   stays: it tolerates the taints permanently
            log-agent  stays: it tolerates the taints permanently
00:00:00  cache is evicted
00:00:10  a-2: +node.kubernetes.io/unreachable:NoExecute
            queue      must be evicted at 00:05:10
            index      must be evicted at 00:01:10
00:00:15  a-4, a-5: Ready is Unknown
00:00:15  a-4: +node.kubernetes.io/unreachable:NoSchedule
00:00:15  a-5: +node.kubernetes.io/unreachable:NoSchedule
00:00:15  zone "a" in PartialDisruption: 1 of 6 nodes ready, 3 waiting at 0/s
00:00:30  batch is evicted
00:01:10  index is evicted
00:02:00  a-2, a-4, a-5: Ready is True
00:02:00  a-2: -node.kubernetes.io/unreachable:NoSchedule
00:02:00  a-2: -node.kubernetes.io/unreachable:NoExecute
            queue      stays: its eviction at 00:05:10 is cancelled
00:02:00  a-4: -node.kubernetes.io/unreachable:NoSchedule
00:02:00  a-5: -node.kubernetes.io/unreachable:NoSchedule
00:02:00  zone "a" in Normal: 4 of 6 nodes ready, 1 waiting at 0.1/s
00:02:10  a-3: +node.kubernetes.io/unreachable:NoExecute
            mail       must be evicted at 00:07:10
00:05:00  web is evicted
00:07:10  mail is evicted
`

func TestRun(t *testing.T) {
	var out strings.Builder
	newCluster(&out, pods()).run(events)
	if got := out.String(); got != want {
		t.Errorf("mismatch (-want +got):\n%s", cmp.Diff(want, got))
	}
}

// Two pods have the default 300 seconds, and one has 60.
func TestRun_evicted(t *testing.T) {
	const unknown, ready = condition.StatusUnknown, condition.StatusTrue
	pods := []pod{{"first", "a-1", pods()[0].tolerations}, {"second", "a-2", pods()[0].tolerations}, {"short", "a-2", pods()[6].tolerations}}
	for _, tt := range []struct {
		name   string
		events []event
		want   map[string]int // seconds
	}{
		{"one node", []event{{0, unknown, names[:1]}}, map[string]int{"first": 300}},
		{"one in 10 seconds", []event{{0, unknown, names[:2]}}, map[string]int{"first": 300, "second": 310, "short": 70}},
		{"back in time", []event{{0, unknown, names[:2]}, {300 * time.Second, ready, names[:2]}}, map[string]int{"first": 300, "short": 70}},
		{"too late", []event{{0, unknown, names[:2]}, {311 * time.Second, ready, names[:2]}}, map[string]int{"first": 300, "second": 310, "short": 70}},
		{"fails again", []event{{0, unknown, names[:1]}, {60 * time.Second, ready, names[:1]}, {70 * time.Second, unknown, names[:1]}}, map[string]int{"first": 370}},
		{"back before the taint", []event{{0, unknown, names[:2]}, {5 * time.Second, ready, names[1:2]}}, map[string]int{"first": 300}},
		{"most of the zone", []event{{0, unknown, names[:4]}}, map[string]int{}},
		{"most, later half", []event{{0, unknown, names[:4]}, {60 * time.Second, ready, names[3:4]}}, map[string]int{"first": 370, "second": 380, "short": 140}},
		{"all of the zone", []event{{0, unknown, names}}, map[string]int{}},
		{"all, after one", []event{{0, unknown, names[:1]}, {60 * time.Second, unknown, names}}, map[string]int{}},
	} {
		c := newCluster(io.Discard, pods)
		c.run(tt.events)
		got := map[string]int{}
		for name, at := range c.evicted {
			got[name] = int(at.Sub(start).Seconds())
		}
		if !maps.Equal(got, tt.want) {
			t.Errorf("%s: evicted %v, want %v", tt.name, got, tt.want)
		}
	}
}
