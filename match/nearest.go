package match

import (
	"unique"

	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/toleration"
)

// A nearest is the nearest to a taint of tolerations that do not match it. Begin with the
// miss OtherKey.
type nearest struct {
	common int
	miss   Miss // why it does not match
}

// nearer reports whether the toleration, which may be zero, has the key of the taint,
// which is not zero, or every key, and more in common with it than those before. The
// effect counts more than the value. sameEffect is whether the effects agree.
func (n *nearest) nearer(u *value.Toleration, t *value.Taint, sameEffect bool) bool {
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
	n.common, n.miss = common, miss
	return true
}

// missesValue returns why the toleration does not match the taint's value, or 0 if it
// does.
func missesValue(u *value.Toleration, t *value.Taint) Miss {
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
