// Package dra evaluates the taints of devices, such as GPUs, which Kubernetes' dynamic
// resource allocation assigns to pods: whether a device can be allocated to a request,
// and when a pod that uses devices is evicted. Its input is the structs of
// k8s.io/api/resource/v1 as they are.
//
//	request := claim.Spec.Devices.Requests[0].Exactly
//	for _, d := range slice.Spec.Devices {
//		if dra.Allocatable(d.Taints, request.Tolerations) {
//			fmt.Println(d.Name)
//		}
//	}
//	decision, cause := dra.Decide(now, podClaims, taintsOf, rules)
//	if deadline, ok := decision.Deadline(); ok {
//		fmt.Println("evicted at", deadline, "because of", cause.Taint.Key)
//	}
//
// Taints of nodes and tolerations of pods do not affect devices. To hold the deadlines of
// many pods, use [eviction.Schedule].
//
// # Rules
//
//  1. A toleration matches a taint if its effect and key are absent or the taint's, and
//     its operator is Exists, or Equal or absent and the values are equal.
//  2. A device has its own taints, and those of each [Rule] that selects it.
//  3. Untolerated NoSchedule and NoExecute taints prevent the allocation. A taint with the
//     effect None neither does this nor evicts.
//  4. NoExecute taints evict the pods that use the device. Of several tolerations that
//     match, one without seconds decides, else the one with the fewest.
//  5. The deadline is the taint's time added plus the seconds of the deciding toleration.
//     Without a toleration, or if they are negative, the seconds are 0. The time added can
//     be in the future. The earliest deadline of all devices and taints counts.
//
// Before version 1.38, a toleration without an effect had no influence on evictions: for
// an older cluster, pass only those with the effect NoExecute to [Decide].
//
// # What no API server accepts
//
// Matching does not check structs; use [ValidateTaints], [ValidateTolerations] and
// [Rule.Validate]. For invalid ones it never allows a device that Kubernetes does not: a
// taint without an effect is not tolerated, prevents the allocation, and does not evict;
// an unknown effect acts as None; a toleration with an unknown operator or effect, or with
// Exists and a value, matches nothing. A NoExecute taint without a time added evicts now,
// unless it is tolerated forever. A deadline that no [time.Time] can hold counts as none.
//
// Matching and deciding do not allocate. No input is modified or kept. All functions are
// safe for concurrent use.
//
// There is no release yet. In an empty folder, run these commands with the path of your
// clone, save the program there, and run go mod tidy:
//
//	go mod init example.com/try
//	go mod edit -replace=github.com/go-tolerate/tolerate=/path/to/clone
//	go mod edit -replace=github.com/go-tolerate/tolerate/match/kube/dra=/path/to/clone/match/kube/dra
//	go mod edit -require=github.com/go-tolerate/tolerate/match/kube/dra@v0.1.0
package dra
