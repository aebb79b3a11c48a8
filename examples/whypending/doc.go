// Whypending lists for each pod of a cluster on how many nodes it may run, on
// how many it should rather not, and on how many it may not, and which taints
// are the reason. For a pod that is bound to a node it reports whether the node's
// taints evict it: now, or after how many seconds.
//
//	kubectl get nodes,pods -A -o json | whypending
//	whypending nodes.json pods.json
//	whypending -pod ml/train-0 cluster.json      # node by node
//	whypending -node worker-3 cluster.json       # pod by pod
//	whypending -o json cluster.json              # for programs
//	whypending -redact cluster.json              # to pass on: no values
//	whypending                                   # an embedded sample cluster
//	whypending -sample-devices                   # another one, with eight GPUs
//
// # What is judged
//
// Only taints and tolerations. Resources, affinity, node selectors, volumes,
// ports and priorities may all still say no: a pod that may run on 5 nodes as
// to their taints can be pending for another reason. A pod of a daemon set is
// compared with all nodes, too, though it is meant for one.
//
// Each node counts once for each pod, under one of four verdicts:
//
//   - may run: every taint of the node is tolerated.
//   - rather not: only taints with the effect PreferNoSchedule are untolerated.
//   - may not: some taint with the effect NoSchedule or NoExecute is.
//   - unknown: the node's taints or the pod's tolerations cannot be read.
//
// A cordoned node counts as one with the taint
// node.kubernetes.io/unschedulable:NoSchedule. The reasons count the nodes that
// have an untolerated taint, so they may add up to more than there are nodes.
// Finished pods are left out.
//
// # The nearest miss
//
// For a pod that fits nowhere the output has the nodes that are nearest to taking it,
// and for each of their taints that keeps the pod away which of its tolerations
// was perhaps meant, the one reason why that fails, and which toleration to
// add: it tolerates that taint and no other.
//
//	nearest  1 of 12 nodes: dedicated=batch:NoSchedule is not tolerated: "dedicated=Batch:NoSchedule op=Equal" has another value; to add: "dedicated=batch:NoSchedule op=Equal"
//
// The nearest nodes are those that take the fewest additions; among these the
// ones whose taints say what the node is for rather than that it is not ready,
// under pressure, cordoned or new, which passes; then the ones of whose keys
// the pod has tolerations, be they misspelt; then the most nodes that are
// alike. A key is perhaps misspelt when no taint has it, and some taint has one
// that differs in its prefix or a byte alone. Whether the pod should run there,
// with the labels and the rights that it takes, is for its owner to say.
//
// # Devices
//
// For a pod that waits and claims devices (dynamic resource allocation), the output has
// each request of its claims, and for each driver how many devices their taints leave:
//
//	claim gpu (ResourceClaimTemplate ml/gpu)
//	request gpu (class gpu.example.com): 7 of 8 devices of gpu.example.com/gpu-node-1 allocatable
//	tainted     1 of 8 devices: untolerated gpu.example.com/unhealthy=ecc:NoExecute
//
// The taints are those of ResourceSlices, of which only the newest generation of a pool
// counts, and of DeviceTaintRules. The tolerations are those of the request, in a
// ResourceClaim or, as long as that is not made, in its ResourceClaimTemplate:
//
//	kubectl get nodes,pods,resourceclaims,resourceclaimtemplates,resourceslices,devicetaintrules -A -o json | whypending
//
// Device classes, selectors (CEL), and whether a device is allocated to another claim or
// on a suitable node, are not evaluated, so each request is compared with the devices of
// all drivers. A claim that is allocated is not evaluated again. Devices do not change
// the exit status.
//
// A device counts as allocatable only if all its taints are known. A slice that cannot
// be read is listed as unknown; its devices are not counted, and those in other slices
// of its pool are allocatable for no request, but unknown. If a rule cannot be read, or
// the driver or pool of a slice, this applies to all devices.
//
// # Without values
//
// With -redact the values of taints and tolerations are left out of the whole
// output: … replaces them. Reasons that differ in their values alone
// are listed as one. That there is a value, which comparison fails, keys, effects,
// names and times remain. Of bad input nothing is quoted but paths, kinds and
// names.
//
// # Misspelt fields
//
// Kubernetes ignores a field that no taint or toleration has, such
// as operation for operator, and all but the last of one that is given twice; so
// does whypending. Since a cluster never returns such fields, they come from a file
// written by hand, where they had a purpose: each is a warning on
// standard error. What has one is judged without it, and the exit status is that
// of the rest.
//
// # Eviction
//
// Only taints with the effect NoExecute evict. An untolerated one does so now;
// one tolerated for some seconds does after them, and the taint that comes
// first decides. When several tolerations match a taint, the first in the pod's
// list counts, as in Kubernetes. The seconds count from when the taint was
// added. If the node has that time, the output has it too, and the moment when they
// have passed. No clock is read, so that moment may be over: a control plane that
// starts anew counts from when it first sees the taint. A static pod is not
// evicted, since its kubelet runs it whatever the control plane does.
//
// # Output for programs
//
// With -o json the output is one object:
//
//	pods[]      namespace, name, node (that it is bound to), phase, terminating, static;
//	            mayRun, ratherNot, mayNot, unknown: numbers of nodes;
//	            fitsNowhere: not yet bound, and no node may run it;
//	            reasons[]: verdict (mayNot, ratherNot), taint, nodes; moreReasons:
//	            how many -reasons leaves out;
//	            unknownBecause: why its tolerations are not known;
//	            fix, when it fits nowhere: nodes (that take it then); taints[]: taint,
//	            miss (OtherKey, OtherEffect, OtherValue, NotInteger, OutOfBound), nearest
//	            and misspelt (tolerations), passing, add; moreTaints; tolerations[] to add, as objects to paste;
//	            eviction, of a bound pod: when (never, now, later, unknown), taint,
//	            toleration, seconds, taintAdded, at, because;
//	            claims[], of a pod that waits: name, object, unknownBecause, allocated,
//	            devices (that are allocated), moreDevices; requests[]: name, class, all (devices
//	            are requested), drivers[]: driver, pool, pools, devices, allocatable, tainted,
//	            unknown, reasons[]: taint, rule, devices, add; moreReasons; moreDrivers;
//	            moreRequests; moreClaims;
//	            nodes[], with -pod or -node: node, verdict, bound, untolerated[],
//	            moreUntolerated, eviction
//	unknownNodes[]  name, because
//	unknownDevices[]  name (of the ResourceSlice or DeviceTaintRule), because
//	problems[]  source, line, place, object, path, message
//	warnings[]  likewise, of what is judged nevertheless
//	summary     judges, sample, nodes, unknownNodes, pods, finished, unbound, fitNowhere, goNow, goLater, unknownPods
//
// Names may be added to it. What would be empty, false or zero is absent, but
// for the lists and objects on the left, the numbers of nodes and of the
// summary, and the seconds of an eviction.
//
// # Large input
//
// Memory grows with the nodes, the pods and their different lists, not with the
// pairs of them, and so does the output: of each pod at most -reasons are listed,
// and -reasons beyond a million in all are refused. So is an input of which all
// lists of tolerations together would look at a taint more than 8,000 million
// times; one -pod of it can be judged nevertheless. Of a claim, at most -reasons drivers
// and reasons together are listed. If rules give all devices together more than four
// million taints, the devices are unknown. A list of more than 10,000
// taints, tolerations, devices or requests cannot be read.
//
// # Exit status
//
// It is 0 when every pod that is not yet bound may run somewhere, 1 when some
// fits nowhere, and 2 when the input is bad, in whole or in part: what is wrong
// is reported on standard error, and the rest is judged. A pod that is
// being deleted waits for no node.
package main
