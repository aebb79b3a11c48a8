// Lifecycle simulates a day of a cluster on a virtual clock: nodes fail and
// recover, their conditions become taints at the zone's rate, pods are evicted by
// their tolerations and scheduled again, and zones are lost, in part or as a
// whole, and come back.
//
//	lifecycle                                   # a sample day
//	lifecycle -o script > day.txt               # the sample's script, to begin with
//	lifecycle -sticky day.txt                   # a day of one's own, with Kubernetes' deadlines
//	lifecycle -seed 7 -nodes 5000 -pods 50000 -summary
//	kubectl get nodes,pods -A -o json | lifecycle -cluster - outage.txt
//
// It prints a timeline of what happens, and then which pods moved, when and why,
// how long each pod was down, and which could not be placed. There is no clock and no
// chance in it but the seed's: the same input and the same flags give the same
// bytes.
//
// # Input
//
// A script says what nodes and pods there are and what happens to the nodes.
// Several count together. With -cluster the nodes and pods, or more of them, come
// from a file that kubectl wrote. Where no script is given, what happens follows
// from -seed, and where no cluster is given either, so does the cluster. Without
// any of these there is a sample.
//
// # Scripts
//
// A script is read line by line. Words are separated by white space; double
// quotes, which may begin anywhere in a word, keep it together; a word that
// begins with # ends the line.
//
//	line     = [ node | workload | pod | daemon | event ] [ "#" comment ]
//
//	node     = "node" NAME { "zone=" ZONE | "region=" REGION | "label=" KEY [ "=" VALUE ]
//	                       | "taint=" TAINT | "cordoned" }
//	workload = "workload" NAME { "replicas=" N | "on=" NODE { "," NODE } | "tolerates=" TOLERATION }
//	pod      = "pod" NAME { "on=" NODE | "tolerates=" TOLERATION }
//	daemon   = "daemon" NAME { "host-network" | "tolerates=" TOLERATION }
//
//	event    = TIME nodes state
//	         | TIME "cordon" nodes
//	         | TIME "uncordon" nodes
//	         | TIME "taint" nodes EDIT { EDIT }
//	nodes    = ( "node" PATTERN { "," PATTERN } | "zone" ZONE { "," ZONE } | "all" ) [ N "%" ]
//	state    = "unreachable" | "not-ready" | "ready" | condition ( "=True" | "=False" )
//	condition = "MemoryPressure" | "DiskPressure" | "PIDPressure" | "NetworkUnavailable"
//
// For example:
//
//	node a-{1..3} zone=eu-a                  # three nodes
//	workload web replicas=4 on=a-1,a-2       # pods web-1 to web-4, on these in turn
//	workload db tolerates="node.kubernetes.io/unreachable:NoExecute op=Exists for 6000s"
//	10:00 node a-1 unreachable
//	+90s  node a-[23] not-ready              # 90 seconds later
//	12:30:15 zone eu-a 50% ready             # the first half of its nodes
//	13:00 taint all maintenance=today:NoExecute dedicated-
//
// A TIME is HOURS:MINUTES[:SECONDS] from the beginning, where hours may go beyond
// 24, or + and a duration, from the event before in the script. Events are in
// the order of their times. The end is at -for, and no event may be behind it.
// What happens at the same time happens in the order of the script.
//
// A NAME of a node may hold one range, {FROM..TO}. A PATTERN is one of path.Match,
// such as a-[1-3] or a-*. A ZONE is the name of a zone, or region/name. N% are the
// first so many percent of these nodes, rounded up, in the order of the input.
// A TAINT and an EDIT are written as for kubectl taint; edits overwrite. A
// TOLERATION is written as kubectl describe pod prints it:
//
//	key=value:Effect [op=Exists|Equal|Gt|Lt] [for SECONDSs]
//
// A node that falls unreachable is not heard of any more, be it lost or cut off;
// a not-ready one says so itself; ready ends both. What a node is already does
// not happen again. An edit that a node refuses, such as removing a taint that is
// not there, changes nothing on that node and is reported.
//
// A day of more than a million evictions is rejected: pods that tolerate a taint of
// all nodes for a second are scheduled and evicted every second.
//
// All mistakes of all input are reported at once, each with file and line, and there
// is no simulation then.
//
// # Clusters from kubectl
//
// A file of -cluster is read as kubectl get nodes,pods -A -o json writes it. Of a
// node count its name, its labels of zone and region, its taints, its conditions
// and whether it is cordoned; one whose readiness is not stated is ready. Of a pod
// count its name, node, tolerations and owner: a daemon set's pods are a daemon's,
// those of any other owner a workload's, mirrors of static pods are static, and
// the others are bare. Pods that are finished or being deleted are left out, and so
// are a daemon's that have no node. The day begins at the latest time at which a
// taint in the input was added, for what is measured from there.
//
// # What happens
//
// As the day begins all pods run that have a node. A pod with a node in the input
// is there, whatever taints the node has; the others are scheduled.
//
//  1. Admission gives every pod the default seconds, a daemon's the tolerations of
//     daemons, a static one that of static pods (package admission).
//  2. When a node is not heard of, its Ready condition becomes Unknown after
//     -grace, and up to -spread whole seconds more, drawn for each: 40 to 50
//     seconds. Not ready is known at once, and so is ready.
//  3. Conditions and cordons become NoSchedule taints at once; the first NoExecute
//     taint is added at the rate of the node's zone (package condition). When every
//     zone is in full disruption there are no new ones, and the existing ones are removed.
//     When that is over, silent nodes not yet noticed have all their grace again.
//  4. A pod must go when the tolerations of its node's NoExecute taints run out, at
//     once where there is none (package eviction). -choice and -start say how that
//     is counted; -sticky gives a pod one deadline that stays, as Kubernetes does.
//     A pod's seconds begin no earlier than it was scheduled, unless -start is added.
//  5. A workload's pod is replaced by another one at once, under the same name.
//     A bare pod is gone. A daemon's returns to its node as soon as it tolerates
//     the taints there, and is away until then. A static one is never evicted.
//  6. A pod is scheduled to a node whose NoSchedule and NoExecute taints it tolerates
//     (package fleet), not for 0 seconds, and that has fewer than -max-pods pods. Taints
//     decide, not conditions: a pod that tolerates not-ready under every effect may be
//     scheduled to a node that is not ready, and runs there when the node is back.
//     Nodes whose PreferNoSchedule taints it tolerates come first, then those with
//     the fewest pods; the seed chooses among equals. Where there is none it waits,
//     and is tried again, first come, first served, whenever a node has changed or
//     has room again.
//  7. It runs -startup later, if the node is well then, else -startup after the
//     node is back. Pods that ran come up with their node.
//
// A pod is down from when its node falls unreachable or not ready, or else from when
// it is evicted, until it, or the one in its place, runs. So pods of a node that is
// only cut off count as down, though they may be at work. One that is gone, waits
// or is away is down up to the end; a daemon's that never had a node is not.
//
// Taints alone decide where pods are scheduled: resources, affinity and disruption budgets are
// not looked at. A real StatefulSet waits for a lost pod to be confirmed, and real
// pods are given time to stop; here both are at once.
//
// # The text
//
// Each line of the timeline begins with the time. Of many nodes or pods it lists
// the first six. The summary has a line for each pod that was evicted or down, at
// most -most: those that wait and those that are gone first, then the longest down.
// WHERE has the nodes that it was on, and from when; WHY the taints that evicted it.
//
// # Output for programs
//
// With -o json the output is one object. All times are seconds from the beginning,
// with up to nine decimals; durations are seconds. Fields that say nothing are
// absent; timeline, pods, stays, zones and taints never are.
//
//	timeline[]  at, what, and by what it is:
//	    unreachable, not-ready, ready   nodes[], podsDown: how many pods that takes down or up
//	    condition       nodes[], condition: such as DiskPressure=True
//	    cordon, uncordon                nodes[]
//	    taint           nodes[], edits[]: that somebody makes by hand
//	    refused         nodes[], problem: what kept the edits from being made
//	    noticed         nodes[]: whose Ready condition is Unknown now
//	    tainted         nodes[], added[], removed[]: taints
//	    queued          nodes[]: that wait for their NoExecute taint
//	    zone            zone, state: name (Normal, PartialDisruption, FullDisruption),
//	                    ready, notReady: numbers of nodes, rate: NoExecute taints a second
//	    all-lost, not-all-lost          every zone is in full disruption; no longer
//	    stays           nodes[], pods[]: that tolerate new NoExecute taints permanently
//	    deadline        nodes[], pods[], deadline: when they are evicted, taint, since,
//	                    toleration, seconds: what decides
//	    earlier, later  the same, and before: the deadline that they had
//	    cancelled       nodes[], pods[], before
//	    evicted         nodes[], pods[], taint, since, toleration, seconds: why; without
//	                    toleration the taint is not tolerated; of a deadline that
//	                    -sticky has kept, what decided when it was set
//	    gone            pods[]: a bare pod, behind its eviction
//	    placed          nodes[], pods[]
//	    waits           pods[]: for which there is no node
//	    runs            nodes[], pods[], downFor
//	pods[]      name, kind (pod, workload, daemon, static), phase in the end (running,
//	            starting, waiting, gone, away), node, evictions, cancelled: how many
//	            deadlines were called off; downs: how often it was down, down: in all, longest: at once
//	    stays[] node, from, until, evictedBy: the taint; where it was, and why no longer
//	zones[]     name, nodes, partial, full: how long it was in these disruptions, tainted: how
//	            many NoExecute taints came at its rate; nodes excluded from disruption
//	            checks count for tainted alone
//	taints[]    taint, evictions: how many it decided
//	summary     seed, end, nodes, pods, failures, failedNodes, evictions, cancelled, moved:
//	            pods that were on more than one node; refusedEdits, waiting, gone: in the end;
//	            podsDown: pods that were down at some time, downTime: of all of them, longest
//
// Names may be added to it. What happens to many at once is one entry of the
// timeline if it is the same for all of them.
//
// # Exit status
//
// It is 0 when the day is over and every pod that is to run has a node; 1 when in
// the end some pod waits for one, or a node has refused an edit; and 2 when arguments
// or input are bad, or the output cannot be written.
package main
