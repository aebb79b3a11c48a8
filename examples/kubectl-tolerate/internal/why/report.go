package why

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/liggitt/tabwriter"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// A Report is the output in JSON and YAML. Fields may be added. What is empty is omitted,
// except numbers and the lists here.
type Report struct {
	Summary    Summary            `json:"summary"`
	Removers   []*Remover         `json:"removers"`
	Refused    []*cluster.Refusal `json:"refused"` // the last ones are first
	Pods       []*PodGroup        `json:"podGroups"`
	Daemons    []*DaemonSet       `json:"daemonSets"` // those without any pod are first
	Evictions  []*Eviction        `json:"evictions"`
	Repelled   []*Repelled        `json:"repelled,omitempty"`
	Returning  []string           `json:"returning,omitempty"`  // pods that tolerate the cordon of their node, which are scheduled to it again when they are evicted
	Lost       []*Lost            `json:"lost,omitempty"`       // nodes
	Incomplete []string           `json:"incomplete,omitempty"` // what was not evaluated, as it would take too long
	Orphaned   []string           `json:"orphaned"`             // pods whose node does not exist
	Unknown    []Unknown          `json:"unknown"`
}

// A Summary has numbers of nodes and pods. Finished pods are not evaluated.
type Summary struct {
	Nodes        int `json:"nodes"`
	Pods         int `json:"pods"`
	Finished     int `json:"finished"`
	Pending      int `json:"pending"`     // pods without a node
	Starting     int `json:"starting"`    // pods that have a node, and whose phase is Pending
	NotAdmitted  int `json:"notAdmitted"` // pending pods that taints or labels keep from every node
	EvictedNow   int `json:"evictedNow"`
	EvictedLater int `json:"evictedLater"`
	Repelled     int `json:"repelled"` // running pods that do not tolerate a NoSchedule taint of their node
	Unknown      int `json:"unknown"`  // pods and nodes that could not be read
}

// A Remover is pending pods that usually remove a taint that every node has.
type Remover struct {
	Taint taint.Taint     `json:"taint"`
	Pods  []string        `json:"pods"`
	Add   toleration.List `json:"add,omitempty"` // for the nearest nodes, if no node admits the pods
}

// A PodGroup is pending pods that are alike, or pods that were named and have a node.
type PodGroup struct {
	Pods        []string          `json:"pods"`
	Node        string            `json:"node,omitempty"`          // empty if they are pending
	Scheduler   string            `json:"schedulerName,omitempty"` // if it is not the default
	Gates       []string          `json:"schedulingGates,omitempty"`
	Condition   cluster.Condition `json:"condition,omitzero"`
	Tolerations toleration.List   `json:"tolerations,omitempty"`
	Placement   json.RawMessage   `json:"placement,omitempty"` // the node selector and the required node affinity
	Nodes       *Counts           `json:"nodes,omitempty"`     // nil if the nodes are unknown
	NodeGroups  []*NodeGroup      `json:"nodeGroups,omitempty"`
	Lacks       string            `json:"lacks,omitempty"`            // what the pods request more of than the admitted nodes have free
	NotJudged   []string          `json:"notJudged,omitempty"`        // if some node is admitted
	Unmet       []Unmet           `json:"unmet,omitempty"`            // if no node is selected
	Pools       []*Pool           `json:"pools,omitempty"`            // without nodes, if no node admits the pods, or they are named
	OtherPools  int               `json:"poolsNotSelected,omitempty"` // that are not among them
	Autoscaler  *cluster.Event    `json:"autoscaler,omitempty"`
	Unused      []Unused          `json:"unused,omitempty"` // tolerations, if the pods are named
	Claims      []*Claim          `json:"claims,omitempty"` // that are not allocated

	wants
	pods   []*cluster.Pod
	admits []*class
}

// Counts are numbers of nodes.
type Counts struct {
	Admitted    int `json:"admitted"`    // by taints and labels
	Tainted     int `json:"tainted"`     // a NoSchedule or NoExecute taint is untolerated
	NotSelected int `json:"notSelected"` // by the placement
	Unknown     int `json:"unknown"`     // they could not be read
}

// A NodeGroup is nodes that are selected and have the same untolerated taints. The nearest
// groups are first.
type NodeGroup struct {
	Count    int      `json:"count"`
	Names    []string `json:"names"`          // of some
	Pods     []string `json:"pods,omitempty"` // of a DaemonSet, on the nodes with these names
	Admitted bool     `json:"admitted"`
	Cordoned string   `json:"cordoned,omitempty"` // the toleration of the nodes' cordon, if they are admitted
	Taints   []Taint  `json:"taints,omitempty"`   // at most maxTaints
	More     int      `json:"moreTaints,omitempty"`

	cost  []int
	waits bool // for the pods, which remove a taint of these nodes
}

// A Taint is why a taint is not tolerated.
type Taint struct {
	Taint   taint.Taint            `json:"taint"`
	Because string                 `json:"because"`
	Add     *toleration.Toleration `json:"add,omitempty"` // nil for taints that are not to be tolerated
}

// An Eviction is when a running pod is evicted.
type Eviction struct {
	Pod     string     `json:"pod"`
	Node    string     `json:"node"`
	When    string     `json:"when"`         // now, later, or unknown
	At      *time.Time `json:"at,omitempty"` // now: since when it is due; later: the earliest time
	Taint   string     `json:"taint,omitempty"`
	Because string     `json:"because"`
	Again   bool       `json:"again,omitempty"` // afterwards, a new pod like it can be scheduled to the node

	due time.Time // for their order
}

// An Unknown is an object that could not be read.
type Unknown struct {
	Object  string `json:"object"`
	Because string `json:"because"`
}

// The text lists as many, unless it is wide.
const (
	maxGroups     = 10 // of pods, and of evictions
	maxNodeGroups = 3
	maxMessage    = 1000 // characters
)

// A text is a report for people.
type text struct {
	*bufio.Writer
	*Report
	wide  bool
	named int    // how many pods or workloads were named
	node  string // the only node, if it was named
	now   time.Time

	unknown bool // the nodes
}

// write writes the text.
func (t *text) write() error {
	for i, x := range t.Removers {
		if i == maxNodeGroups && !t.wide {
			break
		}
		t.line("%s waits for pods that cannot start: %s", cmp.Or(objects.Printable(t.node), "Every node"), cli.Names(x.Pods, len(x.Pods)))
		t.line("  they remove %v%s", x.Taint, map[bool]string{true: "; add these tolerations to them:"}[len(x.Add) > 0])
		for _, u := range x.Add {
			text, _ := u.MarshalJSON()
			t.line("    %s", text)
		}
		t.line("")
	}
	s := &t.Summary
	daemonSets, lack := t.daemonSets()
	kept := ""
	if s.NotAdmitted > 0 {
		least := map[bool]string{true: "at least "}[slices.Contains(t.Incomplete, "podGroups")]
		kept = fmt.Sprintf(" (taints or labels keep %s%d from %s)", least, s.NotAdmitted, cmp.Or(objects.Printable(t.node), "every node"))
	}
	evicted := fmt.Sprintf(" Evicted now: %d, later: %d.", s.EvictedNow, s.EvictedLater)
	if slices.Contains(t.Incomplete, "evictions") {
		evicted = " Evictions are unknown, as there are too many taints and tolerations; name pods, or use -n or -l."
	}
	if t.named > 0 && s.Finished > 0 {
		evicted += fmt.Sprintf(" Finished: %d.", s.Finished)
	}
	pending := fmt.Sprint(s.Pending) + kept
	if s.Starting > 0 {
		pending += fmt.Sprintf(", starting on a node: %d", s.Starting)
	}
	if t.unknown {
		t.line("%s, nodes unknown. Pending: %s.", cli.Count(s.Pods, "pod"), pending)
	} else {
		t.line("%s, %s. Pending: %s.%s", cli.Count(s.Pods, "pod"), cli.Count(s.Nodes, "node"), pending, evicted)
	}
	t.when(len(t.Refused) > 0, "The pods of %s are refused.", cli.Count(len(t.Refused), "workload"))
	t.when(lack > 0, "Taints keep the pods of %s from nodes.", cli.Count(lack, "DaemonSet"))
	t.when(s.Repelled > 0 && !t.wide,
		"Pods that stay, but do not tolerate a NoSchedule taint of their node: %d; new ones cannot be scheduled there. -o wide lists them.", s.Repelled)
	t.when(len(t.Returning) > 0,
		"After kubectl drain, these pods can return to their cordoned node, as they tolerate the cordon: %s.", cli.Names(t.Returning, len(t.Returning)))
	for _, x := range t.Lost {
		t.line("Unreachable, but without a NoExecute taint, so no pod is evicted: %s (%s).", cli.Names(x.Nodes, len(x.Nodes)), x.Because)
	}
	t.when(slices.Contains(t.Incomplete, "podGroups"),
		"Too many different pods and nodes: groups without numbers of nodes have only the scheduler's message. Name a pod to compare it with all nodes.")
	t.when(slices.Contains(t.Incomplete, "pools"), "Too many different pods and pools: some groups have none.")
	t.when(s.Unknown > 0, "%s could not be read.", cli.Count(s.Unknown, "object"))
	t.when(len(t.Orphaned) > 0,
		"%s orphaned, as the node does not exist: %s.", cli.Count(len(t.Orphaned), "pod"), cli.Names(t.Orphaned, len(t.Orphaned)))
	for i, x := range t.Refused {
		if i == maxGroups && !t.wide {
			t.line("\nand %s whose pods are refused; -o wide lists all", cli.Count(len(t.Refused)-i, "more workload"))
			break
		}
		last := t.at(x.At)
		if last != "" {
			last = ", the last one" + last
		}
		t.line("\n%s\n  its pods are refused%s: %s", objects.Printable(x.Workload), last, cli.Cut(x.Message, maxMessage))
	}
	if t.named > 0 {
		fmt.Fprint(t, daemonSets)
	}
	for i, g := range t.Pods {
		if i == max(maxGroups, t.named) && !t.wide {
			t.line("\nand %s; -o wide lists all", cli.Count(len(t.Pods)-i, "more group"))
			break
		}
		t.pods(g)
	}
	if t.named == 0 {
		fmt.Fprint(t, daemonSets)
	}
	t.evictions()
	t.repelled()
	return t.Flush()
}

func (t *text) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

// when writes the line if is holds.
func (t *text) when(is bool, format string, args ...any) {
	if is {
		t.line(format, args...)
	}
}

// pods describes a group of pods.
func (t *text) pods(g *PodGroup) {
	p := g.pods[0]
	t.line("\n%s", cli.Names(g.Pods, len(g.Pods)))
	if t.wide || t.named > 0 {
		another := func(q *cluster.Pod) bool { return q.Owner != p.Owner }
		t.when(p.Owner != "" && !slices.ContainsFunc(g.pods, another), "  controlled by %s", objects.Printable(p.Owner))
		added := admission.DefaultSeconds(admission.SecondsOptions{}, nil) // to every pod
		list := slices.DeleteFunc(slices.Clone(g.Tolerations), func(u toleration.Toleration) bool { return slices.Contains(added, u) })
		t.when(len(list) > 0, "  tolerations: %s", cli.Cut(list.String(), maxMessage))
	}
	switch {
	case g.Node != "":
		t.line("  bound to %s", objects.Printable(g.Node))
	case g.Condition != (cluster.Condition{}):
		text := objects.Printable(g.Condition.Reason)
		if g.Scheduler != "" && len(g.Gates) == 0 {
			text += " (" + objects.Printable(g.Scheduler) + ")"
		}
		if g.Condition.Message != "" {
			text += ": " + cli.Cut(g.Condition.Message, maxMessage)
		}
		t.line("  %s", text)
	case g.Scheduler != "":
		t.line("  waits for the scheduler %s, which has not written a message", objects.Printable(g.Scheduler))
	default:
		t.line("  the scheduler has not written a message")
	}
	t.when(len(g.Gates) > 0, "  scheduling gates: %s", cli.Names(g.Gates, len(g.Gates)))
	if g.Nodes == nil {
		sum := 0
		for _, m := range tainted.FindAllStringSubmatch(g.Condition.Message, -1) {
			n, _ := strconv.Atoi(m[1])
			sum += n
		}
		t.when(sum > 0 && t.unknown,
			"  by this message, taints keep the pods from %s; which ones is unknown without the nodes", cli.Count(sum, "node"))
	} else {
		t.admitted(g.Nodes, p.Placement, len(g.Pods))
		t.when(g.Lacks != "", "  these nodes have not enough free: %s requested", g.Lacks)
		t.when(g.NotJudged != nil, "  not judged: %s", strings.Join(g.NotJudged, ", "))
		for _, u := range g.Unmet {
			t.line("    %s: %s", cli.Cut(u.Requires, 80), cli.Cut(u.Because, maxMessage))
		}
		t.nodeGroups(g.NodeGroups)
	}
	for _, u := range g.Unused {
		label := "give these nodes a label, and select it"
		if u.Label != "" {
			label = "select " + objects.Printable(u.Label)
		}
		t.line("  tolerates %s of %s. A toleration does not attract pods; to run there, %s", objects.Printable(u.Toleration.String()), cli.Count(u.Nodes, "other node"), label)
	}
	t.pools(g)
	t.claims(g)
}

// admitted says how many nodes are admitted and selected for so many pods.
func (t *text) admitted(n *Counts, p *cluster.Placement, pods int) {
	selected, placement := n.Admitted+n.Tainted, ""
	switch {
	case p.Node != "" && pods > 1:
		placement = "; each pod selects one"
	case p.Text != "":
		placement = fmt.Sprintf("; %s selects %d", cli.Cut(p.Text, 80), selected)
	}
	if n.Unknown > 0 {
		placement += fmt.Sprintf("; %d could not be read", n.Unknown)
	}
	t.line("  taints and labels admit %d of %s%s", n.Admitted, cli.Count(selected+n.NotSelected+n.Unknown, "node"), placement)
}

// nodeGroups describes the nearest groups of nodes.
func (t *text) nodeGroups(groups []*NodeGroup) {
	rest := 0
	for _, group := range groups {
		rest += group.Count
	}
	for i, group := range groups {
		if i == maxNodeGroups && !t.wide {
			t.line("    and %s with other taints", cli.Count(rest, "more node"))
			break
		}
		rest -= group.Count
		t.nodes(group)
	}
}

// tainted matches a count of the scheduler; in older versions, there is one for each taint.
var tainted = regexp.MustCompile(`(\d+) node\(s\) had untolerated taint`)

// nodes describes a group of nodes.
func (t *text) nodes(n *NodeGroup) {
	verdict := ""
	switch {
	case n.Admitted && len(n.Taints) > 0:
		verdict = ": admitted, but other nodes are preferred"
	case n.Cordoned != "":
		verdict = ": admitted though cordoned, by the toleration " + objects.Printable(n.Cordoned)
	case len(n.Pods) > 0:
		verdict = ": " + cli.Names(n.Pods, n.Count)
	case n.Admitted:
		verdict = ": admitted"
	}
	t.line("    %s%s", cli.Names(n.Names, n.Count), verdict)
	t.taints(n.Taints)
	t.when(n.More > 0, "      and %s", cli.Count(n.More, "more taint"))
}

// taints describes untolerated taints.
func (t *text) taints(list []Taint) {
	for _, why := range list {
		add := ""
		if text, err := json.Marshal(why.Add); why.Add != nil && err == nil {
			add = "; to add: " + string(text)
		}
		t.line("      %s%s", why.Because, add)
	}
}

// at returns a time in the past and how long ago it was, empty if it is unknown.
func (t *text) at(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	text := " at " + at.Format(time.RFC3339)
	if age := t.now.Sub(at); age >= 0 {
		text += fmt.Sprintf(" (%s ago)", duration.HumanDuration(age))
	}
	return text
}

// evictions writes a table.
func (t *text) evictions() {
	if len(t.Evictions) == 0 {
		return
	}
	type row struct {
		pods []string
		text string // of the other columns
	}
	var rows []row
	for _, e := range t.Evictions {
		when := e.When
		if e.At != nil {
			when = fmt.Sprintf("%s at the earliest (in %s)", e.At.Format(time.RFC3339), duration.HumanDuration(e.At.Sub(t.now)))
			if e.When == "now" {
				when = fmt.Sprintf("now, since %s (%s)", e.At.Format(time.RFC3339), duration.HumanDuration(t.now.Sub(*e.At)))
			}
		}
		text := fmt.Sprintf("%s\t%s\t%s", objects.Printable(e.Node), when, e.Because)
		if last := len(rows) - 1; last >= 0 && rows[last].text == text && !t.wide {
			rows[last].pods = append(rows[last].pods, e.Pod)
		} else {
			rows = append(rows, row{[]string{e.Pod}, text})
		}
	}
	rest := len(t.Evictions)
	w := tabwriter.NewWriter(t, 6, 4, 3, ' ', tabwriter.RememberWidths) // as kubectl's
	fmt.Fprintln(w, "\nEVICTED PODS\tNODE\tWHEN\tWHY")
	for i, row := range rows {
		if i == maxGroups && !t.wide {
			break
		}
		rest -= len(row.pods)
		fmt.Fprintf(w, "%s\t%s\n", cli.Names(row.pods[:1], len(row.pods)), row.text)
	}
	_ = w.Flush() // the bufio.Writer keeps the error
	t.when(rest > 0, "and %s; -o wide lists all", cli.Count(rest, "more pod"))
}

// repelled writes a table.
func (t *text) repelled() {
	if len(t.Repelled) == 0 || !t.wide {
		return
	}
	w := tabwriter.NewWriter(t, 6, 4, 3, ' ', tabwriter.RememberWidths)
	fmt.Fprintln(w, "\nRUNNING PODS\tNODE\tUNTOLERATED TAINTS")
	for _, x := range t.Repelled {
		for _, pod := range x.Pods {
			fmt.Fprintf(w, "%s\t%s\t%s\n", objects.Printable(pod), objects.Printable(x.Node), cli.Cut(x.Taints.String(), maxMessage))
		}
	}
	_ = w.Flush() // the bufio.Writer keeps the error
}
