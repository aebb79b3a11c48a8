package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Chromium is a headless Chromium whose requests all go through a proxy, those of workers
// and of loopback addresses too. The proxy answers for the sites of tests, and nothing else.
type chromium struct {
	context.Context
	mu      sync.Mutex
	sites   map[string]http.Handler // by host and port, where nothing listens
	foreign []string                // other requests
}

// start starts the browser of all tests.
var start = sync.OnceValues(func() (*chromium, error) {
	name, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	b := &chromium{sites: make(map[string]http.Handler)}
	proxy := httptest.NewServer(b)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(name),
		chromedp.ProxyServer(proxy.URL),
		chromedp.Flag("proxy-bypass-list", "<-loopback>"),
	)
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	atEnd = func() {
		cancel() // closes the browser
		stop()
		proxy.Close()
	}
	b.Context = ctx
	return b, chromedp.Do(ctx)
})

var atEnd = func() {}

func TestMain(m *testing.M) {
	status := m.Run()
	atEnd()
	os.Exit(status)
}

// own has the hosts that Chromium itself queries, for updates and the like. Those that a page
// queries are among the events of the page, too.
var own = regexp.MustCompile(`\.(google|googleapis|gvt1)\.com(:\d+)?$`)

func (b *chromium) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := r.URL.Host
	if r.Method == http.MethodConnect {
		host = r.Host
	}
	b.mu.Lock()
	site := b.sites[host]
	if site == nil && !own.MatchString(host) {
		b.foreign = append(b.foreign, "proxy: "+host+r.URL.Path)
	}
	b.mu.Unlock()
	if site == nil {
		http.Error(w, "only sites of tests", http.StatusForbidden)
		return
	}
	site.ServeHTTP(w, r)
}

// A page is a tab of its own, without cookies or storage of others.
type page struct {
	context.Context
	t             *testing.T
	b             *chromium
	address, host string

	mu    sync.Mutex
	found []string
}

// open opens an address, of a site if there is a handler: http://127.0.0.1 with a port of
// its own, and then the path. The scheme is "light" or "dark". When the test ends, it fails
// if the console has a message, or if there was a request to another site or file.
func open(t *testing.T, site http.Handler, address string, width, height int64, scheme string) *page {
	t.Helper()
	b, err := start()
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") == "" {
		t.Skip("no chromium: .ci/install chromium")
	} else if err != nil {
		t.Fatal(err)
	}
	host := ""
	if site != nil {
		b.mu.Lock()
		host = fmt.Sprint("127.0.0.1:", 20000+len(b.sites))
		b.sites[host] = site
		b.mu.Unlock()
		address = "http://" + host + address
	}
	ctx, cancel := chromedp.NewContext(b.Context, chromedp.WithNewBrowserContext())
	p := &page{Context: ctx, t: t, b: b, address: address, host: host}
	t.Cleanup(func() {
		for _, text := range p.problems() {
			t.Error(text)
		}
		cancel()
	})
	if err := chromedp.Listen(ctx, p.event); err != nil {
		t.Fatal(err)
	}
	call(p, network.Enable, network.EnableParams{})
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
	media := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: media})
	p.do(chromedp.Navigate(address))
	return p
}

const patience = 40 * time.Second // with one action

// do runs actions, and fails the test if one fails.
func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for _, a := range actions {
		run(p, a)
	}
}

// run returns the value of an action, and fails the test if it fails.
func run[T any](p *page, a chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// call calls a command of the browser's protocol.
func call[P, R any](p *page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	return run(p, func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, command, params) })
}

// eval returns the value of an expression in JavaScript, or of its promise.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	return run(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// until waits for an expression in JavaScript to be true.
func (p *page) until(expression string) {
	p.t.Helper()
	run(p, chromedp.Poll[bool]("!!("+expression+")", chromedp.WithPollingTimeout(patience)))
}

// shoot writes a picture of the whole page to the folder of SCREENSHOTS, if that is set.
func (p *page) shoot(name string) {
	p.t.Helper()
	picture, err := png.Decode(bytes.NewReader(run(p, chromedp.FullScreenshot(100))))
	if err != nil {
		p.t.Fatal(err)
	}
	if dir := os.Getenv("SCREENSHOTS"); dir != "" {
		var text bytes.Buffer
		err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&text, paletted(picture))
		if err = cmp.Or(err, os.WriteFile(dir+"/"+name+".png", text.Bytes(), 0o666)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// paletted returns a picture with at most 256 colors, the most frequent, so that its file is small.
func paletted(m image.Image) image.Image {
	pixels := make(map[color.Color]int)
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			pixels[m.At(x, y)]++
		}
	}
	colors := slices.Collect(maps.Keys(pixels))
	key := func(c color.Color) string { return fmt.Sprint(c) }
	slices.SortFunc(colors, func(a, b color.Color) int { return cmp.Or(pixels[b]-pixels[a], cmp.Compare(key(a), key(b))) })
	to := image.NewPaletted(m.Bounds(), colors[:min(len(colors), 256)])
	near := make(map[color.Color]uint8)
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			c := m.At(x, y)
			if _, ok := near[c]; !ok {
				near[c] = uint8(to.Palette.Index(c))
			}
			to.SetColorIndex(x, y, near[c])
		}
	}
	return to
}

// event runs while the browser waits, so it runs no action.
func (p *page) event(e any) {
	found := ""
	switch e := e.(type) {
	case *runtime.EventConsoleAPICalled:
		found = "console: " + string(e.Type)
		for _, a := range e.Args {
			found += " " + string(a.Value)
		}
	case *runtime.EventExceptionThrown:
		found = "console: " + (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error()
	case *log.EventEntryAdded:
		found = "console: " + e.Entry.Text + " " + e.Entry.URL
	case *network.EventRequestWillBeSent:
		file, _, _ := strings.Cut(p.address, "#")
		if u, err := url.Parse(e.Request.URL); err != nil || u.Host != p.host || p.host == "" && e.Request.URL != file {
			found = "request: " + e.Request.URL
		}
	}
	if found != "" {
		p.mu.Lock()
		p.found = append(p.found, found)
		p.mu.Unlock()
	}
}

// problems returns the messages of the console and the requests to other hosts or files, once.
func (p *page) problems() (list []string) {
	p.mu.Lock()
	list, p.found = p.found, nil
	p.mu.Unlock()
	p.b.mu.Lock()
	list, p.b.foreign = append(list, p.b.foreign...), nil
	p.b.mu.Unlock()
	return list
}

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
	got := slices.DeleteFunc(p.problems(), func(s string) bool { return s[:1] == "c" && !slices.Contains(want, s) }) // Chromium's own words
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
