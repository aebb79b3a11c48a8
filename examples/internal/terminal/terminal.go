// Package terminal keeps what others wrote from steering the terminal: the
// programs in examples write all their output through it.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer returns a writer that replaces what is not printable by an escape,
// except line breaks and tabs. The escape is that of a JSON string, so JSON stays
// what it was: where it holds such characters, they are in strings.
//
// Names in real clusters are plain; those in a file that someone sent can hold
// escape sequences, or marks that reverse the direction of text. A program that
// quotes such names itself is not changed by this. It may be used concurrently.
func Writer(w io.Writer) io.Writer { return &writer{w: w} }

type writer struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // the beginning of a rune, to be continued
	out  []byte
}

// Write writes p. What is cut off in the middle of a rune waits for its end.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(p)
	if len(w.rest) > 0 {
		p = append(w.rest, p...)
	}
	w.out = w.out[:0]
	for utf8.FullRune(p) {
		r, size := utf8.DecodeRune(p)
		switch {
		case r == utf8.RuneError && size == 1: // not UTF-8
			w.out = fmt.Appendf(w.out, `\u%04x`, p[0])
		case strconv.IsPrint(r) || r == '\n' || r == '\t':
			w.out = append(w.out, p[:size]...)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				w.out = fmt.Appendf(w.out, `\u%04x`, unit)
			}
		}
		p = p[size:]
	}
	w.rest = append(w.rest[:0:0], p...)
	if _, err := w.w.Write(w.out); err != nil {
		return 0, err
	}
	return n, nil
}

// Is reports whether v, a reader or a writer, is a terminal. A nil interface and
// every other character device, such as /dev/null, count as one.
func Is(v any) bool {
	f, ok := v.(*os.File)
	if !ok {
		return v == nil
	}
	info, err := f.Stat()
	return err != nil || info.Mode()&os.ModeCharDevice != 0
}
