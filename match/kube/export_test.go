package kube

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// CollideTaints gives the lists that would share an entry with one of these taints the
// same hash, so that only a comparison distinguishes them.
func (c *Converter) CollideTaints(taints []corev1.Taint) { collide(c.taints, hashTaints(taints)) }

// CollideTolerations is CollideTaints for tolerations.
func (c *Converter) CollideTolerations(tolerations []corev1.Toleration) {
	collide(c.tolerations, hashTolerations(tolerations))
}

// CollideText is CollideTaints for a text.
func (c *Converter) CollideText(s string) {
	head, effect, _ := strings.Cut(s, ":")
	key, value, _ := strings.Cut(head, "=")
	collide(c.taints, hash(1).taint(key, value, effect, nil))
}

func collide[L any](t table[L], h hash) {
	if len(t) == 0 {
		return
	}
	set := t.set(h)
	for i := range set {
		if e := set[i].Load(); e != nil {
			set[i].Store(&entry[L]{h, e.list})
		}
	}
}

// Remembered returns the number of lists of taints that c remembers.
func (c *Converter) Remembered() (n int) {
	for i := range c.taints {
		for j := range c.taints[i] {
			if c.taints[i][j].Load() != nil {
				n++
			}
		}
	}
	return n
}
