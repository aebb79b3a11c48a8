package toleration

import "strconv"

// A Policy says which of the tolerations that match one taint decides for how
// long it is tolerated. Whether it is tolerated never depends on the policy.
//
// A toleration without seconds holds for good, which is longer than any
// number; a negative number of seconds is 0. Of several that are equally good
// the first in list order decides.
type Policy uint8

const (
	// First takes the first that matches, in list order. This is how
	// Kubernetes evicts pods.
	First Policy = iota
	// Shortest takes the one with the fewest seconds.
	Shortest
	// Longest takes the one with the most seconds.
	Longest
	// ForeverElseShortest takes one that holds for good when there is one, and
	// otherwise the one with the fewest seconds. This is how Kubernetes treats
	// device taints.
	ForeverElseShortest
)

var policyNames = [...]string{"First", "Shortest", "Longest", "ForeverElseShortest"}

// String returns the policy's name.
func (p Policy) String() string {
	if int(p) < len(policyNames) {
		return policyNames[p]
	}
	return "Policy(" + strconv.Itoa(int(p)) + ")"
}

// Prefers reports whether a toleration decides rather than one earlier in the
// list, when both match the taint. A Policy that is none of the four is First.
// It does not allocate.
func (p Policy) Prefers(u, earlier Toleration) bool {
	a, timed := u.Seconds()
	b, earlierTimed := earlier.Seconds()
	a, b = max(a, 0), max(b, 0)
	switch p {
	case Shortest:
		return timed && (!earlierTimed || a < b)
	case Longest:
		return earlierTimed && (!timed || a > b)
	case ForeverElseShortest:
		return earlierTimed && (!timed || a < b)
	}
	return false
}
