package fleet_test

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A bitmap is a set of nodes, as libraries for bitsets read it: node n is bit n%64 of
// word n/64.
type bitmap []uint64

func (b *bitmap) add(n int) {
	for len(*b) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bitmap) countBoth(c bitmap) (n int) {
	for i := range min(len(b), len(c)) {
		n += bits.OnesCount64(b[i] & c[i])
	}
	return n
}

// A kept is the nodes of a group at a version.
type kept struct {
	version uint64
	nodes   bitmap
}

// An autoscaler keeps a bitmap for each group, by number, from snapshot to snapshot.
type autoscaler struct {
	taints fleet.Index[int]
	answer fleet.Answer[int]
	groups map[uint64]*kept
	room   bitmap                // the nodes with room for one more pod
	pools  map[string]match.Node // templates of the nodes that can be added
}

// nodes returns the nodes of a group. It rebuilds the bitmap when they have changed.
func (s *autoscaler) nodes(g fleet.Group[int]) bitmap {
	k := s.groups[g.Number()]
	if k == nil {
		k = new(kept)
		s.groups[g.Number()] = k
	}
	if k.version != g.Version() {
		k.version = g.Version()
		clear(k.nodes)
		for n := range g.Nodes() {
			k.nodes.add(n)
		}
	}
	return k.nodes
}

// drop deletes the bitmaps of groups that the answer's snapshot does not have.
func (s *autoscaler) drop() {
	gone := maps.Clone(s.groups)
	for g := range s.answer.AllGroups() {
		delete(gone, g.Number())
	}
	for number := range gone {
		delete(s.groups, number)
	}
}

// try reports whether a node has room for a pod, and else why not and which pools would help.
func (s *autoscaler) try(name string, pod toleration.List) {
	s.taints.Snapshot().Query(&s.answer, pod)
	n := 0
	for g := range s.answer.Groups() {
		n += s.nodes(g).countBoth(s.room)
	}
	fmt.Printf("%s: %d nodes\n", name, n)
	if n > 0 {
		return
	}
	var reasons match.Reasons // of the nodes with room
	for g := range s.answer.AllGroups() {
		node := match.Node{Taints: slices.Collect(g.Taints())}
		reasons.Add(s.nodes(g).countBoth(s.room), node.Untolerated(pod))
	}
	for _, r := range reasons.TopReasons(3) {
		fmt.Println("   ", r)
	}
	for _, pool := range slices.Sorted(maps.Keys(s.pools)) {
		if s.pools[pool].Schedulable(pod) {
			fmt.Println("    one more node would help:", pool)
		}
	}
}

// An autoscaler combines the index with its own data, here with the nodes that have room.
func Example_autoscaler() {
	gpu := match.Node{Taints: taint.MustParseList("nvidia.com/gpu=present:NoSchedule")}
	team := match.Node{Taints: taint.MustParseList("dedicated=research:NoSchedule")}
	s := autoscaler{groups: map[uint64]*kept{}, pools: map[string]match.Node{"general": {}, "gpu": gpu}}
	for n, node := range []match.Node{{}, {}, gpu, gpu, team} {
		s.taints.Put(n, node)
	}
	for _, n := range []int{0, 1, 4} {
		s.room.add(n)
	}
	training := toleration.MustParseList("nvidia.com/gpu op=Exists")

	s.try("web", nil)
	s.taints.Put(0, match.Node{Unschedulable: true})
	s.taints.Put(1, match.Node{Unschedulable: true})
	s.try("training", training)
	s.drop() // now and then: here the group without taints
	fmt.Println(len(s.groups), "groups")
	// Output:
	// web: 2 nodes
	// training: 0 nodes
	//     2 of 3 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule
	//     1 of 3 nodes: untolerated dedicated=research:NoSchedule
	//     one more node would help: general
	//     one more node would help: gpu
	// 3 groups
}
