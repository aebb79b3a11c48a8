package lint_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/corpus"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
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
		if r == lint.TooLong {
			continue
		}
		file := filepath.Join("testdata", r.String()+".txt")
		files = slices.DeleteFunc(files, func(name string) bool { return name == file })
		t.Run("R5_"+strings.ReplaceAll(r.String(), "-", "_"), func(t *testing.T) {
			found, clean := 0, 0
			var opts lint.Options
			if r != lint.SecondsLoop { // of most lists with seconds
				opts.Skip = []lint.Check{lint.SecondsLoop}
			}
			for _, c := range corpus.Read(t, file) {
				l := list(strings.Split(c.Input, ", ")...)
				var got []string
				for _, f := range lint.Find(l, opts) {
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

// More than 128 tolerations are not compared with one another. All other checks
// are complete.
func TestFind_too_long(t *testing.T) {
	filler := slices.Repeat(list("filler=v"), 127) // the first one is needed
	for _, tt := range []struct {
		name          string
		own, defaults toleration.List
		want          []string
	}{
		{"R5_128", slices.Concat(filler[:126], list("k op=Exists", "k=v")), nil, []string{"127 redundant info by 126; remove 127, equivalent"}},
		{"R5_129", slices.Concat(list("gpu"), filler, list("gpu op=Exists")), nil, []string{"0 equal-empty-value warning", "128 too-long info"}},
		{"R5_values", slices.Concat(list("gpu", "tier", "tier=gold"), filler), nil,
			[]string{"0 equal-empty-value warning; replace 0 by gpu op=Exists", "128 too-long info"}},
		{"R5_129_with_defaults", list("k op=Exists", "k=v"), filler, []string{"128 too-long info"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range lint.Find(tt.own, lint.Options{Defaults: tt.defaults}) {
				if f.Toleration != filler[0] || f.Check == lint.TooLong {
					got = append(got, line(f))
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}
