package recording

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/apis/core"
)

func api(list []toleration) []corev1.Toleration {
	out := make([]corev1.Toleration, len(list))
	for i, t := range list {
		out[i] = corev1.Toleration{Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value, Effect: corev1.TaintEffect(t.Effect), TolerationSeconds: t.Seconds}
	}
	return out
}

func fromAPI(list []corev1.Toleration) []toleration {
	out := make([]toleration, len(list))
	for i, t := range list {
		out[i] = toleration{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect), Seconds: t.TolerationSeconds}
	}
	return out
}

func internal(list []toleration) []core.Toleration {
	out := make([]core.Toleration, len(list))
	for i, t := range list {
		out[i] = core.Toleration{Key: t.Key, Operator: core.TolerationOperator(t.Operator), Value: t.Value, Effect: core.TaintEffect(t.Effect), TolerationSeconds: t.Seconds}
	}
	return out
}

func fromInternal(list []core.Toleration) []toleration {
	out := make([]toleration, len(list))
	for i, t := range list {
		out[i] = toleration{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect), Seconds: t.TolerationSeconds}
	}
	return out
}

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

func internalTaints(list []taint) []core.Taint {
	out := make([]core.Taint, len(list))
	for i, t := range apiTaints(list) {
		out[i] = core.Taint{Key: t.Key, Value: t.Value, Effect: core.TaintEffect(t.Effect), TimeAdded: t.TimeAdded}
	}
	return out
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
