package admission_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/plain"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// The reference implements the rules by their text, regardless of cost. The tests of
// package cover test which toleration covers another.

// The properties are cheap, so there are more than the usual 100 draws, unless
// RAPID_CHECKS or the flag sets the number.
func TestMain(m *testing.M) { gen.Main(m, 500) }

const wellKnown = "node.kubernetes.io/"

func existsOf(key, effect string) toleration.Toleration {
	return problem.Must(toleration.From(key, "Exists", "", effect, nil))
}

func refDefaults(s admission.SecondsOptions, pod toleration.List) (added toleration.List) {
	for _, d := range []struct {
		name    string
		seconds *int64
		off     bool
	}{{"not-ready", s.NotReady, s.NotReadyOff}, {"unreachable", s.Unreachable, s.UnreachableOff}} {
		inTheWay := slices.ContainsFunc(pod, func(u toleration.Toleration) bool {
			f := u.Effect().String()
			return !u.IsZero() && (u.Key() == "" || u.Key() == wellKnown+d.name) && (f == "" || f == "NoExecute")
		})
		if d.seconds == nil {
			d.seconds = seconds(300)
		}
		if !inTheWay && !d.off {
			added = append(added, problem.Must(existsOf(wellKnown+d.name, "NoExecute").WithSeconds(*d.seconds)))
		}
	}
	return added
}

func refDaemon(opts admission.DaemonOptions, template toleration.List) toleration.List {
	out := slices.Clone(template)
	wanted := []string{"not-ready:NoExecute", "unreachable:NoExecute", "disk-pressure:NoSchedule", "memory-pressure:NoSchedule", "pid-pressure:NoSchedule", "unschedulable:NoSchedule"}
	if opts.HostNetwork {
		wanted = append(wanted, "network-unavailable:NoSchedule")
	}
	for _, text := range wanted {
		name, effect, _ := strings.Cut(text, ":")
		u, there := existsOf(wellKnown+name, effect), false
		for i, v := range out {
			if v.Key() == u.Key() && v.Operator() == u.Operator() && v.Value() == "" && v.Effect() == u.Effect() {
				out[i], there = u, true
			}
		}
		if !there {
			out = append(out, u)
		}
	}
	return out
}

func refExtended(name string) bool {
	return strings.Contains(name, "/") && !strings.Contains(name, "kubernetes.io/") &&
		!strings.HasPrefix(name, "requests.") && plain.Key("requests."+name)
}

func refResources(names []string, pod toleration.List) (added toleration.List) {
	names = slices.Clone(names)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if refExtended(name) && !slices.Contains(pod, existsOf(name, "NoSchedule")) {
			added = append(added, existsOf(name, "NoSchedule"))
		}
	}
	return added
}

func refMissing(extra, pod toleration.List) (added toleration.List) {
	for _, u := range extra {
		covers := func(v toleration.Toleration) bool { return cover.Covers(v, u) }
		if !cover.MatchesNothing(u) && !slices.ContainsFunc(pod, covers) && !slices.ContainsFunc(added, covers) {
			added = append(added, u)
		}
	}
	return added
}

func refMemory(q string, pod toleration.List) toleration.List {
	if q != "Burstable" && q != "Guaranteed" {
		return nil
	}
	return refMissing(toleration.List{existsOf(wellKnown+"memory-pressure", "NoSchedule")}, pod)
}

// refPlan returns the added tolerations, and which tolerations of the whole list are
// refused.
func refPlan(p admission.Plan, pod admission.PodSpec, create bool) (added toleration.List, refused []int) {
	all := slices.Clone(pod.Tolerations)
	defaults := refDefaults(p.Seconds, all)
	all = append(all, defaults...)
	if create {
		all = append(all, refMissing(p.Restriction.Defaults, all)...)
	}
	all = append(all, refMemory(pod.QOS, all)...)
	all = append(all, refResources(pod.Resources, all)...)
	if create {
		all = append(all, refMissing(pod.RuntimeClass, all)...)
	}
	others := all[len(pod.Tolerations)+len(defaults):]
	for _, u := range defaults {
		if !slices.ContainsFunc(others, func(v toleration.Toleration) bool { return cover.Covers(v, u) }) {
			added = append(added, u)
		}
	}
	added = append(added, others...)
	for i, u := range slices.Concat(pod.Tolerations, added) {
		w := p.Restriction.Whitelist
		if len(w) > 0 && (u.IsZero() || !slices.ContainsFunc(w, func(v toleration.Toleration) bool { return cover.Covers(v, u) })) {
			refused = append(refused, i)
		}
	}
	return added, refused
}
