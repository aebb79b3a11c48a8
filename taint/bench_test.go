package taint_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint"
)

// BenchmarkText writes a taint to the caller's memory.
func BenchmarkText(b *testing.B) {
	t, buf := taint.MustParse(workload.Taint), make([]byte, 0, 128)
	workload.Run(b, "impl=tolerate", func() []byte {
		out, _ := t.AppendText(buf)
		return out
	})
}
