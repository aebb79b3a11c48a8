package main

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const growthIntro = `## How cost grows

Each exported function that takes a list, on lists of 100, 1,000 and 10,000 made to hurt in twelve ways: every key new, many values or
integers of one key, bounds that overlap, nest or reach nothing, tolerations that differ in their seconds alone or have no key, and more
(bench/growth), measured once. The row shows the steepest of these. The rows of the index are by nodes: 100,000, 1,000,000 and 10,000,000.
An exponent of 1 is linear, one of 0 constant; sorting adds a little, and so do the processor's caches.
Where a row of match says "as many taints", every taint is compared with every toleration, which the documentation states: the exponent is 2.`

// A growth is how the cost of a function grows with its input.
type growth struct {
	name, shape string
	sizes, cost []float64
	write       func(cost float64) string
}

// exponent returns the slope of the line through the logarithms, by least squares.
func (g growth) exponent() float64 {
	var sx, sy, sxx, sxy float64
	for i := range g.sizes {
		lx, ly := math.Log(g.sizes[i]), math.Log(g.cost[i])
		sx, sy, sxx, sxy = sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	n := float64(len(g.sizes))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

var growthName = regexp.MustCompile(`^(Growth/func=(.*)/shape=(.*)/n|FleetGrowth/op=(.*)/nodes)=([0-9]+)/impl=`)

// growths returns the shape with the greatest exponent for each function, by name.
func (r *runs) growths() (worst []growth) {
	var all []growth
	for _, name := range r.names {
		m := growthName.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		fn, shape := m[2], m[3]
		if m[4] != "" {
			fn, shape = "fleet.Index,"+m[4], "nodes"
		}
		n, _ := strconv.ParseFloat(m[5], 64)
		add := func(fn string, cost float64, write func(float64) string) {
			i := slices.IndexFunc(all, func(g growth) bool { return g.name == fn && g.shape == shape })
			if i < 0 {
				i, all = len(all), append(all, growth{name: fn, shape: shape, write: write})
			}
			all[i].sizes, all[i].cost = append(all[i].sizes, n), append(all[i].cost, cost)
		}
		if s, ok := r.sample(name, "sec/op"); ok {
			add(fn, s.Center, duration)
		}
		if s, ok := r.sample(name, "bytes/node"); ok {
			add("fleet.Index,memory", s.Center*n, func(x float64) string { return digits(x/1e6) + " MB" })
		}
	}
	slices.SortStableFunc(all, func(a, b growth) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(b.exponent(), a.exponent()))
	})
	return slices.CompactFunc(all, func(a, b growth) bool { return a.name == b.name })
}

func (r *runs) growthTable() string {
	b := tableOf("function", "steepest input", "small", "10 times", "100 times", "exponent")
	var steep []string
	for _, g := range r.growths() {
		name, what, _ := strings.Cut(g.name, ",")
		if what != "" {
			what = ", " + strings.ReplaceAll(what, "-", " ")
		}
		cells := []string{"`" + name + "`" + what, g.shape}
		for _, c := range g.cost {
			cells = append(cells, g.write(c))
		}
		addRow(b, append(cells, fmt.Sprintf("%.2f", max(0, g.exponent())))...)
		if g.exponent() > 1.5 {
			steep = append(steep, cells[0])
		}
	}
	fmt.Fprintf(b, "\nExponents above 1.5: %s.\n", cmp.Or(strings.Join(steep, "; "), "none"))
	return b.String()
}
