package why

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A textWriter writes a report for people.
type textWriter struct {
	*bufio.Writer
	*Report
	wide bool
	yaml bool // of the tolerations to add
}

// text writes the report, of named pods in detail.
func (r *Report) text(out io.Writer, wide, detail bool) error {
	t := textWriter{bufio.NewWriter(out), r, wide, wide || detail}
	s := &r.Summary
	t.linef("%s on %s. Waiting: %d; cannot be scheduled: %d. Evicted now: %d; later: %d.", count(s.Pods, "pod"), count(s.Nodes, "node"), s.Waiting, s.CannotBeScheduled, s.EvictedNow, s.EvictedLater)
	t.linef("Only taints, tolerations, node selectors and required node affinity are evaluated.")
	if detail {
		t.detail()
	} else {
		t.waiting("CANNOT BE SCHEDULED", (*PodGroup).stuck)
		t.waiting("WAIT FOR SOMETHING ELSE, such as resources", func(g *PodGroup) bool { return g.Waiting && !g.stuck() })
		t.evictions()
		t.groups()
	}
	if len(r.Unknown) > 0 {
		t.linef("\nUNKNOWN")
		for i, u := range r.Unknown {
			if t.more(i, len(r.Unknown), "object") {
				break
			}
			t.linef("%s", kubejson.Printable(u.Object))
		}
	}
	return t.Flush()
}

func (t *textWriter) linef(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

// more reports whether i objects are enough, and writes how many there are beyond.
func (t *textWriter) more(i, all int, noun string) bool {
	if i < maxGroups || t.wide {
		return false
	}
	t.linef("and %s; -o wide lists all", count(all-i, "more "+noun))
	return true
}

// waiting lists the groups of waiting pods for which is holds.
func (t *textWriter) waiting(title string, is func(*PodGroup) bool) {
	groups := slices.DeleteFunc(slices.Clone(t.Pods), func(g *PodGroup) bool { return !is(g) })
	for i, g := range groups {
		if i == 0 {
			t.linef("\n%s", title)
		}
		if t.more(i, len(groups), "group of pods") {
			return
		}
		t.linef("%s", names(g.Pods, len(g.Pods)))
		t.why(g)
	}
}

// why lists the reasons why the pods of a group wait.
func (t *textWriter) why(g *PodGroup) {
	n := &g.Nodes
	selected := n.Can + n.PreferNot + n.Cannot
	if g.placement != "" {
		t.linef("  selects %d of %s: %s", selected, count(selected+n.NotSelected, "node"), cut(g.placement))
	}
	switch {
	case g.fits() > 0:
		t.linef("  can be scheduled to %s", count(g.fits(), "node"))
	case selected == 0:
		t.linef("  no node has the labels; add them to a node, or change the pod")
	}
	if n.Unknown > 0 {
		t.linef("  unknown for %s", count(n.Unknown, "node"))
	}
	if g.fits() == 0 {
		for _, r := range g.Reasons {
			t.linef("  %s", r)
		}
		if g.MoreReasons > 0 {
			t.linef("  and %s", count(g.MoreReasons, "more taint"))
		}
	}
	t.nearest(g.Nearest)
	t.claims(g.Claims)
}

func (t *textWriter) nearest(n *Nearest) {
	if n == nil {
		return
	}
	t.linef("  nearest: %s", names(n.Names, n.Nodes))
	for _, m := range n.Taints {
		text := m.Explanation.String()
		if m.Misspelt != "" {
			text += fmt.Sprintf(" (is %q misspelt?)", m.Misspelt)
		}
		if m.Temporary {
			text += " (or wait: the taint is temporary)"
		}
		t.linef("    %s", text)
	}
	if n.MoreTaints > 0 {
		t.linef("    and %s", count(n.MoreTaints, "more taint"))
	} else if t.yaml {
		t.linef("  add to spec.tolerations:")
		text, err := yaml.Marshal(n.Add)
		if err != nil { // of a taint that was read, there is none
			text = []byte(err.Error())
		}
		t.linef("    %s", strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n    "))
	}
}

func (t *textWriter) claims(claims []Claim) {
	for _, c := range claims {
		head := "  claim " + kubejson.Printable(c.Name)
		if c.Object != "" {
			head += " (" + kubejson.Printable(c.Object) + ")"
		}
		switch {
		case c.UnknownBecause != "":
			t.linef("%s is unknown: %s", head, c.UnknownBecause)
		case c.Allocated != nil:
			t.linef("%s is allocated: %s", head, names(c.Allocated, len(c.Allocated)))
		default:
			t.linef("%s", head)
		}
		for _, q := range c.Requests {
			for _, d := range q.Drivers {
				t.linef("    request %s: %d of %s of %s can be allocated, %d unknown", kubejson.Printable(q.Name), d.Allocatable, count(d.Devices, "device"), kubejson.Printable(d.Driver), d.Unknown)
				for _, r := range d.Reasons {
					text := r.Taint.String()
					if r.Rule != "" {
						text += " of DeviceTaintRule " + kubejson.Printable(r.Rule)
					}
					t.linef("      %s: untolerated %s; to add: %q", count(r.Devices, "device"), text, r.Add)
				}
				if d.MoreReasons > 0 {
					t.linef("      and %s", count(d.MoreReasons, "more taint"))
				}
			}
		}
	}
}

func (t *textWriter) evictions() {
	if len(t.Evictions) == 0 {
		return
	}
	t.linef("\nEVICTIONS")
	w := printers.GetNewTabWriter(t)
	fmt.Fprintln(w, "POD\tNODE\tWHEN\tWHY")
	shown := min(len(t.Evictions), maxGroups)
	if t.wide {
		shown = len(t.Evictions)
	}
	for _, e := range t.Evictions[:shown] {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", kubejson.Printable(e.Pod), kubejson.Printable(e.Node), e.when(), e.Because)
	}
	_ = w.Flush() // the bufio.Writer keeps the error
	t.more(shown, len(t.Evictions), "pod")
}

// when describes when a pod is evicted.
func (e *Eviction) when() string {
	switch {
	case e.When == Later && e.At != nil:
		return e.At.Format(time.RFC3339)
	case e.When == Now && e.At != nil:
		return "now, since " + e.At.Format(time.RFC3339)
	}
	return string(e.When)
}

func (t *textWriter) groups() {
	t.linef("\nPODS")
	w := printers.GetNewTabWriter(t)
	fmt.Fprintln(w, "COUNT\tSTATE\tCAN\tPREFER NOT\tCANNOT\tNOT SELECTED\tUNKNOWN\tPODS\tSELECTS\tTOLERATIONS")
	shown := 0
	for _, g := range t.Pods {
		if shown == maxGroups && !t.wide {
			break
		}
		state := "bound"
		if g.Waiting {
			state = "waiting"
		}
		n := &g.Nodes
		fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", len(g.Pods), state, n.Can, n.PreferNot, n.Cannot, n.NotSelected, n.Unknown,
			names(g.Pods[:1], len(g.Pods)), dash(cut(g.placement)), dash(cut(tolerations(g.Tolerations))))
		shown++
	}
	_ = w.Flush()
	if all := len(t.judge.pods); all > shown {
		t.linef("and %s; -o wide lists all", count(all-shown, "more group"))
	}
	t.linef("\nNODES")
	fmt.Fprintln(w, "COUNT\tNODES\tTAINTS")
	for i, n := range t.Nodes {
		if i == maxGroups && !t.wide {
			break
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", len(n.Nodes), names(n.Nodes, len(n.Nodes)), n.text())
	}
	_ = w.Flush()
	if more := len(t.Nodes) - maxGroups; more > 0 && !t.wide {
		t.linef("and %s; -o wide lists all", count(more, "more group"))
	}
}

func (n *NodeGroup) text() string {
	text := n.Taints.String()
	if n.Cordoned {
		text = strings.TrimPrefix(text+", cordoned", ", ")
	}
	return dash(cut(text))
}

func tolerations(list toleration.List) string {
	if len(list) == 0 {
		return ""
	}
	return list.String()
}

// detail lists the node groups for each group of pods.
func (t *textWriter) detail() {
	for _, g := range t.Pods {
		p := g.group.pods[0]
		t.linef("\n%s", names(g.Pods, len(g.Pods)))
		if p.Owner != "" {
			t.linef("  controlled by %s", kubejson.Printable(p.Owner))
		}
		t.linef("  tolerations: %s", dash(tolerations(g.Tolerations)))
		if g.Waiting {
			t.why(g)
		} else {
			t.linef("  bound to %s", kubejson.Printable(p.Node))
		}
		for _, e := range t.Evictions {
			if slices.Contains(g.Pods, e.Pod) {
				t.linef("  %s is evicted from %s: %s (%s)", kubejson.Printable(e.Pod), kubejson.Printable(e.Node), e.when(), e.Because)
			}
		}
		t.nodes(g)
	}
}

func (t *textWriter) nodes(g *PodGroup) {
	for _, n := range t.judge.nodes {
		var admitted, rejected []string
		for _, n := range n.nodes {
			if slices.ContainsFunc(g.group.pods, func(p *cluster.Pod) bool { return p.Placement.Admits(n) }) {
				admitted = append(admitted, n.Name)
			} else {
				rejected = append(rejected, n.Name)
			}
		}
		if len(admitted) > 0 {
			r := n.Filter(g.Tolerations)
			t.linef("  %s: %s", names(admitted, len(admitted)), cell{len(admitted), r}.verdict().text())
			shown := 0
			for e := range n.Explanations(toleration.First, g.Tolerations) {
				if e.Class == match.Forever || e.Class == match.ForSeconds && e.Taint.Effect() != taint.NoExecute {
					continue
				}
				if shown++; shown > maxTaints && !t.wide {
					t.linef("    and more; -o wide lists all")
					break
				}
				t.linef("    %s", e)
			}
		}
		if len(rejected) > 0 {
			t.linef("  %s: not selected", names(rejected, len(rejected)))
		}
	}
	for _, n := range t.judge.Nodes {
		if n.Err != nil {
			t.linef("  %s: unknown", kubejson.Printable(n.Name))
		}
	}
}

func (v Verdict) text() string {
	switch v {
	case Can:
		return "can be scheduled"
	case PreferNot:
		return "can be scheduled, but other nodes are preferred"
	case Cannot:
		return "cannot be scheduled"
	}
	return "not selected"
}

// names returns the first names, and how many more there are in all.
func names(list []string, all int) string {
	shown := list[:min(len(list), maxNames)]
	texts := make([]string, len(shown))
	for i, name := range shown {
		texts[i] = kubejson.Printable(name)
	}
	text := strings.Join(texts, ", ")
	if more := all - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// cut shortens a long text.
func cut(text string) string {
	const most = 80
	if r := []rune(text[:min(len(text), 4*most)]); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

func dash(text string) string {
	if text == "" {
		return "<none>"
	}
	return text
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
