package condition_test

import (
	"fmt"
	"math"
	"time"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// A kubelet is not heard of any more: its node is closed at once, and its pods
// go when the zone's rate allows it.
func Example() {
	cluster := condition.NewCluster[string](condition.DefaultRates())
	zone := condition.Zone{Region: "eu", Name: "eu-a"}
	cluster.Update(noon, map[condition.Zone]condition.Count{zone: {Ready: 19, NotReady: 2}})

	lost := []condition.Condition{{Type: condition.TypeReady, Status: condition.StatusUnknown}}
	nodes := map[string]condition.Node{
		"a": {Conditions: lost, Taints: []taint.Taint{taint.MustParse("dedicated=gpu:NoSchedule")}},
		"b": {Conditions: lost},
	}
	for _, name := range []string{"a", "b"} {
		n := nodes[name]
		taints, change := condition.Reconcile(n, condition.Options{At: noon})
		if _, ok := change.Waiting(); ok {
			cluster.Add(zone, name)
		}
		n.Taints = taints
		nodes[name] = n
		fmt.Println(name, change)
	}
	for at, ok := cluster.Next(noon); ok; at, ok = cluster.Next(at) {
		for name := range cluster.Due(at) {
			_, change := condition.Reconcile(nodes[name], condition.Options{At: at, NoExecute: condition.AtOnce})
			fmt.Println(at.Sub(noon), name, change)
		}
	}
	// Output:
	// a +node.kubernetes.io/unreachable:NoSchedule, waiting for node.kubernetes.io/unreachable:NoExecute
	// b +node.kubernetes.io/unreachable:NoSchedule, waiting for node.kubernetes.io/unreachable:NoExecute
	// 0s a +node.kubernetes.io/unreachable:NoExecute
	// 10s b +node.kubernetes.io/unreachable:NoExecute
}

func ExampleDeprecated() {
	fmt.Println(condition.Deprecated(condition.Master))
	fmt.Println(condition.Deprecated(condition.ControlPlane))
	// Output:
	// node-role.kubernetes.io/control-plane true
	//  false
}

func ExampleIsReady() {
	fmt.Println(condition.IsReady([]condition.Condition{{Type: "MemoryPressure", Status: "True"}, {Type: "Ready", Status: "True"}}))
	fmt.Println(condition.IsReady([]condition.Condition{{Type: "Ready", Status: "Unknown"}}))
	fmt.Println(condition.IsReady(nil))
	// Output:
	// true
	// false
	// false
}

func ExampleDecodeList() {
	list, err := condition.DecodeList([]byte(`[
		{"type": "MemoryPressure", "status": "False", "reason": "KubeletHasSufficientMemory"},
		{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-05-01T12:00:00Z"}
	]`), condition.ListOptions{})
	fmt.Println(list, err)

	_, err = condition.DecodeList([]byte(`[null, {"type": "Ready", "status": true}]`), condition.ListOptions{})
	fmt.Println(err)
	// Output:
	// [{MemoryPressure False} {Ready True}] <nil>
	// status.conditions[0] null: must be an object
	// status.conditions[1].status true: must be a string, so put it in quotes
}

func ExampleAppendDecode() {
	buf := make([]condition.Condition, 0, 8) // for many nodes
	for _, data := range []string{`[{"type":"Ready","status":"True"}]`, `null`} {
		var err error
		buf, err = condition.AppendDecode(buf[:0], []byte(data), condition.ListOptions{})
		fmt.Println(buf, err)
	}
	// Output:
	// [{Ready True}] <nil>
	// [] <nil>
}

func ExampleNoSchedule() {
	n := condition.Node{
		Conditions: []condition.Condition{
			{Type: condition.TypeDiskPressure, Status: condition.StatusTrue},
			{Type: condition.TypePIDPressure, Status: condition.StatusFalse},
			{Type: condition.TypeReady, Status: condition.StatusFalse},
		},
		Unschedulable: true,
	}
	for _, t := range condition.NoSchedule(n) {
		fmt.Println(t)
	}
	// Output:
	// node.kubernetes.io/disk-pressure:NoSchedule
	// node.kubernetes.io/not-ready:NoSchedule
	// node.kubernetes.io/unschedulable:NoSchedule
}

func ExampleAppendNoSchedule() {
	buf := make([]taint.Taint, 0, 8) // for many nodes
	for _, cordoned := range []bool{false, true} {
		buf = condition.AppendNoSchedule(buf[:0], condition.Node{Unschedulable: cordoned})
		fmt.Println(buf)
	}
	// Output:
	// []
	// [node.kubernetes.io/unschedulable:NoSchedule]
}

func ExampleNoExecute() {
	for _, status := range []string{condition.StatusTrue, condition.StatusFalse, condition.StatusUnknown} {
		t, ok := condition.NoExecute(condition.Node{Conditions: []condition.Condition{{Type: condition.TypeReady, Status: status}}})
		fmt.Println(status, t, ok)
	}
	// Output:
	// True  false
	// False node.kubernetes.io/not-ready:NoExecute true
	// Unknown node.kubernetes.io/unreachable:NoExecute true
}

func ExampleReconcile() {
	n := condition.Node{
		Conditions: []condition.Condition{{Type: condition.TypeReady, Status: condition.StatusUnknown}},
		Taints: []taint.Taint{
			taint.MustParse("node.kubernetes.io/not-ready:NoExecute"),
			taint.MustParse("dedicated=gpu:NoSchedule"),
			taint.MustParse("node.kubernetes.io/memory-pressure:NoSchedule"), // over
		},
	}
	taints, change := condition.Reconcile(n, condition.Options{At: noon})
	for _, t := range taints {
		fmt.Println(t, t.TimeAdded().Format(time.TimeOnly))
	}
	for t := range change.Removed() {
		fmt.Println("gone:", t)
	}

	n.Taints = taints
	_, change = condition.Reconcile(n, condition.Options{At: noon.Add(time.Hour)})
	fmt.Println(change.Any())
	// Output:
	// dedicated=gpu:NoSchedule 00:00:00
	// node.kubernetes.io/unreachable:NoSchedule 12:00:00
	// node.kubernetes.io/unreachable:NoExecute 12:00:00
	// gone: node.kubernetes.io/memory-pressure:NoSchedule
	// gone: node.kubernetes.io/not-ready:NoExecute
	// false
}

func ExampleAppendReconcile() {
	buf := make([]taint.Taint, 0, 8) // for many nodes
	ready := []condition.Condition{{Type: condition.TypeReady, Status: condition.StatusTrue}}
	for _, text := range []string{"dedicated=gpu:NoSchedule", "node.kubernetes.io/not-ready:NoSchedule"} {
		n := condition.Node{Conditions: ready, Taints: []taint.Taint{taint.MustParse(text)}}
		var change condition.Change
		buf, change = condition.AppendReconcile(buf[:0], n, condition.Options{At: noon})
		fmt.Println(buf, change.Any())
	}
	// Output:
	// [dedicated=gpu:NoSchedule] false
	// [] true
}

func ExamplePace_String() {
	fmt.Println(condition.Wait, condition.AtOnce)
	// Output: Wait AtOnce
}

// unready returns a node whose first NoExecute taint waits.
func unready() (condition.Node, condition.Change) {
	n := condition.Node{
		Conditions: []condition.Condition{{Type: condition.TypeReady, Status: condition.StatusFalse}},
		Taints:     []taint.Taint{taint.MustParse("node.kubernetes.io/unreachable:NoSchedule")},
	}
	_, change := condition.Reconcile(n, condition.Options{})
	return n, change
}

func ExampleChange_Any() {
	_, change := unready()
	fmt.Println(change.Any(), condition.Change{}.Any())
	// Output: true false
}

func ExampleChange_Waiting() {
	n, change := unready()
	fmt.Println(change.Waiting())

	_, change = condition.Reconcile(n, condition.Options{NoExecute: condition.AtOnce})
	fmt.Println(change.Waiting())
	// Output:
	// node.kubernetes.io/not-ready:NoExecute true
	//  false
}

func ExampleChange_Added() {
	_, change := unready()
	for t := range change.Added() {
		fmt.Println(t)
	}
	// Output: node.kubernetes.io/not-ready:NoSchedule
}

func ExampleChange_Removed() {
	_, change := unready()
	for t := range change.Removed() {
		fmt.Println(t)
	}
	// Output: node.kubernetes.io/unreachable:NoSchedule
}

func ExampleChange_String() {
	_, change := unready()
	fmt.Println(change)
	// Output: +node.kubernetes.io/not-ready:NoSchedule, -node.kubernetes.io/unreachable:NoSchedule, waiting for node.kubernetes.io/not-ready:NoExecute
}

func ExampleAtCreation() {
	taints := condition.AtCreation([]taint.Taint{taint.MustParse("dedicated=gpu:NoSchedule")})
	fmt.Println(taints)
	fmt.Println(len(condition.AtCreation(taints)))
	// Output:
	// [dedicated=gpu:NoSchedule node.kubernetes.io/not-ready:NoSchedule]
	// 2
}

func ExampleAppendAtCreation() {
	buf := make([]taint.Taint, 0, 8) // for many nodes
	for range 2 {
		buf = condition.AppendAtCreation(buf[:0], nil)
		fmt.Println(buf)
	}
	// Output:
	// [node.kubernetes.io/not-ready:NoSchedule]
	// [node.kubernetes.io/not-ready:NoSchedule]
}

func ExampleZoneOf() {
	fmt.Println(condition.ZoneOf(map[string]string{condition.LabelRegion: "eu", condition.LabelZone: "eu-a"}))
	fmt.Println(condition.ZoneOf(map[string]string{condition.LabelZone: "eu-a", condition.LabelZoneBeta: "old"}))
	fmt.Println(condition.ZoneOf(nil) == condition.Zone{})
	// Output:
	// eu/eu-a
	// old
	// true
}

func ExampleExcluded() {
	fmt.Println(condition.Excluded(map[string]string{condition.LabelExcludeDisruption: ""}))
	fmt.Println(condition.Excluded(nil))
	// Output:
	// true
	// false
}

func ExampleZone_Compare() {
	a, b := condition.Zone{Region: "eu", Name: "eu-a"}, condition.Zone{Region: "eu", Name: "eu-b"}
	fmt.Println(a.Compare(b), b.Compare(a), a.Compare(a))
	// Output: -1 1 0
}

func ExampleZone_String() {
	fmt.Println(condition.Zone{Region: "eu", Name: "eu-a"})
	fmt.Println(condition.Zone{Name: "eu-a"})
	// Output:
	// eu/eu-a
	// eu-a
}

func ExampleCount_With() {
	var c condition.Count
	for _, status := range []string{"True", "False", "Unknown"} {
		c = c.With([]condition.Condition{{Type: "Ready", Status: status}})
	}
	fmt.Println(c, c.Nodes())
	// Output: {1 2} 3
}

func ExampleCount_Nodes() {
	fmt.Println(condition.Count{Ready: 2, NotReady: 3}.Nodes())
	// Output: 5
}

func ExampleDefaultRates() {
	r := condition.DefaultRates()
	r.Usual = 1 // --node-eviction-rate=1
	fmt.Printf("%+v\n", r)
	// Output: {Usual:1 Reduced:0.01 LargeZone:50 Unhealthy:0.55}
}

func ExampleRates_State() {
	r := condition.DefaultRates()
	for _, c := range []condition.Count{{Ready: 9, NotReady: 11}, {Ready: 10, NotReady: 10}, {Ready: 1, NotReady: 2}, {NotReady: 1}, {}} {
		fmt.Println(c, r.State(c))
	}
	// Output:
	// {9 11} PartialDisruption
	// {10 10} Normal
	// {1 2} Normal
	// {0 1} FullDisruption
	// {0 0} Normal
}

func ExampleRates_Rate() {
	r := condition.DefaultRates()
	fmt.Println(r.Rate(condition.Normal, 10))
	fmt.Println(r.Rate(condition.PartialDisruption, 50))
	fmt.Println(r.Rate(condition.PartialDisruption, 51))
	fmt.Println(r.Rate(condition.FullDisruption, 10)) // while another zone is not
	// Output:
	// 0.1
	// 0
	// 0.01
	// 0.1
}

func ExampleZoneState_String() {
	fmt.Println(condition.Normal, condition.PartialDisruption, condition.FullDisruption)
	// Output: Normal PartialDisruption FullDisruption
}

func ExampleNewPacer() {
	p := condition.NewPacer[string](0.5)
	p.Add("a")
	p.Add("b")
	for s := range 4 {
		if name, ok := p.Take(noon.Add(time.Duration(s) * time.Second)); ok {
			fmt.Println(s, name)
		}
	}
	// Output:
	// 0 a
	// 2 b
}

func ExamplePacer_Take() {
	p := condition.NewPacer[string](math.Inf(1))
	p.Add("a")
	fmt.Println(p.Take(noon))
	fmt.Println(p.Take(noon))
	// Output:
	// a true
	//  false
}

func ExamplePacer_SetRate() {
	p := condition.NewPacer[string](0.1)
	p.Add("a")
	p.SetRate(noon, 0) // the whole cluster is lost
	fmt.Println(p.Next(noon))

	back := noon.Add(time.Hour)
	p.SetRate(back, 0.1)
	at, ok := p.Next(back)
	fmt.Println(at.Sub(back), ok)
	// Output:
	// 0001-01-01 00:00:00 +0000 UTC false
	// 10s true
}

func ExamplePacer_Rate() {
	fmt.Println(condition.NewPacer[string](0.1).Rate(), condition.NewPacer[string](-1).Rate())
	// Output: 0.1 0
}

func ExamplePacer_Add() {
	p := condition.NewPacer[string](0.1)
	fmt.Println(p.Add("a"), p.Add("b"), p.Add("a")) // it waits already
	// Output: true true false
}

func ExamplePacer_Remove() {
	p := condition.NewPacer[string](0.1)
	p.Add("a")
	fmt.Println(p.Has("a"), p.Remove("a"), p.Remove("a"), p.Len())
	// Output: true true false 0
}

func ExamplePacer_Has() {
	p := condition.NewPacer[string](0.1)
	p.Add("a")
	fmt.Println(p.Has("a"), p.Has("b"))
	// Output: true false
}

func ExamplePacer_All() {
	p := condition.NewPacer[string](0.1)
	p.Add("b")
	p.Add("a")
	for name := range p.All() {
		fmt.Println(name)
	}
	// Output:
	// b
	// a
}

func ExamplePacer_Len() {
	p := condition.NewPacer[string](0.1)
	p.Add("a")
	fmt.Println(p.Len())
	// Output: 1
}

func ExamplePacer_Next() {
	p := condition.NewPacer[string](0.1)
	fmt.Println(p.Next(noon))
	p.Add("a")
	p.Add("b")
	p.Take(noon)
	at, ok := p.Next(noon.Add(time.Second))
	fmt.Println(at.Sub(noon), ok)
	// Output:
	// 0001-01-01 00:00:00 +0000 UTC false
	// 10s true
}
