package main

import (
	"errors"
	"strings"
	"testing"
)

// simulateCluster runs a script on objects as kubectl writes them.
func simulateCluster(t *testing.T, objects, text string, args ...string) *simulation {
	t.Helper()
	opts, err := parseArgs(append([]string{"-spread", "0s"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	s := &script{}
	s.read("objects", strings.NewReader(objects))
	s.parse("script", text)
	sim := s.build(opts.settings)
	if err := errors.Join(s.problems...); err != nil {
		t.Fatal(err)
	}
	if err := sim.run(); err != nil {
		t.Fatal(err)
	}
	return sim
}

func TestKindsFromOwners(t *testing.T) {
	const node = `{"kind": "Node", "metadata": {"name": "a"}}`
	for owner, want := range map[string]kind{
		``:                              bare,
		`{"kind": "ReplicaSet"}`:        workload,
		`{"kind": "Job"}`:               workload,
		`{"kind": "DaemonSet"}`:         daemon,
		`{"kind": "Node", "name": "a"}`: bare, // without the annotation it is not known to be a mirror
	} {
		sim := simulateCluster(t, node+`{"kind": "Pod", "metadata": {"name": "p", "namespace": "n", "ownerReferences": [`+owner+`]}, "spec": {"nodeName": "a"}}`, "")
		if got := sim.pod(t, "n/p").kind; got != want {
			t.Errorf("%s: %v, want %v", owner, got, want)
		}
	}
}

// A static pod stays, even where it tolerates a taint for a while only.
func TestStaticStays(t *testing.T) {
	sim := simulateCluster(t, `{"kind": "Node", "metadata": {"name": "a"}}
		{"kind": "Pod", "metadata": {"name": "p", "annotations": {"kubernetes.io/config.mirror": "x"}},
		 "spec": {"nodeName": "a", "tolerations": [{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}]}}`, "1:00 taint all k:NoExecute\n2:00 all not-ready")
	wantEvictions(t, sim, "p")
	if p := sim.pod(t, "p"); p.kind != static || p.phase != running {
		t.Errorf("%v, %v", p.kind, p.phase)
	}
}

// The day begins when the last taint was added, so an older one has begun before.
func TestTimeAdded(t *testing.T) {
	const objects = `{"kind": "Node", "metadata": {"name": "a"}, "spec": {"taints": [
			{"key": "old", "effect": "NoExecute", "timeAdded": "2026-05-01T12:00:00Z"}, {"key": "new", "effect": "NoExecute", "timeAdded": "2026-05-01T12:01:00Z"}]}}
		{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeName": "a", "tolerations": [
			{"key": "old", "effect": "NoExecute", "operator": "Exists", "tolerationSeconds": 300}, {"key": "new", "operator": "Exists"}]}}`
	sim := simulateCluster(t, objects, "", "-start", "added")
	wantLines(t, sim.lines("must leave"), "00:00:00  p must leave a at 00:04:00: old:NoExecute since -00:01:00 is tolerated for 300 seconds")
	wantEvictions(t, sim, "p", "00:04:00")
	wantEvictions(t, simulateCluster(t, objects, ""), "p", "00:05:00") // observed as the day begins
}

// What the file says of a node's readiness is how the day begins.
func TestReadiness(t *testing.T) {
	const form = `{"kind": "Node", "metadata": {"name": "a"}, "status": {"conditions": [{"type": "DiskPressure", "status": "True"}, {"type": "Ready", "status": "STATUS"}]}}{"kind": "Node", "metadata": {"name": "b", "labels": {"topology.kubernetes.io/zone": "b"}}}`
	for status, want := range map[string]struct {
		health health
		taint  string // of key and effect, beside that of the pressure
		lines  int    // when it falls silent, or is not ready
	}{
		"True":    {healthy, "", 2},
		"False":   {sick, "not-ready", 2}, // silent, and not ready again
		"Unknown": {silent, "unreachable", 1},
		"Strange": {healthy, "", 2},
	} {
		objects := strings.Replace(form, "STATUS", status, 1)
		sim := simulateCluster(t, objects, "", "-for", "1s")
		n := sim.nodes[0]
		if n.health != want.health || (len(n.state.Taints) > 1) != (want.taint != "") || want.taint != "" && n.state.Taints[1].Key() != "node.kubernetes.io/"+want.taint {
			t.Errorf("%s: %v, %v", status, n.health, n.state.Taints)
		}
		sim = simulateCluster(t, objects, "1:00 node a unreachable\n2:00 node a not-ready")
		if got := len(sim.lines("falls silent")) + len(sim.lines("is not ready")); got != want.lines {
			t.Errorf("%s: %q", status, sim.lines(""))
		}
	}
}
