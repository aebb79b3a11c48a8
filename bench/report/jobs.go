package main

// A job is a row of the table: Kubernetes' code beside the library's.
type job struct {
	name   string
	short  string // in the chart
	bench  string // what stands before /impl=
	impl   string // the library's way; "tolerate" when empty
	target float64
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
	most  float64 // in that unit
	// than makes the number a ratio to this benchmark.
	than string
}

var bounds = []bound{
	{name: "index: 1,000,000 nodes against 10,000, of the same lists", bench: "Filter/nodes=1000000/impl=tolerate-index", than: "Filter/nodes=10000/impl=tolerate-index", most: 1.5},
	{name: "index: 1,000,000 nodes, each its own list, a pod that reaches few", bench: "OwnLists/nodes=1000000/impl=tolerate-index", unit: "sec/op", most: 100e-6},
	{name: "index: one node's taints change, of 5,000", bench: "Change/nodes=5000/impl=tolerate-index", unit: "sec/op", most: 1e-6},
	{name: "index: one node's taints change, of 1,000,000", bench: "Change/nodes=1000000/impl=tolerate-index", unit: "sec/op", most: 1e-6},
	{name: "index: memory a node, ids of 8 bytes", bench: "Memory/nodes=1000000/impl=tolerate-index", unit: "heap-B/node", most: 32},
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
