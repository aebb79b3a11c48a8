//go:build pages

package repo_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

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
		"[" + thousands(suites[3]) + " packages of Kubernetes 1.37's own tests]",
		thousands(suites[1]) + " of " + thousands(suites[0]) + " tests pass, and the other " + thousands(suites[2]) + " are explained",
		cases + " [recorded answers]",
		"all " + thousands(peers[0]) + " tests ",
	} {
		if !strings.Contains(strings.Join(strings.Fields(page), " "), want) {
			t.Errorf("README.md does not contain %q", want)
		}
	}
}

// When code by hand is enough follows from the tables below it: medians and lowest of the first, and six rows of others.
func TestReadme_speed(t *testing.T) {
	_, page, _ := strings.Cut(read(t, "bench/RESULTS.md"), "## When your own loop is enough")
	part, tables, _ := strings.Cut(page, "\n## ")
	number := regexp.MustCompile(`[0-9]+\.[0-9]+`)
	row := func(begin string) []string {
		_, rows, _ := strings.Cut(tables, "\n| "+begin)
		rows, _, _ = strings.Cut(rows, "\n")
		return number.FindAllString(rows, -1)
	}
	medians, lowest := row("median"), row("lowest")
	if len(medians) != 4 || len(lowest) != 4 {
		t.Fatalf("the medians are %q, the lowest %q", medians, lowest)
	}
	var want []string
	for i := range medians {
		want = append(want, medians[i], lowest[i])
	}
	// The ratio is before its interval.
	ratio := regexp.MustCompile(`([0-9]+\.[0-9]+)( times slower\*\*)? \(`)
	for _, begin := range []string{"list the nodes that the pod can use, in slices", "one by one", "a node's taints change in the index"} {
		_, rows, _ := strings.Cut(tables, "\n| "+begin)
		for _, m := range ratio.FindAllStringSubmatch(rows, 2) {
			want = append(want, m[1])
		}
	}
	if got := number.FindAllString(part, -1); !slices.Equal(got, want) {
		t.Errorf("bench/RESULTS.md says %q, its tables %q", got, want)
	}
}

// The README is short: who reads it has a minute.
func TestReadme_size(t *testing.T) {
	words, code, fenced := 0, 0, false
	for line := range strings.Lines(read(t, "README.md")) {
		fence := strings.HasPrefix(line, "```")
		switch fenced = fenced != fence; {
		case fence:
		case fenced, strings.HasPrefix(line, "    "):
			code++
			if n := utf8.RuneCountInString(line); n > 110 {
				t.Errorf("README.md has a line of code of %d characters: %s", n, line)
			}
		default:
			words += len(regexp.MustCompile(`\S*\w\S*`).FindAllString(line, -1)) // not the bars of tables
			if n := utf8.RuneCountInString(line); n > 130 {
				t.Errorf("README.md has a line of %d characters: %s", n, line)
			}
		}
	}
	if words > 600 || code > 60 {
		t.Errorf("README.md has %d words of prose and %d lines of code, want at most 600 and 60", words, code)
	}
	t.Logf("%d words of prose, %d lines of code", words, code)
}

// What a page links to exists: the file, and the heading.
func TestReadme_links(t *testing.T) {
	links := 0
	for name, text := range texts(t) {
		if filepath.Ext(name) != ".md" {
			continue
		}
		for _, m := range regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]*)?\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			to := name
			if m[1] != "" {
				to = path.Join(path.Dir(name), m[1])
			}
			info, err := os.Stat(to)
			if err != nil {
				t.Errorf("%s links to %s: %v", name, m[0], err)
				continue
			}
			if info.IsDir() && m[2] != "" {
				to = path.Join(to, "README.md")
			}
			if m[2] != "" && !slices.Contains(anchors(read(t, to)), m[2][1:]) {
				t.Errorf("%s links to %s, but %s has no such heading", name, m[0], to)
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links found", links)
	}
}

// anchors returns the names that GitHub gives the headings of a page.
func anchors(page string) (all []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
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
