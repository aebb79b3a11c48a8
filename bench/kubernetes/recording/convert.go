package recording

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
)

func api(list []toleration) []corev1.Toleration { return fields.As[corev1.Toleration](list) }

func internal(list []toleration) []core.Toleration { return fields.As[core.Toleration](list) }

// recordable returns tolerations of any version of the API.
func recordable[T any](list []T) []toleration { return fields.As[toleration](list) }

func apiTaints(list []taint) []corev1.Taint {
	out := make([]corev1.Taint, len(list))
	for i, t := range list {
		out[i] = corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
		if t.TimeAdded != "" {
			at, err := time.Parse(time.RFC3339, t.TimeAdded)
			must(err)
			out[i].TimeAdded = &metav1.Time{Time: at}
		}
	}
	return out
}

func fromTaints(list []corev1.Taint) []taint {
	out := make([]taint, len(list))
	for i, t := range list {
		out[i] = taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)}
		if t.TimeAdded != nil {
			out[i].TimeAdded = t.TimeAdded.UTC().Format(time.RFC3339)
		}
	}
	return out
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
