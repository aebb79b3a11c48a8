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
// changed here before. Namespace defaults come at creation only. What is wrong
// with a pod's tolerations, or with a node's taints, is told here already, all
// at once, since the API server's own checks come next.
//
// At /validate, which the API server asks after all webhooks have changed the
// pod, its tolerations are held against the whitelist and the policy. An update
// may keep what the pod had before, whatever these say now. A pod that was being
// deleted already is let through. More than 200 tolerations are refused, those that
// are added among them, and a refusal tells at most 100 problems: so no request
// costs much, whoever sent it.
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
//	  "policy": {"deny": [{"name": "gpu", "message": "ask the ml team", "taints": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}]},
//	  "namespaces": {"ml": {"policy": {}, "defaults": []}}
//	}
//
// The seconds are a number, or off for no default; 300 unless given. What a
// namespace has of defaults, whitelist and policy takes the place of the
// cluster's. A policy is in the form of package policy. The file is read once,
// at the start; a mistake in it ends the program.
//
// # Running it
//
// Certificate and key are read again when their files change, as they do when
// they are renewed; where the new ones do not fit, the old ones stay. With
// -client-ca only clients with a certificate of that authority get reviews
// answered, such as an API server that is configured for it; others get 401, but for
// /healthz. That answers 200, and 503 once the server is shutting down, which a
// SIGTERM or an interrupt begins: open requests are finished first, and no
// connection is taken any more. So the manifests let the cluster take the pod out of
// the service before, by a few seconds of sleep. The log, on standard error, is JSON, a line for each answer, without
// the contents of objects.
//
// A request may be no larger than -max-bytes and has -timeout for everything;
// -concurrent are answered at a time, and others wait for half of that. A request that is no review gets an HTTP
// error: 405 for another method than POST, 415 for a body that is not JSON, 413
// when it is too large, 400 when it cannot be read, 503 when there were too many for too long.
//
// The exit status is 0, or 2 for bad flags, a bad configuration or a server
// that cannot run. Where it answers files, it is 1 when a review is refused.
package main
