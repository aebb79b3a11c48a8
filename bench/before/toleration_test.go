package before_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
)

func TestToleration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, taint := gen.TolerationOrZero().Draw(t, "toleration"), gen.TaintOrZero().Draw(t, "taint")
		old, oldTaint := oldToleration(u), oldTaint(taint)
		same(t, "Tolerates", u.Tolerates(taint), old.Tolerates(oldTaint))
		same(t, "String", u, old)
		same(t, "Canonical", u.Canonical(), old.Canonical())
	})
}

func TestTolerationList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, other := gen.TolerationsAndZeros().Draw(t, "list"), gen.TolerationsAndZeros().Draw(t, "other")
		old, oldOther := oldTolerations(list), oldTolerations(other)
		same(t, "Canonical", list.Canonical(), old.Canonical())
		same(t, "EqualSet", list.EqualSet(other), old.EqualSet(oldOther))
	})
	for _, in := range hostile() {
		bounded(t, in.name+" EqualSet", 64<<20, func() { in.tolerations.EqualSet(in.tolerations) })
	}
}
