package kube

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Converter remembers lists that it converted, so that converting an equal list
// again is a lookup. Its results are those of the functions of the same names.
// [NewConverter] makes one. The zero Converter remembers nothing.
//
// A Converter is safe for concurrent use, without locks. It must not be copied.
//
// Callers share the lists that it returns, and must not modify them. Their capacity
// is their length, so appending to one copies it. The caller's own lists may be
// modified after the call: the Converter keeps no reference to them.
//
// Errors are not remembered, nor are lists of more than 64 elements. A list that is
// found is not allocated. Its cost is one pass to hash and one to compare.
type Converter struct {
	_           noCopy
	taints      table[corev1.Taint, taint.List]
	tolerations table[corev1.Toleration, toleration.List]
}

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewConverter returns a Converter that remembers up to that many lists of taints and
// as many of tolerations, each number rounded up to a multiple of four. A new list
// takes the place of an older one. Four times the number of distinct lists is enough
// to keep nearly all of them.
//
// It takes 16 bytes for each entry, and about 500 bytes for a list of four
// tolerations. With 0 or fewer entries it remembers nothing.
func NewConverter(entries int) *Converter {
	c := &Converter{}
	if entries > 0 {
		sets := (entries-1)/ways + 1
		c.taints = make(table[corev1.Taint, taint.List], sets)
		c.tolerations = make(table[corev1.Toleration, toleration.List], sets)
	}
	return c
}

// Taints is like the function [Taints].
func (c *Converter) Taints(taints []corev1.Taint) (taint.List, error) {
	return c.taints.convert(taints, &taintKind)
}

// Node is like the function [Node].
func (c *Converter) Node(n *corev1.Node) (match.Node, error) {
	taints, err := c.Taints(n.Spec.Taints)
	return match.Node{Taints: taints, Unschedulable: n.Spec.Unschedulable}, err
}

// Tolerations is like the function [Tolerations].
func (c *Converter) Tolerations(tolerations []corev1.Toleration) (toleration.List, error) {
	return c.tolerations.convert(tolerations, &tolerationKind)
}

// Pod is like the function [Pod].
func (c *Converter) Pod(p *corev1.Pod) (toleration.List, error) {
	return c.Tolerations(p.Spec.Tolerations)
}

// A table is a hash table of sets with a few entries each. An entry that is not in
// the set of its hash is nowhere, so that no input makes a search long.
type table[C, L any] [][ways]atomic.Pointer[entry[C, L]]

const (
	ways    = 4
	longest = 64 // of the lists that are remembered, to bound an entry's memory
)

// An entry is a list and its values. It is immutable.
type entry[C, L any] struct {
	hash   hash
	list   []C // made from values, so it has none of a caller's memory
	values L
}

// A kind has the functions for the elements of a table, taints or tolerations.
type kind[C, L any] struct {
	hash   func(hash, *C) hash
	equal  func(a, b *C) bool
	values func([]C) (L, error)
	core   func(L) []C
}

var (
	taintKind      = kind[corev1.Taint, taint.List]{hashTaint, equalTaints, Taints, CoreTaints}
	tolerationKind = kind[corev1.Toleration, toleration.List]{hashToleration, equalTolerations, Tolerations, CoreTolerations}
)

// convert returns the values of the list, remembered ones if possible.
func (t table[C, L]) convert(list []C, k *kind[C, L]) (L, error) {
	if len(t) == 0 || len(list) == 0 || len(list) > longest {
		return k.values(list)
	}
	h := hash(len(list))
	for i := range list {
		h = k.hash(h, &list[i])
	}
	at, _ := bits.Mul64(uint64(h), uint64(len(t)))
	set := &t[at]
	for i := range set {
		if e := set[i].Load(); e != nil && e.hash == h && k.same(e.list, list) {
			return e.values, nil
		}
	}
	values, err := k.values(list)
	if err == nil {
		set[rand.IntN(ways)].Store(&entry[C, L]{h, k.core(values), values})
	}
	return values, err
}

func (k *kind[C, L]) same(a, b []C) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !k.equal(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

func equalTaints(a, b *corev1.Taint) bool {
	return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect && added(a.TimeAdded) == added(b.TimeAdded)
}

// added returns the time in the seconds that a value keeps.
func added(at *metav1.Time) int64 {
	if at == nil {
		return time.Time{}.Unix()
	}
	return at.Unix()
}

func equalTolerations(a, b *corev1.Toleration) bool {
	if a.Key != b.Key || a.Operator != b.Operator || a.Value != b.Value || a.Effect != b.Effect {
		return false
	}
	if a.TolerationSeconds == nil || b.TolerationSeconds == nil {
		return a.TolerationSeconds == b.TolerationSeconds
	}
	return *a.TolerationSeconds == *b.TolerationSeconds
}

// A hash selects the set of a list. Lists with equal hashes compete for its entries.
// BenchmarkConvert: hash/maphash takes 10 ns more for a node and 20 ns for a pod.
type hash uint64

func (h hash) mix(n uint64) hash {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	hi, lo := bits.Mul64(uint64(h)^n, odd)
	return hash(hi ^ lo)
}

func (h hash) text(s string) hash {
	h ^= hash(len(s)) << 56
	for len(s) >= 8 {
		h, s = h.mix(binary.LittleEndian.Uint64([]byte(s))), s[8:]
	}
	var rest uint64
	for i := range len(s) {
		rest = rest<<8 | uint64(s[i])
	}
	return h.mix(rest)
}

// The hash has the lengths of effects and operators, not their bytes: only Lt and Gt
// have the same.

func hashTaint(h hash, t *corev1.Taint) hash {
	return h.text(t.Key).text(t.Value).mix(uint64(len(t.Effect)) ^ uint64(added(t.TimeAdded)))
}

func hashToleration(h hash, u *corev1.Toleration) hash {
	fixed := uint64(len(u.Effect)) ^ uint64(len(u.Operator))<<8
	if u.TolerationSeconds != nil {
		fixed ^= uint64(*u.TolerationSeconds)<<16 ^ 1<<63
	}
	return h.text(u.Key).text(u.Value).mix(fixed)
}
