package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestPalette(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_RDWR, 0) // a character device, as terminals are
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, test := range map[string]struct {
		w     io.Writer
		env   map[string]string
		color bool
	}{
		"terminal":           {device, nil, true},
		"NO_COLOR":           {device, map[string]string{"NO_COLOR": "1"}, false},
		"NO_COLOR, empty":    {device, map[string]string{"NO_COLOR": ""}, true}, // no-color.org: "not an empty string"
		"a dumb terminal":    {device, map[string]string{"TERM": "dumb"}, false},
		"a file":             {file, nil, false},
		"no file":            {new(bytes.Buffer), nil, false},
		"NO_COLOR on a file": {file, map[string]string{"NO_COLOR": "1"}, false},
	} {
		if got := palette(test.w, func(name string) string { return test.env[name] }) != (colors{}); got != test.color {
			t.Errorf("%s: colour %v", name, got)
		}
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9]+m")

// Colour adds escape sequences and moves nothing.
func TestColors(t *testing.T) {
	c := load(inputs(options{files: []string{"testdata/eviction.json"}}, nil, io.Discard), options{}, nil)
	r, err := newReport(c, options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := func(p colors) string {
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		if err := r.writeText(w, &b, p); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	plain, colored := text(colors{}), text(colors{bad: "\x1b[31m", warn: "\x1b[33m", bold: "\x1b[1m", reset: "\x1b[0m"})
	if escapes.ReplaceAllString(colored, "") != plain || !strings.Contains(colored, "\x1b[31m    goes now") {
		t.Errorf("plain:\n%s\ncoloured:\n%s", plain, colored)
	}
	if strings.Contains(plain, "\x1b") {
		t.Error("escape sequences without colour")
	}
}

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := &progress{w: &b}
	r := p.watch(input{name: "x.json", size: 8, Reader: strings.NewReader("12345678")})
	p.object()
	if _, err := r.Read(make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	p.next = time.Time{}
	p.judged("judging", 7, 20_000)
	p.judged("judging", 8, 20_000) // too soon
	p.clear()
	if got, want := b.String(), "\r\x1b[Kreading x.json: 0 MB (50 %), 1 object\r\x1b[Kjudging: 7 of 20000 pods\r\x1b[K"; got != want {
		t.Errorf("progress %q, want %q", got, want)
	}
	var none *progress
	none.judged("judging", 0, 1)
	if newProgress(&b, noEnv) != nil {
		t.Error("progress without a terminal")
	}
}
