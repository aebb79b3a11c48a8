package picture

import (
	"fmt"
	"io"
	"slices"
)

// verdicts are the marks of the verdicts.
var verdicts = [...]mark{
	Unknown:   {"unknown", "?", "unknown", margin, 108},
	Can:       {"can", "✓", "can be scheduled", margin, 48},
	PreferNot: {"prefer-not", "~", "can, but others are preferred", margin, 68},
	Cannot:    {"cannot", "×", "cannot be scheduled", margin, 88},
}

const (
	box          = 26 // the width and the height of a cell with its gap
	legendWidth  = 240
	legendHeight = 100
)

type matrix struct {
	Title                    text
	Width, Height, Left, Top int
	Legend                   []mark
	Columns                  []text
	Rows                     []row
}

type row struct {
	text
	Cells []cell
}

type cell struct {
	mark
	X       int
	Tooltip string
}

// SVG writes m as an SVG document. It returns an error if m has more than 200 rows or
// columns, or if the cells do not fit them.
func SVG(w io.Writer, m Matrix) error { return m.write(w, "matrix.svg") }

// HTML writes m as an HTML document with a table. It returns the errors of [SVG].
func HTML(w io.Writer, m Matrix) error { return m.write(w, "matrix.html") }

func (m Matrix) write(w io.Writer, name string) error {
	if n := max(len(m.Rows), len(m.Columns)); n > maxLines {
		return tooMany(n, "groups of pods or nodes", maxLines)
	}
	if len(m.Cells) != len(m.Rows) {
		return fmt.Errorf("cells of %d rows, want %d", len(m.Cells), len(m.Rows))
	}
	p := matrix{Title: caption(m.Title, "", maxTitle), Legend: slices.Concat(verdicts[1:], verdicts[:1]), Left: legendWidth, Top: legendHeight}
	for _, a := range m.Rows {
		p.Rows = append(p.Rows, row{text: a.text(&p.Left)})
	}
	for _, a := range m.Columns {
		p.Columns = append(p.Columns, a.text(&p.Top))
	}
	p.Left += margin + 8
	p.Top += 44 + 8 // the title's height
	p.Width = max(p.Left+len(p.Columns)*box+margin, minWidth)
	p.Height = p.Top + max(len(p.Rows), 1)*box + margin
	for j := range p.Columns {
		p.Columns[j].X, p.Columns[j].Y = p.Left+j*box+box/2+3, p.Top-8
	}
	for i := range p.Rows {
		r := &p.Rows[i]
		if len(m.Cells[i]) != len(p.Columns) {
			return fmt.Errorf("row %d: %d cells, want %d", i, len(m.Cells[i]), len(p.Columns))
		}
		r.X, r.Y = p.Left-8, p.Top+i*box
		for j, c := range m.Cells[i] {
			if int(c.Verdict) >= len(verdicts) {
				c.Verdict = Unknown
			}
			v := verdicts[c.Verdict]
			r.Cells = append(r.Cells, cell{v, p.Left + j*box, r.Name + " on " + p.Columns[j].Name + ": " + v.Text + "\n" + clean(c.Text)})
		}
	}
	return write(w, name, p)
}

// text returns the text of a, and raises longest to its length.
func (a Axis) text(longest *int) text {
	count := fmt.Sprintf(" ×%d", a.Count)
	t := caption(a.Label, count, maxCaption)
	t.Name = caption(a.Label, count, maxName).Caption
	t.Tooltip += "\n" + clean(a.Detail)
	*longest = max(*longest, t.Length)
	return t
}
