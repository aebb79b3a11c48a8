package condition

// Keys of Kubernetes' own taints, with the version that first sets them by default.
const (
	// The node lifecycle controller sets these, with NoSchedule (1.12) and with NoExecute
	// (1.13). The API server sets NotReady with NoSchedule on new nodes (1.12).
	NotReady           = "node.kubernetes.io/not-ready"
	Unreachable        = "node.kubernetes.io/unreachable"
	MemoryPressure     = "node.kubernetes.io/memory-pressure"
	DiskPressure       = "node.kubernetes.io/disk-pressure"
	PIDPressure        = "node.kubernetes.io/pid-pressure"
	NetworkUnavailable = "node.kubernetes.io/network-unavailable"
	Unschedulable      = "node.kubernetes.io/unschedulable"

	// The node is shut down permanently: its pods may be deleted by force. An
	// administrator sets it, usually as =nodeshutdown:NoExecute (1.26).
	OutOfService = "node.kubernetes.io/out-of-service"

	// The cloud has not initialized the node. The kubelet sets it as =true:NoSchedule
	// (1.7).
	CloudUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"

	// The machine is shut down. The cloud controller manager sets it with
	// NoSchedule (1.11).
	CloudShutdown = "node.cloudprovider.kubernetes.io/shutdown"

	// The node runs the control plane. kubeadm sets the first with NoSchedule (1.24);
	// OpenShift 4, and kubeadm until 1.24, the second.
	ControlPlane = "node-role.kubernetes.io/control-plane"
	Master       = "node-role.kubernetes.io/master"
)

// Deprecated keys, which no maintained version sets.
const (
	outOfDisk        = "node.kubernetes.io/out-of-disk"       // until 1.12
	alphaNotReady    = "node.alpha.kubernetes.io/notReady"    // 1.6 to 1.8
	alphaUnreachable = "node.alpha.kubernetes.io/unreachable" // 1.6 to 1.8
)

// Deprecated returns the key that replaced a deprecated one, and false for others.
// Deprecated are node.kubernetes.io/out-of-disk, and node.alpha.kubernetes.io/notReady and
// /unreachable.
func Deprecated(key string) (replacement string, ok bool) {
	switch key {
	case outOfDisk:
		return DiskPressure, true
	case alphaNotReady:
		return NotReady, true
	case alphaUnreachable:
		return Unreachable, true
	}
	return "", false
}

// A Condition is an entry of status.conditions. Unknown ones require no taint.
type Condition struct {
	Type   string `json:"type" yaml:"type"`
	Status string `json:"status" yaml:"status"`
}

// Statuses of conditions, case-sensitive.
const (
	StatusTrue    = "True"
	StatusFalse   = "False"
	StatusUnknown = "Unknown"
)
