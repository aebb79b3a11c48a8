package kubernetes_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Kubernetes' durations hold about 292 years. More seconds overflow there, to a
// short time or to a negative one, which means never. Here they are exact if a
// time can represent the deadline. This difference affects only seconds above 9,223,372,036,
// except the largest number, which is permanent on both sides.
func TestListed_E7_overflow(t *testing.T) {
	t.Parallel()
	node := []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoExecute}}
	present := time.Unix(1e9, 0)
	observed := eviction.Observe(nil, taint.List{taint.MustParse("k:NoExecute")}, present)
	forSeconds := func(n int64) ([]corev1.Toleration, eviction.Decision) {
		theirs := []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &n}}
		ours, _ := ourTolerations(theirs)
		return theirs, eviction.Decide(observed, present, eviction.Options{}, ours)
	}
	var short, never share
	conform(t, objects, func(g *gen) string {
		n := math.MaxInt64>>g.IntN(32) - g.Int64N(1000)
		theirs, d := forSeconds(n)
		lasts, tolerated := upstream.TolerationTime(node, theirs)
		short.count(lasts >= 0 && overflowing(n))
		never.count(lasts < 0 && overflowing(n))
		kind, deadline := eviction.At, time.Unix(present.Unix()+n, 0)
		if deadline.Before(present) { // no time can represent it
			kind, deadline = eviction.Never, time.Time{}
		}
		if got, _ := d.Deadline(); d.Kind() != kind || !got.Equal(deadline) {
			return fmt.Sprintf("%d seconds: ours %v, want %v", n, d, deadline)
		}
		right := lasts == time.Duration(n)*time.Second && lasts/time.Second == time.Duration(n) || n == math.MaxInt64 && lasts < 0
		if !tolerated || right == overflowing(n) {
			return fmt.Sprintf("%d seconds: Kubernetes %v, tolerated %v", n, lasts, tolerated)
		}
		return ""
	})
	short.within(t, "are cut short", 0.1, 0.8)
	never.within(t, "are forever", 0.1, 0.8)

	inBubble(t, func(t *testing.T, e *upstream.Evictor) {
		tolerations, _ := forSeconds(18_446_744_074)
		life := []step{{tolerations: tolerations}, {node: true, taints: node, tolerations: tolerations}}
		if got := livesThere(e, life); got != 290_448_384 {
			t.Errorf("18,446,744,074 seconds: Kubernetes evicts after %v", got)
		}
	})
}

// Decide evaluates the present taints and tolerations. The deadline of Kubernetes'
// controller is that of the taint that was there when the pod's eviction was scheduled,
// also when that taint is gone. Reevaluate keeps it in a State.
func TestListed_E4_history(t *testing.T) {
	t.Parallel()
	tolerations := kube.CoreTolerations(toleration.MustParseList("x:NoExecute op=Exists for 300s,y:NoExecute op=Exists for 30s"))
	x, y := corev1.Taint{Key: "x", Effect: corev1.TaintEffectNoExecute}, corev1.Taint{Key: "y", Effect: corev1.TaintEffectNoExecute}
	life := []step{
		{tolerations: tolerations, taints: []corev1.Taint{x}, node: true},
		{tolerations: tolerations, taints: []corev1.Taint{x, y}, node: true, after: 10 * time.Second},
		{tolerations: tolerations, taints: []corev1.Taint{y}, node: true, after: 10 * time.Second},
	}
	inBubble(t, func(t *testing.T, e *upstream.Evictor) {
		for n, want := range map[int]struct{ theirs, ours time.Duration }{2: {300, 300}, 3: {300, 40}} {
			var observed []eviction.Observed
			decide := func(now time.Time, taints taint.List, tolerations toleration.List) time.Time {
				observed = eviction.Observe(observed, taints, now)
				at, _ := eviction.Decide(observed, now, eviction.Options{}, tolerations).Deadline()
				return at
			}
			theirs, ours, state := livesThere(e, life[:n]), livesHere(life[:n], decide), livesHere(life[:n], withState(eviction.Reevaluate))
			if theirs != want.theirs*time.Second || ours != want.ours*time.Second || state != theirs {
				t.Errorf("%d steps: Kubernetes evicts after %v, ours after %v, with a State after %v, want %d and %d s", n, theirs, ours, state, want.theirs, want.ours)
			}
		}
	})
}

// In Kubernetes, the first toleration that matches decides for how long, also one that
// matches nothing here (M8-invalid). For structs, a later one then decides, which can be
// for longer. This difference affects only taints whose first match there is one of these
// (TestKubeToleratesExhaustive).
func TestListed_E3_closed(t *testing.T) {
	t.Parallel()
	taints := []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoExecute}}
	closed := corev1.Toleration{Effect: corev1.TaintEffectNoExecute} // no key, and not Exists
	later := corev1.Toleration{Key: "k", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))}
	for _, first := range []*int64{nil, new(int64(5))} {
		closed.TolerationSeconds = first
		theirs := []corev1.Toleration{closed, later}
		want := time.Duration(-1)
		if first != nil {
			want = time.Duration(*first) * time.Second
		}
		lasts, tolerated := upstream.TolerationTime(taints, theirs)
		seconds, limited := kube.Seconds(taints, theirs, toleration.First)
		if !tolerated || lasts != want || !limited || seconds != 300 {
			t.Errorf("%v: Kubernetes %v, %v; ours %v, %d s", theirText(theirs), tolerated, lasts, limited, seconds)
		}
	}
}
