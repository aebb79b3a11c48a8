package main

import (
	"math"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A departure is when a pod must leave a node.
type departure uint8

const (
	never departure = iota
	later
	now
	unsure
)

var departureTexts = [...]string{"never", "later", "now", "unknown"}

func (d departure) String() string { return departureTexts[d] }

// An eviction is what a node's NoExecute taints do to a pod on it, and which of
// them decides.
type eviction struct {
	when       departure
	taint      taint.Taint
	toleration toleration.Toleration // that gives the seconds; zero when the taint is untolerated
	seconds    int64                 // from when the taint was added
	at         time.Time             // when they have passed; zero when that cannot be told
	because    string                // why it is unsure, or never in spite of the taints
}

// evict judges by the policy of Kubernetes: of several tolerations that match
// a taint, the first in the list counts.
func evict(taints []taint.Taint, tolerations []toleration.Toleration) eviction {
	var timed []eviction
	dated := true // all taints in timed tell when they were added
	for _, t := range taints {
		if t.Effect() != taint.NoExecute {
			continue
		}
		at, ok := match.Serving(toleration.First, t, tolerations)
		if !ok {
			return eviction{when: now, taint: t}
		}
		u := tolerations[at.Index]
		if seconds, ok := u.Seconds(); ok {
			timed = append(timed, eviction{when: later, taint: t, toleration: u, seconds: max(seconds, 0)})
			dated = dated && !t.TimeAdded().IsZero()
		}
	}
	var first eviction
	for _, e := range timed {
		if e.seconds == 0 {
			e.when = now
			return e
		}
		if first.when == never || e.before(first, dated) {
			first = e
		}
	}
	if first.when == later {
		first.at = first.deadline()
	}
	return first
}

// before compares moments where both are known. Otherwise both taints may have
// come at the same time, so their seconds are compared.
func (e eviction) before(f eviction, dated bool) bool {
	if dated {
		return e.unix() < f.unix()
	}
	return e.seconds < f.seconds
}

// unix returns when the seconds have passed, in seconds since 1970: the largest
// number where it is beyond any.
func (e eviction) unix() int64 {
	added := e.taint.TimeAdded().Unix()
	if added > 0 && e.seconds > math.MaxInt64-added {
		return math.MaxInt64
	}
	return added + e.seconds
}

// deadline is the zero time where the taint does not tell when it was added,
// and beyond the year 9999, which no clock will show.
func (e eviction) deadline() time.Time {
	at := time.Unix(e.unix(), 0).UTC()
	if e.taint.TimeAdded().IsZero() || at.Year() < 1 || at.Year() > 9999 {
		return time.Time{}
	}
	return at
}

// evictPod judges a pod on the node that it is bound to.
func (c *cluster) evictPod(p *pod) eviction {
	n := c.byName[p.Node]
	switch {
	case p.Node == "":
		return eviction{}
	case p.because != "":
		return eviction{when: unsure, because: "its tolerations are unknown"}
	case n == nil:
		return eviction{when: unsure, because: "its node is not in the input"}
	case n.because != "":
		return eviction{when: unsure, because: "its node's taints are unknown"}
	}
	e := evict(n.taints.Taints, p.Tolerations)
	switch {
	case e.when == never:
		return eviction{}
	case p.Terminating:
		return eviction{because: "it is being deleted"}
	case p.Static:
		return eviction{because: "it is a static pod: its kubelet runs it whatever the taints"}
	}
	return e
}
