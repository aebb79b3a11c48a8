package speed

import (
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
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

// internalTolerations are the structs that the API server validates.
func internalTolerations(list []corev1.Toleration) []core.Toleration {
	out := make([]core.Toleration, len(list))
	for i, t := range list {
		out[i] = core.Toleration{
			Key: t.Key, Operator: core.TolerationOperator(t.Operator), Value: t.Value,
			Effect: core.TaintEffect(t.Effect), TolerationSeconds: t.TolerationSeconds,
		}
	}
	return out
}

func fromCoreTolerations(list []corev1.Toleration) (out toleration.List) {
	for i := range list {
		t := &list[i]
		u, err := toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.TolerationSeconds)
		if err != nil {
			panic(err)
		}
		out = append(out, u)
	}
	return out
}

// fromInternalTolerations is the reverse of internalTolerations, as values.
func fromInternalTolerations(list []core.Toleration) (out toleration.List) {
	for _, t := range list {
		u, err := toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.TolerationSeconds)
		if err != nil {
			panic(err)
		}
		out = append(out, u)
	}
	return out
}

func fromCoreTaints(list []corev1.Taint) (out taint.List) {
	for i := range list {
		t, err := taint.From(list[i].Key, list[i].Value, list[i].Effect)
		if err != nil {
			panic(err)
		}
		out = append(out, t)
	}
	return out
}
