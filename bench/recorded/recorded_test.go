package recorded_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/recorded"
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
	if err != nil || len(names) != 6 {
		t.Fatalf("%v, %v; want six", names, err)
	}
	for _, name := range names {
		of, err := recorded.Lines(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, of...)
	}
	return all
}

// A change of the recordings changes their version.
func TestVersion(t *testing.T) {
	want := map[int]string{
		1: "ab4cb0dbad966d8950f68911552418ca1cbda702fc262b937e52e09d267cb0af",
		2: "1f094ed53ff7bdbe3c06530b13cedb28804b8fe21d7b35e574d38454879449ea",
		3: "793119c23edd31107835977cc1d88ea2ec9a23c1fbe0fa8eab13fe4a442db253",
	}
	text := append(bytes.Join(lines(t), []byte("\n")), '\n')
	if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != want[recorded.Version] {
		t.Errorf("the SHA-256 of the lines is %s, and of version %d %s: if the recordings have changed, increase Version, record, and add it here",
			got, recorded.Version, want[recorded.Version])
	}
}

// An id is unique in a file, and has one input in all files, except gate. The page lists
// the fields of each kind, as the schema does, and its rules, which SEMANTICS.md has, as
// it has the differences.
func TestPage(t *testing.T) {
	semantics := page(t, "../../SEMANTICS.md")
	type set map[string]bool
	rules, differences, ids, policies, inputs := map[string]set{}, set{}, set{}, 0, map[string]string{}
	quoted := regexp.MustCompile("`([A-Za-z]+)`")
	rows, fieldsOf := map[string][]string{}, map[string][][]string{} // the row of a kind, with its cells, and the fields of its input
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|.*\\| (.*) \\| (.*) \\| ([^|]+) \\|$").FindAllStringSubmatch(page(t, "README.md"), -1) {
		rows[row[1]], fieldsOf[row[1]] = row, quoted.FindAllStringSubmatch(row[2], -1)
	}
	shown := regexp.MustCompile(`(?m)^\{"kind".*`).FindString(page(t, "README.md"))
	if !slices.ContainsFunc(lines(t), func(text []byte) bool { return string(text) == shown }) {
		t.Errorf("no file has the case that the page shows: %s", shown)
	}
	for _, text := range lines(t) {
		var l recorded.Line[map[string]json.RawMessage]
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatal(err)
		}
		if l.Kind == "" {
			clear(ids) // a header
			continue
		}
		if ids[l.ID] || !strings.HasPrefix(l.ID, l.Kind+"-") {
			t.Errorf("the id %s of %s is not unique in its file", l.ID, l.Kind)
		}
		ids[l.ID] = true
		if l.Kind == "policy" {
			policies++
		}
		var input string
		for _, m := range fieldsOf[l.Kind] {
			if m[1] != "gate" {
				input += string(l.Case[m[1]])
			}
		}
		if was, ok := inputs[l.ID]; ok && was != input {
			t.Errorf("%s has the input %s and %s", l.ID, was, input)
		}
		inputs[l.ID] = input
		if rules[l.Kind] == nil {
			rules[l.Kind] = set{}
		}
		for _, id := range l.Rules {
			rules[l.Kind][id] = true
		}
		for _, m := range regexp.MustCompile(`"([VMFEDRGK]\d+-[a-z-]+)"`).FindAllSubmatch(text, -1) {
			differences[string(m[1])] = true
		}
	}
	if want := fmt.Sprintf("| %d more: policies", policies); !strings.Contains(page(t, "README.md"), want) {
		t.Errorf("the page does not contain %q", want)
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
	for _, row := range rows {
		fields := set{}
		for _, m := range quoted.FindAllStringSubmatch(row[2]+row[3], -1) {
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

// The cases find the mistakes that mistakes.py makes.
func TestMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("evaluates many cases with each mistake")
	}
	python(t, "mistakes.py")
}

// The matcher in Python, written from SEMANTICS.md alone, is short and agrees with every
// case of its kinds.
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("61,200 cases in Python take seconds")
	}
	if n := strings.Count(page(t, "tolerate.py"), "\n"); n >= 150 {
		t.Errorf("tolerate.py has %d lines", n)
	}
	python(t, "tolerate.py")
}

func python(t *testing.T, name string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	out, err := exec.Command(python, "-B", name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	t.Logf("%s", out)
}
