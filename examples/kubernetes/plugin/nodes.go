package plugin

import (
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// nodes holds the nodes of the scheduler's snapshot, converted and indexed. The
// snapshot's node objects are replaced, never changed, so a pointer identifies
// a version of a node.
type nodes struct {
	mu    sync.Mutex
	round uint64  // the number of updates
	order []place // as in the snapshot
	index fleet.Index[*node]

	byObject sync.Map // of *corev1.Node to *node, for the messages of Filter, which runs in parallel
}

// A place is one position in the snapshot.
type place struct {
	object *corev1.Node
	node   *node
}

// A node is a converted node. Versions of a node that differ in other fields
// than their taints share one.
type node struct {
	name    string
	refusal []string // by taint: the message of Filter when it is the first that refuses the pod
	unread  bool     // a taint cannot be converted

	// Guarded by nodes.mu:
	object *corev1.Node // the latest version
	round  uint64       // the update that last placed it
}

func convert(object *corev1.Node) (*node, taint.List) {
	taints, err := kube.Taints(object.Spec.Taints)
	n := &node{name: object.Name, object: object, unread: err != nil, refusal: make([]string, len(taints))}
	for i, t := range taints {
		switch {
		case n.unread:
			n.refusal[i] = "node(s) had taints that cannot be judged: " + brief(err)
		case t.Effect() != taint.PreferNoSchedule:
			n.refusal[i] = "node(s) had untolerated taint " + t.String()
		}
	}
	return n, taints
}

// look returns the converted node. An object that no PreFilter has seen, such
// as a simulation's, is converted each time.
func (s *nodes) look(object *corev1.Node) *node {
	if n, ok := s.byObject.Load(object); ok {
		return n.(*node)
	}
	n, _ := convert(object)
	return n
}

// update makes the index equal to the scheduler's snapshot and returns it. A
// node that is at the same place as before costs a comparison of pointers; one
// whose object was replaced costs a comparison of its taints; only where these
// changed is the index changed.
//
// A node whose taints cannot be converted is not in the index.
func (s *nodes) update(snapshot []fwk.NodeInfo) *fleet.Snapshot[*node] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round++
	var displaced []place
	for i, info := range snapshot {
		object := info.Node()
		if i == len(s.order) {
			s.order = append(s.order, place{})
		}
		if at := &s.order[i]; at.object != object {
			n := s.take(object, at)
			n.round = s.round
			if at.object != nil {
				displaced = append(displaced, *at)
			}
			*at = place{object, n}
		}
	}
	displaced = append(displaced, s.order[len(snapshot):]...)
	clear(s.order[len(snapshot):])
	s.order = s.order[:len(snapshot)]
	for _, was := range displaced {
		s.drop(was)
	}
	return s.index.Snapshot()
}

// take returns the converted node for an object that was not at this place
// before.
func (s *nodes) take(object *corev1.Node, at *place) *node {
	if at.object != nil && at.object.Name == object.Name && equality.Semantic.DeepEqual(at.object.Spec.Taints, object.Spec.Taints) {
		at.node.object = object
		s.byObject.Store(object, at.node)
		return at.node
	}
	if n, ok := s.byObject.Load(object); ok { // it moved
		return n.(*node)
	}
	n, taints := convert(object)
	s.byObject.Store(object, n)
	if !n.unread {
		s.index.Put(n, match.Node{Taints: taints})
	}
	return n
}

// drop removes what was at a place, unless it is at another place now.
func (s *nodes) drop(was place) {
	switch {
	case was.object != was.node.object: // an older version
		s.byObject.Delete(was.object)
	case was.node.round != s.round: // the node is gone
		s.byObject.Delete(was.object)
		s.index.Remove(was.node)
	}
}

// brief returns the first problem and the number of the others: a list that
// cannot be converted can have any number of them.
func brief(err error) string {
	if ps, ok := errors.AsType[validate.Problems](err); ok && len(ps) > 1 {
		return fmt.Sprintf("%v, and %d more", ps[0], len(ps)-1)
	}
	return err.Error()
}
