package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/disruption"
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

// An entry is one thing in the timeline. The manual describes the fields.
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
	Before   *moment    `json:"before,omitempty"`
	Deadline *moment    `json:"deadline,omitempty"`
	Since    *moment    `json:"since,omitempty"`
	DownFor  *clock     `json:"downFor,omitempty"`
}

type zoneState struct {
	Name     disruption.ZoneState `json:"name"`
	Ready    int                  `json:"ready"`
	NotReady int                  `json:"notReady"`
	Rate     float64              `json:"rate"`
}

// A record is what is reported about a pod in the end.
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
// nodes with the same report share one.
type group struct {
	what             what
	taint            taint.Taint
	by               toleration.Toleration
	before, deadline moment
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

// reportTaints reports what has changed on a node in this step.
func (sim *simulation) reportTaints(n *node) {
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
	if n.waits && !n.reported {
		sim.addTo(group{what: queued}, func() entry { return entry{What: queued} }, n.name, "")
	}
	n.reported = n.waits
}

// why is what decides when a pod is evicted.
type why struct {
	taint taint.Taint
	by    toleration.Toleration
	since moment
}

// explain returns what decides; nothing does when the pod may stay, or a
// deadline was only kept.
func (sim *simulation) explain(n *node, p *pod, d eviction.Decision) (w why) {
	i, ok := d.Taint()
	if !ok {
		return w
	}
	w.taint, w.since = n.observed[i].Taint, sim.moment(n.observed[i].Since)
	if arrived := sim.time(p.arrived); n.observed[i].Since.Before(arrived) {
		w.since = sim.moment(arrived)
	}
	if added := w.taint.TimeAdded(); sim.deadlines.Start == eviction.FromAdded && !added.IsZero() {
		w.since = sim.moment(added)
	}
	if at, ok := d.Toleration(); ok {
		w.by = p.tolerations[at.Index]
		if sim.deadlines.Start == eviction.Sticky {
			w.since = sim.now.moment() // however long the taint has been there
		}
	}
	return w
}

var changeKinds = map[eviction.UpdateKind]what{
	eviction.Scheduled: deadline,
	eviction.Earlier:   earlier,
	eviction.Later:     later,
	eviction.Cancelled: cancelled,
}

// reportChange reports what a change of a node's taints means for a pod's eviction.
// One that is due is reported as an eviction.
func (sim *simulation) reportChange(n *node, p *pod, c eviction.Update, fresh bool) {
	w := sim.explain(n, p, c.Decision)
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
	g := group{what: kind, taint: w.taint, by: w.by, before: noMoment, deadline: noMoment}
	if at, ok := c.Decision.Deadline(); ok {
		g.deadline = sim.moment(at)
	}
	if !c.Before.IsZero() {
		g.before = sim.moment(c.Before)
	}
	sim.addTo(g, func() entry {
		e := entry{What: kind}
		e.because(w)
		if g.deadline != noMoment {
			e.Deadline = &g.deadline
		}
		if g.before != noMoment {
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
