package impact

import (
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Pod is a pod to be asked about.
type Pod struct {
	// Tolerations are the pod's own.
	Tolerations []toleration.Toleration
	// Node is the index, among the Plan's nodes, of the one on which the pod
	// runs. A pod on another node, or on none, has to have a negative one: 0 is
	// the first node.
	Node int
	// Arrived is when the pod came to its node: no taint was observed for it
	// any earlier. Zero stands for a time before all taints.
	Arrived time.Time
	// State is what the pod's eviction is scheduled for. It matters under
	// [eviction.Sticky] alone; zero is a pod that is looked at first now.
	State eviction.State
}

// An Eviction is what a change does to a running pod. The zero Eviction is
// nothing.
//
// Evictions may be compared with ==.
type Eviction struct {
	// Pod is the pod's index among those that were asked about.
	Pod int
	// Node is the index of its node.
	Node int
	// Kind is what the change changes: Due when the pod must go now and need
	// not have done so without it. A pod that had to go now before and still
	// has to is Unchanged.
	Kind eviction.ChangeKind
	// Before is the decision without the change, After the one with it. The
	// taints that they tell are those of the node's Before and After.
	Before, After eviction.Decision
}

// String tells the change, for people; its text may change.
func (e Eviction) String() string {
	if e.Kind == eviction.Unchanged {
		return "unchanged, " + e.After.String()
	}
	return e.After.String() + ", was " + e.Before.String()
}

// onStack is up to how many taints of a node are looked at without allocating,
// when they have to be seen with a pod's own eyes.
const onStack = 16

// Eviction returns what the change does to the pod on its node, whether
// anything or nothing. The lists in more match as one with the pod's own, which
// is list 0 in a [match.Position]. A pod whose Node the Plan does not have is
// Unchanged.
//
// It does not allocate when the node has at most 16 taints or the pod has no
// time of its arrival. It is O(t·u) for t taints and u tolerations.
func (p *Plan) Eviction(pod Pod, more ...[]toleration.Toleration) Eviction {
	e := Eviction{Node: pod.Node}
	if pod.Node < 0 || pod.Node >= len(p.nodes) {
		return e
	}
	var listRoom [4][]toleration.Toleration
	lists := append(append(listRoom[:0], pod.Tolerations), more...)
	if pod.Arrived.IsZero() {
		return p.decide(e, pod.State, p.nodes[pod.Node], lists)
	}
	return p.decideArrived(e, pod, lists)
}

// decideArrived decides for a pod that has come at a time. It is apart for the
// sake of the others, which do without its memory.
func (p *Plan) decideArrived(e Eviction, pod Pod, lists [][]toleration.Toleration) Eviction {
	var before, after [onStack]eviction.Observed
	o := p.nodes[pod.Node]
	o.before = eviction.AppendArrived(before[:0], o.before, pod.Arrived)
	o.after = eviction.AppendArrived(after[:0], o.after, pod.Arrived)
	return p.decide(e, pod.State, o, lists)
}

func (p *Plan) decide(e Eviction, state eviction.State, o observed, lists [][]toleration.Toleration) Eviction {
	if p.opts.Policy.Start == eviction.Sticky {
		var c eviction.Change
		state, c = eviction.Reevaluate(state, p.opts.Now, o.before, p.opts.Policy, lists...)
		e.Before = c.Decision
		_, c = eviction.Reevaluate(state, p.opts.Now, o.after, p.opts.Policy, lists...)
		e.After = c.Decision
	} else {
		e.Before = eviction.Decide(p.opts.Now, o.before, p.opts.Policy, lists...)
		e.After = eviction.Decide(p.opts.Now, o.after, p.opts.Policy, lists...)
	}
	e.Kind = between(e.Before, e.After)
	return e
}

// between returns what changes from one decision to another, both of the same
// time.
func between(before, after eviction.Decision) eviction.ChangeKind {
	was, is := before.Kind(), after.Kind()
	switch {
	case was == is && is != eviction.At:
		return eviction.Unchanged
	case is == eviction.Never:
		return eviction.Cancelled
	case is == eviction.Now:
		return eviction.Due
	case was == eviction.Never:
		return eviction.Scheduled
	}
	from, _ := before.Deadline() // of a pod that had to go now it is not after now
	to, _ := after.Deadline()
	switch order := to.Compare(from); {
	case order < 0:
		return eviction.Earlier
	case order > 0:
		return eviction.Later
	}
	return eviction.Unchanged
}

// Evictions returns what the change does to the pods that it does anything to,
// in their order. Its cost is that of [Plan.Eviction] for each pod, and the
// result.
func (p *Plan) Evictions(pods []Pod) []Eviction { return p.AppendEvictions(nil, pods) }

// AppendEvictions appends what [Plan.Evictions] returns to dst. It does not
// allocate when dst has room, as far as [Plan.Eviction] does not.
func (p *Plan) AppendEvictions(dst []Eviction, pods []Pod) []Eviction {
	for i := range pods {
		if e := p.Eviction(pods[i]); e.Kind != eviction.Unchanged {
			e.Pod = i
			dst = append(dst, e)
		}
	}
	return dst
}
