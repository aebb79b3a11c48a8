// Package enforce is the command enforce, and reads files of rules for it and for lint.
package enforce

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/go-tolerate/tolerate/examples/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
)

const help = `Print the objects that make the API server apply a file of rules: which pods may
tolerate which taints, and which get tolerations and labels. Nothing is sent to a
cluster, and no server runs: the objects are admission policies, in CEL.

The file is JSON or YAML; lint --rules judges manifests by the same file before
they are applied. Pods are refused, or warned about if their rule has "warn".
Authors of Deployments and other workloads are warned when a template has what
its pods may not have; groups do not apply there.

Policies that complete pods need Kubernetes 1.36, the others 1.30. With
--no-mutation, authors write tolerations and labels themselves.

These need a clause in the file, also if something else adds them: the tolerations
of runtime classes and extended resources, and default seconds other than 300.
A namespace has the rules of its name, whoever creates it. Nothing repels a pod
with spec.nodeName but NoExecute: "denyNodeName": true refuses it, also the pods
of kubectl debug node and of provisioners of storage.

After an apply, a new policy takes a second until it is used. While an API server
starts, it refuses pods until it has read the policies.

What would be refused is counted by the audit annotation tolerate-warn/refused,
which has the clauses, and by the API server's metric
apiserver_validating_admission_policy_check_total: requests for which a
validation of the policy failed, by policy and by enforcement_action (deny, warn,
audit), and those that were accepted (allow).`

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
	f.StringVar(&opts.Name, "name", "tolerate", "The beginning of the objects' names, for several files")
	f.BoolVar(&opts.NoMutation, "no-mutation", false, "Omit the policies that complete pods")
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
		if _, text, err = objects.Document(text); err == nil && text == nil {
			err = errors.New("has no rules: it is empty")
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
# Then delete what older rules left. A policy that adds what these refuse would stop all new pods.
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
