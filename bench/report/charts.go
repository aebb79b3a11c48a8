package main

import (
	"cmp"
	"errors"
	"image/color"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// charts draws nodes.svg and ratios.svg into the directory.
func charts(r *runs, dir string) error {
	nodes, err := nodesChart(r)
	if err != nil {
		return err
	}
	if err := nodes.Save(8*vg.Inch, 5*vg.Inch, filepath.Join(dir, "nodes.svg")); err != nil {
		return err
	}
	ratios, err := ratiosChart(r)
	if err != nil {
		return err
	}
	return ratios.Save(8*vg.Inch, 4*vg.Inch, filepath.Join(dir, "ratios.svg"))
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.BackgroundColor = color.White
	p.Title.Padding = vg.Points(8)
	return p
}

// nodesChart is the time for one pod against the number of nodes.
func nodesChart(r *runs) (*plot.Plot, error) {
	p := newPlot("How many of the nodes may a pod of 4 tolerations use?")
	p.X.Label.Text, p.Y.Label.Text = "nodes", "time for one pod"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = decades(digits)
	p.Y.Tick.Marker = decades(duration)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.Padding = vg.Points(8), vg.Points(2)
	p.Add(plotter.NewGrid())
	for i, im := range impls {
		points := r.byNodes(im.impl)
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = plotutil.Color(i), vg.Points(1.5)
		dots.Color, dots.Shape = plotutil.Color(i), draw.CircleGlyph{}
		p.Add(line, dots)
		p.Legend.Add(im.name, line, dots)
	}
	p.X.Max *= 1.5 // room for the last label
	if p.Y.Min > p.Y.Max {
		return nil, errors.New("no filter was measured")
	}
	return p, nil
}

// byNodes are the medians of BenchmarkFilter, by the number of nodes.
func (r *runs) byNodes(impl string) (points plotter.XYs) {
	for _, name := range r.names {
		rest, ok := strings.CutPrefix(name, "Filter/nodes=")
		nodes, what, _ := strings.Cut(rest, "/impl=")
		if !ok || what != impl {
			continue
		}
		n, err := strconv.Atoi(nodes)
		s, measured := r.sample(name, "sec/op")
		if err == nil && measured {
			points = append(points, plotter.XY{X: float64(n), Y: s.Center})
		}
	}
	slices.SortFunc(points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	return points
}

var decimals = strings.NewReplacer(".00", "", ".0", "")

// decades marks the powers of ten, each with its name.
type decades func(float64) string

func (name decades) Ticks(low, high float64) (ticks []plot.Tick) {
	for x := 1e-10; x <= high*1.001; x *= 10 {
		if x >= low*0.999 {
			ticks = append(ticks, plot.Tick{Value: x, Label: decimals.Replace(name(x * (1 + 1e-9)))})
		}
	}
	return ticks
}

// ratiosChart is how many times faster each job is for which that was asked, and
// what was asked.
func ratiosChart(r *runs) (*plot.Plot, error) {
	p := newPlot("How many times faster than Kubernetes' own code")
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = decades(digits)
	p.X.Min = 1
	p.Y.Padding = vg.Points(16) // the labels are wider in other fonts
	p.Legend.Top = true
	var got, asked plotter.XYs
	var names []string
	for _, j := range slices.Backward(jobs) {
		ratio, ok := r.ratio(j.theirs(), j.ours())
		if !ok || j.target == 0 {
			continue
		}
		y := float64(len(names))
		names = append(names, j.short)
		got = append(got, plotter.XY{X: ratio.Center, Y: y})
		asked = append(asked, plotter.XY{X: j.target, Y: y})
		bar, err := plotter.NewLine(plotter.XYs{{X: 1, Y: y}, {X: max(ratio.Center, 1.001), Y: y}})
		if err != nil {
			return nil, err
		}
		bar.Color, bar.Width = plotutil.Color(0), vg.Points(8)
		p.Add(bar)
	}
	if len(names) == 0 {
		return nil, errors.New("no job was measured")
	}
	reached, err := plotter.NewScatter(got)
	if err != nil {
		return nil, err
	}
	reached.Color, reached.Shape = plotutil.Color(0), draw.BoxGlyph{}
	target, err := plotter.NewScatter(asked)
	if err != nil {
		return nil, err
	}
	target.Shape, target.Radius = draw.PlusGlyph{}, vg.Points(5)
	p.Add(reached, target)
	p.Legend.Add("median", reached)
	p.Legend.Add("asked", target)
	p.NominalY(names...)
	return p, nil
}
