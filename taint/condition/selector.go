package condition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/internal/apijson"
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

// A pattern matches the taints that its toleration matches and whose key has the prefix.
type pattern struct {
	value.Toleration        // without a key for prefix*, and with Exists for any value
	prefix           string // of prefix*
}

var patternForms = []string{"key[=value][:Effect]", "prefix*[:Effect]"}

// ParseSelector returns the Selector with these patterns. Empty text is the
// zero Selector. The error is validate.Problems, with paths such as "[2].key".
func ParseSelector(s string) (Selector, error) {
	patterns, err := apijson.ParseText[[]pattern]("", s, parsePattern)
	return Selector{patterns}, err
}

func parsePattern(s string) (pattern, error) {
	key, name, hasEffect := strings.Cut(s, ":")
	key, val, hasValue := strings.Cut(key, "=")
	prefix, open := strings.CutSuffix(key, "*")
	if key == "" || open && hasValue {
		return pattern{}, validate.Problems{{Value: s, Rule: validate.Syntax, Allowed: patternForms}}
	}
	broken, exact := syntax.Key(key), key
	if open {
		broken, exact = prefixRules(prefix), ""
	} else {
		prefix = ""
	}
	ps := problem.Each(nil, validate.Problem{Path: "key", Value: key}, broken)
	ps = problem.Each(ps, validate.Problem{Path: "value", Value: val}, syntax.Value(val))
	var effect taint.Effect
	if err := effect.UnmarshalText([]byte(name)); err != nil {
		ps = problem.Append(ps, "effect", err)
	} else if hasEffect && name == "" {
		ps = append(ps, &validate.Problem{Path: "effect", Rule: validate.EffectMissing})
	}
	if len(ps) > 0 {
		return pattern{}, ps
	}
	operator := uint8(value.Exists)
	if hasValue {
		operator = 0
	}
	return pattern{value.NewToleration(exact, operator, val, uint8(effect)), prefix}, nil
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

func (p *pattern) append(b []byte) []byte {
	b = append(b, p.Key()...)
	if p.Key() == "" {
		b = append(append(b, p.prefix...), '*')
	}
	if p.Operator() != value.Exists {
		b = append(append(b, '='), p.Value()...)
	}
	if e := taint.Effect(p.Effect()); e != 0 {
		b = append(append(b, ':'), e.String()...)
	}
	return b
}

// Has reports whether the taint is in the set. It is linear in the number of
// patterns and does not allocate.
func (s Selector) Has(t taint.Taint) bool {
	for i := range s.patterns {
		if p := &s.patterns[i]; p.Matches(value.Taint(t)) && strings.HasPrefix(t.Key(), p.prefix) {
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
		if k := p.Key(); k == "" && strings.HasPrefix(key, p.prefix) && syntax.Key(key) == 0 || k != "" && k == key {
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
	nodeEviction = problem.Must(ParseSelector(NotReady + ":NoExecute," + Unreachable + ":NoExecute"))
	temporary    = problem.Must(ParseSelector(strings.Join([]string{
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
	}, ",")))
)

// NodeEviction selects the taints of rule 2.
func NodeEviction() Selector { return nodeEviction }

// Temporary selects the taints, with any effect, of conditions ([NotReady] to
// [NetworkUnavailable]), cordons, clouds that initialize a node, the cluster autoscaler,
// Karpenter, the node readiness controller and Cluster API. Its String lists them.
func Temporary() Selector { return temporary }
