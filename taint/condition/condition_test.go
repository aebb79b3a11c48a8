package condition_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/validate"
)

// The keys are those of Kubernetes.
func TestKeys(t *testing.T) {
	for key, want := range map[string]string{
		condition.NotReady:           "node.kubernetes.io/not-ready",
		condition.Unreachable:        "node.kubernetes.io/unreachable",
		condition.MemoryPressure:     "node.kubernetes.io/memory-pressure",
		condition.DiskPressure:       "node.kubernetes.io/disk-pressure",
		condition.PIDPressure:        "node.kubernetes.io/pid-pressure",
		condition.NetworkUnavailable: "node.kubernetes.io/network-unavailable",
		condition.Unschedulable:      "node.kubernetes.io/unschedulable",
		condition.OutOfService:       "node.kubernetes.io/out-of-service",
		condition.CloudUninitialized: "node.cloudprovider.kubernetes.io/uninitialized",
		condition.CloudShutdown:      "node.cloudprovider.kubernetes.io/shutdown",
		condition.ControlPlane:       "node-role.kubernetes.io/control-plane",
		condition.OutOfDisk:          "node.kubernetes.io/out-of-disk",
		condition.AlphaNotReady:      "node.alpha.kubernetes.io/notReady",
		condition.AlphaUnreachable:   "node.alpha.kubernetes.io/unreachable",
		condition.Master:             "node-role.kubernetes.io/master",
	} {
		if key != want {
			t.Errorf("T1: key %q, want %q", key, want)
		}
		if err := validate.Key(key); err != nil {
			t.Errorf("T1: %v", err)
		}
	}
}

func TestDeprecated(t *testing.T) {
	old := map[string]string{
		"node.kubernetes.io/out-of-disk":       "node.kubernetes.io/disk-pressure",
		"node.alpha.kubernetes.io/notReady":    "node.kubernetes.io/not-ready",
		"node.alpha.kubernetes.io/unreachable": "node.kubernetes.io/unreachable",
	}
	for _, key := range []string{
		condition.NotReady, condition.Unreachable, condition.MemoryPressure, condition.DiskPressure, condition.PIDPressure,
		condition.NetworkUnavailable, condition.Unschedulable, condition.OutOfService, condition.CloudUninitialized,
		condition.CloudShutdown, condition.ControlPlane, condition.Master, "", "master", "node.alpha.kubernetes.io/not-ready",
	} {
		old[key] = ""
	}
	for key, want := range old {
		if got, ok := condition.Deprecated(key); got != want || ok != (want != "") {
			t.Errorf("T1: Deprecated(%q) = %q, %v, want %q", key, got, ok, want)
		}
	}
}

// The predefined selectors select the taints with these keys, and no others.
func TestPredefined(t *testing.T) {
	for keys, want := range map[string]bool{
		`node.kubernetes.io/not-ready node.kubernetes.io/unreachable node.kubernetes.io/memory-pressure
		node.kubernetes.io/disk-pressure node.kubernetes.io/pid-pressure node.kubernetes.io/network-unavailable
		node.kubernetes.io/unschedulable node.cloudprovider.kubernetes.io/uninitialized
		ToBeDeletedByClusterAutoscaler DeletionCandidateOfClusterAutoscaler
		startup-taint.cluster-autoscaler.kubernetes.io/x status-taint.cluster-autoscaler.kubernetes.io/x
		ignore-taint.cluster-autoscaler.kubernetes.io/x karpenter.sh/disrupted karpenter.sh/unregistered
		readiness.k8s.io/x node.cluster.x-k8s.io/uninitialized`: true,
		`dedicated x node.kubernetes.io/out-of-service node.kubernetes.io/not-ready-x karpenter.sh/x readiness.k8s.iox
		node-role.kubernetes.io/control-plane node.cloudprovider.kubernetes.io/shutdown cluster-autoscaler.kubernetes.io/x`: false,
	} {
		for key := range strings.FieldsSeq(keys) {
			for _, rest := range []string{":NoSchedule", "=v:PreferNoSchedule", ":NoExecute"} {
				if got := condition.Temporary().Has(taint.MustParse(key + rest)); got != want {
					t.Errorf("T5: Temporary contains %s: %v", key+rest, got)
				}
			}
		}
	}
	for text, want := range map[string]bool{
		notReady + ":NoExecute": true, unreachable + "=x:NoExecute": true, notReady + ":NoSchedule": false, memory + ":NoExecute": false,
	} {
		if got := condition.NodeEviction().Has(taint.MustParse(text)); got != want {
			t.Errorf("T5: NodeEviction contains %s: %v", text, got)
		}
	}
}

func selector(text string) condition.Selector { return condition.MustParseSelector(text) }
