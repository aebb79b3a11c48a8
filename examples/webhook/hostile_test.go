package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

// fill repeats a unit, with commas, up to a size.
func fill(unit string, size int) string {
	n := max(size/(len(unit)+1), 1)
	return strings.Repeat(unit+",", n-1) + unit
}

// reviews returns reviews of nearly size bytes, each with another part of it as
// large as it can be.
func reviews(size int) map[string]string {
	size -= 1000
	pod := func(spec string) string { return review(`{"spec": {` + spec + `}}`) }
	list := func(name, unit string) string { return pod(`"` + name + `": [` + fill(unit, size) + `]`) }
	members := func(unit string) string { return fill(unit, size) }
	update := func(object, old string) string {
		r := strings.Replace(review(object), `"CREATE"`, `"UPDATE"`, 1)
		return strings.TrimSuffix(r, "}}") + `, "oldObject": ` + old + `}}`
	}
	node := func(body string) string { return strings.Replace(body, `"Pod"`, `"Node"`, 1) }
	long := func(unit string) string { return `"` + strings.Repeat(unit, size/len(unit)) + `"` }
	half := func(unit string) string { return `{"spec": {"tolerations": [` + fill(unit, size/2) + `]}}` }
	numbered := func(form string) string {
		var b strings.Builder
		for i := 0; b.Len() < size-50; i++ {
			fmt.Fprintf(&b, form+",", i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	var deep strings.Builder
	for range 9_000 {
		deep.WriteString(`{"a":[`)
	}
	cases := map[string]string{
		"empty tolerations":          list("tolerations", "{}"),
		"null tolerations":           list("tolerations", "null"),
		"numbers as tolerations":     list("tolerations", "1"),
		"escapes as tolerations":     list("tolerations", `"\n"`),
		"wrong tolerations":          list("tolerations", `{"key":"-","operator":"x","effect":"y"}`),
		"distinct tolerations":       pod(`"tolerations": [` + numbered(`{"key":"k%d"}`) + `]`),
		"fields of one":              pod(`"tolerations": [{` + members(`"\n":1`) + `}]`),
		"one field again and again":  pod(`"tolerations": [{` + members(`"key":"a"`) + `}]`),
		"a long key":                 pod(`"tolerations": [{"key": ` + long("x") + `}]`),
		"a long escaped key":         pod(`"tolerations": [{"key": ` + long(`\u001b`) + `}]`),
		"a key of line separators":   pod(`"tolerations": [` + long("\u2028") + `]`),
		"a key that is no UTF-8":     pod(`"tolerations": [` + long("\xff") + `]`),
		"a long number":              pod(`"tolerations": [{"key": "a", "tolerationSeconds": ` + strings.Repeat("1", size) + `}]`),
		"long quoted seconds":        pod(`"tolerations": [{"key": "a", "tolerationSeconds": ` + long("1") + `}]`),
		"200 long keys":              pod(`"tolerations": [` + fill(`{"key":"`+strings.Repeat("x", size/200-100)+`","effect":"`+strings.Repeat("y", 50)+`"}`, size) + `]`),
		"a string of tolerations":    pod(`"tolerations": ` + long(`\t`)),
		"tolerations again":          pod(members(`"tolerations":[]`)),
		"containers":                 list("containers", "{}"),
		"numbers as containers":      list("containers", "1"),
		"containers with resources":  list("containers", `{"resources":{"requests":{"cpu":1}}}`),
		"containers, wrong":          list("containers", `{"resources":1}`),
		"init containers":            list("initContainers", "{}"),
		"containers again":           pod(members(`"containers":[{}]`)),
		"fields of a container":      pod(`"containers": [{` + members(`"\n":1`) + `}]`),
		"resources":                  pod(`"containers": [{"resources": {"requests": {` + numbered(`"e.com/r%d":1`) + `}}}]`),
		"few resources":              pod(`"containers": [{"resources": {"requests": {` + numbered(`"e.com/r%d":"`+strings.Repeat("1", 3_000)+`"`) + `}}}]`),
		"one resource":               pod(`"containers": [{"resources": {"requests": {` + members(`"e.com/x":1`) + `}}}]`),
		"a long resource":            pod(`"containers": [{"resources": {"requests": {` + long("x") + `: 1}}}]`),
		"resources of the pod":       pod(`"resources": {"requests": {` + members(`"cpu":1`) + `}}`),
		"fields of the spec":         pod(members(`"\n":1`)),
		"fields of the status":       review(`{"status": {` + members(`"\n":1`) + `}}`),
		"fields of the pod":          review(`{` + members(`"\n":1`) + `}`),
		"annotations":                review(`{"metadata": {"annotations": {` + members(`"\n":"\n"`) + `}}}`),
		"specs":                      review(`{` + members(`"spec":{}`) + `}`),
		"a class":                    pod(`"runtimeClassName": ` + long(`\u00e9`)),
		"a wrong class":              review(`{"status": {"qosClass": ` + long("x") + `}}`),
		"white space":                review(strings.Repeat(" ", size) + "{}"),
		"nesting":                    review(deep.String()),
		"closed nesting":             pod(`"x": ` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `, "tolerations": []`),
		"an object that is a string": review(long("x")),
		"both lists":                 update(half("{}"), half("{}")),
		"two lists":                  update(half("{}"), half("1")),
		"the old list":               update(`{"spec": {"tolerations": [{"key":"a"}]}}`, `{"spec": {"tolerations": [`+fill(`{"key":"a"}`, size)+`]}}`),
		"wrong before":               update(`{}`, `{"spec": {"tolerations": [`+fill("1", size)+`]}}`),
		"metadata before":            update(`{}`, `{"metadata": {`+members(`"\n":1`)+`}}`),
		"a deletion":                 update(`{}`, `{"metadata": {"deletionTimestamp": `+long(`\n`)+`}}`),
		"taints":                     node(list("taints", "{}")),
		"numbers as taints":          node(list("taints", "1")),
		"fields of a taint":          node(pod(`"taints": [{` + members(`"\n":1`) + `}]`)),
		"repeated taints":            node(list("taints", `{"key":"a","effect":"NoSchedule"}`)),
		"a long taint":               node(pod(`"taints": [{"key": ` + long("x") + `, "effect": ` + `"` + strings.Repeat("y", 10) + `"}]`)),
		"no JSON":                    strings.Repeat("x", size),
		"a wrong uid":                strings.Replace(review("{}"), `"u-1"`, strings.Repeat("1", size), 1),
		"requests":                   strings.TrimSuffix(review("{}"), "}") + "," + members(`"request":{}`) + "}",
		"objects":                    strings.TrimSuffix(review("{}"), "}}") + "," + members(`"object":{}`) + "}}",
		"fields of the review":       strings.TrimSuffix(review("{}"), "}") + "," + members(`"\n":1`) + "}",
		"a user in many groups":      strings.TrimSuffix(review("{}"), "}}") + `, "userInfo": {"groups": [` + members(`"\n"`) + `]}}}`,
	}
	for _, field := range []string{"uid", "subResource", "namespace", "name", "operation"} {
		cases["a long "+field] = strings.TrimSuffix(review("{}"), "}}") + `, "` + field + `": ` + long(`\u0007`) + `}}`
	}
	cases["a long kind"] = strings.Replace(review("{}"), `"Pod"`, long(`\u0007`), 1)
	cases["another version"] = strings.Replace(review("{}"), `"admission.k8s.io/v1"`, long("<"), 1)
	return cases
}

const hostileConfig = `{"defaults": [{"key": "a"}], "whitelist": [{"key": "a"}, {"key": "b", "operator": "Exists"}],
	"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"name": "gpu", "taints": [{"key": "gpu", "operator": "Exists"}]}]}}`

// Whatever a review of 3 MB is made of, it takes no more than 64 MB to answer it,
// all memory together, freed or not; and the answer and the log are short. Nearly
// all are tried with a third of both, to save time: what is not linear in the size
// has a limit, so that is the stricter test.
func TestHostileReviews(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes with the race detector")
	}
	cfg := mustConfig(t, hostileConfig)
	for name, body := range reviews(1 << 20) {
		answerHostile(t, cfg, name, body, 64<<20/3)
	}
	large := reviews(3 << 20)
	for _, name := range []string{"empty tolerations", "numbers as containers", "few resources", "metadata before"} {
		answerHostile(t, cfg, name, large[name], 64<<20)
	}
}

func answerHostile(t *testing.T, cfg *config, name, body string, most uint64) {
	for _, path := range []string{"/mutate", "/validate"} {
		var log bytes.Buffer
		s := newServer(cfg, slog.New(slog.NewJSONHandler(&log, nil)), 8<<20, 4, 0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		w := post(s, path, "application/json", strings.NewReader(body))
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		t.Logf("%-28s %-9s %d, %5.1f MB for %.1f MB, %v", name, path, w.Code, float64(used)/(1<<20), float64(len(body))/(1<<20), took.Round(time.Millisecond))
		if used > most {
			t.Errorf("%s, %s: %d bytes for %d", name, path, used, len(body))
		}
		if w.Body.Len() > 200_000 || log.Len() > 10*mostText {
			t.Errorf("%s, %s: an answer of %d bytes, a log of %d", name, path, w.Body.Len(), log.Len())
		}
		if s.memory.available() != fullBodies*s.maxBytes || len(s.places) != 0 {
			t.Errorf("%s, %s: %d bytes and %d places are not given back", name, path, s.memory.available(), len(s.places))
		}
	}
}

// Clients that send a byte at a time do not keep others from being answered.
func TestHostileSlowClients(t *testing.T) {
	s := newServer(&config{}, slog.New(slog.DiscardHandler), 1<<20, 2, 0)
	web := httptest.NewServer(s)
	defer web.Close()
	body := review(`{"spec": {}}`)
	const slow, good = 100, 40
	var conns []net.Conn
	for range slow {
		c, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() // nothing is written any more
		conns = append(conns, c)
		fmt.Fprintf(c, "POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(body))
		// The server requests the body when it begins to read it.
		line := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
		if _, err := io.ReadFull(c, line); err != nil || !strings.Contains(string(line), "100") {
			t.Fatalf("%q, %v", line, err)
		}
	}
	for i := range good {
		for _, c := range conns {
			if _, err := io.WriteString(c, body[i:i+1]); err != nil {
				t.Fatal(err)
			}
		}
		r, err := web.Client().Post(web.URL+"/validate", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Body.Close(); err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("request %d: %d, %v", i, r.StatusCode, err)
		}
	}
	for _, c := range conns { // they too are answered in the end
		if _, err := io.WriteString(c, body[good:]); err != nil {
			t.Fatal(err)
		}
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Body.Close(); err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("a slow one: %d, %v", r.StatusCode, err)
		}
	}
}

// Bodies that come in hold no more memory together than they may, and small ones
// come in nevertheless.
func TestHostileLargeClients(t *testing.T) {
	s := newServer(&config{}, slog.New(slog.DiscardHandler), 1<<20, 2, 0)
	stopped := make(chan int)
	var feeds []*io.PipeWriter
	for range fullBodies {
		r, feed := io.Pipe()
		feeds = append(feeds, feed)
		go func() { stopped <- post(s, "/mutate", "application/json", r).Code }()
		if _, err := io.WriteString(feed, strings.Repeat(" ", 1<<20-10)); err != nil {
			t.Fatal(err)
		}
	}
	if left := s.memory.available(); left < 0 || left > 4*freeBytes+8 {
		t.Errorf("%d bytes are left", left)
	}
	large := strings.Repeat(" ", 900_000) + review(`{"spec": {}}`)
	if w := post(s, "/mutate", "application/json", strings.NewReader(large)); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one large request more: %d", w.Code)
	}
	if w := post(s, "/mutate", "application/json", strings.NewReader(review(`{"spec": {}}`))); w.Code != http.StatusOK {
		t.Errorf("a small request: %d", w.Code)
	}
	for _, feed := range feeds {
		feed.CloseWithError(io.ErrUnexpectedEOF)
		if code := <-stopped; code != http.StatusBadRequest {
			t.Errorf("broken off: %d", code)
		}
	}
	if w := post(s, "/mutate", "application/json", strings.NewReader(large)); w.Code != http.StatusOK {
		t.Errorf("a large request afterwards: %d", w.Code)
	}
}

// Large clients that stall are broken off, so that large requests that come
// meanwhile wait for their memory and are answered.
func TestHostileStalledClients(t *testing.T) {
	s := newServer(&config{}, slog.New(slog.DiscardHandler), 1<<20, 2, time.Minute)
	web := httptest.NewServer(s)
	defer web.Close()
	stopped := make(chan int)
	for range fullBodies {
		c, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() // nothing is written any more
		fmt.Fprintf(c, "POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", 1<<20, strings.Repeat(" ", 1<<19+10))
		go func() {
			r, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Error(err)
				stopped <- 0
				return
			}
			_ = r.Body.Close() // the code is all that counts
			stopped <- r.StatusCode
		}()
	}
	for s.memory.available() > fullBodies*freeBytes { // all of it is held
		time.Sleep(time.Millisecond)
	}
	large := strings.Repeat(" ", 900_000) + review(`{"spec": {}}`)
	for i := range 6 {
		r, err := web.Client().Post(web.URL+"/mutate", "application/json", strings.NewReader(large))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Body.Close(); err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("large request %d: %d, %v", i, r.StatusCode, err)
		}
	}
	for range fullBodies {
		if code := <-stopped; code != http.StatusRequestTimeout {
			t.Errorf("a stalled client: %d", code)
		}
	}
	if left := s.memory.available(); left != fullBodies*s.maxBytes {
		t.Errorf("%d bytes are left", left)
	}
}

// Large bodies that all wait for more memory do not wait for each other: some are
// refused, and the others are answered.
func TestHostileLargeTogether(t *testing.T) {
	s := newServer(&config{}, slog.New(slog.DiscardHandler), 1<<20, 2, time.Hour)
	const (
		half  = 1 << 19
		count = fullBodies * (1 << 20) / (half - freeBytes)
	)
	codes := make(chan int)
	var feeds []*io.PipeWriter
	for range count {
		r, feed := io.Pipe()
		feeds = append(feeds, feed)
		go func() { codes <- post(s, "/mutate", "application/json", r).Code }()
		if _, err := io.WriteString(feed, strings.Repeat(" ", half-10)); err != nil {
			t.Fatal(err)
		}
	}
	for _, feed := range feeds {
		go func() {
			_, err := io.WriteString(feed, strings.Repeat(" ", 100_000)+review(`{"spec": {}}`))
			feed.CloseWithError(err) // of one that is refused nothing more is read
		}()
	}
	got := map[int]int{}
	for range count {
		got[<-codes]++
	}
	for _, feed := range feeds {
		feed.Close() // as said
	}
	if got[http.StatusOK] < count/2 || got[http.StatusServiceUnavailable] == 0 || got[http.StatusOK]+got[http.StatusServiceUnavailable] != count {
		t.Errorf("codes and how many: %v", got)
	}
	if left := s.memory.available(); left != fullBodies*s.maxBytes || s.memory.holders != 0 || s.memory.stuck != 0 {
		t.Errorf("afterwards: %d bytes, %d holders, %d stuck", left, s.memory.holders, s.memory.stuck)
	}
}

// Nothing in a review or in the configuration steers the terminal.
func TestHostileText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(input string) {
		t.Helper()
		status, out, errs := webhook(t, input, "-config", file, "-")
		hostile.Check(t, "stdout", out)
		hostile.Check(t, "stderr", errs)
		if status != statusOK && status != statusRefused && errs == "" {
			t.Errorf("status %d without a word", status)
		}
		var log bytes.Buffer // of the server
		s := newServer(&config{}, slog.New(slog.NewJSONHandler(terminal.Writer(&log), nil)), 1<<20, 1, 0)
		post(s, "/validate", "application/json"+hostile.Mark, strings.NewReader(input))
		post(s, "/mutate", "application/json", strings.NewReader(input))
		hostile.Check(t, "the log", log.String())
	}
	write(hostileConfig)
	for _, input := range append(hostile.Variants(t, sample), "\x1b[2J", "{\"kind\": \"\x9b2J", sample+hostile.Mark) {
		check(input)
	}
	for _, text := range append(hostile.Variants(t, sampleConfig), "\x1b[2J", sampleConfig+hostile.Mark) {
		write(text)
		check(sample)
	}
}
