package speed

import (
	"slices"
	"strings"
	"testing"

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

// atMost returns the number of a fleet's nodes. With -short the benchmarks must only
// run, so it returns no more than 10,000.
func atMost(nodes int) int {
	if testing.Short() {
		return min(nodes, 10_000)
	}
	return nodes
}

// counts are the numbers of nodes on which the pod can be scheduled, by implementation.
type counts map[string]int

// same fails the test unless all implementations found the same number, and the number
// proves something.
func (c counts) same(tb testing.TB, nodes int) {
	tb.Helper()
	var all []int
	for _, n := range c {
		all = append(all, n)
	}
	if slices.Min(all) != slices.Max(all) {
		tb.Fatalf("of %d nodes, schedulable: %v", nodes, c)
	}
	if nodes >= 100 && (all[0] == 0 || all[0] == nodes) {
		tb.Fatalf("%d of %d nodes are schedulable, which proves nothing", all[0], nodes)
	}
}
