// Webhook is an admission webhook for pods. It adds the tolerations and the node selector
// that pods lack, and refuses tolerations by policy, with a taint that the pod must not
// tolerate. It reports all problems at once.
//
//	webhook -listen :8443 -cert tls.crt -key tls.key -config config.json
//
// Package rules in examples/internal documents the configuration and the verdicts. With the
// same file, kubectl tolerate lint judges manifests, and the pods of a cluster.
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
// # Installing it
//
// The directory deploy has the manifests, and a configuration: change its namespaces and
// groups. There, with a registry to which you can push images, and with cert-manager:
//
//	KO_DOCKER_REPO=registry.example.com/tolerate-webhook ./build | kubectl apply -f -
//	kubectl -n tolerate create configmap tolerate-webhook --from-file=config.json
//	kubectl apply -f cert-manager.yaml
//	kubectl -n tolerate rollout status deployment tolerate-webhook
//	kubectl apply -f admission.yaml
//
// The script build needs only Go: it runs a fixed version of ko (https://ko.build), whose base
// image has certificates and no shell. Any other image of the binary will do.
//
// Without cert-manager, replace the third and the last command. This certificate, which is its
// own authority, lasts ten years:
//
//	openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=tolerate-webhook \
//	  -addext subjectAltName=DNS:tolerate-webhook.tolerate.svc -keyout tls.key -out tls.crt
//	kubectl -n tolerate create secret tls tolerate-webhook-tls --cert tls.crt --key tls.key
//	sed "s|# caBundle:.*|caBundle: $(openssl base64 -A -in tls.crt)|" admission.yaml | kubectl apply -f -
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
