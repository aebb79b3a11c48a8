package main

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
)

// writeText writes the report for people.
func writeText(w io.Writer, r *report) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "dry run at %s: nothing is changed\n", clock(r.opts.now))
	fmt.Fprintf(&b, "\nNodes: %d of %d chosen\n", len(r.c.chosen), len(r.c.nodes))
	for _, n := range r.c.chosen {
		fmt.Fprintf(&b, "  %s %v\n", kubejson.Printable(n.name), n.outcome)
		for _, c := range taint.Difference(n.before.Taints, n.after.Taints) {
			fmt.Fprintf(&b, "    %s\n", changeText(c))
		}
	}
	fmt.Fprintf(&b, "\nRunning pods: %d of %d are touched", len(r.evictions), r.running)
	if r.dueAnyway > 0 {
		fmt.Fprintf(&b, "; %d to go in any case", r.dueAnyway)
	}
	b.WriteByte('\n')
	for _, e := range r.evictions {
		t, u := r.decider(e)
		why := t.String() + " is not tolerated"
		if !u.IsZero() {
			why = fmt.Sprintf("%v, tolerated by %q", t, u)
		}
		fmt.Fprintf(&b, "  %s on %s: %s", kubejson.Printable(e.fullName()), kubejson.Printable(e.pod.Node), evictionText(e.Eviction, r.opts.now))
		if e.Kind == eviction.Cancelled {
			fmt.Fprintf(&b, " (%s is gone or tolerated)\n", t)
		} else {
			fmt.Fprintf(&b, " (%s); %s\n", why, fitText(e.fits, len(r.nodes)))
		}
	}
	fmt.Fprintf(&b, "\nWaiting pods: %d of %d are touched\n", len(r.waiting), r.waits)
	for _, w := range r.waiting {
		fmt.Fprintf(&b, "  %s: %s\n", kubejson.Printable(w.fullName()), r.waitingText(w))
	}
	if r.leftOut > 0 {
		fmt.Fprintf(&b, "\nPods left out, as finished, being deleted, static or unknown: %d\n", r.leftOut)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// beyond reports whether neither JSON nor a clock can show the time.
func beyond(t time.Time) bool { return t.Year() > 9999 }

func clockText(t time.Time) string {
	if beyond(t) {
		return "after the year 9999"
	}
	return "at " + clock(t)
}

// inText returns the time until then; a time.Duration ends after 292 years.
func inText(at, now time.Time) string {
	const year = 365 * 24 * 60 * 60
	switch seconds := at.Unix() - now.Unix(); {
	case beyond(at):
		return ""
	case seconds > 100*year:
		return fmt.Sprintf(", in %d years", seconds/year)
	}
	return fmt.Sprintf(", in %v", at.Sub(now))
}

func changeText(c taint.Change) string {
	switch c.Kind() {
	case taint.Added:
		return "+ " + c.After.String()
	case taint.Removed:
		return "- " + c.Before.String()
	}
	return fmt.Sprintf("~ %v, was %v", c.After, c.Before)
}

// evictionText describes when the pod is evicted, and what is new about that.
func evictionText(e impact.Eviction, now time.Time) string {
	was, _ := e.Before.Deadline()
	before := ""
	switch e.Before.Kind() {
	case eviction.Now:
		before = ", had to go now"
	case eviction.At:
		before = ", had to go " + clockText(was)
	}
	at, _ := e.After.Deadline()
	switch e.After.Kind() {
	case eviction.Now:
		return "goes now" + before
	case eviction.At:
		return "goes " + clockText(at) + inText(at, now) + before
	}
	return "may stay" + before
}

func fitText(fits, nodes int) string {
	if fits == 0 {
		return "fits on none of the nodes then"
	}
	return fmt.Sprintf("fits on %d of %d nodes then", fits, nodes)
}

func (r *report) waitingText(w waiting) string {
	// What is added is added to all nodes that are chosen, so that no pod gains
	// one and loses another.
	verdict := map[impact.PlacementKind]string{
		impact.Opened:   "may newly come",
		impact.Closed:   "fits nowhere any more",
		impact.Widened:  "may come to more nodes",
		impact.Narrowed: "may come to fewer nodes",
		impact.Improved: "is less unwelcome",
		impact.Worsened: "is less welcome",
	}[w.Kind()]
	text := fmt.Sprintf("%s: %d of %d nodes, %d before", verdict, w.After(), len(r.nodes), w.Before)
	switch {
	case w.Lost > 0:
		text += fmt.Sprintf(" (%s has %v)", kubejson.Printable(r.nodes[w.FirstLost].name), r.keptOut(w))
	case w.Gained > 0:
		text += fmt.Sprintf(" (%s had %v)", kubejson.Printable(r.nodes[w.FirstGained].name), r.keptOut(w))
	}
	return text
}
