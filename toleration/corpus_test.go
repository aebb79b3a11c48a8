package toleration_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/corpus"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// What pods and manifests really hold, and what each must give, told as a user
// is told (V10, K4).
func TestCorpus(t *testing.T) {
	for _, c := range corpus.Read(t, "testdata/tolerations.txt") {
		t.Run(c.Name(), func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				list, err := toleration.DecodeList([]byte(c.Input), toleration.ListOptions{Strict: strict})
				if got := result(t, list, err); !slices.Equal(got, c.Want(strict)) {
					t.Errorf("%s:%d: %s\n%s\nstrict %v, got:\n%s\nwant:\n%s", c.File, c.Line, c.Reason, c.Input, strict,
						strings.Join(got, "\n"), strings.Join(c.Want(strict), "\n"))
				}
			}
		})
	}
}

// result is what a call gave, as the corpus writes it.
func result(t *testing.T, list []toleration.Toleration, err error) []string {
	t.Helper()
	var lines []string
	if err != nil {
		var problems validate.Problems
		if !errors.As(err, &problems) || len(problems) == 0 || list != nil {
			t.Fatalf("%v and the error %#v", list, err)
		}
		for _, p := range problems {
			lines = append(lines, "bad "+p.Error())
		}
		return lines
	}
	for _, v := range list {
		lines = append(lines, "ok "+v.String())
	}
	if lines == nil {
		return []string{"ok"}
	}
	return lines
}
