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
	"github.com/go-tolerate/tolerate/examples/internal/rules"
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
		"owners":                     review(`{"metadata": {"ownerReferences": [` + fill(`{}`, size) + `]}, "spec": {"tolerations": [{}]}}`),
		"a long owner":               review(`{"metadata": {"ownerReferences": [{"controller": true, "kind": ` + long(`\u0007`) + `}]}, "spec": {"tolerations": [{}]}}`),
		"a long name of a pod":       review(`{"metadata": {"name": ` + long(`\u0007`) + `}, "spec": {"tolerations": [{}]}}`),
		"a deletion":                 update(`{}`, `{"metadata": {"deletionTimestamp": `+long(`\n`)+`}}`),
		"no JSON":                    strings.Repeat("x", size),
		"a wrong uid":                strings.Replace(review("{}"), `"u-1"`, strings.Repeat("1", size), 1),
		"requests":                   strings.TrimSuffix(review("{}"), "}") + "," + members(`"request":{}`) + "}",
		"objects":                    strings.TrimSuffix(review("{}"), "}}") + "," + members(`"object":{}`) + "}}",
		"fields of the review":       strings.TrimSuffix(review("{}"), "}") + "," + members(`"\n":1`) + "}",
		"a user in many groups":      strings.TrimSuffix(review("{}"), "}}") + `, "userInfo": {"groups": [` + members(`"\n"`) + `]}}}`,
		"a long group":               strings.TrimSuffix(review("{}"), "}}") + `, "userInfo": {"groups": [` + long("x") + `]}}}`,
		"a node selector":            pod(`"nodeSelector": {` + numbered(`"k%d":""`) + `}`),
		"a label again and again":    pod(`"nodeSelector": {` + members(`"e.com/pool":"b"`) + `}`),
		"a long label":               pod(`"nodeSelector": {"e.com/pool": ` + long(`\u001b`) + `}`),
		"selectors":                  pod(members(`"nodeSelector":{}`)),
		"a list as selector":         list("nodeSelector", "1"),
	}
	for _, field := range []string{"uid", "subResource", "namespace", "name", "operation"} {
		cases["a long "+field] = strings.TrimSuffix(review("{}"), "}}") + `, "` + field + `": ` + long(`\u0007`) + `}}`
	}
	cases["a long kind"] = strings.Replace(review("{}"), `"Pod"`, long(`\u0007`), 1)
	cases["another version"] = strings.Replace(review("{}"), `"admission.k8s.io/v1"`, long("<"), 1)
	return cases
}

const hostileConfig = `{"rules": [
	{"groups": ["a", "b"], "policy": {"allow": [{"taints": [{"key": "a", "value": "b"}, {"key": "b", "operator": "Exists"}]}]}},
	{"tolerations": [{"key": "a"}], "nodeSelector": {"e.com/pool": "a"},
	 "policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"name": "gpu", "taints": [{"key": "gpu", "operator": "Exists"}]}]}}]}`

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

func answerHostile(t *testing.T, cfg *rules.Config, name, body string, most uint64) {
	for _, path := range []string{"/mutate", "/validate"} {
		var log bytes.Buffer
		s := newServer(slog.New(slog.NewJSONHandler(&log, nil)))
		s.config.Store(cfg)
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
		if len(s.large) != 0 || len(s.judged) != 0 {
			t.Errorf("%s, %s: %d and %d slots are not free", name, path, len(s.large), len(s.judged))
		}
	}
}

// Clients that send a byte at a time do not keep others from being answered.
func TestHostileSlowClients(t *testing.T) {
	s := testServer(io.Discard)
	web := httptest.NewServer(s.handler())
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

// Large bodies that arrive take a limited number of slots, and small ones need none.
func TestHostileLargeClients(t *testing.T) {
	s := testServer(io.Discard)
	codes := make(chan int)
	var feeds []*io.PipeWriter
	for range cap(s.large) {
		r, feed := io.Pipe()
		feeds = append(feeds, feed)
		go func() { codes <- post(s, "/mutate", "application/json", r).Code }()
		if _, err := io.WriteString(feed, strings.Repeat(" ", 2*smallBytes)); err != nil {
			t.Fatal(err)
		}
	}
	large := strings.Repeat(" ", 900_000) + review(`{"spec": {}}`)
	s.wait = time.Millisecond
	if w := post(s, "/mutate", "application/json", strings.NewReader(large)); w.Code != http.StatusServiceUnavailable {
		t.Errorf("one more large request: %d", w.Code)
	}
	s.wait = time.Minute
	if w := post(s, "/mutate", "application/json", strings.NewReader(review(`{"spec": {}}`))); w.Code != http.StatusOK {
		t.Errorf("a small request: %d", w.Code)
	}
	for _, feed := range feeds {
		feed.CloseWithError(io.ErrUnexpectedEOF)
		if code := <-codes; code != http.StatusBadRequest {
			t.Errorf("a request that ends early: %d", code)
		}
	}
	if w := post(s, "/mutate", "application/json", strings.NewReader(large)); w.Code != http.StatusOK {
		t.Errorf("a large request afterwards: %d", w.Code)
	}
}

// Large clients that stall lose their slots, so that other large requests are answered.
func TestHostileStalledClients(t *testing.T) {
	s := testServer(io.Discard)
	s.arrive = 50 * time.Millisecond
	web := httptest.NewServer(s.handler())
	defer web.Close()
	codes := make(chan int)
	for range cap(s.large) {
		c, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() // nothing more is written
		fmt.Fprintf(c, "POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", 1<<20, strings.Repeat(" ", 1<<19))
		go func() {
			r, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Error(err)
				codes <- 0
				return
			}
			_ = r.Body.Close() // only the code counts
			codes <- r.StatusCode
		}()
	}
	for range cap(s.large) {
		if code := <-codes; code != http.StatusRequestTimeout {
			t.Errorf("a stalled client: %d", code)
		}
	}
	s.arrive = time.Minute
	large := strings.Repeat(" ", 900_000) + review(`{"spec": {}}`)
	r, err := web.Client().Post(web.URL+"/mutate", "application/json", strings.NewReader(large))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Body.Close(); err != nil || r.StatusCode != http.StatusOK || len(s.large) != 0 {
		t.Errorf("a large request: %d, %v, %d slots are taken", r.StatusCode, err, len(s.large))
	}
}

// Nothing in a review or in the configuration steers the terminal.
func TestHostileText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	check := func(input, config string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		s := newServer(slog.New(slog.NewJSONHandler(terminal.Writer(&log), nil)))
		if err := s.load(file); err != nil {
			status, errs := webhook(t, "-config", file)
			if hostile.Check(t, "stderr", errs); status != 2 || errs == "" {
				t.Errorf("status %d, %q", status, errs)
			}
		}
		for _, path := range []string{"/mutate", "/validate"} {
			post(s, path, "application/json"+hostile.Mark, strings.NewReader(input))
			post(s, path, "application/json", strings.NewReader(input))
		}
		hostile.Check(t, "the log", log.String())
	}
	sample := strings.Replace(review(`{"metadata": {"generateName": "web-", "ownerReferences": [{"kind": "ReplicaSet", "name": "web", "controller": true}]}, "spec": {"tolerations": [{"operator": "Exists"}]}}`), `"uid"`, `"namespace": "shop", "uid"`, 1)
	for _, input := range append(hostile.Variants(t, sample), "\x1b[2J", "{\"kind\": \"\x9b2J", sample+hostile.Mark) {
		check(input, hostileConfig)
	}
	for _, text := range append(hostile.Variants(t, shipped(t)), "\x1b[2J", shipped(t)+hostile.Mark) {
		check(sample, text)
	}
}
