//go:build !race

package condition_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// What calls leave behind, so that they are not done away with.
var (
	sinkBool   bool
	sinkList   []taint.Taint
	sinkTaint  taint.Taint
	sinkText   string
	sinkChange condition.Change
	sinkZone   condition.Zone
	sinkState  condition.ZoneState
	sinkRate   float64
	sinkCount  condition.Count
	sinkNode   int
	sinkTime   time.Time
	sinkConds  []condition.Condition
	sinkBytes  []byte
)

// Every promise that something does not allocate, with the exact count. Not to
// be run in parallel with anything.
func TestAllocs(t *testing.T) {
	var (
		up       = conds("MemoryPressure", "False", "DiskPressure", "False", "PIDPressure", "False", "Ready", "True")
		down     = conds("MemoryPressure", "Unknown", "DiskPressure", "Unknown", "PIDPressure", "Unknown", "Ready", "Unknown")
		own      = parse("dedicated=gpu:NoSchedule", "team=a:NoExecute")
		healthy  = condition.Node{Taints: own, Conditions: up}
		lost     = condition.Node{Taints: own, Conditions: down}
		settled  = condition.Node{Taints: append(parse(unreachable+":NoSchedule", unreachable+":NoExecute"), own...), Conditions: down}
		waiting  = condition.Node{Taints: append(parse(unreachable+":NoSchedule"), own...), Conditions: down}
		cordoned = condition.Node{Taints: parse("node.kubernetes.io/unschedulable:NoSchedule")}
		opts     = condition.Options{At: noon, NoExecute: condition.AtOnce}
		dst      = make([]taint.Taint, 0, 16)
		rest     = make([]taint.Taint, 0, 16)
		born     = condition.AtCreation(own)
		class    = condition.Passing()
		text     = make([]byte, 0, 1024)
		labels   = map[string]string{condition.LabelRegion: "eu", condition.LabelZone: "eu-a"}
		rates    = condition.DefaultRates()
		pacer    = condition.NewPacer[int](1e9)
		cluster  = condition.NewCluster[int](condition.Rates{Usual: 1e9, Unhealthy: 0.55})
		states   = []counts{{zoneA: {Ready: 5}, zoneB: {Ready: 5}}, {zoneA: {Ready: 6}, zoneB: {Ready: 5}}}
		now      = noon
		data     = []byte(`[` + strings.Repeat(`{"type":"NetworkUnavailable","status":"False"},`, 4) + `{"type":"Ready","status":"True"}]`)
		read     = make([]condition.Condition, 0, 5)
		i        int
	)
	_, change := condition.Reconcile(lost, opts)
	cluster.Update(noon, states[0])
	for id := range 100 {
		pacer.Add(id)
		cluster.Add(zoneA, id)
	}
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Deprecated", 0, func() { sinkText, sinkBool = condition.Deprecated(condition.Master) }},
		{"IsReady", 0, func() { sinkBool = condition.IsReady(up) }},
		{"NoSchedule", 1, func() { sinkList = condition.NoSchedule(lost) }},
		{"NoSchedule/nothing", 0, func() { sinkList = condition.NoSchedule(healthy) }},
		{"AppendNoSchedule", 0, func() { sinkList = condition.AppendNoSchedule(dst, lost) }},
		{"NoExecute", 0, func() { sinkTaint, sinkBool = condition.NoExecute(lost) }},
		{"Reconcile/healthy", 0, func() { sinkList, sinkChange = condition.Reconcile(healthy, opts) }},
		{"Reconcile/settled", 0, func() { sinkList, sinkChange = condition.Reconcile(settled, opts) }},
		{"Reconcile/waiting", 0, func() { sinkList, sinkChange = condition.Reconcile(waiting, condition.Options{At: noon}) }},
		{"Reconcile/lost", 1, func() { sinkList, sinkChange = condition.Reconcile(lost, opts) }},
		{"Reconcile/nothing_left", 0, func() { sinkList, sinkChange = condition.Reconcile(cordoned, opts) }},
		{"AppendReconcile", 0, func() { sinkList, sinkChange = condition.AppendReconcile(dst, lost, opts) }},
		{"Change.Any", 0, func() { sinkBool = change.Any() }},
		{"Change.Waiting", 0, func() { sinkTaint, sinkBool = change.Waiting() }},
		{"Change.Added", 0, func() {
			for t := range change.Added() {
				sinkTaint = t
			}
		}},
		{"Change.Removed", 0, func() {
			for t := range change.Removed() {
				sinkTaint = t
			}
		}},
		{"AtCreation", 1, func() { sinkList = condition.AtCreation(own) }},
		{"AtCreation/there", 0, func() { sinkList = condition.AtCreation(born) }},
		{"AppendAtCreation", 0, func() { sinkList = condition.AppendAtCreation(dst, own) }},
		{"DecodeList", 2, func() { sinkConds, _ = condition.DecodeList(data, condition.ListOptions{}) }},
		{"AppendDecode", 1, func() { sinkConds, _ = condition.AppendDecode(read, data, condition.ListOptions{}) }},
		{"Passing", 0, func() { sinkBool = condition.Passing().IsZero() }},
		{"Class.Has", 0, func() { sinkBool = class.Has(own[0]) }},
		{"Class.Select", 1, func() { sinkList = class.Select(settled.Taints) }},
		{"Class.Select/nothing", 0, func() { sinkList = class.Select(own) }},
		{"Class.Drop", 1, func() { sinkList = class.Drop(own) }},
		{"Class.Split", 2, func() { sinkList, _ = class.Split(settled.Taints) }},
		{"Class.AppendSelect", 0, func() { sinkList = class.AppendSelect(dst, settled.Taints) }},
		{"Class.AppendDrop", 0, func() { sinkList = class.AppendDrop(dst, own) }},
		{"Class.AppendSplit", 0, func() { sinkList, _ = class.AppendSplit(dst, rest, settled.Taints) }},
		{"Class.AppendText", 0, func() { sinkBytes, _ = class.AppendText(text) }},
		{"ZoneOf", 0, func() { sinkZone = condition.ZoneOf(labels) }},
		{"Excluded", 0, func() { sinkBool = condition.Excluded(labels) }},
		{"Count.With", 0, func() { sinkCount = sinkCount.With(up) }},
		{"ZoneState.AppendText", 0, func() { sinkBytes, _ = condition.Normal.AppendText(text) }},
		{"Rates.State", 0, func() { sinkState = rates.State(condition.Count{Ready: 9, NotReady: 11}) }},
		{"Rates.Rate", 0, func() { sinkRate = rates.Rate(condition.PartialDisruption, 60) }},
		{"Pacer", 0, func() {
			now = now.Add(time.Second)
			sinkTime, _ = pacer.Next(now)
			sinkNode, _ = pacer.Take(now)
			sinkBool = pacer.Add(sinkNode)
			sinkBool = pacer.Remove(50)
			sinkBool = pacer.Add(50)
			for id := range pacer.All() {
				sinkNode = id
			}
		}},
		{"Cluster", 0, func() {
			i++
			now = now.Add(time.Second)
			sinkBool = cluster.Update(now, states[i%2]).Entered
			sinkTime, _ = cluster.Next(now)
			for id, zone := range cluster.Due(now) {
				sinkNode, sinkZone = id, zone
			}
			sinkBool = cluster.Add(sinkZone, sinkNode)
			sinkBool = cluster.Remove(50)
			sinkBool = cluster.Add(zoneA, 50)
			for z := range cluster.Zones() {
				sinkRate = z.Rate
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, tt.do); got != tt.want {
				t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
			}
		})
	}
}

// However many nodes come and go, a Pacer needs no more room than for those
// that waited at once.
func TestPacerRoom(t *testing.T) {
	p := condition.NewPacer[int](1e9)
	for id := range 8 {
		p.Add(id)
	}
	now, next := noon, 8
	pass := func() {
		for range 20_000 {
			now = now.Add(time.Second)
			p.Remove(next - 4)
			p.Take(now)
			p.Add(next)
			p.Add(next + 1)
			next += 2
		}
	}
	if got := testing.AllocsPerRun(1, pass); got != 0 || p.Len() != 8 {
		t.Errorf("%v allocations, %d wait", got, p.Len())
	}
}
