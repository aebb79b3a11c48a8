package before_test

import (
	"testing"

	"pgregory.net/rapid"

	oldkube "github.com/go-tolerate/before/match/kube"
	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/kube"
)

func coreTaint(f gen.TaintFields) corev1.Taint {
	return corev1.Taint{Key: f.Key, Value: f.Value, Effect: corev1.TaintEffect(f.Effect)}
}

func coreToleration(f gen.TolerationFields) corev1.Toleration {
	return corev1.Toleration{
		Key: f.Key, Operator: corev1.TolerationOperator(f.Operator), Value: f.Value,
		Effect: corev1.TaintEffect(f.Effect), TolerationSeconds: f.Seconds,
	}
}

func TestKubeTolerates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := coreToleration(gen.AnyTolerationFields().Draw(t, "toleration"))
		taint := coreTaint(gen.AnyTaintFields().Draw(t, "taint"))
		same(t, "Tolerates", kube.Tolerates(&u, &taint), oldkube.Tolerates(&u, &taint))
	})
}
