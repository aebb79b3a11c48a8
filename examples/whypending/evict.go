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
	at         time.Time             // when they have passed; zero when that is unknown
	because    string                // why it is unsure, or never in spite of the taints
}

// deciders are the tolerations that may decide about a NoExecute taint, so that not
// all are compared with each: those of its key, and the first without a key, which
// matches every such taint, so that nothing behind it counts.
type deciders struct {
	byKey map[string]toleration.List
	any   toleration.List
}

func newDeciders(tolerations toleration.List) *deciders {
	d := &deciders{byKey: make(map[string]toleration.List)}
	for _, u := range tolerations {
		switch e := u.Effect(); {
		case e != 0 && e != taint.NoExecute || u.IsZero():
		case u.Key() == "":
			d.any = toleration.List{u}
			return d
		default:
			d.byKey[u.Key()] = append(d.byKey[u.Key()], u)
		}
	}
	return d
}

// evict judges the pods of a class on a node with these taints.
func (c *podClass) evict(taints taint.List) eviction {
	if c.deciders == nil {
		c.deciders = newDeciders(c.tolerations)
	}
	return c.deciders.evict(taints)
}

// evict decides as Kubernetes does: of several tolerations that match
// a taint, the first in the list counts.
func (d *deciders) evict(taints taint.List) eviction {
	var timed []eviction
	dated := true // all taints in timed have the time added
	for _, t := range taints {
		if t.Effect() != taint.NoExecute {
			continue
		}
		e := match.Explain(t, toleration.First, d.byKey[t.Key()], d.any)
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
	e := p.class.evict(n.taints.Taints)
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
