package match_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// An operatorCase is a toleration with the key k, and taints with this key that it
// matches and does not match.
type operatorCase struct {
	gen.OperatorCase
	u                toleration.Toleration
	matches, differs taint.List
}

// exact returns the toleration of one taint.
func exact(t taint.Taint) toleration.Toleration {
	return problem.Must(toleration.New(t.Key(), toleration.Equal, t.Value(), t.Effect()))
}

// among returns the list before tolerations of another effect, so many that lists are
// indexed.
func among(key string, list ...toleration.Toleration) toleration.List {
	for i := range 150 {
		list = append(list, toleration.MustParse(fmt.Sprintf("%s=filler-%d:PreferNoSchedule", key, i)))
	}
	return list
}

var anyK = toleration.MustParse("k op=Exists")

// The places that distinguish operators. Each compares its answers with the case.
// Those of other modules are in match/kube and bench/kubernetes/record.
var operatorPlaces = []struct {
	name string
	test func(t *testing.T, c operatorCase)
}{
	{"internal/value", eachTaint(toleration.Toleration.Tolerates)},
	{"match/internal/reference", eachTaint(reference.Tolerates)},
	{"match/compile", eachTaint(func(u toleration.Toleration, t taint.Taint) bool {
		return tolerates(match.Compile(toleration.List{u}), t)
	})},
	{"match/compile_many", eachTaint(func(u toleration.Toleration, t taint.Taint) bool {
		var list toleration.List
		for i := range 20 {
			list = append(list, problem.Must(toleration.New(fmt.Sprint("k", i), u.Operator(), u.Value(), 0)))
		}
		return tolerates(match.Compile(append(list, u)), t)
	})},
	{"match/internal/choose", func(t *testing.T, c operatorCase) {
		for _, x := range c.differs {
			if e := match.Explain(x, toleration.First, toleration.List{c.u}); e.Mismatch == 0 || e.Mismatch == match.OtherEffect {
				t.Errorf("%v misses %v because of %v", c.u, x, e.Mismatch)
			}
		}
		other := toleration.MustParse("k=other:NoExecute") // has the key only
		u := problem.Must(toleration.New("k", c.Operator, c.Value, taint.PreferNoSchedule))
		for _, x := range c.matches {
			if e := match.Explain(x, toleration.First, toleration.List{other, u}); e.Toleration != u || e.Mismatch != match.OtherEffect {
				t.Errorf("%v is nearest to %v, not %v", e.Toleration, x, u)
			}
		}
	}},
	{"match/fleet", eachTaint(func(u toleration.Toleration, t taint.Taint) bool { return schedulable(t, u) })},
	{"match/fleet_many", eachTaint(func(u toleration.Toleration, t taint.Taint) bool { return schedulable(t, among("k", u)...) })},
	{"match/lint", func(t *testing.T, c operatorCase) {
		redundant := func(list ...toleration.Toleration) bool {
			opts := lint.Options{Skip: slices.DeleteFunc(lint.Checks(), func(x lint.Check) bool { return x == lint.Redundant })}
			return len(lint.Find(list, opts)) == 1
		}
		if !redundant(anyK, c.u) || redundant(c.u) {
			t.Errorf("%v: not redundant after %v, or alone", c.u, anyK)
		}
		for i, x := range slices.Concat(c.matches, c.differs) {
			if got, want := redundant(c.u, exact(x)), i < len(c.matches); got != want {
				t.Errorf("after %v, %v is redundant: %v", c.u, exact(x), got)
			}
		}
	}},
	{"toleration/cover", func(t *testing.T, c operatorCase) {
		if !cover.Covers(anyK, c.u) || !cover.Covers(c.u, c.u) || cover.Covers(c.u, anyK) != (c.Operator == toleration.Exists) {
			t.Errorf("%v and %v, or itself", c.u, anyK)
		}
		one := toleration.List{c.u}
		covers(t, toleration.List{anyK}, nil, one)
		covers(t, nil, one, nil)
		for _, by := range []toleration.List{one, among("k", c.u)} {
			covers(t, by, nil, one)
			for _, x := range c.matches {
				covers(t, by, nil, toleration.List{exact(x)})
			}
			for _, x := range c.differs {
				covers(t, by, toleration.List{exact(x)}, nil)
				covers(t, toleration.List{exact(x)}, one, nil)
			}
		}
	}},
	{"toleration/policy", func(t *testing.T, c operatorCase) {
		every := policy.Clause{Taints: toleration.List{toleration.MustParse("op=Exists")}}
		of := policy.Clause{Taints: toleration.List{c.u}}
		allow, err1 := policy.New(policy.Spec{Allow: []policy.Clause{of}})
		deny, err2 := policy.New(policy.Spec{Allow: []policy.Clause{every}, Deny: []policy.Clause{of}})
		if err1 != nil || err2 != nil || !allow.Judge(c.u).Allowed || deny.Judge(c.u).Allowed || (policy.Policy{}).Judge(c.u).Allowed {
			t.Errorf("policies about %v", c.u)
		}
		for i, x := range slices.Concat(c.matches, c.differs) {
			one, matches := exact(x), i < len(c.matches)
			if allow.Judge(one).Allowed != matches || deny.Judge(one).Allowed == matches {
				t.Errorf("policies about %v and %v", c.u, one)
			}
		}
	}},
	{"toleration/admission", func(t *testing.T, c operatorCase) {
		for i, x := range slices.Concat(c.matches, c.differs) {
			one := toleration.List{exact(x)}
			plan := admission.Plan{Seconds: admission.SecondsOptions{NotReadyOff: true, UnreachableOff: true}}
			plan.Restriction.Whitelist = toleration.List{c.u}
			if _, err := plan.OnUpdate(admission.PodSpec{Tolerations: one}); (err == nil) != (i < len(c.matches)) {
				t.Errorf("the whitelist %v and %v: %v", c.u, one, err)
			}
		}
	}},
	{"toleration/codec", func(t *testing.T, c operatorCase) {
		text, data := c.u.String(), string(c.u.AppendJSON(nil))
		var read toleration.Toleration
		err1 := read.UnmarshalJSON([]byte(data))
		parsed, err2 := toleration.Parse(text)
		if err1 != nil || err2 != nil || read != c.u || parsed != c.u {
			t.Errorf("%v is read from %s as %v, %v, and from %s as %v, %v", c.u, data, read, err1, text, parsed, err2)
		}
		for _, text := range []string{text, data} {
			if !strings.Contains(text, c.Operator.String()) {
				t.Errorf("%s has no %v", text, c.Operator)
			}
		}
	}},
	{"toleration.ebnf", documented("../toleration/testdata/toleration.ebnf", `operator   = "op=" [`, `"%v"`)},
	{"toleration/doc.go", documented("../toleration/doc.go", "operator   =", `"%v"`)},
	{"SEMANTICS.md", documented("../SEMANTICS.md", "- **V5**", "%v")},
	{"tolerations.txt", documented("../toleration/testdata/tolerations.txt", `"operator"`, `"%v"`)},
	{"internal/tests/gen", func(t *testing.T, c operatorCase) {
		has := func(name string, u toleration.Toleration) bool {
			return u.Operator() == c.Operator && u.Value() != name
		}
		all := gen.AllTolerations([]string{"k"}, []string{"5"}, []string{"5"}, []taint.Effect{0}, nil)
		for name, drawn := range map[string]bool{
			"AllTolerations": slices.ContainsFunc(all, func(u toleration.Toleration) bool {
				return has("", u) || c.Operator == toleration.Exists && has("x", u)
			}),
			"Operator":    draws(gen.Operator(), func(op toleration.Operator) bool { return op == c.Operator }),
			"AnyOperator": draws(gen.AnyOperator(), func(op string) bool { return op == c.Operator.String() }),
			"Toleration":  draws(gen.Toleration(), func(u toleration.Toleration) bool { return has("no", u) }),
			"Near":        draws(gen.Near(taint.MustParse("k=5:NoSchedule")), func(u toleration.Toleration) bool { return has("no", u) }),
		} {
			if !drawn {
				t.Errorf("%s does not draw %v", name, c.Operator)
			}
		}
	}},
}

// Every place knows every operator. To add an operator, add its case to internal/tests/gen:
// each place that does not know it then fails.
func TestOperators(t *testing.T) {
	var cases []operatorCase
	for _, c := range gen.Operators(t) {
		u, err := toleration.New("k", c.Operator, c.Value, 0)
		if err != nil || u.IsZero() {
			t.Errorf("V5: New with %v: %v, %v", c.Operator, u, err)
		}
		o := operatorCase{OperatorCase: c, u: u}
		for i, value := range slices.Concat(c.Matches, c.Differs) {
			if x := problem.Must(taint.New("k", value, taint.NoSchedule)); i < len(c.Matches) {
				o.matches = append(o.matches, x)
			} else {
				o.differs = append(o.differs, x)
			}
		}
		cases = append(cases, o)
	}
	for _, place := range operatorPlaces {
		t.Run("V5_"+place.name, func(t *testing.T) {
			for _, c := range cases {
				place.test(t, c)
			}
		})
	}
}

// Operators are compared by equality: a place must not take one that it does not know for
// one that it knows.
func TestOperators_equality(t *testing.T) {
	ordered := regexp.MustCompile(`(\bop|\.Operator\(\)|opCode\(\)) *[<>]|[<>]=? *(uint8\()?(toleration\.|\bop)(Equal|Exists|Lt|Gt)\b`)
	files := 0
	for _, dir := range []string{"internal", "taint", "toleration", "match"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			files++
			data, err := os.ReadFile(name)
			if found := ordered.Find(data); found != nil {
				t.Errorf("V5: %s: %s", name, found)
			}
			return err
		})
		if err != nil || files == 0 {
			t.Errorf("%s: %d files, %v", dir, files, err)
		}
	}
}

// eachTaint tests a function that reports whether a toleration matches a taint.
func eachTaint(tolerates func(toleration.Toleration, taint.Taint) bool) func(*testing.T, operatorCase) {
	return func(t *testing.T, c operatorCase) {
		for i, x := range slices.Concat(c.matches, c.differs) {
			if got, want := tolerates(c.u, x), i < len(c.matches); got != want {
				t.Errorf("%v tolerates %v: %v", c.u, x, got)
			}
		}
	}
}

// documented tests that a line of a file, which begins with the head or has it inside,
// has the operator.
func documented(file, head, form string) func(*testing.T, operatorCase) {
	return func(t *testing.T, c operatorCase) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if _, rest, ok := strings.Cut(line, head); ok && strings.Contains(rest, fmt.Sprintf(form, c.Operator)) {
				return
			}
		}
		t.Errorf("%s: no %v after %q", file, c.Operator, head)
	}
}

// covers tests that by covers none of the tolerations of no and each of those of yes,
// with every function that compares lists.
func covers(t *testing.T, by, no, yes toleration.List) {
	t.Helper()
	for i, u := range slices.Concat(no, yes) {
		one, two, want := toleration.List{u}, toleration.List{u, u}, i >= len(no)
		_, uncovered := cover.UncoveredTaint(one, by, toleration.First)
		for name, got := range map[string]bool{
			"Covers":           slices.ContainsFunc(by, func(v toleration.Toleration) bool { return cover.Covers(v, u) }),
			"Uncovered":        len(cover.Uncovered(one, by)) == 0,
			"Uncovered of two": len(cover.Uncovered(two, by)) == 0,
			"UncoveredTaint":   !uncovered,
			"Merge":            len(cover.Merge(by, one)) == len(by),
		} {
			if got != want {
				t.Errorf("%s: %v covers %v: %v", name, by[:min(len(by), 1)], u, got)
			}
		}
	}
}

// schedulable reports whether package fleet finds a node with the taint.
func schedulable(t taint.Taint, pod ...toleration.Toleration) bool {
	var x fleet.Index[int]
	x.Put(1, match.Node{Taints: taint.List{t}})
	var a fleet.Answer[int]
	x.Snapshot().Query(&a, pod)
	return a.Counts().Schedulable == 1
}

func draws[V any](g *rapid.Generator[V], want func(V) bool) bool {
	for seed := range 500 {
		if want(g.Example(seed)) {
			return true
		}
	}
	return false
}
