package why

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
)

// A workload is what was named as kind/name or kind/namespace/name.
type workload struct {
	kind            string // in lower case, such as daemonset; empty if there is none
	namespace, name string // the namespace is empty for any
}

// kinds are those of workloads, by their short names.
var kinds = map[string]string{
	"cj": "cronjob", "dc": "deploymentconfig", "deploy": "deployment", "ds": "daemonset", "jobs": "job",
	"rc": "replicationcontroller", "rs": "replicaset", "sts": "statefulset",
}

// makes are the kinds that make others, which control the pods. These are named after
// their makers, with - and a hash or a number at the end, so only the pods need to be read.
var makes = map[string]string{"cronjob": "job", "deployment": "replicaset", "deploymentconfig": "replicationcontroller"}

// podName returns the name of a pod without its kind.
func podName(text string) string {
	for _, kind := range []string{"po/", "pod/", "pods/"} {
		text = strings.TrimPrefix(text, kind)
	}
	return text
}

func parseWorkload(text string) (w workload) {
	kind, name, ok := strings.Cut(text, "/")
	if !ok {
		return w
	}
	kind, _, _ = strings.Cut(strings.ToLower(kind), ".") // as in deployment.apps/web
	if w.kind = kinds[kind]; w.kind == "" {
		w.kind = strings.TrimSuffix(kind, "s")
	}
	if w.namespace, w.name, ok = strings.Cut(name, "/"); !ok {
		w.namespace, w.name = "", name
	}
	return w
}

// owns reports whether the workload controls the pod.
func (w *workload) owns(p *cluster.Pod) bool {
	if w.kind == "" || w.namespace != "" && w.namespace != p.Namespace {
		return false
	}
	kind, name, _ := strings.Cut(p.Owner, " ")
	kind = strings.ToLower(kind)
	if made := makes[w.kind]; made != "" && made == kind {
		kind, name = w.kind, name[:max(0, strings.LastIndex(name, "-"))]
	}
	return w.kind == kind && w.name == name
}

// notFound returns the error if no pod has the name, or is controlled by the workload.
func (w *workload) notFound(name, node string) error {
	if !slices.Contains(slices.Collect(maps.Values(kinds)), w.kind) {
		return fmt.Errorf("pod %q not found", name)
	}
	if node != "" {
		node = " on node " + node
	}
	return fmt.Errorf("%s has no pods%s, or does not exist", objects.Printable(name), objects.Printable(node))
}
