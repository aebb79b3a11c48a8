package match

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/match/internal/explain"
	"github.com/go-tolerate/tolerate/taint"
)

// A Reason is an untolerated taint that repels a pod from nodes.
type Reason struct {
	// Taint has no time added. Zero Taints count as one.
	Taint taint.Taint
	// Nodes is the number of nodes that have the taint, and Of that of all nodes.
	Nodes, Of int
}

// Compare returns -1, 0 or +1. The reason with more nodes comes first, then the
// smaller taint by [taint.Taint.Compare].
func (r Reason) Compare(s Reason) int {
	if r.Nodes != s.Nodes { // texts are compared only if necessary
		return cmp.Compare(s.Nodes, r.Nodes)
	}
	return r.Taint.Compare(s.Taint)
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
	return explain.AppendName(b, r.Taint)
}

// MarshalJSON returns an object with the fields taint (in the API's JSON, null
// for the zero Taint), nodes and of.
func (r Reason) MarshalJSON() ([]byte, error) { return r.appendJSON(nil), nil }

func (r Reason) appendJSON(b []byte) []byte {
	b = append(b, `{"taint":`...)
	b = r.Taint.AppendJSON(b)
	b = append(b, `,"nodes":`...)
	b = strconv.AppendInt(b, int64(r.Nodes), 10)
	b = append(b, `,"of":`...)
	b = strconv.AppendInt(b, int64(r.Of), 10)
	return append(b, '}')
}

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
// The zero Reasons is empty and ready for use. It is not safe for concurrent use.
// A copy made after the first use is the same object. It keeps about 110 bytes for
// each distinct taint.
type Reasons struct {
	state *reasons // made on first use
}

type reasons struct {
	total, schedulable int
	blocked            bool                        // the node that is being added
	counts             map[taint.Taint]*tallied    // by canonical taint
	yield              func(int, taint.Taint) bool // r.count, made once
}

// A tallied is the number of nodes with a taint.
type tallied struct {
	nodes int
	last  int // the number of the last node that was counted, from 1
}

// Add adds a node with these untolerated taints. It does not allocate for taints
// that it has seen before.
func (r *Reasons) Add(untolerated iter.Seq2[int, taint.Taint]) {
	if r.state == nil {
		r.state = &reasons{counts: make(map[taint.Taint]*tallied)}
		r.state.yield = r.state.count
	}
	r.state.add(untolerated)
}

func (r *reasons) add(untolerated iter.Seq2[int, taint.Taint]) {
	r.total++
	r.blocked = false
	untolerated(r.yield)
	if !r.blocked {
		r.schedulable++
	}
}

// count counts an untolerated taint of the node that is being added.
func (r *reasons) count(_ int, t taint.Taint) bool {
	if !blocks(&t) {
		return true
	}
	r.blocked = true
	c := r.counts[t.Canonical()]
	if c == nil {
		c = new(tallied)
		r.counts[t.Canonical()] = c
	}
	if c.last != r.total {
		c.last = r.total
		c.nodes++
	}
	return true
}

// TopReasons returns the n most frequent reasons, or all if fewer, in the
// order of [Reason.Compare], as a new slice. It sorts all reasons.
func (r *Reasons) TopReasons(n int) []Reason {
	all := r.sorted()
	return all[:max(0, min(n, len(all)))]
}

func (r *Reasons) sorted() []Reason {
	if r.state == nil {
		return []Reason{}
	}
	all := make([]Reason, 0, len(r.state.counts))
	for t, c := range r.state.counts {
		all = append(all, Reason{Taint: t, Nodes: c.nodes, Of: r.state.total})
	}
	slices.SortFunc(all, Reason.Compare)
	return all
}

// String returns all reasons, one on each line.
func (r *Reasons) String() string {
	var b []byte
	for i, reason := range r.sorted() {
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
	var state reasons
	if r.state != nil {
		state = *r.state
	}
	b := []byte(`{"total":`)
	b = strconv.AppendInt(b, int64(state.total), 10)
	b = append(b, `,"schedulable":`...)
	b = strconv.AppendInt(b, int64(state.schedulable), 10)
	b = append(b, `,"reasons":[`...)
	for i, reason := range r.sorted() {
		if i > 0 {
			b = append(b, ',')
		}
		b = reason.appendJSON(b)
	}
	return append(b, "]}"...), nil
}
