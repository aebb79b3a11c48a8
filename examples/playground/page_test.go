package main

import (
	"io"
	"net/http"
	"slices"
	"testing"
)

// The tests see what a page writes to the console, and whom it queries, in a worker too.
func TestOpen_problems(t *testing.T) {
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/w.js" {
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, "fetch('http://worker.example/x', {mode: 'no-cors'}).then(() => postMessage(1))")
			return
		}
		io.WriteString(w, `<!doctype html><link rel=icon href=/i><p>text
			<script>console.log('text', 1); new Worker('w.js').onmessage = () => document.title = 'done'; fetch('http://page.example/', {mode: 'no-cors'})</script>`)
	})
	p := open(t, site, "/", 800, 600, "light")
	p.until("document.title == 'done'")
	want := []string{`console: log "text" 1`, "proxy: page.example/", "proxy: worker.example/x", "request: http://page.example/"}
	got := slices.DeleteFunc(p.problems(), func(s string) bool { return s[:1] == "c" && !slices.Contains(want, s) })
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
