//go:build !race

package fleet_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// TestMemory_node tests the documented number, of nodes in about 100 groups.
func TestMemory_node(t *testing.T) {
	if testing.Short() {
		t.Skip("loads 200,000 nodes")
	}
	const n, most = 200_000, 48
	kinds := make([]match.Node, 166) // of which 66 have no taints
	for i := range 100 {
		kinds[i].Taints = taint.MustParseList(fmt.Sprintf("pool=p%d:NoSchedule", i))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	before := measure.InUse()
	var x fleet.Index[uint64]
	for id := range uint64(n) {
		x.Put(id, kinds[rng.IntN(len(kinds))])
	}
	per := float64(measure.InUse()-before) / n
	runtime.KeepAlive(&x)
	if x.Len() != n || per > most {
		t.Errorf("%.1f bytes a node of %d, want at most %d", per, x.Len(), most)
	}
	t.Logf("%.1f bytes a node", per)
}

// TestMemory_group tests the documented number for a group, in an Index where each node
// has its own group.
func TestMemory_group(t *testing.T) {
	const n, most = 20_000, 320 + 48 // and for its node
	nodes := make([]match.Node, n)
	for i := range nodes {
		nodes[i].Taints = taint.MustParseList(fmt.Sprintf("host=h%d:NoSchedule", i))
	}
	before := measure.InUse()
	var x fleet.Index[int]
	for id, n := range nodes {
		x.Put(id, n)
	}
	per := float64(measure.InUse()-before) / n
	if x.Snapshot().Groups() != n || per > most {
		t.Errorf("%.1f bytes for each of %d groups and its node, want at most %d", per, x.Snapshot().Groups(), most)
	}
	t.Logf("%.1f bytes a group and its node", per)
	runtime.KeepAlive(nodes)
}
