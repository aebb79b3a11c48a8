package kubernetes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The listed differences are in two tables, and tests of the same ids prove them. All
// three must have the same ids, the tables in the same order.
func TestListedAreTheSame(t *testing.T) {
	rows := func(name, heading string) (ids []string) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, section, ok := strings.Cut(string(text), "\n## "+heading+"\n")
		if !ok {
			t.Fatalf("%s has no section %q", name, heading)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		for _, m := range regexp.MustCompile(`(?m)^\| ([A-Z]\d+-[a-z-]+) \|`).FindAllStringSubmatch(section, -1) {
			ids = append(ids, m[1])
		}
		return ids
	}
	here := rows("README.md", "Listed differences")
	if there := rows(filepath.Join("..", "..", "SEMANTICS.md"), "Differences from Kubernetes"); !slices.Equal(here, there) {
		t.Errorf("README.md lists %v\nSEMANTICS.md %v", here, there)
	}

	var tests []string
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func TestListed_(\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			tests = append(tests, strings.ReplaceAll(m[1], "_", "-"))
		}
	}
	slices.Sort(here)
	slices.Sort(tests)
	if len(here) == 0 || !slices.Equal(here, tests) {
		t.Errorf("listed are %v\ntests there are of %v", here, tests)
	}
}
