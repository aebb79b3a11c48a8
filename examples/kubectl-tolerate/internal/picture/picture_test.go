package picture_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	. "github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/picture"
)

// groups returns a matrix with every verdict.
func groups(rows, columns int) Matrix {
	m := Matrix{Title: "Pods of all namespaces against 312 nodes"}
	for j := range columns {
		m.Columns = append(m.Columns, Axis{fmt.Sprintf("pool-%d: dedicated=team-%d:NoSchedule", j, j*j), fmt.Sprintf("node-%d", j), 1 + j*j*j})
	}
	for i := range rows {
		m.Rows = append(m.Rows, Axis{fmt.Sprintf("team-%d/deployment-%d", i%7, i), fmt.Sprintf("tolerates team-%d", i), 1 + i*i})
		cells := make([]Cell, columns)
		for j := range columns {
			cells[j] = Cell{Verdict((i + 3*j + i*j/5) % 4), fmt.Sprintf("untolerated: dedicated=team-%d:NoSchedule\nnode selector: disk=ssd%d", j*j, i)}
		}
		m.Cells = append(m.Cells, cells)
	}
	return m
}

// hostile are texts that a stranger chose, and how they are drawn.
var hostile = []struct{ text, want string }{
	{"</title><script>alert(1)</script>", "</title><script>alert(1)</script>"},
	{"</style>]]>&lt;&#0;<!-- {{.}}", "</style>]]>&lt;&#0;<!-- {{.}}"},
	{`" onmouseover="alert(1)`, `" onmouseover="alert(1)`},
	{"\x00\x1b[31m\u009b\ufffe", `\u0000\u001b[31m\u009b\ufffe`},
	{"\u202egpj.exe\u2066\u200b", `\u202egpj.exe\u2066\u200b`},
	{"\xff\xc3", "\ufffd"},
	{"two\n\nlines", "two\n\nlines"}, // a label is one line
	{"節点 ノード", "節点 ノード"},
	{strings.Repeat("節点", 500), strings.Repeat("節点", 149) + "節…"},
}

func hostileMatrix() Matrix {
	m := Matrix{Title: hostile[0].text}
	for _, h := range hostile {
		m.Rows = append(m.Rows, Axis{h.text, h.text, -1})
		m.Columns = append(m.Columns, Axis{h.text, h.text, 1 << 60})
	}
	for range hostile {
		var cells []Cell
		for j, h := range hostile {
			cells = append(cells, Cell{Verdict(j * 50), h.text})
		}
		m.Cells = append(m.Cells, cells)
	}
	return m
}

// tooltips returns the texts of the title elements of a document, which must be
// well-formed.
func tooltips(t *testing.T, document string) (texts []string) {
	t.Helper()
	in := false
	for d := xml.NewDecoder(strings.NewReader(document)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return texts
		}
		if err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if in = token.Name.Local == "title"; in {
				texts = append(texts, "")
			}
			if token.Name.Local == "script" {
				t.Fatalf("a script in %s", document)
			}
		case xml.EndElement:
			in = false
		case xml.CharData:
			if in {
				texts[len(texts)-1] += string(token)
			}
		}
	}
}

func TestSVG_hostile(t *testing.T) {
	var b strings.Builder
	if err := SVG(&b, hostileMatrix()); err != nil {
		t.Fatal(err)
	}
	n := len(hostile)
	texts := tooltips(t, b.String())
	if want := 1 + 2*n + n*n; len(texts) != want {
		t.Fatalf("%d tooltips, want %d", len(texts), want)
	}
	for i, h := range hostile {
		if want := strings.Join(strings.Fields(h.want), " ") + " ×1152921504606846976\n" + h.want; texts[1+i] != want {
			t.Errorf("column %d: %q, want %q", i, texts[1+i], want)
		}
		cell := texts[1+n+1+i] // of the first row
		if _, reason, _ := strings.Cut(cell, "\n"); reason != h.want || !strings.Contains(cell, ": unknown\n") {
			t.Errorf("cell %d: %q, want unknown and %q", i, cell, h.want)
		}
	}
}

func TestSVG_largest(t *testing.T) {
	m := groups(200, 200)
	long := strings.Repeat("<", 1<<20)
	for _, cells := range m.Cells {
		for j := range cells {
			cells[j].Text = long
		}
	}
	for name, draw := range map[string]func(io.Writer, Matrix) error{"SVG": SVG, "HTML": HTML} {
		var n counter
		if err := draw(&n, m); err != nil || n > 200*200*4000 {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
		if err := draw(broken{}, m); !errors.Is(err, errBroken) {
			t.Errorf("%s to a broken writer: %v", name, err)
		}
	}
}

// A picture of nothing is not empty.
func TestSVG_nothing(t *testing.T) {
	for format, draw := range byFormat(Matrix{}) {
		var b strings.Builder
		if err := draw(&b); err != nil || !strings.Contains(b.String(), ">no pods<") || !strings.Contains(b.String(), ">no nodes<") {
			t.Errorf("%s: %v, %s", format, err, &b)
		}
	}
}

func TestErrors(t *testing.T) {
	ragged := groups(3, 4)
	ragged.Cells[2] = ragged.Cells[2][:3]
	short := groups(3, 4)
	short.Cells = short.Cells[:2]
	for want, draw := range map[string]func(io.Writer) error{
		"the picture would have 201 groups of pods or nodes (at most 200): select fewer pods or nodes": func(w io.Writer) error { return SVG(w, groups(201, 1)) },
		"the picture would have 202 groups of pods or nodes (at most 200): select fewer pods or nodes": func(w io.Writer) error { return HTML(w, groups(1, 202)) },
		"row 2: 3 cells, want 4":  func(w io.Writer) error { return SVG(w, ragged) },
		"cells of 2 rows, want 3": func(w io.Writer) error { return HTML(w, short) },
	} {
		var b strings.Builder
		if err := draw(&b); err == nil || err.Error() != want || b.Len() > 0 {
			t.Errorf("error %q after %d bytes, want %q", err, b.Len(), want)
		}
	}
}

func FuzzSVG(f *testing.F) {
	for _, h := range hostile {
		f.Add(h.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b bytes.Buffer
		if err := SVG(&b, Matrix{s, []Axis{{s, s, 1}}, []Axis{{s, s, 2}}, [][]Cell{{{Can, s}}}}); err != nil {
			t.Fatal(err)
		}
		document := "<both>" + b.String() + "</both>"
		if n := len(tooltips(t, document)); n != 4 {
			t.Errorf("%d tooltips, want 4", n)
		}
		for _, r := range document {
			if !strconv.IsPrint(r) && r != '\n' && r != '\t' {
				t.Fatalf("%q in %q", r, document)
			}
		}
	})
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

type counter int

func (n *counter) Write(p []byte) (int, error) { *n += counter(len(p)); return len(p), nil }
