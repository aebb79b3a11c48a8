//go:build !race

// Under the race detector, append(s, make(…)...), by which slices.Grow adds capacity,
// allocates.

package taint_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/taint"
)

// These variables keep the results of the rows, so that the compiler must allocate
// them.
var (
	sinkTaint   taint.Taint
	sinkTaints  taint.List
	sinkEdit    taint.Edit
	sinkEdits   []taint.Edit
	sinkChanges []taint.Change
	sinkEffect  taint.Effect
	sinkErr     error
	sinkText    string
	sinkBytes   []byte
	sinkTime    time.Time
	sinkInt     int64
	sinkOrder   int
	sinkBool    bool
)

// The rows are the functions that promise not to allocate, with exact counts. The test
// must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	var (
		u       = taint.MustParse("dedicated=gpu-a100-80gb:NoSchedule")
		n       = taint.MustParse("cores=16:NoExecute")
		at      = time.Unix(1e9, 0)
		buf     = make([]byte, 0, 256)
		two     = taint.List{u, n}
		most    taint.List // as many as are searched
		data    = []byte(`[{"key":"dedicated","value":"gpu-a100-80gb","effect":"NoSchedule"},{"key":"cores","value":"16","effect":"NoExecute"}]`)
		written = two.String()
		key     = u.Key()
		value   = u.Value()
	)
	for i := range 32 {
		most = append(most, must(taint.New("k", fmt.Sprint(i), taint.NoSchedule)))
	}
	node := slices.Clone(most)
	for i := range node {
		node[i] = must(taint.New(fmt.Sprint("k", i), "", taint.NoSchedule))
	}
	after := slices.Clone(node)
	for i := range after {
		after[i] = must(taint.New(fmt.Sprint("k", i), "v", taint.NoSchedule))
	}
	var (
		edits  = []taint.Edit{mustEdit("dedicated=cpu:NoSchedule"), mustEdit("cores-"), mustEdit("drain:NoExecute")}
		remove = []taint.Edit{mustEdit("cores-"), mustEdit("dedicated-")}
		every  = editsBetween(node, after)
		drain  = taint.MustParse("drain:NoExecute")
		opts   = taint.EditOptions{Overwrite: true, TimeAdded: at}
	)
	some := selector("cores:NoExecute,example.com/*,!example.com/a")
	effectText, ensure := []byte("NoExecute"), taint.EditOptions{KeepExisting: true, IgnoreAbsent: true, ReplaceKey: true}
	tests := []struct {
		name string
		want float64
		f    func()
	}{
		{"New", 0, func() { sinkTaint, sinkErr = taint.New(key, value, taint.NoSchedule) }},
		{"From", 0, func() { sinkTaint, sinkErr = taint.From(key, value, "NoSchedule") }},
		{"Parse", 0, func() { sinkTaint, sinkErr = taint.Parse("dedicated=gpu-a100-80gb:NoSchedule") }},
		{"Effect.UnmarshalText", 0, func() { sinkErr = sinkEffect.UnmarshalText(effectText) }},
		{"ParseCloudEffect", 0, func() { sinkEffect, sinkErr = taint.ParseCloudEffect("NO_EXECUTE") }},
		{"Effect.String", 0, func() { sinkText = taint.NoExecute.String() }},
		{"Key", 0, func() { sinkText = u.Key() }},
		{"Value", 0, func() { sinkText = u.Value() }},
		{"WithTimeAdded", 0, func() { sinkTaint, sinkErr = u.WithTimeAdded(at) }},
		{"TimeAdded", 0, func() { sinkTime = u.TimeAdded() }},
		{"Compare", 0, func() { sinkOrder = u.Compare(n) }},
		{"Equal", 0, func() { sinkBool = u.Equal(n) }},
		{"AppendText", 0, func() { buf, sinkErr = u.AppendText(buf[:0]) }},
		{"AppendJSON", 0, func() { buf = u.AppendJSON(buf[:0]) }},
		{"List.AppendText", 0, func() { buf, sinkErr = two.AppendText(buf[:0]) }},
		{"List.Validate", 0, func() { sinkErr = two.Validate() }},
		{"List.Validate_32", 0, func() { sinkErr = node.Validate() }},
		{"Decode", 2, func() { sinkTaints, _, sinkErr = taint.Decode(data, taint.DecodeOptions{}) }},
		{"ParseList", 3, func() { sinkTaints, sinkErr = taint.ParseList(written) }},
		{"ParseEdit", 0, func() { sinkEdit, sinkErr = taint.ParseEdit("dedicated=gpu-a100-80gb:NoSchedule") }},
		{"ParseEdit/removal", 0, func() { sinkEdit, sinkErr = taint.ParseEdit("dedicated:NoSchedule-") }},
		{"ParseEdit/all", 0, func() { sinkEdit, sinkErr = taint.ParseEdit("dedicated-") }},
		{"ParseEdits", 1, func() {
			sinkEdits, sinkErr = taint.ParseEdits("dedicated=gpu-a100-80gb:NoSchedule", "cores-", "drain:NoExecute")
		}},
		{"Edit.Taint", 0, func() { sinkTaint = edits[0].Taint() }},
		{"Edit.Key", 0, func() { sinkText = edits[1].Key() }},
		{"Edit.Equal", 0, func() { sinkBool = edits[0].Equal(edits[1]) }},
		{"Edit.Compare", 0, func() { sinkOrder = edits[0].Compare(remove[1]) }},
		{"Edit.AppendText", 0, func() { buf, sinkErr = edits[1].AppendText(buf[:0]) }},
		{"Apply", 1, func() { sinkTaints, sinkErr = taint.Apply(two, edits, opts) }},
		{"Apply/kept", 1, func() { sinkTaints, sinkErr = taint.Apply(node, edits[2:], opts) }},
		{"Apply/emptied", 1, func() { sinkTaints, sinkErr = taint.Apply(two, remove, opts) }},
		{"Apply/idempotent", 1, func() { sinkTaints, sinkErr = taint.Apply(node, edits[1:], ensure) }},
		{"Apply/32", 1, func() { sinkTaints, sinkErr = taint.Apply(node, every, opts) }},
		{"Difference", 1, func() { sinkChanges = taint.Difference(two, two[:1]) }},
		{"Difference/none", 0, func() { sinkChanges = taint.Difference(two, two) }},
		{"Difference/many_equal", 0, func() { sinkChanges = taint.Difference(many, slices.Clip(many)) }},
		{"Difference/32", 1, func() { sinkChanges = taint.Difference(node, after) }},
		{"Propagate", 1, func() { sinkTaints = taint.Propagate(two, two[:1], taint.List{drain}) }},
		{"Propagate/32", 1, func() { sinkTaints = taint.Propagate(node, node, after) }},
		{"Propagate/emptied", 1, func() { sinkTaints = taint.Propagate(two, two, nil) }},
		{"Selector.Has", 0, func() { sinkBool = some.Has(u) }},
		{"Selector.Drop", 1, func() { sinkTaints = some.Drop(two) }},
		{"Selector.Drop/nothing_left", 1, func() { sinkTaints = some.Drop(two[1:]) }},
		{"Selector.AppendText", 0, func() { buf, sinkErr = some.AppendText(buf[:0]) }},
		{"String", 1, func() { sinkText = u.String() }},
		{"MarshalJSON", 1, func() { sinkBytes, sinkErr = n.MarshalJSON() }},
	}
	for _, tt := range tests {
		if got := testing.AllocsPerRun(100, tt.f); got != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
}
