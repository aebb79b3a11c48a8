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
		{"String", 1, func() { _ = u.String() }},
		{"MarshalJSON", 1, func() { _, _ = n.MarshalJSON() }},
	}
	for _, tt := range tests {
		if got := testing.AllocsPerRun(100, tt.f); got != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
}
