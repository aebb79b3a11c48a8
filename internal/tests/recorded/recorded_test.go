package recorded

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recording has as many cases as its header states.
func TestRead(t *testing.T) {
	const header, other = `{"format":1,"cases":{"k":2}}`, `{"kind":"other","rules":[]}`
	const c = `{"kind":"k","rules":["V1"],"case":{}}`
	for _, tt := range []struct {
		kind string
		want int // -1 for an error
		in   []string
	}{
		{"k", 2, []string{header, c, other, c}},
		{"k", -1, []string{header, c, other}},
		{"k", -1, []string{header, c, c, c}},
		{"other", -1, []string{header, c, other, c}},
		{"k", -1, []string{`{"format":2,"cases":{"k":2}}`, c, c}},
		{"k", -1, nil},
	} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, strings.Join(tt.in, "\n")) // to memory
		z.Close()
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		_, lines, err := read(name, tt.kind)
		if (err != nil) != (tt.want < 0) || err == nil && len(lines) != tt.want {
			t.Errorf("%q: %d lines, %v; want %d", tt.in, len(lines), err, tt.want)
		}
	}
	if _, _, err := read(filepath.Join(t.TempDir(), "f"), "k"); err == nil {
		t.Error("a missing file is read")
	}
}
