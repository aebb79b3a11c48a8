package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func init() {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	plotutil.DefaultColors = plotutil.DarkColors
}

// charts draws the charts into the directory.
func charts(r *runs, dir string) error {
	nodes, err := r.nodesChart()
	if err != nil {
		return err
	}
	ratios, bars := r.ratiosChart()
	if err := os.WriteFile(filepath.Join(dir, "nodes.svg"), svg(nodes, 360), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "ratios.svg"), svg(ratios, 90+11*vg.Length(bars)), 0o666)
}

// wide is the width of each chart, in points.
const wide = 576

// svg draws a plot of this height with a margin. The background is white, so that it is
// legible on a dark page too.
func svg(p *plot.Plot, high vg.Length) []byte {
	c := vgsvg.New(wide, high)
	all := draw.New(c)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	p.Draw(draw.Crop(all, 14, -14, 14, -14))
	var b bytes.Buffer
	c.WriteTo(&b) // a Buffer returns no error
	// Arial is as wide as Liberation Sans, which few have.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,sans-serif"))
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.Title.Padding, p.BackgroundColor = title, 4, nil
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powers(digits)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xdd}, nil
	p.Add(grid)
	return p
}

// powers marks the powers of ten, each with its name.
type powers func(float64) string

var decimals = strings.NewReplacer(".000", "", ".00", "", ".0", "")

func (name powers) Ticks(low, high float64) (ticks []plot.Tick) {
	const rounding = 1e-9
	for x := math.Pow(10, math.Ceil(math.Log10(low)-rounding)); x <= high*(1+rounding); x *= 10 {
		ticks = append(ticks, plot.Tick{Value: x, Label: decimals.Replace(name(x))})
	}
	return ticks
}

// nodesChart is a line of times by numbers of nodes for each way to list nodes.
func (r *runs) nodesChart() (*plot.Plot, error) {
	p := newPlot("Time to list the nodes that a pod of 4 tolerations can use")
	p.X.Label.Text, p.Y.Label.Text = "nodes", "time for one pod"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, powers(func(s float64) string { return measured(s, "sec") })
	p.Legend.Top, p.Legend.Left = true, true
	var lines []any
	for _, im := range []struct{ impl, name string }{
		{hand, "loop by hand"}, {"tolerate-compiled", "match.Matcher"}, {lists, "index by hand"}, {"tolerate-slices", "fleet.Index"},
	} {
		var times plotter.XYs
		for _, n := range []int{100, 1000, 5000, 100_000, 1_000_000} {
			times = append(times, plotter.XY{X: float64(n), Y: r.median(fmt.Sprintf("FleetList/nodes=%d/impl=%s", n, im.impl), "sec/op")})
		}
		lines = append(lines, im.name, times)
	}
	return p, plotutil.AddLinePoints(p, lines...)
}

// ratiosChart is a bar from 1 for each job, the first at the top, by its ratio to the
// fastest rival. Slower jobs are grey. It also returns the number of bars.
func (r *runs) ratiosChart() (p *plot.Plot, bars int) {
	p = newPlot("How many times faster than the fastest rival")
	var names []string
	for _, t := range slices.Backward(tables) {
		for _, j := range slices.Backward(t.jobs) {
			if j.short == "" {
				continue
			}
			least := math.Inf(1)
			for _, impl := range strings.Fields(j.than) {
				least = min(least, r.ratio(j.of(impl), j.ours()).Center)
			}
			y := float64(len(names))
			names = append(names, j.short+"  "+digits(least))
			bar := &plotter.Line{XYs: plotter.XYs{{X: 1, Y: y}, {X: least, Y: y}}}
			bar.Color, bar.Width = color.RGBA{R: 0x1f, G: 0x5f, B: 0xbf, A: 0xff}, vg.Points(7)
			if slower(least) {
				bar.Color = color.Gray{0x70}
			}
			p.Add(bar)
		}
	}
	p.NominalY(names...)
	p.Y.Padding = 12
	return p, len(names)
}
