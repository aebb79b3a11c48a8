package toleration_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
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
		one   = taint.MustParse("dedicated=gpu-a100-80gb:NoExecute")
		cores = taint.MustParse("cores=9223372036854775808:NoExecute")
		key   = u.Key()
		value = u.Value()
		sec   = int64(300)
		buf   = make([]byte, 0, 256)
		two   = toleration.List{u, gt}
		all   toleration.List
		data  = []byte(`[{"key":"dedicated","operator":"Equal","value":"gpu-a100-80gb","effect":"NoExecute","tolerationSeconds":300},{"key":"cores","operator":"Gt","value":"16"}]`)
	)
	for i := range 1000 {
		all = append(all, toleration.MustParse(fmt.Sprint("k=", i)))
	}
	most := all[:32] // as many as are searched
	measure.Allocs(t, "New", 0, func() { sinkToleration, sinkErr = toleration.New(key, toleration.Equal, value, taint.NoExecute) })
	measure.Allocs(t, "From", 0, func() { sinkToleration, sinkErr = toleration.From(key, "Equal", value, "NoExecute", &sec) })
	measure.Allocs(t, "Parse", 0, func() {
		sinkToleration, sinkErr = toleration.Parse("dedicated=gpu-a100-80gb:NoExecute op=Equal for 300s")
	})
	measure.Allocs(t, "Operator.UnmarshalText", 0, func() { sinkErr = sinkOperator.UnmarshalText(exists) })
	measure.Allocs(t, "WithSeconds", 0, func() { sinkToleration, sinkErr = u.WithSeconds(5) })
	measure.Allocs(t, "Tolerates", 0, func() { sinkBool = u.Tolerates(one) })
	measure.Allocs(t, "Tolerates_M6", 0, func() { sinkBool = gt.Tolerates(cores) })
	measure.Allocs(t, "List.Match", 0, func() { sinkInt = two.Match(cores) })
	measure.Allocs(t, "Compare", 0, func() { sinkInt = u.Compare(gt) })
	measure.Allocs(t, "Choice.AppendText", 0, func() { buf, sinkErr = toleration.Longest.AppendText(buf[:0]) })
	measure.Allocs(t, "AppendText", 0, func() { buf, sinkErr = u.AppendText(buf[:0]) })
	measure.Allocs(t, "AppendJSON", 0, func() { buf = u.AppendJSON(buf[:0]) })
	measure.Allocs(t, "List.Validate", 0, func() { sinkErr = two.Validate(nil, false) })
	measure.Allocs(t, "List.Validate/update_32", 0, func() { sinkErr = all.Validate(most, false) })
	measure.Allocs(t, "List.WithoutNumeric", 0, func() { sinkTolerations = two[:1].WithoutNumeric() })
	measure.Allocs(t, "Decode", 2, func() { sinkTolerations, _, sinkErr = toleration.Decode(data, toleration.DecodeOptions{}) })
}
