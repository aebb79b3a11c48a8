package lint

import (
	"strconv"

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

// A Fix changes one toleration of a list, and corrects its finding. Others can follow, mostly
// [Shadowed] and [Redundant]: call [Find] again.
type Fix struct {
	Index  int                   `json:"index"`
	Before toleration.Toleration `json:"before,omitzero"`
	// After replaces Before, which is removed if After is zero.
	After toleration.Toleration `json:"after,omitzero"`
	// Equivalent means that the list still tolerates the same taints for the same time.
	// Any such fixes of one call can be applied together, from the last on.
	Equivalent bool `json:"equivalent"`
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
	if f.Check == 0 || int(f.Check) >= len(checks) {
		return quote(f.Toleration)
	}
	return checks[f.Check].message(f, quote(f.Toleration))
}

func quote(u toleration.Toleration) string { return `"` + u.String() + `"` }
