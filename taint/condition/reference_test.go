package condition_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// calls maps conditions to the keys of the NoSchedule taints that they require
// (T2).
var calls = map[condition.Condition]string{
	{Type: "Ready", Status: "False"}:             "node.kubernetes.io/not-ready",
	{Type: "Ready", Status: "Unknown"}:           "node.kubernetes.io/unreachable",
	{Type: "MemoryPressure", Status: "True"}:     "node.kubernetes.io/memory-pressure",
	{Type: "DiskPressure", Status: "True"}:       "node.kubernetes.io/disk-pressure",
	{Type: "PIDPressure", Status: "True"}:        "node.kubernetes.io/pid-pressure",
	{Type: "NetworkUnavailable", Status: "True"}: "node.kubernetes.io/network-unavailable",
}

const cordoned = "node.kubernetes.io/unschedulable"

// managed reports whether the rules T2 and T3 apply to this taint.
func managed(t taint.Taint) bool {
	ready := t.Key() == "node.kubernetes.io/not-ready" || t.Key() == "node.kubernetes.io/unreachable"
	if t.Effect() == taint.NoExecute {
		return ready
	}
	if t.Effect() != taint.NoSchedule {
		return false
	}
	for _, key := range calls {
		if key == t.Key() {
			return true
		}
	}
	return t.Key() == cordoned
}

// wants returns the taints that the rules T2 and T3 require, the NoSchedule taints in
// order and the NoExecute taint, and whether Ready has a known status.
func wants(n condition.NodeStatus) (noSchedule taint.List, noExecute taint.Taint, known bool) {
	add := func(key string) {
		if t := taint.MustParse(key + ":NoSchedule"); !slices.Contains(noSchedule, t) {
			noSchedule = append(noSchedule, t)
		}
	}
	for _, c := range n.Conditions {
		if key, ok := calls[c]; ok {
			add(key)
		}
	}
	if n.Unschedulable {
		add(cordoned)
	}
	for _, c := range n.Conditions {
		if c.Type != "Ready" {
			continue
		}
		if key, ok := calls[c]; ok {
			return noSchedule, taint.MustParse(key + ":NoExecute"), true
		}
		return noSchedule, taint.Taint{}, c.Status == "True"
	}
	return noSchedule, taint.Taint{}, false
}

// An outcome is the result of reconciling a node.
type outcome struct {
	taints, added, removed taint.List
	waiting                taint.Taint
}

// reconcile is the reference for Reconcile.
func reconcile(n condition.NodeStatus, opts condition.Options) (o outcome) {
	noSchedule, noExecute, known := wants(n)
	wanted := append(slices.Clone(noSchedule), noExecute)
	drops := func(t taint.Taint) bool {
		if t.Effect() == taint.NoExecute && !known {
			return false
		}
		return managed(t) && !slices.ContainsFunc(wanted, t.SameKeyEffect)
	}
	evicting := false // has some taint of T3
	for _, t := range n.Taints {
		evicting = evicting || managed(t) && t.Effect() == taint.NoExecute
		if !drops(t) {
			o.taints = append(o.taints, t)
			continue
		}
		if bare := taint.MustParse(t.Key() + ":" + t.Effect().String()); !slices.Contains(o.removed, bare) {
			o.removed = append(o.removed, bare)
		}
	}
	for _, t := range wanted {
		switch {
		case t.IsZero() || slices.ContainsFunc(n.Taints, t.SameKeyEffect):
		case t.Effect() == taint.NoExecute && !evicting && !opts.AtOnce:
			o.waiting = t
		default:
			o.added = append(o.added, t)
			if timed, err := t.WithTimeAdded(opts.At); err == nil {
				t = timed
			}
			o.taints = append(o.taints, t)
		}
	}
	sorted(o.removed)
	return o
}

// conditions makes short lists of conditions, some unknown or repeated.
func conditions() *rapid.Generator[[]condition.Condition] {
	one := rapid.Custom(func(t *rapid.T) condition.Condition {
		return condition.Condition{
			Type: rapid.SampledFrom([]string{
				"Ready", "Ready", "Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable",
				"OutOfDisk", "ready", "",
			}).Draw(t, "type"),
			Status: rapid.SampledFrom([]string{"True", "True", "False", "False", "Unknown", "Unknown", "true", ""}).Draw(t, "status"),
		}
	})
	return rapid.SliceOfN(one, 0, 7)
}

// nodes makes nodes. Many of their taints are those of conditions; some are
// repeated or zero, and some have values.
func nodes() *rapid.Generator[condition.NodeStatus] {
	known := rapid.Custom(func(t *rapid.T) taint.Taint {
		text := rapid.SampledFrom([]string{
			"not-ready", "not-ready", "unreachable", "unreachable", "memory-pressure", "disk-pressure", "pid-pressure",
			"network-unavailable", "unschedulable", "out-of-service",
		}).Draw(t, "key")
		text = "node.kubernetes.io/" + text + rapid.SampledFrom([]string{"", "", "=true"}).Draw(t, "value")
		made := taint.MustParse(text + ":" + gen.Effect().Draw(t, "effect").String())
		if rapid.Bool().Draw(t, "timed") {
			made, _ = made.WithTimeAdded(gen.Time().Draw(t, "time"))
		}
		return made
	})
	return rapid.Custom(func(t *rapid.T) condition.NodeStatus {
		return condition.NodeStatus{
			Taints:        rapid.SliceOfN(rapid.OneOf(known, known, known, gen.TaintOrZero()), 0, 10).Draw(t, "taints"),
			Conditions:    conditions().Draw(t, "conditions"),
			Unschedulable: rapid.Bool().Draw(t, "unschedulable"),
		}
	})
}

// options makes options, some with a time that a taint cannot have.
func options() *rapid.Generator[condition.Options] {
	return rapid.Custom(func(t *rapid.T) condition.Options {
		return condition.Options{
			At: rapid.OneOf(gen.Time(), rapid.SampledFrom([]time.Time{
				{}, time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
			})).Draw(t, "at"),
			AtOnce: rapid.Bool().Draw(t, "at once"),
		}
	})
}
