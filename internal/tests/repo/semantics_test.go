package repo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

var now = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// answers returns the answers to one row of the examples in SEMANTICS.md, by their
// header. It panics if the row cannot be read.
var answers = map[string]func(in []string) []string{
	"rule | taint | toleration | matches": func(in []string) []string {
		return []string{yes(toleration.MustParse(in[1]).Tolerates(taint.MustParse(in[0])))}
	},
	"rule | node's taints | pod's tolerations | schedulable | preferred | evicted": func(in []string) []string {
		r := match.Node{Taints: taint.MustParseList(in[0])}.Filter(toleration.MustParseList(in[1]))
		return []string{yes(r.Schedulable()), yes(r.Preferred()), yes(r.Evicted())}
	},
	"rule | node's taints | pod's tolerations | choice | evicted": func(in []string) []string {
		choice := problem.Must(unmarshal((*toleration.Choice).UnmarshalText, in[2]))
		observed := eviction.Observe(nil, taint.MustParseList(in[0]), now)
		d := eviction.Decide(observed, now, eviction.Options{Choice: choice}, toleration.MustParseList(in[1]))
		at, _ := d.Deadline()
		return []string{when(d.Kind(), at)}
	},
	"rule | toleration | other toleration | covers": func(in []string) []string {
		return []string{yes(cover.Covers(toleration.MustParse(in[0]), toleration.MustParse(in[1])))}
	},
	"rule | device's taints | request's tolerations | allocatable | evicted": nil, // TestExamples of match/kube/dra
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func when(kind eviction.DecisionKind, at time.Time) string {
	switch kind {
	case eviction.At:
		return fmt.Sprintf("after %.0f s", at.Sub(now).Seconds())
	case eviction.Due:
		return "now"
	}
	return "never"
}

// The examples of SEMANTICS.md are right.
func TestExamples(t *testing.T) {
	rules := read(t, "SEMANTICS.md")
	columns := regexp.MustCompile(` {2,}`)
	rows := map[string]int{}
	for i, block := range strings.Split(rules, "\n```\n") {
		if i%2 == 0 { // text between the examples
			continue
		}
		lines := strings.Split(block, "\n")
		header := strings.Join(columns.Split(lines[0], -1), " | ")
		answer, ok := answers[header]
		if !ok {
			t.Errorf("no test evaluates the examples under %s", header)
		}
		if answer == nil {
			continue
		}
		for _, line := range lines[1:] {
			cells := columns.Split(line, -1)
			id, in := cells[0], cells[1:]
			for i := range in {
				if in[i] == "none" {
					in[i] = ""
				}
			}
			rows[header]++
			t.Run(fmt.Sprintf("%s_%d", id, rows[header]), func(t *testing.T) {
				if !strings.Contains(rules, "\n- **"+id+"** ") {
					t.Errorf("there is no rule %s", id)
				}
				if len(in) != strings.Count(header, " | ") {
					t.Fatalf("%s\nhas not the columns of\n%s", line, header)
				}
				var got []string
				if err := contract.Panic(func() { got = answer(in) }); err != nil {
					t.Fatal(err)
				}
				if want := in[len(in)-len(got):]; !slices.Equal(got, want) {
					t.Errorf("%s\ngot %s", line, strings.Join(got, " | "))
				}
			})
		}
	}
	for header, answer := range answers {
		if answer != nil && rows[header] == 0 {
			t.Errorf("SEMANTICS.md has no example under %s", header)
		}
	}
}

// Each listed difference belongs to a rule, has all columns, and is proved by a test of
// bench/kubernetes, whose comment describes its extent.
func TestDifferences(t *testing.T) {
	id := regexp.MustCompile(`\b([A-Z]\d+)-[a-z-]+`)
	_, section, _ := strings.Cut(read(t, "SEMANTICS.md"), "\n## Differences from Kubernetes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 2 || !id.MatchString(cells[1]) {
			continue
		}
		if len(cells) != 5 || slices.ContainsFunc(cells[1:4], func(cell string) bool { return strings.TrimSpace(cell) == "" }) {
			t.Errorf("not 3 columns: %s", line)
		}
		listed = append(listed, id.FindAllString(cells[1], -1)...)
	}
	if len(listed) == 0 {
		t.Error("SEMANTICS.md lists no differences")
	}
	for _, name := range listed {
		if rule := id.FindStringSubmatch(name)[1]; !strings.Contains(read(t, "SEMANTICS.md"), "\n- **"+rule+"** ") {
			t.Errorf("%s: there is no rule %s", name, rule)
		}
	}
	var tests []string
	files, err := filepath.Glob("bench/kubernetes/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		for _, m := range regexp.MustCompile(`(?m)^// .*\nfunc TestListed_(\w+)\(`).FindAllStringSubmatch(read(t, name), -1) {
			tests = append(tests, strings.ReplaceAll(m[1], "_", "-"))
		}
	}
	slices.Sort(tests)
	if slices.Sort(listed); !slices.Equal(listed, tests) {
		t.Errorf("SEMANTICS.md lists %v\ntests are of %v", listed, tests)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
