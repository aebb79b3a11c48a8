package toleration

import (
	"strconv"

	"github.com/go-tolerate/tolerate/internal/set"
)

// Hash returns a hash of the toleration's canonical form. It is the same in
// every process and every release: the 64-bit FNV-1a of key, operator's name,
// value, effect's name and seconds in decimal, what is absent being empty,
// each followed by a NUL. It does not allocate.
func (u Toleration) Hash() uint64 {
	u = u.Canonical()
	h := set.NewFNV().Field(u.Key()).Field(u.Operator().String()).Field(u.Value()).Field(u.Effect().String())
	var digits []byte
	if seconds, ok := u.Seconds(); ok {
		digits = strconv.AppendInt(make([]byte, 0, 20), seconds, 10)
	}
	return uint64(h.Field(string(digits)))
}
