package tainttoleration

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
	clusterapiv1 "open-cluster-management.io/api/cluster/v1"
	clusterapiv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

type input = peer.Input[clusterapiv1.Taint, clusterapiv1beta1.Toleration]

// effects are those of clusters for those of nodes.
var effects = map[clusterapiv1.TaintEffect]clusterapiv1.TaintEffect{
	"NoSchedule": clusterapiv1.TaintEffectNoSelect, "PreferNoSchedule": clusterapiv1.TaintEffectPreferNoSelect, "NoExecute": clusterapiv1.TaintEffectNoSelectIfNew,
}

func TestPeer(t *testing.T) {
	TolerationClock = clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 3, 0, 0, time.UTC))
	peer.Compare(t, map[string]func(*input) any{"isTolerated": func(in *input) any {
		if in.Object == nil {
			for i := range in.Taints {
				in.Taints[i].Effect = effects[in.Taints[i].Effect]
			}
			for i := range in.Tolerations {
				in.Tolerations[i].Effect = effects[in.Tolerations[i].Effect]
			}
			in.Object = &clusterapiv1.ManagedCluster{Spec: clusterapiv1.ManagedClusterSpec{Taints: in.Taints}}
		}
		tolerated, requeue, _ := isClusterTolerated(in.Object.(*clusterapiv1.ManagedCluster), in.Tolerations, false)
		if requeue != nil {
			return *requeue.RequeueTime
		}
		return tolerated
	}})
}
