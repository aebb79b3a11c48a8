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
	return ratios.Save(8*vg.Inch, 6*vg.Inch, filepath.Join(dir, "ratios.svg"))
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.BackgroundColor = color.White
	p.Title.Padding = vg.Points(8)
	return p
}

// Ours are drawn in one color, and all others in grey.
var (
	blue = color.RGBA{R: 0x1f, G: 0x5f, B: 0xbf, A: 0xff}
	grey = color.RGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}
)

func shade(ours bool) color.Color {
	if ours {
		return blue
	}
	return grey
}

// nodesChart is the time for one pod against the number of nodes.
func nodesChart(r *runs) (*plot.Plot, error) {
	p := newPlot("Time to find the nodes that a pod of 4 tolerations can use")
	p.X.Label.Text, p.Y.Label.Text = "nodes", "time for one pod"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = decades(digits)
	p.Y.Tick.Marker = decades(duration)
	p.Add(plotter.NewGrid())
	for _, im := range impls {
		points := r.byNodes(im.impl)
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = shade(im.ours), vg.Points(1.5)
		dots.Color, dots.Shape = shade(im.ours), draw.CircleGlyph{}
		name, err := label(points[len(points)-1], im.name, shade(im.ours))
		if err != nil {
			return nil, err
		}
		p.Add(line, dots, name)
	}
	p.X.Max *= 9 // room for the names at the ends of the lines, and none for another tick
	if p.Y.Min > p.Y.Max {
		return nil, errors.New("no filter was measured")
	}
	return p, nil
}

// label writes a text to the right of a point.
func label(at plotter.XY, text string, c color.Color) (*plotter.Labels, error) {
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{text}})
	if err != nil {
		return nil, err
	}
	labels.TextStyle[0].Color = c
	labels.TextStyle[0].YAlign = draw.YCenter
	labels.Offset = vg.Point{X: vg.Points(6)}
	return labels, nil
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

// ratiosChart shows how many times faster each job is.
func ratiosChart(r *runs) (*plot.Plot, error) {
	p := newPlot("How many times faster than Kubernetes' own code")
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = decades(digits)
	p.X.Min = 1
	p.Y.Padding = vg.Points(16) // the labels are wider in other fonts
	var names []string
	for _, j := range slices.Backward(jobs) {
		ratio, ok := r.ratio(j.theirs(), j.ours())
		if !ok {
			continue
		}
		end := plotter.XY{X: max(ratio.Center, 1.001), Y: float64(len(names))}
		names = append(names, j.short)
		bar, err := plotter.NewLine(plotter.XYs{{X: 1, Y: end.Y}, end})
		if err != nil {
			return nil, err
		}
		bar.Color, bar.Width = blue, vg.Points(8)
		times, err := label(end, digits(ratio.Center), color.Black)
		if err != nil {
			return nil, err
		}
		p.Add(bar, times)
	}
	if len(names) == 0 {
		return nil, errors.New("no job was measured")
	}
	p.X.Max *= 4 // room for the last number
	p.NominalY(names...)
	return p, nil
}
