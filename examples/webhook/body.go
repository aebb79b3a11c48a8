package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
	"unicode/utf8"
)

// A budget is the memory that all request bodies together may hold.
type budget struct {
	mu    sync.Mutex
	left  int64
	freed chan struct{} // closed when some is given back; nil while no request waits

	holders int // bodies that hold some
	stuck   int // those of them that wait for more
}

// take takes n bytes, and waits for them until done. It does not wait for a body
// that holds some already when all others that do so wait too: none would ever
// give its memory back.
func (b *budget) take(n int64, holds bool, done <-chan struct{}) bool {
	waits := 0
	if holds {
		waits = 1
	}
	for {
		b.mu.Lock()
		if b.left >= n {
			b.left -= n
			b.holders += 1 - waits
			b.mu.Unlock()
			return true
		}
		if holds && b.stuck+1 == b.holders {
			b.mu.Unlock()
			return false
		}
		b.stuck += waits
		if b.freed == nil {
			b.freed = make(chan struct{})
		}
		freed := b.freed
		b.mu.Unlock()
		select {
		case <-freed:
		case <-done:
			b.mu.Lock()
			if b.freed == freed { // else give has counted it
				b.stuck -= waits
			}
			b.mu.Unlock()
			return false
		}
	}
}

func (b *budget) give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
	b.holders--
	if b.freed != nil {
		close(b.freed)
		b.freed, b.stuck = nil, 0 // all look again
	}
}

func (b *budget) available() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left
}

const (
	freeBytes  = 64 << 10 // of a body, which every request may hold
	fullBodies = 4        // of -max-bytes, which the others may hold together

	// A body that holds more must come in at this rate, after a first second.
	leastRate = 64 << 10 // bytes in a second
)

var (
	errFull = errors.New("too many large requests at a time")
	errSlow = fmt.Errorf("slower than %d KiB in a second", leastRate>>10)
)

// A body is what has come in of a request. Its memory grows with what the client
// has really sent: a length that is only announced costs nothing.
type body struct {
	data []byte
	held int64 // of the budget
}

// A source is where a body comes from.
type source struct {
	io.Reader
	deadline func(time.Time) error // of the reads to come
	wait     time.Duration         // for memory
	ctx      context.Context       // done when the client is gone
}

// read reads the body to its end. The caller gives it back. A body that holds
// memory of the budget is broken off when it comes in too slowly, so that stalled
// clients do not keep the memory from others. The time that it waited for memory
// does not count.
func (b *body) read(from source, memory *budget, most int64) error {
	b.data = make([]byte, 0, 4<<10)
	var began time.Time // when it first held memory
	var first int       // how much had come in then
	for {
		if len(b.data) == cap(b.data) {
			size := min(2*int64(cap(b.data)), most+1) // one more, to see the end
			if more := size - freeBytes - b.held; more > 0 {
				waited := time.Now()
				if err := from.deadline(time.Time{}); err != nil {
					return err
				}
				if !from.take(memory, more, b.held > 0) {
					return errFull
				}
				if b.held += more; began.IsZero() {
					began, first = time.Now(), len(b.data)
				} else {
					began = began.Add(time.Since(waited))
				}
			}
			b.data = append(make([]byte, 0, size), b.data...)
		}
		if !began.IsZero() {
			due := began.Add(time.Second + time.Duration(len(b.data)-first)*time.Second/leastRate)
			if err := from.deadline(due); err != nil {
				return err
			}
		}
		n, err := from.Read(b.data[len(b.data):cap(b.data)])
		b.data = b.data[:len(b.data)+n]
		switch {
		case err == io.EOF:
			return from.deadline(time.Time{}) // a client that waits for its answer is not slow
		case errors.Is(err, os.ErrDeadlineExceeded) && !began.IsZero():
			return errSlow
		case err != nil:
			return err
		}
	}
}

// take takes memory for a body, and reports whether there was enough in time.
func (s source) take(memory *budget, n int64, holds bool) bool {
	ctx, cancel := context.WithTimeout(s.ctx, s.wait)
	defer cancel()
	return memory.take(n, holds, ctx.Done())
}

func (b *body) giveBack(memory *budget) {
	if b.held > 0 {
		memory.give(b.held)
	}
	b.data, b.held = nil, 0
}

// deadline returns a function that sets by when more of a request has to come in.
// It never sets a time after that of the whole request, which the zero time means.
func (s *server) deadline(w http.ResponseWriter) func(time.Time) error {
	control := http.NewResponseController(w)
	var last time.Time
	if s.timeout > 0 {
		last = time.Now().Add(s.timeout)
	}
	return func(at time.Time) error {
		if at.IsZero() || !last.IsZero() && at.After(last) {
			at = last
		}
		if err := control.SetReadDeadline(at); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		return nil // no connection
	}
}

// readBody reads the body of a request, or returns the HTTP error to answer with.
func (s *server) readBody(w http.ResponseWriter, r *http.Request, b *body) (int, error) {
	err := b.read(source{
		Reader:   http.MaxBytesReader(w, r.Body, s.maxBytes),
		deadline: s.deadline(w),
		wait:     s.wait,
		ctx:      r.Context(),
	}, &s.memory, s.maxBytes)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, fmt.Errorf("larger than %d bytes", s.maxBytes)
	case errors.Is(err, errFull):
		return http.StatusServiceUnavailable, err
	case errors.Is(err, errSlow):
		return http.StatusRequestTimeout, err
	case err != nil:
		return http.StatusBadRequest, fmt.Errorf("reading the body: %w", err)
	case !utf8.Valid(b.data): // what is no UTF-8 grows when it is quoted
		return http.StatusBadRequest, errors.New("reading the review: not UTF-8")
	}
	return 0, nil
}
