package kubernetes_test

import (
	"slices"
	"testing"

	"k8s.io/apiserver/pkg/admission"

	"github.com/go-tolerate/tolerate/toleration"
	additions "github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/cover"
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
	"D1_wildcard_does_not_count": func(s additions.SecondsOptions, pod toleration.List) toleration.List {
		return additions.DefaultSeconds(s, kept(pod, func(u toleration.Toleration) bool { return u.Key() != "" }))
	},
	"D1_absent_effect_does_not_count": func(s additions.SecondsOptions, pod toleration.List) toleration.List {
		return additions.DefaultSeconds(s, kept(pod, func(u toleration.Toleration) bool { return u.Effect() != 0 }))
	},
	"D1_without_seconds_only": func(s additions.SecondsOptions, pod toleration.List) toleration.List {
		return additions.DefaultSeconds(s, kept(pod, func(u toleration.Toleration) bool { _, ok := u.Seconds(); return !ok }))
	},
	"D1_other_order": func(s additions.SecondsOptions, pod toleration.List) toleration.List {
		out := additions.DefaultSeconds(s, pod)
		slices.Reverse(out)
		return out
	},
	"D1_always_300": func(_ additions.SecondsOptions, pod toleration.List) toleration.List {
		return additions.DefaultSeconds(additions.SecondsOptions{}, pod)
	},
}

var daemonMistakes = map[string]daemonizer{
	"D2_adds_only": func(opts additions.DaemonOptions, template toleration.List) toleration.List {
		return cover.Merge(template, additions.Daemon(opts, nil))
	},
	"D2_replaces_the_first": func(opts additions.DaemonOptions, template toleration.List) toleration.List {
		out := additions.Daemon(opts, template)
		seen := map[toleration.Toleration]bool{}
		for i, u := range template {
			if out[i] != u && seen[out[i]] {
				out[i] = u
			}
			seen[out[i]] = true
		}
		return out
	},
	"D2_host_network_always": func(_ additions.DaemonOptions, template toleration.List) toleration.List {
		return additions.Daemon(additions.DaemonOptions{HostNetwork: true}, template)
	},
	"D2_host_network_never": func(_ additions.DaemonOptions, template toleration.List) toleration.List {
		return additions.Daemon(additions.DaemonOptions{}, template)
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
}

// The harness must detect every one of these mistakes, and none in the right functions.
func TestMutationAdmission(t *testing.T) {
	t.Parallel()
	const cases = 10_000
	all := chains()
	see(t, cases, func(f defaulter) func(*gen) string { return defaults(f, nil) }, additions.DefaultSeconds, defaultsMistakes)
	see(t, cases, func(f daemonizer) func(*gen) string { return daemons(f, nil) }, additions.Daemon, daemonMistakes)
	see(t, cases, func(f planner) func(*gen) string { return admits(all, f, nil, nil) }, plan, planMistakes)
}
