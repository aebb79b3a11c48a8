package taint_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/armadaproject/armada/internal/scheduler/kubernetesobjects/taint"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

type input = peer.Input[v1.Taint, v1.Toleration]

// A job has two lists.
func TestPeer(t *testing.T) {
	peer.Compare(t, map[string]func(*input) any{"FindMatchingUntoleratedTaint": func(in *input) any {
		found, untolerated := taint.FindMatchingUntoleratedTaint(in.Taints, nil, in.Tolerations)
		in.Found = append(in.Found[:0], found)
		return untolerated
	}})
}
