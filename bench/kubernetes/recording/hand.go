package recording

import (
	"fmt"
	"strings"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// Cases by hand: each finds a mistake that random cases do not find, or only one of them.
// New ones are last, so that ids stay.

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

func matchByHand() []any {
	three := []taint{{Key: "a", Effect: "NoExecute"}, {Key: "a", Value: "x", Effect: "NoSchedule"}, {Key: "a", Value: "4", Effect: "NoSchedule"}}
	timed := make([]taint, len(three))
	for i, t := range three {
		t.TimeAdded = aTime
		timed[i] = t
	}
	return []any{
		matched(recorded.Match{Taints: timed, Tolerations: []toleration{
			{Key: "a"}, {Key: "a", Operator: "Exists"}, {Operator: "Exists"}, {Key: "a", Operator: "Equal", Value: "x"}, {Key: "a", Operator: "Lt", Value: "5"}, forSeconds(60, toleration{Key: "a"}),
		}}),
		matched(recorded.Match{Taints: three, Tolerations: []toleration{
			{Operator: "Lt", Value: "5"}, {Operator: "Gt", Value: "3"}, {Value: "x"}, {Operator: "Equal"},
		}}),
		matched(recorded.Match{Taints: three, Tolerations: []toleration{
			{Key: "a", Operator: "In", Value: "x"}, {Key: "a", Operator: "equal", Value: "x"}, {Key: "a", Operator: "NotEqual", Value: "x"}, {Key: "a", Operator: "In"},
			{Key: "a", Operator: "exists"}, {Key: "a", Operator: "EXISTS"}, {Key: "a", Operator: "lt", Value: "5"}, {Key: "a", Operator: "GT", Value: "3"}, {Key: "a", Operator: "Lt ", Value: "5"},
		}}),
	}
}

func evictEdges() []any {
	at := func(key, on string) taint { return taint{Key: key, Effect: "NoExecute", TimeAdded: on} }
	exists := func(key string) toleration { return toleration{Key: key, Operator: "Exists"} }
	var out []any
	for _, c := range []recorded.Evict{
		{Taints: []taint{at("a", aTime)}, Tolerations: []toleration{forSeconds(60, exists("a"))}},
		{Taints: []taint{at("a", aTime)}, Tolerations: []toleration{{Key: "a"}}},
		{Taints: []taint{at("a", aTime), at("b", "2038-01-19T03:14:08Z")}, Tolerations: []toleration{forSeconds(60, exists("a")), forSeconds(30, exists("b"))}},
	} {
		c.Gate = upstream.HasNumeric
		out = append(out, evictedAtOnce(c))
	}
	return out
}

func historyEdges() (out []any) {
	on := func(value string) recorded.Step {
		return recorded.Step{Taints: []taint{{Key: "a", Value: value, Effect: "NoExecute"}}}
	}
	later := func(s recorded.Step) recorded.Step {
		s.After = 10
		return s
	}
	lt := forSeconds(60, toleration{Key: "a", Operator: "Lt", Value: "5"})
	gt := forSeconds(30, toleration{Key: "a", Operator: "Gt", Value: "5"})
	for _, c := range []recorded.History{
		{Tolerations: []toleration{lt}, Steps: []recorded.Step{on("4")}},
		{Tolerations: []toleration{lt}, Steps: []recorded.Step{on("4"), later(on("5"))}},
		{Tolerations: []toleration{lt, gt}, Steps: []recorded.Step{on("4"), later(on("6"))}},
		{Tolerations: []toleration{gt}, Steps: []recorded.Step{on("x")}},
		{Tolerations: []toleration{gt}, Steps: []recorded.Step{on("9223372036854775807"), later(recorded.Step{Taints: []taint{}})}},
	} {
		if !upstream.HasNumeric {
			out = append(out, nil)
			continue
		}
		out = append(out, lived(c))
	}
	return out
}

// The text of a valid toleration and a valid taint, in which %s is one more field.
const (
	aToleration = `[{"key":"a","operator":"Exists","effect":"NoExecute"%s}]`
	aTaint      = `[{"key":"a","effect":"NoExecute"%s}]`
)

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

func decodeEdges() (out []any) {
	for _, s := range []string{
		`5,"tolerationSeconds":null`, `null,"tolerationSeconds":5`, `5,"tolerationSeconds":null,"tolerationSeconds":6`, `null`, `5,"tolerationSeconds":5`,
		"9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9007199254740993", "18446744073709551621",
		"-0", "0", "1e2", "1E2", "1e0", "5.0", "-0.0", "05", "+5", "5.", ".5", "0x5", "5_0", "NaN", `"5"`, "true",
	} {
		out = append(out, decodedTolerations(fmt.Sprintf(aToleration, `,"tolerationSeconds":`+s)))
	}
	out = append(out, decodedTolerations(fmt.Sprintf(aToleration, `,"\u0074olerationSeconds":5`)), decodedTolerations(fmt.Sprintf(aToleration, `,"tolerationseconds":5`)))
	for _, s := range looseTexts(fmt.Sprintf(aToleration, "")) {
		out = append(out, decodedTolerations(s))
	}
	return out
}

func decodeTaintEdges() (out []any) {
	for _, s := range []string{
		"2026-01-02T03:04:05Z", "2026-01-02T3:04:05Z", "2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05.000000001Z", "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+00:60",
		"2026-01-02T03:04:05-08:00", "2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05+00:61", "2026-01-02T03:04:05+25:00", "2026-01-02T03:04:05-24:60", "2026-01-02T03:04:05+0530", "2026-01-02T03:04:05+05",
		"2026-01-02T03:04:05+5:30", "2026-01-02T23:30:00-05:30", "2026-01-01T00:10:00+05:30", "2024-02-28T23:30:00-01:00", "2026-01-02t03:04:05Z", "2026-01-02T03:04:05z", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-01-02T03:04Z", "2026-01-02T03:4:05Z",
		"2026-1-02T03:04:05Z", "2026-01-2T03:04:05Z", "2026-02-29T03:04:05Z", "2024-02-29T03:04:05Z", "1900-02-29T03:04:05Z", "2000-02-29T03:04:05Z", "2026-04-31T03:04:05Z", "2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-00T03:04:05Z",
		"2026-01-02T03:04:60Z", "2026-06-30T23:59:60Z", "2026-01-02T03:60:05Z", "2026-01-02T24:00:00Z", "2026-01-02T24:04:05Z", "2026-01-02T003:04:05Z", " 2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z ", "2026-01-02T03:04:05ZZ",
		"0000-01-02T03:04:05Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:01Z", "0001-01-01T05:30:00+05:30", "9999-12-31T23:59:59Z", "10000-01-01T00:00:00Z", "-001-01-02T03:04:05Z", "2026-W01-5T03:04:05Z", "1767323045", "now",
	} {
		out = append(out, decodedTaints(fmt.Sprintf(aTaint, `,"timeAdded":"`+s+`"`)))
	}
	for _, s := range []string{
		`"` + aTime + `","timeAdded":null`, `null,"timeAdded":"` + aTime + `"`, `"` + aTime + `","timeAdded":""`, `1767323045`, `"2026-01-02T03:04:05\u005a"`, `{}`, `["` + aTime + `"]`,
	} {
		out = append(out, decodedTaints(fmt.Sprintf(aTaint, `,"timeAdded":`+s)))
	}
	for _, s := range looseTexts(fmt.Sprintf(aTaint, "")) {
		out = append(out, decodedTaints(s))
	}
	return out
}

func editEdges() (out []any) {
	node := []taint{{Key: "b", Effect: "NoSchedule"}}
	for _, args := range [][]string{
		{"a:NoSchedule", "b"}, {"b", "a:NoSchedule"}, {"b:NoSchedule-", "b"}, {"b-", "a"}, {"a:NoSchedule", ""}, {"a:NoSchedule", "-"}, {"a:NoSchedule", "c:x"}, {"c=", "a:NoSchedule"}, {"b-", "c-"},
	} {
		out = append(out, edited(recorded.Edit{Node: node, Args: args}))
	}
	return out
}

func coverEdges() (out []any) {
	exists := toleration{Key: "a", Operator: "Exists"}
	for _, seconds := range [][]int64{
		{9223372036854775806, 9223372036854775807}, {9007199254740992, 9007199254740993}, {-1, 0}, {-5, -1, 0, 1}, {-9223372036854775808, -9223372036854775807},
	} {
		var list []toleration
		for _, n := range seconds {
			list = append(list, forSeconds(n, exists))
		}
		out = append(out, covered(list))
	}
	return out
}

func mergeEdges() (out []any) {
	x := toleration{Key: "a", Value: "x"}
	equal := withOperator(x)
	lt := func(value string) toleration { return toleration{Key: "a", Operator: "Lt", Value: value} }
	gt := func(value string) toleration { return toleration{Key: "a", Operator: "Gt", Value: value} }
	for _, lists := range [][2][]toleration{
		{{forSeconds(5, x)}, {forSeconds(10, x)}}, {{forSeconds(10, x)}, {forSeconds(5, x)}}, {{forSeconds(5, equal)}, {forSeconds(10, equal)}}, {{forSeconds(10, equal)}, {forSeconds(5, equal)}},
		{{x}, {x}}, {{x}, {equal}}, {{equal}, {x}}, {{x, equal}, {}}, {{x}, {{Key: "a", Operator: "Exists"}}}, {{{Operator: "Exists"}}, {x}}, {{forSeconds(-1, equal)}, {forSeconds(0, equal), forSeconds(-5, equal)}},
		{{lt("5")}, {lt("5")}}, {{lt("5")}, {lt("4")}}, {{lt("4")}, {lt("5")}}, {{gt("4")}, {gt("5")}}, {{gt("5")}, {lt("5")}}, {{lt("5")}, {{Key: "a", Operator: "Equal", Value: "4"}}},
		{{{Key: "a", Operator: "Exists"}}, {lt("5"), gt("5")}}, {{lt("5"), gt("5")}, {{Key: "a", Operator: "Exists"}}},
		{{forSeconds(5, lt("5"))}, {forSeconds(10, lt("5"))}}, {{forSeconds(10, lt("5"))}, {forSeconds(5, lt("5"))}}, {{forSeconds(10, gt("-1"))}, {forSeconds(10, gt("-1"))}},
	} {
		out = append(out, merged(lists[0], lists[1]))
	}
	return out
}

func defaultSecondsEdges() (out []any) {
	for _, key := range []string{"node.kubernetes.io/Not-Ready", "node.kubernetes.io/UNREACHABLE"} {
		out = append(out, withDefaults(recorded.DefaultSeconds{NotReady: 300, Unreachable: 300, Tolerations: []toleration{{Key: key, Operator: "Exists"}}}))
	}
	for _, n := range []int64{-5, -1, -9223372036854775808, 9223372036854775807} {
		out = append(out, withDefaults(recorded.DefaultSeconds{NotReady: n, Unreachable: 300, Tolerations: []toleration{}}),
			withDefaults(recorded.DefaultSeconds{NotReady: 60, Unreachable: n, Tolerations: []toleration{}}))
	}
	return out
}

// Tolerations of resources are sorted by bytes.
func resourcesByHand() (out []any) {
	for _, names := range [][]string{
		{"a/a", "a/B", "a-b/x"}, {"a/b", "a.b/b", "a-b/b", "a0/b"}, {"b/a", "a/b", "a/B", "a/_", "a/Z"}, {"a/A", "a/a"}, {"a/10", "a/9", "a/1"},
	} {
		out = append(out, withResources(names, []toleration{}))
	}
	return out
}
