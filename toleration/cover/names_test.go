package cover_test

import (
	"strconv"
	"testing"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// A free name is found, whatever names are used.
func uncoveredTaintNamesTaken(t *testing.T) {
	for _, n := range []int{0, 1, 2, 50} {
		var taken toleration.List
		for i := range n {
			name := "other"
			if i > 0 {
				name += strconv.Itoa(i)
			}
			taken = append(taken, toleration.MustParse(name+" op=Exists"), toleration.MustParse("k="+name), toleration.MustParse("k"))
		}
		for _, b := range []string{"op=Exists", "k op=Exists"} {
			list := append(list("zero", "other01", "other-1"), taken...)
			u := toleration.MustParse(b)
			x, found := cover.UncoveredTaint(toleration.List{u}, list, toleration.First)
			if !found || !u.Tolerates(x) || list.Match(x) >= 0 {
				t.Errorf("%d names taken: %v, %v", n, x, found)
			}
		}
	}
}
