package before_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	oldtaint "github.com/go-tolerate/before/taint"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
)

// sources prints taints with the times added, which their text does not have.
func sources(lists ...any) string { return fmt.Sprintf("%#v", lists) }

func TestTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, v := gen.TaintOrZero().Draw(t, "u"), gen.TaintOrZero().Draw(t, "v")
		a, b := oldTaint(u), oldTaint(v)
		same(t, "GoString", u.GoString(), a.GoString())
		same(t, "Canonical", u.Canonical().GoString(), a.Canonical().GoString())
		same(t, "SameKeyEffect, Compare", []any{u.SameKeyEffect(v), u.Compare(v)}, []any{a.SameKeyEffect(b), a.Compare(b)})
		n, ok := u.Integer()
		m, was := a.Integer()
		same(t, "Integer", []any{n, ok}, []any{m, was})
		at := time.Unix(rapid.Int64().Draw(t, "at"), 5)
		w, err := u.WithTimeAdded(at)
		x, oldErr := a.WithTimeAdded(at)
		same(t, "WithTimeAdded", []any{w.GoString(), err}, []any{x.GoString(), oldErr})
	})
}

func TestTaintMake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := gen.AnyTaintFields().Draw(t, "fields")
		u, err := taint.From(f.Key, f.Value, f.Effect)
		a, oldErr := oldtaint.From(f.Key, f.Value, f.Effect)
		same(t, "From", []any{u, err}, []any{a, oldErr})
		u, err = taint.New(f.Key, f.Value, taint.Effect(len(f.Effect)%5))
		a, oldErr = oldtaint.New(f.Key, f.Value, oldtaint.Effect(len(f.Effect)%5))
		same(t, "New", []any{u, err}, []any{a, oldErr})
		text := f.Key + rapid.SampledFrom([]string{"=" + f.Value, ""}).Draw(t, "value") + ":" + f.Effect
		u, err = taint.Parse(text)
		a, oldErr = oldtaint.Parse(text)
		same(t, "Parse", []any{u, err}, []any{a, oldErr})
		var effect taint.Effect
		var oldEffect oldtaint.Effect
		err, oldErr = effect.UnmarshalText([]byte(f.Effect)), oldEffect.UnmarshalText([]byte(f.Effect))
		same(t, "UnmarshalText", []any{effect, err}, []any{oldEffect, oldErr})
		cloud := strings.ToUpper(strings.ReplaceAll(f.Effect, "o", "o_"))
		effect, err = taint.ParseCloudEffect(cloud)
		oldEffect, oldErr = oldtaint.ParseCloudEffect(cloud)
		same(t, "ParseCloudEffect", []any{effect, err}, []any{oldEffect, oldErr})
	})
}

func TestTaintList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, m, n := gen.TaintsAndZeros().Draw(t, "l"), gen.TaintsAndZeros().Draw(t, "m"), gen.NodeTaints().Draw(t, "n")
		if rapid.Bool().Draw(t, "long") {
			l, m = slices.Repeat(l, 20), slices.Repeat(m, 20)
		}
		compareTaints(t, l, m, n)
	})
	for _, in := range hostile() {
		half := in.taints[len(in.taints)/2:]
		bounded(t, in.name, 64<<20, func() { in.taints.EqualSet(half); in.taints.Canonical(); _ = in.taints.Validate(taint.ListOptions{}) })
		bounded(t, in.name+" Difference", 64<<20, func() { taint.Difference(in.taints, half) })
		bounded(t, in.name+" Propagate", 64<<20, func() { taint.Propagate(in.taints, half, half[len(half)/2:]) })
		compareTaints(t, in.taints, half, nil)
	}
}

func compareTaints(t interface {
	Helper()
	Fatalf(string, ...any)
}, l, m, n taint.List) {
	t.Helper()
	a, b, c := oldTaints(l), oldTaints(m), oldTaints(n)
	same(t, "Canonical", sources(l.Canonical()), sources(a.Canonical()))
	same(t, "EqualSet", l.EqualSet(m), a.EqualSet(b))
	same(t, "Validate", l.Validate(taint.ListOptions{}), a.Validate(oldtaint.ListOptions{}))
	same(t, "Propagate", sources(taint.Propagate(l, m, n)), sources(oldtaint.Propagate(a, b, c)))
	now, before := taint.Difference(l, m), oldtaint.Difference(a, b)
	same(t, "Difference", now, before)
	for i, d := range now {
		e := before[i]
		same(t, "Change", sources(d.Before, d.After, d.BeforeIndex, d.AfterIndex, d.Kind().String()), sources(e.Before, e.After, e.BeforeIndex, e.AfterIndex, e.Kind().String()))
	}
}

func TestTaintEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node := gen.NodeTaints().Draw(t, "node")
		var texts []string
		for range rapid.IntRange(0, 6).Draw(t, "edits") {
			u := gen.Taint().Draw(t, "edit")
			texts = append(texts, rapid.SampledFrom([]string{
				u.String(), u.String() + "-", u.Key() + "-", u.Key() + ":" + u.Effect().String() + "-", "", "k=v-", "k:-", "/:NoSchedule",
			}).Draw(t, "text"))
		}
		if rapid.IntRange(0, 9).Draw(t, "many") == 0 {
			texts = slices.Repeat(texts, 12)
		}
		edits, err := taint.ParseEdits(texts...)
		old, oldErr := oldtaint.ParseEdits(texts...)
		same(t, "ParseEdits", []any{edits, err}, []any{old, oldErr})
		edits, old = nil, nil
		for _, text := range texts {
			e, err := taint.ParseEdit(text)
			f, oldErr := oldtaint.ParseEdit(text)
			same(t, "ParseEdit", []any{e, err}, []any{f, oldErr})
			same(t, "Edit", []any{e.Key(), e.Effect(), e.IsRemoval(), e.Taint()}, []any{f.Key(), f.Effect(), f.IsRemoval(), f.Taint()})
			edits, old = append(edits, e), append(old, f)
		}
		bits := rapid.IntRange(0, 15).Draw(t, "options")
		at := time.Unix(rapid.SampledFrom([]int64{0, 1e9, -1 << 60}).Draw(t, "at"), 0)
		opts := taint.EditOptions{Overwrite: bits&1 != 0, ReplaceKey: bits&2 != 0, KeepExisting: bits&4 != 0, IgnoreAbsent: bits&8 != 0, TimeAdded: at}
		after, err := taint.Apply(node, edits, opts)
		oldAfter, _, oldErr := oldtaint.Apply(oldTaints(node), old, oldtaint.EditOptions(opts))
		same(t, "Apply", []any{sources(after), err}, []any{sources(oldAfter), oldErr})
	})
	var edits []taint.Edit
	for i := range 44_000 {
		edits = append(edits, taint.Add(taint.MustParse(fmt.Sprintf("key%d:NoSchedule", i))))
	}
	for _, in := range hostile() {
		bounded(t, in.name+" Apply", 64<<20, func() { _, _ = taint.Apply(in.taints, edits, taint.EditOptions{ReplaceKey: true}) })
	}
}
