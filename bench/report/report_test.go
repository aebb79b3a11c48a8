package main

import (
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

const peersRow = "| Other v1 | 1 of 1 | `f`, 2 taints: 20 ns | 8 ns | 2.5 |\n"

const printed = `commit: abc
toolchain: go
rounds: 2
benchtime: 1ms
goos: linux
cpu: some
BenchmarkKey/bytes=28/impl=kubernetes-2 1000 1000 ns/op 32 B/op 1 allocs/op
BenchmarkKey/bytes=28/impl=tolerate-2 100000 20 ns/op 0 B/op 0 allocs/op
BenchmarkFilter/nodes=10/impl=tolerate-2 100000 100 ns/op 10.0 ns/node 0 B/op 0 allocs/op
BenchmarkKey/bytes=28/impl=kubernetes-2 1000 3000 ns/op 32 B/op 1 allocs/op
BenchmarkKey/bytes=28/impl=tolerate-2 100000 30 ns/op 0 B/op 0 allocs/op
BenchmarkFilter/nodes=10/impl=tolerate-2 100000 300 ns/op 30.0 ns/node 0 B/op 0 allocs/op
BenchmarkEvict/taints=2/impl=kubernetes-2 100000 400 ns/op 96 B/op 2 allocs/op
BenchmarkEvict/taints=2/impl=handwritten-2 100000 200 ns/op 0 B/op 0 allocs/op
BenchmarkEvict/taints=2/impl=tolerate-2 100000 100 ns/op 0 B/op 0 allocs/op
BenchmarkReconcile/nodes=100000/changed=none/foreign=0/impl=plain-2 100 600 ns/op 0 B/op 4 allocs/op
BenchmarkReconcile/nodes=100000/changed=none/foreign=0/impl=tolerate-2 100 200 ns/op 0 B/op 0 allocs/op
BenchmarkFilter/nodes=100/impl=tolerate-2 100000 900 ns/op 9.0 ns/node 0 B/op 0 allocs/op
BenchmarkFilter/nodes=5000/tolerations=4/cordoned=0%/impl=plain-2 100 600 ns/op
BenchmarkFilter/nodes=5000/tolerations=3/cordoned=0%/impl=floor-2 100 100 ns/op
BenchmarkFilter/nodes=5000/tolerations=3/cordoned=0%/impl=tolerate-compiled-2 100 150 ns/op
BenchmarkFilter/nodes=5000/tolerations=4/cordoned=0%/impl=tolerate-compiled-2 100 150 ns/op
BenchmarkFleetGrowth/op=put/nodes=100000/impl=tolerate-index-2 100 200 ns/op 20 bytes/node
BenchmarkFleetGrowth/op=put/nodes=1000000/impl=tolerate-index-2 100 200 ns/op 20 bytes/node
BenchmarkFleetGrowth/op=put/nodes=10000000/impl=tolerate-index-2 100 200 ns/op 20 bytes/node
BenchmarkWhy/pods=50000/impl=tolerate 1 3000000000 ns/op 52.5 MiB
BenchmarkTolerations/tolerations=1/impl=kubernetes-2 100 900000 ns/op
BenchmarkTolerations/tolerations=128/impl=kubernetes-2 100 9000000 ns/op
BenchmarkTolerations/tolerations=1/impl=tolerate-compiled-2 100 40000 ns/op
BenchmarkTolerations/tolerations=128/impl=tolerate-compiled-2 100 50000 ns/op
`

func TestResults(t *testing.T) {
	r, err := read(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	page := results(r, "A note.")
	for _, want := range []string{
		"| commit | abc |",
		"| check a key of 28 bytes (`IsQualifiedName`) | 2.00 us |  | 25.0 ns | **75.0** |  | 1, 0 |",
		"then the shorter of the times of both) | 400 ns | 200 ns | 100 ns | **4.00** | **2.00** | 2, 0 |",
		"| reconcile 100,000 nodes, nothing to do (maps) | 600 ns | 200 ns | **3.00** | 4, 0 |",
		"on one core | 3.00 s |",
		"| 52.5 MiB |",
		"A note.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if err := charts(r, peersRow, t.TempDir()); err != nil {
		t.Error(err)
	}
}

// A name that the tables cannot find is an error; the row is not silently omitted.
func TestRead_names(t *testing.T) {
	for _, line := range []string{"BenchmarkKey/bytes=28-2", "BenchmarkKey/impl=plain/bytes=28-2", "BenchmarkKey/28/impl=plain-2"} {
		if r, err := read(strings.NewReader(line + " 1 1 ns/op\n")); err == nil {
			t.Errorf("%s is read: %v", line, r.names)
		}
	}
	r, err := read(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	missing := r.missing()
	if slices.Contains(missing, "Key/bytes=28/impl=tolerate") {
		t.Errorf("missing: %v", missing)
	}
	for _, want := range []string{"Text/impl=kubernetes", "Tolerations/tolerations=2/impl=tolerate"} {
		if !slices.Contains(missing, want) {
			t.Errorf("%s is not missing: %v", want, missing)
		}
	}
}

func TestIntoReadme(t *testing.T) {
	name := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(name, []byte("a\n"+beginMark+"\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := intoReadme(name, "new"); err == nil {
		t.Error("a README without the end of the part is written")
	}
	if err := os.WriteFile(name, []byte("a\n"+beginMark+"old"+endMark+"\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := intoReadme(name, "new"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if want := "a\n" + beginMark + "new" + endMark + "\nb\n"; err != nil || string(got) != want {
		t.Errorf("README is %q, %v, want %q", got, err, want)
	}
}

func TestDigits(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		want string
	}{{0, "0"}, {0.000123, "0.0001"}, {0.123456, "0.12"}, {1.5, "1.50"}, {12.34, "12.3"}, {123.4, "123"}, {1234, "1,234"}, {1234567, "1,234,567"}} {
		if got := digits(tt.x); got != tt.want {
			t.Errorf("digits(%v) = %q, want %q", tt.x, got, tt.want)
		}
	}
	if got := duration(0.0000012345); got != "1.23 us" {
		t.Errorf("duration = %q", got)
	}
}

// Each label is within its chart, even if another font is a sixth wider.
func TestCharts_clipped(t *testing.T) {
	r, err := read(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := charts(r, peersRow, dir); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?s)<text x="([^"]+)" y="[^"]+" transform="scale\(1, -1\)"\s+style="[^"]*font-size:([0-9.]+)px">([^<]+)</text>`)
	for _, file := range []string{"nodes.svg", "tolerations.svg", "ratios.svg", "peers.svg"} {
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
