package kubernetes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/toleration"
)

// A deviceMistake changes one step of the right matcher.
type deviceMistake struct{ effect, key, value deviceMatcher }

// matcher replaces the omitted steps by the right ones.
func (m deviceMistake) matcher() deviceMatcher {
	or := func(f, right deviceMatcher) deviceMatcher {
		if f != nil {
			return f
		}
		return right
	}
	effect := or(m.effect, func(u device.Toleration, t device.Taint) bool { return u.Effect() == 0 || u.Effect() == t.Effect() })
	key := or(m.key, func(u device.Toleration, t device.Taint) bool { return u.Key() == "" || u.Key() == t.Key() })
	value := or(m.value, func(u device.Toleration, t device.Taint) bool {
		return u.Operator() == toleration.Exists || u.Value() == t.Value()
	})
	return func(u device.Toleration, t device.Taint) bool {
		return !u.IsZero() && !t.IsZero() && effect(u, t) && key(u, t) && value(u, t)
	}
}

var deviceMistakes = map[string]deviceMatcher{
	"G3_NoExecute_implies_NoSchedule": deviceMistake{effect: func(u device.Toleration, t device.Taint) bool {
		return u.Effect() == 0 || u.Effect() == t.Effect() || u.Effect() == device.NoExecute && t.Effect() == device.NoSchedule
	}}.matcher(),
	"G4_absent_effect_does_not_match_an_unknown_one": deviceMistake{effect: func(u device.Toleration, t device.Taint) bool {
		return t.Effect() != 0 && (u.Effect() == 0 || u.Effect() == t.Effect())
	}}.matcher(),
	"G4_unknown_effect_is_None": deviceMistake{effect: func(u device.Toleration, t device.Taint) bool {
		return u.Effect() == 0 || u.Effect() == t.Effect() || u.Effect() == device.None && t.Effect() == 0
	}}.matcher(),
	"G3_absent_key_needs_Exists": deviceMistake{key: func(u device.Toleration, t device.Taint) bool {
		return u.Key() == t.Key() || u.Key() == "" && u.Operator() == toleration.Exists
	}}.matcher(),
	"G3_key_is_a_prefix": deviceMistake{key: func(u device.Toleration, t device.Taint) bool { return strings.HasPrefix(t.Key(), u.Key()) }}.matcher(),
	"G3_exists_compares_values": deviceMistake{value: func(u device.Toleration, t device.Taint) bool {
		return u.Value() == t.Value()
	}}.matcher(),
	"G3_empty_value_matches_any": deviceMistake{value: func(u device.Toleration, t device.Taint) bool {
		return u.Operator() == toleration.Exists || u.Value() == "" || u.Value() == t.Value()
	}}.matcher(),
	"G2_absent_operator_is_Exists": deviceMistake{value: func(u device.Toleration, t device.Taint) bool {
		return u.Operator() != toleration.Equal || u.Value() == t.Value()
	}}.matcher(),
	"G3_zero_seconds_match_nothing": func(u device.Toleration, t device.Taint) bool {
		n, timed := u.Seconds()
		return u.Tolerates(t) && !(timed && n == 0)
	},
	"G13_zero_toleration_is_empty": func(u device.Toleration, t device.Taint) bool {
		return u.Tolerates(t) || u.IsZero() && t.Value() == ""
	},
	"G13_zero_taint_is_matched_by_a_wildcard": func(u device.Toleration, t device.Taint) bool {
		return u.Tolerates(t) || t.IsZero() && u.Key() == "" && u.Operator() == toleration.Exists
	},
}

var selectorMistakes = map[string]selectedBy{
	"G9_no_selector_selects_all": func(s *device.TaintSelector, id device.ID) bool { return s == nil || s.Selects(id) },
	"G9_empty_selects_none":      func(s *device.TaintSelector, id device.ID) bool { return s.Selects(id) && *s != device.TaintSelector{} },
	"G9_driver_ignored": func(s *device.TaintSelector, id device.ID) bool {
		return s != nil && (&device.TaintSelector{Pool: s.Pool, Device: s.Device}).Selects(id)
	},
	"G9_pool_ignored": func(s *device.TaintSelector, id device.ID) bool {
		return s != nil && (&device.TaintSelector{Driver: s.Driver, Device: s.Device}).Selects(id)
	},
	"G9_device_ignored": func(s *device.TaintSelector, id device.ID) bool {
		return s != nil && (&device.TaintSelector{Driver: s.Driver, Pool: s.Pool}).Selects(id)
	},
	"G9_one_field_is_enough": func(s *device.TaintSelector, id device.ID) bool {
		return s != nil && (s.Selects(id) || s.Driver == id.Driver || s.Pool == id.Pool || s.Device == id.Device)
	},
}

// otherTolerations returns a decider that receives other tolerations.
func otherTolerations(change func(device.Tolerations) device.Tolerations) deviceDecider {
	return func(now time.Time, rules []device.TaintRule, devices ...device.Allocated) deviceDecision {
		devices = slices.Clone(devices)
		for i := range devices {
			devices[i].Tolerations = change(slices.Clone(devices[i].Tolerations))
		}
		return decideAsKubernetes(now, rules, devices...)
	}
}

// otherTaints returns a decider that receives other taints of devices and of rules.
func otherTaints(change func(now time.Time, t device.Taint) device.Taint) deviceDecider {
	return func(now time.Time, rules []device.TaintRule, devices ...device.Allocated) deviceDecision {
		rules, devices = slices.Clone(rules), slices.Clone(devices)
		for i := range rules {
			rules[i].Taint = change(now, rules[i].Taint)
		}
		for i := range devices {
			devices[i].Device.Taints = slices.Clone(devices[i].Device.Taints)
			for j, t := range devices[i].Device.Taints {
				devices[i].Device.Taints[j] = change(now, t)
			}
		}
		return decideAsKubernetes(now, rules, devices...)
	}
}

// evicting returns a decider for which taints with this effect have NoExecute.
func evicting(effect device.Effect) deviceDecider {
	return otherTaints(func(_ time.Time, t device.Taint) device.Taint {
		if t.Effect() != effect {
			return t
		}
		u, _ := device.TaintFrom(t.Key(), t.Value(), "NoExecute")
		u, _ = u.WithTimeAdded(t.TimeAdded())
		return u
	})
}

var deviceDecideMistakes = map[string]deviceDecider{
	"G7_as_in_other_versions": otherTolerations(func(list device.Tolerations) device.Tolerations {
		if upstream.From138 {
			return slices.DeleteFunc(list, func(u device.Toleration) bool { return u.Effect() == 0 })
		}
		for i, u := range list {
			if u.Effect() != 0 {
				continue
			}
			var seconds *int64
			if n, ok := u.Seconds(); ok {
				seconds = &n
			}
			list[i], _ = device.TolerationFrom(u.Key(), u.Operator().String(), u.Value(), "NoExecute", seconds)
		}
		return list
	}),
	"G7_NoSchedule_evicts": evicting(device.NoSchedule),
	"G4_unknown_evicts":    evicting(0),
	"G8_first_toleration":  otherTolerations(func(list device.Tolerations) device.Tolerations { return list[:min(len(list), 1)] }),
	"G8_future_starts_now": otherTaints(func(now time.Time, t device.Taint) device.Taint {
		if t.TimeAdded().After(now) {
			t, _ = t.WithTimeAdded(now)
		}
		return t
	}),
	"G8_negative_is_never": otherTolerations(func(list device.Tolerations) device.Tolerations {
		for i, u := range list {
			if n, _ := u.Seconds(); n < 0 {
				list[i], _ = device.TolerationFrom(u.Key(), u.Operator().String(), u.Value(), u.Effect().String(), nil)
			}
		}
		return list
	}),
	"G8_forever_does_not_win": otherTolerations(func(list device.Tolerations) device.Tolerations {
		timed := slices.DeleteFunc(slices.Clone(list), func(u device.Toleration) bool { _, ok := u.Seconds(); return !ok })
		if len(timed) > 0 {
			return timed
		}
		return list
	}),
	"G8_first_device": func(now time.Time, rules []device.TaintRule, devices ...device.Allocated) deviceDecision {
		return decideAsKubernetes(now, rules, devices[:min(len(devices), 1)]...)
	},
	"G9_rules_ignored": func(now time.Time, _ []device.TaintRule, devices ...device.Allocated) deviceDecision {
		return decideAsKubernetes(now, nil, devices...)
	},
	"G9_rules_need_a_slice": func(now time.Time, rules []device.TaintRule, devices ...device.Allocated) deviceDecision {
		return decideAsKubernetes(now, rules, slices.DeleteFunc(slices.Clone(devices), func(a device.Allocated) bool { return len(a.Device.Taints) == 0 })...)
	},
}

var allocateMistakes = map[string]allocatable{
	"G6_any_taint": func(d device.Device, rules []device.TaintRule, list device.Tolerations) bool {
		if len(d.Taints) == 0 {
			return d.Allocatable(rules, list)
		}
		for i := range d.Taints {
			if (device.Device{ID: d.ID, Taints: d.Taints[i : i+1]}).Allocatable(rules, list) {
				return true
			}
		}
		return false
	},
	"G4_None_prevents": func(d device.Device, rules []device.TaintRule, list device.Tolerations) bool {
		for _, t := range d.Taints {
			if !slices.ContainsFunc(list, func(u device.Toleration) bool { return u.Tolerates(t) }) {
				return false
			}
		}
		return d.Allocatable(rules, list)
	},
	"G6_NoExecute_allocates": func(d device.Device, rules []device.TaintRule, list device.Tolerations) bool {
		return (device.Device{ID: d.ID, Taints: slices.DeleteFunc(slices.Clone(d.Taints), func(t device.Taint) bool { return t.Effect() == device.NoExecute })}).Allocatable(rules, list)
	},
	"G9_rules_ignored": func(d device.Device, _ []device.TaintRule, list device.Tolerations) bool {
		return d.Allocatable(nil, list)
	},
}

// The harness must detect every one of these mistakes, and none in the right functions.
func TestMutationDevice(t *testing.T) {
	const cases = 20_000
	right := deviceMistake{}.matcher()
	see(t, cases, func(m deviceMatcher) func(*gen) string { return toleratesDevice(m, nil) }, right, deviceMistakes)
	see(t, cases, func(s selectedBy) func(*gen) string { return selectsDevice(s, nil, nil) }, (*device.TaintSelector).Selects, selectorMistakes)
	see(t, cases, func(d deviceDecider) func(*gen) string { return evictsDevices(upstream.NewDeviceEvictor(), d, nil) }, decideAsKubernetes, deviceDecideMistakes)
	see(t, cases/20, func(a allocatable) func(*gen) string { return allocates(a, nil) }, device.Device.Allocatable, allocateMistakes)
}
