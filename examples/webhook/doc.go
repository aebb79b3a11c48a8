// Webhook is an admission webhook for pods. It adds the tolerations and the node selector
// that pods lack, and refuses tolerations by policy, with a taint that the pod must not
// tolerate. It reports all problems at once.
//
//	webhook -listen :8443 -cert tls.crt -key tls.key -config config.json
//
// The directory deploy has the manifests to install it, and a configuration. Package rules
// in examples/internal documents the configuration and the verdicts. With the same file,
// kubectl tolerate lint judges manifests, and the pods of a cluster.
//
// # Answers
//
// At /mutate, it completes a pod: it appends to the tolerations, and adds labels to the node
// selector of a new pod. What the pod has does not change, and what was added once is not
// added again. At /validate, which the API server calls after all changes, it refuses what
// the rules refuse, and new pods without the labels that /mutate adds. A pod that is being
// deleted is accepted.
//
// To introduce rules safely, add the rule {"warn": true} to the end: then nothing is refused,
// and the answer has warnings, which kubectl prints. In both cases the log has a line with
// the message "refused", the namespace, the name of the pod or its beginning, its owner, and
// the clauses of the configuration.
//
// The pods of a Deployment are created by a controller of the control plane, which is not in
// the groups of the Deployment's author: use namespaces for them. A pod with spec.nodeName is
// not scheduled, so NoSchedule taints do not repel it: restrict who can set it.
//
// # Limits
//
// The webhook refuses a pod with more than 200 tolerations, including those that it adds, or
// more than 256 KiB of them, unless an update does not change the list; and a pod with more
// than 50,000 fields and elements. An answer lists at most 100 problems. A request of 3 MB
// takes less than 64 MB of memory.
//
// A request has at most 8 MiB, and 10 seconds to arrive; one of more than 64 KiB is read
// within 2.5 seconds, and waits as long for one of 4 slots. At most 64 complete requests
// are answered at a time. Others get the HTTP error 408, 413 or 503; a request that is
// not a review gets one such as 400.
//
// # Running it
//
// The configuration is read every 2 seconds, and the certificate and its key for each
// connection. If they are invalid, the log says so, and the last valid ones are used; at the
// start, the program ends, with all mistakes of the configuration. /healthz answers 200. A
// SIGTERM or an interrupt ends the server after the open requests. The log, on standard
// error, is JSON, with a line for each review.
//
// The exit status is 0, or 2 for bad flags, a bad configuration, or a server that cannot run.
package main
