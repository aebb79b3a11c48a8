package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	places   chan struct{} // taken while a request is answered
	wait     time.Duration // for a place
	known    bool          // only clients with a certificate may ask
	closing  atomic.Bool
}

func newServer(c *config, log *slog.Logger, maxBytes int64, concurrent int, wait time.Duration) *server {
	return &server{config: c, log: log, maxBytes: maxBytes, places: make(chan struct{}, concurrent), wait: wait}
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
		s.fail(w, r, http.StatusUnauthorized, errors.New("only clients with a known certificate may ask"))
		return
	}
	began := time.Now()
	if !s.enter(r.Context()) {
		w.Header().Set("Retry-After", "1")
		s.fail(w, r, http.StatusServiceUnavailable, errors.New("too many requests at a time"))
		return
	}
	defer func() { <-s.places }()
	in, code, err := s.read(w, r)
	if err != nil {
		s.fail(w, r, code, err)
		return
	}
	v := judge(in)
	out, err := v.response(in.UID)
	if err != nil {
		s.fail(w, r, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	err = json.NewEncoder(w).Encode(admissionReview{APIVersion: reviewVersion, Kind: reviewKind, Response: out})
	attrs := []any{"path", r.URL.Path, "uid", in.UID, "operation", in.Operation, "kind", in.Kind.Kind, "namespace", in.Namespace, "name", in.Name,
		"allowed", out.Allowed, "operations", len(v.patch), "took", time.Since(began)}
	if v.err != nil {
		attrs = append(attrs, "code", v.code)
	}
	if err != nil {
		s.log.Error("not answered", append(attrs, "error", err)...)
		return
	}
	s.log.Info("answered", attrs...)
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
	fmt.Fprintln(w, "ok") // who asked is gone if it cannot be written
}

func (s *server) fail(w http.ResponseWriter, r *http.Request, code int, err error) {
	s.log.Warn("no review", "path", r.URL.Path, "from", r.RemoteAddr, "code", code, "error", err)
	http.Error(w, err.Error(), code)
}

// read returns the request of a review, or the HTTP error to answer with.
func (s *server) read(w http.ResponseWriter, r *http.Request) (*request, int, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		return nil, http.StatusMethodNotAllowed, fmt.Errorf("POST only, not %s", r.Method)
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, http.StatusUnsupportedMediaType, fmt.Errorf("the content type must be application/json, not %q", r.Header.Get("Content-Type"))
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.maxBytes))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("larger than %d bytes", s.maxBytes)
	case err != nil:
		return nil, http.StatusBadRequest, fmt.Errorf("reading the body: %w", err)
	}
	in, err := decodeReview(body)
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	return in, 0, nil
}

// decodeReview reads a review that asks something.
func decodeReview(body []byte) (*request, error) {
	var review admissionReview
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, fmt.Errorf("reading the review: %w", err)
	}
	switch {
	case review.APIVersion != reviewVersion || review.Kind != reviewKind:
		return nil, fmt.Errorf("must be %s %s, not %q %q", reviewVersion, reviewKind, review.APIVersion, review.Kind)
	case review.Request == nil || review.Request.UID == "":
		return nil, errors.New("the review has no request with a uid")
	}
	return review.Request, nil
}

// serve answers on the listener until ctx is done, and then finishes what it has
// begun, for so long at most.
func (s *server) serve(ctx context.Context, l net.Listener, t *tls.Config, timeout time.Duration) error {
	s.known = t.ClientCAs != nil
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

// A fileState tells one state of a file from the next.
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

// get is asked at each handshake.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	pair, err := c.load()
	if err != nil {
		c.log.Error("the certificate stays as it was", "error", err)
	}
	return pair, nil
}

// tlsConfig returns the server's side. With a file of client authorities a
// client's certificate has to be of one; whether one is needed depends on what
// is asked: a kubelet that asks for /healthz has none.
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
