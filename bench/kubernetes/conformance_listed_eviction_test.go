package kubernetes_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
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

// Each taint has its own start and deadline; Kubernetes' controller has one of
// each for a pod, from when its eviction is first scheduled. This difference affects only lives
// in which a deadline moves, or becomes 0, while one is set, or in which a
// taint that decides was present before the eviction was scheduled (each change
// in the same instant schedules it again). In all others both evict at the same
// time, and with Sticky they always do (TestTaintEvictionController_E8).
func TestListed_E8_one_deadline(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, e *upstream.Evictor) {
		var differ, alike share
		conform(t, objects, func(g *gen) string {
			life := g.life()
			listed := false
			var scheduled time.Time
			got := livesHere(eviction.Reevaluate, eviction.Options{}, life, func(now time.Time, observed []eviction.Observed, c eviction.Update) {
				at, decided := c.Decision.Taint()
				_, tolerated := c.Decision.Toleration()
				earlier := decided && tolerated && observed[at].Since.Before(now)
				switch c.Kind {
				case eviction.Earlier, eviction.Later:
					listed = true
				case eviction.Scheduled:
					scheduled = now
					listed = listed || earlier
				case eviction.Unchanged: // within one instant, Kubernetes schedules again
					listed = listed || earlier && scheduled.Equal(now)
				case eviction.Due:
					listed = listed || tolerated && (earlier || !c.Before.IsZero())
				}
			})
			want := livesThere(e, life)
			differ.count(got != want)
			alike.count(!listed)
			if got != want && !listed {
				return fmt.Sprintf("%v: Kubernetes evicts after %v, ours after %v", life, want, got)
			}
			return ""
		})
		differ.within(t, "differ", 0.01, 0.5)
		alike.within(t, "must not differ", 0.2, 0.95)

		tols := func(texts ...string) []corev1.Toleration { return external(list(texts...)) }
		node := func(after time.Duration, tolerations []corev1.Toleration, keys ...string) step {
			s := step{after: after * time.Second, node: true, tolerations: tolerations}
			for _, key := range keys {
				s.taints = append(s.taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
			}
			return s
		}
		both := tols("x:NoExecute op=Exists for 300s", "y:NoExecute op=Exists for 30s")
		good := tols("x:NoExecute op=Exists")
		some := tols("x:NoExecute op=Exists for 30s")
		for name, tt := range map[string]struct {
			life         []step
			theirs, ours time.Duration
		}{
			"a shorter one joins":          {[]step{node(0, both, "x"), node(100, both, "x", "y")}, 300, 130},
			"a longer one takes its place": {[]step{node(0, both, "y"), node(10, both, "x")}, 30, 310},
			"a pod that is updated later":  {[]step{node(0, good, "x"), {after: 100 * time.Second, taints: node(0, nil, "x").taints, tolerations: some}}, 130, 100},
		} {
			if got := livesThere(e, tt.life); got != tt.theirs*time.Second {
				t.Errorf("%s: Kubernetes evicts after %v, want %d s", name, got, tt.theirs)
			}
			if got := livesHere(eviction.Reevaluate, eviction.Options{}, tt.life, nil); got != tt.ours*time.Second {
				t.Errorf("%s: ours evicts after %v, want %d s", name, got, tt.ours)
			}
		}
	})
}
