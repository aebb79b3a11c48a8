package cover_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The properties are cheap, so there are more than the usual 100 draws, unless
// RAPID_CHECKS or the flag sets the number.
func TestMain(m *testing.M) { gen.Main(m, 1000) }

var choices = []toleration.Choice{toleration.First, toleration.Shortest, toleration.Longest, toleration.ForeverElseShortest}

// A length is for how long a taint is tolerated: 0 if it is untolerated, one more than
// the seconds, or forever.
type length uint64

const forever length = math.MaxUint64

// lengthOf returns for how long the list tolerates the taint, by the documentation of
// the choices and Tolerates alone.
func lengthOf(p toleration.Choice, list toleration.List, t taint.Taint) length {
	var all []length
	for _, u := range list {
		if !u.Tolerates(t) {
			continue
		}
		n, timed := u.Seconds()
		switch {
		case !timed:
			all = append(all, forever)
		case n < 0:
			all = append(all, 1)
		default:
			all = append(all, length(n)+1)
		}
	}
	if len(all) == 0 {
		return 0
	}
	switch p {
	case toleration.Shortest:
		return slices.Min(all)
	case toleration.Longest:
		return slices.Max(all)
	case toleration.ForeverElseShortest:
		if slices.Contains(all, forever) {
			return forever
		}
		return slices.Min(all)
	}
	return all[0]
}

// lengths returns the length of each taint.
func lengths(p toleration.Choice, list toleration.List, taints taint.List) []length {
	all := make([]length, len(taints))
	for i, t := range taints {
		all[i] = lengthOf(p, list, t)
	}
	return all
}

// atLeast reports whether no length of a is shorter than that of b.
func atLeast(a, b []length) bool {
	for i := range a {
		if a[i] < b[i] {
			return false
		}
	}
	return true
}

// list parses valid tolerations.
func list(texts ...string) toleration.List {
	return toleration.MustParseList(strings.Join(texts, ","))
}
