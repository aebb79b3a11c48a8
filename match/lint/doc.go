// Package lint finds in valid tolerations what was hardly meant: in one list,
// in a pod's list with what its namespace adds, and over a whole cluster.
//
//	for _, f := range lint.List(pod, lint.Options{}) {
//		fmt.Println(f.Index, f.Severity, f.Rule, f.Message())
//	}
//
// # Rules
//
// For a list, [List] and [Pod]:
//
//	never-matches         error    no taint that there can be is matched
//	suppresses-default    error    the default seconds are kept away, and the taint is not tolerated
//	shadowed              warning  others decide, so its seconds never count
//	redundant             info     the others tolerate the same taints for as long
//	tolerates-everything  warning  every taint is tolerated
//	open-to-every-node    info     every NoSchedule and NoExecute taint is tolerated
//	equal-empty-value     warning  Equal with an empty value, where Exists was probably meant
//	outdated-key          warning  a key that Kubernetes no longer uses (info where the new one is there)
//	no-time               warning  0 seconds or fewer
//
// For a cluster, [Cluster]:
//
//	unneeded-toleration   info     no taint of the cluster can ever need it
//	untolerated-taint     info     no pod tolerates it by its key
//
// Each [Rule] tells more of itself: [Rule.Summary] in a line, [Rule.Doc] in
// some sentences.
//
// # Severities
//
// Every list that comes here is valid, so no finding is a mistake in form. An
// [Error] is what does the opposite of what is written, and should keep a
// manifest from going in. A [Warning] is what is probably not meant; somebody
// should look at it. An [Info] may well be meant.
//
// A daemon's pod, or a static one, is meant to run everywhere: leave out
// [ToleratesEverything] and [OpenToEveryNode] for those.
//
// # One cause, one finding
//
// What never matches is not told as redundant as well, nor what is shadowed.
// What is told as one of these three would better go, so nothing else is told
// of it, and all other rules judge the list that is left. Only this is told
// together: what never matches, or repeats one of the namespace's defaults, and
// keeps away the default seconds, which are decided on before those.
//
// # How long
//
// Of several tolerations that match a taint the first in the list decides, as
// [toleration.First] says and as Kubernetes evicts. Shadowed and redundant are
// exact by it, over all valid taints: they are decided, not sampled. In a list
// of more than 128 tolerations not all are found: see [List].
//
// # Fixes
//
// A finding may have a [Fix]: one toleration removed or replaced. Applied by
// itself it takes away its finding and brings no other, and where [Fix.Same]
// is set, the list means the same afterwards; all those can be applied at once.
// A fix that is not the same is offered only where no other toleration of the
// list could match a taint that the one matches, before or after. So there may
// be another fix when one has been applied: lint again until there is none.
//
// All this is for what people write: manifests, and the templates of pods. What
// a cluster adds to a pod that runs may well be redundant there, and the API
// server refuses to take away or rewrite the tolerations of such a pod.
//
// Nothing here keeps state, changes its input, or decides what is an error in
// form: package toleration does that when a list is read.
package lint
