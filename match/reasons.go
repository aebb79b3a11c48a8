package match

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Reason is an untolerated taint that keeps a pod away from nodes.
type Reason struct {
	// Taint has the effect NoSchedule or NoExecute, and no time added.
	Taint taint.Taint
	// Nodes is how many nodes bear it, each counted once.
	Nodes int
	// Of is how many nodes there are in all.
	Of int
	// Redacted is set when Taint stands for all taints of its key and effect
	// that have a value: it was left out.
	Redacted bool
}

// Compare orders reasons: the one with the most nodes first; of as many nodes
// by [taint.Taint.Compare], and then the one that is not redacted. It returns
// -1, 0 or +1, does not allocate, and does not look at Of.
func (r Reason) Compare(s Reason) int {
	if r.Nodes != s.Nodes { // texts are compared only where they must be
		return cmp.Compare(s.Nodes, r.Nodes)
	}
	return cmp.Or(r.Taint.Compare(s.Taint), int(bit(r.Redacted))-int(bit(s.Redacted)))
}

// String tells the reason as a scheduler does, and the taint, which that leaves
// out; the text may change:
//
//	3 of 5 nodes: untolerated dedicated=gpu:NoSchedule
func (r Reason) String() string {
	b, _ := r.AppendText(nil)
	return string(b)
}

// AppendText appends what String returns to b. The error is always nil. It
// does not allocate when b has room.
func (r Reason) AppendText(b []byte) ([]byte, error) {
	b = strconv.AppendInt(b, int64(r.Nodes), 10)
	b = append(b, " of "...)
	b = strconv.AppendInt(b, int64(r.Of), 10)
	b = append(b, " node"...)
	if r.Of != 1 {
		b = append(b, 's')
	}
	b = append(b, ": untolerated "...)
	start := len(b)
	b, _ = r.Taint.AppendText(b) // fails for no taint
	if r.Redacted {
		b = slices.Insert(b, start+len(r.Taint.Key()), leftOutText...)
	}
	return b, nil
}

// AppendJSON appends the reason as a JSON object to b, with the fields taint
// (in the API's JSON), nodes and of. A redacted taint has [RedactedValue] as
// its value. It does not allocate when b has room.
func (r Reason) AppendJSON(b []byte) []byte {
	b = append(b, `{"taint":`...)
	start := len(b)
	b = r.Taint.AppendJSON(b)
	if r.Redacted {
		b = slices.Insert(b, start+len(`{"key":"",`)+len(r.Taint.Key()), leftOutField...)
	}
	b = append(b, `,"nodes":`...)
	b = strconv.AppendInt(b, int64(r.Nodes), 10)
	b = append(b, `,"of":`...)
	b = strconv.AppendInt(b, int64(r.Of), 10)
	return append(b, '}')
}

// MarshalJSON returns what AppendJSON appends.
func (r Reason) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

var (
	leftOutText  = []byte("=" + RedactedValue)
	leftOutField = []byte(`"value":"` + RedactedValue + `",`)
)

// Reasons gathers why a pod may not be scheduled to nodes: each distinct
// NoSchedule and NoExecute taint that it does not tolerate, with the number of
// nodes that bear it. A node counts once for each such taint, so the numbers
// may add up to more than the nodes. A cordon is a taint like others, times
// added make no difference, and PreferNoSchedule keeps nobody away.
//
// The zero Reasons is empty and ready for use. It must not be copied, nor used
// concurrently. It remembers the taints that it has seen, some hundred bytes
// for each, also after [Reasons.Reset].
//
// Nodes that are added for several pods count once for each. For a whole fleet
// at once, an Answer of package fleet has the same reasons:
//
//	for _, r := range answer.AppendReasons(nil, 10) {
//		fmt.Println(match.Reason{Taint: r.Taint, Nodes: r.Nodes, Of: answer.Total()})
//	}
type Reasons struct {
	// Redact leaves values out: taints that differ in their values alone are
	// one reason, which tells key and effect. It must be set before the first
	// node is added.
	Redact bool

	total, schedulable int
	counts             []tallied
	index              map[taint.Taint]int // into counts, by canonical taint
	shared             map[taint.Taint]int // likewise, by taint without the value that it had
	sorted             []Reason            // room for them
}

// A tallied is a Reason that is being counted.
type tallied struct {
	taint    taint.Taint
	redacted bool
	nodes    int
	last     int // the node that was counted last, by number from 1 on
}

// Add adds a node, as it is to a pod with those tolerations: one list, or
// several that match as one.
//
// It does not allocate when it has seen the untolerated taints before. It is
// O(len(n.Taints)·number of tolerations).
func (r *Reasons) Add(n Node, tolerations ...[]toleration.Toleration) {
	r.total++
	kept := false
	for _, t := range n.Untolerated(tolerations...) {
		kept = r.count(t) || kept
	}
	r.schedulable += 1 - int(bit(kept))
}

// AddMatcher is [Reasons.Add] for compiled tolerations.
func (r *Reasons) AddMatcher(n Node, m *Matcher) {
	r.total++
	kept := false
	for _, t := range m.UntoleratedNode(n) {
		kept = r.count(t) || kept
	}
	r.schedulable += 1 - int(bit(kept))
}

// count counts an untolerated taint of the node that is being added, and
// reports whether it keeps the pod away.
func (r *Reasons) count(t taint.Taint) bool {
	if !keepsAway(t) {
		return false
	}
	i, known := r.index[t.Canonical()]
	if !known {
		i = r.learn(t.Canonical())
	}
	if c := &r.counts[i]; c.last != r.total {
		c.last = r.total
		c.nodes++
	}
	return true
}

// learn returns where a taint is counted that has not been seen before.
func (r *Reasons) learn(t taint.Taint) int {
	if r.index == nil {
		r.index, r.shared = make(map[taint.Taint]int), make(map[taint.Taint]int)
	}
	c := tallied{taint: t, redacted: r.Redact && t.Value() != ""}
	i, known := len(r.counts), false
	if c.redacted {
		c.taint, _ = taint.New(t.Key(), "", t.Effect()) // valid as t is
		if i, known = r.shared[c.taint]; !known {
			i = len(r.counts)
			r.shared[c.taint] = i
		}
	}
	if !known {
		r.counts = append(r.counts, c)
	}
	r.index[t] = i
	return i
}

// Total returns how many nodes were added.
func (r *Reasons) Total() int { return r.total }

// Schedulable returns how many of them no taint keeps the pod away from.
func (r *Reasons) Schedulable() int { return r.schedulable }

// AppendReasons appends the reasons to dst, the most frequent first, in the
// order of [Reason.Compare]; at most that many.
//
// It does not allocate when dst has room and no more taints were seen than at
// the last time. It is O(n log n), n being the number of taints seen.
func (r *Reasons) AppendReasons(dst []Reason, most int) []Reason {
	r.sort()
	return append(dst, r.sorted[:max(0, min(most, len(r.sorted)))]...)
}

func (r *Reasons) sort() {
	r.sorted = r.sorted[:0]
	for i := range r.counts {
		if c := &r.counts[i]; c.nodes > 0 {
			r.sorted = append(r.sorted, Reason{Taint: c.taint, Nodes: c.nodes, Of: r.total, Redacted: c.redacted})
		}
	}
	slices.SortFunc(r.sorted, Reason.Compare)
}

// String tells all reasons, each on a line of its own, as [Reason.String]
// does. It is empty when there is none.
func (r *Reasons) String() string {
	b, _ := r.AppendText(nil)
	return string(b)
}

// AppendText appends what String returns to b. The error is always nil. It
// does not allocate when b has room and no more taints were seen than at the
// last time.
func (r *Reasons) AppendText(b []byte) ([]byte, error) {
	r.sort()
	for i, reason := range r.sorted {
		if i > 0 {
			b = append(b, '\n')
		}
		b, _ = reason.AppendText(b) // fails for no reason
	}
	return b, nil
}

// Reset takes all nodes out, and keeps the memory and [Reasons.Redact].
func (r *Reasons) Reset() {
	r.total, r.schedulable = 0, 0
	for i := range r.counts {
		r.counts[i].nodes, r.counts[i].last = 0, 0
	}
}
