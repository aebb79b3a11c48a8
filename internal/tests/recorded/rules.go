package recorded

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// always has the rules that decide every case of a kind.
var always = map[string]string{
	"validate": "V10", "update": "V9 V10", "validate-taints": "V10", "decode": "K4", "decode-taints": "K4", "parse": "K1", "edit": "K2",
	"cover": "R2", "merge": "R2 R3", "default-seconds": "D1", "daemon": "D2", "resources": "D4", "pod": "D1",
	"history": "E4 E8", "policy": "R6", "match-device": "G3", "validate-device": "G1 G2", "allocate-device": "G3 G6", "evict-device": "G3 G7 G8",
}

// rules returns the ids of the rules of SEMANTICS.md that decide a case. They follow from
// the case alone.
func rules(kind string, c any) []string {
	s := ids{}
	s.add(true, always[kind])
	switch c := c.(type) {
	case Match:
		if c.On != "" {
			s.pairs(c.Taints, c.Tolerations, true)
		}
		s.pairs(c.Taints, c.Tolerations, false)
		s.add(len(c.InvalidTaints)+len(c.InvalidTolerations) > 0, "M8")
	case Filter:
		s.pairs(c.Taints, c.Tolerations, c.Gate)
		s.add(len(c.Taints) > 0, "F1 F3")
		s.add(c.First.Any >= 0, "F2")
		for i, t := range c.Taints {
			s.add(slices.ContainsFunc(c.Taints[:i], func(u Taint) bool { return t.Key == u.Key }), "F4")
		}
		s.add(c.First.Any >= 0 || len(c.Taints) == 0, "F6")
		s.add(len(c.Serving) > 0, "F7 E3")
		s.add(c.Ours != nil, "M8")
	case Evict:
		evicting := slices.DeleteFunc(slices.Clone(c.Taints), func(t Taint) bool { return t.Effect != "NoExecute" })
		all, several, deadlines := len(evicting) > 0, false, 0
		for _, list := range s.pairs(evicting, c.Tolerations, c.Gate) {
			all, several = all && len(list) > 0, several || len(list) > 1
			if len(list) > 0 && list[0].Seconds != nil {
				deadlines++
			}
		}
		s.add(!all, "E1")
		s.add(all, "E2")
		s.add(all && several, "E3")
		s.add(all && deadlines > 0, "E4")
		s.add(all && deadlines > 1, "E6")
		s.add(len(c.Differences) > 0, "E7")
	case History:
		tolerations, taints := c.Tolerations, []Taint(nil)
		for _, step := range c.Steps {
			if taints = append(taints, step.Taints...); step.Tolerations != nil {
				tolerations = append(slices.Clone(tolerations), step.Tolerations...)
			}
		}
		s.pairs(slices.DeleteFunc(taints, func(t Taint) bool { return t.Effect != "NoExecute" }), tolerations, true)
		s.add(!reflect.DeepEqual(c.Evicted, c.PerTaint), "E5 E6")
	case DeviceMatch:
		s.effects(c.Taints)
		s.add(len(c.InvalidTaints)+len(c.InvalidTolerations) > 0, "G13")
	case DeviceValidate:
		s.effects(c.Taints)
	case DeviceAllocate:
		s.devices(c.Devices)
	case DeviceEvict:
		s.devices(c.Devices)
		for _, r := range c.Rules {
			s.add(true, "G9")
			s.effects([]Taint{r.Taint})
		}
	case Validate:
		s.tolerations(c.Tolerations, c.Gate)
	case Update:
		s.tolerations(c.New, c.Gate)
	case ValidateTaints:
		s.taints(c.Taints)
	case Decode[Toleration]:
		var list []Toleration
		json.Unmarshal([]byte(c.Text), &list) // as much of it as can be read
		s.tolerations(list, true)
		s.add(!c.Strict, "V10")
	case Decode[Taint]:
		var list []Taint
		json.Unmarshal([]byte(c.Text), &list)
		s.taints(list)
		s.add(!c.Strict, "V10")
	case Parse:
		s.text(c.Text)
	case Edit:
		for _, arg := range c.Args {
			s.text(strings.TrimRight(arg, "-"))
		}
	case Pod:
		s.add(!c.BestEffort, "D3")
		s.add(strings.Contains(strings.Join(c.Resources, " "), "/"), "D4")
		s.add(len(c.Defaults) > 0 && !c.Updated || len(c.Whitelist) > 0, "D5 R2")
		s.add(c.Class != nil && !c.Updated, "D8 R2 R3")
	}
	return slices.SortedFunc(maps.Keys(s), func(a, b string) int { // V9 before V10
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

type ids map[string]bool

func (s ids) add(when bool, list string) {
	for id := range strings.FieldsSeq(list) {
		if when {
			s[id] = true
		}
	}
}

// pairs adds the rules of each toleration on each taint, and returns for each taint the
// tolerations that match it.
func (s ids) pairs(taints []Taint, tolerations []Toleration, gate bool) [][]Toleration {
	matching := make([][]Toleration, len(taints))
	for i, t := range taints {
		for _, u := range tolerations {
			list, matches := pair(t, u, gate)
			if s.add(true, list); matches {
				s.add(u.Seconds != nil, "M7")
				matching[i] = append(matching[i], u)
			}
		}
	}
	return matching
}

// pair returns the rules up to the one that decides.
func pair(t Taint, u Toleration, gate bool) (list string, matches bool) {
	a, aerr := strconv.ParseInt(t.Value, 10, 64)
	b, berr := strconv.ParseInt(u.Value, 10, 64)
	switch {
	case u.Effect != "" && u.Effect != t.Effect:
		return "M1", false
	case u.Key != "" && u.Key != t.Key:
		return "M1 M2", false
	case u.Operator == "Exists":
		return "M1 M2 M3", true
	case u.Operator == "" || u.Operator == "Equal":
		return "M1 M2 M4", t.Value == u.Value
	case !u.Numeric():
		return "M8", false
	case !gate:
		return "M1 M2 M9", false
	case aerr != nil || berr != nil || strconv.FormatInt(a, 10) != t.Value: // V3
		return "M1 M2 M6", false
	}
	return "M1 M2 M5", u.Operator == "Gt" && a > b || u.Operator == "Lt" && a < b
}

func (s ids) tolerations(list []Toleration, gate bool) {
	for _, u := range list {
		s.add(true, "V5 V7")
		s.add(u.Key != "", "V1")
		s.add(u.Value != "" && (u.Operator == "" || u.Operator == "Equal"), "V2")
		s.add(u.Numeric(), "V3")
		s.add(u.Numeric() && !gate, "V11")
		s.add(u.Effect != "", "V4")
	}
}

func (s ids) taints(list []Taint) {
	for i, t := range list {
		s.add(true, "V6")
		s.text(t.Key + "=" + t.Value + ":" + t.Effect)
		s.add(slices.ContainsFunc(list[:i], func(u Taint) bool { return t.Key == u.Key && t.Effect == u.Effect }), "V8")
	}
}

// effects adds G4 if an effect is unknown.
func (s ids) effects(list []Taint) {
	for _, t := range list {
		s.add(!slices.Contains([]string{"None", "NoSchedule", "NoExecute", ""}, t.Effect), "G4")
	}
}

func (s ids) devices(list []Device) {
	for _, d := range list {
		s.effects(d.Taints)
	}
}

// text adds the rules of the parts of a taint's text.
func (s ids) text(text string) {
	taint, effect, _ := strings.Cut(text, ":")
	key, value, _ := strings.Cut(taint, "=")
	s.add(key != "", "V1")
	s.add(value != "", "V2")
	s.add(effect != "", "V4")
}
