package upstream

import (
	"errors"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubectl/pkg/cmd/taint"
)

// ParseTaints only parses the arguments.
//
//go:linkname ParseTaints k8s.io/kubectl/pkg/cmd/taint.parseTaints
func ParseTaints(spec []string) (add, remove []corev1.Taint, err error)

//go:linkname updateTaints k8s.io/kubectl/pkg/cmd/taint.TaintOptions.updateTaints
func updateTaints(o taint.TaintOptions, obj runtime.Object) (string, error)

// An Edit is the parsed arguments of kubectl taint.
type Edit struct{ options *taint.TaintOptions }

// ParseEdit parses the arguments of kubectl taint that follow the node, and
// checks them as kubectl does before it gets the node.
func ParseEdit(overwrite bool, args ...string) (Edit, error) {
	if len(args) == 0 {
		return Edit{}, errors.New("at least one taint update is required")
	}
	add, remove, err := ParseTaints(args)
	if err != nil {
		return Edit{}, err
	}
	o := &taint.TaintOptions{Mapper: nodeMapper}
	*field[[]string](o, "resources") = []string{"node", nodeName}
	*field[[]corev1.Taint](o, "taintsToAdd") = add
	*field[[]corev1.Taint](o, "taintsToRemove") = remove
	*field[bool](o, "overwrite") = overwrite
	return Edit{o}, o.Validate()
}

// Apply edits a node's taints, and returns them and the outcome that kubectl
// prints.
func (e Edit) Apply(taints []corev1.Taint) ([]corev1.Taint, string, error) {
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: taints}}
	outcome, err := e.ApplyTo(node)
	if err != nil {
		return nil, "", err
	}
	return node.Spec.Taints, outcome, nil
}

// ApplyTo edits the node's taints in place, and returns the outcome that
// kubectl prints.
func (e Edit) ApplyTo(node *corev1.Node) (string, error) { return updateTaints(*e.options, node) }

// nodeMapper only maps nodes.
var nodeMapper = func() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion})
	m.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	return m
}()
