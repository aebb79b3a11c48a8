// Package choose finds, among the tolerations that match a taint, the one that
// decides for how long the taint is tolerated. Packages match and eviction
// share it.
package choose

import (
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Toleration returns the index of the toleration that decides by the choice, or -1 if no
// toleration matches the taint. The choice must be valid. Under First it stops at the first
// match.
func Toleration(choice toleration.Choice, t taint.Taint, tolerations toleration.List) int {
	best := tolerations.Match(t)
	if best < 0 || choice == toleration.First {
		return best
	}
	for i := best + 1; i < len(tolerations); i++ {
		if u := tolerations[i]; choice.Prefers(u, tolerations[best]) && u.Tolerates(t) {
			best = i
		}
	}
	return best
}
