package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// A clock is a time of the simulation: how long after its beginning, or how
// long something lasts.
type clock time.Duration

// up is since when a pod is down that is not.
const up clock = -1

// String is the time as hours, minutes and seconds, which go on beyond 24:00:00.
func (c clock) String() string {
	d, sign := time.Duration(c), ""
	if d < 0 {
		d, sign = -max(d, -math.MaxInt64), "-"
	}
	text := sign + fmt.Sprintf("%02d:%02d:%02d", int64(d/time.Hour), int64(d/time.Minute)%60, int64(d/time.Second)%60)
	if rest := d % time.Second; rest != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%09d", int64(rest)), "0")
	}
	return text
}

// span is how long it is, for people: 5m30s, 1h40m, 0s.
func (c clock) span() string {
	text := time.Duration(c).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// MarshalJSON writes seconds, exactly.
func (c clock) MarshalJSON() ([]byte, error) {
	d := time.Duration(c)
	var b []byte
	if d < 0 {
		b, d = append(b, '-'), -max(d, -math.MaxInt64)
	}
	b = strconv.AppendInt(b, int64(d/time.Second), 10)
	if rest := d % time.Second; rest != 0 {
		b = append(b, strings.TrimRight(fmt.Sprintf(".%09d", int64(rest)), "0")...)
	}
	return b, nil
}

// A what is a kind of entry in the timeline.
type what string

const (
	// What happens to the nodes.
	becameSilent   what = "unreachable"
	becameNotReady what = "not-ready"
	becameReady    what = "ready"
	setCondition   what = "condition"
	cordoned       what = "cordon"
	uncordoned     what = "uncordon"
	edited         what = "taint"
	refused        what = "refused"
	// What the control plane makes of it.
	noticed     what = "noticed"
	tainted     what = "tainted"
	queued      what = "queued"
	zoneChanged what = "zone"
	allLost     what = "all-lost"
	notAllLost  what = "not-all-lost"
	// What becomes of the pods.
	stays     what = "stays"
	deadline  what = "deadline"
	earlier   what = "earlier"
	later     what = "later"
	cancelled what = "cancelled"
	evicted   what = "evicted"
	isGone    what = "gone"
	placed    what = "placed"
	waits     what = "waits"
	runs      what = "runs"
)

// An entry is one thing in the timeline. The manual tells the fields.
type entry struct {
	At    clock    `json:"at"`
	What  what     `json:"what"`
	Nodes []string `json:"nodes,omitempty"`
	Pods  []string `json:"pods,omitempty"`

	Zone     *string    `json:"zone,omitempty"`
	State    *zoneState `json:"state,omitempty"`
	Down     *int       `json:"podsDown,omitempty"`
	Status   string     `json:"condition,omitempty"`
	Edits    []string   `json:"edits,omitempty"`
	Problem  string     `json:"problem,omitempty"`
	Added    []string   `json:"added,omitempty"`
	Removed  []string   `json:"removed,omitempty"`
	Taint    string     `json:"taint,omitempty"`
	By       string     `json:"toleration,omitempty"`
	Seconds  int64      `json:"seconds,omitempty"`
	Before   *clock     `json:"before,omitempty"`
	Deadline *clock     `json:"deadline,omitempty"`
	Since    *clock     `json:"since,omitempty"`
	DownFor  *clock     `json:"downFor,omitempty"`
}

type zoneState struct {
	Name     condition.ZoneState `json:"name"`
	Ready    int                 `json:"ready"`
	NotReady int                 `json:"notReady"`
	Rate     float64             `json:"rate"`
}

// A record is what is told of a pod in the end.
type record struct {
	downSince clock // up when it is not
	down      clock // in all
	longest   clock // at once
	downs     int
	evictions int
	cancelled int
	path      []stay
}

// A stay is a node that a pod was on, and from when until when.
type stay struct {
	node        int
	from, until clock  // up while it is there
	taint       string // that ended it
}

// goDown says that the pod does not run any more, unless that is known.
func (r *record) goDown(now clock) {
	if r.downSince == up {
		r.downSince = now
		r.downs++
	}
}

// comeUp says that the pod runs, and returns how long it did not.
func (r *record) comeUp(now clock) clock {
	if r.downSince == up {
		return 0
	}
	d := now - r.downSince
	r.down += d
	r.longest = max(r.longest, d)
	r.downSince = up
	return d
}

// add puts an entry into the timeline.
func (sim *simulation) add(e entry) {
	e.At = sim.now
	sim.timeline = append(sim.timeline, e)
}

// A group is what entries of one step have in common, so that many pods or
// nodes of which the same is to be told share one.
type group struct {
	what             what
	taint            taint.Taint
	by               toleration.Toleration
	before, deadline clock
	added, removed   string
}

// addTo puts a node's or a pod's name into the entry of its group, which is
// made when there is none in this step.
func (sim *simulation) addTo(g group, make func() entry, node, pod string) {
	i, ok := sim.groups[g]
	if !ok {
		i = len(sim.timeline)
		sim.groups[g] = i
		sim.add(make())
	}
	e := &sim.timeline[i]
	if node != "" && (len(e.Nodes) == 0 || e.Nodes[len(e.Nodes)-1] != node) {
		e.Nodes = append(e.Nodes, node)
	}
	if pod != "" {
		e.Pods = append(e.Pods, pod)
	}
}

// tellTaints tells what has changed on a node in this step.
func (sim *simulation) tellTaints(n *node) {
	var added, removed []string
	for _, c := range taint.Difference(n.before, n.state.Taints) {
		switch c.Kind() {
		case taint.Added:
			added = append(added, c.After.String())
		case taint.Removed:
			removed = append(removed, c.Before.String())
		case taint.ValueChanged:
			removed, added = append(removed, c.Before.String()), append(added, c.After.String())
		}
	}
	if len(added)+len(removed) > 0 {
		g := group{what: tainted, added: strings.Join(added, ","), removed: strings.Join(removed, ",")}
		sim.addTo(g, func() entry { return entry{What: tainted, Added: added, Removed: removed} }, n.name, "")
	}
	if n.waits && !n.told {
		sim.addTo(group{what: queued}, func() entry { return entry{What: queued} }, n.name, "")
	}
	n.told = n.waits
}

// why is what decides when a pod must go.
type why struct {
	taint taint.Taint
	by    toleration.Toleration
	since clock
}

// explain returns what decides; nothing does when the pod may stay, or a
// deadline was only kept.
func (sim *simulation) explain(p *pod, observed []eviction.Observed, d eviction.Decision) (w why) {
	i, ok := d.Taint()
	if !ok {
		return w
	}
	w.taint, w.since = observed[i].Taint, sim.clock(observed[i].Since)
	if added := w.taint.TimeAdded(); sim.policy.Start == eviction.FromAdded && !added.IsZero() {
		w.since = sim.clock(added)
	}
	if at, ok := d.Toleration(); ok {
		w.by = p.tolerations[at.Index]
		if sim.policy.Start == eviction.Sticky {
			w.since = sim.now // however long the taint has been there
		}
	}
	return w
}

var changeKinds = map[eviction.ChangeKind]what{
	eviction.Scheduled: deadline,
	eviction.Earlier:   earlier,
	eviction.Later:     later,
	eviction.Cancelled: cancelled,
}

// tellChange tells what a change of a node's taints means for a pod's eviction.
// Of one that is due the eviction itself tells.
func (sim *simulation) tellChange(n *node, p *pod, observed []eviction.Observed, c eviction.Change, fresh bool) {
	w := sim.explain(p, observed, c.Decision)
	if !w.taint.IsZero() {
		p.why = w
	}
	kind := changeKinds[c.Kind]
	if c.Kind == eviction.Unchanged && fresh && c.Decision.Kind() == eviction.Never {
		kind = stays
	}
	if kind == "" {
		return
	}
	if kind == cancelled {
		p.cancelled++
	}
	g := group{what: kind, taint: w.taint, by: w.by, before: up, deadline: up}
	if at, ok := c.Decision.Deadline(); ok {
		g.deadline = sim.clock(at)
	}
	if !c.Before.IsZero() {
		g.before = sim.clock(c.Before)
	}
	sim.addTo(g, func() entry {
		e := entry{What: kind}
		e.because(w)
		if g.deadline != up {
			e.Deadline = &g.deadline
		}
		if g.before != up {
			e.Before = &g.before
		}
		return e
	}, n.name, p.name)
}

func (e *entry) because(w why) {
	if !w.taint.IsZero() {
		e.Taint = w.taint.String()
		e.Since = &w.since
	}
	e.By = w.by.String()
	if seconds, ok := w.by.Seconds(); ok {
		e.Seconds = max(seconds, 0)
	}
}
