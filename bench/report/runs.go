package main

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// form is how a benchmark is named, and the number of processors behind it.
var form = regexp.MustCompile(`^([A-Z][A-Za-z0-9]*(?:/[a-z]+=[^/]+)*/impl=[a-z-]*[a-z])(?:-\d+)?$`)

// A runs is the results of all rounds.
type runs struct {
	config          map[string]string
	values          map[series][]float64 // a value each round
	missing         []string             // benchmarks that were needed, and not run
	compared, lost  int                  // comparisons that times wrote
	medians, lowest [4]float64           // of the variants in casesTable
}

type series struct{ bench, unit string }

func read(r io.Reader) (*runs, error) {
	all := &runs{config: make(map[string]string), values: make(map[series][]float64)}
	in := benchfmt.NewReader(r, "benchmarks")
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, rec
		case *benchfmt.Result:
			for _, c := range rec.Config {
				all.config[c.Key] = string(c.Value)
			}
			name := form.FindSubmatch(rec.Name.Full())
			if name == nil {
				return nil, fmt.Errorf("benchmark %s is not named Func/key=value/impl=…", rec.Name)
			}
			for _, v := range rec.Values {
				s := series{string(name[1]), v.Unit}
				all.values[s] = append(all.values[s], v.Value)
			}
		}
	}
	return all, in.Err()
}

// need returns the values of a benchmark, a value each round, and notes when there are
// none.
func (r *runs) need(bench, unit string) []float64 {
	values := r.values[series{bench, unit}]
	if name := bench + " " + unit; values == nil && !slices.Contains(r.missing, name) {
		r.missing = append(r.missing, name)
	}
	return values
}

// summary returns the median, and the interval that holds it in 95 of 100 cases: of ten
// values, from the second to the ninth.
func summary(values []float64) benchmath.Summary {
	if len(values) == 0 { // missing
		return benchmath.Summary{}
	}
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), 0.95)
}

func (r *runs) median(bench, unit string) float64 { return summary(r.need(bench, unit)).Center }

// ratio summarizes how many times more time one benchmark takes than the other, round by
// round: a disturbance affects both in the same round.
func (r *runs) ratio(one, other string) benchmath.Summary {
	a, b := r.need(one, "sec/op"), r.need(other, "sec/op")
	ratios := make([]float64, min(len(a), len(b)))
	for i := range ratios {
		ratios[i] = a[i] / b[i]
	}
	return summary(ratios)
}

// slower reports whether a ratio is a loss, as it is printed.
func slower(ratio float64) bool { return ratio < 0.995 }

// speed writes how many times faster or slower the library is.
func (r *runs) speed(rival, ours string) string {
	if ratio := r.ratio(rival, ours).Center; slower(ratio) {
		return digits(1/ratio) + " times slower"
	} else {
		return digits(ratio) + " times faster"
	}
}

// times writes how many times faster the library is, or in bold how many times slower.
func (r *runs) times(rival, ours string) string {
	s := r.ratio(rival, ours)
	r.compared++
	text, lo, hi := digits(s.Center), s.Lo, s.Hi
	if slower(s.Center) {
		r.lost++
		text, lo, hi = "**"+digits(1/s.Center)+" times slower**", 1/hi, 1/lo
	}
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) { // too few rounds
		return text
	}
	return text + " (" + digits(lo) + " to " + digits(hi) + ")"
}

// measured writes a value of this unit.
func measured(v float64, unit string) string {
	if unit, _, _ = strings.Cut(unit, "/"); unit == "sec" {
		return benchunit.Scale(v, benchunit.Decimal) + "s"
	}
	return digits(v) + " " + strings.TrimPrefix(unit, "heap-")
}

// digits writes three significant digits, and all digits before the point.
func digits(x float64) string {
	precision := 0
	for limit := 100.; x < limit && precision < 2; limit /= 10 {
		precision++
	}
	return fmt.Sprintf("%.*f", precision, x)
}
