// Package toleration defines Toleration, and operations on the tolerations of a
// pod.
//
//	u, err := toleration.New("dedicated", toleration.Equal, "gpu", taint.NoSchedule)
//	if err != nil {
//		return err // every rule that is broken
//	}
//	fmt.Println(u) // dedicated=gpu:NoSchedule op=Equal
//	fmt.Println(u.Tolerates(taint.MustParse("dedicated=gpu:NoSchedule"))) // true
//
//	pod := toleration.List{u, toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s")}
//	fmt.Println(pod.Match(taint.MustParse("node.kubernetes.io/not-ready:NoExecute"))) // 1
//
// # Text
//
// The text of a [Toleration] is what kubectl describe prints, without loss:
//
//	toleration = [ head ] [ " op=" operator ] [ " for " integer "s" ]
//	head       = [ key [ "=" [ value ] ] ] [ ":" effect ]
//	operator   = "Equal" | "Exists" | "Lt" | "Gt"
//	effect     = "NoSchedule" | "PreferNoSchedule" | "NoExecute"
//
// Keys, values and integers are those of package validate. Parts are separated by
// one space. An absent key means all keys, an absent effect all effects, and an
// absent operator Equal:
//
//	dedicated=gpu:NoSchedule
//	cores=16 op=Gt
//	:NoExecute op=Exists
//	op=Exists
//
// A first part that begins with "op=" and has no effect is the operator. So the key
// "op" with a value, and without effect and operator, needs an empty operator:
// "op=x op=".
//
// # JSON and YAML
//
// The JSON of a Toleration is the API's, with the fields key, operator, value, effect
// and tolerationSeconds; absent fields are omitted. As in package taint, names are
// case-sensitive, unknown and repeated fields are reported only by [Decode], a null is
// the zero Toleration, or an error in a list, and every error is [validate.Problems].
//
// # Rules
//
// A toleration matches a taint if
//
//  1. its effect is absent or equal to the taint's;
//  2. its key is absent or equal to the taint's, byte for byte;
//  3. its operator is Exists; or it is Equal or absent, and the values are equal;
//     or it is Gt or Lt, both values are integers, and the taint's is greater or
//     smaller.
//
// Seconds do not change whether a toleration matches.
//
// A toleration is valid if an empty key has Exists, Exists has no value, Lt and Gt
// have a key and an integer, and seconds have the effect NoExecute.
//
// # Differences from Kubernetes
//
// A Toleration is checked when it is made. The zero Toleration matches no taint; that
// of Kubernetes matches every taint with an empty value. The path of a problem is the
// field to change: Kubernetes reports a bad value at the operator, and seconds without
// NoExecute at the effect.
//
// Lt and Gt are valid and match. Up to Kubernetes 1.37, a cluster rejects them unless
// its feature gate TaintTolerationComparisonOperators is on. To reject them too, set
// NumericOff in the [ListOptions] of [Decode], [List.Validate] or
// [List.ValidateUpdate]; to match without them, use [List.WithoutNumeric].
//
// To find which taints of a node a pod tolerates, use package match. To compare
// tolerations with each other, use package cover.
package toleration
