// Package device evaluates the taints of devices, such as GPUs, which Kubernetes' dynamic
// resource allocation assigns to pods: whether a device can be allocated to a request,
// and when a pod that uses devices is evicted. See the package example.
//
// The types are those of the API group resource.k8s.io/v1. Taints of nodes and
// tolerations of pods do not affect devices. To hold the deadlines of many pods, use
// [eviction.Schedule].
//
// # Text, JSON and YAML
//
// Text is that of packages taint and toleration, with other effects and operators:
//
//	effect   = "None" | "NoSchedule" | "NoExecute"
//	operator = "Equal" | "Exists"
//
// A value needs no key: "=ecc" matches each taint with the value ecc. JSON and YAML are
// the API's. Decoding keeps an unknown effect; [TaintFrom], [ParseTaint] and
// [Taints.Validate] reject it. Errors are those of package taint.
//
// A repeated field of a [TaintRule] is a problem, unless the YAML library drops it, as
// sigs.k8s.io/yaml does by default. For other types, go.yaml.in/yaml/v3 rejects repeated
// fields, and v2 only if it is strict.
//
// # Rules
//
//  1. A toleration matches a taint if its effect and key are absent or the taint's, and
//     its operator is Exists, or Equal or absent and the values are equal.
//  2. A device has its own taints, and those of each [TaintRule] that selects it.
//  3. Untolerated NoSchedule and NoExecute taints prevent the allocation. None and
//     unknown effects do nothing.
//  4. NoExecute taints evict the pods that use the device. Of several tolerations that
//     match, one without seconds decides, else the one with the fewest. Before Kubernetes
//     1.38, only tolerations with the effect NoExecute count here.
//  5. The deadline is the taint's time added, which may be in the future, plus the
//     seconds of the toleration, or 0 without one; a negative number is 0. The earliest of
//     all devices and taints counts. A taint without a time added, which no API server
//     stores, evicts now, unless it is tolerated forever.
//
// Matching and deciding do not allocate. A deadline that no [time.Time] can hold counts as
// none. In Kubernetes, the zero [Toleration] matches each taint without a value.
package device
