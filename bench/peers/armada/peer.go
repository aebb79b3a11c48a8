// Command armada runs Armada's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const (
	module    = "github.com/armadaproject/armada"
	scheduler = module + "/internal/scheduler"
	folder    = "internal/scheduler/kubernetesobjects/taint"
)

func main() {
	peer.Main(peer.Peer{
		Name:   "Armada",
		Module: module,
		Swaps: []overlay.Swap{{File: folder + "/taint.go", Func: "FindMatchingUntoleratedTaint", Body: `
	for i := range taints {
		tolerated := func(list []v1.Toleration) bool { return helper.TolerationsTolerateTaint(0, list, &taints[i], false) }
		if !slices.ContainsFunc(tolerations, tolerated) {
			return DeepCopyTaint(&taints[i]), true
		}
	}
	return v1.Taint{}, false`}},
		Imports:  map[string]string{"slices": "slices"},
		Inside:   folder,
		Packages: []string{scheduler + "/kubernetesobjects/taint", scheduler + "/internaltypes", scheduler + "/nodedb", scheduler + "/scheduling"},
		Verdict:  "There is little to gain: one function, half as long. Lt and Gt stay off, as in the k8s.io/api that Armada uses. The price is a dependency, and that structs that no API server accepts match less. The tests of the server and the executor need a database or a cluster.",
	})
}
