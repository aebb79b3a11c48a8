package condition

import (
	"strings"

	"github.com/go-tolerate/tolerate/taint"
)

var (
	nodeEviction = taint.MustParseSelector(NotReady + ":NoExecute," + Unreachable + ":NoExecute")
	temporary    = taint.MustParseSelector(strings.Join([]string{
		NotReady, Unreachable, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable,
		Unschedulable, outOfDisk, alphaNotReady, alphaUnreachable,
		CloudUninitialized,
		"ToBeDeletedByClusterAutoscaler",
		"DeletionCandidateOfClusterAutoscaler",
		"startup-taint.cluster-autoscaler.kubernetes.io/*",
		"status-taint.cluster-autoscaler.kubernetes.io/*",
		"ignore-taint.cluster-autoscaler.kubernetes.io/*",
		"karpenter.sh/disrupted",
		"karpenter.sh/disruption", // until v1, with the value disrupting
		"karpenter.sh/unregistered",
		"readiness.k8s.io/*",
		"node.cluster.x-k8s.io/uninitialized",
		// An agent removes it when it is ready: docs.cilium.io/en/stable/installation/taints,
		// pilot/pkg/controllers/untaint of istio/istio, and "startup taint" in the pages of
		// kubernetes-sigs/aws-{ebs,efs,fsx}-csi-driver.
		"node.cilium.io/agent-not-ready",
		"ebs.csi.aws.com/agent-not-ready",
		"efs.csi.aws.com/agent-not-ready",
		"fsx.csi.aws.com/agent-not-ready",
		"cni.istio.io/not-ready",
		// The node is drained or ends soon: TAINT_NODE of aws/aws-node-termination-handler,
		// GoogleCloudPlatform/k8s-node-termination-handler, kubevirt.io/user-guide (Node maintenance).
		"aws-node-termination-handler/*",
		"cloud.google.com/impending-node-termination",
		"kubevirt.io/drain",
		// The node is repaired: CHANGELOG.md of Azure/AKS (release 2023-09-03),
		// medik8s/self-node-remediation and fence-agents-remediation, pkg/metadata of
		// piraeusdatastore/piraeus-ha-controller.
		"remediator.aks.microsoft.com/unschedulable",
		"remediator.kubernetes.azure.com/unschedulable",
		"medik8s.io/remediation",
		"medik8s.io/fence-agents-remediation",
		"remediation.medik8s.io/*", // of both, since 2026
		"drbd.linbit.com/lost-quorum",
		"drbd.linbit.com/force-io-error",
	}, ","))
)

// NodeEviction selects the taints of rule 2.
func NodeEviction() taint.Selector { return nodeEviction }

// Temporary selects the taints of conditions and cordons, and those of well-known programs
// while a node starts, is drained, is repaired or ends.
func Temporary() taint.Selector { return temporary }
