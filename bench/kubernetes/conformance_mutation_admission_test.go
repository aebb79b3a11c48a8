package kubernetes_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/admission"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	additions "github.com/go-tolerate/tolerate/toleration/admission"
)

// kept returns the elements of the list for which keep returns true.
func kept(list toleration.List, keep func(u toleration.Toleration) bool) (out toleration.List) {
	for _, u := range list {
		if keep(u) {
			out = append(out, u)
		}
	}
	return out
}

var defaultsMistakes = map[string]defaulter{
	"D1_tolerated_counts": func(s additions.SecondsOptions, pod toleration.List) toleration.List {
		return defaultSeconds(s, kept(pod, func(u toleration.Toleration) bool { return u.Operator() == toleration.Exists }))
	},
	"D1_wildcard_does_not_count": func(s additions.SecondsOptions, pod toleration.List) toleration.List {
		return defaultSeconds(s, kept(pod, func(u toleration.Toleration) bool { return u.Key() != "" }))
	},
	"D1_absent_effect_does_not_count": func(s additions.SecondsOptions, pod toleration.List) toleration.List {
		return defaultSeconds(s, kept(pod, func(u toleration.Toleration) bool { return u.Effect() != 0 }))
	},
	"D1_without_seconds_only": func(s additions.SecondsOptions, pod toleration.List) toleration.List {
		return defaultSeconds(s, kept(pod, func(u toleration.Toleration) bool { _, ok := u.Seconds(); return !ok }))
	},
	"D1_other_order": func(s additions.SecondsOptions, pod toleration.List) toleration.List {
		out := defaultSeconds(s, pod)
		slices.Reverse(out)
		return out
	},
	"D1_always_300": func(_ additions.SecondsOptions, pod toleration.List) toleration.List {
		return defaultSeconds(additions.SecondsOptions{}, pod)
	},
	"D1_numbers_swapped": func(s additions.SecondsOptions, pod toleration.List) toleration.List {
		s.NotReady, s.Unreachable = s.Unreachable, s.NotReady
		return defaultSeconds(s, pod)
	},
}

var daemonMistakes = map[string]daemonizer{
	"D2_adds_only": func(opts additions.DaemonOptions, template ...toleration.List) toleration.List {
		list := slices.Concat(template...)
		return append(list, missing(additions.Daemon(opts), list)...)
	},
	"D2_seconds_stay": func(opts additions.DaemonOptions, template ...toleration.List) toleration.List {
		list := slices.Concat(template...)
		out := additions.Daemon(opts, template...)
		copy(out, list)
		return out
	},
	"D2_replaces_the_first": func(opts additions.DaemonOptions, template ...toleration.List) toleration.List {
		list := slices.Concat(template...)
		out := additions.Daemon(opts, template...)
		seen := map[toleration.Toleration]bool{}
		for i, u := range list {
			if out[i] != u && seen[out[i]] {
				out[i] = u
			}
			seen[out[i]] = true
		}
		return out
	},
	"D2_host_network_always": func(_ additions.DaemonOptions, template ...toleration.List) toleration.List {
		return additions.Daemon(daemonOptions(true), template...)
	},
	"D2_host_network_never": func(_ additions.DaemonOptions, template ...toleration.List) toleration.List {
		return additions.Daemon(daemonOptions(false), template...)
	},
	"D2_critical": func(opts additions.DaemonOptions, template ...toleration.List) toleration.List {
		opts.Critical = true
		return additions.Daemon(opts, template...)
	},
	"D2_any_operator": func(opts additions.DaemonOptions, template ...toleration.List) toleration.List {
		list := slices.Concat(template...)
		for i, u := range list {
			if u.Effect() == taint.NoExecute && u.Key() == wellKnownKeys[0] {
				list[i], _ = toleration.New(u.Key(), toleration.Exists, "", u.Effect())
			}
		}
		return additions.Daemon(opts, list)
	},
}

var resourceMistakes = map[string]resourcer{
	"D4_wildcard_does": func(names []string, pod ...toleration.List) toleration.List {
		return missing(extendedResources(names, pod...), pod...)
	},
	"D4_unsorted": func(names []string, pod ...toleration.List) toleration.List {
		out := extendedResources(names, pod...)
		slices.Reverse(out)
		return out
	},
	"D4_as_often_as_asked_for": func(names []string, pod ...toleration.List) (out toleration.List) {
		for _, name := range slices.Sorted(slices.Values(names)) {
			out = append(out, extendedResources([]string{name}, pod...)...)
		}
		return out
	},
	"D4_every_name_with_a_slash": func(names []string, pod ...toleration.List) toleration.List {
		out := extendedResources(names, pod...)
		for _, name := range names {
			if u, err := toleration.New(name, toleration.Exists, "", taint.NoSchedule); err == nil && strings.Contains(name, "/") {
				out = append(out, missing(toleration.List{u}, append(pod, out)...)...)
			}
		}
		return out
	},
}

var planMistakes = map[string]planner{
	"D1_no_defaults": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		p.Seconds = additions.SecondsOptions{NotReadyOff: true, UnreachableOff: true}
		return plan(p, op, pod)
	},
	"D3_only_when_created": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		if op == admission.Update {
			pod.QOS = additions.BestEffort
		}
		return plan(p, op, pod)
	},
	"D3_BestEffort_too": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		pod.QOS = additions.Burstable
		return plan(p, op, pod)
	},
	"D3_Guaranteed_only": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		if pod.QOS != additions.Guaranteed {
			pod.QOS = additions.BestEffort
		}
		return plan(p, op, pod)
	},
	"D4_no_resources": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		pod.Resources = nil
		return plan(p, op, pod)
	},
	"D5_no_defaults": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		p.Restriction.Defaults = nil
		return plan(p, op, pod)
	},
	"D5_defaults_when_updated": func(p additions.Plan, _ admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		return plan(p, admission.Create, pod)
	},
	"D5_no_whitelist": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		p.Restriction.Whitelist = nil
		return plan(p, op, pod)
	},
	"D5_whitelist_of_the_pod's_own": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		own := additions.Plan{Restriction: additions.Restriction{Whitelist: p.Restriction.Whitelist}}
		own.Seconds = additions.SecondsOptions{NotReadyOff: true, UnreachableOff: true}
		if _, err := own.OnUpdate(additions.PodSpec{Tolerations: pod.Tolerations}); err != nil {
			return nil, err
		}
		p.Restriction.Whitelist = nil
		return plan(p, op, pod)
	},
	"D5_whitelist_without_seconds": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		list := slices.Clone(p.Restriction.Whitelist)
		for i, u := range list {
			list[i] = u.WithoutSeconds()
		}
		p.Restriction.Whitelist = list
		return plan(p, op, pod)
	},
	"D8_no_runtime_class": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		pod.RuntimeClass = nil
		return plan(p, op, pod)
	},
	"all_of_it_again": func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
		out, err := plan(p, op, pod)
		if op == admission.Create && err == nil {
			out = append(out, p.Restriction.Defaults...)
		}
		return out, err
	},
}

// The harness must detect every one of these mistakes, and none in the right functions.
func TestMutationAdmission(t *testing.T) {
	t.Parallel()
	const cases = 10_000
	all, resources := chains(), upstream.ExtendedResources()
	see(t, cases, func(f defaulter) func(*gen) string { return defaults(f, nil) }, defaultSeconds, defaultsMistakes)
	see(t, cases, func(f daemonizer) func(*gen) string { return daemons(f, nil) }, additions.Daemon, daemonMistakes)
	see(t, cases, func(f resourcer) func(*gen) string { return decodes(f, resources, nil, nil) }, extendedResources, resourceMistakes)
	see(t, cases, func(f planner) func(*gen) string { return admits(all, f, nil, nil) }, plan, planMistakes)
}
