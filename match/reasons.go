package match

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/match/internal/explain"
	"github.com/go-tolerate/tolerate/taint"
)

// A Reason is an untolerated taint that repels a pod from nodes.
type Reason struct {
	// Taint has no time added. Zero Taints count as one.
	Taint taint.Taint
	// Nodes is the number of nodes that have the taint, and Of that of all nodes.
	Nodes, Of int
	// Redacted means that Taint represents all taints with its key and effect
	// and any value but the empty one.
	Redacted bool
}

// Compare returns -1, 0 or +1. The reason with more nodes comes first, then the
// smaller taint by [taint.Taint.Compare], then the one that is not redacted.
func (r Reason) Compare(s Reason) int {
	if r.Nodes != s.Nodes { // texts are compared only if necessary
		return cmp.Compare(s.Nodes, r.Nodes)
	}
	return cmp.Or(r.Taint.Compare(s.Taint), int(bit(r.Redacted))-int(bit(s.Redacted)))
}

// String returns a text, which may change:
//
//	3 of 5 nodes: untolerated dedicated=gpu:NoSchedule
func (r Reason) String() string { return string(r.appendText(nil)) }

func (r Reason) appendText(b []byte) []byte {
	b = strconv.AppendInt(b, int64(r.Nodes), 10)
	b = append(b, " of "...)
	b = strconv.AppendInt(b, int64(r.Of), 10)
	b = append(b, " node"...)
	if r.Of != 1 {
		b = append(b, 's')
	}
	b = append(b, ": untolerated "...)
	start := len(b)
	b = explain.AppendName(b, r.Taint, false)
	if r.Redacted {
		b = slices.Insert(b, start+len(r.Taint.Key()), redactedText...)
	}
	return b
}

// MarshalJSON returns an object with the fields taint (in the API's JSON, null
// for the zero Taint), nodes and of.
func (r Reason) MarshalJSON() ([]byte, error) { return r.appendJSON(nil), nil }

func (r Reason) appendJSON(b []byte) []byte {
	b = append(b, `{"taint":`...)
	start := len(b)
	b = r.Taint.AppendJSON(b)
	if r.Redacted {
		b = slices.Insert(b, start+len(`{"key":"",`)+len(r.Taint.Key()), redactedField...)
	}
	b = append(b, `,"nodes":`...)
	b = strconv.AppendInt(b, int64(r.Nodes), 10)
	b = append(b, `,"of":`...)
	b = strconv.AppendInt(b, int64(r.Of), 10)
	return append(b, '}')
}

var (
	redactedText  = []byte("=" + RedactedValue)
	redactedField = []byte(`"value":"` + RedactedValue + `",`)
)

// Reasons counts why a pod cannot be scheduled to nodes: the distinct
// untolerated NoSchedule and NoExecute taints, and the number of nodes with
// each. A node can count for several.
//
//	var reasons match.Reasons
//	for _, n := range nodes {
//		reasons.Add(n.Untolerated(tolerations))
//	}
//	fmt.Println(reasons.TopReasons(10))
//
// The zero Reasons is empty and ready for use. It is not safe for concurrent use,
// and must not be copied after its first use: the methods of a copy panic. It
// keeps about 110 bytes for each distinct taint, also after Reset.
type Reasons struct {
	guard nocopy.Guard

	// Redact makes one reason of all taints that differ only in their values. It
	// must be set before the first node is added.
	Redact bool

	total, schedulable int
	blocked            bool // the node that is being added
	counts             []tallied
	index              map[taint.Taint]int         // into counts, by canonical taint
	shared             map[taint.Taint]int         // into counts, by redacted taint without its value
	sorted             []Reason                    // reused
	yield              func(int, taint.Taint) bool // r.count, made once
}

// A tallied is a Reason that is being counted.
type tallied struct {
	taint    taint.Taint
	redacted bool
	nodes    int
	last     int // the number of the last node that was counted, from 1
}

// Add adds a node with these untolerated taints. It does not allocate for taints
// that it has seen before.
func (r *Reasons) Add(untolerated iter.Seq2[int, taint.Taint]) {
	r.guard.Check("match.Reasons")
	if r.yield == nil {
		r.yield = r.count
	}
	r.total++
	r.blocked = false
	untolerated(r.yield)
	if !r.blocked {
		r.schedulable++
	}
}

// count counts an untolerated taint of the node that is being added.
func (r *Reasons) count(_ int, t taint.Taint) bool {
	if !blocks(&t) {
		return true
	}
	r.blocked = true
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

// learn returns the index of a new taint's count.
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

// Total returns the number of nodes.
func (r *Reasons) Total() int {
	r.guard.Check("match.Reasons")
	return r.total
}

// Schedulable returns the number of nodes that the pod can be scheduled to.
func (r *Reasons) Schedulable() int {
	r.guard.Check("match.Reasons")
	return r.schedulable
}

// TopReasons returns the n most frequent reasons, or all if fewer, in the
// order of [Reason.Compare], as a new slice. It sorts all reasons.
func (r *Reasons) TopReasons(n int) []Reason {
	r.guard.Check("match.Reasons")
	r.sort()
	return slices.Clone(r.sorted[:max(0, min(n, len(r.sorted)))])
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

// Reset removes all nodes. It keeps the memory and Redact.
func (r *Reasons) Reset() {
	r.guard.Check("match.Reasons")
	r.total, r.schedulable = 0, 0
	for i := range r.counts {
		r.counts[i].nodes, r.counts[i].last = 0, 0
	}
}

// String returns all reasons, one on each line.
func (r *Reasons) String() string {
	r.guard.Check("match.Reasons")
	r.sort()
	var b []byte
	for i, reason := range r.sorted {
		if i > 0 {
			b = append(b, '\n')
		}
		b = reason.appendText(b)
	}
	return string(b)
}

// MarshalJSON returns an object with the fields total, schedulable and
// reasons, which are all of them in order.
func (r *Reasons) MarshalJSON() ([]byte, error) {
	r.guard.Check("match.Reasons")
	r.sort()
	b := []byte(`{"total":`)
	b = strconv.AppendInt(b, int64(r.total), 10)
	b = append(b, `,"schedulable":`...)
	b = strconv.AppendInt(b, int64(r.schedulable), 10)
	b = append(b, `,"reasons":[`...)
	for i, reason := range r.sorted {
		if i > 0 {
			b = append(b, ',')
		}
		b = reason.appendJSON(b)
	}
	return append(b, "]}"...), nil
}
