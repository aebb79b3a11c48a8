//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package toleration_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestAllocs(t *testing.T) {
	var (
		u     = toleration.MustParse("dedicated=gpu-a100-80gb:NoExecute op=Equal for 300s")
		gt    = toleration.MustParse("cores=16 op=Gt")
		op    = toleration.MustParse("op=Exists op=")
		bears = taint.MustParse("dedicated=gpu-a100-80gb:NoExecute")
		cores = taint.MustParse("cores=9223372036854775808:NoExecute")
		key   = u.Key()
		value = u.Value()
		sec   = int64(300)
		buf   = make([]byte, 0, 256)
		two   = []toleration.Toleration{u, gt}
		list  = make([]toleration.Toleration, 0, 8)
		most  []toleration.Toleration // as many as are searched
		data  = []byte(`[{"key":"dedicated","operator":"Equal","value":"gpu-a100-80gb","effect":"NoExecute","tolerationSeconds":300},{"key":"cores","operator":"Gt","value":"16"}]`)
	)
	for i := range 32 {
		most = append(most, toleration.MustParse(fmt.Sprint("k=", i)))
	}
	tests := []struct {
		name string
		want float64
		f    func()
	}{
		{"New", 0, func() { _, _ = toleration.New(key, toleration.Equal, value, taint.NoExecute) }},
		{"From", 0, func() { _, _ = toleration.From(key, "Equal", value, "NoExecute", &sec) }},
		{"Check", 0, func() { _ = toleration.Check(key, "Equal", value, "NoExecute", &sec) }},
		{"Parse", 0, func() { _, _ = toleration.Parse("dedicated=gpu-a100-80gb:NoExecute op=Equal for 300s") }},
		{"ParseOperator", 0, func() { _, _ = toleration.ParseOperator("Exists") }},
		{"Key", 0, func() { _ = u.Key() }},
		{"Value", 0, func() { _ = u.Value() }},
		{"WithSeconds", 0, func() { _, _ = u.WithSeconds(5) }},
		{"Tolerates", 0, func() { _ = u.Tolerates(bears) }},
		{"Tolerates_M6", 0, func() { _ = gt.Tolerates(cores) }},
		{"Index", 0, func() { _ = toleration.Index(two, cores) }},
		{"Canonical", 0, func() { _ = u.Canonical() }},
		{"Compare", 0, func() { _ = u.Compare(gt) }},
		{"Hash", 0, func() { _ = u.Hash() }},
		{"Policy.Prefers", 0, func() { _ = toleration.Shortest.Prefers(u, gt) }},
		{"AppendText", 0, func() { buf, _ = u.AppendText(buf[:0]) }},
		{"AppendText_op", 0, func() { buf, _ = op.AppendText(buf[:0]) }},
		{"AppendJSON", 0, func() { buf = u.AppendJSON(buf[:0]) }},
		{"ValidateList", 0, func() { _ = toleration.ValidateList(two, toleration.ListOptions{}) }},
		{"ValidateUpdate", 0, func() { _ = toleration.ValidateUpdate(two, two, toleration.ListOptions{}) }},
		{"WithoutNumeric", 0, func() { _ = toleration.WithoutNumeric(two[:1]) }},
		{"EqualSets", 0, func() { _ = toleration.EqualSets(two, two) }},
		{"EqualSets_32", 0, func() { _ = toleration.EqualSets(most, most) }},
		{"HashSet_32", 0, func() { _ = toleration.HashSet(most) }},
		{"HashSet", 0, func() { _ = toleration.HashSet(two) }},
		{"AppendCanonical", 0, func() { list = toleration.AppendCanonical(list[:0], two) }},
		{"AppendDecode", 1, func() { list, _ = toleration.AppendDecode(list[:0], data, toleration.ListOptions{}) }}, // the copy of the text
		{"DecodeList", 2, func() { _, _ = toleration.DecodeList(data, toleration.ListOptions{}) }},
		{"String", 1, func() { _ = u.String() }},
		{"MarshalText", 1, func() { _, _ = u.MarshalText() }},
		{"MarshalJSON", 1, func() { _, _ = u.MarshalJSON() }},
	}
	for _, tt := range tests {
		if got := testing.AllocsPerRun(100, tt.f); got != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
}
