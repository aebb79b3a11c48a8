// Webhook is an admission webhook for pods and nodes. It adds the tolerations and the
// node selector that pods lack, and rejects tolerations by policy, with a taint that
// the pod must not tolerate. It reports all problems at once.
//
//	webhook -listen :8443 -cert tls.crt -key tls.key -config config.json
//	webhook -config config.json review.json     # its answers, without a cluster
//	webhook -sample                             # the same for a sample
//
// Reviews are read from files, or from standard input if it is not a terminal. The
// directory deploy has the manifests to install the webhook, and a configuration.
//
// # Answers
//
// At /mutate, it appends to the tolerations of a pod: 300 seconds for nodes that are
// not ready or unreachable, memory-pressure unless the pod is BestEffort, the extended
// resources that it requests, and for a new pod those of its rule. It also adds the
// labels of its rule to the node selector of a new pod. A different value for such a
// label is rejected; the pod's other fields do not change, and what was added once is
// not added again. All problems of a pod's tolerations and of a node's taints are
// reported here, since the API server validates them next.
//
// At /validate, which the API server calls after all changes, a new pod must have the
// node selector of its rule, and the policy must allow its tolerations. Those that
// /mutate adds, except for extended resources, and those that a pod had before an
// update are always allowed. A pod that is being deleted is accepted.
//
// # Configuration
//
// The file is JSON:
//
//	{
//	  "notReadySeconds": 60,
//	  "unreachableSeconds": 300,
//	  "rules": [
//	    {"namespaces": ["ml"],
//	     "tolerations": [{"key": "dedicated", "value": "gpu"}], "nodeSelector": {"dedicated": "gpu"}},
//	    {"groups": ["gpu-users"],
//	     "policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}},
//	    {"policy": {"allow": [{"taints": [{"operator": "Exists"}]}],
//	                "deny": [{"message": "join gpu-users", "taints": [{"key": "dedicated", "value": "gpu"}]}]}}
//	  ]
//	}
//
// A rule applies to a pod if the pod is in one of its namespaces, and the user who
// creates or updates the pod is in one of its groups. A rule without namespaces, or
// without groups, applies to all. The tolerations, the node selector
// and the policy are each those of the first rule that applies and has them. The last
// policy must be for all pods. Policies have the form of package policy. To protect a
// control plane, deny node-role.kubernetes.io/control-plane and
// node-role.kubernetes.io/master, the key of OpenShift.
//
// The pods of a Deployment are created by a controller of the control plane, which is
// not in the groups of the Deployment's author: use namespaces for them. A pod with
// spec.nodeName is not scheduled, so NoSchedule taints do not repel it: restrict who
// can set it. Mistakes, such as a field that is unknown, repeated or null, end the
// program with all of them. The file is read once.
//
// # Limits
//
// The webhook counts before it decodes, and rejects a pod with more than 200
// tolerations, including those that it adds, and a node with more than 200 taints,
// unless an update does not change the list; a list of more than 256 KiB; and more
// than 20,000 fields and elements in the fields that it reads. An answer lists at most
// 100 problems. A request of 3 MB takes less than 64 MB of memory.
//
// A request has at most 8 MiB, and 10 seconds to arrive; one of more than 64 KiB is read
// within 2.5 seconds, and waits as long for one of 4 slots. At most 64 complete requests
// are answered at a time. Others get the HTTP error 408, 413 or 503; a request that is
// not a review gets one such as 400.
//
// # Running it
//
// The certificate and its key are read for each connection; if they are invalid, the
// last valid pair is used. With -client-ca, only clients with a certificate of that
// authority get answers, except from /healthz, which answers 200. A SIGTERM or an
// interrupt ends the server after the open requests. The log, on standard error, is
// JSON, with a line for each review and without the contents of objects.
//
// The exit status is 0; 2 for bad flags, a bad configuration, a file that cannot be
// read, or a server that cannot run; and 1 if an object of a file is rejected.
package main
