package kubejson

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	errStop   = errors.New("the caller stopped")
	errEmpty  = errors.New("is empty")
	errTooBig = errors.New("too big")
	errUTF16  = errors.New("is UTF-16; save it as UTF-8 (PowerShell: Out-File -Encoding utf8)")
	errTable  = errors.New("not JSON but a table, it seems; use kubectl's -o json")
)

// further ends the problems that end the input.
const further = "; the input is not read further"

// An input counts the lines that a Decoder reads, and limits what it keeps.
type input struct {
	r     *bufio.Reader
	err   error // from r, io.EOF included
	other error // the input looks like that
	lines int   // 1 and the line breaks that were read
	read  int64 // bytes
	from  int64 // bytes that the Decoder need not keep
	limit int64 // of the bytes that it may keep
}

func newInput(r io.Reader, limit int64) *input {
	const mark = "\ufeff" // a byte order mark, which some editors write
	in := &input{r: bufio.NewReaderSize(r, 64<<10), lines: 1, limit: limit}
	peeked, _ := in.r.Peek(64)
	begin := string(peeked)
	if strings.HasPrefix(begin, mark) {
		_, _ = in.r.Discard(len(mark))
	}
	switch {
	case strings.HasPrefix(begin, "\xff\xfe") || strings.HasPrefix(begin, "\xfe\xff"):
		in.other = errUTF16
	case strings.HasPrefix(begin, "NAME"): // or NAMESPACE, the first column's title
		in.other = errTable
	}
	return in
}

func (in *input) Read(b []byte) (n int, err error) {
	if in.err != nil {
		return 0, in.err
	}
	if in.read-in.from > in.limit {
		return 0, errTooBig
	}
	// Not more at a time: what is read ahead is searched for lines at each object.
	n, in.err = in.r.Read(b[:min(len(b), 16<<10)])
	in.lines += bytes.Count(b[:n], []byte{'\n'})
	in.read += int64(n)
	return n, in.err
}

// end reports why the input is not read further, if that is a problem.
func (p *parser) end(err error) {
	var syntax *jsontext.SyntacticError
	switch {
	case err == errStop:
	case p.in.err != nil && p.in.err != io.EOF:
		_ = p.report(frame{}, p.in.err)
	case err == io.EOF:
		if p.empty {
			_ = p.report(frame{}, errEmpty)
		}
	case errors.Is(err, errTooBig):
		_ = p.report(p.at, fmt.Errorf("more than %d MiB%s", p.in.limit>>20, further))
	case errors.Is(err, io.ErrUnexpectedEOF):
		_ = p.report(p.at, errors.New("not JSON: the input ends before this is closed"))
	case errors.As(err, &syntax):
		if p.InputOffset() == 0 && p.StackDepth() == 0 && p.in.other != nil {
			_ = p.report(p.at, p.in.other)
			return
		}
		ahead := p.UnreadBuffer()
		ahead = ahead[min(max(syntax.ByteOffset-p.InputOffset(), 0), int64(len(ahead))):]
		p.at.line = p.in.lines - bytes.Count(ahead, []byte{'\n'})
		_ = p.report(p.at, fmt.Errorf("not JSON: %w%s", syntax.Err, further))
	default:
		_ = p.report(p.at, fmt.Errorf("%w%s", err, further))
	}
}
