package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The library is drawn in color, and other code in grey.
var (
	blue = color.RGBA{R: 0x1f, G: 0x5f, B: 0xbf, A: 0xff}
	grey = color.RGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}
)

func init() {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
}

func shade(ours bool) color.Color {
	if ours {
		return blue
	}
	return grey
}

// charts draws the charts of these results, and of the peers' page, into the
// directory.
func charts(r *runs, peers, dir string) error {
	jobs := r.jobTimes()
	for _, c := range []struct {
		file string
		draw func() (*plot.Plot, error)
		high vg.Length
	}{
		{"nodes.svg", func() (*plot.Plot, error) {
			return lines("Time to find the nodes that a pod of 4 tolerations can use", "nodes", 10, r.lines("Filter/nodes="))
		}, 360},
		{"tolerations.svg", func() (*plot.Plot, error) {
			return lines("Time to find the nodes that a pod can use, of 5,000", "tolerations", 2, r.lines("Tolerations/tolerations="))
		}, 360},
		{"ratios.svg", func() (*plot.Plot, error) {
			return bars("How many times faster than Kubernetes' own code", 10, jobs)
		}, 90 + 11*vg.Length(len(jobs))},
		{"peers.svg", func() (*plot.Plot, error) {
			return bars("How many times faster other projects' hot calls are with match/kube", 2, hotCalls(peers))
		}, 180},
	} {
		p, err := c.draw()
		if err != nil {
			return fmt.Errorf("%s: %w", c.file, err)
		}
		if err := os.WriteFile(filepath.Join(dir, c.file), svg(p, c.high), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// wide is the width of each chart, in points.
const wide = 576

// svg draws a plot of this height with a margin. The background is white, so that it is
// legible on a dark page too.
func svg(p *plot.Plot, high vg.Length) []byte {
	const margin = 14
	c := vgsvg.New(wide, high)
	all := draw.New(c)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	p.Draw(draw.Crop(all, margin, -margin, margin, -margin))
	var b bytes.Buffer
	c.WriteTo(&b) // a Buffer returns no error
	// Arial is as wide as Liberation Sans, which few have.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,sans-serif"))
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.Title.Padding = title, 4
	p.BackgroundColor = nil
	return p
}

// A line is the time that an implementation takes at each size.
type line struct {
	name   string
	ours   bool
	points plotter.XYs
}

// lines draws times against sizes, with ticks at the powers of base.
func lines(title, sizes string, base float64, all []line) (*plot.Plot, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("no times by %s", sizes)
	}
	p := newPlot(title)
	p.X.Label.Text, p.Y.Label.Text = sizes, "time for one pod"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = powers{base, digits}
	p.Y.Tick.Marker = powers{10, duration}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xdd}, color.Gray{0xdd}
	p.Add(grid)
	var ends plotter.XYLabels
	for _, l := range all {
		curve, dots, err := plotter.NewLinePoints(l.points)
		if err != nil {
			return nil, err
		}
		curve.Color, curve.Width = shade(l.ours), vg.Points(1.5)
		dots.Color, dots.Shape = shade(l.ours), draw.CircleGlyph{}
		p.Add(curve, dots)
		ends.XYs = append(ends.XYs, l.points[len(l.points)-1])
		ends.Labels = append(ends.Labels, l.name)
	}
	p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(p.Y.Min))), math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))
	apart(ends.XYs, math.Pow(p.Y.Max/p.Y.Min, 0.045))
	names, err := labels(ends)
	if err != nil {
		return nil, err
	}
	for i, l := range all {
		names.TextStyle[i].Color = shade(l.ours)
	}
	p.Add(names)
	return p, nil
}

// apart raises points until each is at least this many times the one below it.
func apart(points plotter.XYs, times float64) {
	var order []*plotter.XY
	for i := range points {
		order = append(order, &points[i])
	}
	slices.SortFunc(order, func(a, b *plotter.XY) int { return cmp.Compare(a.Y, b.Y) })
	for i := 1; i < len(order); i++ {
		order[i].Y = max(order[i].Y, order[i-1].Y*times)
	}
}

// labels writes texts to the right of points.
func labels(l plotter.XYLabels) (*plotter.Labels, error) {
	out, err := plotter.NewLabels(l)
	if err != nil {
		return nil, err
	}
	for i := range out.TextStyle {
		out.TextStyle[i].YAlign = draw.YCenter
	}
	out.Offset = vg.Point{X: 6, Y: 1}
	return out, nil
}

// lines returns the medians of the benchmarks that begin with the prefix, by the
// number behind it.
func (r *runs) lines(prefix string) (all []line) {
	for _, im := range impls {
		l := line{name: im.name, ours: im.ours}
		for _, name := range r.names {
			rest, ok := strings.CutPrefix(name, prefix)
			size, impl, _ := strings.Cut(rest, "/impl=")
			if n, err := strconv.Atoi(size); ok && err == nil && impl == im.impl {
				s, _ := r.sample(name, "sec/op")
				l.points = append(l.points, plotter.XY{X: float64(n), Y: s.Center})
			}
		}
		slices.SortFunc(l.points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		if len(l.points) > 0 {
			all = append(all, l)
		}
	}
	return all
}

// powers marks the powers of base, each with its name.
type powers struct {
	base float64
	name func(float64) string
}

var decimals = strings.NewReplacer(".00", "", ".0", "")

func (t powers) Ticks(low, high float64) (ticks []plot.Tick) {
	const rounding = 1e-9
	for n := math.Ceil(math.Log(low)/math.Log(t.base) - rounding); ; n++ {
		x := math.Pow(t.base, n)
		if x > high*(1+rounding) {
			return ticks
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: decimals.Replace(t.name(x * (1 + rounding)))})
	}
}

// A bar represents how many times faster a job is.
type bar struct {
	name  string
	times float64
}

// bars draws a bar from 1 for each job, the first at the top, with ticks at the powers
// of base. Slower jobs are grey.
func bars(title string, base float64, all []bar) (*plot.Plot, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing to compare")
	}
	p := newPlot(title)
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = powers{base, digits}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xdd}, nil
	p.Add(grid)
	var names []string
	var ends plotter.XYLabels
	for _, b := range slices.Backward(all) {
		y := float64(len(names))
		names = append(names, b.name)
		ends.XYs = append(ends.XYs, plotter.XY{X: max(b.times, 1), Y: y})
		ends.Labels = append(ends.Labels, digits(b.times))
		body, err := plotter.NewLine(plotter.XYs{{X: 1, Y: y}, {X: b.times, Y: y}})
		if err != nil {
			return nil, err
		}
		body.Color, body.Width = shade(b.times >= 1), vg.Points(7)
		p.Add(body)
	}
	times, err := labels(ends)
	if err != nil {
		return nil, err
	}
	p.Add(times)
	p.NominalY(names...)
	p.Y.Padding = 12
	return p, nil
}

// jobTimes returns how many times faster than Kubernetes' each job is.
func (r *runs) jobTimes() (all []bar) {
	for _, j := range jobs {
		if ratio, ok := r.ratio(j.of("kubernetes"), j.ours()); ok {
			all = append(all, bar{j.short, ratio.Center})
		}
	}
	return all
}

var hotCall = regexp.MustCompile(`(?m)^\| ([^|]+) v[^|]+ \|.*: ([0-9.]+) ns \| ([0-9.]+) ns \| [0-9.]+ \|$`)

// hotCalls reads the first table of ../peers/PEERS.md.
func hotCalls(page string) (all []bar) {
	for _, row := range hotCall.FindAllStringSubmatch(page, -1) {
		before, _ := strconv.ParseFloat(row[2], 64)
		after, _ := strconv.ParseFloat(row[3], 64)
		all = append(all, bar{row[1], before / after})
	}
	slices.SortStableFunc(all, func(a, b bar) int { return cmp.Compare(b.times, a.times) })
	return all
}
