package admission

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

// The annotations of a namespace, each with the JSON of a list.
const (
	DefaultsAnnotation  = "scheduler.alpha.kubernetes.io/defaultTolerations"
	WhitelistAnnotation = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
)

// A Restriction holds the settings of a namespace, or of the cluster. The zero
// Restriction adds nothing and allows everything.
type Restriction struct {
	// Defaults are added to a new pod unless one of its tolerations covers them.
	Defaults toleration.List `json:"defaults,omitempty"`
	// Whitelist allows what one toleration of it covers, and everything if empty. One of
	// zero Tolerations admits no pod.
	Whitelist toleration.List `json:"whitelist,omitempty"`
}

// NamespaceRestriction returns the settings in the annotations of a namespace. An absent
// annotation leaves the cluster's list; one with empty text or null is an empty list.
// Paths of problems begin with path, or "metadata.annotations" if that is empty. On
// error, the Restriction admits no pod.
func NamespaceRestriction(annotations map[string]string, cluster Restriction, path string) (Restriction, error) {
	path = cmp.Or(path, "metadata.annotations")
	var ps validate.Problems
	r := Restriction{
		Defaults:  annotated(&ps, annotations, DefaultsAnnotation, cluster.Defaults, path),
		Whitelist: annotated(&ps, annotations, WhitelistAnnotation, cluster.Whitelist, path),
	}
	if len(ps) > 0 {
		return Restriction{Whitelist: toleration.List{{}}}, ps
	}
	return r, nil
}

func annotated(ps *validate.Problems, annotations map[string]string, name string, cluster toleration.List, path string) toleration.List {
	text, ok := annotations[name]
	if !ok {
		return cluster
	}
	if text == "" {
		return nil
	}
	path += "[" + name + "]"
	list, warnings, err := toleration.Decode([]byte(text), toleration.DecodeOptions{Path: path})
	found := problem.Append(misspelt(warnings), "", err)
	element := func(p *validate.Problem) int {
		digits, _, _ := strings.Cut(strings.TrimPrefix(p.Path, path+"["), "]")
		i, _ := strconv.Atoi(digits)
		return i
	}
	slices.SortStableFunc(found, func(a, b *validate.Problem) int { return cmp.Compare(element(a), element(b)) })
	*ps = append(*ps, found...)
	return list
}

// misspelt returns the warnings about names of fields in another case: Kubernetes
// reads annotations by encoding/json, which accepts these names.
func misspelt(warnings validate.Problems) (ps validate.Problems) {
	for _, p := range warnings {
		sameName := func(name string) bool { return strings.EqualFold(name, p.Value) }
		if p.Rule == validate.FieldUnknown && slices.ContainsFunc(p.Allowed, sameName) {
			ps = append(ps, p)
		}
	}
	return ps
}

// errAdded describes a refused toleration that is not the pod's own.
var errAdded = errors.New("added by admission")

// The fields of a pod in the paths of problems.
const (
	tolerationsPath = "spec.tolerations"
	qosPath         = "status.qosClass"
)

// A Plan holds the settings of the cluster and of a namespace.
type Plan struct {
	Seconds     SecondsOptions `json:"seconds,omitzero"`
	Restriction Restriction    `json:"restriction,omitzero"` // of the namespace
}

// OnCreate returns the tolerations to append to those of a new pod, nil if none. The rules
// are applied in order: for each, the pod has its own tolerations and those that the rules
// before it add. As in Kubernetes, default seconds are omitted if a toleration of the
// namespace or the runtime class covers them.
//
// Each toleration that no single one of the whitelist covers is an error, with its index
// in the pod's list with the result appended, and so is each zero Toleration.
func (p Plan) OnCreate(pod PodSpec) (toleration.List, error) { return p.collect(&pod, true) }

// OnUpdate is [Plan.OnCreate] for an update, without the namespace's defaults and the
// runtime class. The whitelist also applies to old tolerations. Do not call it for
// subresources.
func (p Plan) OnUpdate(pod PodSpec) (toleration.List, error) { return p.collect(&pod, false) }

func (p *Plan) collect(pod *PodSpec, create bool) (toleration.List, error) {
	if err := checkQOS(pod.QOS); err != nil {
		return nil, err
	}
	n := len(pod.Tolerations)
	all := pod.Tolerations[:n:n] // the first append copies it
	var room [2]toleration.Toleration
	if seconds := appendSeconds(room[:0], all, p.Seconds); len(seconds) > 0 {
		all = slices.Grow(all, 3+len(p.Restriction.Defaults)+len(pod.Resources)+len(pod.RuntimeClass))
		all = append(all, seconds...)
	}
	timed := len(all)
	if create {
		all = appendUncovered(all, p.Restriction.Defaults)
	}
	if (pod.QOS == Burstable || pod.QOS == Guaranteed) && !covered(all, memoryPressure) {
		all = append(all, memoryPressure)
	}
	all = appendResources(all, pod.Resources)
	if create {
		all = appendUncovered(all, pod.RuntimeClass)
	}
	for i := timed - 1; i >= n; i-- {
		if covered(all[timed:], all[i]) {
			all = slices.Delete(all, i, i+1)
			timed--
		}
	}
	if ps := refused(p.Restriction.Whitelist, all, n); len(ps) > 0 {
		return nil, ps
	}
	if len(all) == n {
		return nil, nil
	}
	return slices.Clip(all[n:]), nil
}

// refused returns a problem for each toleration that the whitelist does not allow. The
// first n are the pod's own.
func refused(whitelist, all toleration.List, n int) (ps validate.Problems) {
	if len(whitelist) == 0 {
		return nil
	}
	if !slices.ContainsFunc(whitelist, func(u toleration.Toleration) bool { return !u.IsZero() }) {
		return validate.Problems{{Path: tolerationsPath, Rule: validate.NotAllowed, Want: "the whitelist has no valid toleration, so it admits no pod"}}
	}
	uncovered := cover.Uncovered(all, whitelist)
	for i, u := range all {
		if _, found := slices.BinarySearch(uncovered, i); !found && !u.IsZero() {
			continue
		}
		p := &validate.Problem{Path: problem.Index(tolerationsPath, i), Value: u.String(), Rule: validate.NotAllowed, Want: "must be covered by the whitelist"}
		if u.IsZero() {
			p.Value, p.Rule, p.Want = "", validate.ZeroValue, ""
		}
		if i >= n {
			p.Err = errAdded
		}
		ps = append(ps, p)
	}
	return ps
}
