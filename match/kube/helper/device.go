package helper

import (
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// ToleratesTaint reports whether the toleration of a request for devices matches the
// taint of a device. It has the name and the signature of that in
// k8s.io/dynamic-resource-allocation/resourceclaim. It does not allocate.
//
// As in Kubernetes, callers ignore taints with the effect None or an unknown one.
func ToleratesTaint(toleration resourcev1.DeviceToleration, taint resourcev1.DeviceTaint) bool {
	return dra.Tolerates(&toleration, &taint)
}
