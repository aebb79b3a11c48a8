package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Find returns the index of the first taint with the key and the effect of t, or -1.
func Find(taints []corev1.Taint, t *corev1.Taint) int {
	for i := range taints {
		if taints[i].Key == t.Key && taints[i].Effect == t.Effect {
			return i
		}
	}
	return -1
}

// Put returns the taints with t, in place of the first with its key and effect or
// appended, and whether anything changed.
func Put(taints []corev1.Taint, t corev1.Taint) ([]corev1.Taint, bool) {
	i := Find(taints, &t)
	if i < 0 {
		return append(taints[:len(taints):len(taints)], t), true
	}
	if taints[i].Value == t.Value && taints[i].TimeAdded.Equal(t.TimeAdded) {
		return taints, false
	}
	out := slices.Clone(taints)
	out[i] = t
	return out, true
}

// Merge returns the taints and those of more whose key and effect are new, and whether
// there are any.
func Merge(taints []corev1.Taint, more ...corev1.Taint) ([]corev1.Taint, bool) {
	has, first := indexOf(taints, len(more)), indexOf(more, len(more))
	out := taints[:len(taints):len(taints)]
	for i := range more {
		if t := &more[i]; has.of(t) < 0 && first.of(t) == i {
			out = append(slices.Grow(out, len(more)-i), *t)
		}
	}
	if len(out) == len(taints) {
		return taints, false
	}
	return out, true
}

// ReplaceKey returns the taints without those that have the key of t, followed by t, and
// true; but if a taint has the key and the effect of t, taints itself and false.
func ReplaceKey(taints []corev1.Taint, t corev1.Taint) ([]corev1.Taint, bool) {
	if Find(taints, &t) >= 0 {
		return taints, false
	}
	out := make([]corev1.Taint, 0, len(taints)+1)
	for i := range taints {
		if taints[i].Key != t.Key {
			out = append(out, taints[i])
		}
	}
	return append(out, t), true
}

// Remove returns the taints without those that have the key and the effect of t, and
// whether there are any.
func Remove(taints []corev1.Taint, t *corev1.Taint) ([]corev1.Taint, bool) {
	return without(taints, Find(taints, t), func(other *corev1.Taint) bool { return other.Key == t.Key && other.Effect == t.Effect })
}

// without returns the taints without those that match, of which i is the first or -1.
func without(taints []corev1.Taint, i int, match func(*corev1.Taint) bool) ([]corev1.Taint, bool) {
	if i < 0 {
		return taints, false
	}
	out := append(make([]corev1.Taint, 0, len(taints)-1), taints[:i]...)
	for i++; i < len(taints); i++ {
		if !match(&taints[i]) {
			out = append(out, taints[i])
		}
	}
	return out, true
}

// Propagate is [taint.Propagate] for structs. It also returns whether anything changed.
func Propagate(node, before, after []corev1.Taint) ([]corev1.Taint, bool) {
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
		if t := &after[i]; has.of(t) < 0 && wanted.of(t) == i {
			changeAt(len(node))
			out = append(out, *t)
		}
	}
	if out == nil {
		return node, false
	}
	return out, true
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
		return Find(x.taints, t)
	}
	if i, ok := x.first[taintID{t.Key, t.Effect}]; ok {
		return i
	}
	return -1
}

// EqualSets reports whether the lists have the same tolerations, in any order and however
// often. An absent operator is equal to Equal.
func EqualSets(a, b []corev1.Toleration) bool { return equalSets(a, b, true) }

// EqualSetsUntimed is [EqualSets] without seconds.
func EqualSetsUntimed(a, b []corev1.Toleration) bool { return equalSets(a, b, false) }

type tolerationID struct {
	key, value string
	operator   corev1.TolerationOperator
	effect     corev1.TaintEffect
	timed      bool
	seconds    int64
}

func idOf(u *corev1.Toleration, timed bool) tolerationID {
	id := tolerationID{key: u.Key, value: u.Value, operator: u.Operator, effect: u.Effect}
	if id.operator == "" {
		id.operator = corev1.TolerationOpEqual
	}
	if timed && u.TolerationSeconds != nil {
		id.timed, id.seconds = true, *u.TolerationSeconds
	}
	return id
}

func equalSets(a, b []corev1.Toleration, timed bool) bool {
	same := 0
	for same < len(a) && same < len(b) && idOf(&a[same], timed) == idOf(&b[same], timed) {
		same++
	}
	if same == len(a) && same == len(b) {
		return true
	}
	inB := make(map[tolerationID]bool, len(a))
	for i := range a {
		inB[idOf(&a[i], timed)] = false
	}
	missing := len(inB)
	for i := range b {
		k := idOf(&b[i], timed)
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
