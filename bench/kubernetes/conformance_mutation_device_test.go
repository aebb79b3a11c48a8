package kubernetes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
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
	effect := or(m.effect, func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return u.Effect == "" && t.Effect != "" || u.Effect == t.Effect && knownEffect(u.Effect)
	})
	key := or(m.key, func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return u.Key == "" || u.Key == t.Key
	})
	value := or(m.value, func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return u.Operator == "Exists" && u.Value == "" || (u.Operator == "" || u.Operator == "Equal") && u.Value == t.Value
	})
	return func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return effect(u, t) && key(u, t) && value(u, t)
	}
}

var deviceMistakes = map[string]deviceMatcher{
	"G3_NoExecute_implies_NoSchedule": deviceMistake{effect: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return u.Effect == "" && t.Effect != "" || u.Effect == t.Effect && knownEffect(u.Effect) || u.Effect == "NoExecute" && t.Effect == "NoSchedule"
	}}.matcher(),
	"G4_absent_effect_does_not_match_an_unknown_one": deviceMistake{effect: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return knownEffect(t.Effect) && (u.Effect == "" || u.Effect == t.Effect)
	}}.matcher(),
	"G4_unknown_effect_is_None": deviceMistake{effect: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return u.Effect == "" && t.Effect != "" || u.Effect == t.Effect && knownEffect(u.Effect) || u.Effect == "None" && t.Effect != "" && !knownEffect(t.Effect)
	}}.matcher(),
	"G13_unknown_effects_are_compared": deviceMistake{effect: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return t.Effect != "" && (u.Effect == "" || u.Effect == t.Effect)
	}}.matcher(),
	"G13_absent_effect_is_matched": deviceMistake{effect: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return u.Effect == "" || u.Effect == t.Effect && knownEffect(u.Effect)
	}}.matcher(),
	"G3_absent_key_needs_Exists": deviceMistake{key: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return u.Key == t.Key || u.Key == "" && u.Operator == "Exists"
	}}.matcher(),
	"G3_key_is_a_prefix": deviceMistake{key: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return strings.HasPrefix(t.Key, u.Key)
	}}.matcher(),
	"G3_exists_compares_values": deviceMistake{value: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return u.Value == t.Value && slices.Contains(deviceOperators, string(u.Operator))
	}}.matcher(),
	"G3_empty_value_matches_any": deviceMistake{value: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return (u.Value == "" || u.Operator != "Exists" && u.Value == t.Value) && slices.Contains(deviceOperators, string(u.Operator))
	}}.matcher(),
	"G2_absent_operator_is_Exists": deviceMistake{value: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return (u.Operator == "" || u.Operator == "Exists") && u.Value == "" || u.Operator == "Equal" && u.Value == t.Value
	}}.matcher(),
	"G13_unknown_operator_is_Equal": deviceMistake{value: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return u.Operator == "Exists" && u.Value == "" || u.Operator != "Exists" && u.Value == t.Value
	}}.matcher(),
	"G13_exists_with_value": deviceMistake{value: func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return u.Operator == "Exists" || (u.Operator == "" || u.Operator == "Equal") && u.Value == t.Value
	}}.matcher(),
	"G3_zero_seconds_match_nothing": func(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
		return dra.Tolerates(u, t) && (u.TolerationSeconds == nil || *u.TolerationSeconds != 0)
	},
}

// selecting returns a selectedBy with another selector.
func selecting(change func(s *dra.Selector) *dra.Selector) selectedBy {
	return func(r *dra.Rule, id dra.ID) bool {
		return (&dra.Rule{Selector: change(r.Selector)}).Selects(id)
	}
}

var selectorMistakes = map[string]selectedBy{
	"G9_no_selector_selects_all": func(r *dra.Rule, id dra.ID) bool { return r.Selector == nil || r.Selects(id) },
	"G9_empty_selects_none": selecting(func(s *dra.Selector) *dra.Selector {
		if s != nil && *s == (dra.Selector{}) {
			return nil
		}
		return s
	}),
	"G9_driver_ignored": func(r *dra.Rule, id dra.ID) bool {
		return r.Selector != nil && (&dra.Rule{Selector: &dra.Selector{Pool: r.Selector.Pool, Device: r.Selector.Device}}).Selects(id)
	},
	"G9_pool_ignored": func(r *dra.Rule, id dra.ID) bool {
		return r.Selector != nil && (&dra.Rule{Selector: &dra.Selector{Driver: r.Selector.Driver, Device: r.Selector.Device}}).Selects(id)
	},
	"G9_device_ignored": func(r *dra.Rule, id dra.ID) bool {
		return r.Selector != nil && (&dra.Rule{Selector: &dra.Selector{Driver: r.Selector.Driver, Pool: r.Selector.Pool}}).Selects(id)
	},
	"G9_one_field_is_enough": func(r *dra.Rule, id dra.ID) bool {
		is := func(want *string, name string) bool { return want != nil && *want == name }
		s := r.Selector
		return s != nil && (r.Selects(id) || is(s.Driver, id.Driver) || is(s.Pool, id.Pool) || is(s.Device, id.Device))
	},
}

// otherTolerations returns a decider that receives other tolerations.
func otherTolerations(change func([]resourcev1.DeviceToleration) []resourcev1.DeviceToleration) deviceDecider {
	return func(now time.Time, claims []*resourcev1.ResourceClaim, taints taintsOf, rules []dra.Rule) (eviction.Decision, dra.Cause) {
		claims = withDevices(claims, func(d *resourcev1.DeviceRequestAllocationResult) { d.Tolerations = change(d.Tolerations) })
		return decideAsKubernetes(now, claims, taints, rules)
	}
}

// otherTaints returns a decider that receives other taints of devices and of rules.
func otherTaints(change func(now time.Time, t *resourcev1.DeviceTaint)) deviceDecider {
	return func(now time.Time, claims []*resourcev1.ResourceClaim, taints taintsOf, rules []dra.Rule) (eviction.Decision, dra.Cause) {
		rules = slices.Clone(rules)
		for i := range rules {
			change(now, &rules[i].Taint)
		}
		return decideAsKubernetes(now, claims, func(id dra.ID) []resourcev1.DeviceTaint {
			own := slices.Clone(taints(id))
			for i := range own {
				change(now, &own[i])
			}
			return own
		}, rules)
	}
}

// evicting returns a decider for which the other taints that is reports have NoExecute.
func evicting(is func(resourcev1.DeviceTaintEffect) bool) deviceDecider {
	return otherTaints(func(_ time.Time, t *resourcev1.DeviceTaint) {
		if is(t.Effect) {
			t.Effect = "NoExecute"
		}
	})
}

var deviceDecideMistakes = map[string]deviceDecider{
	"G7_as_in_other_versions": otherTolerations(func(list []resourcev1.DeviceToleration) []resourcev1.DeviceToleration {
		if upstream.From138 {
			return slices.DeleteFunc(list, func(u resourcev1.DeviceToleration) bool { return u.Effect == "" })
		}
		for i := range list {
			if list[i].Effect == "" {
				list[i].Effect = "NoExecute"
			}
		}
		return list
	}),
	"G7_NoSchedule_evicts": evicting(func(e resourcev1.DeviceTaintEffect) bool { return e == "NoSchedule" }),
	"G4_unknown_evicts":    evicting(func(e resourcev1.DeviceTaintEffect) bool { return !knownEffect(e) }),
	"G8_first_toleration": otherTolerations(func(list []resourcev1.DeviceToleration) []resourcev1.DeviceToleration {
		return list[:min(len(list), 1)]
	}),
	"G8_future_starts_now": otherTaints(func(now time.Time, t *resourcev1.DeviceTaint) {
		if t.TimeAdded.After(now) {
			t.TimeAdded = &metav1.Time{Time: now}
		}
	}),
	"G8_negative_is_never": otherTolerations(func(list []resourcev1.DeviceToleration) []resourcev1.DeviceToleration {
		for i, u := range list {
			if u.TolerationSeconds != nil && *u.TolerationSeconds < 0 {
				list[i].TolerationSeconds = nil
			}
		}
		return list
	}),
	"G8_forever_does_not_win": otherTolerations(func(list []resourcev1.DeviceToleration) []resourcev1.DeviceToleration {
		timed := slices.DeleteFunc(slices.Clone(list), func(u resourcev1.DeviceToleration) bool { return u.TolerationSeconds == nil })
		if len(timed) > 0 {
			return timed
		}
		return list
	}),
	"G8_first_claim": func(now time.Time, claims []*resourcev1.ResourceClaim, taints taintsOf, rules []dra.Rule) (eviction.Decision, dra.Cause) {
		return decideAsKubernetes(now, claims[:min(len(claims), 1)], taints, rules)
	},
	"G9_rules_ignored": func(now time.Time, claims []*resourcev1.ResourceClaim, taints taintsOf, _ []dra.Rule) (eviction.Decision, dra.Cause) {
		return decideAsKubernetes(now, claims, taints, nil)
	},
	"G9_rules_need_a_slice": func(now time.Time, claims []*resourcev1.ResourceClaim, taints taintsOf, rules []dra.Rule) (eviction.Decision, dra.Cause) {
		claims = withDevices(claims, func(d *resourcev1.DeviceRequestAllocationResult) {
			if len(taints(dra.ID{Driver: d.Driver, Pool: d.Pool, Device: d.Device})) == 0 {
				d.Driver, d.Pool, d.Device = "", "", ""
			}
		})
		return decideAsKubernetes(now, claims, taints, slices.DeleteFunc(slices.Clone(rules), func(r dra.Rule) bool { return r.Selects(dra.ID{}) }))
	},
}

var allocateMistakes = map[string]allocatable{
	"G6_any_taint": func(taints []resourcev1.DeviceTaint, list []resourcev1.DeviceToleration) bool {
		for i := range taints {
			if dra.Allocatable(taints[i:i+1], list) {
				return true
			}
		}
		return len(taints) == 0
	},
	"G4_None_prevents": func(taints []resourcev1.DeviceTaint, list []resourcev1.DeviceToleration) bool {
		for i := range taints {
			if !slices.ContainsFunc(list, func(u resourcev1.DeviceToleration) bool { return dra.Tolerates(&u, &taints[i]) }) {
				return false
			}
		}
		return true
	},
	"G6_NoExecute_allocates": func(taints []resourcev1.DeviceTaint, list []resourcev1.DeviceToleration) bool {
		return dra.Allocatable(slices.DeleteFunc(slices.Clone(taints), func(t resourcev1.DeviceTaint) bool { return t.Effect == "NoExecute" }), list)
	},
}

// The harness must detect every one of these mistakes, and none in the right functions.
func TestMutationDevice(t *testing.T) {
	const cases = 20_000
	right := deviceMistake{}.matcher()
	see(t, cases, func(m deviceMatcher) func(*gen) string { return toleratesDevice(m, nil) }, right, deviceMistakes)
	see(t, cases, func(s selectedBy) func(*gen) string { return selectsDevice(s, nil, nil) }, (*dra.Rule).Selects, selectorMistakes)
	see(t, cases, func(d deviceDecider) func(*gen) string { return evictsDevices(upstream.NewDeviceEvictor(), d, nil) }, decideAsKubernetes, deviceDecideMistakes)
	see(t, cases/20, func(a allocatable) func(*gen) string { return allocates(a, nil) }, dra.Allocatable, allocateMistakes)
}
