package lint

import (
	"strconv"
	"unique"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// A Cluster is told of nodes and pods, one by one and in any order, and finds
// the tolerations that no taint needs and the taints that no pod tolerates. The
// zero Cluster has neither nodes nor pods, and is ready for use.
//
// Taints that come and go of themselves (those of conditions, cordons, clouds
// and autoscalers: [condition.Passing], and those of nodes that are shut down)
// say nothing of what nodes are for: they are not told, and a toleration with
// one of their keys counts as needed. So does one without a key.
//
// It keeps each distinct taint and toleration once, so its size goes with their
// number, not with that of nodes and pods; adding a node or a pod with nothing
// new does not allocate. It must not be copied once something was added, and
// must not be used concurrently while something is.
type Cluster struct {
	taints      seen[taint.Taint]
	tolerations seen[toleration.Toleration]
}

// seen holds distinct values in the order in which they came.
type seen[V comparable] struct {
	owners int // so far
	at     map[V]int
	all    []sighting[V]
}

// A sighting is one distinct value, and where it was seen.
type sighting[V comparable] struct {
	value V
	first Place
	last  int // owner
	count int // of owners
}

// A Place is where a taint or a toleration stands: which pod or node, counted
// from 0 in the order in which they were added, and where in it.
type Place struct {
	// Owner is the number of the node or pod.
	Owner int
	// Position is that in the lists that were added together; a node's list is
	// number 0.
	match.Position
}

func (s *seen[V]) add(value, canonical V, p match.Position) {
	k, ok := s.at[canonical]
	if !ok {
		if s.at == nil {
			s.at = make(map[V]int)
		}
		s.at[canonical] = len(s.all)
		s.all = append(s.all, sighting[V]{value, Place{s.owners, p}, s.owners, 1})
		return
	}
	if one := &s.all[k]; one.last != s.owners {
		one.last = s.owners
		one.count++
	}
}

// AddNode adds a node with these taints. What nodes may yet come, such as those
// of a node pool that has none now, can be added as if they were there.
func (c *Cluster) AddNode(taints []taint.Taint) {
	for i, t := range taints {
		if !t.IsZero() {
			c.taints.add(t, t.Canonical(), match.Position{Index: i})
		}
	}
	c.taints.owners++
}

// AddPod adds a pod with these tolerations: one list, or several that match as
// one.
func (c *Cluster) AddPod(tolerations ...[]toleration.Toleration) {
	for n, list := range tolerations {
		for i, u := range list {
			if !u.IsZero() {
				c.tolerations.add(u, u.Canonical(), match.Position{List: n, Index: i})
			}
		}
	}
	c.tolerations.owners++
}

// A ClusterFinding is one thing that a rule found in a cluster. It is
// comparable.
type ClusterFinding struct {
	Rule     Rule
	Severity Severity
	// Toleration is what the finding is about when the rule is
	// UnneededToleration, else the zero one.
	Toleration toleration.Toleration
	// Taint is what it is about when the rule is UntoleratedTaint.
	Taint taint.Taint
	// First is where it was first seen: in a pod or in a node.
	First Place
	// Count is how many pods or nodes have it, in whatever spelling means the
	// same.
	Count int
	// Key is set when an unneeded toleration's key is that of some taint of the
	// cluster, so that only value or effect are others: it may be misspelt, or
	// the taint has changed.
	Key bool
}

// Findings returns what the rules find in the cluster, each distinct toleration
// and taint once: first the tolerations, then the taints, each in the order in
// which they came. Tolerations that match no taint there can be are not told;
// List finds them.
//
// It costs as much as each distinct toleration against the distinct taints of
// its key. It allocates.
func (c *Cluster) Findings(opts Options) []ClusterFinding { return c.AppendFindings(nil, opts) }

// AppendFindings appends what [Cluster.Findings] returns to dst. It allocates
// to find them.
func (c *Cluster) AppendFindings(dst []ClusterFinding, opts Options) []ClusterFinding {
	if !opts.Skip.Has(UnneededToleration) {
		dst = c.unneeded(dst)
	}
	if !opts.Skip.Has(UntoleratedTaint) {
		dst = c.untolerated(dst)
	}
	return dst
}

var passing = condition.Union(condition.Passing(), condition.MustParseClass(condition.OutOfService+","+condition.CloudShutdown))

func (c *Cluster) unneeded(dst []ClusterFinding) []ClusterFinding {
	byKey := make(map[unique.Handle[string]][]taint.Taint)
	for _, s := range c.taints.all {
		byKey[s.value.KeyHandle()] = append(byKey[s.value.KeyHandle()], s.value)
	}
	for _, s := range c.tolerations.all {
		u := s.value
		if u.KeyHandle() == anyKey || cover.Empty(u) {
			continue
		}
		if t, _ := taint.New(u.Key(), "", taint.NoSchedule); passing.Has(t) { // by its key alone
			continue
		}
		taints := byKey[u.KeyHandle()]
		if !needs(u, taints) {
			dst = append(dst, ClusterFinding{
				Rule: UnneededToleration, Severity: UnneededToleration.Severity(),
				Toleration: u, First: s.first, Count: s.count, Key: len(taints) > 0,
			})
		}
	}
	return dst
}

func needs(u toleration.Toleration, taints []taint.Taint) bool {
	for _, t := range taints {
		if u.Tolerates(t) {
			return true
		}
	}
	return false
}

func (c *Cluster) untolerated(dst []ClusterFinding) []ClusterFinding {
	byKey := make(map[unique.Handle[string]][]toleration.Toleration)
	for _, s := range c.tolerations.all {
		byKey[s.value.KeyHandle()] = append(byKey[s.value.KeyHandle()], s.value)
	}
	for _, s := range c.taints.all {
		t := s.value
		if t.Effect() == taint.PreferNoSchedule || passing.Has(t) || toleration.Index(byKey[t.KeyHandle()], t) >= 0 {
			continue
		}
		dst = append(dst, ClusterFinding{
			Rule: UntoleratedTaint, Severity: UntoleratedTaint.Severity(),
			Taint: t, First: s.first, Count: s.count,
		})
	}
	return dst
}

// Message tells the finding in a sentence. The text may change.
func (f ClusterFinding) Message() string {
	switch f.Rule {
	case UnneededToleration:
		text := "no taint of the cluster can need " + quote(f.Toleration) + " (" + several(f.Count, "pod") + ")"
		if f.Key {
			text += ": its key is there with other values or effects only"
		}
		return text
	case UntoleratedTaint:
		return "no pod tolerates " + f.Taint.String() + " by its key (" + several(f.Count, "node") + ")"
	}
	return ""
}

func several(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// String tells the finding in a line. The text may change.
func (f ClusterFinding) String() string {
	return f.Severity.String() + ": " + f.Message() + " (" + f.Rule.String() + ")"
}
