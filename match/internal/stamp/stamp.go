// Package stamp writes every time as text, including times that have no RFC 3339 text.
package stamp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Time is a time as text: RFC 3339 in the years 0 to 9999, otherwise "@", the
// seconds since 1970 and a fraction, such as "@253402300800.5". It is decoded to
// the same instant in UTC.
type Time time.Time

// The beginning of the years 0 and 10000, in seconds since 1970.
const (
	year0     = -62167219200
	year10000 = 253402300800
)

// String returns the text.
func (s Time) String() string {
	t := time.Time(s).UTC()
	if unix := t.Unix(); year0 <= unix && unix < year10000 { // a Year overflows on 32-bit machines
		return t.Format(time.RFC3339Nano)
	}
	text := "@" + strconv.FormatInt(t.Unix(), 10)
	if n := t.Nanosecond(); n != 0 {
		text += fmt.Sprintf(".%09d", n)
	}
	return text
}

// IsZero reports whether s is the zero time.
func (s Time) IsZero() bool { return time.Time(s).IsZero() }

// MarshalText implements [encoding.TextMarshaler].
func (s Time) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Time) UnmarshalText(text []byte) error {
	if len(text) > 64 { // the texts of errors repeat it
		return fmt.Errorf("a time has at most 64 bytes, not %d", len(text))
	}
	digits, seconds := strings.CutPrefix(string(text), "@")
	if !seconds {
		var t time.Time
		err := t.UnmarshalText(text)
		*s = Time(t.UTC())
		return err
	}
	digits, fraction, _ := strings.Cut(digits, ".")
	sec, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return err
	}
	nsec, err := strconv.ParseUint((fraction + "000000000")[:max(9, len(fraction))], 10, 64)
	if err != nil || len(fraction) > 9 {
		return errors.Join(err, fmt.Errorf("%q is not a fraction of a second", fraction))
	}
	*s = Time(time.Unix(sec, int64(nsec)).UTC())
	return nil
}
