// Package taint defines Taint, and operations on the taints of a node.
//
//	node := taint.List{taint.MustParse("dedicated=gpu:NoSchedule")}
//	edits, err := taint.ParseEdits("maintenance:NoExecute", "dedicated-")
//	if err != nil {
//		return err // all problems, such as an unknown effect
//	}
//	after, err := taint.Apply(node, edits, taint.EditOptions{})
//	if err != nil {
//		return err
//	}
//	fmt.Println(after) // maintenance:NoExecute
//
// To decide which pods tolerate a taint, use package toleration or match. For the
// taints that Kubernetes itself adds, use package taint/condition.
//
// # Text, JSON and YAML
//
// Text is that of kubectl and the kubelet, with the keys and values of package
// validate. It is case-sensitive and has no white space.
//
//	taint  = key [ "=" [ value ] ] ":" effect
//	effect = "NoSchedule" | "PreferNoSchedule" | "NoExecute"
//	list   = [ taint { "," taint } ]
//	edit   = taint | taint "-" | key "-"
//
// JSON and YAML are the API's: objects with the fields key, value, effect and
// timeAdded, whose names are case-sensitive. Unknown fields are ignored, and the
// last of repeated ones counts; to reject or report them, use [Decode]. A null is
// the zero Taint; in a list it is an error. A JSON string is read as text, for the
// keys of maps. Binary is JSON, for encoding/gob. Every error of reading
// is [validate.Problems], with every problem, and the variable is then unchanged.
//
// # Rules
//
//  1. The taints of a node are unique by key and effect, whatever their values.
//  2. The time added does not influence which tolerations match. It has whole
//     seconds, in UTC.
//  3. No function changes its arguments. All values are safe for concurrent use.
//
// # Differences from Kubernetes
//
// No toleration matches the zero Taint; in Kubernetes, one with the operator
// Exists and no key does. Edits keep the order of the node and the times added;
// kubectl puts new taints first, and drops the time of what it overwrites.
package taint
