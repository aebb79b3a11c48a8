package why

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// A textWriter writes a report for people.
type textWriter struct {
	*bufio.Writer
	*Report
	wide   bool
	detail bool // of named pods
}

// text writes the report, of named pods in detail.
func (r *Report) text(out io.Writer, wide, detail bool) error {
	t := textWriter{bufio.NewWriter(out), r, wide, detail}
	s := &r.Summary
	t.linef("%s, %s. Waiting: %d; cannot be scheduled%s: %d. Evicted now: %d; later: %d.", count(s.Pods, "pod"), count(s.Nodes, "node"), s.Waiting, r.to(), s.CannotBeScheduled, s.EvictedNow, s.EvictedLater)
	t.linef("Only taints, tolerations, node selectors and required node affinity are evaluated.")
	if detail {
		t.named()
	} else {
		t.waiting("CANNOT BE SCHEDULED"+strings.Replace(r.to(), "to", "TO", 1), (*PodGroup).stuck)
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
			t.linef("%s", objects.Printable(u.Object))
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
	case selected == 0 && t.only != "":
		t.linef("  node %s does not have the labels", objects.Printable(t.only))
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
}

func (t *textWriter) nearest(n *Nearest) {
	if n == nil {
		return
	}
	t.linef("  nearest: %s", names(n.Names, n.Nodes))
	paste := (t.wide || t.detail) && n.MoreTaints == 0
	for _, m := range n.Taints {
		text, add := t.judge.sentence(m.Explanation)
		if m.Misspelt != "" {
			text += fmt.Sprintf(" (is %s misspelt?)", m.Misspelt)
		}
		text += hint(m.Explanation, n.Names)
		if !paste {
			text += add
		}
		t.linef("    %s", text)
	}
	if n.MoreTaints > 0 {
		t.linef("    and %s", count(n.MoreTaints, "more taint"))
	} else if paste {
		t.linef("  add to spec.tolerations:")
		text, err := yaml.Marshal(n.Add)
		if err != nil { // of a taint that was read, there is none
			text = []byte(err.Error())
		}
		t.linef("    %s", strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n    "))
	}
}

// hint returns what may be better than to tolerate a taint that prevents scheduling to nodes.
func hint(e match.Explanation, nodes []string) string {
	switch key := e.Taint.Key(); {
	case !e.Blocks():
	case key == condition.Unschedulable && len(nodes) > 0 && len(validation.IsDNS1123Subdomain(nodes[0])) == 0:
		return fmt.Sprintf(" (or uncordon the node: kubectl uncordon %s)", nodes[0])
	case key == condition.Unschedulable:
		return " (or uncordon the node)"
	case passing.Has(e.Taint):
		return " (or wait: the taint is temporary)"
	case key == condition.ControlPlane || key == condition.Master:
		return " (not for usual workloads)"
	}
	return ""
}

// table writes the first of the rows, and how many more of all there are.
func (t *textWriter) table(title, head, noun string, rows, all int, row func(i int) string) {
	t.linef("\n%s", title)
	if !t.wide {
		rows = min(rows, maxGroups)
	}
	w := printers.GetNewTabWriter(t)
	fmt.Fprintln(w, head)
	for i := range rows {
		fmt.Fprintln(w, row(i))
	}
	_ = w.Flush() // the bufio.Writer keeps the error
	if all > rows {
		t.linef("and %s; -o wide lists all", count(all-rows, "more "+noun))
	}
}

func (t *textWriter) evictions() {
	if len(t.Evictions) == 0 {
		return
	}
	t.table("EVICTIONS", "POD\tNODE\tWHEN\tWHY", "pod", len(t.Evictions), len(t.Evictions), func(i int) string {
		e := t.Evictions[i]
		return strings.Join([]string{objects.Printable(e.Pod), objects.Printable(e.Node), e.when(), e.Because}, "\t")
	})
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
	const head = "COUNT\tSTATE\tCAN\tPREFER NOT\tCANNOT\tNOT SELECTED\tUNKNOWN\tPODS\tSELECTS\tTOLERATIONS"
	t.table("PODS", head, "group", len(t.Pods), len(t.judge.pods), func(i int) string {
		g := t.Pods[i]
		state := "bound"
		if g.Waiting {
			state = "waiting"
		}
		n := &g.Nodes
		return fmt.Sprintf("%d\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s", len(g.Pods), state, n.Can, n.PreferNot, n.Cannot, n.NotSelected, n.Unknown,
			names(g.Pods[:1], len(g.Pods)), dash(cut(g.placement)), cut(tolerations(g.Tolerations)))
	})
	t.table("NODES", "COUNT\tNODES\tTAINTS", "group", len(t.Nodes), len(t.Nodes), func(i int) string {
		n := t.Nodes[i]
		return fmt.Sprintf("%d\t%s\t%s", len(n.Nodes), names(n.Nodes, len(n.Nodes)), n.text())
	})
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
		return "<none>"
	}
	return flow(list)
}

// named lists the node groups for each group of pods.
func (t *textWriter) named() {
	evictions := make(map[string][]*Eviction)
	for _, e := range t.Evictions {
		evictions[e.Pod] = append(evictions[e.Pod], e)
	}
	for _, g := range t.Pods {
		p := g.group.pods[0]
		t.linef("\n%s", names(g.Pods, len(g.Pods)))
		if p.Owner != "" {
			t.linef("  controlled by %s", objects.Printable(p.Owner))
		}
		t.linef("  tolerations: %s", tolerations(g.Tolerations))
		if g.Waiting {
			t.why(g)
		} else {
			t.linef("  bound to %s", objects.Printable(p.Node))
		}
		for _, name := range g.Pods {
			for _, e := range evictions[name] {
				t.linef("  %s is evicted from %s: %s (%s)", objects.Printable(e.Pod), objects.Printable(e.Node), e.when(), e.Because)
			}
			delete(evictions, name)
		}
		t.nodes(g)
	}
}

// nodes lists the nodes that the placement admits, and then the number of the others.
func (t *textWriter) nodes(g *PodGroup) {
	admits := g.group.pods[0].Placement.Admits
	if g.group.pods[0].Placement.Node != "" { // each names its own
		own := make(map[*cluster.Node]bool)
		for _, p := range g.group.pods {
			n := t.judge.byName[p.Placement.Node]
			own[n] = own[n] || n != nil && p.Placement.Admits(n)
		}
		admits = func(n *cluster.Node) bool { return own[n] }
	}
	rejected := 0
	for _, n := range t.judge.nodes {
		var admitted []string
		for _, n := range n.nodes {
			if admits(n) {
				admitted = append(admitted, n.Name)
			} else {
				rejected++
			}
		}
		if len(admitted) == 0 {
			continue
		}
		t.linef("  %s: %s", names(admitted, len(admitted)), cell{len(admitted), n.Filter(g.Tolerations)}.verdict().text())
		shown := 0
		for e := range n.Explanations(toleration.First, g.Tolerations) {
			if e.Class == match.Forever || e.Class == match.ForSeconds && e.Taint.Effect() != taint.NoExecute {
				continue
			}
			if shown++; shown > maxTaints && !t.wide {
				t.linef("    and more; -o wide lists all")
				break
			}
			text, add := t.judge.sentence(e)
			if g.Waiting {
				text += hint(e, admitted)
			}
			t.linef("    %s", text+add)
		}
	}
	if rejected > 0 {
		t.linef("  %s not selected", count(rejected, "node"))
	}
	for i, unread := range t.judge.unread {
		if t.more(i, len(t.judge.unread), "node") {
			break
		}
		t.linef("  %s: unknown", objects.Printable(unread.Name))
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
		texts[i] = objects.Printable(name)
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

// flow returns tolerations as YAML in one line.
func flow(v any) string {
	var n yamlv3.Node
	text, err := json.Marshal(v)
	if err == nil {
		err = yamlv3.Unmarshal(text, &n)
	}
	unquote(&n)
	if err == nil {
		text, err = yamlv3.Marshal(&n)
	}
	if err != nil { // of a toleration that was read, there is none
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

// unquote removes the quotes that YAML 1.1 does not need either, where y is true.
func unquote(n *yamlv3.Node) {
	if n.Kind == yamlv3.ScalarNode {
		if text, err := yaml.Marshal(n.Value); err == nil && strings.TrimSpace(string(text)) == n.Value {
			n.Style = 0
		}
	}
	for _, child := range n.Content {
		unquote(child)
	}
}

// sentence describes whether a taint is tolerated, and if it is not, what to add. A picture
// has a million of them, of few tolerations.
func (j *judge) sentence(e match.Explanation) (text, add string) {
	short := func(u toleration.Toleration) string {
		text, ok := j.flows[u]
		if !ok {
			text = flow(u)
			j.flows[u] = text
		}
		return text
	}
	text, _, missing := strings.Cut(e.String(), "; to add: ")
	if !e.Toleration.IsZero() {
		text = strings.Replace(text, strconv.Quote(e.Toleration.String()), short(e.Toleration), 1)
	}
	if missing {
		add = "; to add: " + short(e.Addition())
	}
	return text, add
}
