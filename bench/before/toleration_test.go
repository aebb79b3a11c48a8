package before_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	oldtaint "github.com/go-tolerate/before/taint"
	oldtoleration "github.com/go-tolerate/before/toleration"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestToleration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, taint := gen.TolerationOrZero().Draw(t, "toleration"), gen.TaintOrZero().Draw(t, "taint")
		old, oldTaint := oldToleration(u), oldTaint(taint)
		same(t, "Tolerates", u.Tolerates(taint), old.Tolerates(oldTaint))
		same(t, "String", u, old)
		same(t, "Canonical", u.Canonical(), old.Canonical())
		v := gen.TolerationOrZero().Draw(t, "other")
		same(t, "Compare", u.Compare(v), old.Compare(oldToleration(v)))
		same(t, "WithoutSeconds", u.WithoutSeconds(), old.WithoutSeconds())
		n := gen.Seconds().Draw(t, "seconds")
		w, err := u.WithSeconds(n)
		x, oldErr := old.WithSeconds(n)
		same(t, "WithSeconds", []any{w, err}, []any{x, oldErr})
		choice := gen.Choice().Draw(t, "choice")
		same(t, "Prefers", choice.Prefers(u, v), oldtoleration.Choice(choice).Prefers(old, oldToleration(v)))
	})
}

func TestTolerationMake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := gen.AnyTolerationFields().Draw(t, "fields")
		u, err := toleration.From(f.Key, f.Operator, f.Value, f.Effect, f.Seconds)
		old, oldErr := oldtoleration.From(f.Key, f.Operator, f.Value, f.Effect, f.Seconds)
		same(t, "From", []any{u, err}, []any{old, oldErr})
		op, effect := len(f.Operator)%6, len(f.Effect)%5
		u, err = toleration.New(f.Key, toleration.Operator(op), f.Value, taint.Effect(effect))
		old, oldErr = oldtoleration.New(f.Key, oldtoleration.Operator(op), f.Value, oldtaint.Effect(effect))
		same(t, "New", []any{u, err}, []any{old, oldErr})
		text := f.Key + "=" + f.Value + ":" + f.Effect + " op=" + f.Operator
		u, err = toleration.Parse(text)
		old, oldErr = oldtoleration.Parse(text)
		same(t, "Parse", []any{u, err}, []any{old, oldErr})
	})
}

func TestTolerationList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, other := gen.TolerationsAndZeros().Draw(t, "list"), gen.TolerationsAndZeros().Draw(t, "other")
		old, oldOther := oldTolerations(list), oldTolerations(other)
		same(t, "Canonical", list.Canonical(), old.Canonical())
		same(t, "EqualSet", list.EqualSet(other), old.EqualSet(oldOther))
		if rapid.Bool().Draw(t, "long") {
			list, other = slices.Repeat(list, 20), slices.Repeat(other, 20)
			old, oldOther = oldTolerations(list), oldTolerations(other)
		}
		u := gen.TaintOrZero().Draw(t, "taint")
		same(t, "Match", list.Match(u), old.Match(oldTaint(u)))
		same(t, "WithoutNumeric", list.WithoutNumeric(), old.WithoutNumeric())
		off := rapid.Bool().Draw(t, "numeric off")
		opts, oldOpts := toleration.ListOptions{NumericOff: off}, oldtoleration.ListOptions{NumericOff: off}
		same(t, "Validate", list.Validate(opts), old.Validate(oldOpts))
		same(t, "ValidateUpdate", list.ValidateUpdate(other, opts), old.ValidateUpdate(oldOther, oldOpts))
	})
	for _, in := range hostile() {
		bounded(t, in.name+" EqualSet", 64<<20, func() { in.tolerations.EqualSet(in.tolerations) })
		bounded(t, in.name+" ValidateUpdate", 96<<20, func() {
			_ = in.tolerations.ValidateUpdate(in.tolerations[len(in.tolerations)/2:], toleration.ListOptions{})
			_ = in.tolerations[len(in.tolerations)/2:].ValidateUpdate(in.tolerations, toleration.ListOptions{})
		})
	}
}
