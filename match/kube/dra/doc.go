// Package dra matches the device taints and tolerations of k8s.io/api/resource/v1
// (dynamic resource allocation), and converts them to the values of package device.
//
//	devices, err := dra.Devices(slice)
//	if err != nil {
//		log.Print(err) // spec.devices[0].taints[1].key "-": the name must begin ...
//	}
//	request := claim.Spec.Devices.Requests[0].Exactly
//	for i := range slice.Spec.Devices {
//		d := &slice.Spec.Devices[i]
//		fmt.Println(d.Name, dra.Allocatable(d.Taints, request.Tolerations))
//	}
//
// To apply rules, to compute when pods are evicted, or to explain, convert the structs.
//
// # Rules
//
//  1. The syntax of keys and values in structs is not checked. For valid structs,
//     matching has the results of package device. For others, a taint without an effect
//     prevents the allocation, and an unknown effect acts as None. A toleration with an
//     unknown operator or effect, or with Exists and a value, matches nothing.
//  2. Conversion is that of package kube: an invalid struct is converted to the zero
//     value, and the error is [validate.Problems]. The zero Taint prevents the
//     allocation, and the zero Toleration matches nothing. An unknown effect of a taint
//     is kept.
//
// A DeviceTaintRule is in later versions of k8s.io/api than the oldest that this module
// supports. To convert one, use [Selector] and [Taint] with its fields.
//
// Matching does not allocate. No input is modified or kept. All functions are safe for
// concurrent use. They panic if a pointer is nil.
//
// # Differences from Kubernetes
//
// By rule 1, matching never opens what Kubernetes closes. Kubernetes ignores a taint
// without an effect, lets a toleration with an unknown effect match taints of that
// effect, and ignores the value of one with the operator Exists.
package dra
