package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// confidence is the confidence of every interval. With ten measurements, it is the
// interval from the second to the ninth.
const confidence = 0.95

// form is how a benchmark is named.
var form = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*(/[a-z]+=[^/]+)*/impl=[a-z-]+$`)

// A runs is the results of all rounds.
type runs struct {
	config map[string]string
	values map[string]map[string][]float64 // by benchmark and unit, a value each round
	names  []string                        // of the benchmarks, in their order
}

func read(r io.Reader) (*runs, error) {
	all := &runs{config: make(map[string]string), values: make(map[string]map[string][]float64)}
	in := benchfmt.NewReader(r, "benchmarks")
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, rec
		case *benchfmt.Result:
			for _, c := range rec.Config {
				all.config[c.Key] = string(c.Value)
			}
			name := withoutProcs(rec.Name)
			if !form.MatchString(name) {
				return nil, fmt.Errorf("benchmark %s is not named Func/key=value/impl=…", name)
			}
			units := all.values[name]
			if units == nil {
				units = make(map[string][]float64)
				all.values[name] = units
				all.names = append(all.names, name)
			}
			for _, v := range rec.Values {
				units[v.Unit] = append(units[v.Unit], v.Value)
			}
		}
	}
	return all, in.Err()
}

// missing returns the benchmarks that the page names and that were not run.
func (r *runs) missing() (names []string) {
	need := func(name, unit string) {
		if r.values[name][unit] == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, j := range jobs {
		need(j.ours(), "sec/op")
		need(j.of("kubernetes"), "sec/op")
	}
	for _, j := range plainJobs {
		need(j.ours(), "sec/op")
		need(j.plain(), "sec/op")
	}
	for _, x := range figures {
		need(x.bench, cmp.Or(x.unit, "sec/op"))
		if x.than != "" {
			need(x.than, "sec/op")
		}
	}
	for _, impl := range []string{"kubernetes", "handwritten", "tolerate", "tolerate-compiled"} {
		for n := 1; n <= 128; n *= 2 {
			need(fmt.Sprintf("Tolerations/tolerations=%d/impl=%s", n, impl), "sec/op")
		}
	}
	return names
}

// measured reports whether the times of all these benchmarks can be compared.
func (r *runs) measured(names ...string) bool {
	for _, name := range names {
		n := len(r.values[name]["sec/op"])
		if n == 0 || n != len(r.values[names[0]]["sec/op"]) {
			return false
		}
	}
	return true
}

// withoutProcs is the name without the number of processors at its end.
func withoutProcs(n benchfmt.Name) string {
	base, parts := n.Parts()
	name := string(base)
	for _, p := range parts {
		if !strings.HasPrefix(string(p), "-") {
			name += string(p)
		}
	}
	return name
}

// sample summarizes a benchmark's values of one unit. It returns false if there are
// none.
func (r *runs) sample(name, unit string) (benchmath.Summary, bool) {
	values := r.values[name][unit]
	if len(values) == 0 {
		return benchmath.Summary{}, false
	}
	return summary(values), true
}

func summary(values []float64) benchmath.Summary {
	// AssumeNothing is the median and its interval by order; NewSample sorts.
	sample := benchmath.NewSample(append([]float64(nil), values...), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, confidence)
}

// ratio summarizes how many times more time one benchmark takes than the other, round
// by round: a disturbance affects both in the same round.
func (r *runs) ratio(one, other string) (benchmath.Summary, bool) {
	if !r.measured(one, other) {
		return benchmath.Summary{}, false
	}
	a, b := r.values[one]["sec/op"], r.values[other]["sec/op"]
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return summary(ratios), true
}

// duration writes seconds with three digits.
func duration(s float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}} {
		if s >= u.size {
			return digits(s/u.size) + " " + u.name
		}
	}
	return digits(s*1e9) + " ns"
}

// digits writes three significant digits, and at least all digits before the point.
func digits(x float64) string {
	switch {
	case x >= 1000:
		s := fmt.Sprintf("%.0f", x)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		return s
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	case x < 0.01:
		return fmt.Sprintf("%.1g", x)
	}
	return fmt.Sprintf("%.2f", x)
}
