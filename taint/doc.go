// Package taint holds a taint, what a node bears to repel pods, and a node's
// list of them.
//
// # Text
//
// A [Taint] is written as kubectl and the kubelet write it:
//
//	taint  = key [ "=" [ value ] ] ":" effect
//	effect = "NoSchedule" | "PreferNoSchedule" | "NoExecute"
//	list   = [ taint { "," taint } ]
//
// with the keys and values of package validate, case-sensitive and without
// white space anywhere. A taint without a value has the empty one, so
// "key:NoSchedule" and "key=:NoSchedule" are the same taint; the first is how
// it is written.
//
// # JSON and YAML
//
// A Taint reads and writes the API's shape: an object with the fields key,
// value, effect and timeAdded. Names are case-sensitive; fields of other names
// are left out of account, and of a repeated field the last value counts. A
// null is the zero Taint. [DecodeList] reads lists, more strictly if asked,
// and tells all problems at once, each with its path; json.Unmarshal into a
// slice stops at the first bad element and keeps what came before.
//
// YAML libraries that honour MarshalYAML() (any, error) and
// UnmarshalYAML(func(any) error) error give the same shape.
//
// # Edits
//
// An [Edit] is written as kubectl taint takes it, in the same words:
//
//	edit = taint            put it on the node
//	     | key "-"          take off all taints with the key
//	     | taint "-"        take off the taint with the key and effect
//
// [ParseEdits] reads the arguments of one call, and [Apply] does to a node's
// list what they say, or tells all that keeps it from that. [Difference] tells
// what changed between two lists, [EditsBetween] which edits lead from one to
// the other, and [Propagate] carries the taints of a template, such as a
// MachineSet's, to a node. All keep the order of the node's list and the times
// that its taints were added, and none changes its input.
//
// # Rules
//
//  1. Every Taint but the zero one is valid: a key and an effect, and a value
//     that may be empty.
//  2. A node's taints are unique by key and effect, even when values differ
//     ([Taint.SameKeyEffect], [ValidateList]).
//  3. The time a taint was added never decides whether a toleration matches.
//     It has whole seconds, in UTC.
//  4. Two taints are == when everything that was written is the same, time
//     added included. What they mean is the same when their [Taint.Canonical]
//     forms are ==.
//
// # Differences from Kubernetes
//
// A Taint is checked when it is made, so one that the API server would refuse
// does not exist here. The zero Taint is matched by no toleration at all,
// where Kubernetes lets one with the operator Exists and no key match it.
//
// Edits leave the node's order as it is, put what is new last, and keep times
// added. kubectl puts the new ones first and drops the time added of what it
// overwrites. It tells the first thing that is wrong, where here all are told.
//
// Who needs the API types themselves, with their protobuf form, uses
// k8s.io/api; [From] takes their fields as they are.
package taint
