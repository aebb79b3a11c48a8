package device_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
)

// A request tolerates an unhealthy GPU for five minutes: it can be allocated, and the
// pod is evicted later.
func Example() {
	var taints device.Taints
	var request device.Tolerations
	if err := errors.Join(
		json.Unmarshal([]byte(`[{"key":"gpu.example.com/unhealthy","value":"ecc","effect":"NoExecute","timeAdded":"2026-01-02T15:00:00Z"}]`), &taints),
		json.Unmarshal([]byte(`[{"key":"gpu.example.com/unhealthy","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]`), &request),
	); err != nil {
		fmt.Println(err)
		return
	}
	gpu := device.Device{ID: device.ID{Driver: "gpu.example.com", Pool: "node-1", Device: "gpu-0"}, Taints: taints}
	fmt.Println("allocatable:", gpu.Allocatable(nil, request))

	now := time.Date(2026, 1, 2, 15, 1, 0, 0, time.UTC)
	decision, _ := device.Decide(now, nil, device.Allocated{Device: gpu, Tolerations: request})
	fmt.Println("eviction:", decision)
	// Output:
	// allocatable: true
	// eviction: at 2026-01-02T15:05:00Z
}

// An effect of a later version of Kubernetes is kept where it is decoded.
func ExampleTaintFrom() {
	fmt.Println(device.TaintFrom("ecc", "3", "NoExecute"))
	fmt.Println(device.TaintFrom("ecc", "3", "PreferNoSchedule"))
	var t device.Taint
	err := json.Unmarshal([]byte(`{"key":"ecc","effect":"NoExecuteWithBudget"}`), &t)
	fmt.Println(t, err, t.Effect() == 0)
	// Output:
	// ecc=3:NoExecute <nil>
	//  device.TaintFrom: unknown effect "PreferNoSchedule" (allowed: None, NoSchedule, NoExecute)
	// ecc:NoExecuteWithBudget <nil> true
}

func ExampleParseTaint() {
	fmt.Println(device.ParseTaint("ecc:NoSchedule"))
	fmt.Println(device.ParseTaint("ecc:Noschedule"))
	// Output:
	// ecc:NoSchedule <nil>
	//  device.ParseTaint("ecc:Noschedule"): unknown effect "Noschedule", did you mean NoSchedule? (allowed: None, NoSchedule, NoExecute)
}

func ExampleMustParseTaint() {
	t := device.MustParseTaint("gpu.example.com/unhealthy=ecc:NoExecute")
	fmt.Println(t.Key(), t.Value(), t.Effect())
	// Output: gpu.example.com/unhealthy ecc NoExecute
}

func ExampleTaint_WithTimeAdded() {
	t, err := device.MustParseTaint("ecc:NoExecute").WithTimeAdded(time.Date(2026, 1, 2, 15, 4, 5, 6, time.UTC))
	fmt.Println(t.TimeAdded(), err)
	// Output: 2026-01-02 15:04:05 +0000 UTC <nil>
}

func ExampleTaint_IsZero() {
	t, _ := device.ParseTaint("no taint")
	fmt.Println(t.IsZero(), device.Device{Taints: device.Taints{t}}.Allocatable(nil, nil))
	// Output: true false
}

// A driver checks the taints of a device before it publishes them.
func ExampleTaints_Validate() {
	var taints device.Taints
	err := json.Unmarshal([]byte(`[{"key":"ecc","effect":"NoExecute"},{"key":"ecc","effect":"Future"}]`), &taints)
	fmt.Println(taints, err)
	fmt.Println(taints.Validate())
	// Output:
	// ecc:NoExecute,ecc:Future <nil>
	// taints[1].effect: unknown effect "Future" (allowed: None, NoSchedule, NoExecute)
}

func ExampleTolerationFrom() {
	seconds := int64(300)
	u, err := device.TolerationFrom("ecc", "Exists", "", "NoExecute", &seconds)
	fmt.Println(u, err)
	fmt.Println(device.TolerationFrom("ecc", "Gt", "3", "", nil))
	// Output:
	// ecc:NoExecute op=Exists for 300s <nil>
	//  device.TolerationFrom: unknown operator "Gt" (allowed: Equal, Exists)
}

// A toleration can have a value and no key.
func ExampleParseToleration() {
	u, err := device.ParseToleration("=ecc")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(u.Tolerates(device.MustParseTaint("unhealthy=ecc:NoExecute")))
	fmt.Println(u.Tolerates(device.MustParseTaint("unhealthy=hot:NoExecute")))
	// Output:
	// true
	// false
}

func ExampleMustParseToleration() {
	u := device.MustParseToleration("ecc:NoExecute for 300s")
	fmt.Println(u.Seconds())
	// Output: 300 true
}

func ExampleToleration_Tolerates() {
	u := device.MustParseToleration("ecc:NoSchedule op=Exists")
	fmt.Println(u.Tolerates(device.MustParseTaint("ecc=3:NoSchedule")), u.Tolerates(device.MustParseTaint("ecc=3:NoExecute")))
	// Output: true false
}

func ExampleToleration_IsZero() {
	var none device.Toleration
	fmt.Println(none.IsZero(), device.MustParseToleration("=").IsZero())
	// Output: true false
}

var (
	gpu0 = device.Device{
		ID:     device.ID{Driver: "gpu.example.com", Pool: "node-1", Device: "gpu-0"},
		Taints: device.Taints{device.MustParseTaint("old:None")},
	}
	maintenance = device.TaintRule{
		Selector: &device.TaintSelector{Pool: "node-1"},
		Taint:    device.MustParseTaint("maintenance:NoSchedule"),
	}
)

func ExampleDevice_Allocatable() {
	rules := []device.TaintRule{maintenance}
	fmt.Println(gpu0.Allocatable(nil, nil), gpu0.Allocatable(rules, nil))
	fmt.Println(gpu0.Allocatable(rules, device.Tolerations{device.MustParseToleration("maintenance")}))
	// Output:
	// true false
	// true
}

func ExampleTaintSelector_Selects() {
	pool := &device.TaintSelector{Pool: "node-1"}
	var none *device.TaintSelector
	fmt.Println(pool.Selects(gpu0.ID), new(device.TaintSelector).Selects(gpu0.ID), none.Selects(gpu0.ID))
	// Output: true true false
}

// The deadlines of pods are held by a Schedule of package eviction.
func ExampleDecide() {
	now := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	drain, err := device.MustParseTaint("drain:NoExecute").WithTimeAdded(now)
	if err != nil {
		fmt.Println(err)
		return
	}
	rules := []device.TaintRule{{Selector: &device.TaintSelector{Device: "gpu-0"}, Taint: drain}}
	var schedule eviction.Schedule[string]
	for pod, request := range map[string]device.Tolerations{
		"pod-0": {device.MustParseToleration("drain:NoExecute for 60s")},
		"pod-1": {device.MustParseToleration("drain:NoExecute for 30s")},
	} {
		d, _ := device.Decide(now, rules, device.Allocated{Device: gpu0, Tolerations: request})
		schedule.Set(pod, d)
	}
	fmt.Println(schedule.Next())
	// Output: pod-1 2026-01-02 15:00:30 +0000 UTC true
}
