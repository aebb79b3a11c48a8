package toleration

import (
	"strconv"

	"github.com/go-tolerate/tolerate/internal/enum"
)

// A Choice selects one of several tolerations that match a taint: the one that
// decides how long the taint is tolerated. Whether it is tolerated does not
// depend on the Choice.
//
// A toleration without seconds has no time limit, which is longer than any
// number; a negative number counts as 0. Of equally good tolerations the first
// in the list decides. Functions that take a Choice panic if it is unknown.
//
// The zero Choice is First. Its text is its name, and the empty text is an error.
type Choice uint8

const (
	// First selects the first in the list. Kubernetes evicts pods by it.
	First Choice = iota
	// Shortest selects the one with the fewest seconds.
	Shortest
	// Longest selects the one with the most seconds.
	Longest
	// ForeverElseShortest selects one without a time limit, and otherwise the
	// one with the fewest seconds. Kubernetes treats device taints this way.
	ForeverElseShortest
)

const choiceType = "toleration.Choice"

var choiceNames = []string{"First", "Shortest", "Longest", "ForeverElseShortest"}

// String returns the name of the constant.
func (c Choice) String() string { return enum.String(c, choiceType, choiceNames) }

// AppendText implements [encoding.TextAppender]. Unknown numbers
// are errors.
func (c Choice) AppendText(b []byte) ([]byte, error) {
	return enum.AppendText(b, c, choiceType, choiceNames)
}

// MarshalText implements [encoding.TextMarshaler].
func (c Choice) MarshalText() ([]byte, error) { return c.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler]. On error c is
// unchanged.
func (c *Choice) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(c, text, choiceType, choiceNames)
}

// Prefers reports whether u decides instead of a toleration earlier in the list,
// if both match the taint. It does not allocate.
func (c Choice) Prefers(u, earlier Toleration) bool {
	a, timed := u.Seconds()
	b, earlierTimed := earlier.Seconds()
	a, b = max(a, 0), max(b, 0)
	switch c {
	case Shortest:
		return timed && (!earlierTimed || a < b)
	case Longest:
		return earlierTimed && (!timed || a > b)
	case ForeverElseShortest:
		return earlierTimed && (!timed || a < b)
	case First:
		return false
	}
	return c.unknown()
}

// unknown panics. It is not part of Prefers to keep that small.
func (c Choice) unknown() bool {
	panic("toleration: unknown Choice " + strconv.Itoa(int(c)))
}
