package admission

import (
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// The tolerations of the rules, made once so that their strings stay interned.
var (
	notReady           = exists(condition.NotReady, taint.NoExecute)
	unreachable        = exists(condition.Unreachable, taint.NoExecute)
	diskPressure       = exists(condition.DiskPressure, taint.NoSchedule)
	memoryPressure     = exists(condition.MemoryPressure, taint.NoSchedule)
	pidPressure        = exists(condition.PIDPressure, taint.NoSchedule)
	unschedulable      = exists(condition.Unschedulable, taint.NoSchedule)
	networkUnavailable = exists(condition.NetworkUnavailable, taint.NoSchedule)
)

// exists returns the toleration of all values of a valid key.
func exists(key string, effect taint.Effect) toleration.Toleration {
	u, _ := toleration.New(key, toleration.Exists, "", effect)
	return u
}

// defaultSeconds is the default of Kubernetes.
const defaultSeconds = 300

// SecondsOptions are the settings of [DefaultSeconds]. The zero value is Kubernetes'
// default.
type SecondsOptions struct {
	// NotReady and Unreachable are the seconds; nil is 300.
	NotReady    *int64 `json:"notReady,omitempty"`
	Unreachable *int64 `json:"unreachable,omitempty"`
	// NotReadyOff and UnreachableOff omit the tolerations.
	NotReadyOff    bool `json:"notReadyOff,omitempty"`
	UnreachableOff bool `json:"unreachableOff,omitempty"`
}

// DefaultSeconds returns the tolerations that the pod lacks of
// node.kubernetes.io/not-ready:NoExecute op=Exists and
// node.kubernetes.io/unreachable:NoExecute op=Exists, with their seconds. A toleration
// with the key or none, and NoExecute or no effect, is enough.
func DefaultSeconds(s SecondsOptions, pod toleration.List) toleration.List {
	var room [2]toleration.Toleration
	return append(toleration.List(nil), appendSeconds(room[:0], pod, s)...)
}

func appendSeconds(dst, pod toleration.List, s SecondsOptions) toleration.List {
	dst = appendDefault(dst, pod, notReady, s.NotReady, s.NotReadyOff)
	return appendDefault(dst, pod, unreachable, s.Unreachable, s.UnreachableOff)
}

func appendDefault(dst, pod toleration.List, u toleration.Toleration, seconds *int64, off bool) toleration.List {
	if off || mentions(pod, u.Key()) {
		return dst
	}
	n := int64(defaultSeconds)
	if seconds != nil {
		n = *seconds
	}
	u, _ = u.WithSeconds(n) // the effect is NoExecute
	return append(dst, u)
}

// mentions reports whether a toleration has the key or none, and the effect NoExecute or
// none.
func mentions(list toleration.List, key string) bool {
	for _, u := range list {
		if k, e := u.Key(), u.Effect(); (k == key || k == "") && (e == taint.NoExecute || e == 0) && !u.IsZero() {
			return true
		}
	}
	return false
}

// DaemonOptions are options of [Daemon].
type DaemonOptions struct {
	// HostNetwork adds network-unavailable, for spec.hostNetwork.
	HostNetwork bool
}

// Daemon returns all tolerations of a daemon's pod: those of its template, followed by
// those that it lacks of not-ready and unreachable with NoExecute, and of disk-pressure,
// memory-pressure, pid-pressure, unschedulable and, with HostNetwork, network-unavailable
// with NoSchedule, with the operator Exists. These have no seconds, also in the template.
// All are under node.kubernetes.io/.
func Daemon(opts DaemonOptions, template toleration.List) toleration.List {
	all := make(toleration.List, 0, len(template)+7) // the most that is added
	all = append(all, template...)
	for _, u := range [...]toleration.Toleration{notReady, unreachable, diskPressure, memoryPressure, pidPressure, unschedulable} {
		all = appendOrReplace(all, u)
	}
	if opts.HostNetwork {
		all = appendOrReplace(all, networkUnavailable)
	}
	return all
}

// appendOrReplace replaces each toleration of dst that differs from u only in its
// seconds, or appends u if there is none.
func appendOrReplace(dst toleration.List, u toleration.Toleration) toleration.List {
	found := false
	for i := range dst {
		if dst[i].WithoutSeconds() == u {
			dst[i] = u
			found = true
		}
	}
	if !found {
		dst = append(dst, u)
	}
	return dst
}

const (
	nativeDomain  = "kubernetes.io/"
	requestPrefix = "requests."
	longestPrefix = 253 // of a key
)

// isExtendedResource reports whether the name of a resource is that of an extended
// one, by rule 4 of the package's documentation. It is then also a valid key.
func isExtendedResource(name string) bool {
	prefix, _, ok := strings.Cut(name, "/")
	return ok && !strings.Contains(name, nativeDomain) && !strings.HasPrefix(name, requestPrefix) &&
		syntax.Key(name) == 0 && len(prefix) <= longestPrefix-len(requestPrefix)
}

// appendResources appends the tolerations of the extended resources among the names
// that all lacks, sorted, each once.
func appendResources(all toleration.List, names []string) toleration.List {
	n := len(all)
	own := set.FinderOf(all, len(names), func(u toleration.Toleration) toleration.Toleration { return u })
	for _, name := range names {
		if isExtendedResource(name) {
			if u := exists(name, taint.NoSchedule); own.Index(u) < 0 {
				all = append(all, u)
			}
		}
	}
	slices.SortFunc(all[n:], toleration.Toleration.Compare)
	return all[:n+len(slices.Compact(all[n:]))]
}

// appendUncovered appends the tolerations that match some taint and that no single one
// of all, or of those before them, covers.
func appendUncovered(all, tolerations toleration.List) toleration.List {
	if len(tolerations) > set.Short {
		return cover.Merge(all, tolerations)
	}
	for _, u := range tolerations {
		if !cover.MatchesNothing(u) && !covered(all, u) {
			all = append(all, u)
		}
	}
	return all
}

// covered reports whether a single toleration of the list covers u.
func covered(list toleration.List, u toleration.Toleration) bool {
	for i := range list {
		if cover.Covers(list[i], u) {
			return true
		}
	}
	return false
}

// A Dedicated binds a workload to the nodes that have a taint.
type Dedicated struct {
	// Toleration is for the pods.
	Toleration toleration.Toleration `json:"toleration,omitzero"`
	// Labels are for the nodes and the pods' nodeSelector.
	Labels map[string]string `json:"labels,omitempty"`
	// Key and Values are a requirement of the pods' node affinity, with the operator In,
	// or Exists without Values.
	Key    string   `json:"key,omitempty"`
	Values []string `json:"values,omitempty"`
}

// Dedicate returns the Dedicated of the taint. For dedicated=gpu:NoSchedule it has the
// toleration of this taint, the label dedicated=gpu, the key dedicated and the value gpu.
// For an empty value, the toleration has the operator Exists, and there are no Values.
func Dedicate(t taint.Taint) Dedicated {
	if t.IsZero() {
		return Dedicated{}
	}
	d := Dedicated{Labels: map[string]string{t.Key(): t.Value()}, Key: t.Key()}
	if t.Value() == "" {
		d.Toleration = exists(t.Key(), t.Effect())
	} else {
		d.Toleration, _ = toleration.New(t.Key(), toleration.Equal, t.Value(), t.Effect()) // valid, as the taint is
		d.Values = []string{t.Value()}
	}
	return d
}
