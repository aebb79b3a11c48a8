package before_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	oldlint "github.com/go-tolerate/before/match/lint"
	oldtoleration "github.com/go-tolerate/before/toleration"
	oldcover "github.com/go-tolerate/before/toleration/cover"
	oldpolicy "github.com/go-tolerate/before/toleration/policy"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// drawList draws a list of up to several times the usual length, so that scans and indexes
// are both compared.
func drawList(t *rapid.T, name string) (list toleration.List) {
	for range rapid.IntRange(1, 8).Draw(t, name+" parts") {
		list = append(list, gen.TolerationsAndZeros().Draw(t, name)...)
	}
	return list
}

func TestCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawList(t, "a"), drawList(t, "b"), drawList(t, "c")
		oldA, oldB, oldC := oldTolerations(a), oldTolerations(b), oldTolerations(c)
		same(t, "Merge", cover.Merge(a, b, c), oldcover.Merge(oldA, oldB, oldC))
		same(t, "Uncovered", cover.Uncovered(a, b), oldcover.Uncovered(oldA, oldB))
		for choice := toleration.First; choice <= toleration.ForeverElseShortest; choice++ {
			x, found := cover.UncoveredTaint(a, b, choice)
			old, oldFound := oldcover.UncoveredTaint(oldA, oldB, oldtoleration.Choice(choice))
			same(t, "UncoveredTaint", found, oldFound)
			same(t, "UncoveredTaint", x, old)
			for i := range a {
				same(t, "Redundant", cover.Redundant(a, i, choice), oldcover.Redundant(oldA, i, oldtoleration.Choice(choice)))
			}
		}
		if len(a) > 0 && len(b) > 0 {
			same(t, "Covers", cover.Covers(a[0], b[0]), oldcover.Covers(oldA[0], oldB[0]))
		}
	})
	for _, in := range hostile() {
		list, half := in.tolerations, in.tolerations[len(in.tolerations)/2:]
		old, oldHalf := oldTolerations(list), oldTolerations(half)
		bounded(t, in.name+" Merge", 200<<20, func() { same(t, "Merge", len(cover.Merge(half, list)), len(oldcover.Merge(oldHalf, old))) })
		bounded(t, in.name+" Uncovered", 200<<20, func() { same(t, "Uncovered", len(cover.Uncovered(list, half)), len(oldcover.Uncovered(old, oldHalf))) })
		bounded(t, in.name+" UncoveredTaint", 200<<20, func() { cover.UncoveredTaint(list, list, toleration.First) })
		bounded(t, in.name+" Redundant", 200<<20, func() { cover.Redundant(list, len(list)-1, toleration.Longest) })
	}
}

// TestPolicy compares policies that allow and deny what their lists match.
func TestPolicy(t *testing.T) {
	clauses := func(t *rapid.T, name string) (out []policy.Clause) {
		for range rapid.IntRange(0, 4).Draw(t, name) {
			c := policy.Clause{Taints: drawClause(t, name), Except: drawClause(t, name)}
			if len(c.Taints) == 0 {
				continue
			}
			if !slices.ContainsFunc(c.Taints, func(u toleration.Toleration) bool { return u.Effect() != taint.NoExecute }) {
				n := rapid.Int64Range(-1, 400).Draw(t, "maxSeconds")
				c.MaxSeconds = &n
			}
			out = append(out, c)
		}
		return out
	}
	valid := 0
	rapid.Check(t, func(t *rapid.T) {
		s := policy.Spec{Allow: clauses(t, "allow"), Deny: clauses(t, "deny")}
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		p, err := policy.Decode(data)
		old, oldErr := oldpolicy.Decode(data)
		same(t, "Decode", err, oldErr)
		same(t, "String", p, old)
		a, b := drawList(t, "list"), drawList(t, "old")
		if err == nil {
			valid++
		}
		for _, u := range a {
			now, before := p.Judge(u), old.Judge(oldToleration(u))
			same(t, "Judge", now, before)
			same(t, "Judge", now.Clause+" "+now.Witness.String(), before.Clause+" "+before.Witness.String())
		}
		same(t, "Check", p.Check(a, "x"), old.Check(oldTolerations(a), "x"))
		same(t, "CheckUpdate", p.CheckUpdate(a, b, "x"), old.CheckUpdate(oldTolerations(a), oldTolerations(b), "x"))
	})
	t.Logf("%d policies are valid", valid)
	everything := policy.Clause{Taints: toleration.List{toleration.MustParse("key7 op=Exists")}}
	p, err := policy.New(policy.Spec{Allow: []policy.Clause{everything}})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range hostile() {
		list := in.tolerations
		bounded(t, in.name+" Check", 200<<20, func() { p.Check(list, "x") })
		bounded(t, in.name+" CheckUpdate", 400<<20, func() { p.CheckUpdate(list, list[len(list)/2:], "x") })
	}
}

// TestPolicy_times updates pods whose tolerations have as many times.
func TestPolicy_times(t *testing.T) {
	for _, form := range []string{"key%d:NoExecute op=Exists for %ds", "k=%d:NoExecute for %ds", "k=%d:NoExecute op=Gt for %ds"} {
		var old, list toleration.List
		for i := range 30_000 {
			old = append(old, toleration.MustParse(fmt.Sprintf(form, i, i)))
			list = append(list, toleration.MustParse(fmt.Sprintf(form, i, i+1)))
		}
		var now, before error
		bounded(t, form, 400<<20, func() { now = policy.Policy{}.CheckUpdate(list, old, "x") })
		bounded(t, "before, "+form, 400<<20, func() { before = oldpolicy.Policy{}.CheckUpdate(oldTolerations(list), oldTolerations(old), "x") })
		same(t, form, now, before)
	}
}

// drawClause draws tolerations that a clause may have, as a rule.
func drawClause(t *rapid.T, name string) (list toleration.List) {
	for _, u := range gen.TolerationsAndZeros().Draw(t, name) {
		missing := u.Operator() == 0 && u.Value() == "" || oldcover.Empty(oldToleration(u))
		if !missing && len(list) < 3 {
			list = append(list, u.WithoutSeconds())
		}
	}
	return list
}

func TestLint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, defaults := drawList(t, "list"), drawList(t, "defaults")
		same(t, "Find", lint.Find(a, lint.Options{}), oldlint.Find(oldTolerations(a), oldlint.Options{}))
		same(t, "Find", lint.Find(a, lint.Options{Defaults: defaults}), oldlint.Find(oldTolerations(a), oldlint.Options{Defaults: oldTolerations(defaults)}))
	})
	for _, in := range hostile() {
		var now []lint.Finding
		bounded(t, in.name+" Find", 400<<20, func() { now = lint.Find(in.tolerations, lint.Options{}) })
		same(t, "Find", len(now), len(oldlint.Find(oldTolerations(in.tolerations), oldlint.Options{})))
	}
}
