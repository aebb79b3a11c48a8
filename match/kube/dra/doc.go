// Package dra converts the device taints and tolerations of k8s.io/api/resource/v1
// (dynamic resource allocation) to the values of package device, and matches
// them without conversion.
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
// To apply rules, to compute when pods are evicted, or to explain, convert the structs,
// and use package device.
//
// # Rules
//
//  1. Structs are compared as they are, without a check of the syntax of keys and values.
//     If validation accepts them, the result is that of package device for their values.
//     A taint without an effect prevents the allocation; an unknown effect acts as None.
//     A toleration with an unknown operator or effect, or with Exists and a value, matches
//     nothing.
//  2. The value of an invalid struct is the zero value. The zero Taint prevents the
//     allocation of its device, and never evicts. The zero Toleration matches nothing.
//     So an error that is ignored never opens a device. The other elements of a list
//     are converted.
//  3. Valid structs are converted without loss, except that the time added has no
//     fraction of a second and no zone, as in the API's JSON. An absent operator stays
//     absent, nil stays nil, and an empty list stays empty.
//  4. An error is [validate.Problems], with every problem and the path of the field to
//     change.
//  5. No input is modified or kept.
//
// A DeviceTaintRule is in later versions of k8s.io/api than the oldest that this module
// supports. To convert one, use [Selector] and [Taint] with its fields.
//
// # Differences from Kubernetes
//
// By rule 1, matching never opens what Kubernetes closes. Kubernetes ignores a taint
// without an effect, lets a toleration with an unknown effect match taints of that effect,
// and ignores the value of one with the operator Exists.
//
// # Cost and concurrency
//
// Matching does not allocate. Converting a list allocates the list, the
// strings that no value has yet, and a little for each unknown effect. All functions are safe for concurrent use.
package dra
