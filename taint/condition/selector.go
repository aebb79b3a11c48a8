package condition

import (
	"slices"
	"strconv"
	"strings"
	"unique"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// A Selector is a set of taints, defined by a list of patterns:
//
//	selector = [ pattern { "," pattern } ]
//	pattern  = ( key [ "=" [ value ] ] | [ prefix ] "*" ) [ ":" effect ]
//
// A taint is in the set if some pattern matches it. A key alone matches every
// value, "key=" only the empty value, and "prefix*" every key with that prefix.
// Without an effect, a pattern matches all. Case matters.
//
// To make a Selector, use [ParseSelector] or a predefined one. The zero
// Selector is empty, and none contains the zero Taint. A Selector is immutable
// and safe for concurrent use. Its text is its patterns.
type Selector struct {
	patterns []pattern
}

type pattern struct {
	key      unique.Handle[string] // noKey for a prefix
	value    unique.Handle[string] // noKey for the empty value
	prefix   string
	anyValue bool
	effect   taint.Effect // 0 for all
}

var noKey unique.Handle[string]

var patternForms = []string{"key[=value][:Effect]", "prefix*[:Effect]"}

// ParseSelector returns the Selector with these patterns. Empty text is the
// zero Selector. The error is validate.Problems, with paths such as "[2].key".
func ParseSelector(s string) (Selector, error) {
	if s == "" {
		return Selector{}, nil
	}
	var ps validate.Problems
	patterns := make([]pattern, 0, strings.Count(s, ",")+1)
	for text := range strings.SplitSeq(s, ",") {
		p, found := parsePattern(text)
		ps = problem.Append(ps, problem.Index("", len(patterns)), found.Err())
		patterns = append(patterns, p)
	}
	if len(ps) > 0 {
		return Selector{}, ps
	}
	return Selector{patterns}, nil
}

func mustParse(s string) Selector {
	c, err := ParseSelector(s)
	if err != nil {
		panic(err)
	}
	return c
}

func parsePattern(s string) (p pattern, ps validate.Problems) {
	key, effect, hasEffect := strings.Cut(s, ":")
	key, value, hasValue := strings.Cut(key, "=")
	prefix, open := strings.CutSuffix(key, "*")
	if key == "" || open && hasValue {
		return p, validate.Problems{{Value: s, Rule: validate.Syntax, Allowed: patternForms}}
	}
	broken := syntax.Key(key)
	if open {
		broken = prefixRules(prefix)
	}
	ps = problem.Each(ps, validate.Problem{Path: "key", Value: key}, broken)
	ps = problem.Each(ps, validate.Problem{Path: "value", Value: value}, syntax.Value(value))
	if hasEffect {
		switch err := p.effect.UnmarshalText([]byte(effect)); {
		case err != nil:
			ps = problem.Append(ps, "effect", err)
		case effect == "":
			ps = append(ps, &validate.Problem{Path: "effect", Rule: validate.EffectMissing})
		}
	}
	if len(ps) > 0 {
		return pattern{}, ps
	}
	p.anyValue = !hasValue
	if value != "" {
		p.value = unique.Make(value)
	}
	if open {
		p.prefix = prefix
	} else {
		p.key = unique.Make(key)
	}
	return p, nil
}

// prefixRules returns the rules that every key with the prefix violates, none if
// some key is valid.
func prefixRules(prefix string) syntax.Set {
	// A name or label can end where the prefix ends, or continue with a letter;
	// the part before a '/' can also be complete.
	for _, rest := range []string{"", "a", "/a", "a/a"} {
		if syntax.Key(prefix+rest) == 0 {
			return 0
		}
	}
	return syntax.Key(prefix + "a")
}

func (p *pattern) matches(t taint.Taint) bool {
	if p.effect != 0 && p.effect != t.Effect() {
		return false
	}
	if p.key == noKey {
		return strings.HasPrefix(t.Key(), p.prefix)
	}
	return p.key == value.Taint(t).KeyHandle() && (p.anyValue || p.value == value.Taint(t).ValueHandle())
}

func (p *pattern) append(b []byte) []byte {
	if p.key == noKey {
		b = append(append(b, p.prefix...), '*')
	} else {
		b = append(b, p.key.Value()...)
	}
	if !p.anyValue {
		b = append(b, '=')
	}
	if p.value != noKey {
		b = append(b, p.value.Value()...)
	}
	if p.effect != 0 {
		b = append(append(b, ':'), p.effect.String()...)
	}
	return b
}

// Has reports whether the taint is in the set. It is linear in the number of
// patterns and does not allocate.
func (s Selector) Has(t taint.Taint) bool {
	if t.IsZero() {
		return false
	}
	for i := range s.patterns {
		if s.patterns[i].matches(t) {
			return true
		}
	}
	return false
}

// HasKey reports whether some taint with this key is in the set, at the cost of
// Has.
func (s Selector) HasKey(key string) bool {
	for i := range s.patterns {
		p := &s.patterns[i]
		if p.key != noKey && p.key.Value() == key {
			return true
		}
		if p.key == noKey && strings.HasPrefix(key, p.prefix) && syntax.Key(key) == 0 {
			return true
		}
	}
	return false
}

// Drop returns the taints that are not in the set, in order. It allocates the
// list, which is nil if empty.
func (s Selector) Drop(taints taint.List) taint.List {
	return drop(taints, s.Has, 0)
}

// drop returns a new list of the taints that do not match, with capacity for more.
func drop(taints taint.List, match func(taint.Taint) bool, more int) taint.List {
	n := more
	for _, t := range taints {
		if !match(t) {
			n++
		}
	}
	dst := slices.Grow(taint.List(nil), n)
	for _, t := range taints {
		if !match(t) {
			dst = append(dst, t)
		}
	}
	return dst
}

// IsZero reports whether s is the zero Selector.
func (s Selector) IsZero() bool { return len(s.patterns) == 0 }

// Equal reports whether both have the same patterns, in the same order.
func (s Selector) Equal(t Selector) bool { return slices.Equal(s.patterns, t.patterns) }

// String returns the patterns, as [ParseSelector] reads them.
func (s Selector) String() string {
	b, _ := s.AppendText(nil)
	return string(b)
}

// GoString returns Go source.
func (s Selector) GoString() string {
	if s.IsZero() {
		return "condition.Selector{}"
	}
	return "func() condition.Selector { s, _ := condition.ParseSelector(" + strconv.Quote(s.String()) + "); return s }()"
}

// AppendText appends what String returns to b. The error is always nil.
func (s Selector) AppendText(b []byte) ([]byte, error) {
	for i := range s.patterns {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.patterns[i].append(b)
	}
	return b, nil
}

// MarshalText returns what String returns.
func (s Selector) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText calls [ParseSelector]. On error s is unchanged.
func (s *Selector) UnmarshalText(text []byte) error {
	parsed, err := ParseSelector(string(text))
	if err == nil {
		*s = parsed
	}
	return err
}

var (
	nodeEviction = mustParse(NotReady + ":NoExecute," + Unreachable + ":NoExecute")
	temporary    = mustParse(strings.Join([]string{
		NotReady, Unreachable, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable,
		Unschedulable,
		CloudUninitialized,
		"ToBeDeletedByClusterAutoscaler",
		"DeletionCandidateOfClusterAutoscaler",
		"startup-taint.cluster-autoscaler.kubernetes.io/*",
		"status-taint.cluster-autoscaler.kubernetes.io/*",
		"ignore-taint.cluster-autoscaler.kubernetes.io/*",
		"karpenter.sh/disrupted",
		"karpenter.sh/unregistered",
		"readiness.k8s.io/*",
		"node.cluster.x-k8s.io/uninitialized",
	}, ","))
)

// NodeEviction selects the taints of rule 2.
func NodeEviction() Selector { return nodeEviction }

// Temporary selects the taints, with any effect, of conditions ([NotReady] to
// [NetworkUnavailable]), cordons, clouds that initialize a node, the cluster autoscaler,
// Karpenter, the node readiness controller and Cluster API. Its String lists them.
func Temporary() Selector { return temporary }
