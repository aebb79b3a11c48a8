package main

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

// shown is how many names a line lists.
const shown = 6

// names lists the first of many names.
func names(list []string) string {
	var b strings.Builder
	for i, name := range list {
		if i == shown && len(list) > shown+1 {
			fmt.Fprintf(&b, " and %d more", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(kubejson.Printable(name))
	}
	return b.String()
}

// plural is a number with what is counted.
func plural[N int | int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(int64(n), 10) + " " + one + "s"
}

// verb is the form of a verb for that many subjects.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func zoneName(name string) string {
	if name == "" {
		return "the zone without a name"
	}
	return "zone " + kubejson.Printable(name)
}

var stateNames = [...]string{disruption.Normal: "normal", disruption.PartialDisruption: "in partial disruption", disruption.FullDisruption: "in full disruption"}

func rateText(rate float64) string {
	if rate == 0 {
		return "no NoExecute taints"
	}
	if math.IsInf(1/rate, 0) || 1/rate > longest.Seconds() {
		return "hardly a node is given its NoExecute taint"
	}
	return "one NoExecute taint in " + clock(1e9/rate).span()
}

// reason describes the taint and the toleration that decide.
func (e *entry) reason() string {
	if e.By == "" {
		return e.Taint + " is not tolerated"
	}
	return fmt.Sprintf("%s since %v is tolerated for %s", e.Taint, *e.Since, plural(e.Seconds, "second"))
}

// text is the entry in words.
func (e *entry) text() string {
	n, p := names(e.Nodes), names(e.Pods)
	some := len(e.Pods)
	switch e.What {
	case becameSilent:
		return fmt.Sprintf("%s %s silent; %s down", n, verb(len(e.Nodes), "falls", "fall"), plural(*e.Down, "pod"))
	case becameNotReady:
		return fmt.Sprintf("%s %s not ready; %s down", n, verb(len(e.Nodes), "is", "are"), plural(*e.Down, "pod"))
	case becameReady:
		return fmt.Sprintf("%s %s back; %s up again", n, verb(len(e.Nodes), "is", "are"), plural(*e.Down, "pod"))
	case setCondition:
		return fmt.Sprintf("%s: %s", n, e.Status)
	case cordoned, uncordoned:
		return fmt.Sprintf("%s %s %sed", n, verb(len(e.Nodes), "is", "are"), e.What)
	case edited:
		return fmt.Sprintf("somebody taints %s: %s", n, strings.Join(e.Edits, " "))
	case refused:
		return fmt.Sprintf("%s refuses to be tainted: %s", n, strings.ReplaceAll(e.Problem, "\n", "; "))
	case noticed:
		return fmt.Sprintf("%s: nothing heard for too long, Ready is Unknown", n)
	case tainted:
		var changes []string
		for _, t := range e.Added {
			changes = append(changes, "+"+t)
		}
		for _, t := range e.Removed {
			changes = append(changes, "-"+t)
		}
		return fmt.Sprintf("%s: %s", n, strings.Join(changes, " "))
	case queued:
		return fmt.Sprintf("%s %s for %s", n, verb(len(e.Nodes), "waits", "wait"), verb(len(e.Nodes), "its NoExecute taint", "their NoExecute taints"))
	case zoneChanged:
		return fmt.Sprintf("%s is %s, %d of %d ready: %s", zoneName(*e.Zone), stateNames[e.State.Name], e.State.Ready, e.State.Ready+e.State.NotReady, rateText(e.State.Rate))
	case allLost:
		return "every zone is in full disruption: no evictions, NoExecute taints of conditions come off"
	case notAllLost:
		return "not every zone is in full disruption any more"
	case stays:
		return fmt.Sprintf("%s %s on %s for good", p, verb(some, "stays", "stay"), n)
	case deadline:
		return fmt.Sprintf("%s must leave %s at %v: %s", p, n, *e.Deadline, e.reason())
	case earlier, later:
		return fmt.Sprintf("%s must leave %s %s, at %v and not at %v: %s", p, n, e.What, *e.Deadline, *e.Before, e.reason())
	case cancelled:
		return fmt.Sprintf("%s may stay on %s: no eviction at %v", p, n, *e.Before)
	case evicted:
		return fmt.Sprintf("%s is evicted from %s: %s", p, n, e.reason())
	case isGone:
		return fmt.Sprintf("%s is gone: nobody makes another one", p)
	case placed:
		return fmt.Sprintf("%s is scheduled to %s", p, n)
	case waits:
		return fmt.Sprintf("%s %s for a node that takes %s", p, verb(some, "waits", "wait"), verb(some, "it", "them"))
	case runs:
		return fmt.Sprintf("%s runs on %s, after %s", p, n, e.DownFor.span())
	}
	return string(e.What)
}

// writeText writes the timeline, if requested, and the summary. Errors of
// writing stay in the buffered writer.
func writeText(w *bufio.Writer, r *report, timeline bool, most int) {
	if timeline {
		for i := range r.Timeline {
			fmt.Fprintf(w, "%v  %s\n", r.Timeline[i].At, r.Timeline[i].text())
		}
		fmt.Fprintln(w)
	}
	s := &r.Summary
	fmt.Fprintf(w, "%v: %s in %s, %s\n", s.End, plural(s.Nodes, "node"), plural(len(r.Zones), "zone"), plural(s.Pods, "pod"))
	fmt.Fprintf(w, "  %s of %s\n", plural(s.Failures, "failure"), plural(s.FailedNodes, "node"))
	for _, z := range r.Zones {
		fmt.Fprintf(w, "  %s: %s; partial disruption for %s, full for %s; %d tainted at its rate\n", zoneName(z.Name), plural(z.Nodes, "node"), z.Partial.span(), z.Full.span(), z.Tainted)
	}
	fmt.Fprintf(w, "  %s, %d cancelled\n", plural(s.Evictions, "eviction"), s.Cancelled)
	for _, t := range r.Taints {
		fmt.Fprintf(w, "    %d by %s\n", t.Evictions, t.Taint)
	}
	fmt.Fprintf(w, "  %s down at some time, %s in all, %s at the longest\n", verb(s.Down, "1 pod was", strconv.Itoa(s.Down)+" pods were"), s.DownTime.span(), s.Longest.span())
	if s.Refused > 0 {
		fmt.Fprintf(w, "  %s refused an edit\n", plural(s.Refused, "node"))
	}
	if s.Gone > 0 {
		fmt.Fprintf(w, "  %s gone for good\n", verb(s.Gone, "1 pod is", strconv.Itoa(s.Gone)+" pods are"))
	}
	if s.Waiting > 0 {
		fmt.Fprintf(w, "  %s for a node in the end\n", verb(s.Waiting, "1 pod waits", strconv.Itoa(s.Waiting)+" pods wait"))
	}
	writePods(w, r.Pods, most)
}

// writePods lists the pods that were evicted or down: first those without a
// node, then by how long they were down.
func writePods(w *bufio.Writer, all []podReport, most int) {
	var pods []*podReport
	for i := range all {
		if p := &all[i]; p.Down > 0 || p.Evictions > 0 {
			pods = append(pods, p)
		}
	}
	slices.SortStableFunc(pods, func(p, q *podReport) int {
		return cmp.Or(cmp.Compare(p.rank(), q.rank()), cmp.Compare(q.Down, p.Down))
	})
	left := 0
	if most > 0 && len(pods) > most {
		left = len(pods) - most
		pods = pods[:most]
	}
	if len(pods) == 0 {
		return
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "POD\tEVICTED\tDOWN\tLONGEST\tWHERE\tWHY\n")
	for _, p := range pods {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\n", kubejson.Printable(p.Name), p.Evictions, p.Down.span(), p.Longest.span(), p.where(), p.why())
	}
	table.Flush() // its writer remembers errors
	if left > 0 {
		fmt.Fprintf(w, "and %s more, see -most\n", plural(left, "pod"))
	}
}

// rank puts pods that wait, or are gone, before all others.
func (p *podReport) rank() int {
	switch p.Phase {
	case waiting:
		return 0
	case gone:
		return 1
	}
	return 2
}

// where lists the nodes that the pod was on, and from when, with the times in
// between at which it had none; of many the first and the last ones.
func (p *podReport) where() string {
	var nodes []string
	add := func(from clock, what string) {
		if from > 0 {
			what = from.String() + " " + what
		}
		nodes = append(nodes, what)
	}
	var left clock
	for _, at := range p.Stays {
		if at.From > left {
			add(left, waiting.String())
		}
		add(at.From, kubejson.Printable(at.Node))
		if at.Until != nil {
			left = *at.Until
		}
	}
	if p.Node == "" {
		add(left, p.Phase.String())
	}
	if len(nodes) > shown {
		nodes = slices.Concat(nodes[:1], []string{"…"}, nodes[len(nodes)-shown+1:])
	}
	return strings.Join(nodes, " > ")
}

// why lists the taints that evicted the pod, or "-".
func (p *podReport) why() string {
	var taints []string
	for _, at := range p.Stays {
		if at.Taint != "" && !slices.Contains(taints, at.Taint) {
			taints = append(taints, at.Taint)
		}
	}
	return cmp.Or(strings.Join(taints, ", "), "-")
}
