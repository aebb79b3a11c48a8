package main

import (
	"fmt"
	"testing"
)

const (
	unreachable = "node.kubernetes.io/unreachable:NoExecute"
	longer      = ` tolerates="` + unreachable + ` op=Exists for 6000s"`
)

// The documentation's example: a partition, in which a pod that says nothing
// stays for five minutes, one with much local state for 6000 seconds, and a
// daemon's pod as long as it lasts.
func TestPartition(t *testing.T) {
	sim := simulate(t, `
		node lost
		node b
		workload web on=lost
		workload db on=lost`+longer+`
		pod solo on=lost
		daemon agent
		10:00 node lost unreachable`)
	wantLines(t, sim.lines("web-1"),
		"10:00:40  web-1, solo must leave lost at 10:05:40: node.kubernetes.io/unreachable:NoExecute since 10:00:40 is tolerated for 300 seconds",
		"10:05:40  web-1 is evicted from lost: node.kubernetes.io/unreachable:NoExecute since 10:00:40 is tolerated for 300 seconds",
		"10:05:40  web-1 is scheduled to b",
		"10:06:00  web-1 runs on b, after 6m")
	wantEvictions(t, sim, "solo", "10:05:40")
	wantEvictions(t, sim, "db-1", "11:40:40")
	wantLines(t, sim.lines("agent-lost"), "10:00:40  agent-lost stays on lost for good")
	for name, want := range map[string]struct {
		phase phase
		down  clock
	}{
		"web-1":      {running, 360e9},
		"db-1":       {running, 6060e9},
		"solo":       {gone, 14 * 3600e9},
		"agent-lost": {running, 14 * 3600e9},
		"agent-b":    {running, 0},
	} {
		if p := sim.pod(t, name); p.phase != want.phase || p.down != want.down {
			t.Errorf("%s: %v, down for %v; want %v, %v", name, p.phase, p.down, want.phase, want.down)
		}
	}
}

// If the node is back before the time is over, the pod is not evicted.
func TestPartitionEndsInTime(t *testing.T) {
	const script = "node a\nnode b\nworkload web on=a\n10:00 node a unreachable\n%s node a ready"
	sim := simulate(t, fmt.Sprintf(script, "10:05:40")) // at the very last moment
	wantEvictions(t, sim, "web-1")
	wantLines(t, sim.lines("may stay"), "10:05:40  web-1 may stay on a: no eviction at 10:05:40")
	if p := sim.pod(t, "web-1"); p.down != 340e9 || p.cancelled != 1 {
		t.Errorf("down for %v, %d cancelled", p.down, p.cancelled)
	}
	wantEvictions(t, simulate(t, fmt.Sprintf(script, "10:05:41")), "web-1", "10:05:40")
	// Back before anybody has noticed: no taint at all.
	if sim := simulate(t, fmt.Sprintf(script, "10:00:39")); len(sim.lines("+node.kubernetes.io")) > 0 || sim.pod(t, "web-1").down != 39e9 {
		t.Error(sim.lines(""))
	}
}

// A pod that does not tolerate a NoExecute taint is evicted at once, one that
// tolerates it for some seconds after them, and one that tolerates it forever stays.
func TestNoExecuteByHand(t *testing.T) {
	sim := simulate(t, `
		node a
		node b
		workload none on=a
		workload hour on=a tolerates="key1=value1:NoExecute for 3600s"
		workload good on=a tolerates=key1=value1:NoExecute
		workload zero on=a tolerates="key1:NoExecute op=Exists for -7s"
		8:00 taint node a key1=value1:NoExecute`)
	wantEvictions(t, sim, "none-1", "08:00:00")
	if got := sim.evictions("hour-1"); got[0] != "09:00:00" { // it may come again, and has another hour then
		t.Errorf("hour-1 is evicted at %v", got)
	}
	wantEvictions(t, sim, "good-1")
	wantEvictions(t, sim, "zero-1", "08:00:00")
	for _, name := range []string{"none-1", "zero-1"} { // zero tolerates a, but would never come to be there
		if p := sim.pod(t, name); sim.nodes[p.node].name != "b" || p.down != 20e9 {
			t.Errorf("%s is on %s, down for %v", name, sim.nodes[p.node].name, p.down)
		}
	}
}

// NoSchedule keeps pods away and lets those that are there stay.
func TestNoScheduleAndCordon(t *testing.T) {
	sim := simulate(t, `
		node a
		node b
		workload old on=a,b replicas=2
		1:00 taint node a key1=value1:NoSchedule
		1:00 cordon node b
		2:00 taint node b x:NoExecute
		3:00 taint node b x-
		4:00 uncordon node b`)
	wantEvictions(t, sim, "old-1")
	wantEvictions(t, sim, "old-2", "02:00:00")
	wantLines(t, sim.lines("old-2 waits"), "02:00:00  old-2 waits for a node that takes it")
	wantLines(t, sim.lines("old-2 runs"), "04:00:20  old-2 runs on b, after 2h0m20s")
}

// PreferNoSchedule is a wish: the node is taken when there is no other.
func TestPreferNoSchedule(t *testing.T) {
	sim := simulate(t, "node a taint=k:PreferNoSchedule\nnode b\nworkload w replicas=3\n1:00 taint node b x:NoExecute")
	for _, name := range []string{"w-1", "w-2", "w-3"} {
		p := sim.pod(t, name)
		if len(p.path) != 2 || sim.nodes[p.path[0].node].name != "b" || sim.nodes[p.path[1].node].name != "a" {
			t.Errorf("%s: %v", name, p.path)
		}
	}
}

// Each taint has its own start, and the earliest deadline decides; Kubernetes
// keeps the first deadline.
func TestSticky(t *testing.T) {
	const pods = "node a\nnode b taint=c:NoSchedule\nworkload w on=a tolerates=\"x:NoExecute for 300s\" tolerates=\"y:NoExecute for 30s\"\n"
	for _, test := range []struct {
		name, script  string
		exact, sticky string
		why           string // what decided the sticky one
	}{
		{"a shorter one comes", "1:00 taint node a x:NoExecute\n1:01:40 taint node a y:NoExecute", "01:02:10", "01:05:00",
			"x:NoExecute since 01:00:00 is tolerated for 300 seconds"},
		{"a longer one in its place", "1:00 taint node a y:NoExecute\n1:00:10 taint node a y- x:NoExecute", "01:05:10", "01:00:30",
			"y:NoExecute since 01:00:00 is tolerated for 30 seconds"},
	} {
		t.Run(test.name, func(t *testing.T) {
			// It tolerates the taints, so it comes back to the node: the first time counts.
			if got := simulate(t, pods+test.script).evictions("w-1"); got[0] != test.exact {
				t.Errorf("evicted at %v, want %v", got[0], test.exact)
			}
			sim := simulate(t, pods+test.script, "-sticky")
			if got := sim.evictions("w-1"); got[0] != test.sticky {
				t.Errorf("sticky: evicted at %v, want %v", got[0], test.sticky)
			}
			wantLines(t, sim.lines("evicted")[:1], test.sticky+"  w-1 is evicted from a: "+test.why)
		})
	}
	sim := simulate(t, pods+"1:00 taint node a y:NoExecute\n1:00:10 taint node a y- x:NoExecute")
	wantLines(t, sim.lines("later")[:1], "01:00:10  w-1 must leave a later, at 01:05:10 and not at 01:00:30: x:NoExecute since 01:00:10 is tolerated for 300 seconds")

	// Another value keeps when the taint was seen; Kubernetes counts from the change.
	const values = "node a\npod w on=a tolerates=x=1:NoExecute tolerates=\"x=2:NoExecute for 30s\"\n1:00 taint all x=1:NoExecute\n1:00:10 taint all x=2:NoExecute"
	wantLines(t, simulate(t, values).lines("evicted"), "01:00:30  w is evicted from a: x=2:NoExecute since 01:00:00 is tolerated for 30 seconds")
	wantLines(t, simulate(t, values, "-sticky").lines("evicted"), "01:00:40  w is evicted from a: x=2:NoExecute since 01:00:10 is tolerated for 30 seconds")
}

// A pod that is scheduled to a node with an old taint has all its seconds, unless they
// are counted from when it was added.
func TestStart(t *testing.T) {
	const script = "node a\nworkload w replicas=2 tolerates=\"x:NoExecute for 300s\"\n1:00 taint node a x:NoExecute"
	wantEvictions(t, simulate(t, script, "-for", "1h12m"), "w-1", "01:05:00", "01:10:00")
	sim := simulate(t, script, "-start", "added")
	wantEvictions(t, sim, "w-1", "01:05:00")
	if p := sim.pod(t, "w-1"); p.phase != waiting {
		t.Errorf("it is %v: it would have to leave at once", p.phase)
	}
}

// Which toleration counts when several match is a choice.
func TestChoice(t *testing.T) {
	const script = "node a\nworkload w on=a tolerates=\":NoExecute op=Exists for 300s\" tolerates=\"x:NoExecute for 60s\" tolerates=\"x:NoExecute op=Exists for 6000s\"\n1:00 taint node a x:NoExecute"
	for choice, want := range map[string]string{"first": "01:05:00", "shortest": "01:01:00", "longest": "02:40:00", "forever-else-shortest": "01:01:00"} {
		if got := simulate(t, script, "-choice", choice).evictions("w-1"); len(got) == 0 || got[0] != want {
			t.Errorf("%s: %v, want %s", choice, got, want)
		}
	}
}

// The nodes of a lost zone are tainted one by one, those of a zone that is lost
// in part more slowly or not at all.
func TestRates(t *testing.T) {
	taintedAt := func(sim *simulation) (at []string) {
		for i := range sim.timeline {
			e := &sim.timeline[i]
			for _, added := range e.Added {
				if added == unreachable {
					for _, n := range e.Nodes {
						at = append(at, e.At.String()+" "+n)
					}
				}
			}
		}
		return at
	}
	const small = "node a-{1..4} zone=a\nnode b zone=b\n"
	wantLines(t, taintedAt(simulate(t, small+"1:00 zone a unreachable")), "01:00:40 a-1", "01:00:50 a-2", "01:01:00 a-3", "01:01:10 a-4")
	wantLines(t, taintedAt(simulate(t, small+"1:00 zone a unreachable", "-node-eviction-rate", "0.5")), "01:00:40 a-1", "01:00:42 a-2", "01:00:44 a-3", "01:00:46 a-4")
	wantLines(t, taintedAt(simulate(t, small+"1:00 zone a 75% unreachable"))) // three of four, and a zone of four is small
	wantLines(t, taintedAt(simulate(t, small+"1:00 zone a 75% unreachable", "-unhealthy-zone-threshold", "0.8")), "01:00:40 a-1", "01:00:50 a-2", "01:01:00 a-3")
	wantLines(t, taintedAt(simulate(t, small+"1:00 zone a 75% unreachable", "-large-cluster-size-threshold", "3")), "01:00:40 a-1", "01:02:20 a-2", "01:04:00 a-3")
	// Back in between: those that are back wait no longer.
	wantLines(t, taintedAt(simulate(t, small+"1:00 zone a unreachable\n1:00:45 node a-2 ready", "-unhealthy-zone-threshold", "0.8")), "01:00:40 a-1", "01:00:50 a-3", "01:01:00 a-4")
}

// When all zones are lost, nothing is: their taints are removed, no pod is evicted, and
// afterwards nodes are tainted anew.
func TestAllZonesLost(t *testing.T) {
	sim := simulate(t, `
		node a-{1..2} zone=a
		node b-{1..2} zone=b
		workload web replicas=4 on=a-1,a-2,b-1,b-2
		1:00 zone a unreachable
		1:02 zone b unreachable
		5:00 zone b ready`)
	wantLines(t, sim.lines("every zone"),
		"01:02:40  every zone is in full disruption: no evictions, NoExecute taints of conditions come off",
		"05:00:00  not every zone is in full disruption any more")
	wantLines(t, sim.lines("NoExecute: "))
	wantLines(t, sim.lines("-"+unreachable), "01:02:40  a-1, a-2: -"+unreachable)
	wantLines(t, sim.lines("may stay"), "01:02:40  web-1 may stay on a-1: no eviction at 01:05:40", "01:02:40  web-2 may stay on a-2: no eviction at 01:05:50")
	wantEvictions(t, sim, "web-1", "05:05:10") // ten seconds after the rate is back
	wantEvictions(t, sim, "web-2", "05:05:20")
	wantEvictions(t, sim, "web-3")

	// A node that falls silent meanwhile is noticed, and one that had fallen silent
	// just before the end of it has all its grace again.
	sim = simulate(t, "node a zone=a\nnode b-{1..2} zone=b\n1:00 all unreachable\n1:59:50 node b-2 ready\n2:00:00 node b-1 ready\n2:00:10 node b-1 unreachable")
	wantLines(t, sim.lines("not every"), "01:59:50  not every zone is in full disruption any more")
	wantLines(t, sim.lines("nothing heard"), "01:00:40  a, b-1, b-2: nothing heard for too long, Ready is Unknown", "02:00:50  b-1: nothing heard for too long, Ready is Unknown")
	sim = simulate(t, "node a\n1:00 all unreachable\nnode b\n", "-grace", "1h")
	wantLines(t, sim.lines("nothing"), "02:00:00  a, b: nothing heard for too long, Ready is Unknown")
}

// A silent node that has not been noticed counts as lost since the control plane
// itself was cut off.
func TestGraceBeginsAnew(t *testing.T) {
	sim := simulate(t, "node a zone=a\nnode b zone=b label=node.kubernetes.io/exclude-disruption\n1:00 node a unreachable\n1:10 node b unreachable\n1:10:30 node a ready")
	wantLines(t, sim.lines("not every"), "01:10:30  not every zone is in full disruption any more")
	wantLines(t, sim.lines("b: nothing"), "01:11:10  b: nothing heard for too long, Ready is Unknown") // and not at 01:10:40... plus its grace anew
}

// A kubelet that says itself that it is not ready is believed at once; the pods'
// seconds for that are others; and one taint takes the place of the other.
func TestNotReady(t *testing.T) {
	sim := simulate(t, `
		node a
		node b
		workload w on=a tolerates="node.kubernetes.io/not-ready:NoExecute op=Exists for 60s"
		workload v on=a`+longer+`
		1:00 node a not-ready
		1:00:30 node a unreachable
		4:00 node a ready`)
	wantLines(t, sim.lines("+"),
		"01:00:00  a: +node.kubernetes.io/not-ready:NoSchedule +node.kubernetes.io/not-ready:NoExecute",
		"01:01:10  a: +node.kubernetes.io/unreachable:NoSchedule +node.kubernetes.io/unreachable:NoExecute -node.kubernetes.io/not-ready:NoSchedule -node.kubernetes.io/not-ready:NoExecute")
	wantEvictions(t, sim, "w-1", "01:01:00")
	wantEvictions(t, sim, "v-1", "02:41:10") // 6000 s for unreachable, in the place of 300 s for not ready
}

// Pressure keeps pods away.
func TestPressure(t *testing.T) {
	sim := simulate(t, "node a\nnode b taint=x:NoExecute\nworkload w\n1:00 node a DiskPressure=True\n2:00 taint node a y:NoExecute\n2:10 taint node a y-\n3:00 node a DiskPressure=False")
	wantLines(t, sim.lines("pressure"), "01:00:00  a: +node.kubernetes.io/disk-pressure:NoSchedule", "03:00:00  a: -node.kubernetes.io/disk-pressure:NoSchedule")
	wantLines(t, sim.lines("w-1 runs"), "03:00:20  w-1 runs on a, after 1h0m20s")
}

// A daemon's pod is evicted from a node only for what it does not tolerate, and
// returns; it waits nowhere.
func TestDaemon(t *testing.T) {
	sim := simulate(t, `
		node a
		node gpu taint=dedicated=gpu:NoSchedule
		daemon agent
		daemon net host-network tolerates=op=Exists
		1:00 taint node a k:NoExecute
		2:00 taint node a k-
		3:00 taint node gpu dedicated-
		4:00 all not-ready
		6:00 all ready`)
	wantEvictions(t, sim, "agent-a", "01:00:00")
	wantEvictions(t, sim, "net-a")
	wantLines(t, sim.lines("agent-a runs"), "02:00:20  agent-a runs on a, after 1h0m20s")
	wantLines(t, sim.lines("agent-gpu runs"), "03:00:20  agent-gpu runs on gpu, after 20s")
	wantLines(t, sim.lines("waits"))
	if p := sim.pod(t, "agent-gpu"); p.down != 7220e9 || p.downs != 2 {
		t.Errorf("down %d times for %v", p.downs, p.down)
	}
}

// A pod is scheduled to a node that is not known to be silent, and starts when
// that is back; it has its seconds there.
func TestSilentPlace(t *testing.T) {
	const script = "node a\nnode b\nworkload w on=a\n1:00 node b unreachable\n1:00:10 taint node a k:NoExecute\n1:00:20 taint node a k-\n%s node b ready"
	sim := simulate(t, fmt.Sprintf(script, "1:03"))
	wantLines(t, sim.lines("w-1 runs"), "01:03:20  w-1 runs on b, after 3m10s")
	sim = simulate(t, fmt.Sprintf(script, "3:00"))
	wantEvictions(t, sim, "w-1", "01:00:10", "01:05:40")
	wantLines(t, sim.lines("w-1 runs"), "01:06:00  w-1 runs on a, after 5m50s")
	// Starting takes its time, and begins anew.
	sim = simulate(t, "node a\nnode b\nworkload w on=a\n1:00 taint node a k:NoExecute\n1:00:10 node b not-ready\n1:01 node b ready")
	wantLines(t, sim.lines("w-1 runs"), "01:01:20  w-1 runs on b, after 1m20s")
}

// Pods wait in order, and the first gets the room.
func TestWaitingInOrder(t *testing.T) {
	sim := simulate(t, `
		node a
		pod p on=a
		workload v
		workload w
		1:00 taint node a k:NoExecute
		2:00 taint node a k-`, "-max-pods", "1")
	wantLines(t, sim.lines("waits"))
	wantLines(t, sim.lines("wait for"), "00:00:00  v-1, w-1 wait for a node that takes them")
	wantLines(t, sim.lines("runs"), "02:00:20  v-1 runs on a, after 2h0m20s")
	if p := sim.pod(t, "w-1"); p.phase != waiting || p.down != 24*3600e9 || len(p.path) != 0 {
		t.Errorf("w-1 is %v, down for %v, at %v", p.phase, p.down, p.path)
	}
}

// A pod that is evicted makes room for one that waits, though no taint changes then.
func TestRoomAfterEviction(t *testing.T) {
	sim := simulate(t, `
		node a
		pod p on=a tolerates="k:NoExecute for 60s"
		workload v tolerates=k:NoExecute
		1:00 taint node a k:NoExecute`, "-max-pods", "1")
	wantLines(t, sim.lines("v-1 runs"), "01:01:20  v-1 runs on a, after 1h1m20s")
}

// A node that speaks again before its silence is noticed is not silent, and one
// that waits for its taint is reported once.
func TestReportedOnce(t *testing.T) {
	sim := simulate(t, "node a\n1:00 all unreachable\n1:00:10 all not-ready\n2:00 all ready")
	wantLines(t, sim.lines("nothing heard"))
	sim = simulate(t, "node a-{1..4} zone=a\nnode b zone=b\n1:00 zone a 75% unreachable\n2:00 taint node a-1 k:NoSchedule\n3:00 cordon node a-2")
	wantLines(t, sim.lines("NoExecute taint"),
		"01:00:40  zone a is in partial disruption, 1 of 4 ready: no NoExecute taints",
		"01:00:40  a-1, a-2, a-3 wait for their NoExecute taints")
}
