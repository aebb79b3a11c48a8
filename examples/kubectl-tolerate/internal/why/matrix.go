package why

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// What the page has at most.
const (
	maxRows    = 400
	maxColumns = 100
	maxData    = 2_900_000 // bytes
	maxFilters = 50        // of a row or column
)

//go:embed matrix.html
var page string

// A matrix is the data of the page: which pods can be scheduled to which nodes.
type matrix struct {
	Summary []string `json:"summary"`
	Rows    []*side  `json:"rows"`
	Columns []*side  `json:"columns"`
	Cells   []cell   `json:"cells"` // that differ
	Lines   []string `json:"lines"`

	*Table
	now time.Time
	ids map[string]int // of cells and lines
}

// A side is a row, which is groups of pods, or a column, which is columns of the Table; usually one.
type side struct {
	Name    string   `json:"name"`
	About   []string `json:"about"`
	Filters []string `json:"filters"`         // namespaces, or taints
	Marks   string   `json:"marks"`           // 0: no node can be used; *: has a wildcard; !: runs where it does not tolerate
	Cells   []int    `json:"cells,omitempty"` // of a row, by column

	size     int // pods, or nodes
	verdicts []byte
	parts    []int
}

// A cell is how pods are scheduled to nodes.
type cell struct {
	Verdict string `json:"verdict"`
	Pods    string `json:"pods"`  // that run there, with ! if some are evicted
	Lines   []int  `json:"lines"` // the reasons
}

// A verdict is a digit if nodes can be used: '0' and the sum of 1 if only some are selected, 2 if only wildcards
// tolerate their taints, and 4 if others are preferred.
const (
	notSelected  = '.'
	taintsRepel  = 'x'
	cordonRepels = 'c'
)

func isUsable(verdict byte) bool { return '0' <= verdict && verdict <= '7' }

// verdicts returns those of a group for each column of the Table.
func (r *Table) verdicts(g *podGroup) (list []byte) {
	for _, c := range r.columns {
		n, tolerated, cordon := g.selected[c], g.tolerated[c.index], byKey
		if c.cordoned {
			cordon = g.tolerated[len(r.Sets)]
		}
		verdict := '0' + byte(tolerated&elsewhere)
		if n < len(c.names) {
			verdict++
		}
		switch {
		case n == 0:
			verdict = notSelected
		case tolerated%elsewhere == untolerated:
			verdict = taintsRepel
		case cordon == untolerated:
			verdict = cordonRepels
		case min(tolerated%elsewhere, cordon) == byWildcard:
			verdict += 2
		}
		list = append(list, verdict)
	}
	return list
}

// writePage writes the page. It has fewer rows if its text would be too long.
func (r *Table) writePage(w io.Writer, now time.Time) error {
	r.judge.work, r.judge.temporary = 0, condition.Temporary()
	var data []byte
	var rows [][]byte
	for _, g := range r.groups[:r.compared] {
		rows = append(rows, r.verdicts(g))
	}
	for most := maxRows; data == nil || len(data) > maxData; most /= 2 {
		m := &matrix{Table: r, now: now, ids: make(map[string]int)}
		m.note("%s, %s of taints, %d cordoned, at %s.", cli.Count(r.Nodes, "node"), cli.Count(r.tainted(), "set"), r.Cordoned, now.UTC().Format(time.RFC3339))
		if r.Unknown > 0 {
			m.note("%s could not be read.", cli.Count(r.Unknown, "object"))
		}
		if n := len(r.groups) - r.compared; n > 0 {
			m.note("Too many different pods and nodes to compare all of them: %s left out.", cli.Count(n, "group"))
		}
		m.fill(rows, most)
		m.note("Evaluated are taints, tolerations, node selectors and required node affinity of pods that exist now and are not static.")
		data, _ = json.Marshal(m) // which has nothing that JSON lacks
	}
	_, err := strings.NewReplacer("{{data}}", string(data)).WriteString(w, page)
	return err
}

func (m *matrix) note(format string, args ...any) {
	m.Summary = append(m.Summary, fmt.Sprintf(format, args...))
}

// sides returns the rows or columns of these verdicts. If there are more than most, those with equal verdicts are
// merged, and then the smallest left out. Those with most that can be used are first, and equal ones together.
func (m *matrix) sides(most int, verdicts [][]byte, size func(part int) int, parts, noun string) []*side {
	of, list := make(map[string]*side), []*side{}
	for i, v := range verdicts {
		key := strconv.Itoa(i)
		if len(verdicts) > most {
			key = string(v)
		}
		x := first(of, &list, key, side{verdicts: v})
		x.parts, x.size = append(x.parts, i), x.size+size(i)
	}
	if len(list) < len(verdicts) {
		m.note("Those with equal answers are merged: %d %s are %s. Of each, the filter has at most %d names.", len(verdicts), parts, cli.Count(len(list), noun), maxFilters)
	}
	slices.SortStableFunc(list, func(a, b *side) int { return b.size - a.size })
	if n := len(list) - most; n > 0 {
		m.note("Left out: the %s with the fewest pods or nodes. Use -l or --taint for fewer nodes.", cli.Count(n, noun))
		list = list[:most]
	}
	count := func(x *side) (n int) {
		for _, v := range x.verdicts {
			n += map[bool]int{true: 1}[isUsable(v)]
		}
		return n
	}
	slices.SortStableFunc(list, func(a, b *side) int { return cmp.Or(count(b)-count(a), bytes.Compare(a.verdicts, b.verdicts)) })
	return list
}

// fill sets the rows, columns and cells.
func (m *matrix) fill(rows [][]byte, most int) {
	var columns [][]byte
	m.Rows = m.sides(most, rows, func(i int) int { return len(m.groups[i].pods) }, "groups of pods", "row")
	for i := range m.columns {
		columns = append(columns, nil)
		for _, r := range m.Rows {
			columns[i] = append(columns[i], r.verdicts[i])
		}
	}
	m.Columns = m.sides(maxColumns, columns, func(i int) int { return len(m.columns[i].names) }, "sets of taints", "column")
	at := make(map[*column]int)
	for i, x := range m.Columns {
		var names []string
		taints := make(map[string]bool)
		for _, part := range x.parts {
			c := m.columns[part]
			at[c], names = i, append(names, c.names...)
			for _, t := range c.Taints {
				taints[cli.Cut(t.String(), maxMessage)] = true
			}
			if c.cordoned {
				taints["cordoned"] = true
			}
		}
		c := m.columns[x.parts[0]]
		x.Name = cli.Cut(cmp.Or(c.Taints.String(), "no taints"), maxMessage) + map[bool]string{true: ", cordoned"}[c.cordoned] + ", " + cli.Count(x.size, "node")
		x.describe("set", taints, append([]string{cli.Count(x.size, "node") + ": " + cli.Names(names, x.size)}, c.Notes...)...)
	}
	for _, x := range m.Rows {
		on, names, namespaces := make([][]*cluster.Pod, len(m.Columns)), make(map[string]bool), make(map[string]bool)
		for _, part := range x.parts {
			g := m.groups[part]
			namespaces[objects.Printable(g.namespace)] = true
			for _, p := range g.pods {
				names[cmp.Or(p.Owner, "Pod "+p.Name)] = true
				c := m.on(p.Node)
				if i, ok := at[c]; ok {
					on[i] = append(on[i], p)
				}
				if c != nil && g.tolerated[c.index]%elsewhere == untolerated && !strings.Contains(x.Marks, "!") {
					x.Marks += "!"
				}
			}
			if slices.ContainsFunc(g.pods[0].Tolerations, func(u toleration.Toleration) bool { return u.Key() == "" }) {
				x.Marks += "*"
			}
		}
		g, sorted := m.groups[x.parts[0]], slices.Sorted(maps.Keys(names))
		x.Name = cli.Cut(strings.TrimPrefix(g.namespace+": ", ": ")+sorted[0], 200) + map[bool]string{true: fmt.Sprintf(" and %d more", len(sorted)-1)}[len(sorted) > 1]
		if !slices.ContainsFunc(x.verdicts, isUsable) {
			x.Marks += "0"
		}
		x.describe("group", namespaces, cli.Count(x.size, "pod")+": "+cli.Names(sorted, len(sorted)), "tolerations: "+cli.Cut(cmp.Or(g.tolerations, "none"), maxMessage),
			"selects: "+cli.Cut(cmp.Or(g.placement.Text, "any node"), maxMessage)+map[bool]string{true: "; the node affinity of the DaemonSet is unknown"}[g.daemon])
		for i, c := range m.Columns {
			x.Cells = append(x.Cells, m.cell(x, c, on[i]))
		}
	}
}

// describe sets the filters and the text, also of how many groups or sets were merged.
func (x *side) describe(noun string, filters map[string]bool, about ...string) {
	all := slices.Sorted(maps.Keys(filters))
	x.Filters, x.About = append([]string{}, all[:min(len(all), maxFilters)]...), about
	if n := len(x.parts) - 1; n > 0 {
		x.Name += " and " + cli.Count(n, "more "+noun)
		x.About = append(x.About, "The reasons are those of the first "+noun+".")
	}
}

// cell returns the index of a cell, where these pods run.
func (m *matrix) cell(x, y *side, on []*cluster.Pod) int {
	g, c := m.groups[x.parts[0]], m.columns[y.parts[0]]
	list, n, selected, evicted := g.pods[0].Tolerations, match.Node{Taints: c.Taints, Unschedulable: c.cordoned}, 0, 0
	for _, part := range y.parts {
		selected += g.selected[m.columns[part]]
	}
	var b bytes.Buffer
	t := text{Writer: bufio.NewWriter(&b)}
	if verdict := x.verdicts[y.parts[0]]; verdict == notSelected {
		t.line("none of %s has what the pods select: %s", cli.Count(y.size, "node"), g.placement.Text)
	} else if err := m.judge.spend((1 + len(n.Taints)) * (listWork + len(list))); err != nil {
		t.line("the reason is unknown: %v", err)
	} else {
		admitted, untolerated := admits(match.Compile(list), n)
		group := &NodeGroup{Names: []string{fmt.Sprintf("%d of %s", selected, cli.Count(y.size, "node"))}, Count: 1, Admitted: admitted}
		m.judge.explain(group, &PodGroup{Tolerations: list, wants: g.wants}, untolerated)
		t.nodes(group)
		n.Taints = n.Taints[:min(len(n.Taints), maxTaints)]
		for e := range n.Explanations(toleration.First, list) {
			t.when(admitted && e.Mismatch == 0, "%v", e)
		}
	}
	by := make(map[string][]*Eviction)
	for _, p := range on {
		e, n := &Eviction{}, m.judge.byName[p.Node]
		if err := m.judge.spend(1 + len(n.Taints)*(1+len(p.Tolerations))); err != nil {
			e.When, e.Because = "perhaps", err.Error()
		} else if !p.Terminating {
			e.decide(cluster.Observed(n.Taints, m.now), p, n, m.judge.temporary, m.now)
		}
		if e.When != "" {
			by[e.When+e.Because] = append(by[e.When+e.Because], e)
			evicted++
		}
	}
	if n := len(on) - evicted; n > 0 {
		t.line("run there, and stay: %s", cli.Count(n, "pod"))
	}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		slices.SortFunc(by[key], func(a, b *Eviction) int { return a.due.Compare(b.due) })
		first, last, times := by[key][0], by[key][len(by[key])-1], ""
		if first.At != nil && last.At != nil {
			times = fmt.Sprintf(" (%s to %s)", first.At.Format(time.RFC3339), last.At.Format(time.RFC3339))
		}
		t.line("run there, evicted %s%s: %s; %s", first.When, times, cli.Count(len(by[key]), "pod"), first.Because)
	}
	_ = t.Flush() // the buffer grows
	z := cell{Verdict: string(x.verdicts[y.parts[0]]), Lines: []int{}}
	if len(on) > 0 {
		z.Pods = strconv.Itoa(len(on)) + map[bool]string{true: "!"}[evicted > 0]
	}
	for line := range strings.Lines(b.String()) {
		z.Lines = append(z.Lines, id(m, &m.Lines, cli.Cut(strings.TrimSpace(line), 2*maxMessage)))
	}
	return id(m, &m.Cells, z)
}

// id returns the index of a value in a list, to which it is added if it is new.
func id[T any](m *matrix, list *[]T, value T) int {
	key := fmt.Sprintf("%T%v", value, value)
	at, ok := m.ids[key]
	if !ok {
		at, m.ids[key], *list = len(*list), len(*list), append(*list, value)
	}
	return at
}
