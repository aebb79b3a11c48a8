package toleration

import "github.com/go-tolerate/tolerate/internal/enum"

// A Choice selects, of several tolerations that match a taint, the one that decides how
// long the taint is tolerated. A toleration without seconds has no limit, which is longer
// than any number; a negative number is 0. Of equally good ones the first decides.
// Functions panic if their Choice is unknown.
type Choice uint8

const (
	// First selects the first in the list, by which Kubernetes evicts.
	First Choice = iota
	// Shortest selects the fewest seconds.
	Shortest
	// Longest selects the most seconds.
	Longest
	// ForeverElseShortest selects one without seconds, else the one with the fewest.
	// Kubernetes treats device taints this way.
	ForeverElseShortest
)

const choiceType = "toleration.Choice"

var choiceNames = []string{"First", "Shortest", "Longest", "ForeverElseShortest"}

// IsValid reports whether c is one of the four choices.
func (c Choice) IsValid() bool { return c <= ForeverElseShortest }

func (c Choice) String() string { return enum.String(c, choiceType, choiceNames) }

func (c Choice) AppendText(b []byte) ([]byte, error) {
	return enum.AppendText(b, c, choiceType, choiceNames)
}

func (c Choice) MarshalText() ([]byte, error) { return c.AppendText(nil) }

func (c *Choice) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(c, text, choiceType, choiceNames)
}

// Prefers reports whether u decides instead of an earlier toleration, if both match.
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
	panic("toleration: unknown " + c.String())
}
