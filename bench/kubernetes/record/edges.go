package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// Edges are cases by hand. Each that is not made from edgeCharacters finds a mistake that
// random cases do not find, or only one of them. New ones are last, so that ids stay.

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

// each returns what f returns for the elements.
func each[S, T any](list []S, f func(S) T) []T {
	out := make([]T, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

// eachOf returns a list for each list.
func eachOf[S, T any](lists [][]S, f func(S) T) [][]T {
	return each(lists, func(list []S) []T { return each(list, f) })
}

const aTime = "2026-01-02T03:04:05Z"

// forSeconds returns the toleration with seconds.
func forSeconds(n int64, u toleration) toleration {
	u.Effect, u.Seconds = "NoExecute", &n
	return u
}

// Names in punycode are not decoded, lengths are in bytes, and a key can have two mistakes.
var (
	keysByHand   = []string{"xn--a.b/c", "xn--/c", long(64, "é"), long(254, "é") + "/a", long(254, "A") + "/a", "A_/_b"}
	valuesByHand = []string{long(62, "é"), long(64, "é"), long(64, "-"), "xn--a"}
)

func exists(key string) toleration { return toleration{Key: key, Operator: "Exists"} }

func equal(value string) toleration { return toleration{Key: "a", Value: value} }

func lt(value string) toleration { return toleration{Key: "a", Operator: "Lt", Value: value} }

func gt(value string) toleration { return toleration{Key: "a", Operator: "Gt", Value: value} }

func matchEdges() []recorded.Match {
	integers := each(edgeIntegers, func(list []string) recorded.Match {
		return recorded.Match{
			Taints:      each(list, func(s string) taint { return taint{Key: "a", Value: s, Effect: "NoSchedule"} }),
			Tolerations: append([]toleration{gt("0"), lt("9")}, each(list, lt)...),
		}
	})
	three := []taint{{Key: "a", Effect: "NoExecute"}, {Key: "a", Value: "x", Effect: "NoSchedule"}, {Key: "a", Value: "4", Effect: "NoSchedule"}}
	timed := each(three, func(t taint) taint {
		t.TimeAdded = aTime
		return t
	})
	return append(integers, []recorded.Match{
		{Taints: timed, Tolerations: []toleration{
			equal(""), exists("a"), exists(""), {Key: "a", Operator: "Equal", Value: "x"}, lt("5"), forSeconds(60, equal("")),
		}},
		{Taints: three, Tolerations: []toleration{
			{Operator: "Lt", Value: "5"}, {Operator: "Gt", Value: "3"}, {Value: "x"}, {Operator: "Equal"},
		}},
		{Taints: three, Tolerations: []toleration{
			{Key: "a", Operator: "In", Value: "x"}, {Key: "a", Operator: "equal", Value: "x"}, {Key: "a", Operator: "NotEqual", Value: "x"}, {Key: "a", Operator: "In"},
			{Key: "a", Operator: "exists"}, {Key: "a", Operator: "EXISTS"}, {Key: "a", Operator: "lt", Value: "5"}, {Key: "a", Operator: "GT", Value: "3"}, {Key: "a", Operator: "Lt ", Value: "5"},
		}},
	}...)
}

func evictEdges() []recorded.Evict {
	at := func(key, on string) taint { return taint{Key: key, Effect: "NoExecute", TimeAdded: on} }
	return []recorded.Evict{
		{Gate: upstream.HasNumeric, Taints: []taint{at("a", aTime)}, Tolerations: []toleration{forSeconds(60, exists("a"))}},
		{Gate: upstream.HasNumeric, Taints: []taint{at("a", aTime)}, Tolerations: []toleration{equal("")}},
		{Gate: upstream.HasNumeric, Taints: []taint{at("a", aTime), at("b", "2038-01-19T03:14:08Z")}, Tolerations: []toleration{forSeconds(60, exists("a")), forSeconds(30, exists("b"))}},
	}
}

func historyEdges() []recorded.History {
	on := func(after int64, value string) recorded.Step {
		return recorded.Step{After: after, Taints: []taint{{Key: "a", Value: value, Effect: "NoExecute"}}}
	}
	below, above := forSeconds(60, lt("5")), forSeconds(30, gt("5"))
	return []recorded.History{
		{Tolerations: []toleration{below}, Steps: []recorded.Step{on(0, "4")}},
		{Tolerations: []toleration{below}, Steps: []recorded.Step{on(0, "4"), on(10, "5")}},
		{Tolerations: []toleration{below, above}, Steps: []recorded.Step{on(0, "4"), on(10, "6")}},
		{Tolerations: []toleration{above}, Steps: []recorded.Step{on(0, "x")}},
		{Tolerations: []toleration{above}, Steps: []recorded.Step{on(0, "9223372036854775807"), {After: 10, Taints: []taint{}}}},
	}
}

func validateEdges() []recorded.Validate {
	lists := slices.Concat(eachOf(edgeKeys, exists), eachOf(edgeNames, equal), eachOf(edgeIntegers, gt),
		[][]toleration{each(keysByHand, exists), each(valuesByHand, equal)})
	return each(lists, func(list []toleration) recorded.Validate {
		return recorded.Validate{Tolerations: list, Gate: upstream.HasNumeric}
	})
}

func taintEdges() []recorded.ValidateTaints {
	keyed := func(key string) taint { return taint{Key: key, Effect: "NoSchedule"} }
	valued := func(values []string) (list []taint) {
		for i, value := range values {
			list = append(list, taint{Key: fmt.Sprint("k", i), Value: value, Effect: "NoSchedule"})
		}
		return list
	}
	lists := slices.Concat(eachOf(edgeKeys, keyed), each(edgeNames, valued), [][]taint{each(keysByHand, keyed), valued(valuesByHand)})
	return each(lists, func(list []taint) recorded.ValidateTaints { return recorded.ValidateTaints{Taints: list} })
}

// aToleration and aTaint return the text of a valid list, with more fields.
func aToleration(more string) string {
	return `[{"key":"a","operator":"Exists","effect":"NoExecute"` + more + `}]`
}

func aTaint(more string) string { return `[{"key":"a","effect":"NoExecute"` + more + `}]` }

// looseTexts are a list with what other parsers accept and Kubernetes does not, and with what
// Kubernetes accepts too.
func looseTexts(list string) []string {
	inner := strings.TrimSuffix(strings.TrimPrefix(list, "[{"), "}]")
	return []string{
		"{" + inner + "}", "\ufeff" + list, "\u00a0" + list, list + "\u00a0", "\u2028" + list, "\v" + list, "/**/" + list, list + "/* */", "// a\n" + list, "# a\n" + list,
		strings.ReplaceAll(list, `"`, `'`), strings.NewReplacer(`"key"`, "key", `"operator"`, "operator", `"effect"`, "effect").Replace(list),
		"- " + strings.NewReplacer(`"`, "", ":", ": ", ",", "\n  ").Replace(inner) + "\n",
		"[{" + inner + ",}]", "[{" + inner + "},]", "[{" + inner + ";}]", list + list, list + "\n", "\r\n\t " + list, list + "\x00",
		strings.NewReplacer(`"key"`, `"\u006bey"`, `"effect"`, `"effec\u0074"`).Replace(list),
		"[{" + inner + `,"\u006bey":"b"}]`, "[{" + inner + `,"x":null}]`, `[{"x":{"key":1},` + inner + "}]", `[{"x":[],` + inner + "}]",
	}
}

func decodeEdges() []string {
	seconds := []string{
		`5,"tolerationSeconds":null`, `null,"tolerationSeconds":5`, `5,"tolerationSeconds":null,"tolerationSeconds":6`, `null`, `5,"tolerationSeconds":5`,
		"9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9007199254740993", "18446744073709551621",
		"-0", "0", "1e2", "1E2", "1e0", "5.0", "-0.0", "05", "+5", "5.", ".5", "0x5", "5_0", "NaN", `"5"`, "true",
	}
	members := append(each(seconds, func(s string) string { return `,"tolerationSeconds":` + s }), `,"\u0074olerationSeconds":5`, `,"tolerationseconds":5`)
	return append(each(members, aToleration), looseTexts(aToleration(""))...)
}

func decodeTaintEdges() []string {
	times := []string{
		"2026-01-02T03:04:05Z", "2026-01-02T3:04:05Z", "2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05.000000001Z", "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+00:60",
		"2026-01-02T03:04:05-08:00", "2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05+00:61", "2026-01-02T03:04:05+25:00", "2026-01-02T03:04:05-24:60", "2026-01-02T03:04:05+0530", "2026-01-02T03:04:05+05",
		"2026-01-02T03:04:05+5:30", "2026-01-02T23:30:00-05:30", "2026-01-01T00:10:00+05:30", "2024-02-28T23:30:00-01:00", "2026-01-02t03:04:05Z", "2026-01-02T03:04:05z", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-01-02T03:04Z", "2026-01-02T03:4:05Z",
		"2026-1-02T03:04:05Z", "2026-01-2T03:04:05Z", "2026-02-29T03:04:05Z", "2024-02-29T03:04:05Z", "1900-02-29T03:04:05Z", "2000-02-29T03:04:05Z", "2026-04-31T03:04:05Z", "2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-00T03:04:05Z",
		"2026-01-02T03:04:60Z", "2026-06-30T23:59:60Z", "2026-01-02T03:60:05Z", "2026-01-02T24:00:00Z", "2026-01-02T24:04:05Z", "2026-01-02T003:04:05Z", " 2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z ", "2026-01-02T03:04:05ZZ",
		"0000-01-02T03:04:05Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:01Z", "0001-01-01T05:30:00+05:30", "9999-12-31T23:59:59Z", "10000-01-01T00:00:00Z", "-001-01-02T03:04:05Z", "2026-W01-5T03:04:05Z", "1767323045", "now",
	}
	values := append(each(times, func(s string) string { return `"` + s + `"` }),
		`"`+aTime+`","timeAdded":null`, `null,"timeAdded":"`+aTime+`"`, `"`+aTime+`","timeAdded":""`, `1767323045`, `"2026-01-02T03:04:05\u005a"`, `{}`, `["`+aTime+`"]`)
	return append(each(values, func(s string) string { return aTaint(`,"timeAdded":` + s) }), looseTexts(aTaint(""))...)
}

func parseEdges() []string {
	return append(each(slices.Concat(edgeKeys...), func(key string) string { return key + ":NoSchedule" }),
		each(slices.Concat(edgeNames...), func(value string) string { return "a=" + value + ":NoSchedule" })...)
}

func editEdges() []recorded.Edit {
	return each([][]string{
		{"a:NoSchedule", "b"}, {"b", "a:NoSchedule"}, {"b:NoSchedule-", "b"}, {"b-", "a"}, {"a:NoSchedule", ""}, {"a:NoSchedule", "-"}, {"a:NoSchedule", "c:x"}, {"c=", "a:NoSchedule"}, {"b-", "c-"},
	}, func(args []string) recorded.Edit {
		return recorded.Edit{Node: []taint{{Key: "b", Effect: "NoSchedule"}}, Args: args}
	})
}

func coverEdges() []recorded.Cover {
	lists := eachOf([][]int64{
		{9223372036854775806, 9223372036854775807}, {9007199254740992, 9007199254740993}, {-1, 0}, {-5, -1, 0, 1}, {-9223372036854775808, -9223372036854775807},
	}, func(n int64) toleration { return forSeconds(n, exists("a")) })
	return each(lists, func(list []toleration) recorded.Cover { return recorded.Cover{Tolerations: list} })
}

func mergeEdges() []recorded.Merge {
	x := equal("x")
	set := withOperator(x)
	return each([][2][]toleration{
		{{forSeconds(5, x)}, {forSeconds(10, x)}}, {{forSeconds(10, x)}, {forSeconds(5, x)}}, {{forSeconds(5, set)}, {forSeconds(10, set)}}, {{forSeconds(10, set)}, {forSeconds(5, set)}},
		{{x}, {x}}, {{x}, {set}}, {{set}, {x}}, {{x, set}, {}}, {{x}, {exists("a")}}, {{exists("")}, {x}}, {{forSeconds(-1, set)}, {forSeconds(0, set), forSeconds(-5, set)}},
		{{lt("5")}, {lt("5")}}, {{lt("5")}, {lt("4")}}, {{lt("4")}, {lt("5")}}, {{gt("4")}, {gt("5")}}, {{gt("5")}, {lt("5")}}, {{lt("5")}, {{Key: "a", Operator: "Equal", Value: "4"}}},
		{{exists("a")}, {lt("5"), gt("5")}}, {{lt("5"), gt("5")}, {exists("a")}},
		{{forSeconds(5, lt("5"))}, {forSeconds(10, lt("5"))}}, {{forSeconds(10, lt("5"))}, {forSeconds(5, lt("5"))}}, {{forSeconds(10, gt("-1"))}, {forSeconds(10, gt("-1"))}},
	}, func(lists [2][]toleration) recorded.Merge { return recorded.Merge{First: lists[0], Second: lists[1]} })
}

func defaultSecondsEdges() (out []recorded.DefaultSeconds) {
	for _, key := range []string{"node.kubernetes.io/Not-Ready", "node.kubernetes.io/UNREACHABLE"} {
		out = append(out, recorded.DefaultSeconds{NotReady: 300, Unreachable: 300, Tolerations: []toleration{exists(key)}})
	}
	for _, n := range []int64{-5, -1, -9223372036854775808, 9223372036854775807} {
		out = append(out, recorded.DefaultSeconds{NotReady: n, Unreachable: 300, Tolerations: []toleration{}},
			recorded.DefaultSeconds{NotReady: 60, Unreachable: n, Tolerations: []toleration{}})
	}
	return out
}

func resourceEdges() []recorded.Resources {
	single := slices.Concat(edgeKeys...)
	for _, n := range []int{243, 244, 245, 253} { // V1's limit includes "requests."
		single = append(single, long(n, "p")+"/n")
	}
	single = append(single, "requests./a", "requests.a/b", "request.a/b", "requestsa/b", "Requests.a/b", "a.requests.b/c", "requests/a", "kubernetes.io/a",
		"a.kubernetes.io/b", "akubernetes.io/b", "kubernetes.io.a/b", "kubernetes.io", "a/kubernetes.io", "kubernetes.iO/a", "k8s.io/a", "cpu", "pods")
	sorted := [][]string{ // by bytes
		{"a/a", "a/B", "a-b/x"}, {"a/b", "a.b/b", "a-b/b", "a0/b"}, {"b/a", "a/b", "a/B", "a/_", "a/Z"}, {"a/A", "a/a"}, {"a/10", "a/9", "a/1"},
	}
	lists := append(each(single, func(name string) []string { return []string{name} }), sorted...)
	return each(lists, func(names []string) recorded.Resources {
		return recorded.Resources{Resources: names, Tolerations: []toleration{}}
	})
}
