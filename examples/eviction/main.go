// Eviction shows which pods are evicted, and when, after a node fails.
//
//	go run ./examples/eviction
//
// Two nodes stop reporting their status, and one of them recovers. Package condition
// computes the taints that follow from that, package admission the tolerations that
// pods get, and package eviction the time of each eviction. Kubernetes sets Ready to
// Unknown 50 seconds after the last report; the times printed start then. If many nodes
// fail, it limits the rate of the taints; see package disruption.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint/condition"
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
		{"web", "node-a", created("")},
		{"batch", "node-a", created("node.kubernetes.io/unreachable:NoExecute op=Exists for 30s")},
		{"cache", "node-a", created("node.kubernetes.io/unreachable:NoExecute op=Exists for 0s")},
		{"database", "node-a", created("node.kubernetes.io/unreachable:NoExecute op=Exists")},
		{"log-agent", "node-a", admission.Daemon(admission.DaemonOptions{})},
		{"queue", "node-b", created("")},
		{"index", "node-b", created("node.kubernetes.io/unreachable:NoExecute op=Exists for 60s")},
	}
}

// An event is a change of a node's condition Ready.
type event struct {
	after        time.Duration
	node, status string
}

var events = []event{
	{0, "node-a", condition.StatusUnknown},
	{60 * time.Second, "node-b", condition.StatusUnknown},
	{150 * time.Second, "node-b", condition.StatusTrue},
}

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "eviction: no arguments are allowed")
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	simulate(out, pods(), events)
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "eviction:", err)
		os.Exit(1)
	}
}

// simulate prints what happens, and returns after how long each pod is evicted.
func simulate(w io.Writer, pods []pod, events []event) map[string]time.Duration {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func(at time.Time) string { return at.Format(time.TimeOnly) }
	evicted := map[string]time.Duration{}
	observed := map[string][]eviction.Observed{}
	var schedule eviction.Schedule[string]

	evict := func(until time.Time) {
		for name, deadline := range schedule.Due(until) {
			evicted[name] = deadline.Sub(start)
			fmt.Fprintf(w, "%s  %s is evicted\n", clock(deadline), name)
		}
	}
	for _, e := range events {
		now := start.Add(e.after)
		evict(now)

		node := condition.NodeStatus{Conditions: []condition.Condition{{Type: condition.TypeReady, Status: e.status}}}
		for _, o := range observed[e.node] {
			node.Taints = append(node.Taints, o.Taint)
		}
		taints, changes := condition.Reconcile(node, condition.Options{NoExecute: condition.AtOnce})
		observed[e.node] = eviction.Observe(observed[e.node], taints, now)
		fmt.Fprintf(w, "%s  %s: Ready is %s\n", clock(now), e.node, e.status)
		for _, t := range changes.Removed() {
			fmt.Fprintf(w, "            -%v\n", t)
		}
		for _, t := range changes.Added() {
			fmt.Fprintf(w, "            +%v\n", t)
		}
		for _, p := range pods {
			if _, gone := evicted[p.name]; gone || p.node != e.node {
				continue
			}
			update := schedule.Update(p.name, observed[e.node], now, eviction.Options{}, p.tolerations)
			fmt.Fprintf(w, "            %-10s %s\n", p.name, describe(update, clock))
		}
		evict(now)
	}
	for {
		_, deadline, ok := schedule.Next()
		if !ok {
			return evicted
		}
		evict(deadline)
	}
}

func describe(u eviction.Update, clock func(time.Time) string) string {
	at, _ := u.Decision.Deadline()
	switch {
	case u.Kind == eviction.Cancelled:
		return "stays: its eviction at " + clock(u.Before) + " is cancelled"
	case u.Decision.Kind() == eviction.Never:
		return "stays: it tolerates the taints permanently"
	case u.Decision.Kind() == eviction.Now:
		return "must be evicted now"
	}
	return "must be evicted at " + clock(at)
}
