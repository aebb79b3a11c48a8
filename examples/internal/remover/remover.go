// Package remover has a table of temporary taints: which programs remove them, and whether
// the nodes stay; and what to add to pods, or why to add nothing.
package remover

import (
	"path"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Program removes taints, or is what the program that removes them waits for.
type Program struct {
	Name      string
	Workloads []string // patterns of package path: the names that its workloads usually have
}

// A Row describes the taints that a pattern selects.
type Row struct {
	Pattern  string   // as in condition.Temporary
	Program  *Program // nil if the program is not a usual pod of the cluster, or any program
	Vanishes bool     // the node is deleted, and another may replace it
	Source   string   // a repository and a path, or an address

	selector taint.Selector
}

var (
	cloud     = &Program{"the cloud controller manager", []string{"*cloud-controller-manager", "*cloud-node-manager*", "ccm-linode", "harvester-cloud-provider", "*cloud-provider-equinix-metal", "vsphere-cpi", "vultr-ccm"}}
	clusterAP = &Program{"Cluster API", []string{"capi-controller-manager"}}
	cilium    = &Program{"Cilium", []string{"cilium", "cilium-operator"}}
	drbd      = &Program{"the high availability controller of DRBD", []string{"ha-controller", "*piraeus-ha-controller"}}
	ebs       = &Program{"the EBS CSI driver", []string{"ebs-csi-node*"}}
	efs       = &Program{"the EFS CSI driver", []string{"efs-csi-node"}}
	fsx       = &Program{"the FSx CSI driver", []string{"fsx-csi-node"}}
	istio     = &Program{"Istio", []string{"istiod*", "istio-cni-node"}}
	karpenter = &Program{"Karpenter", []string{"*karpenter"}}
	medik8s   = &Program{"Medik8s", []string{"self-node-remediation-*", "fence-agents-remediation-*"}}
	readiness = &Program{"the node readiness controller", []string{"nrr-controller-manager", "*node-readiness-controller-manager"}}
)

const (
	lifecycle  = "kubernetes/kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go"
	autoscaler = "kubernetes-sigs/cluster-autoscaler pkg/utils/taints/taints.go"
	outdated   = "kubernetes/kubernetes pkg/scheduler/algorithm/well_known_labels.go (until 1.14)"
	remediator = "Azure/AKS CHANGELOG.md (release 2023-09-03), MicrosoftDocs/azure-aks-docs articles/aks/node-auto-drain.md"
)

// Table has a row for each pattern of condition.Temporary, and before them exceptions. The
// first row that selects a taint counts.
var Table = []Row{
	{Pattern: condition.NotReady, Source: lifecycle},
	{Pattern: condition.Unreachable, Source: lifecycle},
	{Pattern: condition.MemoryPressure, Source: lifecycle},
	{Pattern: condition.DiskPressure, Source: lifecycle},
	{Pattern: condition.PIDPressure, Source: lifecycle},
	{Pattern: condition.NetworkUnavailable, Source: lifecycle},
	{Pattern: condition.Unschedulable, Source: lifecycle},
	{Pattern: "node.kubernetes.io/out-of-disk", Source: outdated},
	{Pattern: "node.alpha.kubernetes.io/notReady", Source: outdated},
	{Pattern: "node.alpha.kubernetes.io/unreachable", Source: outdated},
	{Pattern: condition.CloudUninitialized, Program: cloud, Source: "kubernetes/cloud-provider controllers/node/node_controller.go"},
	{Pattern: "ToBeDeletedByClusterAutoscaler", Vanishes: true, Source: autoscaler},
	{Pattern: "DeletionCandidateOfClusterAutoscaler", Source: autoscaler},
	{Pattern: "startup-taint.cluster-autoscaler.kubernetes.io/*", Source: autoscaler},
	{Pattern: "status-taint.cluster-autoscaler.kubernetes.io/*", Source: autoscaler},
	{Pattern: "ignore-taint.cluster-autoscaler.kubernetes.io/*", Source: autoscaler},
	{Pattern: "karpenter.sh/disrupted", Vanishes: true, Source: "kubernetes-sigs/karpenter pkg/apis/v1/taints.go"},
	{Pattern: "karpenter.sh/disruption", Vanishes: true, Source: "kubernetes-sigs/karpenter pkg/apis/v1beta1/taints.go (until 1.0)"},
	{Pattern: "karpenter.sh/unregistered", Program: karpenter, Source: "kubernetes-sigs/karpenter pkg/controllers/nodeclaim/lifecycle/registration.go"},
	{Pattern: "readiness.k8s.io/*", Program: readiness, Source: "kubernetes-sigs/node-readiness-controller internal/controller/node_controller.go"},
	{Pattern: "node.cluster.x-k8s.io/uninitialized", Program: clusterAP, Source: "kubernetes-sigs/cluster-api core/reconcilers/machine/machine_controller_noderef.go"},
	{Pattern: "node.cilium.io/agent-not-ready", Program: cilium, Source: "cilium/cilium operator/watchers/node_taint.go"},
	{Pattern: "ebs.csi.aws.com/agent-not-ready", Program: ebs, Source: "kubernetes-sigs/aws-ebs-csi-driver pkg/driver/node.go"},
	{Pattern: "efs.csi.aws.com/agent-not-ready", Program: efs, Source: "kubernetes-sigs/aws-efs-csi-driver pkg/driver/node.go"},
	{Pattern: "fsx.csi.aws.com/agent-not-ready", Program: fsx, Source: "kubernetes-sigs/aws-fsx-csi-driver pkg/driver/node.go"},
	{Pattern: "cni.istio.io/not-ready", Program: istio, Source: "istio/istio pilot/pkg/controllers/untaint/nodeuntainter.go"},
	{Pattern: "aws-node-termination-handler/scheduled-maintenance", Source: "aws/aws-node-termination-handler pkg/monitor/scheduledevent/scheduled-event-monitor.go"},
	{Pattern: "aws-node-termination-handler/*", Vanishes: true, Source: "aws/aws-node-termination-handler pkg/node/node.go"},
	{Pattern: "cloud.google.com/impending-node-termination", Source: "GoogleCloudPlatform/k8s-node-termination-handler termination/handler.go"},
	{Pattern: "kubevirt.io/drain", Source: "kubevirt/user-guide docs/cluster_admin/node_maintenance.md"},
	{Pattern: "remediator.aks.microsoft.com/unschedulable", Source: remediator},
	{Pattern: "remediator.kubernetes.azure.com/unschedulable", Source: remediator},
	{Pattern: "medik8s.io/remediation", Program: medik8s, Source: "medik8s/self-node-remediation controllers/selfnoderemediation_controller.go (until 0.11)"},
	{Pattern: "medik8s.io/fence-agents-remediation", Program: medik8s, Source: "medik8s/fence-agents-remediation api/v1alpha1/fenceagentsremediation_types.go (until 0.6)"},
	{Pattern: "remediation.medik8s.io/*", Program: medik8s, Source: "medik8s/self-node-remediation internal/controller/selfnoderemediation_controller.go, medik8s/fence-agents-remediation api/v1alpha1/fenceagentsremediation_types.go"},
	{Pattern: "drbd.linbit.com/lost-quorum", Program: drbd, Source: "piraeusdatastore/piraeus-ha-controller pkg/agent/agent.go"},
	{Pattern: "drbd.linbit.com/force-io-error", Program: drbd, Source: "piraeusdatastore/piraeus-ha-controller pkg/agent/agent.go"},
}

func init() {
	for i := range Table {
		Table[i].selector = taint.MustParseSelector(Table[i].Pattern)
	}
}

// Of returns the row of the taint, zero if there is none.
func Of(t taint.Taint) Row {
	for _, r := range Table {
		if r.selector.Has(t) {
			return r
		}
	}
	return Row{}
}

// Running returns the program that the pods of a workload usually run, nil if none of the
// table. The kind and the name are those of the pods' controller.
func Running(kind, name string) *Program {
	if i := strings.LastIndexByte(name, '-'); kind == "ReplicaSet" && i >= 0 {
		name = name[:i] // of the Deployment
	}
	for _, r := range Table {
		if r.Program != nil && slices.ContainsFunc(r.Program.Workloads, func(pattern string) bool {
			ok, _ := path.Match(pattern, name)
			return ok
		}) {
			return r.Program
		}
	}
	return nil
}

// Removes reports whether the program usually removes the taint.
func (p *Program) Removes(t taint.Taint) bool { return p != nil && Of(t).Program == p }

// reasons are why taints with these keys must not be tolerated.
var reasons = map[string]string{
	"":                      "the node has an error",
	condition.ControlPlane:  "the node is not for usual pods",
	condition.Master:        "the node is not for usual pods",
	condition.Unschedulable: "uncordon the node",
}

// Reason returns why the taint must not be tolerated by pods that run this program, if there
// is a reason.
func (p *Program) Reason(t taint.Taint) string {
	if reason := reasons[t.Key()]; reason != "" || !temporary.Has(t) || p.Removes(t) {
		return reason
	}
	return "the taint is temporary: " + Advice(t)
}

var temporary = condition.Temporary()

// Addition returns the toleration to add. Valued is whether a node has the taint's key with
// a value: else Exists is better than Equal.
func Addition(e match.Explanation, valued bool) toleration.Toleration {
	if t := e.Taint; !t.IsZero() && t.Value() == "" && !valued {
		u, _ := toleration.New(t.Key(), toleration.Exists, "", t.Effect()) // valid as the taint is
		return u
	}
	return e.Addition()
}

// Advice returns what to do about a temporary taint, which is not to be tolerated.
func Advice(t taint.Taint) string {
	switch r := Of(t); {
	case r.Vanishes:
		return "the node is being removed, wait for another"
	case r.Program != nil:
		return "wait until " + r.Program.Name + " removes it"
	}
	return "wait, or repair the node"
}
