package lint

import (
	"strconv"

	"github.com/go-tolerate/tolerate/toleration"
)

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

// rewrite returns the toleration with that key, operator and value, which are
// valid together, and with its own effect and seconds.
func rewrite(u toleration.Toleration, key string, op toleration.Operator, value string) toleration.Toleration {
	by, _ := toleration.New(key, op, value, u.Effect())
	if n, timed := u.Seconds(); timed {
		by, _ = by.WithSeconds(n)
	}
	return by
}
