package kube

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match/eviction"
)

// Deadline returns when the first of several pods, such as those of a workload, must be
// evicted from a node with these taints, and false for never: the earliest deadline by
// [eviction.Decide]. Each list has the tolerations of one pod. The seconds of a taint
// start at its time added, without that at opts.Arrived, and if that is zero too, they
// have passed. kubectl taint sets no time: to count from when such a taint was seen, use
// [eviction.Schedule] with the values.
func Deadline(taints []corev1.Taint, now time.Time, opts eviction.Options, pods ...[]corev1.Toleration) (deadline time.Time, ok bool) {
	check(opts.Choice)
	if len(taints) == 0 {
		return time.Time{}, false
	}
	now, opts.Arrived = now.Round(0).UTC(), opts.Arrived.Round(0).UTC() // without monotonic reading, as in the API
	for i := range pods {
		if at, evicted := deadlineOf(taints, now, opts, pods[i]); evicted && (!ok || at.Before(deadline)) {
			deadline, ok = at, true
		}
	}
	return deadline, ok
}

// deadlineOf returns the deadline of one pod.
func deadlineOf(taints []corev1.Taint, now time.Time, opts eviction.Options, pod []corev1.Toleration) (deadline time.Time, ok bool) {
	var first, untolerated time.Time // first is the start of deadline
	isUntolerated := false
	for i := range taints {
		t := &taints[i]
		if t.Effect != corev1.TaintEffectNoExecute || repels(t) {
			continue
		}
		seconds := int64(0) // of an untolerated taint
		by := deciding(t, pod, opts.Choice)
		if by >= 0 {
			n := pod[by].TolerationSeconds
			if n == nil {
				continue
			}
			seconds = max(*n, 0)
		}
		var start time.Time
		if !t.TimeAdded.IsZero() {
			start = t.TimeAdded.UTC().Truncate(time.Second)
		}
		if !opts.Arrived.IsZero() && start.Before(opts.Arrived) {
			start = opts.Arrived
		}
		end := time.Unix(start.Unix()+seconds, int64(start.Nanosecond())).UTC()
		switch {
		case end.Before(start): // no time.Time can represent it
			continue
		case start.IsZero(), seconds == 0 && now.Before(start):
			end = now
		}
		switch {
		case by < 0:
			if !isUntolerated || end.Before(untolerated) {
				untolerated, isUntolerated = end, true
			}
		case !ok, !opts.PerTaint && start.Before(first), end.Before(deadline) && (opts.PerTaint || start.Equal(first)):
			deadline, first, ok = end, start, true
		}
	}
	if isUntolerated && (!ok || untolerated.Before(deadline)) {
		return untolerated, true
	}
	return deadline, ok
}
