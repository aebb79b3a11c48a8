package toleration_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// These variables keep the results of the rows, so that the compiler must allocate
// them.
var (
	sinkToleration  toleration.Toleration
	sinkTolerations toleration.List
	sinkOperator    toleration.Operator
	sinkErr         error
	sinkText        string
	sinkBytes       []byte
	sinkInt         int
	sinkBool        bool
)

// The rows are the functions that promise not to allocate, with exact counts. The test
// must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	exists := []byte("Exists")
	var (
		u     = toleration.MustParse("dedicated=gpu-a100-80gb:NoExecute op=Equal for 300s")
		gt    = toleration.MustParse("cores=16 op=Gt")
		op    = toleration.MustParse("op=Exists op=")
		one   = taint.MustParse("dedicated=gpu-a100-80gb:NoExecute")
		cores = taint.MustParse("cores=9223372036854775808:NoExecute")
		key   = u.Key()
		value = u.Value()
		sec   = int64(300)
		buf   = make([]byte, 0, 256)
		two   = toleration.List{u, gt}
		most  toleration.List // as many as are searched
		all   toleration.List // these and more
		data  = []byte(`[{"key":"dedicated","operator":"Equal","value":"gpu-a100-80gb","effect":"NoExecute","tolerationSeconds":300},{"key":"cores","operator":"Gt","value":"16"}]`)
	)
	for i := range 32 {
		most = append(most, toleration.MustParse(fmt.Sprint("k=", i)))
	}
	for i := range 1000 {
		all = append(all, toleration.MustParse(fmt.Sprint("k=", i)))
	}
	tests := []struct {
		name string
		want float64
		f    func()
	}{
		{"New", 0, func() { sinkToleration, sinkErr = toleration.New(key, toleration.Equal, value, taint.NoExecute) }},
		{"From", 0, func() { sinkToleration, sinkErr = toleration.From(key, "Equal", value, "NoExecute", &sec) }},
		{"Parse", 0, func() {
			sinkToleration, sinkErr = toleration.Parse("dedicated=gpu-a100-80gb:NoExecute op=Equal for 300s")
		}},
		{"Operator.UnmarshalText", 0, func() { sinkErr = sinkOperator.UnmarshalText(exists) }},
		{"Operator.String", 0, func() { sinkText = toleration.Exists.String() }},
		{"Key", 0, func() { sinkText = u.Key() }},
		{"Value", 0, func() { sinkText = u.Value() }},
		{"WithSeconds", 0, func() { sinkToleration, sinkErr = u.WithSeconds(5) }},
		{"Tolerates", 0, func() { sinkBool = u.Tolerates(one) }},
		{"Tolerates_M6", 0, func() { sinkBool = gt.Tolerates(cores) }},
		{"List.Match", 0, func() { sinkInt = two.Match(cores) }},
		{"Canonical", 0, func() { sinkToleration = u.Canonical() }},
		{"Compare", 0, func() { sinkInt = u.Compare(gt) }},
		{"Equal", 0, func() { sinkBool = u.Equal(gt) }},
		{"Choice.AppendText", 0, func() { buf, sinkErr = toleration.Longest.AppendText(buf[:0]) }},
		{"Choice.Prefers", 0, func() { sinkBool = toleration.Shortest.Prefers(u, gt) }},
		{"AppendText", 0, func() { buf, sinkErr = u.AppendText(buf[:0]) }},
		{"AppendText_op", 0, func() { buf, sinkErr = op.AppendText(buf[:0]) }},
		{"AppendJSON", 0, func() { buf = u.AppendJSON(buf[:0]) }},
		{"List.Validate", 0, func() { sinkErr = two.Validate(nil, false) }},
		{"List.Validate/update", 0, func() { sinkErr = two.Validate(two, false) }},
		{"List.Validate/update_32", 0, func() { sinkErr = all.Validate(most, false) }},
		{"List.WithoutNumeric", 0, func() { sinkTolerations = two[:1].WithoutNumeric() }},
		{"Decode", 2, func() { sinkTolerations, _, sinkErr = toleration.Decode(data, toleration.DecodeOptions{}) }},
		{"String", 1, func() { sinkText = u.String() }},
		{"MarshalText", 1, func() { sinkBytes, sinkErr = u.MarshalText() }},
		{"MarshalJSON", 1, func() { sinkBytes, sinkErr = u.MarshalJSON() }},
	}
	for _, tt := range tests {
		if got := testing.AllocsPerRun(100, tt.f); got != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
}
