package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
)

const (
	maxBytes   = 8 << 20  // of a request
	smallBytes = 64 << 10 // of a body, which every request can hold
	timeout    = 10 * time.Second
)

// Slots limit how many requests do something at a time.
type slots chan struct{}

// take reports whether a slot became free in time.
func (s slots) take(ctx context.Context, wait time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case s <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s slots) free() { <-s }

// A server answers admission reviews.
type server struct {
	config atomic.Pointer[rules.Config]
	text   string // of the configuration
	log    *slog.Logger
	large  slots         // of bodies beyond smallBytes, from then until the answer
	judged slots         // of complete bodies
	wait   time.Duration // for a slot
	arrive time.Duration // in which the rest of a large body must arrive
}

// newServer returns a server without rules.
func newServer(log *slog.Logger) *server {
	s := &server{log: log, large: make(slots, 4), judged: make(slots, 64), wait: timeout / 4, arrive: timeout / 4}
	s.config.Store(new(rules.Config))
	return s
}

// load reads the configuration, unless it is the present one.
func (s *server) load(file string) error {
	data, err := os.ReadFile(file)
	if err != nil || len(data) > 0 && string(data) == s.text {
		return err
	}
	c, err := rules.Decode(data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	s.config.Store(c)
	s.text = string(data)
	return nil
}

// watch loads the configuration when it changes. If it is invalid, the last valid one is
// used.
func (s *server) watch(ctx context.Context, file string, every time.Duration) {
	for last := ""; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		before, problem := s.config.Load(), ""
		if err := s.load(file); err != nil {
			problem = err.Error()
		}
		if s.config.Load() != before {
			s.log.Info("the configuration has changed", "file", file)
		} else if problem != "" && problem != last {
			s.log.Error("the last valid configuration is used", "error", problem)
		}
		last = problem
	}
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	for path, judge := range map[string]judge{"/mutate": mutate, "/validate": check} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			out, code, err := s.answer(w, r, judge)
			if err != nil {
				text := fmt.Sprintf("%.300s", err.Error()) // it can quote the request
				s.log.Warn("no review", "path", path, "from", r.RemoteAddr, "code", code, "error", text)
				http.Error(w, text, code)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(append(out, '\n')) // the client can be gone
		})
	}
	return mux
}

// A judge returns the verdict on a request by the rules.
type judge func(*rules.Config, *request) verdict

// answer returns the answer to a review, which it logs, or an HTTP error.
func (s *server) answer(w http.ResponseWriter, r *http.Request, judge judge) (out []byte, code int, err error) {
	began := time.Now()
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, http.StatusUnsupportedMediaType, fmt.Errorf("the content type must be application/json, not %.100q", r.Header.Get("Content-Type"))
	}
	var body bytes.Buffer
	in := http.MaxBytesReader(w, r.Body, maxBytes)
	_, err = io.CopyN(&body, in, smallBytes)
	if err == nil {
		if !s.large.take(r.Context(), s.wait) {
			return nil, http.StatusServiceUnavailable, errors.New("too many large requests at a time")
		}
		defer s.large.free()
		// A client that stalls must not keep the slot. Without a connection, as in tests, there is no deadline.
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(s.arrive))
		_, err = body.ReadFrom(in)
		_ = control.SetReadDeadline(time.Time{})
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the request has more than %d bytes", maxBytes)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, http.StatusRequestTimeout, errors.New("the request arrives too slowly")
	case err != nil && err != io.EOF:
		return nil, http.StatusBadRequest, fmt.Errorf("reading the body: %w", err)
	case !utf8.Valid(body.Bytes()): // it would grow when it is quoted
		return nil, http.StatusBadRequest, errors.New("reading the review: not UTF-8")
	}
	// Only a complete body takes this slot, so slow clients do not delay others.
	if !s.judged.take(r.Context(), s.wait) {
		return nil, http.StatusServiceUnavailable, errors.New("too many requests at a time")
	}
	defer s.judged.free()
	review, err := decodeReview(body.Bytes())
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	c := s.config.Load()
	v := judge(c, review)
	a := v.response(review.UID, c.For(review.Namespace, review.UserInfo.Groups).Warn())
	attrs := []any{"uid", review.UID, "operation", review.Operation, "kind", review.Kind.Kind, "namespace", review.Namespace,
		"path", r.URL.Path, "allowed", a.Allowed, "patched", a.Patch != nil, "took", time.Since(began)}
	if v.err == nil {
		s.log.Info("answered", append(attrs, "name", review.Name)...)
	} else {
		name, owner := review.now.who()
		s.log.Warn("refused", append(attrs, "name", cmp.Or(review.Name, name), "owner", owner, "code", v.code, "clauses", v.clauses)...)
	}
	return asJSON(admissionReview{APIVersion: reviewVersion, Kind: reviewKind, Response: a}), 0, nil
}

// serve answers on the listener until ctx is done, and then finishes the open requests.
func (s *server) serve(ctx context.Context, l net.Listener, pair *certificate) error {
	h := &http.Server{
		Handler:        s.handler(),
		TLSConfig:      &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: pair.get},
		ReadTimeout:    timeout,
		WriteTimeout:   2 * timeout, // from the end of the headers on
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan error)
	go func() {
		<-ctx.Done()
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*timeout)
		defer cancel()
		stopped <- h.Shutdown(limit)
	}()
	s.log.Info("listening", "address", l.Addr().String())
	err := h.ServeTLS(l, "", "")
	cancel()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, <-stopped)
}

// A certificate is a pair of files that is read for each connection, so a renewed one
// is used. If it is invalid, the last valid one is.
type certificate struct {
	cert, key string
	log       *slog.Logger
	last      atomic.Pointer[tls.Certificate]
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err == nil {
		c.last.Store(&pair)
		return &pair, nil
	}
	if last := c.last.Load(); last != nil {
		c.log.Error("the last valid certificate is used", "error", err)
		return last, nil
	}
	return nil, err
}
