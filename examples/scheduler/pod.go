package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
)

// A quantity is in thousandths.
type quantity int64

var (
	form  = regexp.MustCompile(`^"?([0-9]{1,18}(\.[0-9]{1,9})?(e[0-9]{1,2})?)(m|k|M|G|T|P|[KMGTP]i)?"?$`)
	units = map[string]int64{"m": 1, "": 1e3, "k": 1e6, "M": 1e9, "G": 1e12, "T": 1e15, "P": 1e18, "Ki": 1000 << 10, "Mi": 1000 << 20, "Gi": 1000 << 30, "Ti": 1000 << 40, "Pi": 1000 << 50}
)

// UnmarshalJSON reads what Kubernetes writes, such as "250m", "1.5" and "16Gi".
func (q *quantity) UnmarshalJSON(data []byte) error {
	if m := form.FindSubmatch(data); m != nil {
		n, ok := new(big.Rat).SetString(string(m[1]))
		n.Mul(n, new(big.Rat).SetInt64(units[string(m[4])]))
		if whole := n.Num(); ok && n.IsInt() && whole.IsInt64() && whole.Int64() < math.MaxInt64 {
			*q = quantity(whole.Int64())
			return nil
		}
	}
	return fmt.Errorf("invalid quantity %.60s; use one such as \"250m\" or \"16Gi\"", data)
}

// plus does not overflow: what is too much is more than any node has.
func plus(a, b quantity) quantity {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

type amounts map[string]quantity

func (a amounts) add(b amounts) {
	for name, q := range b {
		a[name] = plus(a[name], q)
	}
}

type container struct {
	RestartPolicy string
	Resources     struct{ Requests, Limits amounts }
}

// requests returns the most that the containers need at one time. A limit without a
// request is one.
func requests(inits, containers []container) amounts {
	most, running := amounts{}, amounts{}
	for i, c := range slices.Concat(inits, containers) {
		r := amounts{}
		maps.Copy(r, c.Resources.Limits)
		maps.Copy(r, c.Resources.Requests)
		if i < len(inits) && c.RestartPolicy != "Always" { // it ends before the next starts
			r.add(running)
		} else {
			running.add(r)
			r = running
		}
		for name, q := range r {
			most[name] = max(most[name], q)
		}
	}
	return most
}

type affinity struct {
	NodeAffinity struct {
		Required *struct {
			NodeSelectorTerms []struct {
				MatchExpressions, MatchFields []struct {
					Key, Operator string
					Values        []string
				}
			}
		} `json:"requiredDuringSchedulingIgnoredDuringExecution"`
	}
}

// size estimates the cost of repels.
func (a affinity) size() int {
	text, _ := json.Marshal(a)
	return len(text) / 16
}

// repels returns why no term matches the node. A term without expressions matches none.
func (a affinity) repels(n *node) string {
	if a.NodeAffinity.Required == nil {
		return ""
	}
	for _, term := range a.NodeAffinity.Required.NodeSelectorTerms {
		matches := len(term.MatchExpressions)+len(term.MatchFields) > 0
		for i, e := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			values := n.labels
			if i >= len(term.MatchExpressions) {
				values = map[string]string{"metadata.name": n.Name}
			}
			value, exists := values[e.Key]
			in := exists && slices.Contains(e.Values, value)
			holds, known := map[string]bool{"In": in, "NotIn": !in, "Exists": exists, "DoesNotExist": !exists}[e.Operator]
			if !known {
				return fmt.Sprintf("unknown operator %.60q in the node affinity", e.Operator)
			}
			matches = matches && holds
		}
		if matches {
			return ""
		}
	}
	return "no term of the node affinity matches"
}
