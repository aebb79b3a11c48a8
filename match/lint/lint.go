package lint

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// Options are options of [Find].
type Options struct {
	// Skip lists checks whose findings are omitted.
	Skip []Check
	// Defaults are tolerations that the namespace adds after those of the list. They are
	// not checked themselves.
	Defaults toleration.List
}

// A Finding is a probable mistake in a list. Its texts may change.
type Finding struct {
	Check    Check    `json:"check"`
	Severity Severity `json:"severity"`
	// Index is that of Toleration. Those of Options.Defaults follow the list's.
	Index      int                   `json:"index"`
	Toleration toleration.Toleration `json:"toleration"`
	// Other is the index of OtherToleration, which shadows or covers this one or, for
	// OutdatedKey, tolerates the new taint; else -1.
	Other           int                   `json:"other"`
	OtherToleration toleration.Toleration `json:"otherToleration,omitzero"`
	// Fix may be zero.
	Fix Fix `json:"fix,omitzero"`
}

// A Fix changes one toleration of a list. It corrects its finding, and causes no other
// except [Shadowed] and [Redundant].
type Fix struct {
	Index  int                   `json:"index"`
	Before toleration.Toleration `json:"before,omitzero"`
	// After replaces Before, which is removed if After is zero.
	After toleration.Toleration `json:"after,omitzero"`
	// Equivalent means that the list still tolerates the same taints for the same time.
	// Such fixes of one call can be applied together, from the last on.
	Equivalent bool `json:"equivalent"`
}

// Find returns the findings in a list, sorted by index and check. It ignores zero
// Tolerations, and is safe for concurrent use.
//
// Up to 128 tolerations, with Defaults, usually take microseconds, and at most tens of
// milliseconds. For a longer list, Shadowed and Redundant, which compare all pairs, are
// skipped, TooLong reports this, and the time is linear. If nothing is found, a list of
// at most 32 tolerations, or 16 with Defaults, usually does not allocate.
func Find(tolerations toleration.List, opts Options) []Finding {
	for _, c := range opts.Skip {
		if c != 0 && !c.known() { // a typing error must not make the option useless
			panic("lint: unknown " + c.String())
		}
	}
	var found []Finding
	if len(opts.Defaults) == 0 {
		found = find(tolerations, len(tolerations))
	} else {
		found = findBefore(opts.Defaults, tolerations)
	}
	found = slices.DeleteFunc(found, func(f Finding) bool { return slices.Contains(opts.Skip, f.Check) })
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(f, g Finding) int {
		return cmp.Or(cmp.Compare(f.Index, g.Index), cmp.Compare(f.Check, g.Check))
	})
	return found
}

// findBefore is a function of its own because clearing buf takes time.
func findBefore(defaults, tolerations toleration.List) []Finding {
	var buf [16]toleration.Toleration
	return find(append(append(buf[:0], tolerations...), defaults...), len(tolerations))
}

func (f Fix) IsZero() bool { return f == Fix{} }

func (f Fix) String() string {
	switch {
	case f.IsZero():
		return ""
	case f.After.IsZero():
		return strconv.Itoa(f.Index) + ": remove " + quote(f.Before)
	}
	return strconv.Itoa(f.Index) + ": replace " + quote(f.Before) + " with " + quote(f.After)
}

func (f Finding) String() string {
	return strconv.Itoa(f.Index) + ": " + f.Severity.String() + ": " + f.Message() + " (" + f.Check.String() + ")"
}

// Message describes the mistake in one sentence.
func (f Finding) Message() string {
	u := quote(f.Toleration)
	switch f.Check {
	case NeverMatches:
		if f.Toleration.Operator() == toleration.Lt {
			return u + " matches no taint: no taint has a number less than 0"
		}
		return u + " matches no taint: no taint has a number greater than 9223372036854775807"
	case SuppressesDefault:
		return u + " prevents the default toleration of " + f.Toleration.Key() + ":NoExecute, and no toleration in the list matches this taint, so the pod is evicted at once"
	case Shadowed:
		return u + f.shadowed()
	case Redundant:
		if f.Other < 0 {
			return u + " is not needed: without it, the list tolerates the same taints for the same time"
		}
		return u + " is not needed: " + quote(f.OtherToleration) + " tolerates the same taints for the same time"
	case ToleratesEverything:
		if f.Toleration.Effect() == 0 {
			return u + " tolerates every taint"
		}
		return u + " completes a list that tolerates every taint"
	case OpenToEveryNode:
		return u + " completes a list that tolerates every NoSchedule and NoExecute taint"
	case EqualEmptyValue:
		return u + " matches only a taint without a value; the operator Exists matches " + f.Toleration.Key() + " with any value"
	case OutdatedKey:
		return u + f.outdated()
	case NoTime:
		if n, _ := f.Toleration.Seconds(); n < 0 && !f.Fix.IsZero() {
			return u + " has negative seconds, which mean 0"
		}
		return u + " tolerates the taint for no time: the pod is scheduled on the node and evicted at once"
	case NeedsFeatureGate:
		return u + " needs the feature gate TaintTolerationComparisonOperators, which is off by default: without it, the API server rejects the pod"
	case TooLong:
		return "the list has more than 128 tolerations, so shadowed and redundant ones are not reported"
	}
	return u
}

func (f *Finding) shadowed() string {
	text := " has no effect: it has no seconds, but "
	if n, timed := f.Toleration.Seconds(); timed {
		text = " has no effect: its " + strconv.FormatInt(n, 10) + "s are not used, because "
	}
	if f.Other < 0 {
		return text + "earlier tolerations decide"
	}
	return text + quote(f.OtherToleration) + " is before it and matches the same taints"
}

func (f *Finding) outdated() string {
	key, _ := condition.Deprecated(f.Toleration.Key())
	text := " has an outdated key: " + key + " replaced it"
	if f.Other >= 0 {
		text += ", and " + quote(f.OtherToleration) + " tolerates the new taint"
	}
	return text
}

func quote(u toleration.Toleration) string { return `"` + u.String() + `"` }
