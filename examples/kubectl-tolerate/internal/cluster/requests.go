package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/resource"
)

// requests returns what the scheduler counts for a pod.
func (c *Cluster) requests(pod *corev1.Pod) corev1.ResourceList {
	c.scratch = resource.PodRequests(pod, resource.PodResourcesOptions{UseStatusResources: true, Reuse: c.scratch})
	c.scratch[corev1.ResourcePods] = *apiresource.NewQuantity(1, apiresource.DecimalSI)
	return c.shared(c.scratch)
}

// shared returns the list, the same for all that are equal, and nil if it is empty.
func (c *Cluster) shared(list corev1.ResourceList) corev1.ResourceList {
	if len(list) == 0 {
		return nil
	}
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(list)) {
		q := list[name]
		text = append(append(append(append(text, name...), '='), q.String()...), ',')
	}
	if c.resources[string(text)] == nil {
		c.resources[string(text)] = list.DeepCopy()
	}
	return c.resources[string(text)]
}

// A Room is what nodes have free.
type Room struct {
	free map[string]corev1.ResourceList // by node; nil if it is unknown
}

// Room returns what the nodes have free when the pods are gone that leave reports.
func (c *Cluster) Room(leave func(*Pod) bool) *Room {
	r := &Room{make(map[string]corev1.ResourceList)}
	for _, n := range c.Nodes {
		if n.allocatable != nil {
			r.free[n.Name] = n.allocatable.DeepCopy()
		}
	}
	for _, p := range c.Pods {
		free := r.free[p.Node]
		if free == nil || p.Finished() || p.Terminating || leave(p) {
			continue
		}
		for name, q := range p.Requests {
			if left, ok := free[name]; ok {
				left.Sub(q)
				free[name] = left
			}
		}
	}
	return r
}

// Lacks says which resources the pods request more of than the nodes have free: "" if they
// all fit in sum, or that is unknown of a node.
func (r *Room) Lacks(pods []*Pod, nodes []*Node) string {
	asked, free := corev1.ResourceList{}, corev1.ResourceList{}
	add := func(to corev1.ResourceList, name corev1.ResourceName, q apiresource.Quantity) {
		if q.Sign() > 0 {
			sum := to[name]
			sum.Add(q)
			to[name] = sum
		}
	}
	for _, p := range pods {
		for name, q := range p.Requests {
			add(asked, name, q)
		}
	}
	for _, n := range nodes {
		if r.free[n.Name] == nil {
			return ""
		}
		for name := range asked {
			add(free, name, r.free[n.Name][name])
		}
	}
	var lacks []string
	for _, name := range slices.SortedFunc(maps.Keys(asked), func(a, b corev1.ResourceName) int {
		first := map[corev1.ResourceName]int{corev1.ResourceCPU: -2, corev1.ResourceMemory: -1}
		return cmp.Or(first[a]-first[b], cmp.Compare(a, b))
	}) {
		want, has := asked[name], free[name]
		if want.Cmp(has) > 0 {
			lacks = append(lacks, fmt.Sprintf("%s %s (at most %s free)", want.String(), name, has.String()))
		}
	}
	return strings.Join(lacks, ", ")
}
