package dra_test

import (
	"fmt"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// pool returns devices of which every eighth has a taint, and a request with four
// tolerations.
func pool(devices int) (taints [][]resourcev1.DeviceTaint, request []resourcev1.DeviceToleration) {
	for _, cause := range []string{"hot", "slow", "unplugged"} {
		request = append(request, resourcev1.DeviceToleration{Key: "gpu.example.com/" + cause, Operator: "Exists", Effect: "NoExecute"})
	}
	request = append(request, resourcev1.DeviceToleration{Key: "gpu.example.com/unhealthy", Operator: "Equal", Value: "ecc"})
	taints = make([][]resourcev1.DeviceTaint, devices)
	for i := 0; i < devices; i += 8 {
		value := "ecc"
		if i%16 == 0 {
			value = "row" // not tolerated
		}
		taints[i] = []resourcev1.DeviceTaint{{Key: "gpu.example.com/unhealthy", Value: value, Effect: "NoExecute"}}
	}
	return taints, request
}

// plain is how one writes Allocatable by hand.
func plain(taints []resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration) bool {
	for _, t := range taints {
		if t.Effect != "NoSchedule" && t.Effect != "NoExecute" {
			continue
		}
		tolerated := false
		for _, u := range tolerations {
			if (u.Key == "" || u.Key == t.Key) && (u.Effect == "" || u.Effect == t.Effect) &&
				(u.Operator == "Exists" || (u.Operator == "" || u.Operator == "Equal") && u.Value == t.Value) {
				tolerated = true
				break
			}
		}
		if !tolerated {
			return false
		}
	}
	return true
}

func BenchmarkAllocatable(b *testing.B) {
	const devices = 1024
	taints, request := pool(devices)
	count := func(b *testing.B, allocatable func(i int) bool) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for i := range taints {
				if allocatable(i) {
					n++
				}
			}
			if n != devices*15/16 {
				b.Fatalf("%d devices are allocatable", n)
			}
		}
	}
	name := fmt.Sprintf("devices=%d/impl=", devices)
	b.Run(name+"plain", func(b *testing.B) { count(b, func(i int) bool { return plain(taints[i], request) }) })
	b.Run(name+"tolerate", func(b *testing.B) { count(b, func(i int) bool { return dra.Allocatable(taints[i], request) }) })
	b.Run(name+"tolerate-values", func(b *testing.B) {
		all := make([]device.Device, devices)
		for i := range all {
			all[i].Taints, _ = dra.Taints(taints[i])
		}
		values, _ := dra.Tolerations(request)
		count(b, func(i int) bool { return all[i].Allocatable(nil, values) })
	})
}
