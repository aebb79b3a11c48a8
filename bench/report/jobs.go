package main

import "math"

// A job is a row of the table: Kubernetes' code beside the library's.
type job struct {
	name   string
	short  string  // in the chart
	bench  string  // what stands before /impl=
	impl   string  // the library's way; "tolerate" when empty
	target float64 // 0 when no ratio was asked for
	then   float64 // Kubernetes' seconds when the target was set
	atMost float64 // allocations
	fewer  bool    // fewer allocations than Kubernetes are enough
	inHead bool    // it is in the README too
}

var jobs = []job{
	{name: "check a key of 28 bytes (`IsQualifiedName`)", short: "key", bench: "Key/bytes=28", target: 40, then: 1055e-9, inHead: true},
	{name: "check a value of 13 bytes (`IsValidLabelValue`)", short: "value", bench: "Value/bytes=13", target: 35, then: 440e-9},
	{name: "read `key=value:Effect`, known strings (`ParseTaints`)", short: "read a taint", bench: "Parse/known=yes", target: 12, then: 1413e-9, inHead: true},
	{name: "write it (`ToString`)", short: "write a taint", bench: "Text", target: 25, then: 324e-9},
	{name: "check 3 tolerations (`ValidateTolerations`)", short: "check 3 tolerations", bench: "Validate/tolerations=3", target: 25, then: 4043e-9, inHead: true},
	{name: "read the JSON of 2 tolerations, checked (`encoding/json`, unchecked)", short: "JSON of 2 tolerations", bench: "JSON/tolerations=2", target: 1, then: 5379e-9, fewer: true, inHead: true},
	{name: "merge 2 + 2 tolerations (`MergeTolerations`)", short: "merge 2 + 2", bench: "Merge/tolerations=2+2", target: 30, then: 10_840e-9, atMost: 1},
	{name: "filter 5,000 nodes, nothing prepared (`FindMatchingUntoleratedTaint`)", short: "Filter, 5,000 nodes", bench: "Filter/nodes=5000", target: 30, then: 1244e-6, inHead: true},
	{name: "the same, the pod compiled", short: "Compile, 5,000 nodes", bench: "Filter/nodes=5000", impl: "tolerate-compiled", target: 50, then: 1244e-6, inHead: true},
	{name: "the same, the fleet indexed", short: "Index, 5,000 nodes", bench: "Filter/nodes=5000", impl: "tolerate-index", target: 1000, then: 1244e-6, inHead: true},
	{name: "filter 1,000,000 nodes, the fleet indexed", short: "Index, 1,000,000 nodes", bench: "Filter/nodes=1000000", impl: "tolerate-index", target: 25_000, then: 250e-3, inHead: true},
	{name: "when a pod must go, 2 taints (`GetMatchingTolerations`, and the least seconds)", short: "eviction", bench: "Evict/taints=2", inHead: true},
	{name: "a node's conditions and taints, nothing to do (the node lifecycle controller's pass)", short: "reconcile, nothing to do", bench: "Reconcile/change=none"},
	{name: "the same, one taint in another's place", short: "reconcile, one taint", bench: "Reconcile/change=one", atMost: 1},
	{name: "what admission adds to a pod: default seconds (the plugin's `Admit`)", short: "admission: seconds", bench: "Admit/rule=seconds", atMost: 1},
	{name: "extended resources", short: "admission: resources", bench: "Admit/rule=resources", atMost: 1},
	{name: "a namespace's defaults and whitelist, annotations read once a namespace", short: "admission: namespace", bench: "Admit/rule=restriction", impl: "tolerate-namespace", atMost: 1},
	{name: "what admission adds to a pod, all of it (the plugins' `Admit`)", short: "admission: all", bench: "Admit/rule=all", impl: "tolerate-namespace", atMost: 1, inHead: true},
	{name: "read an edit (`kubectl taint`)", short: "read an edit", bench: "Edit/do=parse", atMost: 1},
	{name: "apply it", short: "apply an edit", bench: "Edit/do=apply", atMost: 1},
	{name: "a scheduling cycle of the taints plugin over 5,000 nodes, half of them open (`TaintToleration`, in the framework)", short: "plugin, half open", bench: "Cycle/nodes=5000/open=half/churn=0", atMost: math.Inf(1)},
	{name: "the same, 50 nodes replaced since the last", short: "plugin, 50 replaced", bench: "Cycle/nodes=5000/open=half/churn=50", atMost: math.Inf(1)},
	{name: "a scheduling cycle of the taints plugin, 5,000 nodes, one in a hundred open (`TaintToleration`, in the framework)", short: "plugin, 1 % open", bench: "Cycle/nodes=5000/open=1%/churn=0", atMost: math.Inf(1), inHead: true},
	{name: "the same, all open", short: "plugin, all open", bench: "Cycle/nodes=5000/open=all/churn=0", atMost: math.Inf(1)},
}

func (j job) ours() string {
	if j.impl == "" {
		return j.bench + "/impl=tolerate"
	}
	return j.bench + "/impl=" + j.impl
}

func (j job) theirs() string { return j.bench + "/impl=kubernetes" }

// A bound is a number of the library's own that has a limit.
type bound struct {
	name  string
	bench string
	unit  string
	most  float64 // in that unit; 0 when nothing was asked
	// than makes the number a ratio to this benchmark.
	than string
}

var bounds = []bound{
	{name: "index: 1,000,000 nodes against 10,000, of the same lists", bench: "Filter/nodes=1000000/impl=tolerate-index", than: "Filter/nodes=10000/impl=tolerate-index", most: 1.5},
	{name: "index: 1,000,000 nodes, each its own list, a pod that reaches few", bench: "OwnLists/nodes=1000000/impl=tolerate-index", unit: "sec/op", most: 100e-6},
	{name: "index: one node's taints change, of 5,000", bench: "Change/nodes=5000/impl=tolerate-index", unit: "sec/op", most: 1e-6},
	{name: "index: one node's taints change, of 1,000,000", bench: "Change/nodes=1000000/impl=tolerate-index", unit: "sec/op", most: 1e-6},
	{name: "lint of 10,000 manifests' lists", bench: "Lint/manifests=10000/lists=all", unit: "sec/op"},
	{name: "the same from their JSON", bench: "Lint/manifests=10000/lists=json", unit: "sec/op"},
	{name: "deadlines: memory a pod, ids of 8 bytes", bench: "EvictionQueueMemory/impl=queue/pods=1000000", unit: "bytes/pod"},
	{name: "index: memory a node, ids of 8 bytes", bench: "Memory/nodes=1000000/impl=tolerate-index", unit: "heap-B/node", most: 32},
}

// A beside is a job that Kubernetes has no function for: what a user would write
// without the library stands beside it, in ../*_bench_test.go.
type beside struct {
	name        string
	ours, plain string
}

var besides = []beside{
	{"deadlines of 1,000,000 pods: add all (`container/heap` and a map)", "EvictionQueueFill/impl=queue/pods=1000000/deadlines=day", "EvictionQueueFill/impl=plain/pods=1000000/deadlines=day"},
	{"take all out in order", "EvictionQueueDrain/impl=queue/pods=1000000/deadlines=day", "EvictionQueueDrain/impl=plain/pods=1000000/deadlines=day"},
	{"move one", "EvictionQueueMove/impl=queue/pods=1000000/deadlines=day", "EvictionQueueMove/impl=plain/pods=1000000/deadlines=day"},
	{"one goes, one comes", "EvictionQueueSteady/impl=queue/pods=1000000/deadlines=day", "EvictionQueueSteady/impl=plain/pods=1000000/deadlines=day"},
	{"reconcile 100,000 nodes, nothing to do (maps)", "Reconcile/nodes=100000/changed=none/foreign=0/impl=reconcile", "Reconcile/nodes=100000/changed=none/foreign=0/impl=plain"},
	{"the same, 1 % changed", "Reconcile/nodes=100000/changed=1%/foreign=0/impl=reconcile", "Reconcile/nodes=100000/changed=1%/foreign=0/impl=plain"},
	{"the same, all changed", "Reconcile/nodes=100000/changed=all/foreign=0/impl=reconcile", "Reconcile/nodes=100000/changed=all/foreign=0/impl=plain"},
	{"explain a pod over 5,000 nodes (strings)", "Explain/nodes=5000/tolerations=4/way=explain", "Explain/nodes=5000/tolerations=4/way=plain"},
	{"why 5,000 nodes do not take it, counted", "Reasons/nodes=5000/tolerations=4/way=add", "Reasons/nodes=5000/tolerations=4/way=plain"},
	{"lint a cluster of 5,000 nodes and 10,000 pods (every pair)", "LintCluster/nodes=5000/pods=10000/impl=lint", "LintCluster/nodes=5000/pods=10000/impl=plain"},
	{"who goes when 100 nodes are tainted, 10,000 pods", "ImpactEvictions/impl=plan/nodes=100/pods=10000", "ImpactEvictions/impl=plain/nodes=100/pods=10000"},
	{"who may come or no longer, 100 nodes alike, 1,000 pods", "ImpactPlacements/impl=plan/nodes=100/pods=1000/pool=alike", "ImpactPlacements/impl=plain/nodes=100/pods=1000/pool=alike"},
	{"the same, 100 different nodes", "ImpactPlacements/impl=plan/nodes=100/pods=1000/pool=distinct", "ImpactPlacements/impl=plain/nodes=100/pods=1000/pool=distinct"},
}

// impls names the implementations for the charts.
var impls = []struct{ impl, name string }{
	{"kubernetes", "Kubernetes"},
	{"handwritten", "by hand over corev1"},
	{"armada", "by hand, once a distinct list"},
	{"tolerate", "match.Filter"},
	{"tolerate-compiled", "match.Compile"},
	{"tolerate-index", "fleet.Index"},
}
