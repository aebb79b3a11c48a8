package gen

import (
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// AllTolerations returns all valid tolerations under every operator, including the
// absent one, that have one of these keys or none, one of the values (under Equal) or
// bounds (under Lt and Gt), one of the effects, and one of the seconds or none. The
// first is the zero Toleration.
func AllTolerations(keys, values, bounds []string, effects []taint.Effect, seconds []int64) toleration.List {
	list := toleration.List{{}}
	for op := range toleration.Gt + 1 {
		admitted := values
		switch op {
		case toleration.Exists:
			admitted = []string{""}
		case toleration.Lt, toleration.Gt:
			admitted = bounds
		}
		for _, key := range append([]string{""}, keys...) {
			for _, value := range admitted {
				for _, effect := range effects {
					u, err := toleration.New(key, op, value, effect)
					if err != nil {
						continue // no key, and not Exists
					}
					list = append(list, u)
					for _, n := range seconds {
						if timed, err := u.WithSeconds(n); err == nil {
							list = append(list, timed)
						}
					}
				}
			}
		}
	}
	return list
}
