package edit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
)

// patch returns the merge patch from before to after, which the API server rejects if the
// object no longer has the version. An empty version is no condition.
func patch(before, after *unstructured.Unstructured, version string) ([]byte, error) {
	before, after = before.DeepCopy(), after.DeepCopy()
	before.SetResourceVersion("")
	after.SetResourceVersion(version)
	from, err := before.MarshalJSON()
	to, err2 := after.MarshalJSON()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return jsonmergepatch.CreateThreeWayJSONMergePatch(from, to, from)
}

// apply changes the objects in the cluster, one phase after the other. It writes each change
// to w, and continues with the other objects if one is not changed, but not with the next
// phase. It ends when it is interrupted, when an object cannot be read, and after some
// timeouts.
func (o *options) apply(ctx context.Context, env *cli.Env, w io.Writer) error {
	var steps []step
	for _, object := range o.list {
		steps = append(steps, object.steps...)
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.phase - b.phase })
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	at := make(chan string) // the step that is being made
	var watching sync.WaitGroup
	watching.Go(func() { watch(ctx, env, cancel, at) })
	defer watching.Wait()
	defer close(at)
	var failed []string
	var end error              // of the last step
	timeouts, open := 0, false // whether another run can succeed where this one failed
	stalled := func() bool { return timeouts >= maxTimeouts || errors.As(end, new(unreadable)) }
	for i, s := range steps {
		if len(failed) > 0 && s.phase > steps[i-1].phase || ctx.Err() != nil || stalled() {
			break
		}
		at <- fmt.Sprintf("%s (%d of %d)", s, i+1, len(steps))
		if end = s.apply(ctx, requests, &timeouts); end != nil {
			fmt.Fprintf(env.ErrOut, "%s failed: %v\n", s, end)
			s.Error, failed, open = end.Error(), append(failed, s.String()), open || isOpen(end)
			continue
		}
		fmt.Fprintf(w, "%s %s\n", s, s.outcome)
		s.Applied = true
		s.steps = s.steps[1:]
	}
	done, still := 0, 0
	for _, object := range o.list {
		switch {
		case object.Outcome == unchanged:
			still++
		case len(object.steps) == 0:
			done++
		}
	}
	text := fmt.Sprintf("%s: %d changed, %d unchanged, %d failed", cli.Count(len(o.list), "object"), done, still, len(failed))
	if left := len(o.list) - done - still - len(failed); left > 0 {
		text += fmt.Sprintf(", %d not reached", left)
	}
	if len(failed) > 0 {
		text += "\nfailed: " + strings.Join(failed, ", ")
	}
	switch again := text + "\nto finish, run: " + env.Again("--report", "--token"); {
	case ctx.Err() != nil && done+still < len(o.list):
		return &cli.Exit{Status: 130, Err: errors.New("interrupted; " + again)}
	case stalled() && done+still < len(o.list):
		return errors.New("the API server does not answer; " + again)
	case open:
		return errors.New(again)
	case len(failed) > 0: // forbidden, say
		return errors.New(text)
	}
	fmt.Fprintln(w, text)
	return nil
}

// tryOut asks the API server whether it would accept the change of the first object of each
// kind.
func (o *options) tryOut(ctx context.Context) error {
	tried := make(map[string]bool)
	for _, i := range o.list {
		if tried[i.Kind] || i.steps == nil {
			continue
		}
		tried[i.Kind] = true
		body, err := patch(i.Unstructured, i.last, "")
		if err == nil {
			_, err = i.client.Patch(ctx, i.Name, types.MergePatchType, body, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: "kubectl-tolerate", FieldValidation: metav1.FieldValidationStrict})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// An unreadable is the error of an object that cannot be read, so that the rest need not be
// tried.
type unreadable struct{ error }

// Changes are tried so often, requests of all objects time out so often, and after an
// interrupt the request under way is continued for so long.
const (
	tries       = 4
	maxTimeouts = 3
	grace       = 5 * time.Second
)

// watch writes which step is being made: once a second if it is another, and every ten
// seconds. After an interrupt, the next one, or the end of the grace, cancels the requests.
func watch(ctx context.Context, env *cli.Env, cancel func(), steps <-chan string) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	second := make(chan os.Signal, 1)
	defer signal.Stop(second)
	first, over := ctx.Done(), (<-chan time.Time)(nil)
	shown, ticks := "", 0
	for step, open := <-steps; open; {
		select {
		case step, open = <-steps:
		case <-tick.C:
			if ticks++; step != shown || ticks == 10 {
				fmt.Fprintln(env.ErrOut, "waiting for", step)
				shown, ticks = step, 0
			}
		case <-first:
			first, over = nil, time.After(grace)
			signal.Notify(second, os.Interrupt, syscall.SIGTERM)
			fmt.Fprintf(env.ErrOut, "stopping after %s, in %v at most; interrupt again to stop now\n", step, grace)
		case <-second:
			signal.Stop(second) // a third one ends the program
			cancel()
		case <-over:
			cancel()
		}
	}
}

// apply makes the step if the object is what was judged. After a conflict, and an error that
// does not show whether the object is changed, it looks again: others write the status of
// a node all the time, and an answer can be lost. It counts the requests that time out.
func (s *step) apply(ctx, requests context.Context, timeouts *int) error {
	var sent error // of the last patch
	for try := 1; ; try++ {
		last := try >= tries || *timeouts >= maxTimeouts || ctx.Err() != nil
		now, err := s.client.Get(requests, s.Name, metav1.GetOptions{})
		switch {
		case err != nil && isOpen(err) && (last || !errors.As(err, new(apierrors.APIStatus))): // without an answer, clients try again
			if sent != nil {
				err = fmt.Errorf("it is perhaps changed: %w", sent)
			}
			return unreadable{err}
		case err != nil:
		case same(timeless(now), timeless(s.after)):
			return nil
		case !same(now, s.before):
			return errors.New("it has changed since it was read, and is left as it is")
		case sent != nil && last:
			return sent
		default:
			var body []byte
			if body, err = patch(s.before, s.after, now.GetResourceVersion()); err == nil {
				_, err = s.client.Patch(requests, s.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: "kubectl-tolerate", FieldValidation: metav1.FieldValidationStrict})
			}
			sent = err
		}
		if apierrors.IsTimeout(err) || utilnet.IsTimeout(err) { // the API server's, or the client's
			*timeouts++
		}
		if err == nil || !isOpen(err) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(try) * 100 * time.Millisecond):
		}
	}
}

// same reports whether nothing that is judged differs: the labels and the specification.
func same(a, b *unstructured.Unstructured) bool {
	return a.GetUID() == b.GetUID() && maps.Equal(a.GetLabels(), b.GetLabels()) && reflect.DeepEqual(a.Object["spec"], b.Object["spec"])
}

// timeless returns the object without the times when its taints were added, which differ if
// another adds the same.
func timeless(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	field, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "taints")
	list, _ := field.([]any)
	for _, t := range list {
		if fields, ok := t.(map[string]any); ok {
			delete(fields, "timeAdded")
		}
	}
	return u
}

// isOpen reports whether another request can succeed after an error, or the object can be
// changed in spite of it.
func isOpen(err error) bool {
	var status apierrors.APIStatus
	return !errors.As(err, &status) || status.Status().Code >= 500 || apierrors.IsConflict(err) || apierrors.IsTooManyRequests(err)
}
