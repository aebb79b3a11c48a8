package taint_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/corpus"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// What nodes, manifests and node-pool APIs really hold, and what each must
// give, told as a user is told (V10, K4).
func TestCorpus(t *testing.T) {
	for _, c := range corpus.Read(t, "testdata/taints.txt") {
		t.Run(c.Name(), func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				list, err := taint.DecodeList([]byte(c.Input), taint.ListOptions{Strict: strict})
				if got := result(t, list, err); !slices.Equal(got, c.Want(strict)) {
					t.Errorf("%s:%d: %s\n%s\nstrict %v, got:\n%s\nwant:\n%s", c.File, c.Line, c.Reason, c.Input, strict,
						strings.Join(got, "\n"), strings.Join(c.Want(strict), "\n"))
				}
			}
		})
	}
}

// result is what a call gave, as the corpus writes it.
func result(t *testing.T, list []taint.Taint, err error) []string {
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
		line := "ok " + v.String()
		if at := v.TimeAdded(); !at.IsZero() {
			line += " added " + at.Format(time.RFC3339)
		}
		lines = append(lines, line)
	}
	if lines == nil {
		return []string{"ok"}
	}
	return lines
}
