// Package valid reports whether the fields of the API's taints are valid. It accepts
// what package validate accepts, and makes no errors.
package valid

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/validate"
)

// These are the lengths of the longest key and value. Longer texts are invalid and are
// not read, because each toleration without a key would read them again.
const (
	maxKey   = 253 + len("/") + maxValue
	maxValue = 63
)

// Key reports whether [validate.Key] accepts s.
func Key(s string) bool {
	return len(s) <= maxKey && validate.Key(s) == nil
}

// Value reports whether [validate.Value] accepts s.
func Value(s string) bool {
	return s == "" || len(s) <= maxValue && validate.Value(s) == nil
}

// Time reports whether a taint can have been added at that time: in the years 1 to 9999,
// in UTC.
func Time(at *metav1.Time) bool {
	return at == nil || unixYear1 <= at.Unix() && at.Unix() < unixYear10000
}

const (
	unixYear1     = -62135596800
	unixYear10000 = 253402300800
)
