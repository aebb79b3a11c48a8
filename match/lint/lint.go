package lint

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// Options says what is looked for. The zero value looks for everything.
type Options struct {
	// Skip holds the rules whose findings are left out. The others are told as
	// if it were empty.
	Skip Rules
}

// A Finding is one thing that a rule found in a list. It is comparable.
type Finding struct {
	Rule     Rule
	Severity Severity
	// Index is the toleration's. Pod counts on into the namespace's defaults.
	Index int
	// Toleration is the one at that index.
	Toleration toleration.Toleration
	// Other is the index of the other toleration that the finding is about: the
	// one that shadows or covers this one by itself, or, where the key is out
	// of date, one that tolerates what took its place. It is -1 when there is
	// none, or several only together are.
	Other int
	// OtherToleration is the one at that index; the zero one when it is -1.
	OtherToleration toleration.Toleration
	// Fix takes the finding away. The zero Fix means that there is none.
	Fix Fix
}

// List returns what the rules find in a list of tolerations, sorted by index
// and then by rule. Zero Tolerations are passed over.
//
// It does not allocate when nothing is found. It is O(n²): in a list of more
// than 128 tolerations, Shadowed and Redundant are found only where one earlier
// toleration by itself matches the same taints. So a list that somebody made to
// be slow, of a thousand, takes some tenths of a second.
func List(list []toleration.Toleration, opts Options) []Finding {
	return AppendPod(nil, list, nil, opts)
}

// AppendList appends what [List] returns to dst. When dst has room it allocates
// only for what never matches or can be done without, and what strings a fix
// brings that are new.
func AppendList(dst []Finding, list []toleration.Toleration, opts Options) []Finding {
	return AppendPod(dst, list, nil, opts)
}

// Pod returns what the rules find in a pod's own tolerations when it is created
// in a namespace with these defaults (see package admission), which match
// behind its own. What a default already does is redundant in the pod; what
// the defaults repeat is not told of them, nor is anything else that is found
// in the defaults alone: List looks at those. Together with them the pod may
// tolerate everything, which is told of the toleration that completes it, even
// if that is a default; its index is then counted on from the pod's.
//
// It costs what [List] costs for both together, and up to 16 tolerations it
// does not allocate when there are no findings.
func Pod(own, defaults []toleration.Toleration, opts Options) []Finding {
	return AppendPod(nil, own, defaults, opts)
}

// AppendPod appends what [Pod] returns to dst.
func AppendPod(dst []Finding, own, defaults []toleration.Toleration, opts Options) []Finding {
	var room [16]toleration.Toleration
	list := own
	if len(defaults) > 0 {
		list = append(append(room[:0], own...), defaults...)
	}
	start := len(dst)
	dst = check(dst, list, len(own))
	found := slices.DeleteFunc(dst[start:], func(f Finding) bool { return opts.Skip.Has(f.Rule) })
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Rule, b.Rule))
	})
	return dst[:start+len(found)]
}

// Message tells the finding in a sentence, without its index. The text may
// change.
func (f Finding) Message() string {
	u := quote(f.Toleration)
	switch f.Rule {
	case NeverMatches:
		if f.Toleration.Operator() == toleration.Lt {
			return u + " matches no taint: the number on a taint is never less than 0"
		}
		return u + " matches no taint: the number on a taint is never more than 9223372036854775807"
	case SuppressesDefault:
		return u + " keeps the default seconds away, and nothing in the list tolerates " + f.Toleration.Key() + ":NoExecute, so the pod is evicted at once"
	case Shadowed:
		says := "it does not hold for good"
		if n, timed := f.Toleration.Seconds(); timed {
			says = "its " + strconv.FormatInt(n, 10) + "s do not count"
		}
		if f.Other < 0 {
			return u + " never decides, so " + says + ": others do"
		}
		return u + " never decides, so " + says + ": " + quote(f.OtherToleration) + " comes before it"
	case Redundant:
		if f.Other < 0 {
			return u + " is not needed: others together tolerate the same taints for as long"
		}
		return u + " is not needed: " + quote(f.OtherToleration) + " tolerates the same taints for as long"
	case ToleratesEverything:
		if f.Toleration.Effect() == 0 {
			return u + " tolerates every taint"
		}
		return u + " completes a list that tolerates every taint"
	case OpenToEveryNode:
		return u + " completes a list that tolerates every NoSchedule and NoExecute taint"
	case EqualEmptyValue:
		return u + " matches only a taint without a value; the operator Exists matches " + f.Toleration.Key() + " with any"
	case OutdatedKey:
		key, _ := condition.Deprecated(f.Toleration.Key())
		text := u + " has a key that is out of date: " + key + " took its place"
		if f.Other >= 0 {
			text += ", and " + quote(f.OtherToleration) + " tolerates that"
		}
		return text
	case NoTime:
		if n, _ := f.Toleration.Seconds(); n < 0 && f.Fix.Edit == Replace {
			return u + " has negative seconds, which mean 0"
		}
		return u + " tolerates the taint for no time: the pod is put on the node and evicted at once"
	}
	return u
}

func quote(u toleration.Toleration) string { return `"` + u.String() + `"` }

// String tells the finding in a line, with its index. The text may change.
func (f Finding) String() string {
	return strconv.Itoa(f.Index) + ": " + f.Severity.String() + ": " + f.Message() + " (" + f.Rule.String() + ")"
}

// An Edit is what a [Fix] does.
type Edit uint8

const (
	// Remove takes the toleration out of the list.
	Remove Edit = iota + 1
	// Replace puts another one in its place.
	Replace
)

// String returns the edit's name, "" for the zero Edit.
func (e Edit) String() string {
	switch e {
	case 0:
		return ""
	case Remove:
		return "Remove"
	case Replace:
		return "Replace"
	}
	return "Edit(" + strconv.Itoa(int(e)) + ")"
}

// A Fix is a change of one toleration of a list. The zero Fix changes nothing.
// It is comparable.
type Fix struct {
	Edit Edit
	// Index is the toleration's, in the list as it was linted.
	Index int
	// By stands in its place when Edit is Replace.
	By toleration.Toleration
	// Same is set when the list means the same afterwards: it tolerates the
	// same taints, each for as long, as [toleration.First] decides.
	Same bool
}

// IsZero reports whether f is the zero Fix, which changes nothing.
func (f Fix) IsZero() bool { return f == Fix{} }

// String tells the fix. The text may change.
func (f Fix) String() string {
	switch f.Edit {
	case Remove:
		return "remove " + strconv.Itoa(f.Index)
	case Replace:
		return "replace " + strconv.Itoa(f.Index) + " by " + quote(f.By)
	}
	return ""
}

// Apply returns the list with the fixes applied, all of whose indexes are those
// of the list as it is. Of several for one index the first counts. What is for
// no index of the list, or is no edit, is passed over. The list is not changed;
// the result is nil when it is empty.
//
// It allocates the result. It is O(n·m) for n tolerations and m fixes.
func Apply(list []toleration.Toleration, fixes ...Fix) []toleration.Toleration {
	if len(list) == 0 {
		return nil
	}
	fixed := AppendApply(make([]toleration.Toleration, 0, len(list)), list, fixes...)
	if len(fixed) == 0 {
		return nil
	}
	return fixed
}

// AppendApply appends what [Apply] returns to dst. The list must not lie in
// dst's spare room. It does not allocate when dst has room.
func AppendApply(dst, list []toleration.Toleration, fixes ...Fix) []toleration.Toleration {
	for i, u := range list {
		switch f := fixOf(i, fixes); f.Edit {
		case Replace:
			dst = append(dst, f.By)
		case Remove:
		default:
			dst = append(dst, u)
		}
	}
	return dst
}

func fixOf(i int, fixes []Fix) Fix {
	for _, f := range fixes {
		if f.Index == i && (f.Edit == Remove || f.Edit == Replace) {
			return f
		}
	}
	return Fix{}
}
