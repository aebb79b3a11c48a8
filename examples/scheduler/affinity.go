package main

import (
	"fmt"
	"slices"
)

// An affinity is what is evaluated of a pod's affinity.
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

// repels returns why no term matches the node. A term without expressions matches none.
func (a affinity) repels(n *node) string {
	if a.NodeAffinity.Required == nil {
		return ""
	}
	for _, term := range a.NodeAffinity.Required.NodeSelectorTerms {
		matches := len(term.MatchExpressions)+len(term.MatchFields) > 0
		for i, e := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			value, exists := n.labels[e.Key]
			isField := i >= len(term.MatchExpressions)
			if isField {
				value, exists = n.Name, true
			}
			in := exists && slices.Contains(e.Values, value)
			holds, known := map[string]bool{"In": in, "NotIn": !in, "Exists": exists, "DoesNotExist": !exists}[e.Operator]
			if !known || isField && e.Key != "metadata.name" {
				return fmt.Sprintf("%.60q with operator %.60q in the node affinity is not evaluated", e.Key, e.Operator)
			}
			matches = matches && holds
		}
		if matches {
			return ""
		}
	}
	return "no term of the node affinity matches"
}
