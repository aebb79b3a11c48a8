package koordinator

import (
	"encoding/json"
	"testing"

	"github.com/koordinator-sh/koordinator/apis/extension"
	"github.com/koordinator-sh/koordinator/pkg/descheduler/utils"
	"github.com/koordinator-sh/koordinator/pkg/util/reservation"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/bench/overlay/hook"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
	"github.com/go-tolerate/tolerate/match/kube"
)

type input = peer.Input[corev1.Taint, corev1.Toleration]

func TestPeer(t *testing.T) {
	peer.Compare(t, map[string]func(*input) any{
		"NodeFit": func(in *input) any {
			if hook.Original {
				return utils.TolerationsTolerateTaintsWithFilter(in.Tolerations, in.Taints, reservation.DoNotScheduleTaintsFilter)
			}
			return kube.Schedulable(in.Taints, kube.WithoutNumeric(in.Tolerations))
		},
		"TolerationsEqual": func(in *input) any { return utils.TolerationsEqual(in.Tolerations, in.Others) },
		"RequiredReservationAffinity.FindMatchingUntoleratedTaint": func(in *input) any {
			if in.Object == nil {
				in.Object = affinity(t, in.Tolerations)
			}
			found, untolerated := in.Object.(*reservation.RequiredReservationAffinity).FindMatchingUntoleratedTaint(in.Taints, reservation.DoNotScheduleTaintsFilter)
			in.Found = append(in.Found[:0], found)
			return untolerated
		},
	})
}

// affinity returns that of a pod with these tolerations, which are in an annotation.
func affinity(t *testing.T, tolerations []corev1.Toleration) *reservation.RequiredReservationAffinity {
	text, err := json.Marshal(extension.ReservationAffinity{ReservationSelector: map[string]string{"pool": "a"}, Tolerations: tolerations})
	if err != nil {
		t.Fatal(err)
	}
	a, err := reservation.GetRequiredReservationAffinity(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{extension.AnnotationReservationAffinity: string(text)}},
	})
	if err != nil || a == nil {
		t.Fatal("no affinity:", err)
	}
	return a
}
