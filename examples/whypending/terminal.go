package main

import (
	"fmt"
	"io"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

// A colors is the escape sequences to write; empty ones where there is no
// colour.
type colors struct{ bad, warn, bold, reset string }

func palette(w io.Writer, env func(string) string) colors {
	if !terminal.Is(w) || env("NO_COLOR") != "" || env("TERM") == "dumb" {
		return colors{}
	}
	return colors{bad: "\x1b[31m", warn: "\x1b[33m", bold: "\x1b[1m", reset: "\x1b[0m"}
}

// A progress shows on a terminal how far the work is: the reading, and then pod
// by pod. A nil one shows nothing.
type progress struct {
	w       io.Writer
	in      input
	read    int64
	objects int
	next    time.Time
}

const refresh = 200 * time.Millisecond

func newProgress(w io.Writer, env func(string) string) *progress {
	if w == nil || !terminal.Is(w) || env("TERM") == "dumb" {
		return nil
	}
	return &progress{w: w, next: time.Now().Add(refresh)}
}

// watch returns a reader of the input that counts what is read.
func (p *progress) watch(in input) io.Reader {
	if p == nil {
		return in.Reader
	}
	p.in, p.read = in, 0
	return p
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	p.read += int64(n)
	p.show()
	return n, err
}

// object counts one more object of any kind.
func (p *progress) object() {
	if p != nil {
		p.objects++
	}
}

func (p *progress) show() {
	if !p.due() {
		return
	}
	part := ""
	if p.in.size > 0 {
		part = fmt.Sprintf(" (%d %%)", min(100*p.read/p.in.size, 100))
	}
	fmt.Fprintf(p.w, "\r\x1b[Kreading %s: %d MB%s, %s", name(p.in.name), p.read/1e6, part, count(p.objects, "object"))
}

// judged shows that so many pods of all are done.
func (p *progress) judged(doing string, done, all int) {
	if p != nil && p.due() {
		fmt.Fprintf(p.w, "\r\x1b[K%s: %d of %s", doing, done, count(all, "pod"))
	}
}

func (p *progress) due() bool {
	now := time.Now()
	if now.Before(p.next) {
		return false
	}
	p.next = now.Add(refresh)
	return true
}

// clear takes the line away again.
func (p *progress) clear() {
	if p != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
