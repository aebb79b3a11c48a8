package gen

import (
	"math"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Distinguishing returns taints that distinguish any two lists of these tolerations that
// tolerate different taints, or one for another time. They have every effect; each key of
// the tolerations and one more; and each value, one more, 0, and the neighbors of each
// integer.
func Distinguishing(tolerations toleration.List) taint.List {
	keys := []string{"not.named/key"}
	values := []string{"", "0", "not.named.value"}
	for _, u := range tolerations {
		keys = append(keys, u.Key())
		values = append(values, u.Value())
		if n, err := strconv.ParseInt(u.Value(), 10, 64); err == nil {
			values = append(values, decimal(max(n, 1)-1), decimal(n), decimal(min(n, math.MaxInt64-1)+1))
		}
	}
	slices.Sort(keys)
	slices.Sort(values)
	return AllTaints(slices.Compact(keys), slices.Compact(values))
}

// AllTaints returns all valid taints that have one of these keys and one of the values.
func AllTaints(keys, values []string) (list taint.List) {
	for _, key := range keys {
		for _, value := range values {
			for _, effect := range effects {
				if t, err := taint.New(key, value, effect); err == nil {
					list = append(list, t)
				}
			}
		}
	}
	return list
}

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
