package simulate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-tolerate/tolerate/internal/gen" // RAPID_SEED
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
)

// A reference goes through every second and computes everything anew. It uses none of
// the library's packages.
type reference struct {
	sticky, disrupted bool
	now               int
	nodes             map[string]*refNode
	pods              []*refPod
}

type refTaint struct{ key, value, effect string }

func (t refTaint) String() string {
	if t.value == "" {
		return t.key + ":" + t.effect
	}
	return t.key + "=" + t.value + ":" + t.effect
}

type refNode struct {
	exists, silent, disk, cordoned bool

	ready       string
	notice      int
	own, taints []refTaint
	since       map[refTaint]int // without value
}

type refToleration struct {
	key, value, effect string // empty are all
	seconds            int    // -1 is for ever
}

var refTolerations = map[string]refToleration{
	"op=Exists":                                    {"", "", "", -1},
	"k op=Exists":                                  {"k", "", "", -1},
	"k:NoExecute op=Exists for 7s":                 {"k", "", "NoExecute", 7},
	"k=v:NoExecute for 0s":                         {"k", "v", "NoExecute", 0},
	"k=v:NoExecute for 3s":                         {"k", "v", "NoExecute", 3},
	":NoExecute op=Exists for 20s":                 {"", "", "NoExecute", 20},
	notReadyKey + ":NoSchedule op=Exists":          {notReadyKey, "", "NoSchedule", -1},
	notReadyKey + ":NoExecute op=Exists for 9s":    {notReadyKey, "", "NoExecute", 9},
	unreachableKey + ":NoExecute op=Exists for 4s": {unreachableKey, "", "NoExecute", 4},
}

const (
	notReadyKey    = "node.kubernetes.io/not-ready"
	unreachableKey = "node.kubernetes.io/unreachable"
)

func (u refToleration) matches(t refTaint) bool {
	return (u.key == "" || u.key == t.key) && (u.value == "" || u.value == t.value) && (u.effect == "" || u.effect == t.effect)
}

type refPod struct {
	name, owner, node string
	tolerations       []refToleration
	home              string
	arrived           int
	start, deadline   int // -1 is none
	gone              bool
}

// limit returns for how many seconds the pod tolerates a taint: -1 for ever, -2 not.
func (p *refPod) limit(t refTaint) int {
	for _, u := range p.tolerations {
		if u.matches(t) {
			return u.seconds
		}
	}
	return -2
}

// fits returns 0 if the node can be used, 1 if another one is preferred, or 2.
func (p *refPod) fits(n *refNode) (level int) {
	if !n.exists {
		return 2
	}
	for _, t := range n.taints {
		limit := p.limit(t)
		switch {
		case t.effect == "PreferNoSchedule" && limit == -2:
			level = 1
		case t.effect != "PreferNoSchedule" && limit == -2, t.effect == "NoExecute" && limit == 0:
			return 2
		}
	}
	return level
}

// second does what happens in a second after its events.
func (r *reference) second() {
	ready, all := 0, 0
	for _, n := range r.nodes {
		if n.exists && n.silent && n.notice == r.now {
			n.ready = "Unknown"
		}
		if n.exists {
			all++
		}
		if n.exists && n.ready == "True" {
			ready++
		}
	}
	if was := r.disrupted; was && ready > 0 {
		for _, n := range r.nodes {
			if n.exists && n.silent && n.notice > r.now {
				n.notice = r.now + 3
			}
		}
	}
	r.disrupted = all > 0 && ready == 0
	for _, n := range r.nodes {
		n.taints = slices.Clone(n.own)
		require := func(when bool, key, effect string) {
			if when && n.exists {
				n.taints = append(n.taints, refTaint{key, "", effect})
			}
		}
		require(n.ready == "False", notReadyKey, "NoSchedule")
		require(n.ready == "Unknown", unreachableKey, "NoSchedule")
		require(n.ready == "False" && !r.disrupted, notReadyKey, "NoExecute")
		require(n.ready == "Unknown" && !r.disrupted, unreachableKey, "NoExecute")
		require(n.disk && n.ready != "Unknown", "node.kubernetes.io/disk-pressure", "NoSchedule")
		require(n.cordoned, "node.kubernetes.io/unschedulable", "NoSchedule")
		since := map[refTaint]int{}
		for _, t := range n.taints {
			t.value = ""
			if at, ok := n.since[t]; ok {
				since[t] = at
			} else {
				since[t] = r.now
			}
		}
		n.since = since
	}
	for _, p := range r.pods {
		if p.node != "" && r.evaluate(p) {
			r.leave(p)
		}
	}
	for _, p := range r.pods {
		if p.gone || p.node != "" {
			continue
		}
		best := 2
		for _, name := range refNames {
			n := r.nodes[name]
			if n == nil || p.home != "" && p.home != name {
				continue
			}
			if level := p.fits(n); level < best {
				best, p.node = level, name
			}
		}
		if p.node != "" {
			p.arrived = r.now
			r.evaluate(p)
		}
	}
}

// evaluate sets the deadline of a pod, and reports whether it is over.
func (r *reference) evaluate(p *refPod) bool {
	n := r.nodes[p.node]
	deadline, shortest := -1, -1
	for _, t := range n.taints {
		if t.effect != "NoExecute" {
			continue
		}
		limit := p.limit(t)
		if limit == -2 {
			return true
		}
		t.value = ""
		at := max(n.since[t], p.arrived) + limit
		if limit >= 0 && (deadline < 0 || at < deadline) {
			deadline = at
		}
		if limit >= 0 && (shortest < 0 || limit < shortest) {
			shortest = limit
		}
	}
	switch {
	case deadline < 0:
		p.start, p.deadline = -1, -1
	case !r.sticky:
		p.deadline = deadline
	case p.start < 0 || p.start == r.now:
		p.start, p.deadline = r.now, r.now+shortest
	}
	return p.deadline >= 0 && p.deadline <= r.now
}

func (r *reference) leave(p *refPod) {
	n := r.nodes[p.node]
	p.gone = p.owner == "" || p.home != "" && !n.exists
	p.node, p.start, p.deadline = "", -1, -1
}

func (r *reference) state(p *refPod) string {
	if p.gone || p.node == "" {
		return map[bool]string{true: "Deleted ", false: "Pending "}[p.gone]
	}
	n := r.nodes[p.node]
	switch {
	case n.silent || n.ready != "True":
		return "NotReady " + p.node
	case p.deadline >= 0:
		return "Evicting " + p.node
	}
	return "Running " + p.node
}

var refNames = []string{"a1", "a2", "b1", "b2", "c1"}

// happen does what an event describes, and reports whether it can.
func (r *reference) happen(kind, name, text string) bool {
	n := r.nodes[name]
	if kind == "Create" && (n == nil || !n.exists) {
		r.nodes[name] = &refNode{exists: true, ready: "False"}
		return true
	}
	if kind == "Create" || n == nil || !n.exists {
		return false
	}
	switch kind {
	case "Unreachable":
		if !n.silent {
			n.silent, n.notice = true, r.now+3
		}
	case "NotReady":
		n.silent, n.ready = false, "False"
	case "Ready":
		n.silent, n.ready = false, "True"
	case "Conditions":
		n.disk = text == "True"
	case "Cordon", "Uncordon":
		n.cordoned = kind == "Cordon"
	case "Taint":
		key, effect, _ := strings.Cut(text, ":")
		key, value, _ := strings.Cut(key, "=")
		i := slices.IndexFunc(n.own, func(t refTaint) bool { return t.key == key && t.effect == strings.TrimSuffix(effect, "-") })
		if strings.HasSuffix(text, "-") {
			if i < 0 {
				return false
			}
			n.own = slices.Delete(slices.Clone(n.own), i, i+1)
		} else if i < 0 {
			n.own = append(n.own, refTaint{key, value, effect})
		} else {
			n.own[i].value = value
		}
	case "Delete":
		n.exists = false
		for _, p := range r.pods {
			if p.node == name {
				r.leave(p)
			}
		}
		r.nodes[name] = &refNode{}
	}
	return true
}

// The simulation is in the state of the reference at every second.
func TestReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := func(label string, words ...string) string { return rapid.SampledFrom(words).Draw(t, label) }
		start := word("start", "Sticky", "FromObserved")
		r := &reference{sticky: start == "Sticky", nodes: map[string]*refNode{}}
		c := &cluster.Cluster{}
		for _, name := range refNames[:rapid.IntRange(2, 4).Draw(t, "nodes")] {
			n := &refNode{exists: true, ready: "True"}
			r.nodes[name] = n
			text := word("own", "", "", "k=v:NoSchedule", "k:PreferNoSchedule")
			if text != "" {
				r.happen("Taint", name, text)
			}
			c.Nodes = append(c.Nodes, newNode(name, name[:1], text))
		}
		texts := slices.Sorted(maps.Keys(refTolerations))
		for i := range rapid.IntRange(1, 5).Draw(t, "pods") {
			p := &refPod{name: fmt.Sprint("p", i), owner: word("owner", "", "ReplicaSet r", "ReplicaSet r", "DaemonSet d"), node: word("node", "", "a1", "a2"), start: -1, deadline: -1}
			if strings.HasPrefix(p.owner, "DaemonSet") {
				p.home = p.node
			}
			var list []string
			for range rapid.IntRange(0, 3).Draw(t, "tolerations") {
				text := word("toleration", texts...)
				list, p.tolerations = append(list, text), append(p.tolerations, refTolerations[text])
			}
			r.pods = append(r.pods, p)
			c.Pods = append(c.Pods, newPod(p.name, p.node, p.owner, strings.Join(list, ",")))
		}
		var events []string
		var states []map[string]string // by second
		at := 0
		for range rapid.IntRange(1, 12).Draw(t, "events") {
			at += rapid.SampledFrom([]int{0, 1, 2, 3, 4, 7, 25}).Draw(t, "pause")
			for ; r.now < at; r.now++ {
				r.second()
				states = append(states, r.states())
			}
			name := word("name", refNames...)
			kind := word("kind", "Unreachable", "Unreachable", "NotReady", "Ready", "Ready", "Conditions", "Cordon", "Uncordon", "Taint", "Taint", "Taint", "Create", "Delete")
			text, fields := "", fmt.Sprintf("nodes: [%s]", name)
			switch kind {
			case "Conditions":
				text = word("status", "True", "False")
				fields += fmt.Sprintf(", conditions: [{type: DiskPressure, status: %q}]", text)
			case "Taint":
				text = word("edit", "k=v:NoExecute", "k=w:NoExecute", "k:NoExecute-", "k=v:NoExecute", "k:NoSchedule-", "l:NoExecute", "l:NoExecute-")
				fields += fmt.Sprintf(", edits: [%q]", text)
			case "Create":
				fields = fmt.Sprintf("objects: [{kind: Node, metadata: {name: %s, labels: {topology.kubernetes.io/zone: %s}}}]", name, name[:1])
			}
			if r.happen(kind, name, text) {
				events = append(events, fmt.Sprintf("- {at: %ds, event: %s, %s}", at, kind, fields))
			}
		}
		for ; r.now < at+60; r.now++ {
			r.second()
			states = append(states, r.states())
		}
		text := fmt.Sprintf("{start: %s, end: %ds, nodeMonitorGracePeriod: 3s, nodeEvictionRate: .inf, secondaryNodeEvictionRate: .inf, largeClusterSizeThreshold: 0, events: [\n", start, at+60)
		text += strings.ReplaceAll(strings.Join(events, ",\n"), "- ", "") + "]}"
		s, err := readScenario("test", strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		sim, err := newSimulation(c, s, time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		if err := sim.run(context.Background()); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		sim.report()
		for now, want := range states {
			got := map[string]string{}
			at := func(h *History) *Span {
				for i, s := range h.Spans {
					if s.From <= Seconds(now)*Seconds(time.Second) && s.To > Seconds(now)*Seconds(time.Second) {
						return &h.Spans[i]
					}
				}
				return nil
			}
			for _, p := range sim.pods {
				s := at(&p.history)
				got[p.Name] = s.State + " " + s.Detail
			}
			for _, n := range sim.nodes {
				if s := at(&n.history); s != nil && s.State != "Deleted" {
					taints := strings.Split(s.Detail, ",")
					slices.Sort(taints)
					got[n.Name] = strings.Join(taints, ",")
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("second %d mismatch (-want +got):\n%s\n%v\n%s", now, diff, c.Pods[0].Tolerations, text)
			}
		}
	})
}

func (r *reference) states() map[string]string {
	m := map[string]string{}
	for _, p := range r.pods {
		m[p.name] = r.state(p)
	}
	for name, n := range r.nodes {
		if n.exists {
			var taints []string
			for _, t := range n.taints {
				taints = append(taints, t.String())
			}
			slices.Sort(taints)
			m[name] = strings.Join(taints, ",")
		}
	}
	return m
}
