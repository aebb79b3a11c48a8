// Package toleration defines Toleration, and operations on the tolerations of a pod.
//
//	u, err := toleration.Parse("dedicated=gpu:NoSchedule") // of a text
//	u, err = toleration.New("dedicated", toleration.Equal, "gpu", taint.NoSchedule)
//	list, warnings, err := toleration.Decode(data, toleration.DecodeOptions{}) // of JSON
//	…
//	fmt.Println(u.Tolerates(taint.MustParse("dedicated=gpu:NoSchedule"))) // true
//
// [From] takes strings of any type, such as the fields of a struct, and [MustParseList]
// several texts.
//
// To match a pod with the taints of a node, use package match. To compare tolerations
// with each other, use package cover.
//
// # Text, JSON and YAML
//
// Text is what kubectl describe prints, without loss, with the effects of package taint,
// and the keys, values and integers of package validate. An absent key means all keys, an
// absent effect all effects, and an absent operator Equal.
//
//	toleration = [ head ] [ " op=" operator ] [ " for " integer "s" ]
//	head       = [ key [ "=" [ value ] ] ] [ ":" effect ]
//	operator   = "Equal" | "Exists" | "Lt" | "Gt"
//
//	dedicated=gpu:NoSchedule
//	cores=16 op=Gt
//	:NoExecute op=Exists
//
// The key "op" with a value alone needs an empty operator: "op=x op=". JSON and YAML are
// the API's, with the rules of package taint.
//
// # Rules
//
// A toleration matches a taint if its effect and key are absent or the taint's, and
//
//   - its operator is Exists;
//   - or it is Equal or absent, and the values are equal;
//   - or it is Gt or Lt, both values are integers, and the taint's is greater or smaller.
//
// A toleration is valid if it has a key or Exists; no value with Exists; an integer with
// Lt and Gt; and seconds only with NoExecute.
//
// Matching does not allocate, nor does Validate of at most 32 valid tolerations. All
// values are safe for concurrent use. Errors are [validate.Problems].
//
// # Differences from Kubernetes
//
// The zero Toleration matches no taint; in Kubernetes, it matches every taint without a
// value.
//
// Lt and Gt match. Up to Kubernetes 1.38, a cluster rejects them unless its feature gate
// TaintTolerationComparisonOperators is on: [Decode] and
// [List.Validate] can do so; to match without them, use [List.WithoutNumeric].
package toleration
