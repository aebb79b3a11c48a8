// Package update compares two decisions about an eviction. Packages impact and
// device share it.
package update

import (
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
)

// Kind returns the kind of the change between two decisions of the same time, by their
// kinds and deadlines.
func Kind(was, is eviction.DecisionKind, from, to time.Time) eviction.UpdateKind {
	switch {
	case was == is && is != eviction.At:
		return eviction.Unchanged
	case is == eviction.Never:
		return eviction.Cancelled
	case was == eviction.Never:
		return eviction.Scheduled
	}
	switch order := to.Compare(from); { // from is not after now if the pod was due
	case order < 0:
		return eviction.Earlier
	case order > 0:
		return eviction.Later
	}
	return eviction.Unchanged
}
