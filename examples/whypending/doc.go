// Whypending tells for each pod of a cluster on how many nodes it may run, on
// how many it should rather not, and on how many it may not, and which taints
// are the reason. For a pod that is bound to a node it tells whether the node's
// taints evict it: now, or after how many seconds.
//
//	kubectl get nodes,pods -A -o json | whypending
//	whypending nodes.json pods.json
//	whypending -pod ml/train-0 cluster.json      # node by node
//	whypending -node worker-3 cluster.json       # pod by pod
//	whypending -o json cluster.json              # for programs
//	whypending -redact cluster.json              # to pass on: no values
//	whypending                                   # an embedded sample cluster
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
// bear an untolerated taint, so they may add up to more than there are nodes.
// Finished pods are left out.
//
// # The nearest miss
//
// Of a pod that fits nowhere it is told which nodes come nearest to taking it,
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
// # Without values
//
// With -redact the values of taints and tolerations are left out of the whole
// output: … stands in their place. Reasons that differ in their values alone
// are told as one. That there is a value, which comparison fails, keys, effects,
// names and times remain. Of bad input nothing is quoted but paths, kinds and
// names.
//
// # Misspelt fields
//
// Kubernetes leaves out of account a field that no taint or toleration has, such
// as operation for operator, and all but the last of one that is given twice; so
// does whypending. Since a cluster never tells such fields, they come from a file
// written by hand, where somebody meant something by them: each is a warning on
// standard error. What bears it is judged without it, and the exit status is that
// of the rest.
//
// # Eviction
//
// Only taints with the effect NoExecute evict. An untolerated one does so now;
// one tolerated for some seconds does after them, and the taint that comes
// first decides. When several tolerations match a taint, the first in the pod's
// list counts, as in Kubernetes. The seconds count from when the taint was
// added, which is told where the node says so, as is the moment when they have
// passed. No clock is read, so that moment may be over: a control plane that
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
//	            reasons[]: verdict (mayNot, ratherNot), taint, nodes;
//	            unknownBecause: why its tolerations are not known;
//	            fix, when it fits nowhere: nodes (that take it then); taints[]: taint,
//	            miss (OtherKey, OtherEffect, OtherValue, NotInteger, OutOfBound), nearest
//	            and misspelt (tolerations), passing, add; tolerations[] to add, as objects to paste;
//	            eviction, of a bound pod: when (never, now, later, unknown), taint,
//	            toleration, seconds, taintAdded, at, because;
//	            nodes[], with -pod or -node: node, verdict, bound, untolerated[], eviction
//	unknownNodes[]  name, because
//	problems[]  source, line, place, object, path, message
//	warnings[]  likewise, of what is judged nevertheless
//	summary     judges, sample, nodes, unknownNodes, pods, finished, unbound, fitNowhere, goNow, goLater, unknownPods
//
// Names may be added to it. What would be empty, false or zero is absent, but
// for the lists and objects on the left, the numbers of nodes and of the
// summary, and the seconds of an eviction.
//
// # Exit status
//
// It is 0 when every pod that is not yet bound may run somewhere, 1 when some
// fits nowhere, and 2 when the input is bad, in whole or in part: what is wrong
// is told on standard error, and the rest is judged nevertheless. A pod that is
// being deleted waits for no node.
package main
