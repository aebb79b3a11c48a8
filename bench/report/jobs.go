package main

import "cmp"

// A job is a row of a table.
type job struct {
	name  string
	short string // in the chart; not in it if empty
	bench string // without /impl=
	impl  string // of the library; "tolerate" if empty
	than  string // the other implementations: kubernetes, and one by hand
	unit  string // "sec/op" if empty
}

const both, kube, hand, lists = "kubernetes handwritten", "kubernetes", "handwritten", "handwritten-lists"

func (j job) ours() string { return j.of(cmp.Or(j.impl, "tolerate")) }

func (j job) of(impl string) string { return j.bench + "/impl=" + impl }

// fleets and pods make the rows of the first table, and variants its columns.
var (
	fleets = []struct{ name, bench string }{
		{"85 % without taints", "usual"}, {"one taint each", "one"}, {"three each", "three"},
		{"one pool", "own"}, {"long keys", "long"}, {"no taints", "untainted"},
	}
	pods = []struct{ name, bench string }{
		{"none", "none"}, {"2 defaults", "defaults"}, {"5", "five"}, {"6, wide", "six"}, {"12", "twelve"}, {"`op=Exists`", "everything"}, {"5 long", "long"},
	}
	variants = []struct{ name, rival, impl string }{
		{"`kube.SchedulableNode`", hand, "tolerate-kube"},
		{"`kube.Blocking`", "handwritten-taint", "tolerate-blocking"},
		{"`match.Node.Schedulable`", hand, "tolerate"},
		{"`Matcher.Schedulable`", hand, "tolerate-compiled"},
	}
)

var tables = []struct {
	title, text string
	jobs        []job
}{
	{"The drop-in function, and pods of many tolerations", "Against 5,000 nodes.\n\n", []job{
		{name: "`helper.FindMatchingUntoleratedTaint`, 85 % without taints, 5 tolerations", short: "drop-in", bench: "Schedulable/nodes=usual/pod=five", impl: "tolerate-helper", than: both},
		{name: "three taints each, 6 tolerations", bench: "Schedulable/nodes=three/pod=six", impl: "tolerate-helper", than: both},
		{name: "3 tolerations of many keys", short: "3 tolerations", bench: "Filter/nodes=5000/tolerations=3", than: hand},
		{name: "the same, the pod compiled", short: "3, compiled", bench: "Filter/nodes=5000/tolerations=3", impl: "tolerate-compiled", than: hand},
		{name: "4", short: "4 tolerations", bench: "Filter/nodes=5000/tolerations=4", than: hand},
		{name: "the same, the pod compiled", short: "4, compiled", bench: "Filter/nodes=5000/tolerations=4", impl: "tolerate-compiled", than: hand},
		{name: "8", short: "8 tolerations", bench: "Filter/nodes=5000/tolerations=8", than: hand},
		{name: "the same, the pod compiled", short: "8, compiled", bench: "Filter/nodes=5000/tolerations=8", impl: "tolerate-compiled", than: hand},
		{name: "32", short: "32 tolerations", bench: "Filter/nodes=5000/tolerations=32", than: hand},
		{name: "the same, the pod compiled", short: "32, compiled", bench: "Filter/nodes=5000/tolerations=32", impl: "tolerate-compiled", than: hand},
		{name: "31 values of one key", short: "31 tolerations", bench: "Filter/nodes=5000/tolerations=31", than: hand},
		{name: "the same, the pod compiled", short: "31, compiled", bench: "Filter/nodes=5000/tolerations=31", impl: "tolerate-compiled", than: hand},
		{name: "the same, `Node.Filter`", bench: "Filter/nodes=5000/tolerations=31", impl: "tolerate-filter", than: hand},
		{name: "compile a pod of 4", bench: "Compile/tolerations=4"},
	}},
	{"An index of nodes", "The usual fleet, a pod of four tolerations. By hand is an index of 40 lines: the ids of the nodes of each distinct list.\n\n![Time to list the nodes that a pod can use, against the number of nodes](nodes.svg)\n\n", []job{
		{name: "list the nodes that the pod can use, in slices (`NodeSlices`), of 5,000", short: "list, of 5,000", bench: "FleetList/nodes=5000", impl: "tolerate-slices", than: lists},
		{name: "of 1,000,000", short: "list, of 1,000,000", bench: "FleetList/nodes=1000000", impl: "tolerate-slices", than: lists},
		{name: "one by one (`Nodes`), of 5,000", short: "one by one, of 5,000", bench: "FleetList/nodes=5000", impl: "tolerate-index", than: lists},
		{name: "of 1,000,000", short: "one by one, of 1,000,000", bench: "FleetList/nodes=1000000", impl: "tolerate-index", than: lists},
		{name: "to count them, of 5,000", short: "to count, of 5,000", bench: "FleetCount/nodes=5000", impl: "tolerate-index", than: lists},
		{name: "to count them, of 1,000,000", short: "to count, of 1,000,000", bench: "FleetCount/nodes=1000000", impl: "tolerate-index", than: lists},
		{name: "the five first reasons why it can use no others, of 5,000", short: "reasons, of 5,000", bench: "FleetReasons/nodes=5000", impl: "tolerate-index", than: lists},
		{name: "of 1,000,000", short: "reasons, of 1,000,000", bench: "FleetReasons/nodes=1000000", impl: "tolerate-index", than: lists},
		{name: "without an index: list them, of 5,000, the pod compiled", short: "list without an index", bench: "FleetList/nodes=5000", impl: "tolerate-compiled", than: hand},
		{name: "make the index, of 1,000,000", short: "make the index", bench: "FleetLoad/nodes=1000000", impl: "tolerate-index", than: lists},
		{name: "memory for each of 1,000,000 nodes", bench: "FleetLoad/nodes=1000000", impl: "tolerate-index", than: lists, unit: "heap-B/node"},
	}},
	{"Changes", "", []job{
		{name: "a node's taints change in the index, of 5,000", short: "change, of 5,000", bench: "FleetChange/nodes=5000/snapshot=none", impl: "tolerate-index", than: lists},
		{name: "of 1,000,000", short: "change, of 1,000,000", bench: "FleetChange/nodes=1000000/snapshot=none", impl: "tolerate-index", than: lists},
		{name: "with a snapshot before each change, of 5,000", bench: "FleetChange/nodes=5000/snapshot=every", impl: "tolerate-index"},
		{name: "of 1,000,000", bench: "FleetChange/nodes=1000000/snapshot=every", impl: "tolerate-index"},
		{name: "a node's conditions and taints, nothing to do (the node lifecycle controller's pass)", short: "conditions", bench: "Reconcile/change=none", than: kube},
		{name: "the same, one taint in another's place", short: "conditions, one change", bench: "Reconcile/change=one", than: kube},
		{name: "read two edits (`kubectl taint`)", short: "read edits", bench: "Edit/do=parse", than: kube},
		{name: "apply them", short: "apply edits", bench: "Edit/do=apply", than: kube},
		{name: "which taints of a pool's node a selector has, structs (`Selector.HasFields`; a loop as Cluster Autoscaler's)", short: "selector, a pool", bench: "Selector/taints=pool", than: hand},
		{name: "the same, of a starting node", short: "selector, starting", bench: "Selector/taints=starting", than: hand},
	}},
	{"Evictions", "", []job{
		{name: "when a pod is evicted, two taints, and by which (`GetMatchingTolerations`)", short: "eviction", bench: "EvictionDecide/taints=2", than: both},
		{name: "for how long a pod stays on each of 5,000 nodes, structs (`kube.Seconds`)", short: "seconds, usual fleet", bench: "Seconds/nodes=usual", impl: "tolerate-kube", than: both},
		{name: "the same, all nodes failed", short: "seconds, failed nodes", bench: "Seconds/nodes=failed", impl: "tolerate-kube", than: both},
		{name: "update a pod among 1,000,000 in a `Schedule`, no change", bench: "EvictionUpdate/pods=1000000/change=none"},
	}},
	{"The plugin", "A scheduling cycle of a pod through the scheduler's framework, with one plugin for taints: Kubernetes' `TaintToleration`, or examples/kubernetes/plugin.\n\n", []job{
		{name: "5,000 nodes, half of them open", short: "plugin, half open", bench: "Cycle/nodes=5000/open=half/churn=0", than: kube},
		{name: "one in a hundred open", short: "plugin, 1 % open", bench: "Cycle/nodes=5000/open=1%/churn=0", than: kube},
		{name: "none open", short: "plugin, none open", bench: "Cycle/nodes=5000/open=none/churn=0", than: kube},
		{name: "all open", short: "plugin, all open", bench: "Cycle/nodes=5000/open=all/churn=0", than: kube},
		{name: "half of the nodes scored lower by a taint", short: "plugin, scored", bench: "Cycle/nodes=5000/open=scored/churn=0", than: kube},
		{name: "no taints at all", short: "plugin, no taints", bench: "Cycle/nodes=5000/open=untainted/churn=0", than: kube},
		{name: "100 nodes, half of them open", short: "plugin, 100 nodes", bench: "Cycle/nodes=100/open=half/churn=0", than: kube},
		{name: "the same, no taints at all", short: "plugin, 100, no taints", bench: "Cycle/nodes=100/open=untainted/churn=0", than: kube},
	}},
	{"Reading and writing", "", []job{
		{name: "check a key of 28 bytes (`IsQualifiedName`)", short: "check a key", bench: "Key/bytes=28", than: kube},
		{name: "check a value of 13 bytes (`IsValidLabelValue`)", short: "check a value", bench: "Value/bytes=13", than: kube},
		{name: "read `key=value:Effect`, known strings (`ParseTaints`)", short: "read a taint", bench: "Parse/known=yes", than: kube},
		{name: "write it (`ToString`)", short: "write a taint", bench: "Text", than: kube},
		{name: "check 3 tolerations (`ValidateTolerations`)", short: "check tolerations", bench: "Validate/tolerations=3", than: kube},
		{name: "read the JSON of 2 tolerations, checked (`encoding/json`, unchecked)", short: "read JSON", bench: "JSON/tolerations=2", than: kube},
		{name: "merge 2 + 2 tolerations (`MergeTolerations`)", short: "merge", bench: "Merge/tolerations=2+2", than: kube},
		{name: "`kubectl tolerate why`: the JSON of 5,000 nodes and 50,000 pods", bench: "Why/pods=50000"},
		{name: "the same: the largest heap", bench: "Why/pods=50000", unit: "MiB"},
	}},
	{"Admission", "What the plugins add to a pod (`Admit`). Kubernetes' plugin reads a namespace's annotations for each pod.\n\n", []job{
		{name: "default seconds", short: "admission: seconds", bench: "Admit/rule=seconds", than: kube},
		{name: "extended resources", short: "admission: resources", bench: "Admit/rule=resources", than: kube},
		{name: "a namespace's defaults and whitelist", short: "admission: namespace", bench: "Admit/rule=restriction", than: kube},
		{name: "all of it", short: "admission: all", bench: "Admit/rule=all", than: kube},
		{name: "the same, the annotations read once", bench: "Admit/rule=all", impl: "tolerate-namespace", than: kube},
	}},
	{"Devices", "", []job{
		{name: "a taint and a toleration (`resourceclaim.ToleratesTaint`)", short: "device: match", bench: "Device/do=match", than: both},
		{name: "5,000 devices for one request (the allocator's loop)", short: "device: allocate", bench: "Device/do=allocate/devices=5000", than: both},
		{name: "when a pod with 4 devices is evicted (the device taint eviction controller)", short: "device: evict", bench: "Device/do=evict/devices=4", than: both},
	}},
}

// strangers are the functions that get the list of a stranger, as bench/growth names
// them.
var strangers = []string{
	"taint.Decode", "taint.Apply", "taint.Difference", "condition.Reconcile", "toleration.Decode", "toleration.List.Validate,update",
	"cover.Merge", "policy.Policy.Check", "admission.Plan.OnCreate", "match.Compile",
	"match.Matcher.Filter,as-many-taints", "eviction.Observe", "fleet.Index.Put", "fleet.Snapshot.Query,as-many-groups", "lint.Find", "impact.New",
}
