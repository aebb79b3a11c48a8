package admission

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// The annotations by which a namespace says which tolerations its pods get, and
// which they may have. Each holds the JSON of a list.
const (
	DefaultsAnnotation  = "scheduler.alpha.kubernetes.io/defaultTolerations"
	WhitelistAnnotation = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
)

// A Restriction is what a namespace, or the cluster for namespaces that say
// nothing, makes of its pods' tolerations. The zero Restriction adds nothing
// and admits everything.
type Restriction struct {
	// Defaults are added to a pod that is created, as [Missing] says.
	Defaults []toleration.Toleration
	// Whitelist admits what one of it covers; an empty one admits everything.
	Whitelist []toleration.Toleration
}

// NamespaceRestriction returns what the annotations of a namespace say. A list
// that is not annotated is the cluster's; an empty text, an empty list and null
// are empty lists. The result shares the cluster's lists, not the annotations'
// memory.
//
// The options' path is that of the annotations, "metadata.annotations" when
// empty. The error tells the problems of both lists, with paths such as
// metadata.annotations[scheduler.alpha.kubernetes.io/defaultTolerations][2].key,
// and comes with the zero Restriction, which admits everything: do not go on
// with it. A field's name in other letters, such as "Key", is a problem even
// where unknown fields are not, since Kubernetes would take it for the field.
//
// It allocates the lists and copies of each text, so do it once for a
// namespace, when that changes.
func NamespaceRestriction(annotations map[string]string, cluster Restriction, opts toleration.ListOptions) (Restriction, error) {
	if opts.Path == "" {
		opts.Path = "metadata.annotations"
	}
	var ps validate.Problems
	r := Restriction{
		Defaults:  annotated(&ps, annotations, DefaultsAnnotation, cluster.Defaults, opts),
		Whitelist: annotated(&ps, annotations, WhitelistAnnotation, cluster.Whitelist, opts),
	}
	if len(ps) > 0 {
		return Restriction{}, ps
	}
	return r, nil
}

func annotated(ps *validate.Problems, annotations map[string]string, name string, cluster []toleration.Toleration, opts toleration.ListOptions) []toleration.Toleration {
	text, ok := annotations[name]
	if !ok {
		return cluster
	}
	if text == "" {
		return nil
	}
	opts.Path += "[" + name + "]"
	data := []byte(text)
	list, err := toleration.DecodeList(data, opts)
	if !opts.Strict {
		strict := opts
		strict.Strict = true
		if _, all := toleration.DecodeList(data, strict); all != nil {
			err = withoutForeign(all).Err()
		}
	}
	*ps = validate.Append(*ps, "", err)
	return list
}

// withoutForeign leaves out of the problems of a strict reading what a lenient
// one passes over, but for names in other letters: encoding/json, by which
// Kubernetes reads annotations, takes these for the API's.
func withoutForeign(err error) (ps validate.Problems) {
	for _, p := range validate.Append(nil, "", err) {
		sameName := func(name string) bool { return strings.EqualFold(name, p.Value) }
		if p.Rule == validate.FieldRepeated || p.Rule == validate.FieldUnknown && !slices.ContainsFunc(p.Allowed, sameName) {
			continue
		}
		ps = append(ps, p)
	}
	return ps
}

// ErrNotWhitelisted is what [validate.Problem.Err] holds, as errors.Is sees it,
// where a whitelist does not cover a toleration.
var ErrNotWhitelisted = errors.New("no toleration of the whitelist covers it")

// errAdded is told of a toleration that the pod's author did not write.
var errAdded = fmt.Errorf("admission adds it, and %w", ErrNotWhitelisted)

// CheckWhitelist reports which of the pod's tolerations no single one of the
// whitelist covers: one problem each, whose path is its index, counted through
// all lists, under spec.tolerations, and whose Err is [ErrNotWhitelisted]. An
// empty whitelist admits everything.
//
// It does not allocate when all is well. It is O(n·m).
func CheckWhitelist(whitelist []toleration.Toleration, pod ...[]toleration.Toleration) error {
	var ps validate.Problems
	i := 0
	for _, list := range pod {
		ps = appendRefusals(ps, whitelist, i, list, ErrNotWhitelisted)
		i += len(list)
	}
	return ps.Err()
}

// appendRefusals adds a problem for each of the list that the whitelist does
// not cover; i is the index of its first.
func appendRefusals(ps validate.Problems, whitelist []toleration.Toleration, i int, list []toleration.Toleration, reason error) validate.Problems {
	if len(whitelist) == 0 {
		return ps
	}
	for _, u := range list {
		if !coveredBy(whitelist, u) {
			ps = append(ps, &validate.Problem{Path: validate.Index(tolerationsPath, i), Value: u.String(), Err: reason})
		}
		i++
	}
	return ps
}

const tolerationsPath = "spec.tolerations"

// A Plan says what the cluster and a namespace make of every pod's tolerations.
// The zero Plan is that of a cluster without settings: the default seconds, and
// for each pod what follows from its class, its resources and its runtime
// class; a field of the Pod that is left zero switches its rule off.
//
// A Plan is a small value to be copied; make one for a namespace whenever that
// changes. It shares its lists, and may be used concurrently while nobody
// writes to them.
type Plan struct {
	// Seconds are the default seconds.
	Seconds Seconds
	// Restriction is the namespace's; see [NamespaceRestriction].
	Restriction Restriction
}

// OnCreate returns everything that is to be added to the tolerations of a pod
// that is being created: its default seconds, its namespace's defaults, what
// its class, then what its resources ask for, and what its runtime class
// brings, each with those before it counted as the pod's.
//
// Default seconds give way: where what the namespace or the runtime class
// brings covers one of them, such as 600 seconds or a wildcard, it is left out,
// since standing first it would decide. Shorter seconds, such as a namespace's
// 60, are covered by the default and do nothing: p.Seconds is the place for
// them. Kubernetes does the same. It has added its default by itself, though,
// before it calls any webhook; what has come in with the pod stays.
//
// The error is the refusal: the tolerations that the whitelist does not cover,
// as [CheckWhitelist] tells them, first the pod's, then the added, whose
// indexes are those that they would have had. It comes with a nil list.
//
// With what was added behind its tolerations the pod gets nothing more.
//
// It is O(n²), n being the number of all tolerations and resources: limit what
// a stranger may send. It allocates the result.
func (p Plan) OnCreate(pod Pod) ([]toleration.Toleration, error) {
	return p.collect(pod, true)
}

// AppendOnCreate appends what [Plan.OnCreate] returns to dst. On an error it
// returns dst unchanged, and what lay in its room behind is lost.
func (p Plan) AppendOnCreate(dst []toleration.Toleration, pod Pod) ([]toleration.Toleration, error) {
	return p.appendAll(dst, &pod, true)
}

// OnUpdate returns everything that is to be added to the tolerations of a pod
// that is being updated: as [Plan.OnCreate] does, but for the namespace's
// defaults and the runtime class, which come only when a pod is created. All of
// the pod's tolerations are held against the whitelist, old ones too. It is for
// updates of the pod itself: Kubernetes leaves those of subresources, such as
// its status, alone.
//
// It allocates the result.
func (p Plan) OnUpdate(pod Pod) ([]toleration.Toleration, error) {
	return p.collect(pod, false)
}

// AppendOnUpdate appends what [Plan.OnUpdate] returns to dst, and does on an
// error as [Plan.AppendOnCreate] does.
func (p Plan) AppendOnUpdate(dst []toleration.Toleration, pod Pod) ([]toleration.Toleration, error) {
	return p.appendAll(dst, &pod, false)
}

func (p Plan) collect(pod Pod, create bool) ([]toleration.Toleration, error) {
	most := 3 + len(p.Restriction.Defaults) + len(pod.Resources) + len(pod.RuntimeClass)
	if most > len(stack{}) {
		added, err := p.appendAll(make([]toleration.Toleration, 0, most), &pod, create)
		return orNil(added), err
	}
	var room stack
	added, err := p.appendAll(room[:0], &pod, create)
	return copied(added), err
}

func (p *Plan) appendAll(dst []toleration.Toleration, pod *Pod, create bool) ([]toleration.Toleration, error) {
	start, own := len(dst), pod.Tolerations
	dst = AppendDefaultSeconds(dst, p.Seconds, own)
	timed := len(dst)
	if create {
		dst = AppendMissing(dst, p.Restriction.Defaults, own, dst[start:])
	}
	dst = AppendMemoryPressure(dst, pod.QOS, own, dst[start:])
	dst = AppendExtendedResources(dst, pod.Resources, own, dst[start:])
	if create {
		dst = AppendMissing(dst, pod.RuntimeClass, own, dst[start:])
	}
	for i := timed - 1; i >= start; i-- {
		if coveredBy(dst[timed:], dst[i]) {
			dst = slices.Delete(dst, i, i+1)
			timed--
		}
	}

	ps := appendRefusals(nil, p.Restriction.Whitelist, 0, own, ErrNotWhitelisted)
	ps = appendRefusals(ps, p.Restriction.Whitelist, len(own), dst[start:], errAdded)
	if len(ps) > 0 {
		return dst[:start], ps
	}
	return dst, nil
}
