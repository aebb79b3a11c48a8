package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A server answers admission reviews.
type server struct {
	config   *config
	log      *slog.Logger
	maxBytes int64
	memory   budget        // of the bodies, from their first bytes to the answer
	places   chan struct{} // taken while a body that has come in is judged
	wait     time.Duration // for a place, and for memory each time
	timeout  time.Duration // for a body to come in; 0: no limit
	known    bool          // only clients with a certificate get answers
	closing  atomic.Bool
}

func newServer(c *config, log *slog.Logger, maxBytes int64, concurrent int, wait time.Duration) *server {
	s := &server{config: c, log: log, maxBytes: maxBytes, places: make(chan struct{}, concurrent), wait: wait}
	s.memory.left = fullBodies * maxBytes
	return s
}

// enter takes a place, and reports whether there was one in time.
func (s *server) enter(ctx context.Context) bool {
	select {
	case s.places <- struct{}{}:
		return true
	default:
	}
	limit := time.NewTimer(s.wait)
	defer limit.Stop()
	select {
	case s.places <- struct{}{}:
		return true
	case <-limit.C:
	case <-ctx.Done():
	}
	return false
}

// ServeHTTP answers everything that is not a review with an HTTP error.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var judge func(*request) verdict
	switch r.URL.Path {
	case "/healthz":
		s.healthz(w, r)
		return
	case "/mutate":
		judge = s.config.mutate
	case "/validate":
		judge = s.config.validate
	default:
		http.NotFound(w, r)
		return
	}
	if s.known && (r.TLS == nil || len(r.TLS.VerifiedChains) == 0) {
		s.fail(w, r, http.StatusUnauthorized, errors.New("the client has no known certificate"))
		return
	}
	began := time.Now()
	if code, err := s.accept(w, r); err != nil {
		s.fail(w, r, code, err)
		return
	}
	var body body
	defer func() { body.giveBack(&s.memory) }()
	if code, err := s.readBody(w, r, &body); err != nil {
		s.fail(w, r, code, err)
		return
	}
	// Only what has come in takes a place: a slow client costs its own connection.
	if !s.enter(r.Context()) {
		s.fail(w, r, http.StatusServiceUnavailable, errors.New("too many requests at a time"))
		return
	}
	out, code, err := s.answer(body.data, judge)
	<-s.places
	if err != nil {
		s.fail(w, r, code, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	attrs := append([]any{"path", r.URL.Path}, out.attrs...)
	attrs = append(attrs, "took", time.Since(began))
	if _, err := w.Write(out.text); err != nil {
		s.log.Error("not answered", append(attrs, "error", err)...)
		return
	}
	s.log.Info("answered", attrs...)
}

// A reply is what is sent and what is logged.
type reply struct {
	text  []byte
	attrs []any
}

// answer answers a review, or returns the HTTP error to answer with.
func (s *server) answer(body []byte, judge func(*request) verdict) (a reply, code int, err error) {
	in, err := decodeReview(body)
	if err != nil {
		return a, http.StatusBadRequest, err
	}
	v := judge(in)
	out, err := v.response(in.UID)
	if err == nil {
		a.text, err = json.Marshal(admissionReview{APIVersion: reviewVersion, Kind: reviewKind, Response: out})
	}
	if err != nil {
		return a, http.StatusInternalServerError, err
	}
	a.text = append(a.text, '\n')
	a.attrs = []any{"uid", in.UID, "operation", in.Operation, "kind", in.Kind.Kind, "namespace", in.Namespace, "name", in.Name,
		"allowed", out.Allowed, "operations", len(v.patch)}
	if v.err != nil {
		a.attrs = append(a.attrs, "code", v.code)
	}
	return a, 0, nil
}

func (s *server) healthz(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "GET only", http.StatusMethodNotAllowed)
		return
	}
	if s.closing.Load() {
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok") // the client is gone if it cannot be written
}

func (s *server) fail(w http.ResponseWriter, r *http.Request, code int, err error) {
	text := fmt.Sprintf("%.300s", err.Error()) // errors may quote what was sent
	s.log.Warn("no review", "path", r.URL.Path, "from", r.RemoteAddr, "code", code, "error", text)
	if code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, text, code)
}

// accept looks at the headers of a request.
func (s *server) accept(w http.ResponseWriter, r *http.Request) (int, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		return http.StatusMethodNotAllowed, fmt.Errorf("POST only, not %.20s", r.Method)
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return http.StatusUnsupportedMediaType, fmt.Errorf("the content type must be application/json, not %.100q", r.Header.Get("Content-Type"))
	}
	return 0, nil
}

// mostText is the length of a name in a review. What is longer is none of the API
// server's, and would come back in the answer and the log.
const mostText = 1_000

// decodeReview reads a review that has a request.
func decodeReview(body []byte) (*request, error) {
	var review admissionReview
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, fmt.Errorf("reading the review: %w", err)
	}
	switch {
	case review.APIVersion != reviewVersion || review.Kind != reviewKind:
		return nil, fmt.Errorf("must be %s %s, not %.100q %.100q", reviewVersion, reviewKind, review.APIVersion, review.Kind)
	case review.Request == nil || review.Request.UID == "":
		return nil, errors.New("the review has no request with a uid")
	}
	r := review.Request
	for _, text := range []string{r.UID, r.Kind.Group, r.Kind.Version, r.Kind.Kind, r.SubResource, r.Namespace, r.Name, r.Operation} {
		if len(text) > mostText {
			return nil, fmt.Errorf("the request begins a name of %d bytes with %.100q: at most %d", len(text), text, mostText)
		}
	}
	return r, nil
}

// serve answers on the listener until ctx is done, and then finishes what it has
// begun, for so long at most.
func (s *server) serve(ctx context.Context, l net.Listener, t *tls.Config, timeout time.Duration) error {
	s.known, s.timeout = t.ClientCAs != nil, timeout
	h := &http.Server{
		Handler:           s,
		TLSConfig:         t,
		ReadHeaderTimeout: timeout,
		ReadTimeout:       timeout,
		WriteTimeout:      2 * timeout, // from the end of the headers on
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	stopped := make(chan error, 1)
	ended := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-ended:
			stopped <- nil
			return
		}
		s.closing.Store(true)
		s.log.Info("shutting down")
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*timeout)
		defer cancel()
		stopped <- h.Shutdown(limit)
	}()
	s.log.Info("listening", "address", l.Addr().String())
	err := h.ServeTLS(l, "", "")
	close(ended)
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, <-stopped)
}

// A certificate is a pair of files that is read again when it changes.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu    sync.Mutex
	state [2]fileState
	pair  *tls.Certificate
}

// A fileState distinguishes one state of a file from the next.
type fileState struct {
	modified time.Time
	size     int64
}

func stateOf(name string) (fileState, error) {
	info, err := os.Stat(name)
	if err != nil {
		return fileState{}, err
	}
	return fileState{info.ModTime(), info.Size()}, nil
}

// load reads the files if they are not what they were. On an error the pair
// stays what it was.
func (c *certificate) load() (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var state [2]fileState
	for i, name := range [...]string{c.cert, c.key} {
		var err error
		if state[i], err = stateOf(name); err != nil {
			return c.pair, err
		}
	}
	if c.pair != nil && state == c.state {
		return c.pair, nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return c.pair, err
	}
	c.state, c.pair = state, &pair
	return c.pair, nil
}

// get is called at each handshake.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	pair, err := c.load()
	if err != nil {
		c.log.Error("the certificate stays as it was", "error", err)
	}
	return pair, nil
}

// tlsConfig returns the server's side. With a file of client authorities a
// client's certificate has to be of one; whether one is needed depends on the
// request: a kubelet that requests /healthz has none.
func (c *certificate) tlsConfig(clientCA string) (*tls.Config, error) {
	if _, err := c.load(); err != nil {
		return nil, err
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
	if clientCA == "" {
		return t, nil
	}
	pem, err := os.ReadFile(clientCA)
	if err != nil {
		return nil, err
	}
	t.ClientCAs, t.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
	if !t.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: no certificate in it", clientCA)
	}
	return t, nil
}
