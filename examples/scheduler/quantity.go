package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
)

// Amounts are whole numbers of a resource's unit: thousandths of a CPU, and for
// all else one (a byte, a pod, a device).
type amounts map[string]int64

const (
	cpu    = "cpu"
	memory = "memory"
	pods   = "pods"
)

// The spellings of a quantity: a decimal number with a suffix, or an exponent.
var quantity = regexp.MustCompile(`^([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]{1,2})?$`)

var suffixes = map[string]*big.Rat{
	"": big.NewRat(1, 1), "k": power(10, 3), "M": power(10, 6), "G": power(10, 9), "T": power(10, 12), "P": power(10, 15), "E": power(10, 18),
	"n": power(10, -9), "u": power(10, -6), "m": power(10, -3),
	"Ki": power(2, 10), "Mi": power(2, 20), "Gi": power(2, 30), "Ti": power(2, 40), "Pi": power(2, 50), "Ei": power(2, 60),
}

func power(base, exponent int64) *big.Rat {
	n := new(big.Int).Exp(big.NewInt(base), big.NewInt(max(exponent, -exponent)), nil)
	if exponent < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), n)
	}
	return new(big.Rat).SetInt(n)
}

// longest is the text of a quantity at most: what is longer is no amount of
// anything, and would take its time.
const longest = 100

// parseQuantity reads an amount of the resource, rounded up to its unit, as a
// scheduler does that must not promise what is not there.
func parseQuantity(resource, text string) (int64, error) {
	if len(text) > longest {
		return 0, fmt.Errorf("is too long for a quantity (%d bytes)", len(text))
	}
	parts := quantity.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("%q: not a quantity, such as 500m, 2, 1.5Gi or 1e3", text)
	}
	n, ok := new(big.Rat).SetString(strings.TrimSuffix(parts[2], "."))
	if !ok {
		return 0, fmt.Errorf("%q: not a number", text)
	}
	scale, ok := suffixes[parts[3]]
	if !ok { // an exponent: two digits, by the expression
		e, err := strconv.ParseInt(parts[3][1:], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%q: %w", text, err)
		}
		scale = power(10, e)
	}
	n.Mul(n, scale)
	if resource == cpu {
		n.Mul(n, power(10, 3))
	}
	whole, rest := new(big.Int).QuoRem(n.Num(), n.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		whole.Add(whole, big.NewInt(1))
	}
	switch {
	case parts[1] == "-" && whole.Sign() != 0:
		return 0, fmt.Errorf("%q: less than nothing", text)
	case !whole.IsInt64():
		return 0, fmt.Errorf("%q: more than this program can count", text)
	}
	return whole.Int64(), nil
}

// readAmounts reads what the API's JSON holds under a resource list, each
// quantity a string or a bare number. Problems are reported under path.
func readAmounts(list map[string]json.RawMessage, path string) (amounts, error) {
	var errs []error
	a := amounts{}
	for _, resource := range sorted(list) {
		text := string(list[resource])
		if text == "null" {
			continue
		}
		if strings.HasPrefix(text, `"`) {
			if err := json.Unmarshal(list[resource], &text); err != nil {
				errs = append(errs, fmt.Errorf("%s[%s]: %w", path, kubejson.Printable(resource), err))
				continue
			}
		}
		n, err := parseQuantity(resource, text)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s[%s] %w", path, kubejson.Printable(resource), err))
			continue
		}
		a[resource] = n
	}
	return a, errors.Join(errs...)
}

// add is a sum that stops at the largest number.
func add(a, b int64) int64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxInt64
}

// plus adds b to a.
func (a amounts) plus(b amounts) {
	for resource, n := range b {
		a[resource] = add(a[resource], n)
	}
}

// atLeast raises a to b where b is more.
func (a amounts) atLeast(b amounts) {
	for resource, n := range b {
		a[resource] = max(a[resource], n)
	}
}

// format writes an amount as people do: in the largest binary unit that it is a
// whole number of for bytes, in thousandths where a CPU is not whole.
func format(resource string, n int64) string {
	switch {
	case resource == cpu && n%1000 != 0:
		return strconv.FormatInt(n, 10) + "m"
	case resource == cpu:
		return strconv.FormatInt(n/1000, 10)
	case resource == memory || resource == "ephemeral-storage" || strings.HasPrefix(resource, "hugepages-"):
		unit := 0
		for unit < len(binary)-1 && n != 0 && n%1024 == 0 {
			n, unit = n/1024, unit+1
		}
		return strconv.FormatInt(n, 10) + binary[unit]
	}
	return strconv.FormatInt(n, 10)
}

var binary = [...]string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}

// String lists the amounts by name, except the number of pods, which is always one.
func (a amounts) String() string {
	var parts []string
	for _, resource := range sorted(a) {
		if n := a[resource]; n != 0 && resource != pods {
			parts = append(parts, format(resource, n)+" "+resource)
		}
	}
	return strings.Join(parts, ", ")
}
