//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package taint_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/taint"
)

func TestAllocs(t *testing.T) {
	var (
		u       = taint.MustParse("dedicated=gpu-a100-80gb:NoSchedule")
		n       = taint.MustParse("cores=16:NoExecute")
		at      = time.Unix(1e9, 0)
		buf     = make([]byte, 0, 256)
		list    = make([]taint.Taint, 0, 8)
		two     = []taint.Taint{u, n}
		most    []taint.Taint // as many as are searched
		data    = []byte(`[{"key":"dedicated","value":"gpu-a100-80gb","effect":"NoSchedule"},{"key":"cores","value":"16","effect":"NoExecute"}]`)
		written = taint.FormatList(two)
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
		edits   = []taint.Edit{taint.MustParseEdit("dedicated=cpu:NoSchedule"), taint.MustParseEdit("cores-"), taint.MustParseEdit("drain:NoExecute")}
		remove  = []taint.Edit{taint.MustParseEdit("cores-"), taint.MustParseEdit("dedicated-")}
		every   = taint.EditsBetween(node, after)
		drain   = taint.MustParse("drain:NoExecute")
		opts    = taint.EditOptions{Overwrite: true, TimeAdded: at}
		room    = make([]taint.Taint, 0, 64)
		changes = make([]taint.Change, 0, 64)
		edited  = make([]taint.Edit, 0, 64)
	)
	tests := []struct {
		name string
		want float64
		f    func()
	}{
		{"New", 0, func() { _, _ = taint.New(key, value, taint.NoSchedule) }},
		{"From", 0, func() { _, _ = taint.From(key, value, "NoSchedule") }},
		{"Check", 0, func() { _ = taint.Check(key, value, "NoSchedule") }},
		{"Parse", 0, func() { _, _ = taint.Parse("dedicated=gpu-a100-80gb:NoSchedule") }},
		{"ParseEffect", 0, func() { _, _ = taint.ParseEffect("NoExecute") }},
		{"ParseCloudEffect", 0, func() { _, _ = taint.ParseCloudEffect("NO_EXECUTE") }},
		{"Effect.String", 0, func() { _ = taint.NoExecute.String() }},
		{"Key", 0, func() { _ = u.Key() }},
		{"Value", 0, func() { _ = u.Value() }},
		{"WithTimeAdded", 0, func() { _, _ = u.WithTimeAdded(at) }},
		{"TimeAdded", 0, func() { _ = u.TimeAdded() }},
		{"Integer", 0, func() { _, _ = n.Integer() }},
		{"Compare", 0, func() { _ = u.Compare(n) }},
		{"Hash", 0, func() { _ = u.Hash() }},
		{"AppendText", 0, func() { buf, _ = u.AppendText(buf[:0]) }},
		{"AppendJSON", 0, func() { buf = u.AppendJSON(buf[:0]) }},
		{"AppendList", 0, func() { buf = taint.AppendList(buf[:0], two) }},
		{"ValidateList", 0, func() { _ = taint.ValidateList(two, taint.ListOptions{}) }},
		{"EqualSets", 0, func() { _ = taint.EqualSets(two, two) }},
		{"ValidateList_32", 0, func() { _ = taint.ValidateList(node, taint.ListOptions{}) }},
		{"EqualSets_32", 0, func() { _ = taint.EqualSets(most, node) }},
		{"HashSet_32", 0, func() { _ = taint.HashSet(most) }},
		{"HashSet", 0, func() { _ = taint.HashSet(two) }},
		{"AppendCanonical", 0, func() { list = taint.AppendCanonical(list[:0], two) }},
		{"AppendDecode", 1, func() { list, _ = taint.AppendDecode(list[:0], data, taint.ListOptions{}) }}, // the copy of the text
		{"DecodeList", 2, func() { _, _ = taint.DecodeList(data, taint.ListOptions{}) }},
		{"ParseList", 1, func() { _, _ = taint.ParseList(written) }},
		{"ParseEdit", 0, func() { _, _ = taint.ParseEdit("dedicated=gpu-a100-80gb:NoSchedule") }},
		{"ParseEdit/removal", 0, func() { _, _ = taint.ParseEdit("dedicated:NoSchedule-") }},
		{"ParseEdit/all", 0, func() { _, _ = taint.ParseEdit("dedicated-") }},
		{"Removing", 0, func() { _, _ = taint.Removing(key, taint.NoSchedule) }},
		{"ParseEdits", 1, func() { _, _ = taint.ParseEdits("dedicated=gpu-a100-80gb:NoSchedule", "cores-", "drain:NoExecute") }},
		{"Edit.Taint", 0, func() { _ = edits[0].Taint() }},
		{"Edit.Key", 0, func() { _ = edits[1].Key() }},
		{"Edit.Touches", 0, func() { _ = edits[1].Touches(n) }},
		{"Edit.AppendText", 0, func() { buf, _ = edits[1].AppendText(buf[:0]) }},
		{"Apply", 1, func() { _, _, _ = taint.Apply(two, edits, opts) }},
		{"Apply/kept", 1, func() { _, _, _ = taint.Apply(node, edits[2:], opts) }},
		{"Apply/emptied", 0, func() { _, _, _ = taint.Apply(two, remove, opts) }},
		{"Apply/32", 1, func() { _, _, _ = taint.Apply(node, every, opts) }},
		{"AppendApply", 0, func() { _, _, _ = taint.AppendApply(room, two, edits, opts) }},
		{"AppendApply/32", 0, func() { _, _, _ = taint.AppendApply(room, node, every, opts) }},
		{"Difference", 1, func() { _ = taint.Difference(two, two[:1]) }},
		{"Difference/none", 0, func() { _ = taint.Difference(two, two) }},
		{"Difference/many_equal", 0, func() { _ = taint.Difference(many, slices.Clip(many)) }},
		{"Difference/32", 1, func() { _ = taint.Difference(node, after) }},
		{"AppendDifference/32", 0, func() { changes = taint.AppendDifference(changes[:0], node, after) }},
		{"EditsBetween", 1, func() { _ = taint.EditsBetween(two, two[:1]) }},
		{"EditsBetween/none", 0, func() { _ = taint.EditsBetween(two, two) }},
		{"AppendEditsBetween/32", 0, func() { edited = taint.AppendEditsBetween(edited[:0], node, after) }},
		{"Change.Kind", 0, func() { _ = taint.Change{Before: u}.Kind() }},
		{"Change.Edit", 0, func() { _ = taint.Change{Before: u}.Edit() }},
		{"Propagate", 1, func() { _ = taint.Propagate(two, two[:1], []taint.Taint{drain}) }},
		{"Propagate/32", 1, func() { _ = taint.Propagate(node, node, after) }},
		{"Propagate/emptied", 0, func() { _ = taint.Propagate(two, two, nil) }},
		{"AppendPropagate/32", 0, func() { room = taint.AppendPropagate(room[:0], node, node, after) }},
		{"String", 1, func() { _ = u.String() }},
		{"MarshalJSON", 1, func() { _, _ = n.MarshalJSON() }},
	}
	for _, tt := range tests {
		if got := testing.AllocsPerRun(100, tt.f); got != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
}
