//go:build pages

package repo_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// The README's numbers about agreement with Kubernetes are those of the pages and
// files that it links to.
func TestReadme_numbers(t *testing.T) {
	suites := numbers(t, "bench/kubernetes/SUITES.md", "(?m)^\\| `k8s.io/.*? \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|")
	peers := numbers(t, "bench/peers/PEERS.md", `(?m)^\| [^|\x60]*\| (\d+) of \d+ \| (\d+) of \d+ \| \d+ \|`)
	if peers[0] != peers[1] {
		t.Errorf("the projects passed %d tests before and %d after", peers[0], peers[1])
	}
	page, cases := read(t, "README.md"), thousands(recordedCases(t))
	if !strings.Contains(read(t, "bench/recorded/README.md"), "\n"+cases+" cases ") {
		t.Errorf("bench/recorded/README.md does not begin with %s cases", cases)
	}
	for _, want := range []string{
		"[" + thousands(suites[3]) + " packages of Kubernetes' own tests]",
		thousands(suites[1]) + " of " + thousands(suites[0]) + " tests pass; each of the other " + thousands(suites[2]) + " is",
		cases + " [recorded answers]",
		thousands(peers[0]) + " tests pass before and after",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("README.md does not contain %q", want)
		}
	}
}

// The README's numbers about speed are numbers of bench/RESULTS.md.
func TestReadme_speed(t *testing.T) {
	_, part, _ := strings.Cut(read(t, "README.md"), "## When your own loop is enough")
	part, _, _ = strings.Cut(part, "bench/RESULTS.md")
	results := read(t, "bench/RESULTS.md")
	found := regexp.MustCompile(`[0-9]+\.[0-9]+`).FindAllString(part, -1)
	if len(found) < 4 {
		t.Errorf("the README has the numbers %q about speed, want at least 4", found)
	}
	for _, number := range found {
		if !strings.Contains(results, "| "+number+" ") && !strings.Contains(results, "**"+number) {
			t.Errorf("bench/RESULTS.md does not have the README's %s", number)
		}
	}
}

// numbers returns the sum of each number in the lines of the page that match, and
// then how many lines these are.
func numbers(t *testing.T, name, line string) []int {
	t.Helper()
	rows := regexp.MustCompile(line).FindAllStringSubmatch(read(t, name), -1)
	if len(rows) == 0 {
		t.Fatalf("%s has no line of the form %s", name, line)
	}
	sums := make([]int, len(rows[0])-1, len(rows[0]))
	for _, row := range rows {
		for i, text := range row[1:] {
			n, _ := strconv.Atoi(text)
			sums[i] += n
		}
	}
	return append(sums, len(rows))
}

// recordedCases returns how many cases all recordings have.
func recordedCases(t *testing.T) (n int) {
	t.Helper()
	names, err := filepath.Glob("bench/recorded/kubernetes-*.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		lines, err := recorded.Lines(name)
		if err != nil {
			t.Fatal(err)
		}
		n += len(lines) - 1 // without the header
	}
	return n
}

// thousands is a number with commas, below a million.
func thousands(n int) string {
	s := strconv.Itoa(n)
	if len(s) > 3 {
		s = s[:len(s)-3] + "," + s[len(s)-3:]
	}
	return s
}
