package bench_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/match/device"
)

// A plainDevice is a device as a program without the library represents it.
type plainDevice struct {
	taints []plainTaint
	added  []time.Time
}

// gpus returns a pool of devices: every eighth is unhealthy, every fourth drained.
func gpus(n int) (pool []device.Device, plain []plainDevice) {
	start := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	for i := range n {
		var texts []string
		if i%8 == 0 {
			texts = append(texts, "gpu.example.com/unhealthy=ecc:NoExecute")
		}
		if i%4 == 0 {
			texts = append(texts, "maintenance:NoSchedule")
		}
		d := device.Device{ID: device.ID{Driver: "gpu.example.com", Pool: fmt.Sprint("node-", i/8), Device: fmt.Sprint("gpu-", i%8)}}
		var p plainDevice
		for _, text := range texts {
			t, err := device.MustParseTaint(text).WithTimeAdded(start)
			if err != nil {
				panic(err)
			}
			d.Taints = append(d.Taints, t)
			// Clone gives the strings memory of their own, as in a program: they are
			// not the interned ones.
			p.taints = append(p.taints, plainTaint{key: strings.Clone(t.Key()), value: strings.Clone(t.Value()), effect: string(t.Effect())})
			p.added = append(p.added, start)
		}
		pool, plain = append(pool, d), append(plain, p)
	}
	return pool, plain
}

// gpuRequest returns the tolerations of a request.
func gpuRequest() (request device.Tolerations, plain []plainToleration) {
	for _, text := range []string{
		"maintenance:NoExecute op=Exists", "gpu.example.com/unhealthy=hot op=Equal", "maintenance op=Exists", "gpu.example.com/unhealthy:NoExecute op=Exists for 300s",
	} {
		u := device.MustParseToleration(text)
		request = append(request, u)
		plain = append(plain, plainToleration{key: strings.Clone(u.Key()), operator: u.Operator().String(), value: u.Value(), effect: string(u.Effect())})
	}
	return request, plain
}

// BenchmarkAllocatable evaluates a pool of devices for one request.
func BenchmarkAllocatable(b *testing.B) {
	const n = 1000
	pool, plain := gpus(n)
	request, plainRequest := gpuRequest()
	run := func(impl string, count func() int) {
		b.Run(fmt.Sprintf("devices=%d/impl=%s", n, impl), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := count(); got != n {
					b.Fatalf("%d devices are allocatable", got)
				}
			}
		})
	}
	run("tolerate", func() (open int) {
		for i := range pool {
			if pool[i].Allocatable(nil, request) {
				open++
			}
		}
		return open
	})
	run("plain", func() (open int) {
		for i := range plain {
			if plainAllocatable(plain[i].taints, plainRequest) {
				open++
			}
		}
		return open
	})
}

func plainAllocatable(taints []plainTaint, request []plainToleration) bool {
	for i := range taints {
		t := &taints[i]
		if (t.effect == "NoSchedule" || t.effect == "NoExecute") && !plainTolerated(t, request) {
			return false
		}
	}
	return true
}

// BenchmarkDeviceDecide decides when a pod of eight devices is evicted.
func BenchmarkDeviceDecide(b *testing.B) {
	pool, _ := gpus(8)
	request, _ := gpuRequest()
	rules := []device.TaintRule{
		{Selector: &device.TaintSelector{Pool: "other"}, Taint: device.MustParseTaint("drain:NoExecute")},
		{Selector: &device.TaintSelector{Pool: "node-0", Device: "gpu-1"}, Taint: device.MustParseTaint("maintenance:NoExecute")},
	}
	var used []device.Allocated
	for _, d := range pool {
		used = append(used, device.Allocated{Device: d, Tolerations: request})
	}
	now := time.Date(2026, 1, 2, 12, 1, 0, 0, time.UTC)
	b.Run("devices=8/impl=tolerate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if d := device.Decide(now, rules, used...); d.Device != 0 || d.Deadline.IsZero() {
				b.Fatalf("decided %v", d)
			}
		}
	})
}
