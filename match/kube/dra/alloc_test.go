//go:build !race

package dra_test

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

var sink struct {
	ok       bool
	err      error
	decision eviction.Decision
	cause    dra.Cause
}

// The test must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	own := taints("gpu.example.com/unhealthy=ecc:NoExecute@0,gpu.example.com/seen:None,maintenance:NoSchedule")
	request := tolerations("gpu.example.com/unhealthy:NoExecute op=Exists for 300s,maintenance")
	claims := []*resourcev1.ResourceClaim{claim(request, dra.ID{Driver: "gpu.example.com", Pool: "n1", Device: "gpu-0"})}
	byID := map[dra.ID][]resourcev1.DeviceTaint{{Driver: "gpu.example.com", Pool: "n1", Device: "gpu-0"}: own}
	rules := []dra.Rule{{Selector: &dra.Selector{}, Taint: own[0]}}
	measure.Allocs(t, "Tolerates", 0, func() { sink.ok = dra.Tolerates(&request[0], &own[0]) })
	measure.Allocs(t, "Allocatable", 0, func() { sink.ok = dra.Allocatable(own, request) })
	measure.Allocs(t, "ValidateTolerations", 0, func() { sink.err = dra.ValidateTolerations(request) })
	measure.Allocs(t, "Decide", 0, func() {
		sink.decision, sink.cause = dra.Decide(noon, claims, func(id dra.ID) []resourcev1.DeviceTaint { return byID[id] }, rules)
	})
	if !sink.ok || sink.err != nil || sink.decision.Kind() != eviction.At {
		t.Errorf("%+v", sink)
	}
}
