//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package admission_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/memory"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// These variables keep the results of calls, so that the compiler does not remove the
// calls.
var (
	sinkList toleration.List
	sinkErr  error
	sinkBool bool
	sinkText string
	sinkD    admission.Dedicated
	sinkOps  []byte
)

// The rows are the functions that promise not to allocate, or to allocate only their
// result, with exact counts. The test must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	var (
		plain   = list("dedicated=gpu:NoSchedule", "team=a")
		served  = list("op=Exists", ":NoExecute op=Exists", "a.io/gpu:NoSchedule op=Exists")
		extra   = list("team op=Exists", "sandbox", "dedicated=gpu:NoSchedule")
		names   = []string{"cpu", "a.io/gpu", "memory", "a.io/gpu"}
		nodes   = []taint.List{{taint.MustParse("team=a:NoSchedule"), taint.MustParse("team=b:NoSchedule")}, {taint.MustParse("team=b:NoSchedule")}}
		plan    = admission.Plan{Restriction: admission.Restriction{Defaults: extra, Whitelist: list("op=Exists")}}
		pod     = admission.PodSpec{Tolerations: plain, QOS: admission.Burstable, Resources: names, RuntimeClass: extra}
		idle    = admission.PodSpec{Tolerations: list("op=Exists", "a.io/gpu:NoSchedule op=Exists"), QOS: admission.Burstable, Resources: names, RuntimeClass: extra}
		devices []string
		many    toleration.List
		fleet   []taint.List
	)
	for i := range 100 {
		devices = append(devices, "a.io/d"+strconv.Itoa(i))
		many = append(many, toleration.MustParse("t"+strconv.Itoa(i)))
		fleet = append(fleet, taint.List{taint.MustParse("pool=p" + strconv.Itoa(i%32) + ":NoSchedule")})
	}
	held := admission.ExtendedResources(devices) // the names are interned, as in a program that holds a cluster
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"DefaultSeconds", 1, func() { sinkList = admission.DefaultSeconds(admission.SecondsOptions{}, plain) }},
		{"DefaultSeconds/nothing", 0, func() { sinkList = admission.DefaultSeconds(admission.SecondsOptions{}, served) }},
		{"Daemon", 1, func() {
			sinkList = admission.Daemon(admission.DaemonOptions{HostNetwork: true, Critical: true}, plain, extra)
		}},
		{"MemoryPressure", 1, func() { sinkList = admission.MemoryPressure(admission.Burstable, plain) }},
		{"MemoryPressure/nothing", 0, func() { sinkList = admission.MemoryPressure(admission.Burstable, served) }},
		{"IsExtendedResource", 0, func() { sinkBool = admission.IsExtendedResource("a.io/gpu") }},
		{"IsExtendedResource/not", 0, func() { sinkBool = admission.IsExtendedResource("A.io/gpu") }},
		{"ExtendedResources/nothing", 0, func() { sinkList = admission.ExtendedResources(names, served) }},
		{"Missing", 1, func() { sinkList = admission.Missing(extra, plain) }},
		{"Missing/nothing", 0, func() { sinkList = admission.Missing(extra, served) }},
		{"Missing/many", 1, func() { sinkList = admission.Missing(many, plain) }},
		{"StaticPod", 1, func() { sinkList = admission.StaticPod(plain) }},
		{"StaticPod/nothing", 0, func() { sinkList = admission.StaticPod(served) }},
		{"Derived", 1, func() { sinkList = admission.Derived(nodes, admission.DerivedOptions{}, plain) }},
		{"Derived/32 of 100", 1, func() { sinkList = admission.Derived(fleet, admission.DerivedOptions{}, plain) }},
		{"Derived/nothing", 0, func() { sinkList = admission.Derived(nodes, admission.DerivedOptions{}, served) }},
		{"CheckWhitelist", 0, func() { sinkErr = admission.CheckWhitelist(served, plain, extra) }},
		{"CheckWhitelist/128", 0, func() { sinkErr = admission.CheckWhitelist(many[:64], many[:32], many[32:64]) }},
		{"OnCreate", 1, func() { sinkList, sinkErr = plan.OnCreate(pod) }},
		{"OnCreate/nothing", 0, func() { sinkList, sinkErr = plan.OnCreate(idle) }},
		{"OnUpdate", 1, func() { sinkList, sinkErr = plan.OnUpdate(pod) }},
		{"OnCreate/17", 1, func() {
			sinkList, sinkErr = admission.Plan{}.OnCreate(admission.PodSpec{QOS: admission.Burstable, RuntimeClass: many[:14]})
		}},
		{"OnCreate/many", 1, func() {
			pod := pod
			pod.RuntimeClass = many
			sinkList, sinkErr = plan.OnCreate(pod)
		}},
		{"Patch/nothing", 0, func() { sinkOps, sinkErr = admission.Patch(plain, plain) }},
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

func TestMemory(t *testing.T) {
	t.Run("K4_DecodePod_holds_no_text", decodePodHoldsNoText)
}

// A PodSpec does not keep the text of its object in memory.
func decodePodHoldsNoText(t *testing.T) {
	const size = 1 << 20
	object := []byte(`{"spec":{"runtimeClassName":"kata","tolerations":[{"key":"a","operator":"Exists"}],"containers":[
		{"resources":{"requests":{"a.io/gpu":1}},"args":["` + strings.Repeat("x", size) + `"]}]}}`)
	before := memory.InUse()
	pods := make([]admission.PodSpec, 8)
	for i := range pods {
		var err error
		if pods[i], _, err = admission.DecodePod(object, toleration.ListOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if after := memory.InUse(); after > before+size {
		t.Errorf("%d pods hold %d bytes", len(pods), after-before)
	}
	runtime.KeepAlive(object)
	runtime.KeepAlive(pods)
}
