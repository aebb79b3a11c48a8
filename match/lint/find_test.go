package lint_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/corpus"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// line returns a finding in the form of the files in testdata.
func line(f lint.Finding) string {
	text := fmt.Sprint(f.Index, " ", f.Check, " ", f.Severity)
	if f.Other >= 0 {
		text += fmt.Sprint(" by ", f.Other)
	}
	switch {
	case f.Fix.IsZero():
	case f.Fix.After.IsZero():
		text += fmt.Sprint("; remove ", f.Fix.Index)
	default:
		text += fmt.Sprint("; replace ", f.Fix.Index, " by ", f.Fix.After)
	}
	if f.Fix.Equivalent {
		text += ", equivalent"
	}
	return text
}

// Each check has a file of lists in which it finds something, and of similar
// lists in which it does not.
func TestFind(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range lint.Checks() {
		if r == lint.UnneededToleration || r == lint.UntoleratedTaint {
			continue
		}
		file := filepath.Join("testdata", r.String()+".txt")
		files = slices.DeleteFunc(files, func(name string) bool { return name == file })
		t.Run("R5_"+strings.ReplaceAll(r.String(), "-", "_"), func(t *testing.T) {
			found, clean := 0, 0
			for _, c := range corpus.Read(t, file) {
				l := list(strings.Split(c.Input, ", ")...)
				var got []string
				for _, f := range lint.Find(l, lint.Options{}) {
					got = append(got, "ok "+line(f))
				}
				if got == nil {
					got = []string{"ok"}
					clean++
				} else if strings.Contains(strings.Join(got, "\n"), " "+r.String()+" ") {
					found++
				}
				if !slices.Equal(got, c.Strict) {
					t.Errorf("%s:%d: %s\n%s\n got %q\nwant %q", c.File, c.Line, c.Reason, c.Input, got, c.Strict)
				}
				check(t, l, nil)
			}
			if found < 2 || clean < 2 {
				t.Errorf("%d cases with a finding of it, and %d without any", found, clean)
			}
		})
	}
	if len(files) > 0 {
		t.Errorf("no check has the files %v", files)
	}
}

func TestFind_defaults(t *testing.T) {
	for _, tt := range []struct {
		name          string
		own, defaults toleration.List
		want          []string
	}{
		{"R5_nothing", nil, nil, nil},
		{"R5_nothing_own", nil, list("a:NoExecute op=Exists for 0s", "b", "b"), nil},
		{"R5_a_default_covers_it", list("a=x:NoSchedule"), list("b op=Exists", "a op=Exists"), []string{"0 redundant info by 2; remove 0, equivalent"}},
		{"R5_the_same_default", list("a=x:NoSchedule"), list("a=x:NoSchedule op=Equal"), []string{"0 redundant info by 1; remove 0, equivalent"}},
		{"R5_own_seconds_count", list("a:NoExecute op=Exists for 60s"), list("a:NoExecute op=Exists for 300s"), nil},
		{"R5_as_many_seconds", list("a:NoExecute op=Exists for 300s"), list("a:NoExecute op=Exists for 300s"), []string{"0 redundant info by 1; remove 0, equivalent"}},
		{"R5_together_with_a_default", list("a:NoSchedule op=Exists", "a op=Exists"), list("a:NoExecute op=Exists", "a:PreferNoSchedule op=Exists"),
			[]string{"1 redundant info; remove 1, equivalent"}},
		{"R5_a_default_is_shadowed", list("a op=Exists"), list("a:NoExecute op=Exists for 60s"), nil},
		{"R5_a_default_tolerates", list("node.kubernetes.io/not-ready=x:NoExecute"), list("node.kubernetes.io/not-ready:NoExecute op=Exists for 30s"), nil},
		{"R5_a_default_does_not_suppress", nil, list("node.kubernetes.io/not-ready=x:NoExecute"), nil},
		{"R5_a_default_is_too_late_for_what_it_repeats", list("node.kubernetes.io/not-ready=x:NoExecute"), list("node.kubernetes.io/not-ready=x:NoExecute"),
			[]string{"0 suppresses-default error", "0 redundant info by 1; remove 0, equivalent"}},
		{"R5_a_default_never_matches", list("a=x"), list("b=0 op=Lt"), nil},
		{"R5_everything_by_default", list("a=x:NoSchedule"), list("op=Exists"), []string{"0 redundant info by 1; remove 0, equivalent", "1 tolerates-everything warning"}},
		{"R5_everything_together", list(":NoExecute op=Exists", ":PreferNoSchedule op=Exists"), list("a=x", ":NoSchedule op=Exists"),
			[]string{"3 tolerates-everything warning"}},
		{"R5_open_together", list(":NoExecute op=Exists"), list(":NoSchedule op=Exists"), []string{"1 open-to-every-node info"}},
		{"R5_a_default_names_values", list("tier"), list("tier=gold"), nil},
		{"R5_a_wildcard_by_default", list("tier:NoSchedule"), list(":NoSchedule op=Exists", "zero"),
			[]string{"0 redundant info by 1; remove 0, equivalent"}},
		{"R5_a_default_has_the_new_key", list("node.kubernetes.io/out-of-disk:NoSchedule op=Exists"), list("node.kubernetes.io/disk-pressure op=Exists"),
			[]string{"0 outdated-key info by 1; remove 0"}},
		{"M8_zero_prevents_no_fix", list("gpu", "zero"), list("zero"), []string{"0 equal-empty-value warning; replace 0 by gpu op=Exists"}},
		{"M8_zero", list("zero", "zero", "a=x", "zero", "a=x"), list("zero"), []string{"4 redundant info by 2; remove 4, equivalent"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range lint.Find(tt.own, lint.Options{Defaults: tt.defaults}) {
				got = append(got, line(f))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Find(%v) with defaults %v\n got %q\nwant %q", tt.own, tt.defaults, got, tt.want)
			}
			check(t, tt.own, tt.defaults)
		})
	}
}

// The findings of a long list are sorted too.
func TestFind_long(t *testing.T) {
	l := slices.Repeat(list("node.kubernetes.io/not-ready=0:NoExecute op=Lt"), 50)
	findings := lint.Find(l, lint.Options{})
	if len(findings) != 2*len(l) {
		t.Fatalf("%d findings, want %d", len(findings), 2*len(l))
	}
	for i, f := range findings {
		if want := []lint.Check{lint.NeverMatches, lint.SuppressesDefault}[i%2]; f.Index != i/2 || f.Check != want {
			t.Errorf("finding %d is %v, want %d and %v", i, f, i/2, want)
		}
	}
}

// In a very long list, only tolerations that one earlier toleration covers are
// found. The findings are among those of a short list.
func TestFind_very_long(t *testing.T) {
	filler := slices.Repeat(list("filler=0 op=Lt"), 129)
	for _, tt := range []struct {
		list []string
		want []string
	}{
		{[]string{"k=v", "k=v op=Equal"}, []string{"1 redundant info by 0; remove 1, equivalent"}},
		{[]string{"k op=Exists", "k=v:NoSchedule"}, []string{"1 redundant info by 0; remove 1, equivalent"}},
		{[]string{"k op=Exists", "k=v:NoExecute for 5s"}, []string{"1 shadowed warning by 0; remove 1, equivalent"}},
		{[]string{"k=3 op=Gt", "k=5 op=Gt", "k=7", "k=7:NoExecute for 5s"},
			[]string{"1 redundant info by 0; remove 1, equivalent", "2 redundant info by 0; remove 2, equivalent", "3 shadowed warning by 0; remove 3, equivalent"}},
		{[]string{"k=v:NoExecute for 5s", "k:NoExecute op=Exists", "k=w:NoExecute"}, []string{"2 redundant info by 1; remove 2, equivalent"}},
		{[]string{"k=v:NoExecute for 5s", "k:NoExecute op=Exists for 6s", "k=v:NoExecute"}, []string{"2 shadowed warning by 0; remove 2, equivalent"}},
		// Covered by several together, or by a later one.
		{[]string{"k=5 op=Lt", "k=4 op=Gt", "k=-1 op=Gt"}, nil},
		{[]string{"k=v", "k op=Exists"}, nil},
		{[]string{"k=v:NoExecute for 6s", "k:NoExecute op=Exists for 5s", "k=3:NoExecute op=Gt for 5s"}, []string{"2 redundant info by 1; remove 2, equivalent"}},
		// Whether the earlier ones leave a taint to the one with other seconds.
		{[]string{"k=6:NoExecute op=Gt for 6s", "k:NoExecute op=Exists for 5s", "k=3:NoExecute op=Gt for 5s"}, []string{"2 shadowed warning by 1; remove 2, equivalent"}},
		{[]string{"k=5:NoExecute for 5s", "k=6:NoExecute op=Gt for 6s", "k:NoExecute op=Exists for 5s", "k=3:NoExecute op=Gt for 5s"}, nil},
	} {
		var got []string
		for _, f := range lint.Find(append(list(tt.list...), filler...), lint.Options{}) {
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
		for _, f := range lint.Find(append(slices.Clone(together), filler[:n-len(together)]...), lint.Options{}) {
			if f.Check == lint.Redundant {
				got++
			}
		}
		if got != want {
			t.Errorf("of %d tolerations %d are redundant, want %d", n, got, want)
		}
	}
	t.Run("as_in_a_short_list", rapid.MakeCheck(func(t *rapid.T) {
		short := slices.Concat(rapid.SliceOfN(drawn(), 1, 4).Draw(t, "lists")...)
		byShort := map[lint.Check]map[int]bool{lint.Shadowed: {}, lint.Redundant: {}}
		for _, f := range lint.Find(short, lint.Options{}) {
			if byShort[f.Check] != nil {
				byShort[f.Check][f.Index] = true
			}
		}
		var found, others []lint.Finding
		var fixes []lint.Fix
		for _, f := range lint.Find(append(slices.Clone(short), filler...), lint.Options{}) {
			if byShort[f.Check] == nil {
				if f.Index < len(short) {
					others = append(others, f)
				}
				continue
			}
			if !byShort[f.Check][f.Index] {
				t.Errorf("%v: only in the long list: %v", short, f)
			}
			found, fixes = append(found, f), append(fixes, f.Fix)
			if !equivalent(toleration.First, short, lint.Apply(short, fixes...)) {
				t.Errorf("%v: it is not equivalent after %v", short, fixes)
			}
		}
		// If the same tolerations are dropped, all other checks find the same.
		if len(found) == len(byShort[lint.Shadowed])+len(byShort[lint.Redundant]) {
			want := slices.DeleteFunc(lint.Find(short, lint.Options{}), func(f lint.Finding) bool { return byShort[f.Check] != nil })
			if !slices.Equal(others, want) {
				t.Errorf("%v: %v in the long list, want %v", short, others, want)
			}
		}
		for _, f := range found {
			gone := slices.ContainsFunc(fixes, func(x lint.Fix) bool { return x.Index == f.Other })
			if f.Other < 0 || f.Check == lint.Redundant && gone {
				t.Errorf("%v: %v is about one that is removed", short, f)
			}
		}
	}))
}

// equivalent reports whether each of the lists covers the other.
func equivalent(choice toleration.Choice, a, b toleration.List) bool {
	_, inA := cover.UncoveredTaint(a, b, choice)
	_, inB := cover.UncoveredTaint(b, a, choice)
	return !inA && !inB
}
