package before_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	oldcondition "github.com/go-tolerate/before/taint/condition"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

var (
	types    = []string{"Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "ready", "Other"}
	statuses = []string{"True", "False", "Unknown", "", "true"}
)

func TestCondition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := condition.NodeStatus{Taints: gen.NodeTaints().Draw(t, "taints"), Unschedulable: rapid.Bool().Draw(t, "cordon")}
		for range rapid.IntRange(0, 4).Draw(t, "own") {
			key := rapid.SampledFrom(ownKeys).Draw(t, "key")
			n.Taints = append(n.Taints, taint.MustParse(key+":"+gen.Effect().Draw(t, "effect").String()))
		}
		var old []oldcondition.Condition
		for range rapid.IntRange(0, 6).Draw(t, "conditions") {
			c := condition.Condition{Type: rapid.SampledFrom(types).Draw(t, "type"), Status: rapid.SampledFrom(statuses).Draw(t, "status")}
			n.Conditions, old = append(n.Conditions, c), append(old, oldcondition.Condition(c))
		}
		atOnce := rapid.Bool().Draw(t, "at once")
		at := time.Unix(rapid.SampledFrom([]int64{0, 1e9, -1 << 60}).Draw(t, "at"), 0)
		oldPace := oldcondition.Wait
		if atOnce {
			oldPace = oldcondition.AtOnce
		}
		after, changes := condition.Reconcile(n, condition.Options{At: at, AtOnce: atOnce})
		oldNode := oldcondition.NodeStatus{Taints: oldTaints(n.Taints), Conditions: old, Unschedulable: n.Unschedulable}
		oldAfter, oldChanges := oldcondition.Reconcile(oldNode, oldcondition.Options{At: at, NoExecute: oldPace})
		same(t, "Reconcile", sources(after), sources(oldAfter))
		same(t, "Reconciled", changes, oldChanges)
		same(t, "AtCreation", condition.AtCreation(n.Taints), oldcondition.AtCreation(oldNode.Taints))
		same(t, "Temporary", condition.Temporary().Drop(n.Taints), oldcondition.Passing().Drop(oldNode.Taints))
		same(t, "NodeEviction", condition.NodeEviction().Drop(n.Taints), oldcondition.NodeEviction().Drop(oldNode.Taints))
	})
	same(t, "Temporary", condition.Temporary(), oldcondition.Passing())
	for _, in := range hostile() {
		n := condition.NodeStatus{Taints: in.taints, Conditions: slices.Repeat([]condition.Condition{{Type: "Ready", Status: "False"}}, 30_000)}
		bounded(t, in.name, 8<<20, func() { condition.Reconcile(n, condition.Options{AtOnce: true}); condition.Temporary().Drop(in.taints) })
	}
}

var ownKeys = []string{
	condition.NotReady, condition.Unreachable, condition.MemoryPressure, condition.DiskPressure, condition.PIDPressure,
	condition.NetworkUnavailable, condition.Unschedulable, condition.CloudUninitialized, "karpenter.sh/disrupted", "readiness.k8s.io/x",
}

func TestConditionSelector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text string
		for i := range rapid.IntRange(0, 3).Draw(t, "patterns") {
			if i > 0 {
				text += ","
			}
			f := gen.AnyTaintFields().Draw(t, "fields")
			text += f.Key + rapid.SampledFrom([]string{"", "*", "=", "=" + f.Value}).Draw(t, "value")
			text += rapid.SampledFrom([]string{"", ":" + f.Effect}).Draw(t, "effect")
		}
		s, err := condition.ParseSelector(text)
		old, oldErr := oldcondition.ParseSelector(text)
		if strings.Contains(text, "!") { // there were no exceptions
			return
		}
		same(t, "ParseSelector", []any{s, strings.ReplaceAll(fmt.Sprint(err), "[!]", "")}, []any{old, oldErr})
		taints := gen.TaintsAndZeros().Draw(t, "taints")
		same(t, "Drop", s.Drop(taints), old.Drop(oldTaints(taints)))
		u := gen.TaintOrZero().Draw(t, "taint")
		same(t, "Has", s.Has(u), old.Has(oldTaint(u)))
	})
}
