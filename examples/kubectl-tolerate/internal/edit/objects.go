// Package edit changes taints, labels and tolerations of objects. It judges the changes of
// all objects before it makes the first.
package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/pager"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/taint"
)

// options are which objects are changed, and whether they are.
type options struct {
	targets   []string // such as node/worker-1
	overwrite bool
	patches   bool // the text has patches of workloads instead of differences

	source          cluster.Options
	selector        string // of the labels of nodes
	all, yes, force bool
	dryRun, output  string

	list     []*item          // that were found
	found    map[string]*item // by target
	machines []*unstructured.Unstructured
}

// addFlags adds the flags of the options.
func (o *options) addFlags(c *cobra.Command) {
	o.source.AddFlags(c)
	f := c.Flags()
	f.StringVarP(&o.selector, "selector", "l", "", "Selector of the labels of the nodes to change")
	f.BoolVar(&o.all, "all", false, "Change all nodes")
	f.BoolVar(&o.overwrite, "overwrite", false, "Replace values that are present")
	f.BoolVar(&o.yes, "yes", false, "Apply the change; with --filename, write the changed objects to standard output")
	f.BoolVar(&o.force, "force", false, "Apply the change although pods that it can affect cannot be judged")
	f.StringVar(&o.dryRun, "dry-run", "none", `Must be "none", "client" or "server"; with "server" the API server checks the change and does not keep it`)
	cli.OutputFlag(c, &o.output, "json", "yaml")
	c.MarkFlagsMutuallyExclusive("selector", "all")
}

func (o *options) validate() error {
	some := o.all || o.selector != ""
	switch {
	case !slices.Contains([]string{"none", "client", "server"}, o.dryRun):
		return fmt.Errorf("unknown dry run %q (allowed: none, client, server)", o.dryRun)
	case !o.source.Live() && (o.source.Sample && o.yes || o.dryRun == "server"):
		return errors.New("only files and the cluster can be changed, and only the cluster has --dry-run=server")
	case some && slices.ContainsFunc(o.targets, func(t string) bool { return strings.HasPrefix(t, "node/") }):
		return errors.New("name nodes, or use --selector or --all, but not both")
	case !some && len(o.targets) == 0:
		return errors.New("no nodes; name them, or use --selector or --all")
	}
	return nil
}

// An item is an object to be changed.
type item struct {
	*unstructured.Unstructured
	after   []*unstructured.Unstructured // the states after up to 3 steps, which all items make in parallel
	outcome string                       // such as "tainted"
	taints  [2]taint.List                // without and with the change

	state   *unstructured.Unstructured // as the API server has it
	version string                     // of the state
	changed bool
	client  dynamic.ResourceInterface // nil in a file
	nodes   []string                  // of a MachineSet
}

// String returns the kind and the name, such as node/worker-1.
func (o *item) String() string { return strings.ToLower(o.GetKind()) + "/" + o.GetName() }

// isNode reports whether the object is a node.
func (o *item) isNode() bool { return o.GroupVersionKind().GroupKind().String() == "Node" }

const machineGroup = "machine.openshift.io"

// isMachineSet reports whether the object is a MachineSet of OpenShift.
func (o *item) isMachineSet() bool {
	return o.GroupVersionKind().GroupKind().String() == "MachineSet."+machineGroup
}

// last returns the object's last state.
func (o *item) last() *unstructured.Unstructured { return o.after[len(o.after)-1] }

// add adds an object, unless it is there already.
func (o *options) add(target string, u *unstructured.Unstructured, client dynamic.ResourceInterface) error {
	if before := o.found[target]; before != nil {
		if !reflect.DeepEqual(before.Object, u.Object) {
			return fmt.Errorf("%s: there are several; use -n to choose one", before)
		}
		return nil
	}
	for _, name := range []string{u.GetName(), cmp.Or(u.GetNamespace(), "default")} {
		if problems := validation.IsDNS1123Subdomain(name); problems != nil {
			return fmt.Errorf("%s: invalid name %q: %s", strings.ToLower(u.GetKind()), name, problems[0])
		}
	}
	object := &item{Unstructured: u, state: u, version: u.GetResourceVersion(), client: client}
	o.list, o.found[target] = append(o.list, object), object
	return nil
}

// read reads the objects that the options choose, and returns the cluster around them.
func (o *options) read(ctx context.Context, env *cli.Env) (*cluster.Cluster, error) {
	o.found = make(map[string]*item)
	var failed []error // in files
	var err error
	if o.source.Live() {
		err = o.live(ctx, env)
	} else {
		err = o.find(env, &failed)
	}
	if err != nil {
		return nil, err
	}
	c, err := cluster.Read(ctx, env, &o.source)
	for _, t := range o.targets {
		if err == nil && o.found[t] == nil {
			failed = append(failed, fmt.Errorf("%s: the input does not have it; in files, types have their full names", kubejson.Printable(t)))
		}
	}
	if err = errors.Join(append(failed, err)...); err == nil && len(o.list) == 0 {
		err = errors.New("no node has the labels of the selector")
	}
	sets := make(map[string]*item)
	for _, object := range o.list {
		if object.isMachineSet() {
			sets[object.GetNamespace()+"/"+object.GetName()] = object
		}
	}
	for _, m := range o.machines {
		name, _, _ := unstructured.NestedString(m.Object, "status", "nodeRef", "name")
		for _, owner := range m.GetOwnerReferences() {
			if set := sets[m.GetNamespace()+"/"+owner.Name]; set != nil && owner.Kind == "MachineSet" && name != "" {
				set.nodes = append(set.nodes, name)
			}
		}
	}
	return c, err
}

// live reads the objects from the API server.
func (o *options) live(ctx context.Context, env *cli.Env) error {
	config, err := env.Config()
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	mapper, err2 := env.Flags.ToRESTMapper() // it makes no request yet
	namespace, _, err3 := env.Namespace()
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	var nodes dynamic.ResourceInterface = client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"})
	add := func(target string, u *unstructured.Unstructured, from dynamic.ResourceInterface) error {
		if u.GetResourceVersion() == "" {
			return fmt.Errorf("%s: the API server returned no version of it", target)
		}
		delete(u.Object, "status") // most of a node's memory
		u.SetManagedFields(nil)
		return o.add(target, u, from)
	}
	if o.all || o.selector != "" {
		err = each(ctx, nodes, o.selector, func(u *unstructured.Unstructured) error { return add("node/"+u.GetName(), u, nodes) })
	}
	for _, t := range o.targets {
		word, name, _ := strings.Cut(t, "/")
		from := nodes
		if word != "node" {
			known, err := mapper.ResourceFor(schema.ParseGroupResource(word).WithVersion(""))
			if err != nil {
				return err
			}
			from = client.Resource(known).Namespace(namespace)
		}
		u, err2 := from.Get(ctx, name, metav1.GetOptions{})
		if err2 == nil {
			err2 = add(t, u, from)
		}
		err = errors.Join(err, err2)
	}
	for _, object := range o.list {
		if object.isMachineSet() {
			machines := client.Resource(object.GroupVersionKind().GroupVersion().WithResource("machines")).Namespace(object.GetNamespace())
			err = errors.Join(err, each(ctx, machines, "", func(u *unstructured.Unstructured) error {
				o.machines = append(o.machines, u)
				return nil
			}))
		}
	}
	return err
}

// each calls do for each object of a list, which is requested in parts.
func each(ctx context.Context, from dynamic.ResourceInterface, selector string, do func(*unstructured.Unstructured) error) error {
	list := func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		return from.List(ctx, opts)
	}
	return pager.New(list).EachListItem(ctx, metav1.ListOptions{LabelSelector: selector}, func(o runtime.Object) error {
		return do(o.(*unstructured.Unstructured)) // a list of the dynamic client has no others
	})
}

// find prepares the reading of files to add the objects. Failed gets their errors.
func (o *options) find(env *cli.Env, failed *[]error) error {
	selector, err := labels.Parse(o.selector)
	if err != nil {
		return fmt.Errorf("--selector: %w", err)
	}
	namespace, explicit, err := env.Namespace()
	targets := make(map[string]string) // by kind and name
	for _, t := range o.targets {
		word, name, _ := strings.Cut(strings.ToLower(t), "/")
		targets[strings.TrimSuffix(word, "s")+"/"+name] = t
	}
	o.source.Seen = func(k *kubejson.Object) bool {
		isMachine := k.Kind == "Machine" && strings.HasPrefix(k.APIVersion, machineGroup+"/")
		target := targets[strings.ToLower(k.Kind)+"/"+k.Name]
		if explicit && k.Namespace != "" && k.Namespace != namespace {
			target = ""
		}
		some := k.Is("Node") && (o.all || o.selector != "")
		if !isMachine && target == "" && !some {
			return false
		}
		u := new(unstructured.Unstructured)
		err := u.UnmarshalJSON(k.Raw)
		switch {
		case err != nil:
			err = fmt.Errorf("%s:%d: %w", kubejson.Printable(k.Source), k.Line, err)
		case isMachine:
			o.machines = append(o.machines, u)
		case target != "":
			err = o.add(target, u, nil)
		case selector.Matches(labels.Set(u.GetLabels())):
			err = o.add("node/"+k.Name, u, nil)
		}
		if err != nil {
			*failed = append(*failed, err)
		}
		return true
	}
	return err
}
