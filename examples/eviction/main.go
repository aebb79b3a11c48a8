// Eviction simulates which pods are evicted, and when, while the nodes of a zone fail.
//
//	go run ./examples/eviction
//
// Three of six nodes stop reporting their status, then two more; later, three return. Nodes
// that fail get a NoExecute taint, one in 10 seconds, and none while at least 55 % of a
// small zone have failed. Kubernetes sets Ready to Unknown 50 seconds after the last report;
// the times printed start then.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

type pod struct {
	name, node  string
	tolerations toleration.List
}

// pods returns the pods with the tolerations that the API server and the DaemonSet
// controller add.
func pods() []pod {
	created := func(text string) toleration.List {
		own := toleration.MustParseList(text)
		return append(own, admission.DefaultSeconds(admission.SecondsOptions{}, own)...)
	}
	return []pod{
		{"web", "a-1", created("")},
		{"batch", "a-1", created("node.kubernetes.io/unreachable:NoExecute op=Exists for 30s")},
		{"cache", "a-1", created("node.kubernetes.io/unreachable:NoExecute op=Exists for 0s")},
		{"database", "a-1", created("node.kubernetes.io/unreachable:NoExecute op=Exists")},
		{"log-agent", "a-1", admission.Daemon(admission.DaemonOptions{}, nil)},
		{"queue", "a-2", created("")},
		{"index", "a-2", created("node.kubernetes.io/unreachable:NoExecute op=Exists for 60s")},
		{"mail", "a-3", created("")},
		{"shop", "a-4", created("")},
	}
}

// An event is a change of the condition Ready of some nodes.
type event struct {
	after  time.Duration
	status string
	nodes  []string
}

var events = []event{
	{0, condition.StatusUnknown, []string{"a-1", "a-2", "a-3"}},
	{15 * time.Second, condition.StatusUnknown, []string{"a-4", "a-5"}},
	{2 * time.Minute, condition.StatusTrue, []string{"a-2", "a-4", "a-5"}},
}

var (
	zone  = disruption.Zone{Name: "a"}
	names = []string{"a-1", "a-2", "a-3", "a-4", "a-5", "a-6"} // of the nodes
	start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

func main() { newCluster(os.Stdout, pods()).run(events) }

// A cluster is a zone, the pods that run there, and what a controller keeps.
type cluster struct {
	out      io.Writer
	now      time.Time
	nodes    map[string]*node
	pods     []pod
	evicted  map[string]time.Time
	limiter  *disruption.Limiter[string]
	schedule eviction.Schedule[string]
}

type node struct {
	status string
	taints taint.List
}

func newCluster(out io.Writer, pods []pod) *cluster {
	c := &cluster{out: out, now: start, nodes: map[string]*node{}, pods: pods, evicted: map[string]time.Time{}, limiter: disruption.NewLimiter[string](disruption.DefaultRates())}
	for _, name := range names {
		c.nodes[name] = &node{status: condition.StatusTrue}
	}
	return c
}

func (c *cluster) print(format string, args ...any) {
	fmt.Fprintf(c.out, c.now.Format(time.TimeOnly)+"  "+format+"\n", args...)
}

// run handles the events, and the nodes and pods that become due between and after them.
func (c *cluster) run(events []event) {
	for _, e := range events {
		c.advance(start.Add(e.after))
		c.now = start.Add(e.after)
		for _, name := range e.nodes {
			c.nodes[name].status = e.status
		}
		c.print("%s: Ready is %s", strings.Join(e.nodes, ", "), e.status)
		var count disruption.Count
		for _, n := range c.nodes {
			if n.status == condition.StatusTrue {
				count.Ready++
			} else {
				count.NotReady++
			}
		}
		all, _ := c.limiter.Update(c.now, map[disruption.Zone]disruption.Count{zone: count})
		for _, name := range names {
			if all { // failed: the control plane has probably lost its network
				c.nodes[name].taints = condition.NodeEviction().Drop(c.nodes[name].taints)
			}
			c.reconcile(name, false)
		}
		state, rate, _ := c.limiter.State(zone)
		c.print("zone %q in %v: %d of %d nodes ready, %d waiting at %v/s", zone, state, count.Ready, len(names), c.limiter.Len(), rate)
	}
	c.advance(start.Add(24 * time.Hour))
}

// advance taints the nodes and evicts the pods that are due until then, in order.
func (c *cluster) advance(until time.Time) {
	for {
		taintAt, waits := c.limiter.Next(c.now)
		_, evictAt, runs := c.schedule.Next()
		switch {
		case runs && !evictAt.After(until) && (!waits || !evictAt.After(taintAt)):
			c.now = evictAt
			for name := range c.schedule.Due(c.now) {
				c.evicted[name] = c.now
				c.print("%s is evicted", name)
			}
		case waits && !taintAt.After(until):
			c.now = taintAt
			for name := range c.limiter.Take(c.now) {
				c.reconcile(name, true)
			}
		default:
			return
		}
	}
}

// reconcile sets the taints that the node's condition requires. A node that waits for its
// first NoExecute taint is added to the limiter's queue.
func (c *cluster) reconcile(name string, atOnce bool) {
	n := c.nodes[name]
	status := condition.NodeStatus{Conditions: []condition.Condition{{Type: "Ready", Status: n.status}}, Taints: n.taints}
	taints, changes := condition.Reconcile(status, condition.Options{AtOnce: atOnce})
	if _, waits := changes.Waiting(); waits {
		c.limiter.Add(zone, name)
	} else {
		c.limiter.Remove(name)
	}
	for _, t := range changes.Removed() {
		c.print("%s: -%v", name, t)
	}
	for _, t := range changes.Added() {
		c.print("%s: +%v", name, t)
	}
	n.taints = taints
	for _, p := range c.pods {
		if _, gone := c.evicted[p.name]; gone || p.node != name {
			continue
		}
		update := c.schedule.Update(p.name, taints, c.now, toleration.First, p.tolerations)
		if update.Kind != eviction.Unchanged || atOnce {
			fmt.Fprintf(c.out, "            %-10s %s\n", p.name, describe(update))
		}
	}
}

func describe(u eviction.Update) string {
	if at, ok := u.Decision.Deadline(); ok {
		return "must be evicted at " + at.Format(time.TimeOnly)
	} else if u.Kind == eviction.Cancelled {
		return "stays: its eviction at " + u.Before.Format(time.TimeOnly) + " is cancelled"
	}
	return "stays: it tolerates the taints permanently"
}
