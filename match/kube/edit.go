package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Find returns the index of the first of taints that has the key and the effect of t, or
// -1.
func Find(taints []corev1.Taint, t corev1.Taint) int {
	for i := range taints {
		if taints[i].Key == t.Key && taints[i].Effect == t.Effect {
			return i
		}
	}
	return -1
}

// FindOneOf returns the index of the first of taints that has the key and the effect of
// one of those in of, or -1.
func FindOneOf(taints []corev1.Taint, of ...corev1.Taint) int {
	wanted := indexOf(of, len(taints))
	for i := range taints {
		if wanted.of(&taints[i]) >= 0 {
			return i
		}
	}
	return -1
}

// Put returns the taints with t, in place of the first with its key and effect or
// appended. If t has no time added, that of the other taint stays. Times are equal if the
// API stores the same second. Put also returns whether anything changed.
func Put(taints []corev1.Taint, t corev1.Taint) ([]corev1.Taint, bool) {
	i := Find(taints, t)
	if i < 0 {
		return own(append(slices.Clip(taints), t))
	}
	present := &taints[i]
	if t.TimeAdded.IsZero() {
		t.TimeAdded = present.TimeAdded
	}
	if t.Value == present.Value && sameSecond(t.TimeAdded, present.TimeAdded) {
		return slices.Clip(taints), false
	}
	out := slices.Clone(taints)
	out[i] = t
	return own(out)
}

// sameSecond reports whether the API stores the same for both.
func sameSecond(a, b *metav1.Time) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() && b.IsZero()
	}
	return a.Unix() == b.Unix()
}

// own copies the times of a new list, so that it has no memory of another, and returns it
// as changed.
func own(taints []corev1.Taint) ([]corev1.Taint, bool) {
	for i := range taints {
		taints[i].TimeAdded = taints[i].TimeAdded.DeepCopy()
	}
	return taints, true
}

// AddMissing returns the taints and those of more whose key and effect are new, and whether
// there are any.
func AddMissing(taints []corev1.Taint, more ...corev1.Taint) ([]corev1.Taint, bool) {
	has, first := indexOf(taints, len(more)), indexOf(more, len(more))
	out := slices.Clip(taints)
	for i := range more {
		if t := &more[i]; has.of(t) < 0 && first.of(t) == i {
			out = append(slices.Grow(out, len(more)-i), *t)
		}
	}
	if len(out) == len(taints) {
		return slices.Clip(taints), false
	}
	return own(out)
}

// ReplaceKey returns the taints without those that have the key of t, followed by t, and
// true. If a taint has the key and the effect of t, it returns the taints and false: a
// value is not replaced.
func ReplaceKey(taints []corev1.Taint, t corev1.Taint) ([]corev1.Taint, bool) {
	if Find(taints, t) >= 0 {
		return slices.Clip(taints), false
	}
	out := make([]corev1.Taint, 0, len(taints)+1)
	for i := range taints {
		if taints[i].Key != t.Key {
			out = append(out, taints[i])
		}
	}
	return own(append(out, t))
}

// Remove returns the taints without those that have the key and the effect of t, and
// whether there are any.
func Remove(taints []corev1.Taint, t corev1.Taint) ([]corev1.Taint, bool) {
	i := Find(taints, t)
	if i < 0 {
		return slices.Clip(taints), false
	}
	out := append(make([]corev1.Taint, 0, len(taints)-1), taints[:i]...)
	for _, other := range taints[i+1:] {
		if other.Key != t.Key || other.Effect != t.Effect {
			out = append(out, other)
		}
	}
	return own(out)
}

// Propagate is [taint.Propagate] for structs. It also returns whether the node's taints
// changed. An invalid taint is compared by its key and effect like any other, and can be
// removed.
//
// A controller that keeps a record of the template, such as an annotation of the node,
// stores after as the new record even if nothing changed, in the same update: with the old
// record, a later call removes a taint that somebody else added since.
func Propagate(node, before, after []corev1.Taint) ([]corev1.Taint, bool) {
	after = lastOnes(after)
	calls := len(node) + len(after)
	was, wanted, has := indexOf(before, calls), indexOf(after, calls), indexOf(node, calls)
	var out []corev1.Taint // nil as long as nothing has changed
	changeAt := func(i int) {
		if out == nil {
			out = append(make([]corev1.Taint, 0, calls), node[:i]...)
		}
	}
	for i := range node {
		t := node[i]
		j := wanted.of(&node[i])
		if j >= 0 && has.of(&node[i]) != i || j < 0 && was.of(&node[i]) >= 0 {
			changeAt(i)
			continue
		}
		if j >= 0 && t.Value != after[j].Value {
			changeAt(i)
			t.Value = after[j].Value
		}
		if out != nil {
			out = append(out, t)
		}
	}
	for i := range after {
		if t := &after[i]; has.of(t) < 0 {
			changeAt(len(node))
			out = append(out, *t)
		}
	}
	if out == nil {
		return slices.Clip(node), false
	}
	return own(out)
}

// lastOnes returns the taints with the last of repeated ones in the place of the first.
func lastOnes(taints []corev1.Taint) []corev1.Taint {
	first := indexOf(taints, len(taints))
	for i := range taints {
		if first.of(&taints[i]) < i {
			out, _ := AddMissing(nil, taints...)
			places := indexOf(out, len(taints)) // no place gets another key or effect
			for i := range taints {
				out[places.of(&taints[i])] = taints[i]
			}
			return out
		}
	}
	return taints
}

// An index finds the first taint of a list with the key and the effect of another.
type index struct {
	taints []corev1.Taint
	first  map[taintID]int // nil for short lists
}

type taintID struct {
	key    string
	effect corev1.TaintEffect
}

// indexOf returns the index of a list, for at most so many calls of its method. It does
// not allocate if the list or that number is at most 32.
func indexOf(taints []corev1.Taint, calls int) index {
	x := index{taints: taints}
	if min(len(taints), calls) > 32 {
		x.first = make(map[taintID]int, len(taints))
		for i, t := range slices.Backward(taints) {
			x.first[taintID{t.Key, t.Effect}] = i
		}
	}
	return x
}

func (x *index) of(t *corev1.Taint) int {
	if x.first == nil {
		return Find(x.taints, *t)
	}
	if i, ok := x.first[taintID{t.Key, t.Effect}]; ok {
		return i
	}
	return -1
}

// SameTolerations reports whether the lists have the same tolerations, in any order,
// however often, and whatever their seconds. An absent operator is equal to Equal.
func SameTolerations(a, b []corev1.Toleration) bool {
	same := 0
	for same < len(a) && same < len(b) && idOf(&a[same]) == idOf(&b[same]) {
		same++
	}
	if same == len(a) && same == len(b) {
		return true
	}
	inB := make(map[tolerationID]bool, len(a))
	for i := range a {
		inB[idOf(&a[i])] = false
	}
	missing := len(inB)
	for i := range b {
		k := idOf(&b[i])
		found, inA := inB[k]
		if !inA {
			return false
		}
		if !found {
			inB[k] = true
			missing--
		}
	}
	return missing == 0
}

type tolerationID struct {
	key, value string
	operator   corev1.TolerationOperator
	effect     corev1.TaintEffect
}

func idOf(u *corev1.Toleration) tolerationID {
	id := tolerationID{key: u.Key, value: u.Value, operator: u.Operator, effect: u.Effect}
	if id.operator == "" {
		id.operator = corev1.TolerationOpEqual
	}
	return id
}
