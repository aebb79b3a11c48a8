// Package device evaluates the taints of devices, such as GPUs, which Kubernetes'
// dynamic resource allocation assigns to pods: whether a device can be allocated to
// a request, and when a pod that uses devices is evicted.
//
//	gpu := device.Device{
//		ID:     device.ID{Driver: "gpu.example.com", Pool: "node-1", Device: "gpu-0"},
//		Taints: device.Taints{device.MustParseTaint("gpu.example.com/unhealthy=ecc:NoExecute")},
//	}
//	request := device.Tolerations{
//		device.MustParseToleration("gpu.example.com/unhealthy:NoExecute op=Exists for 300s"),
//	}
//	fmt.Println(gpu.Allocatable(nil, request)) // true
//
//	d := device.Decide(time.Now(), nil, device.Allocated{Device: gpu, Tolerations: request})
//	fmt.Println(d.Kind, d.Deadline) // At, and the time in 300 seconds
//
// The types are those of the API group resource.k8s.io/v1. Node taints and pods'
// own tolerations are of other types, and do not matter here: see packages taint,
// toleration and match.
//
// # Text
//
// The text of a [Taint] and of a [Toleration] is that of packages taint and
// toleration, with other effects and operators:
//
//	taint      = key [ "=" [ value ] ] ":" effect
//	toleration = [ head ] [ " op=" operator ] [ " for " integer "s" ]
//	head       = [ key ] [ "=" [ value ] ] [ ":" effect ]
//	effect     = "None" | "NoSchedule" | "NoExecute"
//	operator   = "Equal" | "Exists"
//
// Keys, values and integers are those of package validate. Parts are separated by one
// space, so a text without a head begins with "op=". A toleration may have a value
// without a key: "=ecc" matches each taint with the value ecc, and "=" each taint
// without a value.
//
// The JSON and YAML are the API's. Decoding accepts taints with an effect that this
// version does not know, and keeps it as it was written; [TaintFrom] and [ParseTaint],
// which are for new taints, reject it, as do [Taints.Validate] and [TaintRule.Validate]: a
// misspelt effect would open a device. On error the variable is unchanged. The error is
// [validate.Problems], with every problem, or that of the YAML library.
//
// # Rules
//
//  1. A toleration matches a taint if its effect and key are absent or equal to the
//     taint's, and its operator is Exists or the values are equal. An absent operator
//     is Equal. Seconds do not change whether a toleration matches.
//  2. A device has its own taints, and those of each [TaintRule] that selects it.
//  3. A device can be allocated to a request if a toleration of the request matches
//     each of its NoSchedule and NoExecute taints.
//  4. A pod is evicted because of NoExecute taints of the devices that are allocated to
//     it. Only tolerations with the effect NoExecute itself count: one without an effect
//     allows the allocation, and does not prevent the eviction.
//  5. Of several tolerations that match a taint, one without seconds decides, and
//     otherwise the one with the fewest; negative seconds are 0.
//  6. The deadline is the taint's time added plus these seconds. For a taint that is not
//     tolerated it is the time added, which may be in the future. The earliest deadline
//     of all devices and taints decides. A taint without a time added evicts now,
//     unless it is tolerated permanently; an API server always sets a time.
//  7. None, and an effect that this version does not know, neither prevent an
//     allocation nor evict.
//
// # Selectors
//
// A [TaintRule] is the spec of a DeviceTaintRule. It selects devices by driver, pool and
// device name. There are no expressions over attributes (CEL): Kubernetes has none in
// rules either.
//
// # Differences from Kubernetes
//
// The zero [Toleration] matches nothing. The zero [Taint], which constructors return on
// error, prevents the allocation whatever the tolerations are, and never evicts. A
// deadline that no [time.Time] can hold is never; Kubernetes' controller overflows with
// more than 9,223,372,036 seconds, and evicts at once or much too early. In Kubernetes
// 1.37.0, but not 1.37.1, the scheduler takes a rule without a selector to select every
// device; here it selects none.
//
// To hold the deadlines of many pods, use [eviction.Schedule] and its Restore.
package device
