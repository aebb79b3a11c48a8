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

// An Entry is an event of the scenario with the taints that it changes at once, or a
// consequence, for all nodes or pods with the same one. The events are those of a scenario;
// Zone and Tainted; and for pods Stays, EvictionPlanned, EvictionCancelled, Evicted,
// Deleted, Pending and Scheduled.
type Entry struct {
	At       Seconds           `json:"atSeconds"`
	Event    string            `json:"event"`
	Nodes    []string          `json:"nodes,omitempty"`
	Pods     []string          `json:"pods,omitempty"`
	Added    taint.List        `json:"added,omitempty"`
	Removed  taint.List        `json:"removed,omitempty"`
	Deadline Seconds           `json:"deadlineSeconds,omitzero"` // omitted if after the end
	Reason   match.Explanation `json:"reason,omitzero"`          // of a deadline or an eviction
	Changes  []string          `json:"changes,omitempty"`        // of conditions, edits and zones
}

// A History is the states of a node or pod.
type History struct {
	Name      string  `json:"name"`
	Evictions int     `json:"evictions,omitempty"`
	Down      Seconds `json:"downSeconds"` // not running, or not ready
	Spans     []Span  `json:"states"`
}

// A Span is a state. That of a node is Ready, Tainted, Uninitialized, NotReady or Deleted,
// with its taints as detail. That of a pod is Running, Evicting (it runs until a deadline),
// Pending, NotReady (as its node is) or Deleted, with the node as detail.
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
		sim.work += 2000 // it takes memory
		e.At = Seconds(sim.now.Sub(sim.begin))
		known = &e
		sim.same[key] = known
		sim.timeline = append(sim.timeline, known)
	}
	sim.work += 200
	if n != nil && (p == nil || known.Nodes == nil) {
		known.Nodes = append(known.Nodes, n.history.Name)
	}
	if p != nil {
		known.Pods = append(known.Pods, p.history.Name)
	}
}

func (e *Entry) detail() string {
	parts := slices.Clone(e.Changes)
	if e.Event == "Taint" && len(e.Added)+len(e.Removed) > 0 { // they are the edits
		parts = nil
	}
	for _, t := range e.Added {
		parts = append(parts, "+"+t.String())
	}
	for _, t := range e.Removed {
		parts = append(parts, "-"+t.String())
	}
	switch {
	case e.Deadline > 0:
		parts = append(parts, "at "+e.Deadline.String()+":")
	case e.Event == "EvictionPlanned":
		parts = append(parts, "after the end:")
	}
	if seconds, ok := e.Reason.Seconds(); ok {
		parts = append(parts, fmt.Sprintf("%v is tolerated for %d s", e.Reason.Taint, seconds))
	} else if !e.Reason.Taint.IsZero() {
		parts = append(parts, e.Reason.Taint.String()+" is not tolerated")
	}
	return strings.Join(parts, " ")
}

// set sets the state from now on.
func (sim *simulation) set(h *History, state, detail string) {
	now := Seconds(sim.now.Sub(sim.begin))
	if last := len(h.Spans) - 1; last >= 0 && h.Spans[last].From == now { // it did not last
		h.Spans = h.Spans[:last]
	}
	if last := len(h.Spans) - 1; last >= 0 && h.Spans[last].State == state && h.Spans[last].Detail == detail {
		return
	}
	sim.work += 400 // it takes memory
	h.Spans = append(h.Spans, Span{From: now, State: state, Detail: detail})
}

func (sim *simulation) mark(p *pod) {
	switch {
	case p.deleted:
		sim.set(&p.history, "Deleted", "")
	case p.node == nil:
		sim.set(&p.history, "Pending", "")
	case !p.node.well():
		sim.set(&p.history, "NotReady", p.node.Name)
	case !p.deadline.IsZero():
		sim.set(&p.history, "Evicting", p.node.Name)
	default:
		sim.set(&p.history, "Running", p.node.Name)
	}
}

// well reports whether the pods of the node run.
func (n *node) well() bool { return !n.silent && condition.IsReady(n.status.Conditions) }

func (n *node) state() string {
	switch {
	case !n.exists:
		return "Deleted"
	case !n.well():
		return "NotReady"
	case slices.ContainsFunc(n.status.Taints, condition.CloudStartup().Has):
		return "Uninitialized"
	case len(n.status.Taints) > 0:
		return "Tainted"
	}
	return "Ready"
}

// drawn are the states of nodes and pods in a picture.
var drawn = map[string]picture.Kind{
	"Ready": picture.Running, "Tainted": picture.Tainted, "Uninitialized": picture.Waiting, "NotReady": picture.Down, "Deleted": picture.Down,
	"Running": picture.Running, "Evicting": picture.Evicting, "Pending": picture.Waiting,
}

// report returns the result, when the simulation is over.
func (sim *simulation) report() *Report {
	r := &Report{Begin: sim.begin, End: Seconds(sim.End), Timeline: sim.timeline, Nodes: []*History{}, Pods: []*History{}}
	add := func(to *[]*History, h *History) {
		for i := range h.Spans {
			s := &h.Spans[i]
			s.To = r.End
			if i+1 < len(h.Spans) {
				s.To = h.Spans[i+1].From
			}
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
	for _, name := range slices.Sorted(maps.Keys(sim.pods)) {
		add(&r.Pods, &sim.pods[name].history)
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
	if err := w.Flush(); err != nil {
		return err
	}
	w = printers.GetNewTabWriter(out)
	if len(r.Pods) > 0 {
		fmt.Fprintln(w, "\nPOD\tSTATE\tNODE\tEVICTIONS\tDOWN")
	}
	for _, h := range r.Pods[:min(len(r.Pods), mostPods)] {
		last := h.Spans[len(h.Spans)-1]
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%v\n", kubejson.Printable(h.Name), last.State, kubejson.Printable(last.Detail), h.Evictions, h.Down)
	}
	if more := len(r.Pods) - mostPods; more > 0 {
		fmt.Fprintf(w, "and %d more; -o json lists all\n", more)
	}
	return w.Flush()
}

// names returns the first names of a list, and how many more there are.
func names(list []string) string {
	const most = 3
	var parts []string
	for _, name := range list[:min(len(list), most)] {
		parts = append(parts, kubejson.Printable(name))
	}
	if more := len(list) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(parts, ","), more)
	}
	return strings.Join(parts, ",")
}

// svg draws the histories. Those that are alike are one lane.
func (r *Report) svg(w io.Writer) error {
	t := picture.Timeline{Title: "Simulation", End: time.Duration(r.End)}
	alike := map[string]*[]string{}
	var first []*History
	for _, h := range slices.Concat(r.Nodes, r.Pods) {
		key := fmt.Sprint(h.Spans)
		if alike[key] == nil {
			alike[key] = new([]string)
			first = append(first, h)
		}
		*alike[key] = append(*alike[key], h.Name)
	}
	for _, h := range first {
		lane := picture.Lane{Label: names(*alike[fmt.Sprint(h.Spans)])}
		for _, s := range h.Spans {
			lane.Spans = append(lane.Spans, picture.Span{From: time.Duration(s.From), To: time.Duration(s.To), Kind: drawn[s.State],
				Label: s.State, Detail: fmt.Sprintf("%v to %v: %s %s", s.From, s.To, s.State, s.Detail)})
		}
		t.Lanes = append(t.Lanes, lane)
	}
	return picture.TimelineSVG(w, t)
}
