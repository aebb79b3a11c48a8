//go:build !race

// Under the race detector, append(s, make(…)...), by which slices.Grow adds capacity,
// allocates.

package taint_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
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
		data    = []byte(`[{"key":"dedicated","value":"gpu-a100-80gb","effect":"NoSchedule"},{"key":"cores","value":"16","effect":"NoExecute"}]`)
		written = two.String()
		key     = u.Key()
		value   = u.Value()
	)
	var node, after taint.List // as many as are searched
	for i := range 32 {
		node = append(node, must(taint.New(fmt.Sprint("k", i), "", taint.NoSchedule)))
		after = append(after, must(taint.New(fmt.Sprint("k", i), "v", taint.NoSchedule)))
	}
	var (
		edits  = []taint.Edit{mustEdit("dedicated=cpu:NoSchedule"), mustEdit("cores-"), mustEdit("drain:NoExecute")}
		remove = []taint.Edit{mustEdit("cores-"), mustEdit("dedicated-")}
		every  = editsBetween(node, after)
		drain  = taint.MustParse("drain:NoExecute")
		opts   = taint.EditOptions{Overwrite: true, TimeAdded: at}
	)
	some := taint.MustParseSelector("cores:NoExecute,example.com/*,!example.com/a")
	effectText, ensure := []byte("NoExecute"), taint.EditOptions{KeepExisting: true, IgnoreAbsent: true, ReplaceKey: true}
	measure.Allocs(t, "New", 0, func() { sinkTaint, sinkErr = taint.New(key, value, taint.NoSchedule) })
	measure.Allocs(t, "From", 0, func() { sinkTaint, sinkErr = taint.From(key, value, "NoSchedule") })
	measure.Allocs(t, "Parse", 0, func() { sinkTaint, sinkErr = taint.Parse("dedicated=gpu-a100-80gb:NoSchedule") })
	measure.Allocs(t, "Effect.UnmarshalText", 0, func() { sinkErr = sinkEffect.UnmarshalText(effectText) })
	measure.Allocs(t, "ParseCloudEffect", 0, func() { sinkEffect, sinkErr = taint.ParseCloudEffect("NO_EXECUTE") })
	measure.Allocs(t, "WithTimeAdded", 0, func() { sinkTaint, sinkErr = u.WithTimeAdded(at) })
	measure.Allocs(t, "Compare", 0, func() { sinkOrder = u.Compare(n) })
	measure.Allocs(t, "AppendText", 0, func() { buf, sinkErr = u.AppendText(buf[:0]) })
	measure.Allocs(t, "AppendJSON", 0, func() { buf = u.AppendJSON(buf[:0]) })
	measure.Allocs(t, "List.AppendText", 0, func() { buf, sinkErr = two.AppendText(buf[:0]) })
	measure.Allocs(t, "List.Validate_32", 0, func() { sinkErr = node.Validate() })
	measure.Allocs(t, "Decode", 2, func() { sinkTaints, _, sinkErr = taint.Decode(data, taint.DecodeOptions{}) })
	measure.Allocs(t, "ParseList", 3, func() { sinkTaints, sinkErr = taint.ParseList(written) })
	measure.Allocs(t, "ParseEdit", 0, func() { sinkEdit, sinkErr = taint.ParseEdit("dedicated=gpu-a100-80gb:NoSchedule") })
	measure.Allocs(t, "ParseEdit/all", 0, func() { sinkEdit, sinkErr = taint.ParseEdit("dedicated-") })
	measure.Allocs(t, "ParseEdits", 1, func() {
		sinkEdits, sinkErr = taint.ParseEdits("dedicated=gpu-a100-80gb:NoSchedule", "cores-", "drain:NoExecute")
	})
	measure.Allocs(t, "Edit.Compare", 0, func() { sinkOrder = edits[0].Compare(remove[1]) })
	measure.Allocs(t, "Edit.AppendText", 0, func() { buf, sinkErr = edits[1].AppendText(buf[:0]) })
	measure.Allocs(t, "Apply", 1, func() { sinkTaints, sinkErr = taint.Apply(two, edits, opts) })
	measure.Allocs(t, "Apply/idempotent", 1, func() { sinkTaints, sinkErr = taint.Apply(node, edits[1:], ensure) })
	measure.Allocs(t, "Apply/32", 1, func() { sinkTaints, sinkErr = taint.Apply(node, every, opts) })
	measure.Allocs(t, "Difference", 1, func() { sinkChanges = taint.Difference(two, two[:1]) })
	measure.Allocs(t, "Difference/many_equal", 0, func() { sinkChanges = taint.Difference(many, slices.Clip(many)) })
	measure.Allocs(t, "Difference/32", 1, func() { sinkChanges = taint.Difference(node, after) })
	measure.Allocs(t, "Propagate", 1, func() { sinkTaints = taint.Propagate(two, two[:1], taint.List{drain}) })
	measure.Allocs(t, "Propagate/32", 1, func() { sinkTaints = taint.Propagate(node, node, after) })
	measure.Allocs(t, "Propagate/emptied", 1, func() { sinkTaints = taint.Propagate(two, two, nil) })
	measure.Allocs(t, "Selector.Has", 0, func() { sinkBool = some.Has(u) })
	measure.Allocs(t, "Selector.HasFields", 0, func() { sinkBool = some.HasFields("example.com/a", "", "NoExecute") })
	measure.Allocs(t, "Selector.Drop", 1, func() { sinkTaints = some.Drop(two) })
	measure.Allocs(t, "Selector.AppendText", 0, func() { buf, sinkErr = some.AppendText(buf[:0]) })
}
