// Package toleration holds a toleration, what a pod lists to put up with
// taints, and a pod's list of them.
//
// # Text
//
// A [Toleration] is written as kubectl describe prints it, made lossless:
//
//	toleration = [ head ] [ " op=" operator ] [ " for " integer "s" ]
//	head       = [ key [ "=" [ value ] ] ] [ ":" effect ]
//	operator   = "Equal" | "Exists" | "Lt" | "Gt"
//	effect     = "NoSchedule" | "PreferNoSchedule" | "NoExecute"
//
// with the keys, values and integers of package validate. One space stands
// between two parts, and no other white space anywhere. No key stands for all
// keys, no effect for all effects, and no operator for Equal:
//
//	dedicated=gpu:NoSchedule
//	node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
//	cores=16 op=Gt
//	:NoExecute op=Exists
//	op=Exists
//
// A first part that begins with "op=" and has no effect is always the
// operator, so that a misspelt one is told. The toleration that has the key
// "op", a value, no effect and no operator is therefore written with an empty
// operator behind it: "op=x op=".
//
// # JSON and YAML
//
// A Toleration reads and writes the API's shape: an object with the fields
// key, operator, value, effect and tolerationSeconds, those left out that are
// absent. Names are case-sensitive; fields of other names are left out of
// account, and of a repeated field the last value counts. A null is the zero
// Toleration. [DecodeList] reads lists, more strictly if asked, and tells all
// problems at once, each with its path.
//
// # Rules
//
// A toleration matches a taint ([Toleration.Tolerates]) when
//
//  1. its effect is the taint's, or absent;
//  2. its key is the taint's, byte for byte, or absent; nothing ever expands;
//  3. its operator is Exists; or Equal or absent, and its value is the
//     taint's; or Gt, and the taint's value is greater than its own; or Lt,
//     and the taint's value is smaller.
//
// Under Gt and Lt both values are integers, and a taint's value that is none
// is never matched. Seconds never change whether a toleration matches.
//
// Every Toleration but the zero one is valid: an empty key needs Exists,
// Exists takes no value, Lt and Gt take a key and an integer, and seconds
// (tolerationSeconds, for how long the taint is tolerated) need the effect
// NoExecute, exactly.
//
// Two tolerations are == when everything that was written is the same. What
// they mean is the same when their [Toleration.Canonical] forms are ==.
//
// # Differences from Kubernetes
//
// A Toleration is checked when it is made. The zero one matches no taint at
// all, where Kubernetes' matches every taint with an empty value. A problem's
// path leads to the field to change: Kubernetes tells a bad value as one of
// the operator, and seconds without NoExecute as one of the effect.
//
// Who needs the API types themselves uses k8s.io/api; [From] takes their
// fields as they are.
package toleration
