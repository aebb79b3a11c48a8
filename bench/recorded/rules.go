package recorded

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// rules returns the ids of the rules of SEMANTICS.md that decide a case, in the order of
// that page. They follow from the case alone.
func rules(c any) []string {
	s := ids{}
	switch c := c.(type) {
	case Match:
		if c.On != "" {
			s.pairs(c.Taints, c.Tolerations, true)
		}
		s.pairs(c.Taints, c.Tolerations, false)
		s.add(len(c.InvalidTaints)+len(c.InvalidTolerations) > 0, "M8")
	case Filter:
		s.pairs(c.Taints, c.Tolerations, c.Gate)
		s.add(len(c.Taints) > 0 && len(c.Tolerations) > 0, "F1")
		s.add(c.First.Any >= 0, "F2")
		s.add(len(c.Taints) > 0, "F3")
		s.add(repeats(c.Taints, func(t Taint) string { return t.Key }), "F4")
		s.add(c.First.Any >= 0 || len(c.Taints) == 0, "F6")
		s.add(len(c.Serving) > 0, "F7", "E3")
		s.add(c.Ours != nil, "M8")
	case Evict:
		s.evict(c)
	case Validate:
		s.tolerations(c.Tolerations, c.Gate)
		s.add(true, "V10")
	case Update:
		s.tolerations(c.New, c.Gate)
		s.add(true, "V9", "V10")
	case ValidateTaints:
		s.taints(c.Taints)
		s.add(true, "V10")
	case Decode[Toleration]:
		list := decoded(c)
		s.tolerations(list, true)
		s.add(!c.Strict, "V10")
		s.add(true, "K4")
	case Decode[Taint]:
		s.taints(decoded(c))
		s.add(!c.Strict, "V10")
		s.add(true, "K4")
	case Parse:
		s.text(c.Text)
		s.add(true, "K1")
	case Edit:
		for _, arg := range c.Args {
			s.text(strings.TrimRight(arg, "-"))
		}
		s.add(true, "K2")
	case Cover:
		s.add(true, "R2")
	case Merge:
		s.add(true, "R2", "R3")
	case DefaultSeconds:
		s.add(true, "D1")
	case Daemon:
		s.add(true, "D2")
	case Resources:
		s.add(true, "D4")
	case Pod:
		s.add(true, "D1")
		s.add(!c.BestEffort, "D3")
		s.add(slices.ContainsFunc(c.Resources, func(name string) bool { return strings.Contains(name, "/") }), "D4")
		s.add(len(c.Defaults) > 0 && !c.Updated || len(c.Whitelist) > 0, "D5", "R2")
		s.add(len(c.Class) > 0 && !c.Updated, "D8", "R2", "R3")
	}
	return s.sorted()
}

type ids map[string]bool

func (s ids) sorted() []string { return slices.SortedFunc(maps.Keys(s), byPage) }

// byPage compares two ids by their places in SEMANTICS.md.
func byPage(a, b string) int {
	section := func(id string) int { return strings.Index("VMFEDRK", id[:1]) }
	return cmp.Or(cmp.Compare(section(a), section(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func (s ids) add(when bool, names ...string) {
	for _, name := range names {
		if when {
			s[name] = true
		}
	}
}

// pairs adds the rules by which each toleration matches each taint, or does not. It
// returns, for each taint, the tolerations that match it.
func (s ids) pairs(taints []Taint, tolerations []Toleration, gate bool) [][]Toleration {
	matching := make([][]Toleration, len(taints))
	for i, t := range taints {
		for _, u := range tolerations {
			a, b, integers := parse(t.Value, u.Value)
			matches := false
			switch {
			case u.Effect != "" && u.Effect != t.Effect:
				s.add(true, "M1")
				continue
			case u.Key != "" && u.Key != t.Key:
				s.add(true, "M2")
				continue
			case u.Operator == "Exists":
				matches = true
				s.add(true, "M3")
			case u.Operator == "" || u.Operator == "Equal":
				matches = t.Value == u.Value
				s.add(true, "M4")
			case !numeric(u): // M8
			case !gate:
				s.add(true, "M9")
			case !integers:
				s.add(true, "M6")
			default:
				matches = u.Operator == "Gt" && a > b || u.Operator == "Lt" && a < b
				s.add(true, "M5")
			}
			if matches {
				s.add(true, "M1", "M2")
				s.add(u.Seconds != nil || t.TimeAdded != "", "M7")
				matching[i] = append(matching[i], u)
			}
		}
	}
	return matching
}

func (s ids) evict(c Evict) {
	considered := slices.DeleteFunc(slices.Clone(c.Taints), func(t Taint) bool { return t.Effect != "NoExecute" })
	deadlines, untolerated, several := 0, len(considered) == 0, false
	for _, list := range s.pairs(considered, c.Tolerations, c.Gate) {
		untolerated = untolerated || len(list) == 0
		several = several || len(list) > 1
		if len(list) > 0 && list[0].Seconds != nil {
			deadlines++
		}
	}
	s.add(untolerated, "E1")
	s.add(!untolerated, "E2")
	s.add(!untolerated && several, "E3")
	s.add(!untolerated && deadlines > 0, "E4")
	s.add(!untolerated && deadlines > 1, "E6")
	s.add(len(c.Differences) > 0, "E7")
}

func (s ids) tolerations(list []Toleration, gate bool) {
	for _, u := range list {
		s.add(true, "V5", "V7")
		s.add(u.Key != "", "V1")
		s.add(u.Value != "" && (u.Operator == "" || u.Operator == "Equal"), "V2")
		s.add(numeric(u), "V3")
		s.add(numeric(u) && !gate, "V11")
		s.add(u.Effect != "", "V4")
	}
}

func (s ids) taints(list []Taint) {
	for _, t := range list {
		s.add(true, "V6")
		s.parts(t.Key, t.Value, t.Effect)
	}
	s.add(repeats(list, func(t Taint) string { return t.Key + ":" + t.Effect }), "V8")
}

// text adds the rules of the parts of a taint's text.
func (s ids) text(text string) {
	taint, effect, _ := strings.Cut(text, ":")
	key, value, _ := strings.Cut(taint, "=")
	s.parts(key, value, effect)
}

func (s ids) parts(key, value, effect string) {
	s.add(key != "", "V1")
	s.add(value != "", "V2")
	s.add(effect != "", "V4")
}

// decoded returns the list, or as much of a list that is rejected as can be read.
func decoded[T any](c Decode[T]) (list []T) {
	json.Unmarshal([]byte(c.Text), &list)
	return list
}

func numeric(u Toleration) bool { return u.Operator == "Lt" || u.Operator == "Gt" }

// parse returns two integers by V3.
func parse(s, t string) (a, b int64, ok bool) {
	a, err := strconv.ParseInt(s, 10, 64)
	b, err2 := strconv.ParseInt(t, 10, 64)
	return a, b, err == nil && err2 == nil && strconv.FormatInt(a, 10) == s && strconv.FormatInt(b, 10) == t
}

// repeats reports whether two elements have the same name.
func repeats[T any](list []T, name func(T) string) bool {
	seen := map[string]bool{}
	for _, e := range list {
		seen[name(e)] = true
	}
	return len(seen) < len(list)
}
