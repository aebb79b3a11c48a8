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
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
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
func start(t *testing.T, s *server, dir, clientCA string) (url string, stop func() error) {
	t.Helper()
	pair := &certificate{cert: filepath.Join(dir, "tls.crt"), key: filepath.Join(dir, "tls.key"), log: s.log}
	config, err := pair.tlsConfig(clientCA)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, l, config) }()
	return "https://" + l.Addr().String(), func() error { cancel(); return <-ended }
}

func TestCertificateReload(t *testing.T) {
	dir := t.TempDir()
	first := writeCertificate(t, dir, "tls")
	url, stop := start(t, testServer(io.Discard), dir, "")
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

func TestClientAuthority(t *testing.T) {
	dir := t.TempDir()
	serving, known := writeCertificate(t, dir, "tls"), writeCertificate(t, dir, "client")
	url, stop := start(t, testServer(io.Discard), dir, filepath.Join(dir, "client.crt"))
	ask := func(c *http.Client, path string, want int) {
		t.Helper()
		r, err := c.Post(url+path, "application/json", strings.NewReader(review(`{"spec": {}}`)))
		if path == "/healthz" {
			r, err = c.Get(url + path)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Body.Close(); err != nil || r.StatusCode != want {
			t.Errorf("%s: %d, want %d (%v)", path, r.StatusCode, want, err)
		}
	}
	stranger := client(serving)
	ask(stranger, "/healthz", http.StatusOK) // a kubelet
	ask(stranger, "/mutate", http.StatusUnauthorized)
	ask(stranger, "/validate", http.StatusUnauthorized)
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "client.crt"), filepath.Join(dir, "client.key"))
	if err != nil {
		t.Fatal(err)
	}
	c := client(serving, known)
	c.Transport.(*http.Transport).TLSClientConfig.Certificates = []tls.Certificate{pair}
	ask(c, "/mutate", http.StatusOK)
	writeCertificate(t, dir, "other") // of another authority
	if pair, err = tls.LoadX509KeyPair(filepath.Join(dir, "other.crt"), filepath.Join(dir, "other.key")); err != nil {
		t.Fatal(err)
	}
	c.Transport.(*http.Transport).TLSClientConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	if r, err := c.Get(url + "/healthz"); err == nil {
		t.Error("a certificate of another authority is taken", r.Body.Close())
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
	url, stop := start(t, s, dir, "")
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
