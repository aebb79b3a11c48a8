// Package resource computes what pods request, for examples/scheduler.
package resource

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"slices"
)

// A Quantity of a resource is in thousandths.
type Quantity float64

var (
	form  = regexp.MustCompile(`^"?([0-9]{1,18}(?:\.[0-9]{1,9})?(?:e[0-9]{1,2})?)(m|k|M|G|T|P|[KMGTP]i)?"?$`)
	units = map[string]int64{"m": 1, "": 1e3, "k": 1e6, "M": 1e9, "G": 1e12, "T": 1e15, "P": 1e18, "Ki": 1000 << 10, "Mi": 1000 << 20, "Gi": 1000 << 30, "Ti": 1000 << 40, "Pi": 1000 << 50}
)

// UnmarshalJSON reads what Kubernetes writes, such as "250m", "1.5" and "16Gi", and
// rounds up.
func (q *Quantity) UnmarshalJSON(data []byte) error {
	m := form.FindSubmatch(data)
	if m == nil { // package json continues with the next field
		return &json.UnmarshalTypeError{Value: fmt.Sprintf("quantity %.60s", data), Type: reflect.TypeFor[Quantity]()}
	}
	n, _ := new(big.Rat).SetString(string(m[1]))
	f, _ := n.Mul(n, big.NewRat(units[string(m[2])], 1)).Float64()
	*q = Quantity(math.Ceil(f))
	return nil
}

// Amounts are quantities by resource.
type Amounts map[string]Quantity

// Add adds b to a.
func (a Amounts) Add(b Amounts) {
	for name, q := range b {
		a[name] += q
	}
}

// A Container is what a container requests.
type Container struct {
	RestartPolicy string
	Resources     struct{ Requests, Limits Amounts }
}

// Requests returns the most that a pod needs at one time. A limit without a request is
// one.
func Requests(inits, containers []Container) Amounts {
	most, running := Amounts{"pods": 1000}, Amounts{}
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
	return most
}
