package kubejson

import (
	"bytes"
	"io"
)

// A window slides over a stream and cuts it into JSON values by their brackets
// and quotes alone. It does not check them: that is for encoding/json, value by
// value, so that one bad value does not end the reading of the others.
//
// Positions are offsets in the stream.
type window struct {
	r    io.Reader
	err  error // from r, io.EOF included
	buf  []byte
	base int64 // position of buf[0]
	pos  int64 // position of the next byte
	keep int64 // bytes from here on stay in buf; none when negative

	limit int64 // bytes kept at most
	over  bool  // limit was passed: kept bytes are gone

	line    int   // the line number at counted
	counted int64 // line breaks before this position are counted
}

const chunk = 256 << 10

func newWindow(r io.Reader, limit int64) *window {
	return &window{r: r, keep: -1, limit: limit, line: 1}
}

// fill makes the byte at pos readable, or returns false at the end.
func (w *window) fill() bool {
	for w.pos >= w.base+int64(len(w.buf)) {
		if w.err != nil {
			return false
		}
		w.slide()
		n, err := w.r.Read(w.buf[len(w.buf):cap(w.buf)])
		w.buf, w.err = w.buf[:len(w.buf)+n], err
	}
	return true
}

// slide makes room for the next read: what is neither kept nor ahead goes.
func (w *window) slide() {
	if w.keep >= 0 && w.pos-w.keep > w.limit {
		w.over, w.keep = true, w.pos
	}
	from := w.pos
	if w.keep >= 0 {
		from = w.keep
	}
	w.lineAt(from)
	rest := w.buf[from-w.base:]
	if cap(w.buf)-len(rest) < chunk/2 {
		w.buf = append(make([]byte, 0, max(chunk, 2*cap(w.buf))), rest...)
	} else {
		w.buf = w.buf[:copy(w.buf[:cap(w.buf)], rest)]
	}
	w.base = from
}

// lineAt returns the line of position p, which must be in buf and not before a
// position that was queried already; there the last answer is returned.
func (w *window) lineAt(p int64) int {
	if p > w.counted {
		w.line += bytes.Count(w.buf[w.counted-w.base:p-w.base], []byte{'\n'})
		w.counted = p
	}
	return w.line
}

// bytes returns what is kept from position p up to the next byte. It stays
// valid until the window moves.
func (w *window) bytes(p int64) []byte { return w.buf[p-w.base : w.pos-w.base] }

// peek returns the next byte that is no white space, false at the end.
func (w *window) peek() (byte, bool) {
	for w.fill() {
		switch c := w.buf[w.pos-w.base]; c {
		case ' ', '\t', '\r', '\n':
			w.pos++
		default:
			return c, true
		}
	}
	return 0, false
}

// value steps over the next value, whatever it is, and reports whether it came
// to an end.
func (w *window) value() bool {
	c, ok := w.peek()
	if !ok {
		return false
	}
	switch c {
	case '{', '[':
		w.pos++
		return w.close(1)
	case '"':
		w.pos++
		lost, ok := w.quoted()
		return ok && (lost <= 0 || w.close(lost))
	}
	w.pos++ // at least one byte, so that reading always goes on
	for w.fill() && bytes.IndexByte([]byte(" \t\r\n,:[]{}\""), w.buf[w.pos-w.base]) < 0 {
		w.pos++
	}
	return true
}

// close steps behind the bracket that closes the depth brackets now open.
func (w *window) close(depth int) bool {
	for w.fill() {
		ahead := w.buf[w.pos-w.base:]
		i := bytes.IndexAny(ahead, `{}[]"`)
		if i < 0 {
			w.pos += int64(len(ahead))
			continue
		}
		w.pos += int64(i) + 1
		switch ahead[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			lost, ok := w.quoted()
			if !ok {
				return false
			}
			depth += lost
		}
		if depth <= 0 {
			return true
		}
	}
	return false
}

// quoted steps behind the end of the string that pos is in. A JSON string holds
// no line break, so one that does has lost its quote, and ends there: lost is
// how many more brackets it opens than it closes, which were not meant to be in
// a string.
func (w *window) quoted() (lost int, ok bool) {
	for w.fill() {
		ahead := w.buf[w.pos-w.base:]
		i := bytes.IndexAny(ahead, "\"\\\n{}[]")
		if i < 0 {
			w.pos += int64(len(ahead))
			continue
		}
		w.pos += int64(i) + 1
		switch ahead[i] {
		case '"':
			return 0, true
		case '\n':
			return lost, true
		case '{', '[':
			lost++
		case '}', ']':
			lost--
		case '\\':
			if w.fill() && w.buf[w.pos-w.base] != '\n' {
				w.pos++
			}
		}
	}
	return 0, false
}
