// Package golden compares the output of a test with a file. If the test runs with
// -update, it writes the file instead.
package golden

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Check fails the test unless the file has the content got. With -update it
// writes the file.
func Check(tb testing.TB, file, got string) {
	tb.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := diff(string(want), got); diff != "" {
		tb.Errorf("%s mismatch (-want +got):\n%sIf the change is intended: go test -run '^%s$' -update", file, diff, tb.Name())
	}
}

// diff returns the lines that only one of the texts contains.
func diff(want, got string) string {
	if want == got {
		return ""
	}
	wants, gots := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	var b strings.Builder
	for _, line := range wants {
		if !slices.Contains(gots, line) {
			fmt.Fprintf(&b, "-%s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	for _, line := range gots {
		if !slices.Contains(wants, line) {
			fmt.Fprintf(&b, "+%s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	if b.Len() == 0 {
		return "the lines are the same, but not their order or number\n"
	}
	return b.String()
}
