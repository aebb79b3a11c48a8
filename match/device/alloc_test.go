package device_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
)

// These variables keep the results of the rows, so that the compiler must allocate
// them.
var (
	sinkTaint      device.Taint
	sinkToleration device.Toleration
	sinkErr        error
	sinkBool       bool
	sinkBytes      []byte
	sinkText       string
	sinkInt        int
	sinkDecision   eviction.Decision
)

// The rows are the functions that promise not to allocate. The test must not run in
// parallel with another test.
func TestAllocs(t *testing.T) {
	one, future := timed("ecc=3:NoExecute", noon), unknown("ecc", "3")
	u := device.MustParseToleration("ecc:NoExecute op=Exists for 30s")
	d := device.Device{ID: device.ID{Driver: "gpu", Pool: "n1", Device: "0"}, Taints: device.Taints{one, future, device.MustParseTaint("hot:NoSchedule")}}
	request := device.Tolerations{device.MustParseToleration("=4"), u, device.MustParseToleration("hot op=Exists")}
	rules := []device.TaintRule{{Selector: &device.TaintSelector{Pool: "n1"}, Taint: one}, {Taint: one}}
	used := []device.Allocated{{Device: d, Tolerations: request}, {Device: d}}
	buf := make([]byte, 0, 1024)
	seconds := int64(3)
	measure.Allocs(t, "TaintFrom", 0, func() { sinkTaint, sinkErr = device.TaintFrom("ecc", "3", "NoExecute") })
	measure.Allocs(t, "ParseTaint", 0, func() { sinkTaint, sinkErr = device.ParseTaint("ecc=3:NoExecute") })
	measure.Allocs(t, "TolerationFrom", 0, func() { sinkToleration, sinkErr = device.TolerationFrom("ecc", "Exists", "", "NoExecute", &seconds) })
	measure.Allocs(t, "ParseToleration", 0, func() { sinkToleration, sinkErr = device.ParseToleration("ecc:NoExecute op=Exists for 30s") })
	measure.Allocs(t, "Taint.AppendText", 0, func() { sinkBytes, sinkErr = one.AppendText(buf[:0]) })
	measure.Allocs(t, "Taint.AppendJSON", 0, func() { sinkBytes = one.AppendJSON(buf[:0]) })
	measure.Allocs(t, "Toleration.AppendText", 0, func() { sinkBytes, sinkErr = u.AppendText(buf[:0]) })
	measure.Allocs(t, "Toleration.AppendJSON", 0, func() { sinkBytes = u.AppendJSON(buf[:0]) })
	measure.Allocs(t, "Toleration.Tolerates", 0, func() { sinkBool = u.Tolerates(one) })
	measure.Allocs(t, "TaintSelector.Selects", 0, func() { sinkBool = rules[0].Selector.Selects(d.ID) })
	measure.Allocs(t, "Device.Allocatable", 0, func() { sinkBool = d.Allocatable(rules, request) })
	measure.Allocs(t, "Decide", 0, func() { sinkDecision, sinkInt = device.Decide(noon, rules, used...) })
	measure.Allocs(t, "Taint.String", 1, func() { sinkText = one.String() })
}
