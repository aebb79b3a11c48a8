package why

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Beyond these, a report has numbers: of a group's reasons, of taints of the nearest nodes,
// of names in the text, and of groups and pods in the text.
const (
	maxReasons = 5
	maxTaints  = 10
	maxNames   = 5
	maxGroups  = 20
	maxCells   = 1 << 20 // in JSON
)

// A Report is the output in JSON and YAML. Fields may be added. What is empty is omitted,
// except numbers and the lists here.
type Report struct {
	Summary   Summary      `json:"summary"`
	Pods      []*PodGroup  `json:"podGroups"` // those that wait first
	Nodes     []*NodeGroup `json:"nodeGroups"`
	Evictions []*Eviction  `json:"evictions"`
	Unknown   []Unknown    `json:"unknown"`

	judge *judge
	only  string // the node that was named; there are no others
}

// A Summary has numbers of nodes and pods. Finished pods are not evaluated.
type Summary struct {
	Nodes             int `json:"nodes"`
	Pods              int `json:"pods"`
	Finished          int `json:"finished"`
	Waiting           int `json:"waiting"`
	CannotBeScheduled int `json:"cannotBeScheduled"` // of those that wait
	EvictedNow        int `json:"evictedNow"`
	EvictedLater      int `json:"evictedLater"`
	Unknown           int `json:"unknown"` // pods and nodes that could not be read
}

// A NodeGroup is nodes whose taints have the same effect on every pod.
type NodeGroup struct {
	Nodes    []string   `json:"nodes"`
	Taints   taint.List `json:"taints,omitempty"`
	Cordoned bool       `json:"cordoned,omitempty"`
}

// A PodGroup is pods with the same tolerations and placement. Those that wait are in groups
// of their own.
type PodGroup struct {
	Pods              []string        `json:"pods"`
	Waiting           bool            `json:"waiting,omitempty"`
	CannotBeScheduled bool            `json:"cannotBeScheduled,omitempty"`
	Tolerations       toleration.List `json:"tolerations,omitempty"`
	Placement         json.RawMessage `json:"placement,omitempty"` // the node selector and the required node affinity
	Nodes             Counts          `json:"nodes"`
	Reasons           []match.Reason  `json:"reasons,omitempty"` // the most frequent
	MoreReasons       int             `json:"moreReasons,omitempty"`
	Nearest           *Nearest        `json:"nearest,omitempty"`
	Verdicts          []Verdict       `json:"verdicts,omitempty"` // by node group; of one with several, the best

	group     *podGroup
	placement string
}

// Counts are numbers of nodes.
type Counts struct {
	Can         int `json:"can"`
	PreferNot   int `json:"preferNot"`   // only PreferNoSchedule taints are untolerated
	Cannot      int `json:"cannot"`      // for untolerated taints
	NotSelected int `json:"notSelected"` // by the placement
	Unknown     int `json:"unknown"`     // their taints could not be read
}

// A Verdict is what the nodes of a group are to the pods of a group.
type Verdict string

// The verdicts, as in [Counts].
const (
	Can         Verdict = "can"
	PreferNot   Verdict = "preferNot"
	Cannot      Verdict = "cannot"
	NotSelected Verdict = "notSelected"
)

// A Nearest is the nodes that lack the fewest tolerations of a pod that cannot be scheduled.
type Nearest struct {
	Nodes      int             `json:"nodes"`
	Names      []string        `json:"names"` // of some
	Taints     []Miss          `json:"taints"`
	MoreTaints int             `json:"moreTaints,omitempty"`
	Add        toleration.List `json:"add"`
}

// A Miss is why a taint is not tolerated.
type Miss struct {
	Explanation match.Explanation `json:"explanation"`
	Misspelt    string            `json:"misspelt,omitempty"`  // the toleration that has a similar key
	Temporary   bool              `json:"temporary,omitempty"` // the taint is removed when the node is ready
}

// An Eviction is when a running pod is evicted.
type Eviction struct {
	Pod     string     `json:"pod"`
	Node    string     `json:"node"`
	When    When       `json:"when"`
	At      *time.Time `json:"at,omitempty"` // now: since when it is due
	Taint   string     `json:"taint,omitempty"`
	Because string     `json:"because"`
}

// When is when a pod is evicted.
type When string

// The values of When.
const (
	Now             When = "now"
	Later           When = "later"
	EvictionUnknown When = "unknown"
)

// An Unknown is an object that could not be read.
type Unknown struct {
	Object  string `json:"object"`
	Because string `json:"because"`
}

// newReport evaluates the cluster: of the groups of pods those that wait and as many
// others. It has verdicts if they are requested.
func newReport(c *cluster.Cluster, now time.Time, others int, verdicts bool) (*Report, error) {
	j := newJudge(c, now)
	r := &Report{judge: j, Pods: []*PodGroup{}, Nodes: []*NodeGroup{}, Evictions: []*Eviction{}, Unknown: []Unknown{}}
	r.Summary.Nodes = len(c.Nodes)
	for _, g := range j.nodes {
		names := make([]string, len(g.nodes))
		for i, n := range g.nodes {
			names[i] = n.Name
		}
		r.Nodes = append(r.Nodes, &NodeGroup{names, g.Taints, g.Unschedulable})
	}
	if verdicts && len(j.nodes)*len(j.pods) > maxCells {
		return nil, errWork
	}
	for _, g := range j.pods {
		if !g.waiting {
			if others--; others < 0 {
				continue
			}
		}
		p, err := j.evaluate(g, verdicts)
		if err != nil {
			return nil, err
		}
		if p.CannotBeScheduled {
			r.Summary.CannotBeScheduled += len(p.Pods)
		}
		r.Pods = append(r.Pods, p)
	}
	slices.SortStableFunc(r.Pods, func(a, b *PodGroup) int { return b.urgency() - a.urgency() })
	for _, p := range c.Pods {
		switch {
		case p.Finished():
			r.Summary.Finished++
			continue
		case p.Err != nil:
			r.unknown("Pod "+p.FullName(), p.Err)
		case p.Waits():
			r.Summary.Waiting++
		}
		r.Summary.Pods++
		e, err := j.evict(p)
		if err != nil {
			return nil, err
		}
		if e != nil {
			r.Evictions = append(r.Evictions, e)
			switch e.When {
			case Now:
				r.Summary.EvictedNow++
			case Later:
				r.Summary.EvictedLater++
			}
		}
	}
	slices.SortStableFunc(r.Evictions, (*Eviction).compare)
	for _, n := range c.Nodes {
		if n.Err != nil {
			r.unknown("Node "+n.Name, n.Err)
		}
	}
	r.Summary.Unknown = len(r.Unknown)
	return r, nil
}

func (r *Report) unknown(object string, err error) {
	if err != nil {
		r.Unknown = append(r.Unknown, Unknown{object, err.Error()})
	}
}

// to ends what is said of the only node.
func (r *Report) to() string {
	if r.only == "" {
		return ""
	}
	return " to " + objects.Printable(r.only)
}

// fits returns on how many nodes the pods can be scheduled.
func (g *PodGroup) fits() int { return g.Nodes.Can + g.Nodes.PreferNot }

// stuck reports whether the pods wait and it is not known that they can be scheduled.
func (g *PodGroup) stuck() bool { return g.CannotBeScheduled || g.Waiting && g.fits() == 0 }

func (g *PodGroup) urgency() int {
	switch {
	case g.stuck():
		return 2
	case g.Waiting:
		return 1
	}
	return 0
}

// compare orders evictions that are due, and then those that are next.
func (e *Eviction) compare(f *Eviction) int {
	order := []When{Now, Later, EvictionUnknown}
	return cmp.Or(slices.Index(order, e.When)-slices.Index(order, f.When), e.due().Compare(f.due()))
}

// due returns e.At, or a time after all others.
func (e *Eviction) due() time.Time {
	if e.At == nil {
		return time.Unix(1<<40, 0)
	}
	return *e.At
}
