package match

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/taint"
)

// A Reason is an untolerated taint that Nodes of all Of nodes have.
type Reason struct {
	// Taint has no time added.
	Taint taint.Taint `json:"taint"`
	Nodes int         `json:"nodes"`
	Of    int         `json:"of"`
}

// Compare returns -1, 0 or +1: more nodes first, then the smaller taint.
func (r Reason) Compare(s Reason) int {
	if r.Nodes != s.Nodes { // texts are compared only if necessary
		return cmp.Compare(s.Nodes, r.Nodes)
	}
	return r.Taint.Compare(s.Taint)
}

// String returns text such as "3 of 5 nodes: untolerated dedicated=gpu:NoSchedule".
func (r Reason) String() string {
	nodes := " nodes: untolerated "
	if r.Of == 1 {
		nodes = " node: untolerated "
	}
	return strconv.Itoa(r.Nodes) + " of " + strconv.Itoa(r.Of) + nodes + name(r.Taint)
}

// Reasons counts why a pod cannot be scheduled to nodes: the distinct untolerated
// NoSchedule and NoExecute taints, and the number of nodes with each. A node with two of
// them counts for both: Kubernetes' scheduler names only the first, that of
// [Node.Blocking].
//
//	var reasons match.Reasons
//	for _, n := range nodes {
//		reasons.Add(1, n.Untolerated(tolerations))
//	}
//	fmt.Println(reasons.TopReasons(10))
//
// The zero Reasons is empty and ready to use. It must not be copied, and is not safe for
// concurrent use. It keeps about 110 bytes for each taint.
type Reasons struct {
	_     nocopy.NoCopy
	state *reasons // made on first use
}

type reasons struct {
	total  int
	added  int                         // nodes that are being added
	counts map[taint.Taint]*tallied    // by canonical taint
	yield  func(int, taint.Taint) bool // r.count, made once
}

// A tallied is the number of nodes with a taint.
type tallied struct {
	nodes int
	last  int // the total after the last nodes that were counted
}

// Add adds n nodes with the same taints; none if n is not positive. It allocates only for
// taints that it sees first.
func (r *Reasons) Add(n int, untolerated iter.Seq2[int, taint.Taint]) {
	if n <= 0 {
		return
	}
	if r.state == nil {
		r.state = &reasons{counts: make(map[taint.Taint]*tallied)}
		r.state.yield = r.state.count
	}
	r.state.added = n
	r.state.total += n
	untolerated(r.state.yield)
}

// count counts an untolerated taint of the nodes that are being added.
func (r *reasons) count(_ int, t taint.Taint) bool {
	if !blocks(&t) {
		return true
	}
	c := r.counts[t.Canonical()]
	if c == nil {
		c = new(tallied)
		r.counts[t.Canonical()] = c
	}
	if c.last != r.total {
		c.last = r.total
		c.nodes += r.added
	}
	return true
}

// TopReasons returns the n most frequent reasons, in the order of [Reason.Compare].
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

// String returns all reasons, one a line.
func (r *Reasons) String() string {
	var lines []string
	for _, reason := range r.sorted() {
		lines = append(lines, reason.String())
	}
	return strings.Join(lines, "\n")
}

func (r *Reasons) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
