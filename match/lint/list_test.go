package lint_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/corpus"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// line writes a finding as the files in testdata do.
func line(f lint.Finding) string {
	text := fmt.Sprint(f.Index, " ", f.Rule, " ", f.Severity)
	if f.Other >= 0 {
		text += fmt.Sprint(" by ", f.Other)
	}
	switch f.Fix.Edit {
	case lint.Remove:
		text += fmt.Sprint("; remove ", f.Fix.Index)
	case lint.Replace:
		text += fmt.Sprint("; replace ", f.Fix.Index, " by ", f.Fix.By)
	}
	if f.Fix.Same {
		text += ", same"
	}
	return text
}

// Each rule has a file of lists in which it finds something, and of others that
// come near.
func TestList(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for r := range lint.AllRules().All() {
		if r == lint.UnneededToleration || r == lint.UntoleratedTaint {
			continue
		}
		file := filepath.Join("testdata", r.Name()+".txt")
		files = slices.DeleteFunc(files, func(name string) bool { return name == file })
		t.Run("R5_"+strings.ReplaceAll(r.Name(), "-", "_"), func(t *testing.T) {
			found, clean := 0, 0
			for _, c := range corpus.Read(t, file) {
				l := list(strings.Split(c.Input, ", ")...)
				var got []string
				for _, f := range lint.List(l, lint.Options{}) {
					got = append(got, "ok "+line(f))
				}
				if got == nil {
					got = []string{"ok"}
					clean++
				} else if strings.Contains(strings.Join(got, "\n"), " "+r.Name()+" ") {
					found++
				}
				if !slices.Equal(got, c.Strict) {
					t.Errorf("%s:%d: %s\n%s\n got %q\nwant %q", c.File, c.Line, c.Reason, c.Input, got, c.Strict)
				}
				check(t, l, nil)
			}
			if found < 2 || clean < 2 {
				t.Errorf("%d cases in which it finds something, and %d in which nothing is found", found, clean)
			}
		})
	}
	if len(files) > 0 {
		t.Errorf("no rule has the files %v", files)
	}
}

func TestPod(t *testing.T) {
	for _, tt := range []struct {
		name          string
		own, defaults []toleration.Toleration
		want          []string
	}{
		{"R5_nothing", nil, nil, nil},
		{"R5_nothing_own", nil, list("a:NoExecute op=Exists for 0s", "b", "b"), nil},
		{"R5_a_default_does_it", list("a=x:NoSchedule"), list("b op=Exists", "a op=Exists"), []string{"0 redundant info by 2; remove 0, same"}},
		{"R5_the_same_default", list("a=x:NoSchedule"), list("a=x:NoSchedule op=Equal"), []string{"0 redundant info by 1; remove 0, same"}},
		{"R5_own_seconds_count", list("a:NoExecute op=Exists for 60s"), list("a:NoExecute op=Exists for 300s"), nil},
		{"R5_as_many_seconds", list("a:NoExecute op=Exists for 300s"), list("a:NoExecute op=Exists for 300s"), []string{"0 redundant info by 1; remove 0, same"}},
		{"R5_together_with_a_default", list("a:NoSchedule op=Exists", "a op=Exists"), list("a:NoExecute op=Exists", "a:PreferNoSchedule op=Exists"),
			[]string{"1 redundant info; remove 1, same"}},
		{"R5_a_default_is_shadowed_by_intent", list("a op=Exists"), list("a:NoExecute op=Exists for 60s"), nil},
		{"R5_a_default_tolerates", list("node.kubernetes.io/not-ready=x:NoExecute"), list("node.kubernetes.io/not-ready:NoExecute op=Exists for 30s"), nil},
		{"R5_a_default_does_not_suppress", nil, list("node.kubernetes.io/not-ready=x:NoExecute"), nil},
		{"R5_a_default_comes_too_late_for_what_it_repeats", list("node.kubernetes.io/not-ready=x:NoExecute"), list("node.kubernetes.io/not-ready=x:NoExecute"),
			[]string{"0 suppresses-default error", "0 redundant info by 1; remove 0, same"}},
		{"R5_a_default_never_matches", list("a=x"), list("b=0 op=Lt"), nil},
		{"R5_everything_by_default", list("a=x:NoSchedule"), list("op=Exists"), []string{"0 redundant info by 1; remove 0, same", "1 tolerates-everything warning"}},
		{"R5_everything_together", list(":NoExecute op=Exists", ":PreferNoSchedule op=Exists"), list("a=x", ":NoSchedule op=Exists"),
			[]string{"3 tolerates-everything warning"}},
		{"R5_open_together", list(":NoExecute op=Exists"), list(":NoSchedule op=Exists"), []string{"1 open-to-every-node info"}},
		{"R5_a_default_names_values", list("tier"), list("tier=gold"), nil},
		{"R5_a_wildcard_by_default", list("tier:NoSchedule"), list(":NoSchedule op=Exists", "zero"),
			[]string{"0 redundant info by 1; remove 0, same"}},
		{"R5_a_default_has_the_new_key", list("node-role.kubernetes.io/master:NoSchedule op=Exists"), list("node-role.kubernetes.io/control-plane op=Exists"),
			[]string{"0 outdated-key info by 1; remove 0"}},
		{"M8_zero_keeps_no_fix_away", list("gpu", "zero"), list("zero"), []string{"0 equal-empty-value warning; replace 0 by gpu op=Exists"}},
		{"M8_zero", list("zero", "zero", "a=x", "zero", "a=x"), list("zero"), []string{"4 redundant info by 2; remove 4, same"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range lint.Pod(tt.own, tt.defaults, lint.Options{}) {
				got = append(got, line(f))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Pod(%v, %v)\n got %q\nwant %q", tt.own, tt.defaults, got, tt.want)
			}
			check(t, tt.own, tt.defaults)
		})
	}
}

// A long list's findings are sorted, too.
func TestList_long(t *testing.T) {
	l := slices.Repeat(list("node.kubernetes.io/not-ready=0:NoExecute op=Lt"), 50)
	findings := lint.List(l, lint.Options{})
	if len(findings) != 2*len(l) {
		t.Fatalf("%d findings, want %d", len(findings), 2*len(l))
	}
	for i, f := range findings {
		if want := []lint.Rule{lint.NeverMatches, lint.SuppressesDefault}[i%2]; f.Index != i/2 || f.Rule != want {
			t.Errorf("finding %d is %v, want %d and %v", i, f, i/2, want)
		}
	}
}

// In a list that is very long only what one earlier toleration does by itself is
// found. It is the same that is found in a short list.
func TestList_very_long(t *testing.T) {
	filler := slices.Repeat(list("filler=0 op=Lt"), 129)
	for _, tt := range []struct {
		list []string
		want []string
	}{
		{[]string{"k=v", "k=v op=Equal"}, []string{"1 redundant info by 0; remove 1, same"}},
		{[]string{"k op=Exists", "k=v:NoSchedule"}, []string{"1 redundant info by 0; remove 1, same"}},
		{[]string{"k op=Exists", "k=v:NoExecute for 5s"}, []string{"1 shadowed warning by 0; remove 1, same"}},
		{[]string{"k=3 op=Gt", "k=5 op=Gt", "k=7", "k=7:NoExecute for 5s"},
			[]string{"1 redundant info by 0; remove 1, same", "2 redundant info by 0; remove 2, same", "3 shadowed warning by 0; remove 3, same"}},
		{[]string{"k=v:NoExecute for 5s", "k:NoExecute op=Exists", "k=w:NoExecute"}, []string{"2 redundant info by 1; remove 2, same"}},
		{[]string{"k=v:NoExecute for 5s", "k:NoExecute op=Exists for 6s", "k=v:NoExecute"}, []string{"2 shadowed warning by 0; remove 2, same"}},
		// Several together, or one that comes later.
		{[]string{"k=5 op=Lt", "k=4 op=Gt", "k=-1 op=Gt"}, nil},
		{[]string{"k=v", "k op=Exists"}, nil},
		{[]string{"k=v:NoExecute for 6s", "k:NoExecute op=Exists for 5s", "k=3:NoExecute op=Gt for 5s"}, []string{"2 redundant info by 1; remove 2, same"}},
		// Whether those before it leave any such taint to the one with other seconds.
		{[]string{"k=6:NoExecute op=Gt for 6s", "k:NoExecute op=Exists for 5s", "k=3:NoExecute op=Gt for 5s"}, []string{"2 shadowed warning by 1; remove 2, same"}},
		{[]string{"k=5:NoExecute for 5s", "k=6:NoExecute op=Gt for 6s", "k:NoExecute op=Exists for 5s", "k=3:NoExecute op=Gt for 5s"}, nil},
	} {
		var got []string
		for _, f := range lint.List(append(list(tt.list...), filler...), lint.Options{}) {
			if f.Index < len(tt.list) {
				got = append(got, line(f))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.list, got, tt.want)
		}
	}
	together := list("k=5 op=Lt", "k=4 op=Gt", "k=-1 op=Gt")
	for n, want := range map[int]int{128: 1, 129: 0} { // as the documentation says
		got := 0
		for _, f := range lint.List(append(slices.Clone(together), filler[:n-len(together)]...), lint.Options{}) {
			if f.Rule == lint.Redundant {
				got++
			}
		}
		if got != want {
			t.Errorf("of %d tolerations %d are redundant, want %d", n, got, want)
		}
	}
	t.Run("as in a short list", rapid.MakeCheck(func(t *rapid.T) {
		short := drawn().Draw(t, "list")
		told := map[lint.Rule]map[int]bool{lint.Shadowed: {}, lint.Redundant: {}}
		for _, f := range lint.List(short, lint.Options{}) {
			if told[f.Rule] != nil {
				told[f.Rule][f.Index] = true
			}
		}
		var found []lint.Finding
		var fixes []lint.Fix
		for _, f := range lint.List(append(slices.Clone(short), filler...), lint.Options{}) {
			if told[f.Rule] == nil {
				continue
			}
			if !told[f.Rule][f.Index] {
				t.Errorf("%v: only in the long list: %v", short, f)
			}
			found, fixes = append(found, f), append(fixes, f.Fix)
			if !cover.Equivalent(toleration.First, short, lint.Apply(short, fixes...)) {
				t.Errorf("%v: after %v it means something else", short, fixes)
			}
		}
		for _, f := range found {
			gone := slices.ContainsFunc(fixes, func(x lint.Fix) bool { return x.Index == f.Other })
			if f.Other < 0 || f.Rule == lint.Redundant && gone {
				t.Errorf("%v: %v is not for one that stays", short, f)
			}
		}
	}))
}
