package simulate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
)

// newNode returns a node of a zone. Taints are separated by commas.
func newNode(name, zone, taints string) *cluster.Node {
	return &cluster.Node{Name: name, Node: match.Node{Taints: taint.MustParseList(taints)}, Labels: map[string]string{disruption.LabelZone: zone}}
}

func newPod(name, node, owner, tolerations string) *cluster.Pod {
	return &cluster.Pod{Pod: kubejson.Pod{Name: name, Node: node, Tolerations: toleration.MustParseList(tolerations)}, Owner: owner, Placement: &cluster.Placement{}}
}

func simulate(t testing.TB, nodes []*cluster.Node, pods []*cluster.Pod, text string) *Report {
	t.Helper()
	s, err := readScenario("test", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := newSimulation(&cluster.Cluster{Nodes: nodes, Pods: pods}, s, time.Unix(0, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return sim.report()
}

// lines returns the entries of the timeline with one of the events.
func (r *Report) lines(events string) (lines []string) {
	for _, e := range r.Timeline {
		if strings.Contains(" "+events+" ", " "+e.Event+" ") {
			line := fmt.Sprintf("%v %s %s %s %s", e.At, e.Event, strings.Join(e.Nodes, ","), strings.Join(e.Pods, ","), e.detail())
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return lines
}

const (
	defaults = "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s,node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"
	longer   = "node.kubernetes.io/unreachable:NoExecute op=Exists for 6000s"
	inA      = "{selector: topology.kubernetes.io/zone=a, "
)

// What happens by the rules, in the procedures that concern time.
func TestSimulate(t *testing.T) {
	a, b := newNode("a", "a", ""), newNode("b", "b", "")
	four := []*cluster.Node{newNode("a1", "a", ""), newNode("a2", "a", ""), newNode("a3", "a", ""), newNode("a4", "a", ""), b}
	rs := "ReplicaSet web"
	for _, test := range []struct {
		name     string
		nodes    []*cluster.Node
		pods     []*cluster.Pod
		scenario string
		events   string
		want     []string
	}{
		{"a partition", []*cluster.Node{a, b},
			[]*cluster.Pod{newPod("web", "a", rs, defaults), newPod("db", "a", rs, longer), newPod("solo", "a", "", defaults), newPod("agent", "a", "DaemonSet agent", "op=Exists")},
			"{end: 3h, events: [{at: 10m, event: Unreachable, nodes: [a]}]}", "Tainted Stays EvictionPlanned Evicted Scheduled Deleted", []string{
				"10m50s Tainted a no heartbeat for 50s +node.kubernetes.io/unreachable:NoSchedule +node.kubernetes.io/unreachable:NoExecute",
				"10m50s EvictionPlanned a web,solo at 15m50s: node.kubernetes.io/unreachable:NoExecute is tolerated for 300 s",
				"10m50s EvictionPlanned a db at 1h50m50s: node.kubernetes.io/unreachable:NoExecute is tolerated for 6000 s",
				"10m50s Stays a agent",
				"15m50s Evicted a web,solo node.kubernetes.io/unreachable:NoExecute is tolerated for 300 s",
				"15m50s Deleted solo",
				"15m50s Scheduled b web",
				"1h50m50s Evicted a db node.kubernetes.io/unreachable:NoExecute is tolerated for 6000 s",
				"1h50m50s Scheduled b db",
			}},
		{"it ends at the last moment", []*cluster.Node{a, b}, []*cluster.Pod{newPod("web", "a", rs, defaults)},
			"events: [{at: 10m, event: Unreachable, nodes: [a]}, {at: 15m50s, event: Ready, nodes: [a]}]", "EvictionCancelled Evicted", []string{"15m50s EvictionCancelled a web"}},
		{"it ends too late", []*cluster.Node{a, b}, []*cluster.Pod{newPod("web", "a", rs, defaults)},
			"events: [{at: 15m51s, event: Ready, nodes: [a]}, {at: 10m, event: Unreachable, nodes: [a]}]", "EvictionCancelled Evicted",
			[]string{"15m50s Evicted a web node.kubernetes.io/unreachable:NoExecute is tolerated for 300 s"}},
		{"it ends before it is noticed", []*cluster.Node{a, b}, []*cluster.Pod{newPod("web", "a", rs, defaults)},
			"events: [{at: 10m, event: Unreachable, nodes: [a]}, {at: 10m49s, event: Ready, nodes: [a]}]", "Tainted EvictionPlanned", nil},
		{"NoExecute by hand", []*cluster.Node{a, b},
			[]*cluster.Pod{newPod("none", "a", rs, ""), newPod("hour", "a", rs, "key1=value1:NoExecute for 3600s"), newPod("always", "a", rs, "key1=value1:NoExecute"), newPod("zero", "a", rs, "key1:NoExecute op=Exists for -7s")},
			"{end: 90m, events: [{at: 1m, event: Taint, nodes: [a], edits: ['key1=value1:NoExecute']}]}", "EvictionPlanned Stays Evicted Scheduled", []string{
				"1m0s EvictionPlanned a hour at 1h1m0s: key1=value1:NoExecute is tolerated for 3600 s",
				"1m0s Stays a always",
				"1m0s Evicted a none key1=value1:NoExecute is not tolerated",
				"1m0s Evicted a zero key1=value1:NoExecute is tolerated for 0 s",
				"1m0s Scheduled b none,zero",
				"1h1m0s Evicted a hour key1=value1:NoExecute is tolerated for 3600 s",
				"1h1m0s Scheduled a hour", // it has another hour there
				"1h1m0s EvictionPlanned a hour after the end: key1=value1:NoExecute is tolerated for 3600 s",
			}},
		{"NoSchedule and a cordon", []*cluster.Node{a, b}, []*cluster.Pod{newPod("p", "a", rs, ""), newPod("q", "b", rs, "")},
			`events: [{at: 1h, event: Taint, nodes: [a], edits: ["k:NoSchedule"]}, {at: 1h, event: Cordon, nodes: [b]}, {at: 2h, event: Taint, nodes: [b], edits: ["x:NoExecute"]},
				{at: 3h, event: Taint, nodes: [b], edits: [x-]}, {at: 4h, event: Uncordon, nodes: [b]}]`, "Evicted Pending Scheduled",
			[]string{"2h0m0s Evicted b q x:NoExecute is not tolerated", "2h0m0s Pending q", "4h0m0s Scheduled b q"}},
		{"PreferNoSchedule is a preference", []*cluster.Node{newNode("a", "", "k:PreferNoSchedule"), b}, []*cluster.Pod{newPod("p", "", rs, "")},
			"events: [{at: 1h, event: Taint, nodes: [b], edits: ['x:NoExecute']}]", "Scheduled", []string{"0s Scheduled b p", "1h0m0s Scheduled a p"}},
		{"a node joins", []*cluster.Node{newNode("b", "", "k:NoSchedule")}, []*cluster.Pod{newPod("p", "", rs, "")},
			`events:
- {at: 1m, event: Create, objects: [{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {taints: [{key: node.cloudprovider.kubernetes.io/uninitialized, value: "true", effect: NoSchedule}]}}]}
- {at: 2m, event: Ready, nodes: [a]}
- {at: 3m, event: Initialized, nodes: [a]}`, "Create Ready Initialized Tainted Pending Scheduled", []string{
				"0s Pending p", "1m0s Create a +node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule +node.kubernetes.io/not-ready:NoSchedule +node.kubernetes.io/not-ready:NoExecute",
				"2m0s Ready a -node.kubernetes.io/not-ready:NoSchedule -node.kubernetes.io/not-ready:NoExecute",
				"3m0s Initialized a -node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule", "3m0s Scheduled a p",
			}},
		{"a node leaves", []*cluster.Node{a, b}, []*cluster.Pod{newPod("p", "a", rs, ""), newPod("solo", "a", "", ""), newPod("agent", "a", "DaemonSet agent", "")},
			"events: [{at: 1m, event: Delete, nodes: [a]}]", "Delete Evicted Deleted Scheduled", []string{"1m0s Delete a", "1m0s Deleted agent,solo", "1m0s Scheduled b p"}},
		{"a pod is created with its admission", []*cluster.Node{newNode("a", "", "node.kubernetes.io/memory-pressure:NoSchedule")}, nil,
			`events:
- {at: 1m, event: Create, objects: [{kind: Pod, metadata: {name: best}}, {kind: Pod, metadata: {name: burst}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}]}
- {at: 2m, event: NotReady, nodes: [a]}
- {at: 3m, event: Ready, nodes: [a]}`, "Pending Scheduled EvictionPlanned EvictionCancelled",
			[]string{"1m0s Pending best", "1m0s Scheduled a burst"}}, // the only zone is lost: nothing is tainted with NoExecute
		{"a daemon returns to its node", []*cluster.Node{a, b}, []*cluster.Pod{newPod("agent", "a", "DaemonSet agent", "")},
			"events: [{at: 1m, event: Taint, nodes: [a], edits: ['x:NoExecute']}, {at: 2m, event: Taint, nodes: [a], edits: [x-]}]", "Pending Scheduled",
			[]string{"1m0s Pending agent", "2m0s Scheduled a agent"}},
		{"one taint replaces the other", []*cluster.Node{a, b}, []*cluster.Pod{newPod("p", "a", rs, "node.kubernetes.io/not-ready:NoExecute op=Exists for 60s,"+longer)},
			"{end: 3h, start: FromObserved, events: [{at: 1h, event: NotReady, nodes: [a]}, {at: 1h0m5s, event: Unreachable, nodes: [a]}]}", "NotReady Tainted EvictionPlanned", []string{
				"1h0m0s NotReady a +node.kubernetes.io/not-ready:NoSchedule +node.kubernetes.io/not-ready:NoExecute",
				"1h0m0s EvictionPlanned a p at 1h1m0s: node.kubernetes.io/not-ready:NoExecute is tolerated for 60 s",
				"1h0m55s Tainted a no heartbeat for 50s +node.kubernetes.io/unreachable:NoSchedule +node.kubernetes.io/unreachable:NoExecute -node.kubernetes.io/not-ready:NoSchedule -node.kubernetes.io/not-ready:NoExecute",
				"1h0m55s EvictionPlanned a p at 2h40m55s: node.kubernetes.io/unreachable:NoExecute is tolerated for 6000 s",
			}},
		{"a zone is lost, one node after the other", four, nil, "events: [" + inA + "at: 1h, event: Unreachable}]", "Zone Tainted", []string{
			"1h0m50s Tainted a1 no heartbeat for 50s +node.kubernetes.io/unreachable:NoSchedule +node.kubernetes.io/unreachable:NoExecute",
			"1h0m50s Tainted a2,a3,a4 no heartbeat for 50s +node.kubernetes.io/unreachable:NoSchedule",
			`1h0m50s Zone zone "a" in FullDisruption: 0 of 4 nodes ready, 4 waiting at 0.1/s`,
			"1h1m0s Tainted a2 +node.kubernetes.io/unreachable:NoExecute",
			"1h1m10s Tainted a3 +node.kubernetes.io/unreachable:NoExecute",
			"1h1m20s Tainted a4 +node.kubernetes.io/unreachable:NoExecute",
		}},
		{"a zone is lost in part", four, nil, "events: [" + inA + "at: 1h, percent: 75, event: Unreachable}]", "Zone Tainted",
			[]string{"1h0m50s Tainted a1,a2,a3 no heartbeat for 50s +node.kubernetes.io/unreachable:NoSchedule", `1h0m50s Zone zone "a" in PartialDisruption: 1 of 4 nodes ready, 3 waiting at 0/s`}},
		{"a large zone is lost in part", four, nil, "{largeClusterSizeThreshold: 3, secondaryNodeEvictionRate: 0.1, events: [" + inA + "at: 1h, percent: 75, event: NotReady}]}", "NotReady Tainted", []string{
			"1h0m0s NotReady a1 +node.kubernetes.io/not-ready:NoSchedule +node.kubernetes.io/not-ready:NoExecute",
			"1h0m0s NotReady a2,a3 +node.kubernetes.io/not-ready:NoSchedule",
			"1h0m10s Tainted a2 +node.kubernetes.io/not-ready:NoExecute",
			"1h0m20s Tainted a3 +node.kubernetes.io/not-ready:NoExecute",
		}},
		{"every zone is lost", []*cluster.Node{a, b}, []*cluster.Pod{newPod("p", "a", rs, defaults)},
			"events: [{at: 1h, event: NotReady, nodes: [a]}, {at: 1h1m, event: NotReady, nodes: [b]}, {at: 2h, event: Ready, nodes: [b]}]", "NotReady Ready Tainted EvictionCancelled Evicted", []string{
				"1h0m0s NotReady a +node.kubernetes.io/not-ready:NoSchedule +node.kubernetes.io/not-ready:NoExecute",
				"1h1m0s NotReady b +node.kubernetes.io/not-ready:NoSchedule",
				"1h1m0s Tainted a -node.kubernetes.io/not-ready:NoExecute", "1h1m0s EvictionCancelled a p",
				"2h0m0s Ready b -node.kubernetes.io/not-ready:NoSchedule",
				"2h0m10s Tainted a +node.kubernetes.io/not-ready:NoExecute",
				"2h5m10s Evicted a p node.kubernetes.io/not-ready:NoExecute is tolerated for 300 s",
			}},
		{"the grace period begins anew", []*cluster.Node{a, {Name: "b", Labels: map[string]string{"node.kubernetes.io/exclude-disruption": ""}}}, nil,
			"events: [{at: 1h, event: NotReady, nodes: [a]}, {at: 1h, event: Unreachable, nodes: [b]}, {at: 1h0m30s, event: Ready, nodes: [a]}]", "NotReady Ready Tainted", []string{
				"1h0m0s NotReady a +node.kubernetes.io/not-ready:NoSchedule",
				"1h0m30s Ready a -node.kubernetes.io/not-ready:NoSchedule",
				"1h1m20s Tainted b no heartbeat for 50s +node.kubernetes.io/unreachable:NoSchedule +node.kubernetes.io/unreachable:NoExecute",
			}},
		{"seconds that have passed", []*cluster.Node{{Name: "a", Node: match.Node{Taints: taint.List{since(t, "x:NoExecute", -100)}}}, b}, []*cluster.Pod{newPod("p", "a", "", "x:NoExecute for 300s")},
			"events: []", "EvictionPlanned Evicted", []string{"0s EvictionPlanned a p at 3m20s: x:NoExecute is tolerated for 300 s", "3m20s Evicted a p x:NoExecute is tolerated for 300 s"}},
		{"seconds of a taint that limits the time", []*cluster.Node{{Name: "a", Node: match.Node{Taints: taint.List{since(t, "x:NoExecute", -1000), since(t, "y:NoExecute", -100)}}}, b},
			[]*cluster.Pod{newPod("p", "a", "", "x:NoExecute,y:NoExecute for 300s")}, "events: []", "Evicted", []string{"3m20s Evicted a p y:NoExecute is tolerated for 300 s"}},
		{"the first deadline before the beginning is kept", []*cluster.Node{{Name: "a", Node: match.Node{Taints: taint.List{since(t, "x:NoExecute", -50), since(t, "y:NoExecute", -100)}}}, b},
			[]*cluster.Pod{newPod("p", "a", "", "x:NoExecute for 30s,y:NoExecute for 300s")}, "events: []", "Evicted", []string{"3m20s Evicted a p y:NoExecute is tolerated for 300 s"}},
		{"untolerated from the beginning", []*cluster.Node{{Name: "a", Node: match.Node{Taints: taint.List{since(t, "x:NoExecute", -50)}}}, b}, []*cluster.Pod{newPod("p", "a", "", "")},
			"events: []", "Evicted", []string{"0s Evicted a p x:NoExecute is not tolerated"}},
		{"pressure is unknown without a heartbeat", []*cluster.Node{a, b}, nil,
			`events:
- {at: 1m, event: Conditions, nodes: [a], conditions: [{type: DiskPressure, status: "True"}, {type: NetworkUnavailable, status: "True"}]}
- {at: 2m, event: Unreachable, nodes: [a]}
- {at: 9m, event: Ready, nodes: [a]}`, "Conditions Unreachable Tainted Ready", []string{
				"1m0s Conditions a DiskPressure=True NetworkUnavailable=True +node.kubernetes.io/disk-pressure:NoSchedule +node.kubernetes.io/network-unavailable:NoSchedule",
				"2m0s Unreachable a",
				"2m50s Tainted a no heartbeat for 50s +node.kubernetes.io/unreachable:NoSchedule +node.kubernetes.io/unreachable:NoExecute -node.kubernetes.io/disk-pressure:NoSchedule",
				"9m0s Ready a +node.kubernetes.io/disk-pressure:NoSchedule -node.kubernetes.io/unreachable:NoSchedule -node.kubernetes.io/unreachable:NoExecute",
			}},
		{"an edit of a condition's taint is undone", []*cluster.Node{a, b}, nil, "events: [{at: 1m, event: Taint, nodes: [a], edits: ['x:NoSchedule']}, {at: 2m, event: Taint, nodes: [a], edits: ['node.kubernetes.io/not-ready:NoSchedule']}]", "Taint",
			[]string{"1m0s Taint a +x:NoSchedule", "2m0s Taint a node.kubernetes.io/not-ready:NoSchedule"}},
		{"two events at once", []*cluster.Node{a, b}, nil, "events: [{at: 1m, event: Taint, nodes: [a], edits: ['k=v:NoSchedule']}, {at: 1m, event: Cordon, nodes: [a]}]", "Taint Cordon",
			[]string{"1m0s Taint a k=v:NoSchedule", "1m0s Cordon a +k=v:NoSchedule +node.kubernetes.io/unschedulable:NoSchedule"}},
		{"the first deadline is kept", []*cluster.Node{a, b}, []*cluster.Pod{newPod("p", "a", "", "x:NoExecute for 300s,y:NoExecute for 30s")},
			"events: [{at: 1m, event: Taint, nodes: [a], edits: ['x:NoExecute']}, {at: 2m, event: Taint, nodes: [a], edits: ['y:NoExecute']}]", "Evicted",
			[]string{"6m0s Evicted a p x:NoExecute is tolerated for 300 s"}},
		{"each taint has a start", []*cluster.Node{a, b}, []*cluster.Pod{newPod("p", "a", "", "x:NoExecute for 300s,y:NoExecute for 30s")},
			"{start: FromObserved, events: [{at: 1m, event: Taint, nodes: [a], edits: ['x:NoExecute']}, {at: 2m, event: Taint, nodes: [a], edits: ['y:NoExecute']}]}", "Evicted",
			[]string{"2m30s Evicted a p y:NoExecute is tolerated for 30 s"}},
		{"the longest of several tolerations", []*cluster.Node{a, b}, []*cluster.Pod{newPod("p", "a", "", ":NoExecute op=Exists for 300s,x:NoExecute for 600s")},
			"{choice: Longest, events: [{at: 1m, event: Taint, nodes: [a], edits: ['x:NoExecute']}]}", "Evicted", []string{"11m0s Evicted a p x:NoExecute is tolerated for 600 s"}},
		{"a static pod stays", []*cluster.Node{a, b}, []*cluster.Pod{{Pod: kubejson.Pod{Name: "p", Node: "a", Static: true}, Placement: &cluster.Placement{}}},
			"events: [{at: 1m, event: Taint, nodes: [a], edits: ['x:NoExecute']}]", "Evicted EvictionPlanned Deleted", nil},
		{"far deadlines", []*cluster.Node{a, b}, []*cluster.Pod{newPod("p", "a", rs, "x:NoExecute for 1000000000000s"), newPod("q", "a", rs, "x:NoExecute for 9223372036854775807s")},
			"events: [{at: 1m, event: Taint, nodes: [a], edits: ['x:NoExecute']}]", "Evicted EvictionPlanned Stays",
			[]string{"1m0s EvictionPlanned a p after the end: x:NoExecute is tolerated for 1000000000000 s", "1m0s Stays a q"}},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "_"), func(t *testing.T) {
			r := simulate(t, test.nodes, test.pods, test.scenario)
			if diff := cmp.Diff(test.want, r.lines(test.events)); diff != "" {
				t.Errorf("timeline mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func since(t *testing.T, text string, seconds int64) taint.Taint {
	with, err := taint.MustParse(text).WithTimeAdded(time.Unix(seconds, 0))
	if err != nil {
		t.Fatal(err)
	}
	return with
}

// The seconds of a pod that started after the taint was added begin when it started.
func TestSimulate_started(t *testing.T) {
	now := time.Unix(0, 0).UTC()
	n := newNode("a", "a", "")
	added, err := taint.MustParse("k:NoExecute").WithTimeAdded(now.Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	n.Taints = taint.List{added}
	p := newPod("p", "a", "", "k:NoExecute op=Exists for 60s")
	p.Started = now.Add(-20 * time.Second)
	r := simulate(t, []*cluster.Node{n}, []*cluster.Pod{p}, "events: [{at: 1h, event: Cordon, nodes: [a]}]")
	want := []string{"40s Evicted a p k:NoExecute is tolerated for 60 s"}
	if diff := cmp.Diff(want, r.lines("Evicted")); diff != "" {
		t.Error("evictions mismatch (-want +got):\n" + diff)
	}
}
