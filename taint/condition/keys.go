package condition

// The keys of taints that have a meaning to Kubernetes.
const (
	// NotReady says that the node's Ready condition is False. The node
	// lifecycle controller sets it with NoSchedule (on by default since
	// Kubernetes 1.12) and, at the zone's rate, with NoExecute (since 1.13);
	// the API server sets it with NoSchedule on every node that is created
	// (since 1.12).
	NotReady = "node.kubernetes.io/not-ready"

	// Unreachable says that the node's Ready condition is Unknown: nothing
	// has been heard of its kubelet. The node lifecycle controller sets it with
	// NoSchedule (on by default since 1.12) and, at the zone's rate, with
	// NoExecute (since 1.13).
	Unreachable = "node.kubernetes.io/unreachable"

	// MemoryPressure says that the node's condition of that name is True.
	// The node lifecycle controller sets it with NoSchedule (on by default
	// since 1.12).
	MemoryPressure = "node.kubernetes.io/memory-pressure"

	// DiskPressure says that the node's condition of that name is True. The
	// node lifecycle controller sets it with NoSchedule (on by default since
	// 1.12).
	DiskPressure = "node.kubernetes.io/disk-pressure"

	// PIDPressure says that the node's condition of that name is True: it
	// runs out of process ids. The node lifecycle controller sets it with
	// NoSchedule (on by default since 1.12).
	PIDPressure = "node.kubernetes.io/pid-pressure"

	// NetworkUnavailable says that the node's condition of that name is True:
	// its routes are not there yet. The node lifecycle controller sets it with
	// NoSchedule (on by default since 1.12). The condition is a cloud's or a
	// network plugin's.
	NetworkUnavailable = "node.kubernetes.io/network-unavailable"

	// Unschedulable says that the node is cordoned, its spec.unschedulable
	// true. The node lifecycle controller sets it with NoSchedule (on by
	// default since 1.12).
	Unschedulable = "node.kubernetes.io/unschedulable"

	// OutOfService says that the node is shut down for good, so that its pods
	// may be deleted by force and their volumes detached. An administrator, or
	// some cloud's controller, sets it, usually as =nodeshutdown:NoExecute, and
	// takes it off (alpha in 1.24, on by default since 1.26, stable since 1.28).
	// Kubernetes itself only reads it.
	OutOfService = "node.kubernetes.io/out-of-service"

	// CloudUninitialized says that a cloud's controller has not seen the node
	// yet. A kubelet that is told that its cloud provider is external registers
	// with it, as =true:NoSchedule (since 1.7); the cloud controller manager
	// takes it off.
	CloudUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"

	// CloudShutdown says that the node's machine is shut down at its cloud.
	// The cloud's node lifecycle controller sets it with NoSchedule (since
	// 1.11), and takes it off when the node is ready again.
	CloudShutdown = "node.cloudprovider.kubernetes.io/shutdown"

	// ControlPlane says that the node runs the control plane. kubeadm sets it
	// with NoSchedule (since 1.24).
	ControlPlane = "node-role.kubernetes.io/control-plane"
)

// Keys that are out of date. No release that is maintained sets them; see
// [Deprecated].
const (
	// OutOfDisk said that the node's condition of that name was True, with
	// NoSchedule. The condition is gone since 1.13; [DiskPressure] stands in
	// its place.
	OutOfDisk = "node.kubernetes.io/out-of-disk"

	// AlphaNotReady is what [NotReady] with NoExecute was called in 1.6 and
	// 1.7.
	AlphaNotReady = "node.alpha.kubernetes.io/notReady"

	// AlphaUnreachable is what [Unreachable] with NoExecute was called in 1.6
	// and 1.7.
	AlphaUnreachable = "node.alpha.kubernetes.io/unreachable"

	// Master is what [ControlPlane] was called: kubeadm set it with
	// NoSchedule, from 1.24 on beside the new one, and no longer since 1.25.
	Master = "node-role.kubernetes.io/master"
)

// Deprecated reports whether the key is one of Kubernetes' own that is out of
// date, and returns the one that stands in its place. For any other key it
// returns "" and false. It does not allocate.
func Deprecated(key string) (replacement string, ok bool) {
	switch key {
	case OutOfDisk:
		return DiskPressure, true
	case AlphaNotReady:
		return NotReady, true
	case AlphaUnreachable:
		return Unreachable, true
	case Master:
		return ControlPlane, true
	}
	return "", false
}
