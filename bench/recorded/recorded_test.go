package recorded

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each needs all recordings, with as many cases as their headers state.
func TestRead(t *testing.T) {
	const header, other = `{"format":1,"cases":{"k":2}}`, `{"kind":"other","rules":[]}`
	const c = `{"kind":"k","rules":["V1"],"case":{}}`
	for _, tt := range []struct {
		kind string
		want int // -1 for an error
		in   []string
	}{
		{"k", 2, []string{header, c, other, c}},
		{"k", -1, []string{header, c, other}},
		{"k", -1, []string{header, c, c, c}},
		{"other", -1, []string{header, c, other, c}},
		{"k", -1, []string{`{"format":2,"cases":{"k":2}}`, c, c}},
		{"k", -1, nil},
	} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, strings.Join(tt.in, "\n")) // to memory
		z.Close()
		_, lines, err := read(fstest.MapFS{"f": {Data: b.Bytes()}}, "f", tt.kind)
		if (err != nil) != (tt.want < 0) || err == nil && len(lines) != tt.want {
			t.Errorf("%q: %d lines, %v; want %d", tt.in, len(lines), err, tt.want)
		}
	}
	if _, _, err := read(fstest.MapFS{}, "f", "k"); err == nil {
		t.Error("a missing file is read")
	}
}

// The recordings are those of the versions, and a change of them changes Version.
func TestVersion(t *testing.T) {
	want := map[int]string{1: "9e69946d7de4e74225eafacaa7d57d9bb393a40d531e2bcfecd427d64156c3fb"}
	var names []string
	sum := sha256.New()
	for _, minor := range minors {
		names = append(names, Name(minor))
		text, err := fs.ReadFile(files, Name(minor))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(sum, z); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := fs.Glob(files, "*"); err != nil || !slices.Equal(all, names) {
		t.Errorf("the recordings are %v, %v; want %v", all, err, names)
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want[Version] {
		t.Errorf("the SHA-256 of the lines is %s, and of version %d %s: if the recordings have changed, increase Version, record, and add it here", got, Version, want[Version])
	}
}

// The page lists the rules of each kind's cases, and those of SEMANTICS.md have them.
func TestRules_page(t *testing.T) {
	semantics, found := page(t, "../../SEMANTICS.md"), 0
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|.*\\| ([^|]+) \\|$").FindAllStringSubmatch(page(t, "README.md"), -1) {
		var want []string
		for _, m := range regexp.MustCompile(`([A-Z])(\d+)(?:–[A-Z](\d+))?`).FindAllStringSubmatch(row[2], -1) {
			first, _ := strconv.Atoi(m[2])
			last, _ := strconv.Atoi(m[3])
			for i := first; i <= max(first, last); i++ {
				want = append(want, fmt.Sprint(m[1], i))
			}
		}
		seen := ids{}
		for _, minor := range minors {
			_, lines, err := read(files, Name(minor), row[1])
			if err != nil {
				t.Fatal(err)
			}
			found += len(lines)
			for _, text := range lines {
				var l line[json.RawMessage]
				if err := json.Unmarshal(text, &l); err != nil {
					t.Fatal(err)
				}
				s := ids{}
				if s.add(true, l.Rules...); len(s) == 0 || !slices.Equal(s.sorted(), l.Rules) {
					t.Fatalf("the rules are not sorted: %s", text)
				}
				seen.add(true, l.Rules...)
			}
		}
		if got := seen.sorted(); !slices.Equal(got, want) {
			t.Errorf("the rules of %s are %v, and the page lists %v", row[1], got, want)
		}
		for _, id := range want {
			if !strings.Contains(semantics, "\n- **"+id+"** ") {
				t.Errorf("SEMANTICS.md has no rule %s", id)
			}
		}
	}
	all := 0
	for _, minor := range minors {
		h, _, err := read(files, Name(minor), "match")
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range h.Cases {
			all += n
		}
	}
	if found != all {
		t.Errorf("the kinds of the page have %d cases of %d", found, all)
	}
}

func TestRules(t *testing.T) {
	n := int64(5)
	tnt := func(key, value, effect string) Taint { return Taint{Key: key, Value: value, Effect: effect} }
	a := tnt("a", "7", "NoExecute")
	for _, tt := range []struct {
		want string
		c    any
	}{
		{"M1", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Key: "a", Operator: "Exists", Effect: "NoSchedule"}}}},
		{"M2", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Key: "b", Operator: "Exists", Effect: "NoExecute"}}}},
		{"M1 M2 M3 M7", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Operator: "Exists", Effect: "NoExecute", Seconds: &n}}}},
		{"M4", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Key: "a", Value: "8"}}}},
		{"M4 M8", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Value: "8"}}, InvalidTolerations: []int{0}}},
		{"M1 M2 M5 M9", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Key: "a", Operator: "Gt", Value: "-6"}}, On: "1"}},
		{"M6 M9", Match{Taints: []Taint{tnt("a", "07", "NoSchedule")}, Tolerations: []Toleration{{Key: "a", Operator: "Lt", Value: "8"}}, On: "0"}},
		{"F6", Filter{Tolerations: []Toleration{{Operator: "Exists"}}, First: First{-1, -1, -1, -1}}},
		{"M2 F1 F2 F3 F4 F6", Filter{Taints: []Taint{a, tnt("a", "", "NoSchedule")}, Tolerations: []Toleration{{Key: "b"}}}},
		{"M1 M2 M3 F1 F3 F7 E3", Filter{Taints: []Taint{a}, Tolerations: []Toleration{{Operator: "Exists"}}, First: First{-1, -1, -1, -1}, Serving: []int{0}}},
		{"E1", Evict{Taints: []Taint{tnt("a", "", "NoSchedule")}, Tolerations: []Toleration{{Key: "a"}}}},
		{"M2 E1", Evict{Taints: []Taint{a}, Tolerations: []Toleration{{Key: "b"}}}},
		{"M1 M2 M3 M4 M7 E2 E3 E4 E6 E7", Evict{
			Taints:      []Taint{a, tnt("b", "", "NoExecute")},
			Tolerations: []Toleration{{Operator: "Exists", Seconds: &n}, {Key: "a", Value: "7"}}, Differences: []string{"E7-overflow"},
		}},
		{"V10", Validate{}},
		{"V1 V3 V5 V7 V10 V11", Validate{Tolerations: []Toleration{{Key: "a", Operator: "Lt"}}}},
		{"V1 V2 V4 V5 V7 V9 V10", Update{New: []Toleration{{Key: "a", Value: "b", Effect: "x"}}}},
		{"V1 V4 V6 V8 V10", ValidateTaints{Taints: []Taint{tnt("a", "", "x"), tnt("a", "", "x")}}},
		{"V1 V5 V7 V10 K4", Decode[Toleration]{Text: `[{"key":"a","x":1}]`}},
		{"K4", Decode[Taint]{Text: `[]`, Strict: true}},
		{"V1 V4 K1", Parse{Text: "a:x"}},
		{"V1 V2 V4 K2", Edit{Args: []string{"a-", "b=c:d-"}}},
		{"D1 D3 D4 D5 R2", Pod{Resources: []string{"a/b"}, Whitelist: make([]Toleration, 1)}},
		{"D1 D8 R2 R3", Pod{BestEffort: true, Class: make([]Toleration, 1)}},
	} {
		if got := rules(tt.c); strings.Join(got, " ") != tt.want {
			t.Errorf("%+v: %v, want %s", tt.c, got, tt.want)
		}
	}
}

// The matcher in Python, written from SEMANTICS.md alone, is short and agrees with every
// case of its kinds.
func TestPython(t *testing.T) {
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
