// Package choose finds, among the tolerations that match a taint, the one that
// decides for how long the taint is tolerated. Packages match and eviction
// share it.
package choose

import (
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Toleration returns the position lists[list][index] of the toleration that decides by
// the choice, or false if no toleration matches the taint. The choice must be valid.
// Under First it stops at the first match.
func Toleration(choice toleration.Choice, t taint.Taint, lists []toleration.List) (list, index int, ok bool) {
	for l := range lists {
		if i := lists[l].Match(t); i >= 0 {
			if choice != toleration.First {
				l, i = preferred(choice, t, lists, l, i)
			}
			return l, i, true
		}
	}
	return 0, 0, false
}

// preferred is Toleration for a taint whose first match is lists[list][index].
func preferred(choice toleration.Choice, t taint.Taint, lists []toleration.List, list, index int) (int, int) {
	for l, next := list, index+1; l < len(lists); l, next = l+1, 0 {
		for {
			i := lists[l][next:].Match(t)
			if i < 0 {
				break
			}
			next += i
			if choice.Prefers(lists[l][next], lists[list][index]) {
				list, index = l, next
			}
			next++
		}
	}
	return list, index
}
