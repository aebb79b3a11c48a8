package main

import "cmp"

// A job is a row of a table that compares other code with the library.
type job struct {
	name   string
	short  string // in the chart
	bench  string // without /impl=
	impl   string // of the library; "tolerate" when empty
	inHead bool   // it is in the README too
	than   string // in plainJobs, the other implementation; "plain" when empty
}

var jobs = []job{
	{name: "check a key of 28 bytes (`IsQualifiedName`)", short: "key", bench: "Key/bytes=28", inHead: true},
	{name: "check a value of 13 bytes (`IsValidLabelValue`)", short: "value", bench: "Value/bytes=13"},
	{name: "read `key=value:Effect`, known strings (`ParseTaints`)", short: "read a taint", bench: "Parse/known=yes", inHead: true},
	{name: "write it (`ToString`)", short: "write a taint", bench: "Text"},
	{name: "check 3 tolerations (`ValidateTolerations`)", short: "check 3 tolerations", bench: "Validate/tolerations=3", inHead: true},
	{name: "read the JSON of 2 tolerations, checked (`encoding/json`, unchecked)", short: "JSON of 2 tolerations", bench: "JSON/tolerations=2", inHead: true},
	{name: "merge 2 + 2 tolerations (`MergeTolerations`)", short: "merge 2 + 2", bench: "Merge/tolerations=2+2"},
	{name: "filter 5,000 nodes, nothing prepared (`FindMatchingUntoleratedTaint`)", short: "Filter, 5,000 nodes", bench: "Filter/nodes=5000", inHead: true},
	{name: "the same, the pod compiled", short: "Compile, 5,000 nodes", bench: "Filter/nodes=5000", impl: "tolerate-compiled", inHead: true},
	{name: "the same, the fleet indexed", short: "Index, 5,000 nodes", bench: "Filter/nodes=5000", impl: "tolerate-index", inHead: true},
	{name: "filter 5,000 nodes, one in fifty cordoned, by `Node.Filter`", short: "Node.Filter, cordons", bench: "FilterCordoned/nodes=5000", inHead: true},
	{name: "the same, the pod compiled", short: "Compile, cordons", bench: "FilterCordoned/nodes=5000", impl: "tolerate-compiled"},
	{name: "filter 5,000 nodes, the API's structs as they are", short: "kube.Filter, 5,000 nodes", bench: "Filter/nodes=5000", impl: "kube", inHead: true},
	{name: "the same, every taint tolerated", short: "all tolerated", bench: "KubeFilter/case=all_tolerated", impl: "kube"},
	{name: "the same, two taints a node", short: "two taints", bench: "KubeFilter/case=two_taints", impl: "kube"},
	{name: "the same by the drop-in function", short: "drop-in", bench: "KubeFilter/case=usual", impl: "drop-in", inHead: true},
	{name: "for how long a pod may stay on each of 5,000 nodes, the API's structs as they are (`GetMatchingTolerations`)", short: "kube.Seconds", bench: "KubeSeconds/case=usual", impl: "kube"},
	{name: "filter 1,000,000 nodes, the fleet indexed", short: "Index, 1,000,000 nodes", bench: "Filter/nodes=1000000", impl: "tolerate-index", inHead: true},
	{name: "the same, a pod with `Gt` and `Lt`", short: "Index, Gt and Lt", bench: "FilterIndex/case=numeric", impl: "tolerate-index"},
	{name: "the same, a pod with `Exists` of one effect", short: "Index, one effect", bench: "FilterIndex/case=keyless", impl: "tolerate-index"},
	{name: "the time of an eviction, for 2 taints (`GetMatchingTolerations`, then the shorter of the times of both)", short: "eviction", bench: "Evict/taints=2", inHead: true},
	{name: "a device's taint and a toleration (`resourceclaim.ToleratesTaint`)", short: "device: match", bench: "Device/do=match"},
	{name: "the same, the API's structs as they are", short: "device: match structs", bench: "Device/do=match", impl: "tolerate-kube"},
	{name: "5,000 devices for one request (the allocator's loop)", short: "device: allocate", bench: "Device/do=allocate/devices=5000", inHead: true},
	{name: "the same, the API's structs as they are", short: "device: allocate structs", bench: "Device/do=allocate/devices=5000", impl: "tolerate-kube"},
	{name: "the same, the pool indexed", short: "device: index", bench: "Device/do=allocate/devices=5000", impl: "tolerate-index"},
	{name: "when a pod with 4 devices is evicted (the device taint eviction controller)", short: "device: evict", bench: "Device/do=evict/devices=4"},
	{name: "a node's conditions and taints, nothing to do (the node lifecycle controller's pass)", short: "reconcile, nothing to do", bench: "Reconcile/change=none"},
	{name: "the same, one taint in another's place", short: "reconcile, one taint", bench: "Reconcile/change=one"},
	{name: "what admission adds to a pod: default seconds (the plugin's `Admit`)", short: "admission: seconds", bench: "Admit/rule=seconds"},
	{name: "extended resources", short: "admission: resources", bench: "Admit/rule=resources"},
	{name: "a namespace's defaults and whitelist, annotations read once a namespace", short: "admission: namespace", bench: "Admit/rule=restriction", impl: "tolerate-namespace"},
	{name: "what admission adds to a pod, all of it (the plugins' `Admit`)", short: "admission: all", bench: "Admit/rule=all", impl: "tolerate-namespace", inHead: true},
	{name: "read an edit (`kubectl taint`)", short: "read an edit", bench: "Edit/do=parse"},
	{name: "apply it", short: "apply an edit", bench: "Edit/do=apply"},
	{name: "a scheduling cycle of the taints plugin over 5,000 nodes, half of them open (`TaintToleration`, in the framework)", short: "plugin, half open", bench: "Cycle/nodes=5000/open=half/churn=0"},
	{name: "the same, 50 nodes replaced since the last", short: "plugin, 50 replaced", bench: "Cycle/nodes=5000/open=half/churn=50"},
	{name: "a scheduling cycle of the taints plugin, 5,000 nodes, one in a hundred open (`TaintToleration`, in the framework)", short: "plugin, 1 % open", bench: "Cycle/nodes=5000/open=1%/churn=0", inHead: true},
	{name: "the same, none open", short: "plugin, none open", bench: "Cycle/nodes=5000/open=none/churn=0"},
	{name: "the same, all open", short: "plugin, all open", bench: "Cycle/nodes=5000/open=all/churn=0"},
	{name: "the same, half of the nodes scored lower by a taint", short: "plugin, scored", bench: "Cycle/nodes=5000/open=scored/churn=0"},
	{name: "the same, no taints at all", short: "plugin, no taints", bench: "Cycle/nodes=5000/open=untainted/churn=0"},
	{name: "the same over 100 nodes, half of them open", short: "plugin, 100 nodes", bench: "Cycle/nodes=100/open=half/churn=0"},
	{name: "the same, 1 node replaced since the last", short: "plugin, 1 of 100 replaced", bench: "Cycle/nodes=100/open=half/churn=1"},
	{name: "the same, no taints at all", short: "plugin, 100, no taints", bench: "Cycle/nodes=100/open=untainted/churn=0"},
}

func (j job) ours() string { return j.of(cmp.Or(j.impl, "tolerate")) }

func (j job) plain() string { return j.of(cmp.Or(j.than, "plain")) }

func (j job) of(impl string) string { return j.bench + "/impl=" + impl }

// A figure is a number of the library alone.
type figure struct {
	name  string
	bench string
	unit  string
	// than makes the number a ratio to this benchmark.
	than string
}

var figures = []figure{
	{name: "one node in fifty cordoned: `Node.Filter` against `match.Filter`", bench: "FilterCordoned/nodes=5000/impl=tolerate", than: "Filter/nodes=5000/impl=tolerate"},
	{name: "a pod that may use 3 pools: `match.Filter` against the pod compiled", bench: "Filter/nodes=5000/tolerations=3/cordoned=0%/impl=tolerate", than: "Filter/nodes=5000/tolerations=3/cordoned=0%/impl=tolerate-compiled"},
	{name: "index: 1,000,000 nodes against 10,000, of the same lists", bench: "Filter/nodes=1000000/impl=tolerate-index", than: "Filter/nodes=10000/impl=tolerate-index"},
	{name: "index: 1,000,000 nodes, each its own list, a pod that reaches few", bench: "OwnLists/nodes=1000000/impl=tolerate-index", unit: "sec/op"},
	{name: "index: one node's taints change, of 5,000", bench: "Change/nodes=5000/impl=tolerate-index", unit: "sec/op"},
	{name: "index: one node's taints change, of 1,000,000", bench: "Change/nodes=1000000/impl=tolerate-index", unit: "sec/op"},
	{name: "index: load 10,000,000 nodes", bench: "FleetGrowth/op=load/nodes=10000000/impl=tolerate-index", unit: "sec/op"},
	{name: "index: memory a node, of 10,000,000", bench: "FleetGrowth/op=put/nodes=10000000/impl=tolerate-index", unit: "bytes/node"},
	{name: "`kubectl tolerate why` of 5,000 nodes and 50,000 pods, from `kubectl get -o json`, on one core", bench: "Why/pods=50000/impl=tolerate", unit: "sec/op"},
	{name: "the same: the largest heap", bench: "Why/pods=50000/impl=tolerate", unit: "MiB"},
	{name: "index: memory a node, ids of 8 bytes", bench: "Memory/nodes=1000000/impl=tolerate-index", unit: "heap-B/node"},
}

// plainJobs are compared with the plain implementations in ../*_bench_test.go.
var plainJobs = []job{
	{name: "filter 5,000 nodes, a pod that may use 3 pools (a loop over strings)", bench: "Filter/nodes=5000/tolerations=3/cordoned=0%"},
	{name: "the same, the pod compiled", bench: "Filter/nodes=5000/tolerations=3/cordoned=0%", impl: "tolerate-compiled"},
	{name: "the same, the pod compiled", bench: "Filter/nodes=5000/tolerations=30/cordoned=0%", impl: "tolerate-compiled"},
	{name: "filter 5,000 nodes by `Gt`", bench: "FilterNumeric/op=Gt/tolerations=1"},
	{name: "the same, the pod compiled", bench: "FilterNumeric/op=Gt/tolerations=1", impl: "tolerate-compiled"},
	{name: "filter 5,000 nodes by `Lt`", bench: "FilterNumeric/op=Lt/tolerations=1"},
	{name: "the same, the pod compiled", bench: "FilterNumeric/op=Lt/tolerations=1", impl: "tolerate-compiled"},
	{name: "reconcile 100,000 nodes, nothing to do (maps)", bench: "Reconcile/nodes=100000/changed=none/foreign=0"},
	{name: "the same, 1 % changed", bench: "Reconcile/nodes=100000/changed=1%/foreign=0"},
	{name: "the same, all changed", bench: "Reconcile/nodes=100000/changed=all/foreign=0"},
	{name: "explain a pod over 5,000 nodes (strings)", bench: "Explain/nodes=5000/tolerations=4"},
	{name: "why the pod cannot be scheduled to 5,000 nodes, counted", bench: "Reasons/nodes=5000/tolerations=4"},
	{name: "which of 10,000 pods are evicted when 100 nodes are tainted", bench: "ImpactEvictions/nodes=100/pods=10000"},
}

// impls has the names of the implementations in the charts. kube.Filter is omitted: it
// takes as long as the hand-written loop.
var impls = []struct {
	impl, name string
	ours       bool
}{
	{"kubernetes", "Kubernetes", false},
	{"handwritten", "hand-written", false},
	{"armada", "once each list", false},
	{"tolerate", "match.Filter", true},
	{"tolerate-compiled", "match.Compile", true},
	{"tolerate-index", "fleet.Index", true},
}
