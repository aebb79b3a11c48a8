//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package admission_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// What calls leave behind, so that they are not done away with.
var (
	sinkList []toleration.Toleration
	sinkErr  error
	sinkBool bool
	sinkText string
	sinkD    admission.Dedicated
	sinkOps  []admission.Operation
)

// Every promise that something does not allocate, or nothing but its result,
// with the exact count. Not to be run in parallel with anything.
func TestAllocs(t *testing.T) {
	var (
		plain   = list("dedicated=gpu:NoSchedule", "team=a")
		served  = list("op=Exists", ":NoExecute op=Exists", "a.io/gpu:NoSchedule op=Exists")
		extra   = list("team op=Exists", "sandbox", "dedicated=gpu:NoSchedule")
		names   = []string{"cpu", "a.io/gpu", "memory", "a.io/gpu"}
		nodes   = [][]taint.Taint{{taint.MustParse("team=a:NoSchedule"), taint.MustParse("team=b:NoSchedule")}, {taint.MustParse("team=b:NoSchedule")}}
		dst     = make([]toleration.Toleration, 0, 64)
		plan    = admission.Plan{Restriction: admission.Restriction{Defaults: extra, Whitelist: list("op=Exists")}}
		pod     = admission.Pod{Tolerations: plain, QOS: admission.Burstable, Resources: names, RuntimeClass: extra}
		idle    = admission.Pod{Tolerations: list("op=Exists", "a.io/gpu:NoSchedule op=Exists"), QOS: admission.Burstable, Resources: names, RuntimeClass: extra}
		devices []string
		many    []toleration.Toleration
		fleet   [][]taint.Taint
		pools   [][]taint.Taint
	)
	for i := range 100 {
		devices = append(devices, "a.io/d"+strconv.Itoa(i))
		many = append(many, toleration.MustParse("t"+strconv.Itoa(i)))
		for j := range 5 {
			pools = append(pools, []taint.Taint{taint.MustParse("pool=q" + strconv.Itoa((i*13+j)%100) + ":NoSchedule")})
		}
		fleet = append(fleet, []taint.Taint{taint.MustParse("pool=p" + strconv.Itoa(i%32) + ":NoSchedule")})
	}
	held := admission.ExtendedResources(devices)   // as a cluster holds the names
	roomy := make([]toleration.Toleration, 0, 200) // twice what is derived
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"DefaultSeconds", 1, func() { sinkList = admission.DefaultSeconds(admission.Seconds{}, plain) }},
		{"DefaultSeconds/nothing", 0, func() { sinkList = admission.DefaultSeconds(admission.Seconds{}, served) }},
		{"AppendDefaultSeconds", 0, func() { sinkList = admission.AppendDefaultSeconds(dst, admission.Seconds{}, plain, extra) }},
		{"Daemon", 1, func() {
			sinkList = admission.Daemon(admission.DaemonOptions{HostNetwork: true, Critical: true}, plain, extra)
		}},
		{"AppendDaemon", 0, func() { sinkList = admission.AppendDaemon(dst, admission.DaemonOptions{}, plain) }},
		{"MemoryPressure", 1, func() { sinkList = admission.MemoryPressure(admission.Burstable, plain) }},
		{"MemoryPressure/nothing", 0, func() { sinkList = admission.MemoryPressure(admission.Burstable, served) }},
		{"AppendMemoryPressure", 0, func() { sinkList = admission.AppendMemoryPressure(dst, admission.Burstable, plain) }},
		{"IsExtendedResource", 0, func() { sinkBool = admission.IsExtendedResource("a.io/gpu") }},
		{"IsExtendedResource/not", 0, func() { sinkBool = admission.IsExtendedResource("A.io/gpu") }},
		{"ExtendedResources", 1, func() { sinkList = admission.ExtendedResources(names, plain) }},
		{"ExtendedResources/nothing", 0, func() { sinkList = admission.ExtendedResources(names, served) }},
		{"ExtendedResources/many", 1, func() { sinkList = admission.ExtendedResources(devices, plain) }},
		{"AppendExtendedResources", 0, func() { sinkList = admission.AppendExtendedResources(dst, names, plain) }},
		{"Missing", 1, func() { sinkList = admission.Missing(extra, plain) }},
		{"Missing/nothing", 0, func() { sinkList = admission.Missing(extra, served) }},
		{"Missing/many", 1, func() { sinkList = admission.Missing(many, plain) }},
		{"AppendMissing", 0, func() { sinkList = admission.AppendMissing(dst, extra, plain) }},
		{"StaticPod", 1, func() { sinkList = admission.StaticPod(plain) }},
		{"StaticPod/nothing", 0, func() { sinkList = admission.StaticPod(served) }},
		{"AppendStaticPod", 0, func() { sinkList = admission.AppendStaticPod(dst, plain) }},
		{"Derived", 1, func() { sinkList = admission.Derived(admission.DerivedOptions{}, nodes, plain) }},
		{"Derived/32 of 100", 1, func() { sinkList = admission.Derived(admission.DerivedOptions{}, fleet, plain) }},
		{"Derived/nothing", 0, func() { sinkList = admission.Derived(admission.DerivedOptions{}, nodes, served) }},
		{"AppendDerived", 0, func() { sinkList = admission.AppendDerived(dst, admission.DerivedOptions{}, nodes, plain) }},
		{"AppendDerived/many", 0, func() { sinkList = admission.AppendDerived(roomy, admission.DerivedOptions{}, pools, plain) }},
		{"CheckWhitelist", 0, func() { sinkErr = admission.CheckWhitelist(served, plain, extra) }},
		{"OnCreate", 1, func() { sinkList, sinkErr = plan.OnCreate(pod) }},
		{"OnCreate/nothing", 0, func() { sinkList, sinkErr = plan.OnCreate(idle) }},
		{"OnUpdate", 1, func() { sinkList, sinkErr = plan.OnUpdate(pod) }},
		{"OnCreate/17", 1, func() {
			sinkList, sinkErr = admission.Plan{}.OnCreate(admission.Pod{QOS: admission.Burstable, RuntimeClass: many[:14]})
		}},
		{"OnCreate/many", 1, func() {
			pod := pod
			pod.RuntimeClass = many
			sinkList, sinkErr = plan.OnCreate(pod)
		}},
		{"AppendOnCreate", 0, func() { sinkList, sinkErr = plan.AppendOnCreate(dst, pod) }},
		{"AppendOnUpdate", 0, func() { sinkList, sinkErr = plan.AppendOnUpdate(dst, pod) }},
		{"Patch/nothing", 0, func() { sinkOps = admission.Patch(plain, nil) }},
		{"Dedicate/zero", 0, func() { sinkD = admission.Dedicate(taint.Taint{}) }},
		{"QOS.String", 0, func() { sinkText = admission.Burstable.String() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(50, tt.do); got != tt.want {
				t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
			}
			if sinkErr != nil {
				t.Error(sinkErr)
			}
		})
	}
	if len(held) != len(devices) {
		t.Errorf("%d names held", len(held))
	}
}

// What a Pod tells of a large object does not hold the object's text in memory.
func TestPodHoldsNoText(t *testing.T) {
	const size = 1 << 20
	object := []byte(`{"spec":{"runtimeClassName":"kata","tolerations":[{"key":"a","operator":"Exists"}],"containers":[
		{"resources":{"requests":{"a.io/gpu":1}},"args":["` + strings.Repeat("x", size) + `"]}]}}`)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	pods := make([]admission.Pod, 8)
	for i := range pods {
		var err error
		if pods[i], err = admission.DecodePod(object, toleration.ListOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if after := heap(); after > before+size {
		t.Errorf("%d pods hold %d bytes", len(pods), after-before)
	}
	runtime.KeepAlive(object)
	runtime.KeepAlive(pods)
}
