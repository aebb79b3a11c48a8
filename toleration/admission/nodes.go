package admission

import (
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Dedicated binds a workload to the nodes that have a taint. The taint
// repels other pods; a label and node affinity keep the workload off other
// nodes.
type Dedicated struct {
	// Toleration is for the pods.
	Toleration toleration.Toleration `json:"toleration,omitzero"`
	// Labels are for the nodes, and can be the pods' nodeSelector.
	Labels map[string]string `json:"labels,omitempty"`
	// Key and Values are a requirement of the pods' node affinity, with the operator
	// In, or Exists if there are no Values.
	Key    string   `json:"key,omitempty"`
	Values []string `json:"values,omitempty"`
}

// Dedicate returns the Dedicated of the taint, zero for the zero Taint. For
// dedicated=gpu:NoSchedule it has the toleration of exactly this taint, the label
// dedicated=gpu, the key dedicated and the value gpu. A taint without a value, such
// as node-role.kubernetes.io/control-plane:NoSchedule, marks a role by its key: the
// toleration has the operator Exists, and there are no Values.
func Dedicate(t taint.Taint) Dedicated {
	if t.IsZero() {
		return Dedicated{}
	}
	d := Dedicated{Labels: map[string]string{t.Key(): t.Value()}, Key: t.Key()}
	if t.Value() == "" {
		d.Toleration = exists(t.Key(), t.Effect())
	} else {
		d.Toleration, d.Values = equal(t), []string{t.Value()}
	}
	return d
}

// equal returns the toleration of that taint and no other.
func equal(t taint.Taint) toleration.Toleration {
	u, _ := toleration.New(t.Key(), toleration.Equal, t.Value(), t.Effect()) // valid, as the taint is
	return u
}

// DerivedOptions are options of [Derived].
type DerivedOptions struct {
	// Exists derives one toleration for each key, with the operator Exists and no
	// effect.
	Exists bool
	// Passing includes the temporary taints that [condition.Temporary] selects.
	Passing bool
}

// Derived returns the tolerations that a pod lacks to tolerate the taints of the
// nodes: for each distinct key, value and effect the toleration with the operator
// Equal, unless a single toleration of the pod covers it. The result is sorted by
// [toleration.Toleration.Compare]. A taint that the pod tolerates for some seconds
// gets a toleration too, but by [toleration.First] the pod's still decides.
func Derived(nodes []taint.List, opts DerivedOptions, pod ...toleration.List) toleration.List {
	var room [leastSorted]toleration.Toleration
	if length(pod) > few {
		// No derived toleration covers another.
		return copied(appendMissing(room[:0], appendDerived(nil, nodes, opts, nil), pod...))
	}
	return copied(appendDerived(room[:0], nodes, opts, pod))
}

// leastSorted is the number of tolerations that are collected before they are
// sorted, which removes repeated ones.
const leastSorted = 64

func appendDerived(dst toleration.List, nodes []taint.List, opts DerivedOptions, pod []toleration.List) toleration.List {
	start, limit := len(dst), leastSorted
	for _, taints := range nodes {
		for _, t := range taints {
			if t.IsZero() || !opts.Passing && condition.Temporary().Has(t) {
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
