// Package taint defines Taint, and operations on the taints of a node.
//
//	node := taint.List{taint.MustParse("dedicated=gpu:NoSchedule")}
//	edits, err := taint.ParseEdits("maintenance:NoExecute", "dedicated-")
//	…
//	after, err := taint.Apply(node, edits, taint.EditOptions{})
//	…
//	fmt.Println(after) // maintenance:NoExecute
//
// A [Selector] is a set of taints, defined by patterns. To find which pods tolerate a
// taint, use package toleration or match. For the taints that Kubernetes itself adds, use
// package taint/condition.
//
// # Text, JSON and YAML
//
// Text is that of kubectl and the kubelet, with the keys and values of package validate:
//
//	taint  = key [ "=" [ value ] ] ":" effect
//	effect = "NoSchedule" | "PreferNoSchedule" | "NoExecute"
//	list   = [ taint { "," taint } ]
//	edit   = taint | taint "-" | key "-"
//
// JSON and YAML are the API's. Unknown fields are ignored, and the last of repeated ones
// counts; [Decode] reports both. Null is the zero Taint, or an error in a list. A JSON
// string is read as text. Binary is JSON. Errors are [validate.Problems], with every
// problem, and leave the variable unchanged.
//
// # Rules
//
// A node has one taint for each key and effect. The time added has whole seconds, in UTC,
// and does not influence matching. No function changes its arguments. All values are safe
// for concurrent use.
//
// The cost of a list is near-linear. For at most 32 taints and edits, [Apply],
// [Difference] and [Propagate] allocate only the result, Validate nothing.
//
// # Differences from Kubernetes
//
// No toleration matches the zero Taint. Edits keep the node's order and times added;
// kubectl puts new taints first, and drops the time of what it overwrites.
package taint
