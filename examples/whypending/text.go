package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
)

const indent = "    "

// A textWriter lays out the report for people.
type textWriter struct {
	*report
	*bufio.Writer // keeps the first error for its Flush
	colors
	raw                 io.Writer // for colours: Writer escapes them
	podWidth, nodeWidth int
}

// writeText writes the report. Its errors come with the flush of w.
func (r *report) writeText(w *bufio.Writer, raw io.Writer, c colors) error {
	t := textWriter{report: r, Writer: w, colors: c, raw: raw, podWidth: len("POD"), nodeWidth: len("<none>")}
	for _, p := range r.shown {
		t.podWidth = max(t.podWidth, width(name(p.fullName())))
		t.nodeWidth = max(t.nodeWidth, width(name(p.Node)))
	}
	t.head()
	switch {
	case r.opts.node != "" && r.opts.pod == "":
		t.nodeHead(r.pairNodes[0])
		t.pairs()
	default:
		t.overview()
		if r.opts.pod != "" {
			t.WriteByte('\n')
			t.pairs()
		}
	}
	t.summary()
	return nil
}

func (t *textWriter) head() {
	if t.sample {
		t.WriteString("A sample cluster (-help tells how to read another): ")
	}
	fmt.Fprintf(t, "%s, %s (%d not yet bound)", count(len(t.nodes), "node"), count(len(t.shown), "pod"), t.unbound)
	if t.finished > 0 {
		fmt.Fprintf(t, "; %s left out", count(t.finished, "finished pod"))
	}
	t.WriteString(".\nOnly taints and tolerations are judged: resources, affinity, selectors and volumes may still say no.\n")
	if t.hasClaims() {
		t.WriteString("Of devices, too, only taints are judged: device classes, selectors (CEL) and other claims are not evaluated.\n")
	}
}

func (t *textWriter) overview() {
	if len(t.shown) == 0 {
		return
	}
	t.WriteByte('\n')
	t.colored(t.bold, fmt.Sprintf("%-*s  %-*s  MAY RUN  RATHER NOT  MAY NOT  UNKNOWN", t.podWidth, "POD", t.nodeWidth, "NODE"))
	for i, p := range t.shown {
		t.progress.judged("writing", i, len(t.shown))
		t.pod(p)
	}
}

func (t *textWriter) pod(p *pod) {
	n := t.nodesOf(p)
	color := ""
	if t.fitsNowhere(p) {
		color = t.bad
	}
	line := fmt.Sprintf("%s  %s  %7d  %10d  %7d  %7d", pad(name(p.fullName()), t.podWidth), pad(name(p.Node), t.nodeWidth),
		n[mayRun], n[ratherNot], n[mayNot], n[unknown])
	t.colored(color, line)
	if p.because != "" {
		t.colored(t.warn, indent+"unknown: "+p.because)
		return
	}
	t.reasons(p)
	if len(t.unknown) > 0 {
		t.reason(unknown.String(), len(t.unknown), listed(t.unknown, func(n *node) string { return name(n.name) }))
	}
	if t.fitsNowhere(p) {
		t.fix(p)
	}
	t.claimsText(p)
	t.eviction(p)
}

func (t *textWriter) colored(color, line string) {
	if color == "" {
		t.WriteString(line + "\n")
		return
	}
	t.code(color)
	t.WriteString(line)
	t.code(t.reset)
	t.WriteByte('\n')
}

// code writes an escape sequence past the writer that would escape it.
func (t *textWriter) code(sequence string) {
	if t.Flush() == nil { // an error stays in the Writer
		_, _ = io.WriteString(t.raw, sequence) // as the next Flush reports
	}
}

func (t *textWriter) reasons(p *pod) {
	reasons := t.judge.reasons(p)
	for _, r := range reasons {
		t.reason(r.verdict.String(), r.nodes, "untolerated "+t.taint(r.taint))
	}
	if more := t.judge.decision(p).taints - len(reasons); more > 0 {
		fmt.Fprintf(t, "%sand %s (-reasons 0 shows all)\n", indent, count(more, "more taint"))
	}
}

func (t *textWriter) reason(label string, nodes int, text string) {
	all := strconv.Itoa(len(t.nodes))
	fmt.Fprintf(t, "%s%-10s  %*d of %s: %s\n", indent, label, len(all), nodes, count(len(t.nodes), "node"), text)
}

// fix describes the nodes that are nearest to taking a pod that fits nowhere.
func (t *textWriter) fix(p *pod) {
	f := t.judge.fix(p.class)
	for _, m := range t.judge.explain(p.class, f.taints) {
		text := t.explanation(m.Explanation)
		if !m.similar.IsZero() {
			text += ` (is "` + t.toleration(m.similar) + `" misspelt?)`
		}
		if passing.Has(m.Taint) {
			text += " (or wait: this is a state of the node)"
		}
		t.reason("nearest", f.nodes, text)
	}
	if f.more > 0 {
		fmt.Fprintf(t, "%sand %s on the nearest (-reasons 0 shows all)\n", indent, count(f.more, "more taint"))
	}
}

func (t *textWriter) eviction(p *pod) {
	e := t.evictPod(p)
	switch {
	case e.when == now:
		t.colored(t.bad, indent+"goes "+t.evictionText(e))
	case e.when == later:
		t.colored(t.warn, indent+"goes "+t.evictionText(e))
	case e.when == unsure:
		t.colored(t.warn, indent+"eviction unknown: "+e.because)
	case e.because != "":
		t.colored(t.warn, indent+e.because)
	case p.Terminating:
		t.colored(t.warn, indent+"it is being deleted")
	}
}

// evictionText describes when a pod is evicted, which taint decides, and what its seconds
// mean.
func (r *report) evictionText(e eviction) string {
	t := r.taint(e.taint)
	switch {
	case e.when == now && e.toleration.IsZero():
		return "now: untolerated " + t
	case e.when == now:
		return "now: " + t + " is tolerated for 0 s"
	}
	text := fmt.Sprintf("%d s after %s was added", e.seconds, t)
	if added := e.taint.TimeAdded(); !added.IsZero() {
		text += " at " + stamp(added)
	}
	if !e.at.IsZero() {
		text += ", so at " + stamp(e.at)
	}
	return text
}

func (t *textWriter) nodeHead(n *node) {
	fmt.Fprintf(t, "\nNode %s: ", name(n.name))
	switch {
	case n.because != "":
		t.WriteString("its taints are unknown: " + n.because)
	case len(n.taints.Taints) == 0:
		t.WriteString("no taints")
	default:
		t.WriteString(t.taints(n.taints.Taints))
	}
	if n.taints.Unschedulable {
		t.WriteString("; cordoned")
	}
	t.WriteString("\n\n")
}

// pairs lists each pod shown with each node requested.
func (t *textWriter) pairs() {
	width1 := len("NODE")
	for _, n := range t.pairNodes {
		width1 = max(width1, width(name(n.name)))
	}
	t.colored(t.bold, fmt.Sprintf("%-*s  %-*s  %-10s  %s", t.podWidth, "POD", width1, "NODE", "VERDICT", "WHY"))
	for _, p := range t.shown {
		for _, n := range t.pairNodes {
			pr := judgePair(p, n, t.opts.reasons)
			line := fmt.Sprintf("%s  %s  %-10s  %s", pad(name(p.fullName()), t.podWidth), pad(name(n.name), width1), pr.verdict, t.why(p, pr))
			t.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
}

// why describes a pair in one line.
func (t *textWriter) why(p *pod, pr pair) string {
	var parts []string
	switch {
	case p.because != "":
		parts = append(parts, "its tolerations are unknown")
	case pr.node.because != "":
		parts = append(parts, "its taints are unknown")
	case len(pr.untolerated) > 0:
		text := "untolerated " + t.taints(pr.untolerated)
		if pr.more > 0 {
			text += " and " + count(pr.more, "more taint")
		}
		parts = append(parts, text)
	}
	switch e := pr.eviction; {
	case pr.bound:
		parts = append(parts, "bound here; "+t.bound(t.evictPod(p)))
	case pr.verdict == mayRun || pr.verdict == ratherNot:
		if e.when != never {
			parts = append(parts, "would go "+t.evictionText(e))
		}
	}
	return strings.Join(parts, "; ")
}

func (t *textWriter) bound(e eviction) string {
	switch {
	case e.when == now || e.when == later:
		return "goes " + t.evictionText(e)
	case e.when == unsure:
		return "eviction unknown"
	case e.because != "":
		return e.because
	}
	return "stays"
}

// mostNames are listed in a summary; the rest is counted.
const mostNames = 10

func (t *textWriter) summary() {
	t.WriteByte('\n')
	podName := func(p *pod) string { return name(p.fullName()) }
	switch {
	case len(t.shown) == 0:
		t.WriteString("There is no pod to judge.\n")
	case len(t.nodes) == 0:
		t.WriteString("There is no node to judge the pods against.\n")
	case len(t.fitNowhere) > 0:
		t.colored(t.bad, fmt.Sprintf("%s not yet bound may run nowhere: %s.", count(len(t.fitNowhere), "pod"), listed(t.fitNowhere, podName)))
	case t.unbound > 0 && (t.unsurePods > 0 || len(t.unknown) > 0):
		t.WriteString("No pod is known to fit nowhere.\n")
	case t.unbound > 0:
		t.WriteString("Every pod not yet bound may run somewhere.\n")
	}
	if len(t.goNow) > 0 {
		t.colored(t.bad, fmt.Sprintf("%s must go now: %s.", count(len(t.goNow), "running pod"), listed(t.goNow, podName)))
	}
	if len(t.goLater) > 0 {
		t.colored(t.warn, fmt.Sprintf("%s must go some seconds after a taint was added: %s.", count(len(t.goLater), "running pod"), listed(t.goLater, podName)))
		t.WriteString("A control plane that was restarted since counts those seconds from when it saw the taint again.\n")
	}
	for i, n := range t.unknown {
		if i == mostNames {
			fmt.Fprintf(t, "and %s\n", count(len(t.unknown)-i, "more unknown node"))
			break
		}
		t.colored(t.warn, "Node "+name(n.name)+" is unknown: "+n.because)
	}
	for i, u := range t.unknownDevices() {
		if i == mostNames {
			t.WriteString("and more; all are in the output of -o json\n")
			break
		}
		t.colored(t.warn, kubejson.Printable(u.Name)+" is unknown: "+u.Because)
	}
	if len(t.problems) > 0 {
		t.colored(t.bad, fmt.Sprintf("The input has %s; what could be read is judged.", count(len(t.problems), "problem")))
	}
}

func listed[T any](all []T, text func(T) string) string {
	var b strings.Builder
	for i, v := range all {
		if i == mostNames {
			return b.String() + " and " + strconv.Itoa(len(all)-i) + " more"
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(text(v))
	}
	return b.String()
}

func stamp(t time.Time) string { return t.Format(time.RFC3339) }

func width(s string) int { return utf8.RuneCountInString(s) }

func pad(s string, to int) string { return s + strings.Repeat(" ", max(to-width(s), 0)) }
