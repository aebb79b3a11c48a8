//go:build pages

package repo_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// avoided are phrases that a reader who learned English as a second language has to read
// twice, and what to write instead.
var avoided = map[string]string{
	"put(ting)? up with":    "tolerate",
	"had better|better not": "should, or prefer not",
	"h[au]ngs? on":          "is indexed under, or depends on",
	"for good":              "permanently, or without a time limit",
	"of itself":             "by default, or automatically",
	"but for":               "except",
	"out of account":        "ignored",
	"may not":               "cannot, or must not",
	"keeps? pods away":      "repels pods",
}

// budgets are how many words a page has at most, as strings.Fields counts them. Each has room for some sentences: a page
// that needs more says what is new, and loses something else.
var budgets = map[string]int{
	"README.md":                         1100, // TestReadme_size counts more closely
	"SECURITY.md":                       340,
	"bench/report/notes.md":             640,
	"SEMANTICS.md":                      6800,
	"CONTRIBUTING.md":                   1200,
	"CHANGELOG.md":                      350,
	"bench/RESULTS.md":                  3750, // 42 rows are a fleet and a pod each
	"bench/peers/PEERS.md":              2600,
	"bench/kubernetes/README.md":        1600,
	"bench/kubernetes/SUITES.md":        650,
	"bench/kubernetes/versions/1.38.md": 650,
	"bench/recorded/README.md":          1100,
	"examples/SEEDS.md":                 1700,

	"examples/kubectl-tolerate/README.md":  1000,
	"examples/kubectl-tolerate/enforce.md": 560,
}

const (
	pageBudget = 450   // a page that is not listed
	docBudget  = 18000 // what go doc -all prints of all public packages
)

// texts returns the Go files and the pages of the repository.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "up"):
			return fs.SkipDir
		case d.Type().IsRegular() && (filepath.Ext(name) == ".go" || filepath.Ext(name) == ".md"):
			all[filepath.ToSlash(name)] = read(t, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWords_avoided(t *testing.T) {
	all := texts(t)
	delete(all, "internal/tests/repo/words_test.go")
	for phrase, instead := range avoided {
		// A phrase may be broken into two lines of a comment.
		form := regexp.MustCompile(`(?i)\b(` + strings.ReplaceAll(phrase, " ", `[\s/#]+`) + `)\b`)
		for name, text := range all {
			for _, at := range form.FindAllStringIndex(text, -1) {
				t.Errorf("%s:%d: %q: write %s", name, 1+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]], instead)
			}
		}
	}
}

func TestWords_pages(t *testing.T) {
	all := texts(t)
	for name, text := range all {
		if filepath.Ext(name) != ".md" {
			continue
		}
		budget, listed := budgets[name]
		if !listed {
			budget = pageBudget
		}
		if words := len(strings.Fields(text)); words > budget {
			t.Errorf("%s has %d words, the budget is %d", name, words, budget)
		}
	}
}

func TestWords_doc(t *testing.T) {
	words, sum := map[string]int{}, 0
	for name := range texts(t) {
		dir := filepath.Dir(name)
		if top, _, _ := strings.Cut(name, "/"); floors[top] <= floors["internal"] || inInternal(dir) || words[dir] > 0 {
			continue
		}
		cmd := exec.Command("go", "doc", "-all")
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(dir, err)
		}
		words[dir] = len(strings.Fields(string(out)))
		sum += words[dir]
		t.Logf("%s has %d words", dir, words[dir])
	}
	if sum > docBudget {
		t.Errorf("the documentation of all public packages has %d words, the budget is %d", sum, docBudget)
	}
}
