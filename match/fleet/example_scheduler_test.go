package fleet_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A scheduler has an index of the nodes' taints, and its own data about nodes.
type scheduler struct {
	taints fleet.Index[string]
	free   map[string]int // how many more pods fit on the node
	answer fleet.Answer[string]
}

// schedule returns a node for the pod, or the reasons why there is none. It returns the
// first node by name that has room, and prefers nodes without untolerated
// PreferNoSchedule taints.
func (s *scheduler) schedule(tolerations toleration.List) string {
	s.taints.Snapshot().Query(&s.answer, tolerations)
	best, preferred := "", false
	for group, counts := range s.answer.Groups() {
		for id := range group.Nodes() {
			better := best == "" || counts.Preferred() && !preferred || counts.Preferred() == preferred && id < best
			if s.free[id] > 0 && better {
				best, preferred = id, counts.Preferred()
			}
		}
	}
	switch {
	case best != "":
		s.free[best]--
		return best
	case s.answer.Counts().Schedulable > 0:
		return "no room"
	}
	return fmt.Sprint(s.answer.TopReasons(3))
}

// A scheduler keeps an index of the nodes' taints, and queries it for each pod.
func Example_scheduler() {
	s := scheduler{free: map[string]int{"general": 1, "spot": 1, "gpu": 1}}
	s.taints.Put("general", match.Node{})
	s.taints.Put("spot", match.Node{Taints: taint.MustParseList("example.com/spot:PreferNoSchedule")})
	s.taints.Put("gpu", match.Node{Taints: taint.MustParseList("nvidia.com/gpu=present:NoSchedule")})

	training := toleration.MustParseList("nvidia.com/gpu op=Exists")
	fmt.Println("web-0:", s.schedule(nil))
	fmt.Println("web-1:", s.schedule(nil))
	fmt.Println("web-2:", s.schedule(nil))
	fmt.Println("training-0:", s.schedule(training))

	// Two nodes are cordoned.
	s.taints.Put("general", match.Node{Unschedulable: true})
	s.taints.Put("spot", match.Node{Unschedulable: true})
	fmt.Println("web-3:", s.schedule(nil))
	// Output:
	// web-0: general
	// web-1: spot
	// web-2: no room
	// training-0: gpu
	// web-3: [2 of 3 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule 1 of 3 nodes: untolerated nvidia.com/gpu=present:NoSchedule]
}
