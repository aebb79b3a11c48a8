package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	k8syaml "sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

type options struct {
	config
	output string
	fix    fixFlag
	diff   bool
	// cluster is set when the inputs together are a whole cluster.
	cluster bool
	rules   bool
	args    []string
}

// A fixFlag is -fix or -fix=all.
type fixFlag struct{ any, all bool }

func (f *fixFlag) String() string   { return "" }
func (f *fixFlag) IsBoolFlag() bool { return true }

func (f *fixFlag) Set(s string) error {
	if s == "all" {
		*f = fixFlag{true, true}
		return nil
	}
	on, err := strconv.ParseBool(s)
	if err != nil {
		return errors.New("nothing or all")
	}
	*f = fixFlag{any: on}
	return nil
}

const usage = `Tollint finds mistakes in the tolerations and taints of Kubernetes manifests.

Usage:
  tollint [flags] [file | directory | -] ...

It reads YAML and JSON, from the files, from the .yaml, .yml and .json files
below the directories, or from standard input without any (or as "-"). On a
terminal, without files, it shows what it finds in a sample.

Flags:
  -severity NAME   tell findings that are at least so bad: info, warning, error;
                   warning unless given
  -enable RULES    only these rules, with commas between; even those that are
                   info only
  -disable RULES   not these rules
  -cluster         all inputs together are a cluster: tell the tolerations that
                   none of its taints needs, and taints that no pod tolerates
  -rules           list the rules
  -policy FILE     a policy, as YAML or JSON: which tolerations are allowed
  -fix             mend what can be mended without changing what it means, and
                   what is not valid, in the files themselves; standard input
                   goes mended to standard output
  -fix=all         mend also what means something else afterwards
  -diff            with -fix, or alone: show what would be mended, and write nothing
  -o FORMAT        text, json or sarif; text unless given
  -help            show this text

Examples:
  tollint deploy/
  kubectl get deployments -A -o yaml | tollint
  kubectl get nodes,pods -A -o json | tollint -cluster
  helm template chart | tollint -policy policy.yaml
  tollint -fix -diff deploy/web.yaml
  tollint -o sarif . >tollint.sarif

A comment with tollint:ignore, and perhaps the names of rules, beside a
toleration or in the line above it keeps its findings from being told. With
-policy, what it refuses and what is not valid is told nevertheless.

Exit status:
  0  nothing found
  1  something found
  2  something could not be read, or the flags are wrong (what can be read is
     judged nevertheless)
`

func parseArgs(args []string) (options, error) {
	opts, policyFile, err := parseFlags(args)
	if err != nil {
		return options{}, fmt.Errorf("%w (-help tells more)", err)
	}
	if policyFile != "" {
		if opts.policy, err = readPolicy(policyFile); err != nil {
			return options{}, fmt.Errorf("-policy %s: %w", policyFile, err)
		}
	}
	return opts, nil
}

func parseFlags(args []string) (opts options, policyFile string, err error) {
	opts.output = "text"
	var severity, enable, disable string
	flags := flag.NewFlagSet("tollint", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&opts.output, "o", opts.output, "")
	flags.StringVar(&severity, "severity", "", "")
	flags.StringVar(&enable, "enable", "", "")
	flags.StringVar(&disable, "disable", "", "")
	flags.StringVar(&policyFile, "policy", "", "")
	flags.BoolVar(&opts.rules, "rules", false, "")
	flags.Var(&opts.fix, "fix", "")
	flags.BoolVar(&opts.cluster, "cluster", false, "")
	flags.BoolVar(&opts.diff, "diff", false, "")
	for len(args) > 0 { // flags may also follow files
		if err := flags.Parse(args); err != nil {
			return options{}, "", err
		}
		if done := len(args) - flags.NArg(); done > 0 && args[done-1] == "--" {
			opts.args = append(opts.args, flags.Args()...)
			break
		}
		if args = flags.Args(); len(args) > 0 {
			opts.args = append(opts.args, args[0])
			args = args[1:]
		}
	}
	switch {
	case !slices.Contains([]string{"text", "json", "sarif"}, opts.output):
		return options{}, "", fmt.Errorf("-o %q: text, json or sarif", opts.output)
	case opts.diff && opts.output != "text":
		return options{}, "", errors.New("-diff and -o: one or the other")
	case opts.fix.any && !opts.diff && opts.output != "text" && (len(opts.args) == 0 || slices.Contains(opts.args, "-")):
		return options{}, "", errors.New("-fix and -o: standard output is either what is mended or what is found")
	case count(opts.args, "-") > 1:
		return options{}, "", errors.New("standard input is named twice")
	}
	return opts, policyFile, opts.choose(severity, enable, disable)
}

func count(args []string, arg string) (n int) {
	for _, a := range args {
		if a == arg {
			n++
		}
	}
	return n
}

// own are the rules that package lint does not have, with what they find.
var own = []struct{ name, summary, doc string }{
	{ruleInvalid, "what the API server refuses", "The toleration or taint is not valid: the API server refuses it. " +
		"A value that YAML does not take for a string, such as true or 5, has to stand in quotes."},
	{rulePolicy, "what the policy file refuses", "The toleration tolerates a taint that the policy does not let it tolerate. " +
		"The taint in the message shows it: however the toleration is written, it tolerates that taint."},
}

// choose sets what is looked for.
func (c *options) choose(severity, enable, disable string) error {
	c.severity = lint.Warning
	if enable != "" { // who asks for a rule wants to see what it finds
		c.severity = lint.Info
	}
	if severity != "" {
		s, err := lint.ParseSeverity(severity)
		if err != nil {
			return fmt.Errorf("-severity: %w", err)
		}
		c.severity = s
	}
	c.skipped = make(map[string]bool)
	if enable != "" {
		chosen, err := parseRules(enable)
		if err != nil {
			return fmt.Errorf("-enable: %w", err)
		}
		for r := range lint.AllRules().All() {
			c.set(r.Name(), !chosen[r.Name()])
		}
		for _, r := range own {
			c.set(r.name, !chosen[r.name])
		}
		for _, r := range clusterRules {
			c.cluster = c.cluster || chosen[r.Name()]
		}
	}
	if disable != "" {
		chosen, err := parseRules(disable)
		if err != nil {
			return fmt.Errorf("-disable: %w", err)
		}
		for name := range chosen {
			c.set(name, true)
		}
	}
	return nil
}

func (c *options) set(name string, skipped bool) {
	c.skipped[name] = skipped
	if r, err := lint.ParseRule(name); err == nil && skipped {
		c.skip = c.skip.With(r)
	}
}

// parseRules returns the rules whose names the text holds.
func parseRules(text string) (map[string]bool, error) {
	rules := make(map[string]bool)
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		_, err := lint.ParseRule(name)
		known := err == nil && name != ""
		for _, o := range own {
			known = known || o.name == name
		}
		if !known {
			return nil, fmt.Errorf("unknown rule %q (-rules lists them)", name)
		}
		rules[name] = true
	}
	return rules, nil
}

// readPolicy reads a policy file.
func readPolicy(name string) (policy.Policy, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return policy.Policy{}, err
	}
	data, err = k8syaml.YAMLToJSONStrict(data)
	if err != nil {
		return policy.Policy{}, err
	}
	return policy.Decode(data)
}
