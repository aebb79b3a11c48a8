package recording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// edgeCharacters are those that V1 to V3 allow in some places, their neighbors, and others
// that a language's regular expressions and parsers take for them.
var edgeCharacters = []string{"-", "_", ".", "/", "0", "5", "9", ":", "@", "A", "Z", "[", "\\", "^", "`", "a", "z", "{", "~", "!", "%", "*", "+", ",", "=",
	" ", "\t", "\n", "\r", "\x00", "\x7f", "\u0085", "\u00a0", "²", "ª", "é", "ſ", "ß", "٣", "\u200b", "\u2028", "\u212a", "Ⅷ", "\ufeff"}

// The edges of names, keys and integers. Kinds of lists have one list in a case, others one
// element.
var (
	edgeNames = edges([]string{"X", "Xa", "aX", "aXb"},
		[]string{long(62, "n"), long(63, "n"), long(64, "n"), long(63, "n_."), long(63, "n-"), "--", "a..b", "a-.b", "_._"})
	edgeKeys = append(edges([]string{"X", "Xa", "aX", "aXb", "X/n", "Xa/n", "aX/n", "aXb/n", "a.Xb/n", "aX.b/n", "a/X", "a/Xn", "a/nX", "a/b/X"},
		[]string{"", "/", "a/", "//n", "p..q/n", "p.-q/n", "p-.q/n", "p--q/n", "1.2/3", "P/n", "p/N", "p/a..b"},
		[]string{long(252, "p") + "/n", long(253, "p") + "/n", long(253, "p.") + "/" + long(63, "n"), long(254, "p") + "/n", long(255, "p.") + "/n"},
		[]string{long(63, "p") + ".q/n", long(64, "p") + ".q/n", "q." + long(64, "p") + "/n", "p/" + long(63, "n"), "p/" + long(64, "n")}), edgeNames[len(edgeCharacters):]...)
	edgeIntegers = edges([]string{"X", "X5", "5X", "5X0", "-X", "-5X"},
		[]string{"", "00", "-0", "-00", "01", "-01", "--1", "1e3", "1E3", "0x10", "0b1", "0o7", "1.0", "1,000", "5L", "-1", "-5"},
		[]string{"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551616", long(63, "9")})
)

// edges returns a list for each character, with it in the place of each X of the forms,
// and the other lists.
func edges(forms []string, more ...[]string) (out [][]string) {
	for _, c := range edgeCharacters {
		list := []string{}
		for _, f := range forms {
			list = append(list, strings.ReplaceAll(f, "X", c))
		}
		out = append(out, list)
	}
	return append(out, more...)
}

// long returns n bytes of a repeated text.
func long(n int, s string) string { return strings.Repeat(s, n)[:n] }

func matchEdges() (out []any) {
	for _, list := range edgeIntegers {
		c := recorded.Match{Tolerations: []toleration{{Key: "a", Operator: "Gt", Value: "0"}, {Key: "a", Operator: "Lt", Value: "9"}}}
		for _, s := range list {
			c.Taints = append(c.Taints, taint{Key: "a", Value: s, Effect: "NoSchedule"})
			c.Tolerations = append(c.Tolerations, toleration{Key: "a", Operator: "Lt", Value: s})
		}
		out = append(out, matched(c))
	}
	return append(out, matchByHand()...)
}

func validateEdges() (out []any) {
	for _, list := range edgeKeys {
		out = append(out, validated(each(list, func(_ int, s string) toleration { return toleration{Key: s, Operator: "Exists"} }), upstream.HasNumeric))
	}
	for _, list := range edgeNames {
		out = append(out, validated(each(list, func(_ int, s string) toleration { return toleration{Key: "a", Value: s} }), upstream.HasNumeric))
	}
	for _, list := range edgeIntegers {
		out = append(out, validated(each(list, func(_ int, s string) toleration { return toleration{Key: "a", Operator: "Gt", Value: s} }), upstream.HasNumeric))
	}
	return append(out, validated(each(keysByHand, func(_ int, s string) toleration { return toleration{Key: s, Operator: "Exists"} }), upstream.HasNumeric),
		validated(each(valuesByHand, func(_ int, s string) toleration { return toleration{Key: "a", Value: s} }), upstream.HasNumeric))
}

func taintEdges() (out []any) {
	for _, list := range edgeKeys {
		out = append(out, validatedTaints(each(list, func(_ int, s string) taint { return taint{Key: s, Effect: "NoSchedule"} })))
	}
	for _, list := range edgeNames {
		out = append(out, validatedTaints(each(list, func(i int, s string) taint { return taint{Key: fmt.Sprint("k", i), Value: s, Effect: "NoSchedule"} })))
	}
	return append(out, validatedTaints(each(keysByHand, func(_ int, s string) taint { return taint{Key: s, Effect: "NoSchedule"} })),
		validatedTaints(each(valuesByHand, func(i int, s string) taint { return taint{Key: fmt.Sprint("k", i), Value: s, Effect: "NoSchedule"} })))
}

func parseEdges() (out []any) {
	for _, key := range slices.Concat(edgeKeys...) {
		out = append(out, parsed(key+":NoSchedule"))
	}
	for _, value := range slices.Concat(edgeNames...) {
		out = append(out, parsed("a="+value+":NoSchedule"))
	}
	return out
}

func resourceEdges() (out []any) {
	for _, key := range slices.Concat(edgeKeys...) {
		out = append(out, withResources([]string{key}, []toleration{}))
	}
	for _, n := range []int{243, 244, 245, 253} { // V1's limit includes "requests."
		out = append(out, withResources([]string{long(n, "p") + "/n"}, []toleration{}))
	}
	for _, key := range []string{"requests./a", "requests.a/b", "request.a/b", "requestsa/b", "Requests.a/b", "a.requests.b/c", "requests/a", "kubernetes.io/a",
		"a.kubernetes.io/b", "akubernetes.io/b", "kubernetes.io.a/b", "kubernetes.io", "a/kubernetes.io", "kubernetes.iO/a", "k8s.io/a", "cpu", "pods"} {
		out = append(out, withResources([]string{key}, []toleration{}))
	}
	return append(out, resourcesByHand()...)
}

func each[T any](list []string, f func(i int, s string) T) (out []T) {
	for i, s := range list {
		out = append(out, f(i, s))
	}
	return out
}
