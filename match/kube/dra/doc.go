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
// To apply rules, or to compute when pods are evicted, convert the structs.
//
// # Rules
//
//  1. The syntax of keys and values in structs is not checked. For valid structs,
//     matching has the results of package device. A taint without an effect prevents the
//     allocation, and an unknown effect acts as None. A toleration with an unknown
//     operator or effect, or with Exists and a value, matches nothing. So it allows no
//     device that Kubernetes does not.
//  2. Conversion has the rules of package kube. An unknown effect of a taint is kept.
//
// To convert a DeviceTaintRule, which later versions of k8s.io/api have, use [Selector]
// and [Taint] with its fields.
//
// Matching does not allocate. No input is modified or kept. All functions are safe for
// concurrent use.
package dra
