package condition_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/validate"
)

// declared returns the keys that are constants of condition.go.
func declared(t *testing.T) (keys []string) {
	t.Helper()
	source, err := os.ReadFile("condition.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`= "([^"]+/[^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		keys = append(keys, m[1])
	}
	return keys
}

// The keys are those of Kubernetes, and SEMANTICS.md names each.
func TestKeys(t *testing.T) {
	rules, err := os.ReadFile("../../SEMANTICS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(rules), "\n- **T1** ")
	section, _, _ = strings.Cut(section, "\n## R.") // T2 and D2 have some
	known := map[string]string{
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
		condition.Master:             "node-role.kubernetes.io/master",
	}
	for _, key := range []string{"node.kubernetes.io/out-of-disk", "node.alpha.kubernetes.io/notReady", "node.alpha.kubernetes.io/unreachable"} {
		known[key] = key // deprecated
	}
	for _, key := range declared(t) {
		if known[key] == "" {
			t.Errorf("T1: no row has %q", key)
		}
		if name := key[strings.Index(key, "/")+1:]; !regexp.MustCompile(`\b` + name + `\b`).MatchString(section) {
			t.Errorf("T1: the rules T and D do not name %q", key)
		}
	}
	for key, want := range known {
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
	for _, key := range append(declared(t), "", "master", "node.alpha.kubernetes.io/not-ready") {
		if _, ok := old[key]; !ok {
			old[key] = ""
		}
	}
	for key, want := range old {
		if got, ok := condition.Deprecated(key); got != want || ok != (want != "") {
			t.Errorf("T1: Deprecated(%q) = %q, %v, want %q", key, got, ok, want)
		}
	}
}

// The predefined selectors select the taints with these keys, and no others.
func TestPredefined(t *testing.T) {
	missing := map[string]bool{}
	for _, key := range declared(t) {
		missing[key] = true
	}
	for keys, want := range map[string]bool{
		`node.kubernetes.io/not-ready node.kubernetes.io/unreachable node.kubernetes.io/memory-pressure
		node.kubernetes.io/disk-pressure node.kubernetes.io/pid-pressure node.kubernetes.io/network-unavailable
		node.kubernetes.io/unschedulable node.cloudprovider.kubernetes.io/uninitialized
		ToBeDeletedByClusterAutoscaler DeletionCandidateOfClusterAutoscaler
		startup-taint.cluster-autoscaler.kubernetes.io/x status-taint.cluster-autoscaler.kubernetes.io/x
		ignore-taint.cluster-autoscaler.kubernetes.io/x karpenter.sh/disrupted karpenter.sh/disruption karpenter.sh/unregistered
		readiness.k8s.io/x node.cluster.x-k8s.io/uninitialized node.cilium.io/agent-not-ready
		ebs.csi.aws.com/agent-not-ready efs.csi.aws.com/agent-not-ready fsx.csi.aws.com/agent-not-ready
		aws-node-termination-handler/spot-itn cloud.google.com/impending-node-termination kubevirt.io/drain
		remediator.aks.microsoft.com/unschedulable remediator.kubernetes.azure.com/unschedulable medik8s.io/remediation medik8s.io/fence-agents-remediation
		remediation.medik8s.io/self-node-remediation remediation.medik8s.io/fence-agents-remediation
		cni.istio.io/not-ready drbd.linbit.com/lost-quorum drbd.linbit.com/force-io-error
		node.kubernetes.io/out-of-disk node.alpha.kubernetes.io/notReady node.alpha.kubernetes.io/unreachable`: true,
		`dedicated x node.kubernetes.io/out-of-service node.kubernetes.io/not-ready-x karpenter.sh/x readiness.k8s.iox
		node-role.kubernetes.io/control-plane node-role.kubernetes.io/master node.cloudprovider.kubernetes.io/shutdown cluster-autoscaler.kubernetes.io/x
		example.com/agent-not-ready aws-node-termination-handler kubevirt.io/schedulable
		cni.istio.io/x medik8s.io/x drbd.linbit.com/x kubernetes.azure.com/scalesetpriority`: false,
	} {
		for key := range strings.FieldsSeq(keys) {
			delete(missing, key)
			for _, rest := range []string{":NoSchedule", "=v:PreferNoSchedule", ":NoExecute"} {
				if got := condition.Temporary().Has(taint.MustParse(key + rest)); got != want {
					t.Errorf("T5: Temporary contains %s: %v", key+rest, got)
				}
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("T5: temporary or not: %v", missing)
	}
	for text, want := range map[string]bool{
		notReady + ":NoExecute": true, unreachable + "=x:NoExecute": true, notReady + ":NoSchedule": false, memory + ":NoExecute": false,
	} {
		if got := condition.NodeEviction().Has(taint.MustParse(text)); got != want {
			t.Errorf("T5: NodeEviction contains %s: %v", text, got)
		}
	}
}
