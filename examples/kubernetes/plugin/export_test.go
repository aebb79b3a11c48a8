package plugin

import corev1 "k8s.io/api/core/v1"

// Held returns the node objects that p holds, and how many nodes are indexed.
func (p *Plugin) Held() (objects map[*corev1.Node]bool, indexed int) {
	objects = map[*corev1.Node]bool{}
	p.nodes.byObject.Range(func(object, _ any) bool {
		objects[object.(*corev1.Node)] = true
		return true
	})
	return objects, p.nodes.index.Len()
}
