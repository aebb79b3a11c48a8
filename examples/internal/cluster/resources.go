package cluster

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
)

// A Quantity of a resource is in thousandths.
type Quantity int64

var (
	form  = regexp.MustCompile(`^"?([0-9]{1,18}(\.[0-9]{1,9})?(e[0-9]{1,2})?)(m|k|M|G|T|P|[KMGTP]i)?"?$`)
	units = map[string]int64{"m": 1, "": 1e3, "k": 1e6, "M": 1e9, "G": 1e12, "T": 1e15, "P": 1e18, "Ki": 1000 << 10, "Mi": 1000 << 20, "Gi": 1000 << 30, "Ti": 1000 << 40, "Pi": 1000 << 50}
)

// UnmarshalJSON reads what Kubernetes writes, such as "250m", "1.5" and "16Gi".
func (q *Quantity) UnmarshalJSON(data []byte) error {
	if m := form.FindSubmatch(data); m != nil {
		n, ok := new(big.Rat).SetString(string(m[1]))
		n.Mul(n, new(big.Rat).SetInt64(units[string(m[4])]))
		if whole := n.Num(); ok && n.IsInt() && whole.IsInt64() && whole.Int64() < math.MaxInt64 {
			*q = Quantity(whole.Int64())
			return nil
		}
	}
	return fmt.Errorf("invalid quantity %.60s; use one such as \"250m\" or \"16Gi\"", data)
}

// Plus does not overflow: what is too much is more than any node has.
func (q Quantity) Plus(r Quantity) Quantity {
	if q > math.MaxInt64-r {
		return math.MaxInt64
	}
	return q + r
}

// Amounts are quantities by resource.
type Amounts map[string]Quantity

// Add adds b to a.
func (a Amounts) Add(b Amounts) {
	for name, q := range b {
		a[name] = a[name].Plus(q)
	}
}

type container struct {
	RestartPolicy string
	Resources     struct{ Requests, Limits Amounts }
}

// Requests returns the most that a pod needs at one time, with its overhead. A limit
// without a request is one.
func (o *Object) Requests() Amounts {
	inits, containers := Get[[]container](o, "spec.initContainers"), Get[[]container](o, "spec.containers")
	most, running := Amounts{}, Amounts{}
	for i, c := range slices.Concat(inits, containers) {
		r := Amounts{}
		maps.Copy(r, c.Resources.Limits)
		maps.Copy(r, c.Resources.Requests)
		if i < len(inits) && c.RestartPolicy != "Always" { // it ends before the next starts
			r.Add(running)
		} else {
			running.Add(r)
			r = running
		}
		for name, q := range r {
			most[name] = max(most[name], q)
		}
	}
	most.Add(Get[Amounts](o, "spec.overhead"))
	most.Add(Amounts{"pods": 1000})
	return most
}
