package edit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/taint"
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
		fields, _ := t.(map[string]any)
		delete(fields, "timeAdded")
	}
	return u
}

// isOpen reports whether another request can succeed after an error, or the object can be
// changed in spite of it.
func isOpen(err error) bool {
	var status apierrors.APIStatus
	return !errors.As(err, &status) || status.Status().Code >= 500 || apierrors.IsConflict(err) || apierrors.IsTooManyRequests(err)
}

// A State is what a change changes of an object, before or after it.
type State struct {
	Labels   map[string]string `json:"labels,omitempty"` // those that are changed
	Taints   taint.List        `json:"taints,omitempty"`
	Template map[string]any    `json:"template,omitempty"` // its tolerations and affinity
}

// templateFields are what dedicate changes of a template.
var templateFields = []string{"tolerations", "affinity"}

// states returns what the steps change, for undo.
func (o *item) states() (before, after *State) {
	states := [2]*State{{Taints: o.taints[0]}, {Taints: o.taints[1]}}
	objects := []*unstructured.Unstructured{o.Unstructured, o.last}
	for i, u := range objects {
		other := objects[1-i].GetLabels()
		states[i].Labels = maps.Clone(u.GetLabels())
		maps.DeleteFunc(states[i].Labels, func(key, value string) bool {
			now, ok := other[key]
			return ok && now == value
		})
		if spec, ok, _ := unstructured.NestedMap(u.Object, o.template...); ok && o.template != nil {
			maps.DeleteFunc(spec, func(name string, _ any) bool { return !slices.Contains(templateFields, name) })
			states[i].Template = spec
		}
	}
	return states[0], states[1]
}

// NewUndoCommand returns the command undo.
func NewUndoCommand(env *cli.Env) *cobra.Command {
	opts := options{restore: make(map[string]*Change), overwrite: true}
	c := &cobra.Command{
		Use:   "undo REPORT",
		Short: "Restore what taint or dedicate changed, by the report of the change",
		Long: `Restore what "taint", "dedicate" or "undo" changed: taints with their times, labels,
tolerations and affinities. REPORT is the file that --report wrote, or the output of -o json
or yaml; - is standard input.

It shows the same preview, and changes nothing without --yes. A taint or label is restored if
it still is as the change left it; the tolerations of a workload are restored as a whole, as is
its affinity. What somebody has changed since stays, and is listed, as are objects that no
longer exist. Nodes are untainted first, then workloads are changed, and labels are last.`,
		Example: `  # Apply a change, and keep a report
  kubectl tolerate taint -l pool=batch maintenance=today:NoSchedule --yes --report maintenance.json

  # Show what restoring does to the pods, then do it
  kubectl tolerate undo maintenance.json
  kubectl tolerate undo maintenance.json --yes`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			changes, where, err := readReport(env, args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", objects.Printable(args[0]), err)
			}
			opts.reported = where
			for _, o := range changes {
				target := strings.ToLower(o.Kind)
				if group := schema.FromAPIVersionAndKind(o.APIVersion, "").Group; group != "" {
					target += "." + group
				}
				target += "/" + o.Name
				opts.targets, opts.restore[fileKey(target)] = append(opts.targets, target), o
				env.Overrides.Context.Namespace = cmp.Or(o.Namespace, env.Overrides.Context.Namespace)
			}
			return run(c.Context(), env, &opts, func(o *item) error { return o.restore(&opts) })
		},
	}
	opts.addFlags(c)
	return c
}

// readReport returns the objects that a report changed, and their cluster.
func readReport(env *cli.Env, name string) (changes []*Change, where string, err error) {
	var in bytes.Buffer
	if err := objects.Copy(&in, name, env.In); err != nil {
		return nil, "", err
	}
	var r Report
	if text := in.Bytes(); bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		err = json.Unmarshal(text, &r)
	} else {
		err = yaml.Unmarshal(text, &r)
	}
	if err != nil {
		return nil, "", fmt.Errorf("no report of taint or dedicate: %w", err)
	}
	namespace := ""
	list := slices.DeleteFunc(r.Objects, func(o *Change) bool { return o == nil || o.Before == nil || o.After == nil })
	for _, o := range list {
		if o.Namespace != "" && namespace != "" && o.Namespace != namespace {
			return nil, "", errors.New("its objects are in several namespaces")
		}
		namespace = cmp.Or(namespace, o.Namespace)
	}
	if len(list) == 0 {
		return nil, "", errors.New("no report of taint or dedicate: it has no objects with before and after")
	}
	return list, r.Cluster, nil
}

// again is why an object with another UID stays.
const again = "it was created again"

// elsewhere returns an error if the report seems to be of another cluster: the addresses differ,
// and an object is another or gone.
func (o *options) elsewhere() error {
	host := o.reported[strings.LastIndexAny(o.reported, " (")+1:]
	if other := len(o.gone) > 0 || slices.ContainsFunc(o.list, func(i *item) bool { return slices.Contains(i.Kept, again) }); !other || host == "" || o.where == "" || strings.HasSuffix(o.where, host) {
		return nil
	}
	return fmt.Errorf("the report is of %s, not of %s; use --context, or --force if both are the same", objects.Printable(o.reported), objects.Printable(o.where))
}

// restores reports whether a part of an object is to be as it was before: it still is as the
// change left it. One that is neither is kept.
func restores[T comparable](o *item, part string, now, before, after T) bool {
	if now != before && now != after {
		o.Kept = append(o.Kept, part)
	}
	return now != before && now == after
}

// A label is the value of a label, if there is one.
type label struct {
	value string
	ok    bool
}

func labelOf(set map[string]string, key string) label {
	value, ok := set[key]
	return label{value, ok}
}

// restore adds the steps that restore what still is as the change left it.
func (o *item) restore(opts *options) error {
	c := opts.restore[fileKey(o.String())]
	if c.UID != "" && o.GetUID() != "" && c.UID != o.GetUID() {
		o.Kept = append(o.Kept, again)
		c = &Change{Before: new(State), After: new(State)}
	}
	var err error
	if o.isNode() || o.isMachineSet() {
		err = o.changeTaints(0, opts, func(now taint.List) (taint.List, error) { return o.restoreTaints(now, c), nil })
	} else {
		err = o.restoreTemplate(c)
	}
	labeled := o.last.DeepCopy()
	set := labels.Merge(labeled.GetLabels(), nil)
	for _, key := range slices.Sorted(maps.Keys(labels.Merge(c.Before.Labels, c.After.Labels))) {
		before := labelOf(c.Before.Labels, key)
		if !restores(o, "label "+key, labelOf(set, key), before, labelOf(c.After.Labels, key)) {
			continue
		}
		if set[key] = before.value; before.ok {
			o.Changes = append(o.Changes, fmt.Sprintf("label %s=%s", key, before.value))
		} else {
			delete(set, key)
			o.Changes = append(o.Changes, "label "+key+" removed")
		}
	}
	labeled.SetLabels(set)
	o.step(2, labeled, "labeled")
	return err
}

// restoreTaints returns the taints with those of before that still are as the change left them.
func (o *item) restoreTaints(now taint.List, c *Change) taint.List {
	list := slices.Clone(now)
	for _, d := range taint.Difference(c.Before.Taints, c.After.Taints) {
		t := cmp.Or(d.After, d.Before)
		i := slices.IndexFunc(list, func(u taint.Taint) bool { return u.Key() == t.Key() && u.Effect() == t.Effect() })
		var is taint.Taint
		if i >= 0 {
			is = list[i]
		}
		switch {
		case !restores(o, fmt.Sprintf("taint %s:%v", t.Key(), t.Effect()), is, d.Before, d.After):
		case i < 0:
			list = append(list, d.Before)
		case d.Before.IsZero():
			list = slices.Delete(list, i, i+1)
		default:
			list[i] = d.Before
		}
	}
	if len(list) == len(c.Before.Taints) && !slices.ContainsFunc(list, func(t taint.Taint) bool { return !slices.Contains(c.Before.Taints, t) }) {
		return c.Before.Taints // in their order
	}
	return list
}

// restoreTemplate adds the step that restores the tolerations and the affinity of a template.
func (o *item) restoreTemplate(c *Change) error {
	o.findTemplate()
	changed := o.last.DeepCopy()
	spec, ok, err := unstructured.NestedMap(changed.Object, o.template...)
	if err != nil || !ok {
		return errors.Join(err, errNoTemplate)
	}
	for _, name := range templateFields {
		before := inJSON(c.Before.Template[name])
		if !restores(o, name, inJSON(spec[name]), before, inJSON(c.After.Template[name])) {
			continue
		}
		var value any
		if err := utiljson.Unmarshal([]byte(before), &value); err != nil {
			return err
		}
		if spec[name] = value; value == nil {
			delete(spec, name)
		}
	}
	err = unstructured.SetNestedMap(changed.Object, spec, o.template...)
	o.step(1, changed, "patched")
	return err
}

// inJSON returns a value in JSON, for comparison.
func inJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
