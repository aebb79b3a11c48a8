package admission

import (
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// Dedicated is what ties a workload to the nodes that bear a taint, in the
// API's JSON shape. The taint alone keeps others away from these nodes; label
// and affinity, or node selector, keep the workload from all other nodes.
type Dedicated struct {
	// Toleration is for the pods' spec.tolerations.
	Toleration toleration.Toleration `json:"toleration,omitzero"`
	// Labels holds one label: for metadata.labels of the nodes, and for
	// spec.nodeSelector of the pods where that is preferred to affinity.
	Labels map[string]string `json:"labels,omitempty"`
	// NodeSelectorTerm is for the pods' nodeSelectorTerms under
	// spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.
	NodeSelectorTerm NodeSelectorTerm `json:"nodeSelectorTerm,omitzero"`
}

// A NodeSelectorTerm selects the nodes whose labels meet all requirements.
type NodeSelectorTerm struct {
	MatchExpressions []NodeSelectorRequirement `json:"matchExpressions,omitempty"`
}

// A NodeSelectorRequirement is about one label of a node.
type NodeSelectorRequirement struct {
	Key string `json:"key"`
	// Operator is In or Exists, as far as this package makes them.
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// Dedicate returns what ties a workload to the nodes that bear the taint: for
// dedicated=gpu:NoSchedule the toleration of just that taint, the label
// dedicated=gpu and the term "dedicated In [gpu]". Seconds there are none, so
// nodes may be tainted with NoExecute.
//
// A taint without a value, such as
// node-role.kubernetes.io/control-plane:NoSchedule, marks a role by its key
// alone: the toleration and the term have the operator Exists, and the label is
// empty. Nodes with other values of that key are then meant too; who dedicates
// nodes to several groups gives each a value.
//
// For the zero Taint it returns the zero Dedicated.
func Dedicate(t taint.Taint) Dedicated {
	if t.IsZero() {
		return Dedicated{}
	}
	d := Dedicated{Labels: map[string]string{t.Key(): t.Value()}}
	requirement := NodeSelectorRequirement{Key: t.Key(), Operator: "Exists"}
	if t.Value() == "" {
		d.Toleration = exists(t.Key(), t.Effect())
	} else {
		d.Toleration = equal(t)
		requirement.Operator, requirement.Values = "In", []string{t.Value()}
	}
	d.NodeSelectorTerm.MatchExpressions = []NodeSelectorRequirement{requirement}
	return d
}

// equal returns the toleration of that taint and no other.
func equal(t taint.Taint) toleration.Toleration {
	u, _ := toleration.New(t.Key(), toleration.Equal, t.Value(), t.Effect()) // what a taint has, a toleration may have
	return u
}

// DerivedOptions says how tolerations are derived from taints. The zero value
// is for a workload that is to run on such nodes in their usual state, and on
// no others that it need not.
type DerivedOptions struct {
	// Exists gives one toleration for each key, of all its values and effects.
	Exists bool
	// Passing includes taints that come and go by themselves: of a node's
	// conditions, its cordon, its start in a cloud, and autoscalers at work.
	Passing bool
}

// Derived returns what a pod lacks to tolerate the nodes' taints: for each
// distinct key, value and effect the toleration with the operator Equal,
// without seconds, sorted by [toleration.Toleration.Compare], unless a single
// toleration of the pod covers it. A list of taints is that of a node; several
// may have the same. The order of the nodes, and of their taints, does not
// matter. A taint that the pod tolerates for some seconds only gets a
// toleration too, though by [toleration.First] the pod's still decides.
//
// Passing taints, such as those of a node's conditions, get none unless the
// options ask for it.
//
// It is O(t·(m + log d)) for t taints, m tolerations of the pod and d that are
// returned. It allocates the result, and for more than 32 some room to make it.
func Derived(opts DerivedOptions, nodes [][]taint.Taint, pod ...[]toleration.Toleration) []toleration.Toleration {
	var room [leastSorted]toleration.Toleration
	return copied(AppendDerived(room[:0], opts, nodes, pod...))
}

// leastSorted is how many tolerations are gathered before they are sorted, so
// that repeats do not pile up.
const leastSorted = 64

// AppendDerived appends what [Derived] returns to dst. It does not allocate
// when dst has room for 64, and for twice as many as it appends.
func AppendDerived(dst []toleration.Toleration, opts DerivedOptions, nodes [][]taint.Taint, pod ...[]toleration.Toleration) []toleration.Toleration {
	start, limit := len(dst), leastSorted
	for _, taints := range nodes {
		for _, t := range taints {
			if t.IsZero() || !opts.Passing && condition.Passing().Has(t) {
				continue
			}
			var u toleration.Toleration
			if opts.Exists {
				u = exists(t.Key(), 0)
			} else {
				u = equal(t)
			}
			if covered(pod, u) {
				continue
			}
			if len(dst)-start == limit {
				dst = sorted(dst, start)
				limit = max(leastSorted, 2*(len(dst)-start))
			}
			dst = append(dst, u)
		}
	}
	return sorted(dst, start)
}
