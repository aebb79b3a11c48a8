package condition

import (
	"strings"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// A Class is a set of taints, told by their keys, values and effects:
//
//	class   = [ pattern { "," pattern } ]
//	pattern = ( key [ "=" [ value ] ] | [ prefix ] "*" ) [ ":" effect ]
//
// A key alone takes every value, "key=" the empty one only; "prefix*" takes
// every key that begins so, "*" every key. Without an effect a pattern takes
// all three. All is case-sensitive, and a taint is in the class when some
// pattern takes it.
//
// The zero Class holds no taint, and no class holds the zero Taint. A Class
// never changes: it may be copied, and is safe for concurrent use. As text it
// is its patterns.
type Class struct {
	patterns []pattern
}

type pattern struct {
	key      unique.Handle[string] // zero when there is a prefix
	value    unique.Handle[string] // zero when it is empty
	prefix   string
	anyValue bool
	effect   taint.Effect // 0 for all
}

var classForms = []string{"key[=value][:Effect]", "prefix*[:Effect]"}

// ParseClass returns the class of that text; the empty one is the zero Class.
// The error tells all problems, with paths such as "[2].key", and comes with
// the zero Class.
func ParseClass(s string) (Class, error) {
	if s == "" {
		return Class{}, nil
	}
	var ps validate.Problems
	patterns := make([]pattern, 0, strings.Count(s, ",")+1)
	for text := range strings.SplitSeq(s, ",") {
		p, found := parsePattern(text)
		ps = validate.Append(ps, validate.Index("", len(patterns)), found.Err())
		patterns = append(patterns, p)
	}
	if len(ps) > 0 {
		return Class{}, ps
	}
	return Class{patterns}, nil
}

// MustParseClass calls [ParseClass] and panics on an error. It is for tests and
// for texts in the program.
func MustParseClass(s string) Class {
	c, err := ParseClass(s)
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
		return p, validate.Problems{{Value: s, Rule: validate.Syntax, Allowed: classForms}}
	}
	r := validate.KeyRule(key)
	if open {
		r = prefixRule(prefix)
	}
	if r != 0 {
		ps = append(ps, &validate.Problem{Path: "key", Value: key, Rule: r})
	}
	if r := validate.ValueRule(value); r != 0 {
		ps = append(ps, &validate.Problem{Path: "value", Value: value, Rule: r})
	}
	if hasEffect {
		e, err := taint.ParseEffect(effect)
		if err != nil {
			ps = validate.Append(ps, "effect", err)
		}
		p.effect = e
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

// prefixRule returns the rule that keeps every key from beginning so, 0 when
// some key does.
func prefixRule(prefix string) validate.Rule {
	// What ends within a name or a label can end there or go on with a letter;
	// the prefix before a '/' can also be complete.
	for _, rest := range []string{"", "a", "/a", "a/a"} {
		if validate.KeyRule(prefix+rest) == 0 {
			return 0
		}
	}
	return validate.KeyRule(prefix + "a")
}

// noKey is the handle of an absent key, and of an empty value.
var noKey unique.Handle[string]

func (p *pattern) takes(t taint.Taint) bool {
	if p.effect != 0 && p.effect != t.Effect() {
		return false
	}
	if p.key == noKey {
		return strings.HasPrefix(t.Key(), p.prefix)
	}
	return p.key == t.KeyHandle() && (p.anyValue || p.value == t.ValueHandle())
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

// IsZero reports whether c is the zero Class.
func (c Class) IsZero() bool { return len(c.patterns) == 0 }

// String returns the class as ParseClass reads it.
func (c Class) String() string {
	b, _ := c.AppendText(nil)
	return string(b)
}

// AppendText appends what String returns to b. The error is always nil. It does
// not allocate when b has room.
func (c Class) AppendText(b []byte) ([]byte, error) {
	for i := range c.patterns {
		if i > 0 {
			b = append(b, ',')
		}
		b = c.patterns[i].append(b)
	}
	return b, nil
}

// MarshalText returns what String returns.
func (c Class) MarshalText() ([]byte, error) { return c.AppendText(nil) }

// UnmarshalText sets c to what [ParseClass] reads. On an error c is unchanged.
func (c *Class) UnmarshalText(text []byte) error {
	parsed, err := ParseClass(string(text))
	if err == nil {
		*c = parsed
	}
	return err
}

// Union returns the class of the taints that are in any of the classes.
func Union(classes ...Class) Class {
	var patterns []pattern
	for _, c := range classes {
		patterns = append(patterns, c.patterns...)
	}
	return Class{patterns}
}

// Has reports whether the taint is in the class. It does not allocate. It is
// linear in the number of patterns.
func (c Class) Has(t taint.Taint) bool {
	if t.IsZero() {
		return false
	}
	for i := range c.patterns {
		if c.patterns[i].takes(t) {
			return true
		}
	}
	return false
}

// Select returns the taints that are in the class, in order; nil when there are
// none. It allocates the list.
func (c Class) Select(taints []taint.Taint) []taint.Taint {
	return c.AppendSelect(room(c.count(taints)), taints)
}

// AppendSelect appends what Select returns to dst, which may be taints[:0]. It
// does not allocate when dst has room.
func (c Class) AppendSelect(dst, taints []taint.Taint) []taint.Taint {
	for _, t := range taints {
		if c.Has(t) {
			dst = append(dst, t)
		}
	}
	return dst
}

// Drop returns the taints that are not in the class, in order, zero ones among
// them; nil when there are none. It allocates the list.
func (c Class) Drop(taints []taint.Taint) []taint.Taint {
	return c.AppendDrop(room(len(taints)-c.count(taints)), taints)
}

// AppendDrop appends what Drop returns to dst, which may be taints[:0]. It does
// not allocate when dst has room.
func (c Class) AppendDrop(dst, taints []taint.Taint) []taint.Taint {
	for _, t := range taints {
		if !c.Has(t) {
			dst = append(dst, t)
		}
	}
	return dst
}

// Split returns what Select and Drop return. It allocates both lists.
func (c Class) Split(taints []taint.Taint) (in, out []taint.Taint) {
	n := c.count(taints)
	return c.AppendSplit(room(n), room(len(taints)-n), taints)
}

// AppendSplit appends the taints that are in the class to in, and the others to
// out; one of the two may be taints[:0]. It does not allocate when both have
// room.
func (c Class) AppendSplit(in, out, taints []taint.Taint) ([]taint.Taint, []taint.Taint) {
	for _, t := range taints {
		if c.Has(t) {
			in = append(in, t)
		} else {
			out = append(out, t)
		}
	}
	return in, out
}

// room returns an empty list with room for n taints, nil for none.
func room(n int) []taint.Taint {
	if n == 0 {
		return nil
	}
	return make([]taint.Taint, 0, n)
}

func (c Class) count(taints []taint.Taint) int {
	n := 0
	for _, t := range taints {
		if c.Has(t) {
			n++
		}
	}
	return n
}

var (
	nodeConditions = MustParseClass(strings.Join([]string{NotReady, Unreachable, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable}, ","))
	nodeEviction   = MustParseClass(NotReady + ":NoExecute," + Unreachable + ":NoExecute")
	cordon         = MustParseClass(Unschedulable)
	cloudStartup   = MustParseClass(CloudUninitialized)
	autoscalers    = MustParseClass(strings.Join([]string{
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
	passing = Union(nodeConditions, cordon, cloudStartup, autoscalers)
)

// NodeConditions returns the class of the taints that stand for a node's
// conditions, by key: [NotReady], [Unreachable], [MemoryPressure],
// [DiskPressure], [PIDPressure] and [NetworkUnavailable], with any effect.
func NodeConditions() Class { return nodeConditions }

// NodeEviction returns the class of the two taints that make pods leave a node
// that is not well: [NotReady] and [Unreachable] with NoExecute. They are the
// ones to drop on a [Transition] that has entered full disruption everywhere.
func NodeEviction() Class { return nodeEviction }

// Cordon returns the class of the taint of a cordoned node, [Unschedulable],
// with any effect.
func Cordon() Class { return cordon }

// CloudStartup returns the class of the taint that a node bears until its cloud
// has seen it, [CloudUninitialized], with any effect.
func CloudStartup() Class { return cloudStartup }

// Autoscalers returns the class of the taints by which autoscalers and those
// who make nodes for them keep pods away for a while: the cluster autoscaler's
// own and those of its three prefixes, Karpenter's, the node readiness
// controller's and Cluster API's.
func Autoscalers() Class { return autoscalers }

// Passing returns the union of [NodeConditions], [Cordon], [CloudStartup] and
// [Autoscalers]: the taints that come and go of themselves, and say nothing of
// what a node is for.
func Passing() Class { return passing }
