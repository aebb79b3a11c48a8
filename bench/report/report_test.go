package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// needed returns every benchmark that the page names, in the order in which it does.
func needed(t *testing.T) []string {
	t.Helper()
	r := &runs{}
	results(r)
	if _, err := r.nodesChart(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, missing := range r.missing {
		name, _, _ := strings.Cut(strings.ReplaceAll(missing, "/shape=/", "/shape=keys/"), " ")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// printed is what two rounds print, in which each benchmark takes 1,000 ns, and the one by
// hand 900 ns and then 700.
func printed(t *testing.T) string {
	var b strings.Builder
	b.WriteString("commit: abc\ntoolchain: go\nrounds: 2\ncpu: some\n")
	for round := range 2 {
		for _, name := range needed(t) {
			ns := 1000
			if strings.Contains(name, "impl=handwritten") {
				ns = 900 - 200*round
			}
			fmt.Fprintf(&b, "Benchmark%s-2 100 %d ns/op 12.5 ns/node 30.0 heap-B/node 52.5 MiB 2 allocs/op\n", name, ns)
		}
	}
	return b.String()
}

func TestResults(t *testing.T) {
	text := printed(t)
	r, err := read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	page := results(r)
	if r.missing != nil {
		t.Errorf("missing: %v", r.missing)
	}
	for _, want := range []string{
		"| commit | abc |",
		"| check a key of 28 bytes (`IsQualifiedName`) | 1.000µs | 1.000µs | 1.00 | 2 |",
		"two taints, and by which (`GetMatchingTolerations`) | 1.000µs | 800.0ns | 1.000µs | 1.00 | **1.25 times slower** | 2 |",
		"| 85 % without taints | 5 | 12.5 | 12.5 | **0.80** | **0.80** | **0.80** | **0.80** |",
		"| lowest |  |  |  | **0.80** | **0.80** | **0.80** | **0.80** |",
		"| memory for each of 1,000,000 nodes | 30.0 B | 30.0 B |  |  |",
		"the largest heap |  | 52.5 MiB |",
		"| `match.Node.Schedulable` | 0.80 | 0.80 |",
		"| change a node | 1.25 times slower | 1.25 times slower |",
		"| `cover.Merge` | 1.000µs | 1.00 |",
		notes,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}

	r, err = read(strings.NewReader(strings.ReplaceAll(text, "BenchmarkText/", "BenchmarkOther/")))
	if err != nil {
		t.Fatal(err)
	}
	results(r)
	if want := []string{"Text/impl=tolerate sec/op", "Text/impl=kubernetes sec/op"}; !slices.Equal(r.missing, want) {
		t.Errorf("missing: %v, want %v", r.missing, want)
	}
}

// A name that the tables cannot find is an error; the row is not silently omitted.
func TestRead_names(t *testing.T) {
	for _, line := range []string{"BenchmarkKey/bytes=28-2", "BenchmarkKey/impl=plain/bytes=28-2", "BenchmarkKey/28/impl=plain-2"} {
		if r, err := read(strings.NewReader(line + " 1 1 ns/op\n")); err == nil {
			t.Errorf("%s is read: %v", line, r.values)
		}
	}
}

func TestDigits(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		want string
	}{{0, "0.00"}, {0.123456, "0.12"}, {1.5, "1.50"}, {12.34, "12.3"}, {123.4, "123"}, {1234567, "1234567"}} {
		if got := digits(tt.x); got != tt.want {
			t.Errorf("digits(%v) = %q, want %q", tt.x, got, tt.want)
		}
	}
}

// Each label is within its chart, even if another font is a sixth wider.
func TestCharts_clipped(t *testing.T) {
	r, err := read(strings.NewReader(printed(t)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := charts(r, dir); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?s)<text x="([^"]+)" y="[^"]+" transform="scale\(1, -1\)"\s+style="[^"]*font-size:([0-9.]+)px">([^<]+)</text>`)
	for _, file := range []string{"nodes.svg", "ratios.svg"} {
		svg, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		all := text.FindAllStringSubmatch(string(svg), -1)
		if len(all) < 4 {
			t.Errorf("%s has %d labels", file, len(all))
		}
		for _, m := range all {
			x, _ := strconv.ParseFloat(m[1], 64)
			size, _ := strconv.ParseFloat(m[2], 64)
			face := font.DefaultCache.Lookup(plot.DefaultFont, vg.Length(size))
			if left, right := x, x+float64(face.Width(m[3]))*7/6; m[3] != "time for one pod" && (left < 0 || right > wide) {
				t.Errorf("%s: %q is from %.0f to %.0f, of %d", file, m[3], left, right, wide)
			}
		}
	}
}
