package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

const growthIntro = `

## How cost grows

Each exported function that takes a list, on lists of 100, 1,000 and 10,000 made to hurt in twelve ways: every key new, many values or
integers of one key, bounds that overlap, nest or reach nothing, tolerations that differ in their seconds alone or have no key, and more
(bench/growth), measured once. The row shows the steepest of these. An exponent of 1 is linear; sorting adds a little, and so do the processor's caches.
Where a row of match says "as many taints", every taint is compared with every toleration, which the documentation states: the exponent is 2.

`

// sizes are those of the lists in ../growth.
var sizes = []float64{100, 1_000, 10_000}

// A growth is how a function's time grows on one shape of input.
type growth struct {
	name, shape string
	seconds     []float64 // at each size
	exponent    float64
}

// growths returns the steepest shape of each function, the steepest function
// first.
func (r *runs) growths() []growth {
	worst := make(map[string]growth)
	for _, name := range r.names {
		rest, ok := strings.CutPrefix(name, "Growth/func=")
		rest, last := strings.CutSuffix(rest, fmt.Sprintf("/n=%.0f/impl=tolerate", sizes[len(sizes)-1]))
		if !ok || !last {
			continue
		}
		fn, shape, _ := strings.Cut(rest, "/shape=")
		g := growth{name: fn, shape: shape}
		for _, n := range sizes {
			s, _ := r.sample(fmt.Sprintf("Growth/func=%s/shape=%s/n=%.0f/impl=tolerate", fn, shape, n), "sec/op")
			g.seconds = append(g.seconds, s.Center)
		}
		g.exponent = exponent(sizes, g.seconds)
		if old, ok := worst[fn]; !ok || g.exponent > old.exponent {
			worst[fn] = g
		}
	}
	var all []growth
	for _, g := range worst {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b growth) int {
		return cmp.Or(cmp.Compare(b.exponent, a.exponent), cmp.Compare(a.name, b.name))
	})
	return all
}

// exponent is the slope of the line through the logarithms, by least squares.
func exponent(x, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i := range x {
		lx, ly := math.Log(x[i]), math.Log(y[i])
		sx, sy, sxx, sxy = sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	n := float64(len(x))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

func (r *runs) growthTable() string {
	var b strings.Builder
	b.WriteString("| function | steepest input | 100 | 1,000 | 10,000 | exponent |\n|---|---|---:|---:|---:|---:|\n")
	for _, g := range r.growths() {
		name, what, _ := strings.Cut(g.name, ",")
		if what != "" {
			what = ", " + strings.ReplaceAll(what, "-", " ")
		}
		fmt.Fprintf(&b, "| `%s`%s | %s |", name, what, g.shape)
		for _, s := range g.seconds {
			fmt.Fprintf(&b, " %s |", duration(s))
		}
		fmt.Fprintf(&b, " %.2f |\n", max(0, g.exponent))
	}
	return b.String()
}
