package edit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/taint"
)

// run changes the objects that the options choose. The function sets after and outcome of
// each object. No object is changed if the change of one is rejected.
func run(ctx context.Context, env *cli.Env, o *options, change func(*item) error) error {
	if err := o.validate(); err != nil {
		return err
	}
	c, err := o.read(ctx, env)
	if err != nil {
		return err
	}
	for _, object := range o.list {
		if e := change(object); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", object, e))
		}
	}
	if err != nil {
		return fmt.Errorf("%w\nnothing was changed", err)
	}
	problems := c.Report(env)
	r := &Report{Time: env.Now().UTC().Truncate(time.Second), Pods: []Pod{}}
	if err := r.judge(ctx, c, o.list); err != nil {
		return err
	}
	var changed []*unstructured.Unstructured
	for _, object := range o.list {
		x, err := object.change()
		if err != nil {
			return fmt.Errorf("%s: %w", object, err)
		}
		if r.Objects = append(r.Objects, x); x.Outcome != unchanged {
			changed = append(changed, object.last())
		}
	}
	server := o.dryRun == "server"
	apply, out := o.yes && o.dryRun == "none" || server, env.Out
	files := apply && !o.source.Live()
	if files {
		out = env.ErrOut // standard output gets the objects
	}
	if o.output == "" || files {
		if err := r.text(out, o.patches); err != nil {
			return err
		}
	}
	switch {
	case !apply || len(changed) == 0:
	case !o.force && (r.blocked || files && problems != nil):
		err = errors.New("nothing was changed, because not all that the change can affect can be judged; correct what is unknown or invalid, or use --force")
	case files:
		return env.Print(cmp.Or(o.output, "yaml"), map[string]any{"apiVersion": "v1", "kind": "List", "items": changed})
	default:
		if err = o.apply(ctx, env); err == nil {
			r.Applied, problems = !server, nil
		}
	}
	switch {
	case o.output != "" && !files:
		for i, object := range o.list {
			r.Objects[i].Applied = object.changed
		}
		err = errors.Join(err, env.Print(o.output, r))
	case err != nil:
	case len(changed) == 0:
		fmt.Fprintln(out, "nothing to do: the objects are as requested")
	case !apply:
		fmt.Fprintln(out, "\nnothing was changed; to apply it, add --yes")
	default:
		for i, object := range o.list {
			fmt.Fprintf(out, "%s %s%s\n", object, r.Objects[i].Outcome, map[bool]string{true: " (server dry run)"}[server])
		}
	}
	return cmp.Or(err, problems)
}

// most is how many elements of a list the text has.
const most = 20

// text writes the report for people.
func (r *Report) text(w io.Writer, patches bool) error {
	var b bytes.Buffer
	counts := make(map[Effect]int)
	for _, p := range r.Pods {
		counts[p.Effect]++
	}
	b.WriteString("Pods that are affected: " + fmt.Sprint(len(r.Pods)))
	for _, effect := range effects {
		if n := counts[effect]; n > 0 {
			fmt.Fprintf(&b, ", %d %s", n, effect)
		}
	}
	b.WriteByte('\n')
	if len(r.Unknown) > 0 {
		fmt.Fprintf(&b, "Unknown: %s\n", names(r.Unknown))
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", warning)
	}
	if len(r.Pods) > 0 {
		t := printers.GetNewTabWriter(&b)
		fmt.Fprintln(t, "\nPOD\tNODE\tEFFECT\tTAINT\tCAN BE SCHEDULED TO\tWITHOUT THE CHANGE")
		for _, p := range r.Pods[:min(len(r.Pods), most)] {
			effect, fits := string(p.Effect), fmt.Sprintf("%d of %d nodes\t%d", p.Fits, r.Nodes, p.FitsWithout)
			if p.Effect == EvictedLater {
				effect = "evicted in " + duration.HumanDuration(p.At.Sub(r.Time))
			} else if p.Effect == Stays {
				fits = ""
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", p.fullName(), p.Node, effect, p.Taint, fits)
		}
		_ = t.Flush() // b is a buffer
		if len(r.Pods) > most {
			fmt.Fprintf(&b, "and %d more pods; -o json has all\n", len(r.Pods)-most)
		}
	}
	for _, o := range r.Objects[:min(len(r.Objects), most)] {
		if err := o.text(&b, patches); err != nil {
			return err
		}
	}
	if len(r.Objects) > most {
		fmt.Fprintf(&b, "and %d more objects; -o json has all\n", len(r.Objects)-most)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (c *Change) text(b *bytes.Buffer, patches bool) error {
	object := strings.ToLower(c.Kind) + " " + c.Name
	if c.Namespace != "" {
		object += " -n " + c.Namespace
	}
	switch {
	case c.Outcome == unchanged:
	case patches && c.Kind != "Node":
		text, err := yaml.JSONToYAML(c.Patch)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n# kubectl patch %s --type merge --patch-file FILE\n%s", object, text)
	default:
		fmt.Fprintf(b, "\n%s", c.Diff)
	}
	if c.Kind == "MachineSet" {
		fmt.Fprintf(b, "\nNew machines get these taints. Nodes that keep theirs until their machines are replaced: %s\n"+
			"To replace them: oc scale --replicas=0 %s; when the machines are gone, scale it up again\n", names(c.Nodes), object)
	}
	return nil
}

// decodeField calls decode with the JSON of a field and its path, unless it is absent.
func decodeField(object map[string]any, decode func(text []byte, path string) error, fields ...string) error {
	value, ok, err := unstructured.NestedFieldNoCopy(object, fields...)
	if err != nil || !ok {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return decode(text, strings.Join(fields, "."))
}

// editTaints returns a copy of a state of a node or a MachineSet with changed taints.
func (o *item) editTaints(state *unstructured.Unstructured, edits []taint.Edit, opts taint.EditOptions) (*unstructured.Unstructured, error) {
	fields := []string{"spec", "taints"}
	switch {
	case o.isMachineSet():
		fields = []string{"spec", "template", "spec", "taints"}
	case !o.isNode():
		return nil, errors.New("only nodes and the MachineSets of OpenShift have taints that can be changed")
	}
	var before taint.List
	err := decodeField(state.Object, func(text []byte, path string) (err error) { // other fields would be lost
		before, _, err = taint.Decode(text, taint.ListOptions{Path: path, Strict: true})
		return err
	}, fields...)
	if err != nil {
		return nil, err
	}
	after, outcome, err := taint.Apply(before, edits, opts)
	if err != nil {
		return nil, fmt.Errorf("%s; the taints are %q", flags.Replace(err.Error()), before)
	}
	o.outcome, o.taints = outcome.String(), [2]taint.List{before, after}
	changed := state.DeepCopy()
	if after.Equal(before) {
		return changed, nil
	}
	var list []any
	text, err := append(taint.List{}, after...).MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	return changed, errors.Join(err, unstructured.SetNestedSlice(changed.Object, list, fields...))
}

// flags replaces the options of the library in its errors.
var flags = strings.NewReplacer("use Overwrite", "use --overwrite", "; use IgnoreAbsent to allow this", "")

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

// apply changes the objects in the cluster, one step of all after the other.
func (o *options) apply(ctx context.Context, env *cli.Env) error {
	bar := env.Progress(-1, "applying")
	defer bar.Finish()
	opts := metav1.PatchOptions{FieldManager: "kubectl-tolerate", FieldValidation: metav1.FieldValidationStrict}
	if o.dryRun == "server" {
		opts.DryRun = []string{metav1.DryRunAll}
	}
	for step := range 3 {
		for _, object := range o.list {
			if step < len(object.after) {
				if err := object.apply(ctx, object.after[step], opts); err != nil {
					return o.failure(object, err)
				}
				_ = bar.Add(1)
			}
		}
	}
	return nil
}

func (o *item) apply(ctx context.Context, after *unstructured.Unstructured, opts metav1.PatchOptions) error {
	if reflect.DeepEqual(o.state.Object, after.Object) {
		return nil
	}
	body, err := patch(o.state, after, o.version)
	if err != nil {
		return err
	}
	u, err := o.client.Patch(ctx, o.GetName(), types.MergePatchType, body, opts)
	if o.state = after; err == nil && opts.DryRun == nil {
		o.changed, o.version = true, u.GetResourceVersion()
	}
	return err
}

// failure describes how far the objects are changed.
func (o *options) failure(object *item, err error) error {
	var done []string
	for _, other := range o.list {
		if other.changed {
			done = append(done, other.String())
		}
	}
	what := "was not changed"
	var status apierrors.APIStatus
	if apierrors.IsConflict(err) {
		what += ", because it is no longer what was judged"
	} else if !errors.As(err, &status) {
		what, err = "is perhaps changed", errors.New(err.Error()) // an interrupt is reported as all other errors are
	}
	return fmt.Errorf("%s %s: %w\nchanged before: %s; run the command again for the others", object, what, err, names(done))
}

// names returns the beginning of a list of names.
func names(list []string) string {
	switch {
	case len(list) == 0:
		return "none"
	case len(list) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
