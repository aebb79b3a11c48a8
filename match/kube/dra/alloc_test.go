//go:build !race

package dra_test

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

var sink struct {
	ok          bool
	err         error
	taints      device.Taints
	tolerations device.Tolerations
}

// The test must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	added, seconds := metav1.Now(), int64(300)
	taints := []resourcev1.DeviceTaint{
		{Key: "gpu.example.com/unhealthy", Value: "ecc", Effect: "NoExecute", TimeAdded: &added},
		{Key: "gpu.example.com/seen", Effect: "None"},
		{Key: "maintenance", Effect: "NoSchedule"},
	}
	request := []resourcev1.DeviceToleration{
		{Key: "gpu.example.com/unhealthy", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds},
		{Key: "maintenance"},
	}
	measure.Allocs(t, "Tolerates", 0, func() { sink.ok = dra.Tolerates(&request[0], &taints[0]) })
	measure.Allocs(t, "Allocatable", 0, func() { sink.ok = dra.Allocatable(taints, request) })
	measure.Allocs(t, "Taints", 1, func() { sink.taints, sink.err = dra.Taints(taints) })
	measure.Allocs(t, "Tolerations", 1, func() { sink.tolerations, sink.err = dra.Tolerations(request) })
	if sink.err != nil || !sink.ok { // of the last rows
		t.Errorf("%v, allocatable %v", sink.err, sink.ok)
	}
}
