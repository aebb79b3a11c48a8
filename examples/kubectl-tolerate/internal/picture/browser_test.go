package picture_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	. "github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/picture"
)

// A page is a document in a browser.
type page struct {
	*testing.T
	ctx context.Context
	url string

	mu       sync.Mutex
	requests []string
	problems []string // of the console
}

// TestBrowser looks at the pictures as a person does, in one browser for all.
func TestBrowser(t *testing.T) {
	var path string
	for _, name := range []string{"chromium", "google-chrome", "chromium-browser"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" && os.Getenv("CI") != "" {
		t.Fatal("no browser in the PATH: install chromium or google-chrome")
	} else if path == "" {
		t.Skip("no browser in the PATH: install chromium or google-chrome to run this test")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.WSURLReadTimeout(2*time.Minute))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute) // of a browser that hangs
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		test func(context.Context, *testing.T)
	}{
		{"matrix", testMatrix}, {"scrolls", testScrolls}, {"hostile", testHostile}, {"control", testControl},
	} {
		t.Run(test.name, func(t *testing.T) { test.test(ctx, t) })
	}
}

// open opens the document in a window of this size.
func open(ctx context.Context, t *testing.T, extension string, draw func(io.Writer) error, width, height int64) *page {
	t.Helper()
	name := filepath.Join(t.TempDir(), "picture."+extension)
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := draw(f); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := &page{T: t, ctx: ctx, url: (&url.URL{Scheme: "file", Path: name}).String()}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(width, height), chromedp.Navigate(p.url))
	return p
}

func (p *page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *log.EventEntryAdded:
		p.problems = append(p.problems, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		p.problems = append(p.problems, fmt.Sprint(e.Type))
	}
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

func eval[T any](p *page, script string) T {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		p.Fatal(err)
	}
	return v
}

// dark sets the reader's preference.
func (p *page) dark() {
	p.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
		p.Fatal(err)
	}
}

// alone reports what the document loads, and what the browser reports.
func (p *page) alone() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Equal(p.requests, []string{p.url}) || len(p.problems) > 0 {
		p.Errorf("requests %q, want only %q; problems %q, want none", p.requests, p.url, p.problems)
	}
}

// A box is a text that a person sees.
type box struct {
	Text, Color, Back string
	X, Y, W, H        float64
	Width, Height     float64 // of the document
	InX, InY, InW     float64 // the rectangle behind an SVG text, if it has one
}

// boxes returns all texts that a person sees.
func (p *page) boxes() []box {
	p.Helper()
	return eval[[]box](p, `(() => {
	const found = [], root = document.documentElement, texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const node = texts.currentNode, e = node.parentElement;
		if (!node.data.trim() || e.closest("style, title") || getComputedStyle(e).clipPath != "none") continue;
		const svg = e.ownerSVGElement, range = document.createRange();
		range.selectNodeContents(node);
		const r = svg ? e.getBoundingClientRect() : range.getBoundingClientRect();
		let rect = svg && e.parentElement.querySelector(":scope > rect"), back, inside = {};
		if (svg) {
			if (rect && e.parentElement != svg) inside = rect.getBoundingClientRect();
			back = getComputedStyle(rect || document.querySelector(".page")).fill;
		} else {
			for (let b = e; b && (!back || back == "rgba(0, 0, 0, 0)"); b = b.parentElement) back = getComputedStyle(b).backgroundColor;
		}
		found.push({Text: node.data.trim(), Color: svg ? getComputedStyle(e).fill : getComputedStyle(e).color, Back: back,
			X: r.x + scrollX, Y: r.y + scrollY, W: r.width, H: r.height, Width: root.scrollWidth, Height: root.scrollHeight,
			InX: inside.x + scrollX || 0, InY: inside.y + scrollY || 0, InW: inside.width || 0});
	}
	return found;
})()`)
}

// legible reports texts that overlap, leave their place, or have little contrast.
func (p *page) legible() []box {
	p.Helper()
	boxes := p.boxes()
	for i, a := range boxes {
		if a.X < 0 || a.Y < 0 || a.X+a.W > a.Width+1 || a.Y+a.H > a.Height+1 {
			p.Errorf("%q is not in the document: %+v", a.Text, a)
		}
		if a.InW > 0 && (a.X < a.InX || a.X+a.W > a.InX+a.InW+1 || a.Y < a.InY-1) {
			p.Errorf("%q is not in its rectangle: %+v", a.Text, a)
		}
		if c := contrast(luminance(a.Color), luminance(a.Back)); c < 4.5 {
			p.Errorf("%q has a contrast of %.2f: %s on %s", a.Text, c, a.Color, a.Back)
		}
		for _, b := range boxes[:i] {
			if a.X+1 < b.X+b.W && b.X+1 < a.X+a.W && a.Y+1 < b.Y+b.H && b.Y+1 < a.Y+a.H {
				p.Fatalf("%q overlaps %q: %+v %+v", a.Text, b.Text, a, b)
			}
		}
	}
	return boxes
}

// hover moves the mouse to an element, and returns what it shows there.
func (p *page) hover(element string) string {
	p.Helper()
	at := eval[struct{ X, Y float64 }](p, `(() => {
	const e = `+element+`;
	e.scrollIntoView({block: "center", inline: "center"});
	const r = e.getBoundingClientRect();
	return {X: r.x + r.width / 2, Y: r.y + r.height / 2};
})()`)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y))
	return eval[string](p, fmt.Sprintf(`(() => {
	const e = document.elementFromPoint(%f, %f);
	if (e.ownerSVGElement) return e.closest("g").querySelector(":scope > title").textContent;
	const shown = [...document.querySelectorAll("table span")].filter(s => getComputedStyle(s).clipPath == "none");
	const inside = shown.every(s => { const r = s.getBoundingClientRect(); return r.x >= 0 && r.right <= innerWidth && r.bottom <= innerHeight && s.scrollHeight <= r.height; });
	return (inside ? "" : "outside: ") + shown.map(s => s.innerText).join("; ");
})()`, at.X, at.Y))
}

// rgb returns the components of a computed colour, linear.
func rgb(color string) (c [3]float64) {
	var r, g, b int
	if n, _ := fmt.Sscanf(color, "rgb(%d, %d, %d)", &r, &g, &b); n != 3 {
		panic("not an opaque colour: " + color)
	}
	for i, v := range []int{r, g, b} {
		if c[i] = float64(v) / 255; c[i] <= 0.04045 {
			c[i] /= 12.92
		} else {
			c[i] = math.Pow((c[i]+0.055)/1.055, 2.4)
		}
	}
	return c
}

func luminance(color string) float64 {
	c := rgb(color)
	return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// vision has how people see linear RGB: all of it, or without one kind of cones (Machado
// and others, 2009).
var vision = map[string][3][3]float64{
	"all":          {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab returns a colour in CIELAB, as it is seen.
func lab(color string, see [3][3]float64) [3]float64 {
	multiply := func(m [3][3]float64, v [3]float64) (r [3]float64) {
		for i := range m {
			r[i] = m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2]
		}
		return r
	}
	xyz := multiply([3][3]float64{{0.4339, 0.3762, 0.1899}, {0.2126, 0.7152, 0.0722}, {0.0178, 0.1095, 0.8727}}, multiply(see, rgb(color)))
	for i, v := range xyz {
		if v = max(v, 0); v > 0.008856 {
			xyz[i] = math.Cbrt(v)
		} else {
			xyz[i] = 7.787*v + 16.0/116
		}
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

// distinct reports colours that some people cannot distinguish: 10 is seen at a glance.
func distinct(t *testing.T, colors map[string]string) {
	t.Helper()
	for name, see := range vision {
		for a, ca := range colors {
			for b, cb := range colors {
				p, q := lab(ca, see), lab(cb, see)
				if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); a < b && d < 15 {
					t.Errorf("%s: %s %s and %s %s differ by %.1f", name, a, ca, b, cb, d)
				}
			}
		}
	}
}

var symbols = map[Verdict]string{Unknown: "?", Can: "✓", PreferNot: "~", Cannot: "×"}

// byFormat has the functions that draw m.
func byFormat(m Matrix) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"svg":  func(w io.Writer) error { return SVG(w, m) },
		"html": func(w io.Writer) error { return HTML(w, m) },
	}
}

// cell is the script's expression for a cell.
func cell(format string, columns, i, j int) string {
	if format == "svg" {
		return fmt.Sprintf(`document.querySelectorAll("g.cell")[%d]`, i*columns+j)
	}
	return fmt.Sprintf(`document.querySelectorAll("tbody td")[%d]`, i*columns+j)
}

func testMatrix(ctx context.Context, t *testing.T) {
	m := groups(6, 5)
	for format, draw := range byFormat(m) {
		t.Run(format, func(t *testing.T) {
			p := open(ctx, t, format, draw, 1200, 900)
			for _, dark := range []bool{false, true} {
				if dark {
					p.dark()
				}
				boxes := p.legible()
				legend := map[string]string{}
				for _, b := range boxes[:12] { // the title, and a symbol and a text for each verdict
					if _, ok := legend[b.Text]; !ok && len([]rune(b.Text)) == 1 {
						legend[b.Text] = b.Back
					}
				}
				distinct(t, legend)
				if paper := luminance(boxes[0].Back); len(legend) != 4 || (paper < 0.5) != dark {
					t.Errorf("dark %t: legend %v, paper of luminance %.2f", dark, legend, paper)
				}
				for i := range m.Rows {
					for j, c := range m.Cells[i] {
						got := eval[[]string](p, `(e => { const s = getComputedStyle(e.querySelector("rect") || e); return [e.querySelector("rect") ? s.fill : s.backgroundColor, (e.querySelector("text") || e).firstChild.data]; })(`+cell(format, len(m.Columns), i, j)+`)`)
						if want := []string{legend[symbols[c.Verdict]], symbols[c.Verdict]}; !slices.Equal(got, want) {
							t.Errorf("dark %t, cell %d, %d: %q, want %q", dark, i, j, got, want)
						}
					}
				}
			}
			words := map[Verdict]string{Unknown: "unknown", Can: "can be scheduled", PreferNot: "can, but others are preferred", Cannot: "cannot be scheduled"}
			for i, r := range m.Rows {
				for j, c := range m.Columns {
					want := fmt.Sprintf("%s ×%d on %s ×%d: %s\n%s", r.Label, r.Count, c.Label, c.Count, words[m.Cells[i][j].Verdict], m.Cells[i][j].Text)
					if got := p.hover(cell(format, len(m.Columns), i, j)); got != want {
						t.Errorf("hovering cell %d, %d shows %q, want %q", i, j, got, want)
					}
				}
			}
			for element, want := range map[string]string{
				`document.querySelector("g.row text, tbody th")`:    "team-0/deployment-0 ×1\ntolerates team-0",
				`document.querySelector("g.column text, thead th")`: "pool-0: dedicated=team-0:NoSchedule ×1\nnode-0",
			} {
				if got := p.hover(element); got != want {
					t.Errorf("hovering %s shows %q, want %q", element, got, want)
				}
			}
			p.alone()
		})
	}
}

// A small window scrolls to the last cell, of many.
func testScrolls(ctx context.Context, t *testing.T) {
	m := groups(60, 40)
	for format, draw := range byFormat(m) {
		t.Run(format, func(t *testing.T) {
			p := open(ctx, t, format, draw, 400, 700)
			if n := len(p.legible()); n < 60*40+60+40 {
				t.Errorf("%d texts", n)
			}
			last := cell(format, 40, 59, 39)
			for _, e := range []string{cell(format, 40, 0, 0), last} {
				if p.hover(e); !eval[bool](p, `(e => { const r = e.getBoundingClientRect(), at = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2); return e.contains(at); })(`+e+`)`) {
					t.Errorf("%s is not seen", e)
				}
			}
			if tall := eval[float64](p, `Math.max(...[...document.querySelectorAll("g.row, tbody th")].map(e => e.getBoundingClientRect().height))`); tall > 50 {
				t.Errorf("a row is %.0f high", tall)
			}
			if right := eval[float64](p, last+`.getBoundingClientRect().right`); right > 400 || !eval[bool](p, "scrollX > 500 && scrollY > 500") {
				t.Errorf("the last cell ends at %.0f of 400", right)
			}
			p.alone()
		})
	}
}

func testHostile(ctx context.Context, t *testing.T) {
	m := hostileMatrix()
	for format, draw := range byFormat(m) {
		t.Run(format, func(t *testing.T) {
			p := open(ctx, t, format, draw, 1200, 900)
			p.legible()
			for j, h := range hostile {
				if _, got, _ := strings.Cut(p.hover(cell(format, len(hostile), 3, j)), "\n"); got != h.want {
					t.Errorf("hovering cell %d shows %q, want %q", j, got, h.want)
				}
			}
			if n := eval[int](p, `document.querySelectorAll("script, [onmouseover]").length`); n != 0 || eval[string](p, "document.title") != hostile[0].want {
				t.Errorf("%d elements with scripts, title %q", n, eval[string](p, "document.title"))
			}
			p.alone()
		})
	}
}

// A page that does what a picture must not do is seen to do it.
func testControl(ctx context.Context, t *testing.T) {
	p := open(ctx, t, "html", func(w io.Writer) error {
		_, err := io.WriteString(w, `<img src="missing.png"><script>throw 1</script>`)
		return err
	}, 400, 400)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) != 2 || len(p.problems) < 2 {
		t.Errorf("requests %q, problems %q, want two of each", p.requests, p.problems)
	}
}
