// Package enforce is the command enforce, and reads files of rules for it and for lint.
package enforce

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

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

Pods are refused, or with "warn: true" in the rules only their authors are
warned. The authors of Deployments and other workloads are warned about the
template. Rules with groups do not apply to templates, since a controller
creates the pods.

The policies need Kubernetes 1.36. With --no-mutation they need 1.30, and do not
add tolerations and labels to pods: authors write them.

Limits:

  - Tolerations that runtime classes and extended resources add, and default
    seconds other than 300, are refused unless a clause allows them.
  - A namespace has the rules of its name, whoever creates it.
  - Templates in custom resources get no warning. Their pods are judged.
  - A pod with spec.nodeName is not scheduled, so NoSchedule taints do not repel
    it. "denyNodeName: true" refuses it, also from kubectl debug node and from
    some storage provisioners.
  - For about a second after it is applied, a new policy accepts all pods.
  - While an API server starts, it refuses pods until it has read the policies,
    and for some seconds those that get tolerations or labels.`

// NewCommand returns the command enforce.
func NewCommand(env *cli.Env) *cobra.Command {
	var file string
	var opts enforce.Options
	c := &cobra.Command{
		Use:   "enforce -f FILENAME",
		Short: "Compile a file of rules to admission policies of the API server",
		Long:  help,
		Args:  cobra.NoArgs,
		Example: `  kubectl tolerate enforce -f rules.yaml | kubectl apply --server-side -f -
  kubectl tolerate enforce -f rules.yaml | kubectl diff --server-side -f -`,
		RunE: func(*cobra.Command, []string) error {
			_, compiled, err := Read(env.In, file, opts)
			if err != nil {
				return err
			}
			return write(env, compiled, opts)
		},
	}
	f := c.Flags()
	f.StringVarP(&file, "filename", "f", "", "The file of rules; - is standard input")
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
	remove := func(selector string) (commands string) {
		for _, kind := range []string{"mutatingadmissionpolic", "validatingadmissionpolic"} {
			commands += fmt.Sprintf("#   kubectl delete %sies,%[1]sybindings -l '%s'\n", kind, selector)
		}
		return commands
	}
	fmt.Fprintf(env.Out, `# Made by kubectl tolerate enforce, for Kubernetes %s. To apply it:
#
#   kubectl apply --server-side -f -
#
# Then delete the objects of older rules: one that adds what the new rules refuse stops every new pod that it matches.
#
%s#
# To delete everything, which no policy can refuse:
#
%s`, version, remove(compiled.Old), remove(compiled.Selector))
	for _, object := range compiled.List {
		fmt.Fprintln(env.Out, "---")
		if err := env.Print("yaml", object); err != nil {
			return err
		}
	}
	return nil
}
