package remover_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/remover"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// The patterns are those of condition.Temporary, and each has a source.
func TestTable(t *testing.T) {
	var patterns []string
	for _, r := range remover.Table {
		patterns = append(patterns, r.Pattern)
		if r.Source == "" || r.Vanishes && r.Program != nil {
			t.Errorf("%+v", r)
		}
	}
	want := append(strings.Split(condition.Temporary().String(), ","), "aws-node-termination-handler/scheduled-maintenance") // an exception
	slices.Sort(want)
	slices.Sort(patterns)
	if diff := cmp.Diff(want, patterns); diff != "" {
		t.Errorf("patterns mismatch (-want +got):\n%s", diff)
	}
}

func TestAdvice(t *testing.T) {
	for text, want := range map[string]string{
		"node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule":  "wait until the cloud controller manager removes it",
		"ToBeDeletedByClusterAutoscaler=1700000000:NoSchedule":            "the node is being removed, wait for another",
		"karpenter.sh/disruption=disrupting:NoSchedule":                   "the node is being removed, wait for another",
		"aws-node-termination-handler/spot-itn=x:NoSchedule":              "the node is being removed, wait for another",
		"aws-node-termination-handler/scheduled-maintenance=x:NoSchedule": "wait, or repair the node",
		"cloud.google.com/impending-node-termination:NoSchedule":          "wait, or repair the node",
		"remediation.medik8s.io/self-node-remediation:NoSchedule":         "wait until Medik8s removes it",
		"readiness.k8s.io/network:NoExecute":                              "wait until the node readiness controller removes it",
		"node.kubernetes.io/not-ready:NoExecute":                          "wait, or repair the node",
		"example.com/starting:NoSchedule":                                 "wait, or repair the node",
	} {
		if got := remover.Advice(taint.MustParse(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestRunning(t *testing.T) {
	for _, test := range []struct{ kind, name, taint, want string }{
		{"ReplicaSet", "cloud-controller-manager-7c", "node.cloudprovider.kubernetes.io/uninitialized:NoSchedule", "the cloud controller manager"},
		{"DaemonSet", "aws-cloud-controller-manager", "node.cloudprovider.kubernetes.io/uninitialized:NoSchedule", "the cloud controller manager"},
		{"ReplicaSet", "cilium-operator-6d5f", "node.cilium.io/agent-not-ready:NoExecute", "Cilium"},
		{"ReplicaSet", "istiod-canary-5d8f", "cni.istio.io/not-ready:NoSchedule", "Istio"},
		{"DaemonSet", "ha-controller", "drbd.linbit.com/force-io-error:NoSchedule", "the high availability controller of DRBD"},
		{"StatefulSet", "cloud-controller-manager-7c", "", ""},
		{"DaemonSet", "cilium-envoy", "", ""},
		{"ReplicaSet", "web", "", ""},
		{"", "", "", ""},
	} {
		p := remover.Running(test.kind, test.name)
		if got := p != nil; got != (test.want != "") || got && p.Name != test.want {
			t.Errorf("%s %s: %v, want %q", test.kind, test.name, p, test.want)
		}
		if test.taint != "" && !p.Removes(taint.MustParse(test.taint)) || p.Removes(taint.MustParse("k:NoSchedule")) {
			t.Errorf("%s %s does not remove %s, or removes others", test.kind, test.name, test.taint)
		}
	}
}
