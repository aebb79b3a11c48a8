package condition

import (
	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
)

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

// A Condition is one entry of a node's status.conditions: what it is about and
// whether it holds. The zero Condition says nothing. It has the API's JSON
// shape as far as taints depend on it; the times, reason and message of an
// entry do not matter here.
//
// The API server does not look into a type or a status, so neither is checked
// here: what is not known to this package calls for no taint.
type Condition struct {
	// Type is TypeReady or another one's name, case-sensitive.
	Type string `json:"type" yaml:"type"`
	// Status is StatusTrue, StatusFalse or StatusUnknown, case-sensitive.
	Status string `json:"status" yaml:"status"`
}

// The types of conditions that call for taints.
const (
	TypeReady              = "Ready"
	TypeMemoryPressure     = "MemoryPressure"
	TypeDiskPressure       = "DiskPressure"
	TypePIDPressure        = "PIDPressure"
	TypeNetworkUnavailable = "NetworkUnavailable"
)

// The statuses that a condition may have.
const (
	StatusTrue    = "True"
	StatusFalse   = "False"
	StatusUnknown = "Unknown"
)

// IsReady reports whether a node with these conditions is ready: its first
// Ready condition is True. It does not allocate.
func IsReady(conditions []Condition) bool { return ready(conditions) == StatusTrue }

// ready returns the status of the first Ready condition, "" without one.
func ready(conditions []Condition) string {
	for i := range conditions {
		if conditions[i].Type == TypeReady {
			return conditions[i].Status
		}
	}
	return ""
}

// ListOptions says how a list of conditions is read. The zero value is the
// usual way.
type ListOptions struct {
	// Path is the path of the list in its object, put before each problem's;
	// "status.conditions" when empty.
	Path string
}

var fieldNames = []string{"type", "status"}

// DecodeList returns a node's conditions from the JSON of their list, such as
// what stands under status.conditions in the output of kubectl get nodes -o
// json. A null and an empty list give an empty one. Other fields than type and
// status are left out of account, as is a field that is absent; of a repeated
// one the last counts.
//
// The error tells all problems of all elements (what is no object, and types
// and statuses that are no strings, such as a true without quotes), and comes
// with a nil list.
//
// It allocates the list and one copy of the text, which the conditions share.
func DecodeList(data []byte, opts ListOptions) ([]Condition, error) {
	return AppendDecode(nil, data, opts)
}

// AppendDecode appends the conditions that [DecodeList] returns to dst. On an
// error it returns dst unchanged, and what lay in its room behind is lost.
func AppendDecode(dst []Condition, data []byte, opts ListOptions) ([]Condition, error) {
	path := opts.Path
	if path == "" {
		path = "status.conditions"
	}
	s, err := apijson.OpenList(data, path)
	if err != nil {
		return dst, err
	}
	var (
		ps     validate.Problems
		fields [2]apijson.Field
		out    = dst
	)
	for i := 0; s.More(); i++ {
		if cap(out) == 0 {
			out = make([]Condition, 0, 5) // a kubelet and a cloud set as many
		}
		var c Condition
		found := s.Object(fieldNames, fields[:], false, nil)
		if len(found) == 0 {
			c.Type, found = fields[0].AsString("type", found)
			c.Status, found = fields[1].AsString("status", found)
		}
		if len(found) > 0 {
			ps = validate.Append(ps, validate.Index(path, i), found)
		}
		out = append(out, c)
	}
	if len(ps) > 0 {
		clear(dst[len(dst):min(len(out), cap(dst))]) // what was written to dst's spare room
		return dst, ps
	}
	return out, nil
}
