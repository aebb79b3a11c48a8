package main

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

type (
	taint      = recorded.Taint
	toleration = recorded.Toleration
)

func api(list []toleration) []corev1.Toleration { return fields.As[corev1.Toleration](list) }

func internal(list []toleration) []core.Toleration { return fields.As[core.Toleration](list) }

// recordable returns tolerations of any version of the API.
func recordable[T any](list []T) []toleration { return fields.As[toleration](list) }

// to converts by JSON: the recorded fields are those of the API.
func to[T any](v any) (out T) {
	must(json.Unmarshal(marshal(v), &out))
	return out
}

func marshal(v any) []byte {
	text, err := json.Marshal(v)
	must(err)
	return text
}

func apiTaints(list []taint) []corev1.Taint { return to[[]corev1.Taint](list) }

// fromTaints does not convert by JSON, in which the zero time is null.
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
