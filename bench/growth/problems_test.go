package growth_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A list of 1.5 MB in which each element is a problem allocates less than 100 times as
// much, and has the first 10,000 problems. The test must not run in parallel.
func TestProblems_K7(t *testing.T) {
	const size = 3 << 19
	commas := strings.Repeat(",", size)
	empty := strings.Split(commas, ",")
	objects := []byte("[" + strings.Repeat("{},", size/3) + "{}]")
	numbers := []byte("[" + strings.Repeat("0,", size/2) + "0]")
	unknown := []byte("[" + strings.Repeat(`{"a":0},`, size/8) + "{}]")
	for _, tt := range []struct {
		name string
		call func() error
	}{
		{"taint.ParseList", func() error { _, err := taint.ParseList(commas); return err }},
		{"taint.ParseEdits", func() error { _, err := taint.ParseEdits(empty...); return err }},
		{"taint.ParseSelector", func() error { _, err := taint.ParseSelector(commas); return err }},
		{"taint.Decode", func() error { _, _, err := taint.Decode(objects, taint.DecodeOptions{}); return err }},
		{"taint.Decode/numbers", func() error { _, _, err := taint.Decode(numbers, taint.DecodeOptions{}); return err }},
		{"taint.Decode/unknown", func() error { _, _, err := taint.Decode(unknown, taint.DecodeOptions{}); return err }},
		{"taint.List.UnmarshalJSON", func() error { return new(taint.List).UnmarshalJSON(objects) }},
		{"toleration.ParseList", func() error { _, err := toleration.ParseList(commas); return err }},
		{"toleration.Decode", func() error { _, _, err := toleration.Decode(objects, toleration.DecodeOptions{}); return err }},
		{"toleration.Decode/strict", func() error {
			_, _, err := toleration.Decode(unknown, toleration.DecodeOptions{Strict: true})
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			ps, _ := tt.call().(validate.Problems)
			runtime.ReadMemStats(&after)
			if n := len(ps); n < 10_000 || n > 10_010 {
				t.Errorf("%d problems", n)
			}
			if times := (after.TotalAlloc - before.TotalAlloc) / size; times >= 100 {
				t.Errorf("it allocates %d times the size of its input", times)
			} else {
				t.Logf("%d times", times)
			}
		})
	}
}
