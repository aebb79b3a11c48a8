package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
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
	// cluster means that all inputs together are one cluster.
	cluster bool
	rules   bool
	args    []string
}

// A fixFlag is the value of -fix or -fix=all.
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
		return errors.New("must be all or absent")
	}
	*f = fixFlag{any: on}
	return nil
}

const usage = `Tollint finds mistakes in the tolerations and taints of Kubernetes manifests.

Usage:
  tollint [flags] [file | directory | -] ...

It reads YAML and JSON from files, from the .yaml, .yml and .json files below
directories, or from standard input if there are no arguments (or for "-"). On
a terminal without arguments, it checks a sample.

Flags:
  -severity NAME   the lowest severity that is reported: info, warning or error
                   (default warning)
  -enable RULES    use only these rules, separated by commas, and also report
                   their findings with the severity info
  -disable RULES   do not use these rules, separated by commas
  -cluster         all inputs together are one cluster: also report tolerations
                   that match none of its taints, and taints that no pod tolerates
  -rules           list the rules
  -policy FILE     a policy (YAML or JSON) that states the allowed tolerations
  -fix             fix invalid elements, and other mistakes if the list means the
                   same afterwards, in the files; fixed standard input is written
                   to standard output
  -fix=all         also apply fixes that change what a list means
  -diff            show what would be fixed (also without -fix), and write nothing
  -o FORMAT        text, json or sarif (default text)
  -help            show this text

Examples:
  tollint deploy/
  kubectl get deployments -A -o yaml | tollint
  kubectl get nodes,pods -A -o json | tollint -cluster
  helm template chart | tollint -policy policy.yaml
  tollint -fix -diff deploy/web.yaml
  tollint -o sarif . >tollint.sarif

A comment with tollint:ignore, and optionally the names of rules, beside a
toleration or in the line above it suppresses its findings. With -policy, what is
invalid or rejected by the policy is reported whatever comments and flags say,
and templates are not skipped.

Exit status:
  0  nothing found
  1  something found
  2  something could not be read, there was no manifest, or the flags are wrong
     (everything that can be read is checked in any case)
`

func parseArgs(args []string) (options, error) {
	opts, policyFile, err := parseFlags(args)
	if err != nil {
		return options{}, fmt.Errorf("%w (see -help)", err)
	}
	if policyFile != "" {
		if opts.policy, err = readPolicy(policyFile); err != nil {
			return options{}, fmt.Errorf("-policy %s: %w", policyFile, err)
		}
		opts.policed = true
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
		return options{}, "", fmt.Errorf("-o %q: must be text, json or sarif", opts.output)
	case opts.diff && opts.output != "text":
		return options{}, "", errors.New("-diff and -o cannot be combined")
	case opts.fix.any && !opts.diff && opts.output != "text" && (len(opts.args) == 0 || slices.Contains(opts.args, "-")):
		return options{}, "", errors.New("-fix and -o cannot be combined for standard input: the output is the fixed text")
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

// own are the rules that package lint does not have.
var own = []struct{ name, summary, doc string }{
	{ruleInvalid, "the API server rejects it", "The toleration or taint is invalid, so the API server rejects it. " +
		"A value that is not a string in YAML, such as true or 5, needs quotes."},
	{rulePolicy, "the policy file rejects it", "The toleration tolerates a taint that the policy does not allow. " +
		"The message names such a taint: the toleration matches it, however it is written."},
}

// choose selects the rules.
func (c *options) choose(severity, enable, disable string) error {
	c.severity = lint.Warning
	if enable != "" { // a rule that is named reports all its findings
		c.severity = lint.Info
	}
	if severity != "" {
		if err := c.severity.UnmarshalText([]byte(severity)); err != nil {
			return fmt.Errorf("-severity: %w", err)
		}
	}
	c.skipped = make(map[string]bool)
	if enable != "" {
		chosen, err := parseRules(enable)
		if err != nil {
			return fmt.Errorf("-enable: %w", err)
		}
		for _, r := range lint.Checks() {
			c.set(r.String(), !chosen[r.String()])
		}
		for _, r := range own {
			c.set(r.name, !chosen[r.name])
		}
		for _, r := range clusterRules {
			c.cluster = c.cluster || chosen[r.String()]
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
	if r, ok := checkOf(name); ok && skipped {
		c.skip = append(c.skip, r)
	}
}

// checkOf returns the check of package lint with this name.
func checkOf(name string) (c lint.Check, ok bool) {
	err := c.UnmarshalText([]byte(name))
	return c, err == nil && c != 0
}

// describe returns the summary of a check and its full description.
func describe(c lint.Check) (summary, doc string) {
	summary, doc, _ = strings.Cut(c.Doc(), "\n\n")
	return summary, doc
}

// parseRules returns the rules that the text names.
func parseRules(text string) (map[string]bool, error) {
	rules := make(map[string]bool)
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		_, known := checkOf(name)
		for _, o := range own {
			known = known || o.name == name
		}
		if !known {
			return nil, fmt.Errorf("unknown rule %q (see -rules)", name)
		}
		rules[name] = true
	}
	return rules, nil
}

// readPolicy reads a policy file, which is one document.
func readPolicy(name string) (policy.Policy, error) {
	in := open(name)
	if in.err != nil {
		return policy.Policy{}, in.err
	}
	docs, failures := parse(newSource(name, in.text), true)
	switch {
	case len(failures) > 0:
		line, _ := newSource(name, in.text).position(failures[0].offset)
		return policy.Policy{}, fmt.Errorf("line %d: %w", line, failures[0].err)
	case len(docs) != 1:
		return policy.Policy{}, fmt.Errorf("must be one document, not %d", len(docs))
	}
	data, err := k8syaml.YAMLToJSONStrict([]byte(in.text))
	if err != nil {
		return policy.Policy{}, err
	}
	return policy.Decode(data)
}
