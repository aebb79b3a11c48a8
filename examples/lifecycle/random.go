package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// randomCluster is the script of a cluster: zones of nodes, some of them
// dedicated, and pods of all kinds, most of which say nothing of seconds.
func randomCluster(seed uint64, nodes, pods, zones int) string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(seed, 3))
	fmt.Fprintf(&b, "# A cluster of %s in %s, from the seed %d.\n", plural(nodes, "node"), plural(min(nodes, zones), "zone"), seed)
	for z := range min(nodes, zones) {
		n := (nodes + z) / zones
		if zones > nodes {
			n = 1
		}
		gpus := n / 10
		fmt.Fprintf(&b, "node z%d-n{1..%d} region=eu zone=z%[1]d\n", z+1, n-gpus)
		if gpus > 0 {
			fmt.Fprintf(&b, "node z%d-gpu{1..%d} region=eu zone=z%[1]d taint=dedicated=gpu:NoSchedule\n", z+1, gpus)
		}
	}
	fmt.Fprint(&b, "daemon agent tolerates=op=Exists\ndaemon logs\n")
	const both = ` tolerates="node.kubernetes.io/not-ready:NoExecute op=Exists%[3]s" tolerates="node.kubernetes.io/unreachable:NoExecute op=Exists%[3]s"`
	for i := 1; pods > 0; i++ {
		n := min(pods, 1+r.IntN(20))
		pods -= n
		switch k := r.IntN(20); {
		case k == 0:
			pods += n - 1
			fmt.Fprintf(&b, "pod solo-%d\n", i)
		case k < 3:
			fmt.Fprintf(&b, "workload db-%d replicas=%d"+both+"\n", i, n, " for 6000s")
		case k < 5:
			fmt.Fprintf(&b, "workload fast-%d replicas=%d"+both+"\n", i, n, " for 30s")
		case k < 6:
			fmt.Fprintf(&b, "workload tied-%d replicas=%d"+both+"\n", i, n, "")
		case k < 8:
			fmt.Fprintf(&b, "workload train-%d replicas=%d tolerates=dedicated=gpu\n", i, n)
		default:
			fmt.Fprintf(&b, "workload web-%d replicas=%d\n", i, n)
		}
	}
	return b.String()
}

// randomDay is the script of what happens to nodes: some fail, each for itself,
// some are emptied by hand; a zone is lost by and by; and once all are.
func randomDay(seed uint64, nodes []*nodeSpec, end clock) string {
	r := rand.New(rand.NewPCG(seed, 4))
	type line struct {
		at   int64 // in seconds
		text string
	}
	var lines []line
	last := int64(time.Duration(end) / time.Second)
	add := func(at int64, form string, args ...any) {
		if at <= last {
			lines = append(lines, line{at, fmt.Sprintf(form, args...)})
		}
	}
	span := func(from, to int64) int64 { return from + r.Int64N(to-from+1) }
	lasts := func() int64 { return []int64{30, 120, 600, 3600, 10800}[r.IntN(5)] * span(50, 150) / 100 }
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *nodeSpec) bool { return !plainName(n.name) })
	for range (len(nodes) + 4) / 5 {
		name, at, until := nodes[r.IntN(len(nodes))].name, span(0, last), lasts()
		switch k := r.IntN(20); {
		case k < 10:
			add(at, "node %s unreachable", name)
			add(at+until, "node %s ready", name)
		case k < 15:
			add(at, "node %s not-ready", name)
			add(at+until, "node %s ready", name)
		case k < 17:
			add(at, "node %s DiskPressure=True", name)
			add(at+until, "node %s DiskPressure=False", name)
		default:
			add(at, "cordon node %s", name)
			add(at+60, "taint node %s maintenance=today:NoExecute", name)
			add(at+60+until, "taint node %s maintenance=today:NoExecute-", name)
			add(at+120+until, "uncordon node %s", name)
		}
	}
	var zones []string
	for _, n := range nodes {
		if name := n.zone.String(); plainName(name) && !slices.Contains(zones, name) {
			zones = append(zones, name)
		}
	}
	if len(zones) > 0 {
		zone := zones[r.IntN(len(zones))]
		at := span(last/12, last/3)
		add(at, "zone %s 70%% unreachable", zone)
		at += span(600, 1800)
		add(at, "zone %s unreachable", zone)
		add(at+span(1800, 5400), "zone %s ready", zone)
	}
	at := span(last/2, last*3/4)
	add(at, "all unreachable")
	add(at+span(1200, 3600), "all ready")

	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%v %s\n", clock(l.at)*clock(time.Second), l.text)
	}
	return b.String()
}

// plainName reports whether a script can name it.
func plainName(name string) bool {
	return name != "" && !strings.ContainsAny(name, "{},*?[]\\\"# \t\r\n") && name == strings.ToValidUTF8(name, "")
}
