package recorded_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/recorded"
)

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// lines returns the lines of all recordings.
func lines(t *testing.T) (all [][]byte) {
	t.Helper()
	names, err := filepath.Glob("*.gz")
	if err != nil || len(names) != 4 {
		t.Fatalf("%v, %v; want four", names, err)
	}
	for _, name := range names {
		z, err := gzip.NewReader(strings.NewReader(page(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		all = slices.AppendSeq(all, bytes.Lines(text))
	}
	return all
}

// A change of the recordings changes their version.
func TestVersion(t *testing.T) {
	want := map[int]string{1: "34572f052c5b39162844959f45b3171b4cca43e06080b5bfee86806282a3786d"}
	if got := fmt.Sprintf("%x", sha256.Sum256(slices.Concat(lines(t)...))); got != want[recorded.Version] {
		t.Errorf("the SHA-256 of the lines is %s, and of version %d %s: if the recordings have changed, increase Version, record, and add it here",
			got, recorded.Version, want[recorded.Version])
	}
}

// The page lists the fields of each kind, as the schema does, and its rules, which
// SEMANTICS.md has, as it has the differences.
func TestPage(t *testing.T) {
	semantics := page(t, "../../SEMANTICS.md")
	type set map[string]bool
	rules, differences := map[string]set{}, set{}
	for _, text := range lines(t) {
		var l struct {
			Kind  string
			Rules []string
		}
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatal(err)
		}
		if l.Kind == "" {
			continue // a header
		}
		if rules[l.Kind] == nil {
			rules[l.Kind] = set{}
		}
		for _, id := range l.Rules {
			rules[l.Kind][id] = true
		}
		for _, m := range regexp.MustCompile(`"([VMFEDRK]\d+-[a-z-]+)"`).FindAllSubmatch(text, -1) {
			differences[string(m[1])] = true
		}
	}
	var schema struct {
		Defs map[string]struct {
			Properties struct {
				Case struct{ Properties map[string]struct{} }
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(page(t, "schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|.*\\| (.*) \\| (.*) \\| ([^|]+) \\|$").FindAllStringSubmatch(page(t, "README.md"), -1) {
		fields := set{}
		for _, m := range regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(row[2]+row[3], -1) {
			fields[m[1]] = true
		}
		of := schema.Defs[row[1]].Properties.Case.Properties
		for _, ours := range []string{"ours", "differences", "seconds"} {
			delete(of, ours)
		}
		if got, want := slices.Sorted(maps.Keys(fields)), slices.Sorted(maps.Keys(of)); !slices.Equal(got, want) {
			t.Errorf("the page lists the fields of %s as %v, and the schema has %v", row[1], got, want)
		}
		listed := set{}
		for _, m := range regexp.MustCompile(`([A-Z])(\d+)(?:–[A-Z](\d+))?`).FindAllStringSubmatch(row[4], -1) {
			first, _ := strconv.Atoi(m[2])
			last, _ := strconv.Atoi(m[3])
			for i := first; i <= max(first, last); i++ {
				listed[fmt.Sprint(m[1], i)] = true
			}
		}
		if !maps.Equal(listed, rules[row[1]]) {
			t.Errorf("the page lists the rules of %s as %v, and its cases have %v", row[1], listed, rules[row[1]])
		}
		delete(rules, row[1])
		for id := range listed {
			if !strings.Contains(semantics, "\n- **"+id+"** ") {
				t.Errorf("SEMANTICS.md has no rule %s", id)
			}
		}
	}
	if len(rules) > 0 {
		t.Errorf("the page does not have the kinds of %v", rules)
	}
	if len(differences) < 10 {
		t.Errorf("only the differences %v are found", differences)
	}
	for id := range differences {
		if !strings.Contains(semantics, id) {
			t.Errorf("SEMANTICS.md does not list the difference %s", id)
		}
	}
}

// The matcher in Python, written from SEMANTICS.md alone, is short and agrees with every
// case of its kinds.
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("44,625 cases in Python take seconds")
	}
	if n := strings.Count(page(t, "tolerate.py"), "\n"); n >= 150 {
		t.Errorf("tolerate.py has %d lines", n)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	out, err := exec.Command(python, "tolerate.py").CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	t.Logf("%s", out)
}
