package simulate

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/printers"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/picture"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// A Report is the result of a simulation. Times are seconds since Begin. Nodes and pods
// to which nothing happens are omitted.
type Report struct {
	Begin    time.Time  `json:"begin"`
	End      Seconds    `json:"endSeconds"`
	Timeline []*Entry   `json:"timeline"`
	Nodes    []*History `json:"nodes"`
	Pods     []*History `json:"pods"`
}

// An Entry is an event of the scenario or its consequence, for all nodes or pods with the
// same one. The events are those of a scenario and Noticed (the controller finds that a
// node is unreachable), Zone, Queued, Tainted; and for pods Stays, Deadline, Cancelled,
// Evicted, Gone, Waits, Scheduled.
type Entry struct {
	At       Seconds           `json:"atSeconds"`
	Event    string            `json:"event"`
	Nodes    []string          `json:"nodes,omitempty"`
	Pods     []string          `json:"pods,omitempty"`
	Added    taint.List        `json:"added,omitempty"`
	Removed  taint.List        `json:"removed,omitempty"`
	Deadline *Seconds          `json:"deadlineSeconds,omitempty"` // omitted if after the end
	Reason   match.Explanation `json:"reason,omitzero"`           // of a deadline or an eviction
	Message  string            `json:"message,omitempty"`
}

// A History is the states of a node or pod.
type History struct {
	Name      string  `json:"name"`
	Evictions int     `json:"evictions,omitempty"`
	Down      Seconds `json:"downSeconds"` // waiting or down
	Spans     []Span  `json:"states"`
}

// A Span is a state. That of a node is Ready, Tainted, Uninitialized, NotReady, Silent (its
// controller does not know it yet), Unreachable or Deleted, with its taints as detail;
// that of a pod Running, Evicting (it has a deadline), Waiting, Down (with its node) or
// Gone, with its node as detail.
type Span struct {
	From   Seconds `json:"fromSeconds"`
	To     Seconds `json:"toSeconds"`
	State  string  `json:"state"`
	Detail string  `json:"detail,omitempty"`
}

// Seconds is a time since the beginning, or a duration.
type Seconds time.Duration

func (s Seconds) String() string { return time.Duration(s).String() }

// MarshalJSON returns the number of seconds.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Seconds(), 'f', -1, 64), nil
}

// add adds a node or pod to an entry like e of this step.
func (sim *simulation) add(e Entry, n *node, p *pod) {
	key := e.Event + "\n" + e.detail()
	if n != nil && p != nil {
		key += "\n" + n.Name
	}
	known := sim.same[key]
	if known == nil {
		sim.work += 250 // it takes memory
		e.At = Seconds(sim.now.Sub(sim.begin))
		known = &e
		sim.same[key] = known
		sim.timeline = append(sim.timeline, known)
	}
	sim.work += 25
	if n != nil && (p == nil || known.Nodes == nil) {
		known.Nodes = append(known.Nodes, n.Name)
	}
	if p != nil {
		known.Pods = append(known.Pods, p.history.Name)
	}
}

func (e *Entry) detail() string {
	var parts []string
	for _, t := range e.Added {
		parts = append(parts, "+"+t.String())
	}
	for _, t := range e.Removed {
		parts = append(parts, "-"+t.String())
	}
	if e.Event == "Deadline" && e.Deadline == nil {
		parts = append(parts, "after the end")
	} else if e.Deadline != nil {
		parts = append(parts, "at "+e.Deadline.String())
	}
	if t := e.Reason.Taint; !t.IsZero() {
		parts = append(parts, t.String())
		if seconds, ok := e.Reason.Seconds(); ok {
			parts = append(parts, fmt.Sprintf("is tolerated for %d s", seconds))
		} else {
			parts = append(parts, "is not tolerated")
		}
	}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	return strings.Join(parts, " ")
}

// message describes what a scenario changes.
func (e *event) message() string {
	parts := slices.Clone(e.Edits)
	for _, c := range e.Conditions {
		parts = append(parts, c.Type+"="+c.Status)
	}
	return strings.Join(parts, " ")
}

// set sets the state from now on, and reports whether it changes.
func (sim *simulation) set(h *History, state, detail string) bool {
	now := Seconds(sim.now.Sub(sim.begin))
	last := len(h.Spans) - 1
	if last >= 0 && h.Spans[last].State == state && h.Spans[last].Detail == detail {
		return false
	}
	if last >= 0 && h.Spans[last].From == now { // replaced before it lasted
		h.Spans = h.Spans[:last]
		last--
	}
	if last >= 0 {
		h.Spans[last].To = now
		if h.Spans[last].State == state && h.Spans[last].Detail == detail {
			return true
		}
	}
	sim.work += 100 // it takes memory
	h.Spans = append(h.Spans, Span{From: now, State: state, Detail: detail})
	return true
}

func (sim *simulation) mark(p *pod) bool {
	switch {
	case p.gone:
		return sim.set(&p.history, "Gone", "")
	case p.node < 0:
		return sim.set(&p.history, "Waiting", "")
	}
	state, n := "Running", sim.nodes[p.node]
	if !p.deadline.IsZero() {
		state = "Evicting"
	}
	if n.silent || !n.ready() {
		state = "Down"
	}
	return sim.set(&p.history, state, n.Name)
}

func (sim *simulation) markNode(n *node) {
	detail := n.status.Taints.String()
	state := "Ready"
	uninitialized := func(t taint.Taint) bool { return condition.CloudStartup().Has(t) }
	switch {
	case !n.exists:
		state = "Deleted"
	case !n.ready() && n.silent:
		state = "Unreachable"
	case n.silent:
		state = "Silent"
	case !n.ready():
		state = "NotReady"
	case slices.ContainsFunc(n.status.Taints, uninitialized):
		state = "Uninitialized"
	case len(n.status.Taints) > 0:
		state = "Tainted"
	}
	sim.set(&n.history, state, detail)
}

// drawn are the states of nodes and pods in a picture.
var drawn = map[string]picture.Kind{
	"Ready": picture.Running, "Tainted": picture.Tainted, "Uninitialized": picture.Waiting,
	"NotReady": picture.Down, "Silent": picture.Down, "Unreachable": picture.Down, "Deleted": picture.Down,
	"Running": picture.Running, "Evicting": picture.Evicting, "Waiting": picture.Waiting, "Down": picture.Down, "Gone": picture.Down,
}

// report returns the result, when the simulation is over.
func (sim *simulation) report() *Report {
	r := &Report{Begin: sim.begin, End: Seconds(sim.End), Timeline: sim.timeline, Nodes: []*History{}, Pods: []*History{}}
	add := func(to *[]*History, h *History) {
		if len(h.Spans) == 0 {
			return
		}
		h.Spans[len(h.Spans)-1].To = r.End
		for _, s := range h.Spans {
			if kind := drawn[s.State]; kind == picture.Down || kind == picture.Waiting {
				h.Down += s.To - s.From
			}
		}
		if len(h.Spans) > 1 || h.Evictions > 0 || h.Down > 0 {
			*to = append(*to, h)
		}
	}
	for _, n := range sim.nodes {
		add(&r.Nodes, &n.history)
	}
	for _, name := range slices.Sorted(maps.Keys(sim.podIDs)) {
		add(&r.Pods, &sim.pods[sim.podIDs[name]].history)
	}
	return r
}

// mostPods is how many pods the second table lists.
const mostPods = 50

// table writes the timeline, and what became of the pods.
func (r *Report) table(out io.Writer) error {
	w := printers.GetNewTabWriter(out)
	fmt.Fprintln(w, "TIME\tEVENT\tNODES\tPODS\tDETAIL")
	for _, e := range r.Timeline {
		fmt.Fprintf(w, "%v\t%s\t%s\t%s\t%s\n", e.At, e.Event, names(e.Nodes), names(e.Pods), kubejson.Printable(e.detail()))
	}
	if len(r.Pods) > 0 {
		fmt.Fprintln(w, "\nPOD\tSTATE\tNODE\tEVICTIONS\tDOWN")
	}
	for i, h := range r.Pods {
		if i == mostPods {
			fmt.Fprintf(w, "and %d more; -o json lists all\n", len(r.Pods)-i)
			break
		}
		last := h.Spans[len(h.Spans)-1]
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%v\n", kubejson.Printable(h.Name), last.State, kubejson.Printable(last.Detail), h.Evictions, h.Down)
	}
	return w.Flush()
}

// names returns the first names of a list, and how many more there are.
func names(list []string) string {
	const most = 3
	var parts []string
	for i, name := range list {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(parts, ","), len(list)-most)
		}
		parts = append(parts, kubejson.Printable(name))
	}
	return strings.Join(parts, ",")
}

// svg draws the histories. Those that are alike are one lane.
func (r *Report) svg(w io.Writer, title string) error {
	t := picture.Timeline{Title: title, End: time.Duration(r.End)}
	lanes, counts := map[string]int{}, []int{}
	for _, h := range slices.Concat(r.Nodes, r.Pods) {
		key := fmt.Sprint(h.Spans)
		i, ok := lanes[key]
		if !ok {
			i = len(counts)
			lanes[key], counts = i, append(counts, 0)
			lane := picture.Lane{Label: h.Name}
			for _, s := range h.Spans {
				detail := fmt.Sprintf("%v to %v: %s %s", s.From, s.To, s.State, s.Detail)
				lane.Spans = append(lane.Spans, picture.Span{From: time.Duration(s.From), To: time.Duration(s.To), Kind: drawn[s.State], Label: s.State, Detail: detail})
			}
			t.Lanes = append(t.Lanes, lane)
		}
		counts[i]++
	}
	for i, n := range counts {
		if n > 1 {
			t.Lanes[i].Label += fmt.Sprintf(" and %d more", n-1)
		}
	}
	return picture.TimelineSVG(w, t)
}
