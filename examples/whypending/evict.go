package main

import (
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
		e := match.Explain(toleration.First, t, tolerations)
		if e.Class == match.NotTolerated {
			return eviction{when: now, taint: t}
		}
		if seconds, ok := e.Seconds(); ok {
			at, _ := e.Until(t.TimeAdded())
			timed = append(timed, eviction{when: later, taint: t, toleration: e.Toleration, seconds: seconds, at: at})
			dated = dated && !t.TimeAdded().IsZero()
		}
	}
	var first eviction
	for _, e := range timed {
		if e.seconds == 0 {
			e.when, e.at = now, time.Time{}
			return e
		}
		if first.when == never || e.before(first, dated) {
			first = e
		}
	}
	if first.at.Year() > 9999 { // no clock will show it, nor can JSON
		first.at = time.Time{}
	}
	return first
}

// before compares moments where both are known; one beyond all time is after
// any other. Otherwise both taints may have come at the same time, so their
// seconds are compared.
func (e eviction) before(f eviction, dated bool) bool {
	if dated {
		return !e.at.IsZero() && (f.at.IsZero() || e.at.Before(f.at))
	}
	return e.seconds < f.seconds
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
