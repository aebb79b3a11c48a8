package toleration

import "strconv"

// Equal reports whether u == v. To compare what two tolerations mean, compare
// their [Toleration.Canonical] forms.
func (u Toleration) Equal(v Toleration) bool { return u == v }

// GoString returns a Go expression whose value is u.
func (u Toleration) GoString() string {
	if u.IsZero() {
		return "toleration.Toleration{}"
	}
	return "toleration.MustParse(" + strconv.Quote(u.String()) + ")"
}
