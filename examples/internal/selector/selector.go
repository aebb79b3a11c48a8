// Package selector evaluates node selectors and required node affinity.
package selector

import (
	"slices"
	"strconv"
)

// A Selector selects the nodes for a pod.
type Selector struct {
	Labels   map[string]string // spec.nodeSelector
	Affinity Affinity
}

// An Affinity is what decides of spec.affinity.
type Affinity struct {
	NodeAffinity struct {
		Required *struct {
			NodeSelectorTerms []struct{ MatchExpressions, MatchFields []expression }
		} `json:"requiredDuringSchedulingIgnoredDuringExecution"`
	}
}

type expression struct {
	Key, Operator string
	Values        []string
}

// Selects reports whether the node has all labels, and one of the terms matches it.
func (s Selector) Selects(node string, labels map[string]string) bool {
	for key, value := range s.Labels {
		if got, ok := labels[key]; !ok || got != value {
			return false
		}
	}
	required := s.Affinity.NodeAffinity.Required
	if required == nil {
		return true
	}
	for _, t := range required.NodeSelectorTerms { // a term without expressions matches no node
		if len(t.MatchExpressions)+len(t.MatchFields) > 0 && match(t.MatchExpressions, labels) &&
			match(t.MatchFields, map[string]string{"metadata.name": node}) {
			return true
		}
	}
	return false
}

// match reports whether all expressions match. One with an unknown operator does not.
func match(expressions []expression, labels map[string]string) bool {
	for _, e := range expressions {
		value, exists := labels[e.Key]
		in, matches := exists && slices.Contains(e.Values, value), false
		switch e.Operator {
		case "In":
			matches = in
		case "NotIn":
			matches = !in
		case "Exists":
			matches = exists
		case "DoesNotExist":
			matches = !exists
		case "Gt", "Lt":
			n, err := strconv.ParseInt(value, 10, 64)
			if err == nil && len(e.Values) == 1 {
				bound, err := strconv.ParseInt(e.Values[0], 10, 64)
				matches = err == nil && (n > bound) == (e.Operator == "Gt") && n != bound
			}
		}
		if !matches {
			return false
		}
	}
	return true
}
