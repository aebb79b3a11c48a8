//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package admission_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// These variables keep the results of calls, so that the compiler does not remove the
// calls.
var (
	sinkList toleration.List
	sinkErr  error
)

// The rows are the functions that promise not to allocate, or to allocate only their
// result, with exact counts. The test must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	var (
		plain   = toleration.MustParseList("dedicated=gpu:NoSchedule,team=a")
		served  = toleration.MustParseList("op=Exists,:NoExecute op=Exists,a.io/gpu:NoSchedule op=Exists")
		extra   = toleration.MustParseList("team op=Exists,sandbox,dedicated=gpu:NoSchedule")
		names   = []string{"cpu", "a.io/gpu", "memory", "a.io/gpu"}
		plan    = admission.Plan{Restriction: admission.Restriction{Defaults: extra, Whitelist: toleration.MustParseList("op=Exists")}}
		pod     = admission.PodSpec{Tolerations: plain, QOS: admission.Burstable, Resources: names, RuntimeClass: extra}
		idle    = admission.PodSpec{Tolerations: toleration.MustParseList("op=Exists,a.io/gpu:NoSchedule op=Exists"), QOS: admission.Burstable, Resources: names, RuntimeClass: extra}
		devices []string
		many    toleration.List
	)
	for i := range 100 {
		devices = append(devices, "a.io/d"+strconv.Itoa(i))
		many = append(many, toleration.MustParse("t"+strconv.Itoa(i)))
	}
	held := extendedResources(devices, nil) // the names are interned, as in a program that holds a cluster
	measure.Allocs(t, "DefaultSeconds", 1, func() { sinkList = admission.DefaultSeconds(admission.SecondsOptions{}, plain) })
	measure.Allocs(t, "DefaultSeconds/nothing", 0, func() { sinkList = admission.DefaultSeconds(admission.SecondsOptions{}, served) })
	measure.Allocs(t, "Daemon", 1, func() {
		sinkList = admission.Daemon(admission.DaemonOptions{HostNetwork: true}, plain)
	})
	measure.Allocs(t, "OnCreate", 1, func() { sinkList, sinkErr = plan.OnCreate(pod) })
	measure.Allocs(t, "OnCreate/nothing", 0, func() { sinkList, sinkErr = plan.OnCreate(idle) })
	measure.Allocs(t, "OnUpdate/nothing", 0, func() { sinkList, sinkErr = plan.OnUpdate(idle) })
	measure.Allocs(t, "OnUpdate", 1, func() { sinkList, sinkErr = plan.OnUpdate(pod) })
	measure.Allocs(t, "OnCreate/17", 1, func() {
		sinkList, sinkErr = admission.Plan{}.OnCreate(admission.PodSpec{QOS: admission.Burstable, RuntimeClass: many[:14]})
	})
	if sinkErr != nil {
		t.Error(sinkErr)
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
	before := measure.InUse()
	pods := make([]admission.PodSpec, 8)
	for i := range pods {
		var err error
		if pods[i], _, err = admission.DecodePod(object, ""); err != nil {
			t.Fatal(err)
		}
	}
	if after := measure.InUse(); after > before+size {
		t.Errorf("%d pods hold %d bytes", len(pods), after-before)
	}
	runtime.KeepAlive(object)
	runtime.KeepAlive(pods)
}
