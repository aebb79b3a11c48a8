package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func review(object string) string {
	return `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u-1", "kind": {"version": "v1", "kind": "Pod"}, "operation": "CREATE", "object": ` + object + `}}`
}

func post(s *server, path, contentType string, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, body)
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, r)
	return w
}

func testServer(log io.Writer) *server {
	s := newServer(slog.New(slog.NewJSONHandler(log, nil)))
	s.wait, s.judged = time.Minute, make(slots, 2)
	return s
}

func TestAnswer(t *testing.T) {
	var log bytes.Buffer
	w := post(testServer(&log), "/mutate", "application/json; charset=utf-8", strings.NewReader(review(`{"spec": {}}`)))
	var got struct {
		APIVersion, Kind string
		Response         struct {
			UID, PatchType string
			Allowed        bool
			Patch          []byte
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err, w.Body)
	}
	const patch = `[{"op":"add","path":"/spec/tolerations","value":[` + notReady + `,` + unreachable + `]}]`
	r := got.Response
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" || got.APIVersion != reviewVersion || got.Kind != reviewKind ||
		r.UID != "u-1" || !r.Allowed || r.PatchType != "JSONPatch" || string(r.Patch) != patch {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	var line struct {
		Msg, UID, Path string
		Allowed        bool
	}
	if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.Msg != "answered" || line.UID != "u-1" || line.Path != "/mutate" || !line.Allowed {
		t.Errorf("log %s, %v", &log, err)
	}
}

// A refusal is logged with what an operator needs to find its cause. It is a warning if
// the configuration says so.
func TestRefused(t *testing.T) {
	object := `{"metadata": {"generateName": "web-", "ownerReferences": [{"kind": "A", "name": "a"}, {"kind": "ReplicaSet", "name": "web", "controller": true}]},
		"spec": {"tolerations": [{"operator": "Exists"}, {"key": "gpu"}]}}`
	body := strings.Replace(review(object), `"uid"`, `"namespace": "shop", "uid"`, 1)
	for _, warn := range []bool{false, true} {
		var log bytes.Buffer
		s := testServer(&log)
		s.config.Store(mustConfig(t, fmt.Sprintf(`{"rules": [{"warn": %v, "policy": {"allow": [{"taints": [{"operator": "Exists"}]}],
			"deny": [{"name": "gpu", "taints": [{"key": "gpu", "operator": "Exists"}]}]}}]}`, warn)))
		var got admissionReview
		if w := post(s, "/validate", "application/json", strings.NewReader(body)); json.Unmarshal(w.Body.Bytes(), &got) != nil || got.Response == nil {
			t.Fatal(w.Body)
		}
		r, first := got.Response, `tolerate: spec.tolerations[0] "op=Exists": is not allowed by the policy: tolerates gpu:NoSchedule, which clause "gpu" denies`
		if r.Allowed != warn || warn == (r.Status != nil) || warn && (len(r.Warnings) != 2 || r.Warnings[0] != first) || !warn && (r.Warnings != nil || r.Status.Code != forbidden) {
			t.Errorf("warn %v: %+v", warn, r)
		}
		var line struct {
			Level, Msg, Namespace, Name, Owner string
			Allowed                            bool
			Clauses                            []string
		}
		if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.Level != "WARN" || line.Msg != "refused" || line.Namespace != "shop" || line.Name != "web-" ||
			line.Owner != "ReplicaSet/web" || line.Allowed != warn || !slices.Equal(line.Clauses, []string{"rules[0].policy.gpu"}) {
			t.Errorf("warn %v: log %s, %v", warn, &log, err)
		}
	}
}

// lines are those of a log.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// The configuration is read again when it changes. A mistake in it opens nothing, and is
// logged once.
func TestWatch(t *testing.T) {
	dir, log := t.TempDir(), make(lines)
	file := filepath.Join(dir, "config.json")
	replace := func(text string) { // as a config map is
		t.Helper()
		next := filepath.Join(dir, "next")
		if err := errors.Join(os.WriteFile(next, []byte(text), 0o600), os.Rename(next, file)); err != nil {
			t.Fatal(err)
		}
	}
	const closed = `{"rules": [{"policy": {}}]}`
	replace(closed)
	s := testServer(log)
	if err := s.load(file); err != nil {
		t.Fatal(err)
	}
	go s.watch(t.Context(), file, time.Millisecond)
	for _, tt := range []struct {
		text, log string
		refused   bool
	}{
		{`{"rules": []}`, "has changed", false},
		{closed, "has changed", true},
		{`{"rules": [{"policy": null}]}`, "rules[0].policy: must not be null", true},
		{" ", "end of JSON", true},
		{`{}`, "has changed", false},
		{closed, "has changed", true},
		{"", "no such file", true},
	} {
		if tt.text != "" {
			replace(tt.text)
		} else if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if line := <-log; !strings.Contains(line, tt.log) {
			t.Errorf("%s: log %s", tt.text, line)
		}
		if v := check(s.config.Load(), podRequest("CREATE", "", `"tolerations": [{"key": "a"}]`, "")); (v.err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.text, v.err)
		}
	}
}

// What is no review gets an HTTP error that says why, and no crash.
func TestBadRequests(t *testing.T) {
	const isJSON = "application/json"
	for _, tt := range []struct {
		name, contentType string
		body              io.Reader
		code              int
		want              string
	}{
		{"no content type", "", strings.NewReader("{}"), 415, "application/json"},
		{"another content type", "application/yaml", strings.NewReader("{}"), 415, "application/yaml"},
		{"nothing", isJSON, strings.NewReader(""), 400, "unexpected end"},
		{"cut off", isJSON, strings.NewReader(review("{}")[:60]), 400, "unexpected end"},
		{"breaks off", isJSON, iotest.ErrReader(errors.New("gone")), 400, "gone"},
		{"not JSON", isJSON, strings.NewReader("<xml/>"), 400, "invalid character"},
		{"an array", isJSON, strings.NewReader("[]"), 400, "array"},
		{"huge", isJSON, strings.NewReader(review(`"` + strings.Repeat("x", maxBytes) + `"`)), 413, "more than 8388608 bytes"},
		{"deep", isJSON, strings.NewReader(review(strings.Repeat("[", 9_000))), 400, ""},
		{"another version", isJSON, strings.NewReader(strings.Replace(review("{}"), "/v1", "/v1beta1", 1)), 400, "v1beta1"},
		{"another kind", isJSON, strings.NewReader(strings.Replace(review("{}"), "AdmissionReview", "Review", 1)), 400, `"Review"`},
		{"no request", isJSON, strings.NewReader(`{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}`), 400, "no request"},
		{"a long name", isJSON, strings.NewReader(strings.Replace(review("{}"), "u-1", strings.Repeat("u", mostText+1), 1)), 400, "at most 1000"},
		{"groups that are no list", isJSON, strings.NewReader(strings.Replace(review("{}"), `"uid"`, `"userInfo": {"groups": "gpu-users"}, "uid"`, 1)), 400, "Groups"},
		{"no uid", isJSON, strings.NewReader(strings.Replace(review("{}"), "u-1", "", 1)), 400, "uid"},
	} {
		for _, path := range []string{"/mutate", "/validate"} {
			var log bytes.Buffer
			w := post(testServer(&log), path, tt.contentType, tt.body)
			if path == "/mutate" && (w.Code != tt.code || !strings.Contains(w.Body.String(), tt.want)) || w.Code < 400 {
				t.Errorf("%s: %d %s, want %d with %q", tt.name, w.Code, w.Body, tt.code, tt.want)
			}
			if !strings.Contains(log.String(), `"no review"`) {
				t.Errorf("%s: log %s", tt.name, &log)
			}
		}
	}
	s := testServer(io.Discard)
	for _, tt := range []struct {
		method, path string
		code         int
	}{
		{http.MethodGet, "/mutate", 405}, {http.MethodPut, "/validate", 405}, {http.MethodPost, "/", 404}, {http.MethodPost, "/mutate/", 404},
		{http.MethodGet, "/healthz", 200}, {http.MethodHead, "/healthz", 200}, {http.MethodPost, "/healthz", 405},
	} {
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, httptest.NewRequest(tt.method, tt.path, nil))
		if w.Code != tt.code {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.path, w.Code, tt.code)
		}
	}
}

func TestTooMany(t *testing.T) {
	s := testServer(io.Discard)
	s.wait = time.Millisecond
	for range cap(s.judged) {
		s.judged <- struct{}{}
	}
	w := post(s, "/mutate", "application/json", strings.NewReader(review("{}")))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d", w.Code)
	}
	health := httptest.NewRecorder()
	s.handler().ServeHTTP(health, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	if health.Code != http.StatusOK {
		t.Errorf("/healthz meanwhile: %d", health.Code)
	}
	<-s.judged
	s.wait = time.Minute
	if w := post(s, "/mutate", "application/json", strings.NewReader(review(`{"spec": {}}`))); w.Code != http.StatusOK {
		t.Errorf("afterwards: %d", w.Code)
	}
}

// A request that finds all places taken gets one that is given back in time.
func TestWaits(t *testing.T) {
	s := testServer(io.Discard)
	for range cap(s.judged) {
		s.judged <- struct{}{}
	}
	done := make(chan int)
	go func() {
		done <- post(s, "/mutate", "application/json", strings.NewReader(review(`{"spec": {}}`))).Code
	}()
	<-s.judged
	if code := <-done; code != http.StatusOK {
		t.Errorf("with a place: %d", code)
	}
	if len(s.judged) != cap(s.judged)-1 {
		t.Errorf("%d places are taken afterwards", len(s.judged))
	}
	s.judged <- struct{}{}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if s.judged.take(gone, time.Minute) {
		t.Error("a slot for a client that is gone")
	}
}

// writeCertificate makes a certificate of its own for 127.0.0.1 and writes it
// and its key.
func writeCertificate(t *testing.T, dir, name string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".crt": {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "EC PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// client trusts these certificates, and opens a connection for each request.
func client(trusted ...*x509.Certificate) *http.Client {
	pool := x509.NewCertPool()
	for _, c := range trusted {
		pool.AddCert(c)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}, Timeout: time.Minute}
}

// start runs the server until the test ends or stop is called, which waits for
// its end.
func start(t *testing.T, s *server, dir string) (url string, stop func() error) {
	t.Helper()
	pair := &certificate{cert: filepath.Join(dir, "tls.crt"), key: filepath.Join(dir, "tls.key"), log: s.log}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, l, pair) }()
	return "https://" + l.Addr().String(), func() error { cancel(); return <-ended }
}

func TestCertificateReload(t *testing.T) {
	dir := t.TempDir()
	first := writeCertificate(t, dir, "tls")
	url, stop := start(t, testServer(io.Discard), dir)
	get := func(trusted ...*x509.Certificate) error {
		r, err := client(trusted...).Get(url + "/healthz")
		if err != nil {
			return err
		}
		return r.Body.Close()
	}
	if err := get(first); err != nil {
		t.Fatal(err)
	}
	second := writeCertificate(t, dir, "tls")
	if err := get(second); err != nil {
		t.Errorf("the new certificate is not used: %v", err)
	}
	if err := get(first); err == nil {
		t.Error("the old certificate is still used")
	}
	if err := os.WriteFile(filepath.Join(dir, "tls.key"), []byte("half a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := get(second); err != nil {
		t.Errorf("a key that does not fit ends the service: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "tls.key")); err != nil {
		t.Fatal(err)
	}
	if err := get(second); err != nil {
		t.Errorf("a key that is gone ends the service: %v", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// Requests that are open when the shutdown begins are answered, and no new ones.
func TestShutdown(t *testing.T) {
	dir := t.TempDir()
	c := client(writeCertificate(t, dir, "tls"))
	var log bytes.Buffer
	s := testServer(&log)
	s.arrive = time.Minute
	url, stop := start(t, s, dir)
	body, feed := io.Pipe()
	answered := make(chan error)
	go func() {
		r, err := c.Post(url+"/mutate", "application/json", body)
		if err == nil && r.StatusCode != http.StatusOK {
			err = errors.New(r.Status)
		}
		answered <- err
	}()
	text := strings.Repeat(" ", 2*smallBytes) + review(`{"spec": {}}`)
	if _, err := io.WriteString(feed, text[:2*smallBytes]); err != nil {
		t.Fatal(err)
	}
	for len(s.large) == 0 { // until it is being read
		time.Sleep(time.Millisecond)
	}
	stopped := make(chan error)
	go func() { stopped <- stop() }()
	for { // until the server does not listen any more
		r, err := c.Get(url + "/healthz")
		if err != nil {
			break
		}
		if err := r.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(feed, text[2*smallBytes:]); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(feed.Close(), <-answered, <-stopped); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(log.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("log line %q is not JSON", line)
		}
	}
}
