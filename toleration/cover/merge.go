package cover

import (
	"strconv"

	"github.com/go-tolerate/tolerate/toleration"
)

// A Strategy says what [Merge] may do to the lists that it joins.
type Strategy uint8

const (
	// Keep leaves the first list as it is: nothing in it is removed, moved or
	// rewritten, so [toleration.ValidateUpdate] accepts the result as a change
	// of it. Behind it comes each toleration of the other lists, in order and
	// as written, that matches some taint and that no single toleration before
	// it covers.
	//
	// As [toleration.First] decides, the result means exactly what the lists
	// mean one after the other: a taint that the first list tolerates is
	// tolerated neither longer nor shorter than before, and any other for as
	// long as the first of the other lists that tolerates it says. It means
	// what they mean by [toleration.Longest], too.
	Keep Strategy = iota
	// Reduce returns what [Reduced] does by [toleration.First]: no more than
	// is needed to mean what the lists mean one after the other. Tolerations
	// of the first list may go too, so it is for lists that nobody has seen
	// yet, not for updates.
	Reduce
)

// String returns the strategy's name.
func (s Strategy) String() string {
	switch s {
	case Keep:
		return "Keep"
	case Reduce:
		return "Reduce"
	}
	return "Strategy(" + strconv.Itoa(int(s)) + ")"
}

// Merge returns the lists joined into one, by the strategy. The result
// tolerates exactly the taints that any of the lists tolerates; for how long
// is up to the first toleration that matches, as for Kubernetes' pods. Merging
// a list that was merged before changes nothing. The lists are not changed,
// and the result shares no memory with them; it is nil when it is empty. A
// Strategy that is neither is Keep.
//
// It allocates the result. Under Keep it is O(n²), n being the length of all
// lists.
func Merge(s Strategy, lists ...[]toleration.Toleration) []toleration.Toleration {
	return orNil(AppendMerge(room(lists), s, lists...))
}

// AppendMerge appends what [Merge] returns to dst, whose own tolerations do not
// count. The lists must not lie in dst's spare room. It does not allocate when
// dst has room for all of them.
func AppendMerge(dst []toleration.Toleration, s Strategy, lists ...[]toleration.Toleration) []toleration.Toleration {
	if s == Reduce {
		return AppendReduced(dst, toleration.First, lists...)
	}
	start := len(dst)
	for i, list := range lists {
		if i == 0 {
			dst = append(dst, list...)
			continue
		}
		for i := range list {
			if u := &list[i]; !covered(dst[start:], u) && !Empty(*u) {
				dst = append(dst, *u)
			}
		}
	}
	return dst
}

// covered reports whether one of the list covers u.
func covered(list []toleration.Toleration, u *toleration.Toleration) bool {
	for i := range list {
		if covers(&list[i], u) {
			return true
		}
	}
	return false
}
