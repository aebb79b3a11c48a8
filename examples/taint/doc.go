// Taint does to nodes in a file what kubectl taint does to nodes in a cluster,
// and with -dry-run lists what that would do to the pods in the file.
//
//	kubectl get nodes -o json | taint worker-1 dedicated=gpu:NoSchedule | kubectl apply -f -
//	taint -f nodes.json -l pool=batch -overwrite spot=yes:NoSchedule maintenance- > changed.json
//	kubectl get nodes,pods -A -o json | taint -dry-run -all maintenance=today:NoExecute
//	taint                                       # a dry run on an embedded sample cluster
//
// # Arguments
//
// The names of nodes come first, as in kubectl: worker-1, node/worker-1, or
// behind the word nodes; -l and -all choose nodes instead. Then come the edits:
//
//	key=value:Effect    put this taint on the node
//	key:Effect          the same without a value
//	key-                take off all taints with this key
//	key:Effect-         take off the one with this effect
//
// A selector of -l has requirements with commas between them, all of which a
// node's labels must meet: key=value, key==value, key!=value, key (it is there)
// and !key (it is not).
//
// Putting a taint on a node that has one with that key and effect is an error
// without -overwrite; so is taking off what is not there. All errors of all
// nodes are reported; if there is any, no node is changed.
//
// # Output
//
// Standard output gets a List of all nodes of the input, those that were not
// chosen as well, or of the chosen alone with -only. Of a changed node nothing
// is changed but spec.taints: all other fields stay as they were written, in
// their order, known here or not; a taint that no edit touches stays so, too.
// Indentation is made anew. Pods and all other objects are left out.
//
// A list of taints that has become empty is written as such, so that kubectl
// apply takes the last ones away as well. What was read carries the version
// that it had, so kubectl refuses to write over what somebody has changed since.
//
// Standard error gets a line for each chosen node, in kubectl's words: tainted,
// untainted or modified.
//
// Unlike kubectl, the node's order stays, what is new comes last, and the time
// at which a taint was added is kept when its value is overwritten. With -stamp
// new NoExecute taints get that time; without, they have none, as with kubectl.
//
// # Dry run
//
// With -dry-run the nodes are not written. Standard output lists what would
// change on them, and what that would do to the pods in the input:
//
//   - running pods that would be evicted now, or at a time, and would stay without the
//     edits, and because of which taint; those evicted earlier, later, or no more;
//     and on how many of the nodes the evicted ones could be scheduled then;
//   - waiting pods that may newly be scheduled on some node, and those that may
//     no longer be.
//
// Pods that are evicted in any case are no effect of the edits: they are only
// counted. Pods that are finished or being deleted are left out, as are static
// ones, which a kubelet runs whatever the control plane does.
//
// Seconds count from the time that a taint was added, if it has one, otherwise
// from now. Now is the time of the clock, or that of -now. Of several
// tolerations that match a taint the first counts, as in Kubernetes.
//
// Only taints, tolerations and cordons are judged: resources, affinity and all
// else may still keep a pod away, and disruption budgets may slow its eviction
// down.
//
// # Output of a dry run for programs
//
// With -o json the output is one object:
//
//	now         the time for which everything is evaluated
//	nodes[]     name, outcome, changes[]: kind (added, removed, value changed, time
//	            changed), before, after
//	evictions[] by time: namespace, name, node, kind (now, scheduled, earlier, later, cancelled),
//	            before, at: times, absent where the pod may stay and beyond the year
//	            9999; taint, toleration,
//	            that decide; fits: on how many nodes the pod may be scheduled then
//	waiting[]   namespace, name, kind (opened, closed, widened, narrowed,
//	            preferred, disliked), before, after: numbers of nodes; gained, lost:
//	            the first such node; keptOutBy: the taint that kept or keeps it out there
//	summary     sample, nodes, chosen, running, waiting, dueAnyway, leftOut
//	problems[], warnings[]  source, line, place, object, path, message
//
// Names may be added to it. The lists are never absent.
//
// # Exit status
//
// It is 0 when all is done, or would be in a dry run, whatever that does to pods;
// 1 when a chosen node is not there or refuses an edit, so that nothing is
// written; and 2 when arguments or input are bad. Bad input of nodes keeps all
// from being written. In a dry run, pods and other nodes that cannot be read are
// reported, and the rest is evaluated. A field that no taint or toleration has is
// ignored, with a warning.
package main
