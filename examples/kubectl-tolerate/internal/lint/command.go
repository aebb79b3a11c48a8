package lint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	rules "github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

const stdin = "<stdin>"

var severities = []string{"info", "warning", "error"}

// A command is the values of the flags, and what was found so far.
type command struct {
	config
	env       *cli.Env
	files     []string
	recursive bool
	rules     string // the file of the policy
	lowest    string // severity
	fix       string
	diff      bool
	cluster   bool
	output    string

	findings, fixed []*Finding
	notes           []note
	inputs, lists   int
	all             rules.Cluster
	nodes, pods     []place
	toOut           bool // standard output has the text of the files
}

// A place is a list in a document.
type place struct {
	*document
	*list
}

// NewCommand returns the command lint.
func NewCommand(env *cli.Env) *cobra.Command {
	o := &command{env: env}
	c := &cobra.Command{
		Use:   "lint -f FILENAME [--fix] [--policy=FILENAME]",
		Short: "Find mistakes in the tolerations and taints of manifests",
		Long:  help,
		Example: `  kubectl tolerate lint -R -f deploy/
  helm template chart | kubectl tolerate lint -f - --policy policy.yaml
  kubectl get nodes,pods -A -o json | kubectl tolerate lint --whole-cluster -f -
  kubectl tolerate lint --diff -f web.yaml    # shows what --fix would change`,
		Args:    cobra.ArbitraryArgs,
		PreRunE: o.complete,
		RunE:    func(*cobra.Command, []string) error { return o.run() },
	}
	f := c.Flags()
	(&genericclioptions.FileNameFlags{Usage: "Files or directories with the manifests, or - for standard input.", Filenames: &o.files, Recursive: &o.recursive}).AddFlags(f)
	f.StringVar(&o.rules, "policy", "", "A file that states the allowed tolerations, see package toleration/policy")
	f.StringVar(&o.fix, "fix", "", "Fix the files. With --fix=all, also guess, and change what lists mean. Standard input is written to standard output")
	f.Lookup("fix").NoOptDefVal = "safe"
	f.BoolVar(&o.diff, "diff", false, "Show what --fix would change, and write nothing")
	f.BoolVar(&o.cluster, "whole-cluster", false, "All files are one cluster: also report tolerations that match none of its taints, and taints that no pod tolerates")
	f.StringVar(&o.lowest, "severity", "warning", "The lowest severity to report. One of: "+strings.Join(severities, ", "))
	cli.OutputFlag(c, &o.output, "json", "sarif")
	run := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error { return fatal(run(c, args)) }
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fatal(err) })
	_ = c.RegisterFlagCompletionFunc("severity", cobra.FixedCompletions(severities, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("fix", cobra.FixedCompletions([]string{"safe", "all"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// fatal returns the error with the status of input that cannot be read.
func fatal(err error) error {
	if err == nil {
		return nil
	}
	return &cli.Exit{Status: 2, Err: err}
}

// complete checks the flags.
func (o *command) complete(c *cobra.Command, args []string) error {
	switch given := c.Flags().Changed; {
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q: name files with -f, and write --fix=all with an equals sign", args[0])
	case len(o.files) == 0:
		return errors.New("no input: name files with -f, or - for standard input")
	case given("policy") && o.rules == "":
		return errors.New("--policy: no file is named")
	case !slices.Contains(severities, o.lowest):
		return fmt.Errorf("unknown severity %q (allowed: %s)", o.lowest, strings.Join(severities, ", "))
	case given("fix") && o.fix != "safe" && o.fix != "all":
		return fmt.Errorf("--fix=%s: use --fix or --fix=all", o.fix)
	case o.output != "" && (o.diff || o.fix != "" && slices.Contains(o.files, "-")):
		return errors.New("-o cannot be combined with --diff, or with --fix -f -: standard output has the text of the file")
	}
	if err := o.severity.UnmarshalText([]byte(o.lowest)); err != nil {
		return err
	}
	if o.diff && o.fix == "" {
		o.fix = "safe"
	}
	if o.rules != "" {
		p, err := readPolicy(o.rules)
		if err != nil {
			return fmt.Errorf("--policy %s: %w", objects.Printable(o.rules), err)
		}
		o.policy = &p
	}
	return nil
}

// readPolicy reads a policy file, which is one document.
func readPolicy(name string) (p policy.Policy, err error) {
	text, err := open(name)
	if err != nil {
		return p, err
	}
	docs := 0
	r := new(config).file(name, text, "", func(d *document) {
		if d.value != nil {
			docs++
		}
	})
	if len(r.notes) > 0 {
		return p, fmt.Errorf("line %d: %s", r.notes[0].Line, r.notes[0].Message)
	} else if docs != 1 {
		return p, fmt.Errorf("must be one document, not %d", docs)
	}
	data, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return p, err
	}
	return policy.Decode(data)
}

func (o *command) run() error {
	for _, name := range o.files {
		o.visit(name)
	}
	if o.cluster {
		o.severity = rules.Info
		for _, f := range o.all.Findings(rules.Options{}) {
			from := o.pods
			if f.Check == rules.UntoleratedTaint {
				from = o.nodes
			}
			at := from[f.First]
			at.findings = nil
			o.report(at.document, at.list, f.Position.Index, f.Check.String(), f.Severity, f.Message())
			o.findings = append(o.findings, at.findings...)
		}
	}
	if err := o.write(); err != nil {
		return fatal(err)
	}
	failures := 0
	for _, n := range o.notes {
		if !n.Skipped {
			failures++
		}
	}
	switch {
	case failures > 0:
		return &cli.Exit{Status: 2, Err: fmt.Errorf("%s: not everything was checked", plural(failures, "failure"))}
	case len(o.findings) > 0 || o.diff && len(o.fixed) > 0:
		return &cli.Exit{Status: 1}
	}
	return nil
}

// visit checks a file, the manifests in a directory, or standard input.
func (o *command) visit(name string) {
	info, err := os.Stat(name)
	root, dir := name, err == nil && info.IsDir()
	if dir {
		root += string(filepath.Separator) // so that a link is followed
	}
	some := false
	walk := func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			some = o.file(path, "", err)
		case !dir:
			text, err := open(name)
			some = o.file(name, text, err)
		case d.IsDir() && path != root && !o.recursive:
			return fs.SkipDir
		case !d.IsDir() && slices.Contains(resource.FileExtensions, filepath.Ext(path)):
			if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
				text, err := open(path)
				some = o.file(path, text, err) || some
			}
		}
		return nil
	}
	if name == "-" {
		text, err := read(o.env.In)
		name, some = stdin, o.file(stdin, text, err)
	} else if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		some = o.file(name, "", errors.New("addresses are not read; use curl and -f -"))
	} else {
		_ = filepath.WalkDir(root, walk)
	}
	if !some {
		message := "no manifest: no object with a kind, and no list of tolerations or taints"
		if dir && !o.recursive {
			message += " (-R reads directories in directories)"
		}
		o.fail(name, errors.New(message))
	}
}

func (o *command) fail(name string, err error) {
	if at := new(fs.PathError); errors.As(err, &at) { // the name is printed already
		err = at.Err
	}
	o.notes = append(o.notes, note{File: name, Message: err.Error()})
}

// file checks one file, and fixes it if a flag says so. It reports whether there was
// anything to check.
func (o *command) file(name, text string, err error) bool {
	o.inputs++
	if err == nil && o.fix != "" && len(text) > maxFixed {
		err = fmt.Errorf("larger than %d MiB: split it to fix it", maxFixed>>20)
	}
	if err != nil {
		o.fail(name, err)
		return true
	}
	r := o.config.file(name, text, o.fix, o.keep)
	if o.fix != "" {
		if err := o.save(name, text, r.text); err != nil {
			o.fail(name, err)
			r = o.config.file(name, text, "", func(*document) {}) // as the file remains
		}
	}
	o.findings, o.fixed = append(o.findings, r.findings...), append(o.fixed, r.fixed...)
	o.notes = append(o.notes, r.notes...)
	o.lists += r.lists
	return r.manifest || len(r.notes) > 0
}

// keep keeps the lists of a document for --whole-cluster.
func (o *command) keep(d *document) {
	d.value, d.root = nil, nil
	for _, l := range d.lists {
		switch {
		case !o.cluster:
		case l.isTaints:
			o.nodes = append(o.nodes, place{d, l})
			o.all.AddNode(l.taints)
		default:
			o.pods = append(o.pods, place{d, l})
			o.all.AddPod(l.tolerations)
		}
	}
}

// save writes the fixed text, or the difference.
func (o *command) save(name, before, after string) error {
	switch {
	case o.diff:
		o.toOut = true
		_, err := io.WriteString(o.env.Out, udiff.Unified(name, name, before, after))
		return err
	case name == stdin:
		o.toOut = true
		var shown bytes.Buffer
		if _, err := io.WriteString(terminal.Writer(&shown), after); err != nil || shown.String() != after {
			return errors.New("has control characters, such as carriage returns, that are escaped on standard output; fix a file instead")
		}
		_, err := io.WriteString(o.env.Out, after)
		return err
	case before == after:
		return nil
	}
	return replace(name, before, after)
}

func open(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return read(f)
}

func read(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("larger than %d MiB; split it", maxInput>>20)
	}
	return string(data), err
}

// replace replaces the text of a file in one step: a reader sees the old text or the new
// one. A link remains a link.
func replace(name, before, after string) (err error) {
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("not a regular file, so it cannot be fixed; use -f - for a pipe")
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(after)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close())
	if err == nil {
		var now string
		if now, err = open(name); err == nil && now != before {
			err = errors.New("the file changed while it was checked; nothing was written: run the command again")
		}
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
