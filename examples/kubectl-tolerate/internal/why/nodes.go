package why

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/liggitt/tabwriter"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/go-tolerate/tolerate/examples/internal/remover"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Table is the output of the command nodes in JSON and YAML. Fields may be added.
type Table struct {
	Nodes      int         `json:"nodes"`
	Cordoned   int         `json:"cordoned"`   // nodes
	Sets       []*TaintSet `json:"sets"`       // what is odd is first
	Incomplete bool        `json:"incomplete"` // the sets lack their Use, as it would take too long
	Unknown    int         `json:"unknown"`    // nodes and pods that could not be read

	judge    *judge
	columns  []*column
	groups   []*podGroup               // the largest first
	compared int                       // of the groups
	on       func(node string) *column // nil if it is in none
}

// A column is the nodes of a set that are cordoned, or those that are not.
type column struct {
	*TaintSet
	cordoned bool
	names    []string
}

// A podGroup is pods with the same namespace, tolerations and placement.
type podGroup struct {
	wants
	namespace string
	pods      []*cluster.Pod
	tolerated []how           // the taints of each set, and that of a cordon
	selected  map[*column]int // nodes
}

// A TaintSet is the nodes with the same taints. Pods that have ended do not count.
type TaintSet struct {
	Taints   taint.List `json:"taints"` // except that of a cordon
	Nodes    []string   `json:"nodes"`
	Since    *time.Time `json:"since,omitempty"` // the oldest time added, if one is known
	Cordoned int        `json:"cordoned"`
	Pods     int        `json:"pods"` // that run there
	*Use
	Notes []string `json:"notes"` // what is odd

	index int         // of the sets
	best  []how       // of any pod, for each taint
	old   taint.Taint // the oldest temporary one
	odd   int         // by the notes, for the order
}

// A Use is how pods tolerate the taints of a set.
type Use struct {
	NotTolerating int `json:"notTolerating"` // pods that run there, except static ones
	Workloads     int `json:"workloads"`     // that could be scheduled there: controllers, and pods without one
	ByWildcard    int `json:"byWildcard"`    // of these, only by tolerations without a key
}

// A how is how taints are tolerated.
type how byte

const (
	untolerated how = iota
	byWildcard
	byKey
	elsewhere how = 4 // is added if a taint with PreferNoSchedule is untolerated
)

// NewNodesCommand returns the command that shows the taints of a cluster.
func NewNodesCommand(env *cli.Env) *cobra.Command {
	var from cluster.Options
	var only taint.Selector
	var selector, output string
	c := &cobra.Command{
		Use:   "nodes",
		Short: "Show the taints of the nodes, and how many pods and workloads tolerate them",
		Long: `Show a table of the nodes, with a row for each set of taints:

  SINCE           the age of the oldest of these taints; kubectl taint sets no time
  CORDONED        nodes; the taint of a cordon is in no set
  PODS            that run there
  NOT TOLERATING  of these, those that do not tolerate a NoSchedule or NoExecute taint, such as
                  pods that are older than it; static pods do not count
  WORKLOADS       that could be scheduled there without a cordon: ReplicaSets and other
                  controllers of pods, and pods without a controller
  BY WILDCARD     of these, those that could not without tolerations that have no key
  NOTE            what is odd

What is odd is first: a temporary taint, such as node.kubernetes.io/unreachable, that is an hour
old; a taint that is not temporary and that no workload tolerates, or only wildcards (which are
enough for a control plane); and taints that only one node has.

With -o html, the output is a page for a browser, which makes no request: a row for each group of
pods with the same namespace, tolerations and node selection, a column for each set of taints and
cordon, and the reason of each cell. It has at most 400 rows, 100 columns and 3 MB.

Evaluated are taints, tolerations, node selectors and required node affinity of the pods of all
namespaces that have not ended. Resources, ports and topology are not.

The exit status is 2 if nodes or pods cannot be read.`,
		Example: `  # The names of all nodes with a taint of a key
  kubectl tolerate nodes --taint dedicated -o wide

  # The nodes of a pool
  kubectl tolerate nodes -l pool=gpu

  # Which pods can be scheduled to which nodes, as a page
  kubectl tolerate nodes -o html > nodes.html

  # From files
  kubectl get nodes,pods -A -o json | kubectl tolerate nodes -f -`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			return hint(nodes(c.Context(), env, &from, only, selector, output))
		},
	}
	c.Flags().StringVarP(&selector, "selector", "l", "", "Selector (label query) of the nodes")
	c.Flags().TextVar(&only, "taint", taint.Selector{}, "Only nodes with one of these taints, such as 'dedicated,example.com/*'; with ! before it, a pattern is an exception")
	from.AddFlags(c)
	cli.OutputFlag(c, &output, "wide", "json", "yaml", "html")
	return c
}

func nodes(ctx context.Context, env *cli.Env, from *cluster.Options, only taint.Selector, selector, output string) error {
	labelled, err := labels.Parse(selector)
	if err != nil {
		return err
	}
	c, err := cluster.Read(ctx, env, from)
	if err != nil {
		return err
	}
	found := c.Report(env)
	if c.NodesErr != nil {
		return c.NodesErr
	}
	all := len(c.Nodes)
	c.Nodes = slices.DeleteFunc(c.Nodes, func(n *cluster.Node) bool {
		has := only.IsZero() || slices.ContainsFunc(n.Taints, only.Has) || n.Unschedulable && only.Has(match.CordonTaint())
		return n.Err == nil && !(has && labelled.Matches(labels.Set(n.Labels)))
	})
	for _, p := range c.Pods {
		if output == "html" && strings.HasPrefix(p.Owner, "DaemonSet ") {
			p.Placement = c.AnyNode(p.Placement)
		}
	}
	r := newTable(c, env.Now(), len(c.Nodes) == all)
	switch output {
	case "json", "yaml":
		err = env.Print(output, r)
	case "html":
		err = r.writePage(env.Out, env.Now())
	default:
		err = r.write(&text{Writer: bufio.NewWriter(env.Out), wide: output == "wide", now: env.Now()})
	}
	return cmp.Or(err, found)
}

func newTable(c *cluster.Cluster, now time.Time, all bool) *Table {
	r := &Table{Nodes: len(c.Nodes), Sets: []*TaintSet{}}
	var pods []*cluster.Pod // that are not static
	for _, p := range c.Pods {
		switch {
		case p.Finished():
		case p.Err != nil:
			r.Unknown++
		case !p.Static:
			pods = append(pods, p)
		}
	}
	known := r.Unknown == 0 && len(pods) > 0 // what tolerates the taints
	r.judge = newJudge(c, pods)
	r.Unknown += r.judge.unread
	r.addSets(r.judge)
	for _, p := range c.Pods {
		if s := r.on(p.Node); s != nil && !p.Finished() {
			s.Pods++
		}
	}
	r.group(pods)
	r.Incomplete = r.compare(r.judge) != nil || r.count(r.judge) != nil
	for _, s := range r.Sets {
		if r.Incomplete {
			s.Use = nil
		}
		s.note(now, known && !r.Incomplete, r.Nodes, all)
	}
	slices.SortFunc(r.Sets, func(a, b *TaintSet) int {
		return cmp.Or(b.odd-a.odd, min(len(b.Taints), 1)-min(len(a.Taints), 1), len(b.Nodes)-len(a.Nodes), slices.CompareFunc(a.Taints, b.Taints, taint.Taint.Compare))
	})
	return r
}

// addSets adds the sets, and what depends on nodes alone.
func (r *Table) addSets(j *judge) {
	of, sets, columns := make(map[*class]*column), make(map[string]*TaintSet), make(map[string]*column)
	r.on = func(node string) *column { return of[j.classOf[j.byName[node]]] }
	isCordon := func(t taint.Taint) bool { return t.Canonical() == match.CordonTaint() }
	for _, c := range j.classes {
		taints := slices.DeleteFunc(append(taint.List{}, c.Taints...), isCordon)
		s := first(sets, &r.Sets, taints.String(), TaintSet{Taints: taints, Use: &Use{}, Notes: []string{}, index: len(r.Sets), best: make([]how, len(taints))})
		cordoned := c.Unschedulable || len(taints) < len(c.Taints)
		if cordoned {
			s.Cordoned += len(c.nodes)
			r.Cordoned += len(c.nodes)
		}
		of[c] = first(columns, &r.columns, fmt.Sprint(cordoned, taints), column{TaintSet: s, cordoned: cordoned})
		for _, n := range c.nodes {
			of[c].names = append(of[c].names, n.Name)
			s.Nodes = append(s.Nodes, n.Name)
			for _, t := range n.Taints {
				added := t.TimeAdded()
				if added.IsZero() || isCordon(t) {
					continue
				}
				if s.Since == nil || added.Before(*s.Since) {
					s.Since = &added
				}
				if condition.Temporary().Has(t) && (s.old.IsZero() || added.Before(s.old.TimeAdded())) {
					s.old = t
				}
			}
		}
	}
	for _, s := range r.Sets {
		slices.Sort(s.Nodes)
	}
}

// group adds the groups of pods.
func (r *Table) group(pods []*cluster.Pod) {
	type key struct {
		wants
		namespace string
	}
	groups := make(map[key]*podGroup)
	for _, p := range pods {
		kind, owner, _ := strings.Cut(p.Owner, " ")
		w := wants{p.Tolerations.String(), "", kind == "DaemonSet", remover.Running(kind, owner), p.Placement}
		g := first(groups, &r.groups, key{w, p.Namespace}, podGroup{wants: w, namespace: p.Namespace})
		g.pods = append(g.pods, p)
	}
	slices.SortStableFunc(r.groups, func(a, b *podGroup) int { return len(b.pods) - len(a.pods) })
}

// compare sets how the groups tolerate the taints, and which nodes they select.
func (r *Table) compare(j *judge) error {
	tolerated, selected := make(map[string][]how), make(map[*cluster.Placement]map[*column]int)
	cordon := &TaintSet{Taints: taint.List{match.CordonTaint()}, best: make([]how, 1)}
	for _, g := range r.groups {
		if tolerated[g.tolerations] == nil {
			list := slices.Clone(g.pods[0].Tolerations) // those without a key are last
			slices.SortStableFunc(list, func(a, b toleration.Toleration) int { return min(len(b.Key()), 1) - min(len(a.Key()), 1) })
			for _, s := range append(r.Sets[:len(r.Sets):len(r.Sets)], cordon) {
				if err := j.spend(1 + len(s.Taints)*(1+len(list))); err != nil {
					return err
				}
				worst, preferred := byKey, how(0)
				for i, t := range s.Taints {
					this, m := byKey, list.Match(t)
					switch {
					case t.Effect() == taint.PreferNoSchedule && m < 0:
						preferred = elsewhere
					case t.Effect() == taint.PreferNoSchedule:
					case m < 0:
						this = untolerated
					case list[m].Key() == "":
						this = byWildcard
					}
					worst, s.best[i] = min(worst, this), max(s.best[i], this)
				}
				tolerated[g.tolerations] = append(tolerated[g.tolerations], worst+preferred)
			}
		}
		if selected[g.placement] == nil {
			nodes := make(map[*column]int)
			if name := g.placement.Node; name != "" {
				if c := r.on(name); c != nil && g.placement.Admits(j.byName[name]) {
					nodes[c] = 1
				}
			} else {
				classes, err := j.selected(g.placement)
				if err != nil {
					return err
				}
				for _, c := range classes {
					nodes[r.on(c.nodes[0].Name)] += len(c.nodes)
				}
			}
			selected[g.placement] = nodes
		}
		g.tolerated, g.selected = tolerated[g.tolerations], selected[g.placement]
		r.compared++
	}
	return nil
}

// count counts the pods that do not tolerate the taints where they run, and the workloads that
// could be scheduled to the nodes of each set.
func (r *Table) count(j *judge) error {
	workloads := make(map[cluster.Owner][]*podGroup)
	for _, g := range r.groups {
		for _, p := range g.pods {
			if s := r.on(p.Node); s != nil && g.tolerated[s.index]%elsewhere == untolerated {
				s.NotTolerating++
			}
			w := cluster.Owner{Namespace: p.Namespace, Name: cmp.Or(p.Owner, strconv.Itoa(len(workloads)))}
			if of := workloads[w]; len(of) == 0 || of[len(of)-1] != g {
				workloads[w] = append(of, g)
			}
		}
	}
	best := make([]how, len(r.Sets))
	for _, groups := range workloads {
		clear(best)
		for _, g := range groups {
			if err := j.spend(1 + (len(best)+len(g.selected))/16); err != nil {
				return err
			}
			for c := range g.selected {
				best[c.index] = max(best[c.index], g.tolerated[c.index]%elsewhere)
			}
		}
		for i, b := range best {
			r.Sets[i].Workloads += int(min(b, 1))
			r.Sets[i].ByWildcard += int(b & byWildcard)
		}
	}
	return nil
}

// note adds what is odd, of so many nodes, which are perhaps all. Known is whether it is known how the taints are tolerated.
func (s *TaintSet) note(now time.Time, known bool, nodes int, all bool) {
	add := func(odd int, format string, args ...any) {
		s.odd |= odd
		s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
	}
	if age := now.Sub(s.old.TimeAdded()); !s.old.IsZero() && age >= time.Hour {
		add(4, "%v is temporary, but %s old", s.old.Canonical(), duration.HumanDuration(age))
	}
	var lack [byKey][]string
	for i, t := range s.Taints {
		if b := s.best[i]; b != byKey && !condition.Temporary().Has(t) && (b == untolerated || !roles.Has(t)) {
			lack[b] = append(lack[b], t.String())
		}
	}
	for b, who := range []string{"no workload tolerates", "only wildcards tolerate"} {
		if n := len(lack[b]); n > 0 && known {
			add(2, "%s %s", who, cli.Names(lack[b], n))
		}
	}
	if len(s.Nodes) == 1 && len(s.Taints) > 0 && nodes > 1 {
		add(1, "only 1 of %s%d nodes has these taints", map[bool]string{false: "these "}[all], nodes)
	}
}

// tainted returns the number of sets that have taints.
func (r *Table) tainted() int {
	return len(slices.DeleteFunc(slices.Clone(r.Sets), func(s *TaintSet) bool { return len(s.Taints) == 0 }))
}

// write writes the table for people.
func (r *Table) write(t *text) error {
	t.line("%s, %s of taints, %d cordoned.", cli.Count(r.Nodes, "node"), cli.Count(r.tainted(), "set"), r.Cordoned)
	t.when(r.Unknown > 0, "%s could not be read.", cli.Count(r.Unknown, "object"))
	t.when(r.Incomplete, "Too many different pods and nodes to compare all of them: ? is unknown. Use -l or --taint for fewer nodes.")
	if len(r.Sets) == 0 {
		return t.Flush()
	}
	names := map[bool]string{true: "\tNAMES"}[t.wide]
	w := tabwriter.NewWriter(t, 6, 4, 3, ' ', tabwriter.RememberWidths) // as kubectl's
	fmt.Fprintf(w, "\nTAINTS\tNODES\tSINCE\tCORDONED\tPODS\tNOT TOLERATING\tWORKLOADS\tBY WILDCARD\tNOTE%s\n", names)
	for _, s := range r.Sets {
		since, nodes := "", strconv.Itoa(len(s.Nodes))
		switch {
		case s.Since != nil:
			since = duration.HumanDuration(t.now.Sub(*s.Since))
		case len(s.Taints) > 0:
			since = "unknown"
		}
		if t.wide {
			names = "\t" + objects.Printable(strings.Join(s.Nodes, ", "))
		} else {
			nodes += ": " + cli.Cut(cli.Names(s.Nodes[:min(len(s.Nodes), 2)], len(s.Nodes)), 100)
		}
		use := "?\t?\t?"
		if s.Use != nil {
			use = fmt.Sprintf("%d\t%d\t%d", s.NotTolerating, s.Workloads, s.ByWildcard)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\t%s%s\n", cli.Cut(cmp.Or(s.Taints.String(), "<none>"), maxMessage), nodes, since, s.Cordoned, s.Pods,
			use, cli.Cut(strings.Join(s.Notes, "; "), maxMessage), names)
	}
	_ = w.Flush() // the bufio.Writer keeps the error
	t.when(!r.Incomplete,
		"\nEvaluated are taints, tolerations, node selectors and required node affinity of pods that exist now%s.", map[bool]string{true: ", not cordons"}[r.Cordoned > 0])
	return t.Flush()
}
