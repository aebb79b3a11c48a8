package speed

import (
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// quiet is a logger that writes nothing. Kubernetes' functions log nothing for these
// inputs.
var quiet = logr.Discard()

// comparisonOperators is the feature gate's default, which the scheduler's plugin
// passes on. None of these inputs has a numeric operator.
const comparisonOperators = false

var (
	tolerationsPath   = field.NewPath("spec", "tolerations")
	validationOptions = corevalidation.PodValidationOptions{}
)

// The strings of the API's structs have memory of their own, like those that a client
// decodes: strings that share their bytes compare faster.

func coreTaints(list taint.List) []corev1.Taint {
	if list == nil {
		return nil
	}
	out := make([]corev1.Taint, len(list))
	for i, t := range list {
		out[i] = corev1.Taint{
			Key:    strings.Clone(t.Key()),
			Value:  strings.Clone(t.Value()),
			Effect: corev1.TaintEffect(strings.Clone(t.Effect().String())),
		}
	}
	return out
}

func coreFleet(fleet []taint.List) [][]corev1.Taint {
	out := make([][]corev1.Taint, len(fleet))
	for i, list := range fleet {
		out[i] = coreTaints(list)
	}
	return out
}

func coreTolerations(list toleration.List) []corev1.Toleration {
	out := make([]corev1.Toleration, len(list))
	for i, u := range list {
		out[i] = corev1.Toleration{
			Key:      strings.Clone(u.Key()),
			Operator: corev1.TolerationOperator(strings.Clone(u.Operator().String())),
			Value:    strings.Clone(u.Value()),
			Effect:   corev1.TaintEffect(strings.Clone(u.Effect().String())),
		}
		if n, ok := u.Seconds(); ok {
			out[i].TolerationSeconds = &n
		}
	}
	return out
}
