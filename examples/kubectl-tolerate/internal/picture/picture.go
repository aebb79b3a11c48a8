// Package picture draws pods against nodes. A picture is one file without scripts and
// outside resources. The reasons are shown on hover.
//
// Texts may come from a stranger: they are escaped and, if long, cut with "…". A picture
// that is too large is rejected, since one without some of the rows looks whole.
package picture

import (
	"bufio"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

// A Verdict is whether the pods of a row can be scheduled on the nodes of a column. The
// zero value is Unknown.
type Verdict uint8

const (
	Unknown Verdict = iota
	Can
	PreferNot // they can, but other nodes are preferred
	Cannot
)

// An Axis is a row or a column of a Matrix: a group of pods or nodes that are alike.
type Axis struct {
	Label, Detail string // Detail is shown on hover
	Count         int    // the size of the group
}

// A Cell is the verdict for a row and a column.
type Cell struct {
	Verdict Verdict
	Text    string // the reasons, one per line, shown on hover
}

// A Matrix has groups of pods as rows, and groups of nodes as columns.
type Matrix struct {
	Title         string
	Rows, Columns []Axis
	Cells         [][]Cell // by row, then by column
}

const (
	maxLines   = 200 // rows or columns: more is slow in a browser, and hard to read
	maxTooltip = 600 // units
	maxCaption = 40  // units
	maxName    = 100 // units of a caption in the tooltip of a cell
	maxTitle   = 60  // units
	minWidth   = 640 // pixels, for the title and the legend
	margin     = 16  // pixels
)

//go:embed *.css *.html *.svg
var files embed.FS

var templates = template.Must(template.ParseFS(files, "*"))

func write(w io.Writer, name string, data any) error {
	b := bufio.NewWriter(w)
	if err := templates.ExecuteTemplate(b, name, data); err != nil {
		return err
	}
	return b.Flush()
}

func tooMany(n int, what string, limit int) error {
	return fmt.Errorf("the picture would have %d %s (at most %d): select fewer pods or nodes", n, what, limit)
}

// A mark is how a verdict is drawn, and its place in the legend.
type mark struct {
	Class, Symbol, Text string
	X, Y                int
}

// A text is drawn at a place. Its length in pixels keeps it there, whatever font the
// reader has.
type text struct {
	X, Y, Length           int
	Caption, Name, Tooltip string
}

// caption returns s and suffix as a text of one line and at most maximum units.
func caption(s, suffix string, maximum int) text {
	s = strings.Join(strings.Fields(clean(s)), " ")
	c := cut(s, maximum-units(suffix)) + suffix
	return text{Caption: c, Length: pixels(units(c)), Tooltip: s + suffix}
}

// clean returns s with what is not printable escaped, and cut to the size of a tooltip.
func clean(s string) string {
	var b strings.Builder
	_, _ = terminal.Writer(&b).Write([]byte(strings.ToValidUTF8(s[:min(len(s), 4*maxTooltip)], "\ufffd")))
	return cut(b.String(), maxTooltip)
}

// units returns the width of s in characters of a monospace font. Other scripts than
// Latin need up to two for a character.
func units(s string) (n int) {
	for _, r := range s {
		n++
		if r >= 0x300 && r != '…' {
			n++
		}
	}
	return n
}

// pixels returns the width of n units of the font of 12 pixels.
func pixels(n int) int { return n * 72 / 10 }

// cut returns s, shortened to n units.
func cut(s string, n int) string {
	if units(s) <= n {
		return s
	}
	for i, r := range s {
		if n -= units(string(r)); n < 1 {
			return s[:i] + "…"
		}
	}
	return ""
}
