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

// A Restriction holds the settings of a namespace, or of the cluster for namespaces
// without settings. The zero Restriction adds nothing and allows everything.
type Restriction struct {
	// Defaults are added to a new pod where they are [Missing].
	Defaults toleration.List `json:"defaults,omitempty"`
	// Whitelist allows what one toleration of it covers. If empty, it allows
	// everything.
	Whitelist toleration.List `json:"whitelist,omitempty"`
}

// NamespaceRestriction returns the settings in the annotations of a namespace. A
// list without an annotation is the cluster's; an empty text, an empty list and null
// are empty lists. opts.Path is the path of the annotations, "metadata.annotations"
// if empty.
//
// The error is [validate.Problems], with paths such as
// metadata.annotations[scheduler.alpha.kubernetes.io/defaultTolerations][2].key. The
// Restriction then adds nothing and allows no toleration that matches a taint. The
// name of a field in another case, such as "Key", is always an error, since
// Kubernetes accepts it. So is an unknown toleration: opts.AllowUnknown is ignored.
//
// Call it once, when the namespace changes.
func NamespaceRestriction(annotations map[string]string, cluster Restriction, opts toleration.ListOptions) (Restriction, error) {
	if opts.Path == "" {
		opts.Path = "metadata.annotations"
	}
	opts.AllowUnknown = false
	var ps validate.Problems
	r := Restriction{
		Defaults:  annotated(&ps, annotations, DefaultsAnnotation, cluster.Defaults, opts),
		Whitelist: annotated(&ps, annotations, WhitelistAnnotation, cluster.Whitelist, opts),
	}
	if len(ps) > 0 {
		return allowsNothing(), ps
	}
	return r, nil
}

// allowsNothing returns a Restriction whose whitelist has the zero Toleration,
// which covers only what matches no taint.
func allowsNothing() Restriction {
	return Restriction{Whitelist: toleration.List{{}}}
}

func annotated(ps *validate.Problems, annotations map[string]string, name string, cluster toleration.List, opts toleration.ListOptions) toleration.List {
	text, ok := annotations[name]
	if !ok {
		return cluster
	}
	if text == "" {
		return nil
	}
	opts.Path += "[" + name + "]"
	list, warnings, err := toleration.Decode([]byte(text), opts)
	found := problem.Append(misspelt(warnings), "", err)
	element := func(p *validate.Problem) int {
		digits, _, _ := strings.Cut(strings.TrimPrefix(p.Path, opts.Path+"["), "]")
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

// CheckWhitelist reports the tolerations that no single one of the whitelist covers,
// and zero Tolerations, which can represent ones that could not be read. An empty
// whitelist allows everything. The error is [validate.Problems], one for each
// toleration, with its index in all lists together, such as spec.tolerations[2].
func CheckWhitelist(whitelist toleration.List, pod ...toleration.List) error {
	if len(pod) > fewLists {
		pod = []toleration.List{slices.Concat(pod...)}
	}
	var ps validate.Problems
	i := 0
	for _, list := range pod {
		ps = appendRefusals(ps, whitelist, i, list, nil)
		i += len(list)
	}
	return ps.Err()
}

// fewLists is the number of lists up to which each is compared alone with the
// whitelist: BenchmarkGrowth.
const fewLists = 8

// appendRefusals appends a problem for each toleration of the list that the
// whitelist does not cover. i is the index of the first one.
func appendRefusals(ps validate.Problems, whitelist toleration.List, i int, list toleration.List, reason error) validate.Problems {
	if len(whitelist) == 0 {
		return ps
	}
	uncovered := cover.Uncovered(list, whitelist)
	for k, u := range list {
		switch {
		case u.IsZero(): // it can represent one that could not be read
			ps = append(ps, &validate.Problem{Path: problem.Index(tolerationsPath, i+k), Rule: validate.ZeroValue, Err: reason})
		case len(uncovered) > 0 && uncovered[0] == k:
			uncovered = uncovered[1:]
			ps = append(ps, &validate.Problem{Path: problem.Index(tolerationsPath, i+k), Value: u.String(), Rule: validate.NotWhitelisted, Err: reason})
		}
	}
	return ps
}

// The fields of a pod in the paths of problems.
const (
	tolerationsPath = "spec.tolerations"
	qosPath         = "status.qosClass"
)

// A Plan holds the settings of the cluster and of a namespace. The zero Plan is that
// of a cluster without settings. Make one for each namespace, when it changes.
type Plan struct {
	Seconds     SecondsOptions `json:"seconds,omitzero"`
	Restriction Restriction    `json:"restriction,omitzero"` // of the namespace
}

// OnCreate returns the tolerations to append to those of a new pod. Each rule counts
// the tolerations of the rules before it as the pod's.
//
// As in Kubernetes, default seconds are omitted if a toleration of the namespace or
// the runtime class covers them, such as one of 600 seconds. Shorter ones have no
// effect: set them in Seconds.
//
// The error is [validate.Problems], as that of [CheckWhitelist] for the pod with the
// result appended; or an unknown QOS. The list is then nil.
func (p Plan) OnCreate(pod PodSpec) (toleration.List, error) {
	return p.collect(pod, true)
}

// OnUpdate is [Plan.OnCreate] for an update, without the namespace's defaults and the
// runtime class. The whitelist also applies to old tolerations. Do not call it for
// subresources, such as the status.
func (p Plan) OnUpdate(pod PodSpec) (toleration.List, error) {
	return p.collect(pod, false)
}

func (p Plan) collect(pod PodSpec, create bool) (toleration.List, error) {
	most := 3 + len(p.Restriction.Defaults) + len(pod.Resources) + len(pod.RuntimeClass)
	if most > len(stack{}) {
		added, err := p.appendAll(make(toleration.List, 0, most), &pod, create)
		return orNil(added), err
	}
	var room stack
	added, err := p.appendAll(room[:0], &pod, create)
	return copied(added), err
}

func (p *Plan) appendAll(dst toleration.List, pod *PodSpec, create bool) (toleration.List, error) {
	if pod.QOS != 0 && !pod.QOS.IsValid() {
		return dst, validate.Problems{{Path: qosPath, Value: pod.QOS.String(), Rule: validate.NameUnknown, Allowed: qosNames[1:]}}
	}
	start, own := len(dst), pod.Tolerations
	dst = appendSeconds(dst, p.Seconds, own)
	timed := len(dst)
	if create {
		dst = appendMissing(dst, p.Restriction.Defaults, own, dst[start:])
	}
	dst = appendMemoryPressure(dst, pod.QOS, own, dst[start:])
	dst = appendExtendedResources(dst, pod.Resources, own, dst[start:])
	if create {
		dst = appendMissing(dst, pod.RuntimeClass, own, dst[start:])
	}
	for i := timed - 1; i >= start; i-- {
		if coveredBy(dst[timed:], dst[i]) {
			dst = slices.Delete(dst, i, i+1)
			timed--
		}
	}

	ps := appendRefusals(nil, p.Restriction.Whitelist, 0, own, nil)
	ps = appendRefusals(ps, p.Restriction.Whitelist, len(own), dst[start:], errAdded)
	if len(ps) > 0 {
		return dst[:start], ps
	}
	return dst, nil
}
