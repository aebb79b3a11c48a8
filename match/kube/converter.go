package kube

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Converter remembers lists that it converted, so that converting an equal list
// again is a lookup. Its results are those of the functions of the same names, and of
// [taint.Parse]. [NewConverter] makes one. The zero Converter remembers nothing.
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
	taints      table[taint.List]
	tolerations table[toleration.List]
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
// It takes 16 bytes for each entry, and about 160 bytes for a list of four
// tolerations. With 0 or fewer entries it remembers nothing.
func NewConverter(entries int) *Converter {
	c := &Converter{}
	if entries > 0 {
		sets := (entries-1)/ways + 1
		c.taints = make(table[taint.List], sets)
		c.tolerations = make(table[toleration.List], sets)
	}
	return c
}

// Taints is like the function [Taints].
func (c *Converter) Taints(taints []corev1.Taint) (taint.List, error) {
	if !c.taints.holds(len(taints)) {
		return Taints(taints)
	}
	h := hashTaints(taints)
	set := c.taints.set(h)
	for i := range set {
		if e := set[i].Load(); e != nil && e.hash == h && equalTaints(e.list, taints) {
			return e.list, nil
		}
	}
	list, err := Taints(taints)
	if err == nil {
		set.add(h, list)
	}
	return list, err
}

// Node is like the function [Node].
func (c *Converter) Node(n *corev1.Node) (match.Node, error) {
	taints, err := c.Taints(n.Spec.Taints)
	return match.Node{Taints: taints, Unschedulable: n.Spec.Unschedulable}, err
}

// ParseTaint is like [taint.Parse], and returns the same errors. It remembers a taint
// as [Converter.Taints] remembers a list of that taint alone. It does not allocate
// for a taint that is found.
func (c *Converter) ParseTaint(s string) (taint.Taint, error) {
	if !c.taints.holds(1) {
		return taint.Parse(s)
	}
	// A text of another form has a part that no taint has, so it is not found.
	head, effect, _ := strings.Cut(s, ":")
	key, value, _ := strings.Cut(head, "=")
	h := hash(1).taint(key, value, effect, nil)
	set := c.taints.set(h)
	for i := range set {
		if e := set[i].Load(); e != nil && e.hash == h && equalTaint(e.list[0], key, value, effect, nil) {
			return e.list[0], nil
		}
	}
	t, err := taint.Parse(s)
	if err == nil {
		set.add(h, taint.List{t})
	}
	return t, err
}

// Tolerations is like the function [Tolerations].
func (c *Converter) Tolerations(tolerations []corev1.Toleration) (toleration.List, error) {
	if !c.tolerations.holds(len(tolerations)) {
		return Tolerations(tolerations)
	}
	h := hashTolerations(tolerations)
	set := c.tolerations.set(h)
	for i := range set {
		if e := set[i].Load(); e != nil && e.hash == h && equalTolerations(e.list, tolerations) {
			return e.list, nil
		}
	}
	list, err := Tolerations(tolerations)
	if err == nil {
		set.add(h, list)
	}
	return list, err
}

// Pod is like the function [Pod].
func (c *Converter) Pod(p *corev1.Pod) (toleration.List, error) {
	return c.Tolerations(p.Spec.Tolerations)
}

// A table is a hash table of sets with a few entries each. An entry that is not in
// the set of its hash is nowhere, so that no input makes a search long.
type table[L any] []set[L]

type set[L any] [ways]atomic.Pointer[entry[L]]

const (
	ways    = 4
	longest = 64 // of the lists that are remembered, to bound an entry's memory
)

// An entry is a list and the hash of what it was made from. It is immutable.
type entry[L any] struct {
	hash hash
	list L
}

// holds reports whether the table remembers lists of that length.
func (t table[L]) holds(n int) bool { return len(t) > 0 && 0 < n && n <= longest }

func (t table[L]) set(h hash) *set[L] {
	at, _ := bits.Mul64(uint64(h), uint64(len(t)))
	return &t[at]
}

// add remembers the list in the first free place, so that it is usually found at the
// first look, or in the place of another one.
func (s *set[L]) add(h hash, list L) {
	at := 0
	for at < ways && s[at].Load() != nil {
		at++
	}
	if at == ways {
		at = rand.IntN(ways)
	}
	s[at].Store(&entry[L]{h, list})
}

// equalTaints reports whether the values are those of the structs.
func equalTaints(list taint.List, taints []corev1.Taint) bool {
	if len(list) != len(taints) {
		return false
	}
	for i := range taints {
		t := &taints[i]
		if !equalTaint(list[i], t.Key, t.Value, string(t.Effect), t.TimeAdded) {
			return false
		}
	}
	return true
}

func equalTaint(v taint.Taint, key, value, effect string, at *metav1.Time) bool {
	return v.Key() == key && v.Value() == value && equalEffect(v.Effect(), effect) && v.TimeAdded().Unix() == added(at)
}

// equalEffect compares with constants, which takes no call: BenchmarkConvert.
func equalEffect(v taint.Effect, effect string) bool {
	switch v {
	case taint.NoSchedule:
		return effect == "NoSchedule"
	case taint.PreferNoSchedule:
		return effect == "PreferNoSchedule"
	case taint.NoExecute:
		return effect == "NoExecute"
	}
	return effect == ""
}

func equalOperator(v toleration.Operator, operator string) bool {
	switch v {
	case toleration.Equal:
		return operator == "Equal"
	case toleration.Exists:
		return operator == "Exists"
	case toleration.Lt:
		return operator == "Lt"
	case toleration.Gt:
		return operator == "Gt"
	}
	return v == 0 && operator == ""
}

// added returns the time in the seconds that a value keeps.
func added(at *metav1.Time) int64 {
	if at == nil {
		return time.Time{}.Unix()
	}
	return at.Unix()
}

// equalTolerations is equalTaints for tolerations.
func equalTolerations(list toleration.List, tolerations []corev1.Toleration) bool {
	if len(list) != len(tolerations) {
		return false
	}
	for i := range tolerations {
		v, u := list[i], &tolerations[i]
		if v.Key() != u.Key || !equalOperator(v.Operator(), string(u.Operator)) || v.Value() != u.Value || !equalEffect(v.Effect(), string(u.Effect)) {
			return false
		}
		seconds, timed := v.Seconds()
		if timed != (u.TolerationSeconds != nil) || timed && seconds != *u.TolerationSeconds {
			return false
		}
	}
	return true
}

// A hash selects the set of a list. Lists with equal hashes compete for its entries.
// BenchmarkConvert: hash/maphash takes 10 ns more for a node and 20 ns for a pod.
type hash uint64

// The hash has the lengths of effects and operators, not their bytes: only Lt and Gt
// have the same.

func hashTaints(taints []corev1.Taint) hash {
	h := hash(len(taints))
	for i := range taints {
		t := &taints[i]
		h = h.taint(t.Key, t.Value, string(t.Effect), t.TimeAdded)
	}
	return h
}

func (h hash) taint(key, value, effect string, at *metav1.Time) hash {
	return h.text(key, 0).text(value, uint64(len(effect))^uint64(added(at)))
}

func hashTolerations(tolerations []corev1.Toleration) hash {
	h := hash(len(tolerations))
	for i := range tolerations {
		u := &tolerations[i]
		rest := uint64(len(u.Effect)) ^ uint64(len(u.Operator))<<8
		if u.TolerationSeconds != nil {
			rest ^= uint64(*u.TolerationSeconds)<<16 ^ 1<<63
		}
		h = h.text(u.Key, 0).text(u.Value, rest)
	}
	return h
}

// text mixes in a text, sixteen bytes at a time, the last ones twice if need be, and a
// number.
func (h hash) text(s string, with uint64) hash {
	n := len(s)
	h ^= hash(with)
	switch {
	case n > 16:
		for last := s[n-16:]; ; s = s[16:] {
			if len(s) <= 16 {
				return h.mix(word(last), word(last[8:]), n)
			}
			h = h.mix(word(s), word(s[8:]), 0)
		}
	case n >= 8:
		return h.mix(word(s), word(s[n-8:]), n)
	case n >= 4:
		return h.mix(half(s), half(s[n-4:]), n)
	case n > 0:
		return h.mix(uint64(s[0]), uint64(s[n/2])<<8|uint64(s[n-1]), n)
	}
	return h.mix(0, 0, 0)
}

func (h hash) mix(a, b uint64, n int) hash {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	hi, lo := bits.Mul64(a^odd, b^uint64(h)^uint64(n)<<56)
	return hash(hi ^ lo)
}

func word(s string) uint64 { return binary.LittleEndian.Uint64([]byte(s)) }
func half(s string) uint64 { return uint64(binary.LittleEndian.Uint32([]byte(s))) }
