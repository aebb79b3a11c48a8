// Package enforce is the command enforce, and reads files of rules for it and for lint.
package enforce

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
)

const help = `Compile a file of rules to admission policies: which taints pods can tolerate, and
which tolerations and labels of nodes new pods get. The output is YAML for
kubectl apply. The API server evaluates the policies itself; no webhook runs.
Nothing is sent to a cluster.

The file is JSON or YAML. "kubectl tolerate lint --rules" judges manifests, and
the pods of a cluster, by the same file.

Pods are refused. With "warn: true" in the rules, their authors are warned
instead. The authors of Deployments and other workloads are warned about the
template. Rules with users or groups do not apply to templates, since a
controller creates the pods.

The policies need Kubernetes 1.36. With --no-mutation they need 1.30, and do not
add tolerations and labels to pods: authors write them.

Limits:

  - Tolerations that runtime classes and extended resources add, and default
    seconds above 300, are refused unless a clause allows them.
  - A namespace has the rules of its name, whoever creates it. A user who may
    label a namespace can give it the rules of a namespaceSelector. NotIn and
    DoesNotExist select every new namespace, too.
  - Templates in custom resources get no warning. Their pods are judged.
  - A pod with spec.nodeName is not scheduled, so NoSchedule taints do not repel
    it. "denyNodeName: true" refuses it, also from kubectl debug node and from
    some storage provisioners. A user who may bind pods to nodes can do the same
    with any pod: kubectl auth can-i create pods/binding (and bindings).
    The warning about it assumes that at most one selector selects a namespace,
    and at most one rule a user.
  - The API server uses new policies some seconds after they are applied. Until
    then it accepts pods by the older ones, or all.
  - While an API server starts, all writes wait until it has compiled the
    policies. Then pods that get tolerations or labels can be refused for a
    moment.`

// NewCommand returns the command enforce.
func NewCommand(env *cli.Env) *cobra.Command {
	var file cli.Once
	var opts enforce.Options
	c := &cobra.Command{
		Use:   "enforce -f FILENAME",
		Short: "Compile a file of rules to admission policies of the API server",
		Long:  help,
		Args:  cobra.NoArgs,
		Example: `  kubectl tolerate enforce -f rules.yaml | kubectl apply --server-side -f -
  kubectl tolerate enforce -f rules.yaml | kubectl diff --server-side -f -`,
		RunE: func(*cobra.Command, []string) error {
			config, compiled, err := Read(env.In, string(file), opts)
			if err != nil {
				return err
			}
			if err := write(env, compiled, opts); err != nil {
				return err
			}
			warn(env, config)
			fmt.Fprint(env.ErrOut, commands(compiled, opts)) // a pipe loses the first lines
			return nil
		},
	}
	f := c.Flags()
	f.VarP(&file, "filename", "f", "The file of rules; - is standard input")
	f.StringVar(&opts.Name, "name", "tolerate", "The prefix of the objects' names. Each file needs its own; a pod must satisfy all files")
	f.BoolVar(&opts.NoMutation, "no-mutation", false, "Omit the policies that add tolerations and labels to pods")
	_ = c.MarkFlagRequired("filename")
	return c
}

// maxFile is the most bytes of a file of rules.
const maxFile = 4 << 20

// Read reads a file of rules, in JSON or YAML, and compiles it. An error has the file's name.
func Read(stdin io.Reader, file string, opts enforce.Options) (c *rules.Config, compiled enforce.Objects, err error) {
	in, name := stdin, "standard input"
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, compiled, err
		}
		defer f.Close()
		in, name = f, objects.Printable(file)
	}
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("more than %d MiB", maxFile>>20)
	}
	if err == nil && !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		var document []byte
		if _, document, err = objects.Document(text); err == nil && document == nil {
			err = errors.New("has no rules: it is empty")
		} else if err == nil {
			text, err = yaml.YAMLToJSONStrict(text) // no merge overrides a setting
		}
	}
	if err == nil {
		c, err = rules.Decode(text)
	}
	if err == nil {
		compiled, err = enforce.Compile(c, opts)
	}
	if err != nil {
		return nil, enforce.Objects{}, fmt.Errorf("%s: %w", name, err)
	}
	return c, compiled, nil
}

// write prints the objects, after the commands that apply and delete them.
func write(env *cli.Env, compiled enforce.Objects, opts enforce.Options) error {
	version := "1.36 or later"
	if opts.NoMutation {
		version = "1.30 or later; before 1.36, omit the commands that delete mutating policies"
	}
	fmt.Fprintf(env.Out, "# Made by kubectl tolerate enforce, for Kubernetes %s. To apply it:\n#\n#   kubectl apply --server-side -f -\n#\n", version)
	for line := range strings.Lines(commands(compiled, opts)) {
		fmt.Fprintf(env.Out, "# %s", line)
	}
	for _, object := range compiled.List {
		fmt.Fprintln(env.Out, "---")
		if err := env.Print("yaml", object); err != nil {
			return err
		}
	}
	return nil
}

// commands returns the commands for what was applied. What is deleted last is used longest, so it
// must be what accepts more: with everything, the validating objects are deleted first, and of older
// rules, which add what the new ones can refuse, the mutating ones. The actions of a binding are a
// set, to which the API server would add what is applied, and it accepts no Deny beside Warn.
func commands(compiled enforce.Objects, opts enforce.Options) string {
	remove := func(selector string, kinds ...string) (commands string) {
		for _, kind := range kinds {
			commands += fmt.Sprintf("  kubectl delete %sies,%[1]sybindings -l '%s'\n", kind, selector)
		}
		return commands
	}
	const mutating, validating = "mutatingadmissionpolic", "validatingadmissionpolic"
	return fmt.Sprintf(`Then delete what older rules left:
%sTo refuse no pod for now, and warn and audit instead (what is added to new pods stays; GitOps reverts it or fails):
  kubectl patch validatingadmissionpolicybinding %s --type=merge -p '{"spec":{"validationActions":["Warn","Audit"]}}'
To refuse pods again (do this before the next apply):
  kubectl patch validatingadmissionpolicybinding %[2]s --type=merge -p '{"spec":{"validationActions":["Deny"]}}'
To delete everything (no policy can refuse this):
%[3]s`, remove(compiled.Old, mutating, validating), opts.Name, remove(compiled.Selector, validating, mutating))
}

// warn prints what the rules leave open.
func warn(env *cli.Env, c *rules.Config) {
	if c.RefusesNone() {
		fmt.Fprintln(env.ErrOut, "warning: the rules refuse no toleration")
	}
	some := func(all []string) string {
		text := strings.Join(all[:min(len(all), 5)], ", ")
		if len(all) > 5 {
			text += fmt.Sprintf(" and %d more", len(all)-5)
		}
		return text
	}
	unset, off := c.Open()
	if off != nil {
		fmt.Fprintf(env.ErrOut, "warning: %s: with denyNodeName: false, NoSchedule taints do not repel a pod that names its node in spec.nodeName\n", some(off))
	}
	if unset != nil {
		once, last := "", len(c.Rules)-1
		for last > 0 && (c.Rules[last].Policy == nil || !c.Rules[last].Everywhere() || c.Rules[last].Restricted()) {
			last--
		}
		if place := c.Rules[last].Place(last); len(unset) > 1 || unset[0] != place {
			once = ", or once to " + place + ", which is for all pods"
		}
		later := ""
		for i, r := range c.Rules[:last+1] {
			if r.Everywhere() && !r.Restricted() && (i == last || slices.Contains(unset, r.Place(i))) && slices.ContainsFunc(c.Rules[i+1:], func(r rules.Rule) bool { return r.DenyNodeName != nil }) {
				later = ", and omit it in later rules"
			}
		}
		fmt.Fprintf(env.ErrOut, "warning: %s: NoSchedule taints do not repel a pod that names its node in spec.nodeName; to refuse it, add there%s%s:\n  denyNodeName: true\n", some(unset), once, later)
	}
}
