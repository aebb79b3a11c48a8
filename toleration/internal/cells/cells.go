// Package cells arranges all taints on a line, so that each toleration of a list matches
// an interval of it.
package cells

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
	"unique"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Point is a place on the line: keys and values of taints that match the same
// tolerations, except for the effect. First on the line is the point of all keys that the
// list does not name, whatever the value. Then, for each key of the list in order, follow
// the point of all values that are in no other, the values of Equal in order, and the
// integers, each with a point of its own. So Lt, Gt, and Exists with and without a key
// match an interval, and Equal a point.
type Point struct {
	key int // the index of the first toleration with the key, or unnamed
	at  int64
}

const (
	unnamed = -1
	// at is an integer, or other, or, for the value of Equal at index i of the list, other+1+i.
	other = math.MinInt64
)

func (p Point) less(q Point) bool { return p.key < q.key || p.key == q.key && p.at < q.at }

func (p Point) compare(q Point) int {
	if p.key != q.key {
		return cmp.Compare(p.key, q.key)
	}
	return cmp.Compare(p.at, q.at)
}

// A Span is an interval of the line, with both ends.
type Span struct{ First, Last Point }

// IsEmpty reports whether the span has no point.
func (s Span) IsEmpty() bool { return s.Last.less(s.First) }

// Has reports whether the span has the point.
func (s Span) Has(p Point) bool { return !p.less(s.First) && !s.Last.less(p) }

// What a span can have of a key's integers.
const (
	Least = 1 << iota
	Greatest
)

// Ends returns what the span, which is not empty, has of Least and Greatest.
func (s Span) Ends() (ends int) {
	if s.First.at <= 0 && s.Last.at >= 0 {
		ends = Least
	}
	if s.Last.at == math.MaxInt64 {
		ends |= Greatest
	}
	return ends
}

// A Line is the line of a list. Use [New] to make one.
type Line struct {
	Spans []Span // of the list's tolerations
	// Points are in order, and the first begins the line. No span begins or ends between
	// two of them.
	Points []Point

	list   toleration.List
	keys   set.Finder[toleration.Toleration, unique.Handle[string]]
	values set.Finder[toleration.Toleration, keyValue]
}

// A Room is the memory for two short lists and their line.
type Room struct {
	List   [2 * set.Short]toleration.Toleration
	spans  [2 * set.Short]Span
	points [8*set.Short + 1]Point
}

// New returns the line of the list, for about so many calls of Span. With a room, which may
// be nil, it does not allocate if the list fits in and either number is at most [set.Short].
func New(list toleration.List, calls int, room *Room) Line {
	l := Line{list: list, keys: set.FinderOf(list, calls, keyOf), values: set.FinderOf(list, calls, keyValueOf)}
	if room != nil {
		l.Spans, l.Points = room.spans[:0], room.points[:0]
	}
	l.Spans = slices.Grow(l.Spans, len(list))
	l.Points = append(slices.Grow(l.Points, 2*len(list)), Point{unnamed, other})
	for i := range list {
		s := l.Span(&list[i])
		l.Spans = append(l.Spans, s)
		key := s.First.key
		if key == i { // the first toleration with this key
			l.Points = append(l.Points, Point{key, other}, Point{key, 0})
		}
		if key == unnamed || s.IsEmpty() {
			continue
		}
		if s.First.at != other && s.First.at != 0 {
			l.Points = append(l.Points, s.First)
		}
		if n := s.Last.at; n >= 0 && n < math.MaxInt64 {
			l.Points = append(l.Points, Point{key, n + 1})
		}
	}
	slices.SortFunc(l.Points, Point.compare)
	l.Points = slices.Compact(l.Points)
	return l
}

// A keyValue is the key and value of Equal, or zero for another operator.
type keyValue struct{ key, value unique.Handle[string] }

func keyOf(u toleration.Toleration) unique.Handle[string] { return value.Toleration(u).KeyHandle() }

func keyValueOf(u toleration.Toleration) keyValue {
	if v := value.Toleration(u); v.IsEqual() {
		return keyValue{v.KeyHandle(), v.ValueHandle()}
	}
	return keyValue{}
}

// Span returns what u matches. The list need not have u.
func (l *Line) Span(u *toleration.Toleration) Span {
	if u.Key() == "" {
		if u.IsZero() {
			return Span{Point{unnamed, 1}, Point{unnamed, 0}}
		}
		return Span{Point{unnamed, other}, Point{math.MaxInt, math.MaxInt64}}
	}
	key := l.keys.Index(keyOf(*u))
	lo, hi := Integers(u)
	switch {
	case u.Operator() == toleration.Exists:
		lo, hi = other, math.MaxInt64
	case lo > hi && value.Toleration(*u).IsEqual():
		lo = other
		if i := l.values.Index(keyValueOf(*u)); i >= 0 {
			lo += 1 + int64(i)
		}
		hi = lo
	}
	if key == unnamed && lo <= hi {
		lo, hi = other, other
	}
	return Span{Point{key, lo}, Point{key, hi}}
}

// Find returns the indices of the last points that are not after the span's first and last.
func (l *Line) Find(s Span) (first, last int) { return l.find(s.First), l.find(s.Last) }

// find returns the index of the last point that is not after p.
func (l *Line) find(p Point) int {
	return sort.Search(len(l.Points), func(i int) bool { return p.less(l.Points[i]) }) - 1
}

// Taint returns a taint of the point.
func (l *Line) Taint(p Point, e taint.Effect) taint.Taint {
	var key, val string
	if p.key == unnamed {
		key = unused(func(s string) bool { return l.keys.Index(unique.Make(s)) >= 0 })
	} else {
		key = l.list[p.key].Key()
	}
	switch {
	case p.at >= 0:
		val = strconv.FormatInt(p.at, 10)
	case p.at != other:
		val = l.list[p.at-other-1].Value()
	case p.key != unnamed:
		named := keyValue{key: keyOf(l.list[p.key])}
		if l.values.Index(named) >= 0 { // the empty value
			val = unused(func(s string) bool {
				named.value = unique.Make(s)
				return l.values.Index(named) >= 0
			})
		}
	}
	t, err := taint.New(key, val, e)
	if err != nil {
		panic("cells: " + err.Error()) // not reached
	}
	return t
}

// unused returns the first of "other", "other1", "other2"... that is not used.
func unused(used func(string) bool) string {
	name := "other"
	for i := 1; used(name); i++ {
		name = "other" + strconv.Itoa(i)
	}
	return name
}

// Integers returns the least and the greatest integer on a taint that u matches. If there is
// none, or the operator is Exists, the least is above the greatest.
func Integers(u *toleration.Toleration) (lo, hi int64) {
	n, rule := syntax.Integer(u.Value())
	switch {
	case u.Operator() == toleration.Gt && n < math.MaxInt64:
		return max(n, -1) + 1, math.MaxInt64
	case u.Operator() == toleration.Lt && n > 0:
		return 0, n - 1
	case value.Toleration(*u).IsEqual() && rule == 0 && n >= 0:
		return n, n
	}
	return 1, 0
}
