// Webhook is an admission webhook for pods and nodes: it validates tolerations
// and taints, all problems at once, adds the tolerations that pods lack, and
// refuses by policy those that a pod must not carry, with a taint that shows
// why.
//
//	webhook -listen :8443 -cert tls.crt -key tls.key -config config.json
//	webhook -config config.json review.json     # what it would answer, without a cluster
//	webhook                                     # the same for two samples
//
// deploy holds the manifests to install it.
//
// # What it answers
//
// It serves the API server's AdmissionReview, version admission.k8s.io/v1.
//
// At /mutate a pod gets what it lacks: the default seconds for nodes that are not
// ready or unreachable, its namespace's default tolerations, that of
// memory-pressure unless it is BestEffort, and those of the extended resources
// that it requests. They are added behind the pod's own by a JSON patch, and
// nothing that is there is touched: so an update of a pod passes that was
// changed here before. Namespace defaults are added at creation only. The
// problems of a pod's tolerations, or of a node's taints, are all reported here,
// since the API server's own checks are next.
//
// At /validate, which the API server calls after all webhooks have changed the
// pod, its tolerations are held against the whitelist and the policy. An update
// may keep what the pod had before, whatever these say now. A pod that was being
// deleted already is let through.
//
// # Limits
//
// No request costs much, whoever wrote the object in it. The webhook counts before
// it decodes: a pod with more than 200 tolerations is refused, those that are
// added included, and so is a node with more than 200 taints, unless an update
// leaves the list as it was. A list of more than 256 KiB, more than 20,000 fields
// and elements in what is judged, and more than 1,000 requested resources are
// refused too. A refusal lists at most 100 problems and the number of the others.
// A request of 3 MB takes less than 64 MB of memory, whatever is in it.
//
// What is no Pod and no Node is refused: the webhook's configuration is wrong then.
//
// # Configuration
//
// The file is JSON; everything in it is optional.
//
//	{
//	  "notReadySeconds": "60",
//	  "unreachableSeconds": "off",
//	  "defaults": [{"key": "example.com/spot", "operator": "Exists"}],
//	  "whitelist": [],
//	  "policy": {
//	    "allow": [{"taints": [{"operator": "Exists"}]}],
//	    "deny": [{"name": "gpu", "message": "contact the ml team", "taints": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}]
//	  },
//	  "namespaces": {"ml": {"policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}, "defaults": []}}
//	}
//
// The seconds are a number, or off for no default; 300 unless given. What a
// namespace has of defaults, whitelist and policy takes the place of the
// cluster's. A policy is in the form of package policy. Without one, no policy
// applies; one without allow clauses refuses every toleration. A policy that protects
// control-plane nodes names both node-role.kubernetes.io/control-plane and
// node-role.kubernetes.io/master, the key of OpenShift. The file is read once,
// at the start; a mistake in it, such as a name that is given twice, ends the program.
//
// # Running it
//
// Certificate and key are read again when their files change, as they do when
// they are renewed; where the new ones do not fit, the old ones stay. With
// -client-ca only clients with a certificate of that authority get reviews
// answered, such as an API server that is configured for it; others get 401, except for
// /healthz. That answers 200, and 503 once the server is shutting down, which a
// SIGTERM or an interrupt begins: open requests are finished first, and no
// connection is taken any more. So the manifests let the cluster take the pod out of
// the service before, by a few seconds of sleep. The log, on standard error, is JSON, a line for each answer, without
// the contents of objects.
//
// A request may be no larger than -max-bytes and has -timeout to come in. Bodies
// beyond 64 KiB share four times -max-bytes of memory while they come in and are
// answered. A request that finds too little of it left waits for half of -timeout.
// A body that holds some of it must come in at 64 KiB in a second, after a first
// second, or is broken off: stalled clients do not keep large requests from being
// answered. Once a body is complete, at most -concurrent are answered at a time,
// and others wait for half of -timeout: clients that are slow do not delay others.
// A request that is no review gets an HTTP
// error: 405 for another method than POST, 415 for a body that is not JSON, 413
// when it is too large, 408 when it comes in too slowly, 400 when it cannot be read, 503 when there are too many.
//
// The exit status is 0, or 2 for bad flags, a bad configuration or a server
// that cannot run. Where it answers files, it is 1 when a review is refused.
package main
