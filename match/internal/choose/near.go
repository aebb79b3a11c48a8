package choose

import (
	"time"
	"unique"

	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/toleration"
)

// These are the reasons why a toleration does not match: the constants of match.Miss.
const (
	InvalidTaint = iota + 1
	InvalidToleration
	OtherKey
	OtherEffect
	OtherValue
	NotInteger
	OutOfBound
)

// A Nearest is the nearest to a taint of tolerations that do not match it. Begin with the
// Miss OtherKey.
type Nearest struct {
	common int
	Miss   uint8 // why it does not match
}

// Nearer reports whether the toleration, which may be zero, has the key of the taint,
// which is not zero, or every key, and more in common with it than those before. The
// effect counts more than the value. sameEffect is whether the effects agree.
func (n *Nearest) Nearer(u *value.Toleration, t *value.Taint, sameEffect bool) bool {
	if key := u.KeyHandle(); key != t.KeyHandle() && (key != unique.Handle[string]{} || u.Order() == 0) {
		return false
	}
	common, miss := 3, missesValue(u, t)
	if !sameEffect {
		common = 1
		if miss == 0 {
			common = 2
		}
		miss = OtherEffect
	}
	if common <= n.common {
		return false
	}
	n.common, n.Miss = common, miss
	return true
}

// missesValue returns why the toleration does not match the taint's value, or 0 if it
// does.
func missesValue(u *value.Toleration, t *value.Taint) uint8 {
	op := toleration.Operator(u.Operator())
	switch {
	case op == toleration.Exists:
		return 0
	case u.IsEqual() && u.ValueHandle() == t.ValueHandle():
		return 0
	case !u.IsNumeric():
		return OtherValue
	}
	n, ok := t.Integer()
	if !ok {
		return NotInteger
	}
	bound, _ := syntax.Integer(u.Value())
	if op == toleration.Lt && n < bound || op == toleration.Gt && n > bound {
		return 0
	}
	return OutOfBound
}

// Deadline returns start plus at least 0 seconds, in UTC, and false if no time.Time can
// represent the sum.
func Deadline(start time.Time, seconds int64) (end time.Time, ok bool) {
	const year1 = -62_135_596_800 // in seconds from 1970; a time.Time counts from there
	first := start.Unix() - year1 // which undoes an overflow of Unix
	last := first + seconds
	return time.Unix(last+year1, int64(start.Nanosecond())).UTC(), last >= first
}
