// Webhook is an admission webhook for pods and nodes: it validates tolerations
// and taints, adds the tolerations that pods lack, and refuses tolerations by
// policy. It reports all problems at once, and for a refused toleration a taint
// that it must not tolerate.
//
//	webhook -listen :8443 -cert tls.crt -key tls.key -config config.json
//	webhook -config config.json review.json     # what it would answer, without a cluster
//	webhook                                     # the same for two samples
//
// The folder deploy has the manifests to install it.
//
// # Answers
//
// It answers the API server's AdmissionReview, version admission.k8s.io/v1.
//
// At /mutate, it adds the tolerations that a pod lacks: the default seconds for nodes
// that are not ready or unreachable, the default tolerations of its namespace, that
// of memory-pressure unless the pod is BestEffort, and those of the extended
// resources that it requests. A JSON patch appends them to the pod's own, which do not
// change, so a later update of the pod is accepted. Defaults of the namespace are
// added at creation only. All problems of a pod's tolerations, or of a node's
// taints, are reported here, because the API server validates them next.
//
// At /validate, which the API server calls after all webhooks have changed the
// pod, it checks the tolerations by the whitelist and the policy. An update can
// keep what the pod had before, even if they no longer allow it. A pod that is
// being deleted is always accepted.
//
// # Limits
//
// No object makes a request expensive. The webhook counts before it decodes, and
// rejects
//
//   - a pod with more than 200 tolerations, including those that it adds, and a
//     node with more than 200 taints, unless an update does not change the list;
//   - a list of more than 256 KiB;
//   - more than 20,000 fields and elements in the part that it reads;
//   - more than 1,000 requested resources.
//
// An answer lists at most 100 problems, and the number of the others. A request of
// 3 MB takes less than 64 MB of memory, whatever it contains.
//
// An object that is neither a Pod nor a Node is rejected: the webhook is then
// configured wrongly.
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
// The seconds are a number, or off for no default; the default is 300. The defaults,
// whitelist and policy of a namespace replace those of the cluster. A policy has the
// form of package policy. Without a policy, only the whitelist applies; a policy
// without allow clauses refuses every toleration. A policy that protects control-plane
// nodes names both node-role.kubernetes.io/control-plane and
// node-role.kubernetes.io/master, the key of OpenShift. The file is read once, at the
// start. If it has a mistake, such as a repeated name, the program exits.
//
// # Running it
//
// The certificate and the key are read again when their files change. If the new
// pair is invalid, the old one is kept. With -client-ca, only clients with a
// certificate of that authority get answers, such as an API server that is configured for
// it; others get 401, except for /healthz.
//
// /healthz answers 200, and 503 once the server is shutting down. A SIGTERM or an
// interrupt begins the shutdown: open requests are finished, and new connections are
// rejected. So the manifests let the pod sleep for some seconds first, until the
// cluster has removed it from the service. The log, on standard error, is JSON, with a
// line for each answer and without the contents of objects.
//
// A request must not be larger than -max-bytes, and must arrive within -timeout. The
// parts of bodies beyond 64 KiB share a budget of four times -max-bytes, from when they
// arrive until the answer. If too little of it is free, a request waits for at most half
// of -timeout. A body that uses the budget must arrive at 64 KiB per second, after a
// first second, or the request is rejected, so stalled clients do not block large
// requests. At most -concurrent complete bodies are answered at a time, and others wait for
// at most half of -timeout, so slow clients do not delay others.
//
// A request that is not a review gets an HTTP error: 405 if the method is not POST, 415 if
// the body is not JSON, 413 if it is too large, 408 if it arrives too slowly, 400 if it
// cannot be decoded, and 503 if there are too many requests.
//
// The exit status is 0, or 2 for bad flags, a bad configuration or a server
// that cannot run. With files, it is 1 if a review in them is rejected or refused.
package main
