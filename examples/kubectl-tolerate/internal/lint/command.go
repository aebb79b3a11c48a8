// Package lint is the commands lint and explain: they find mistakes in the tolerations and
// taints of manifests, and explain them.
package lint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	compiler "github.com/go-tolerate/tolerate/examples/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match/lint"
)

const help = `Find mistakes in the tolerations and taints of manifests, in JSON or YAML.

It reads tolerations of pods, of the pod templates of workloads and custom
resources, in the values of charts, in JSON patches and in the patches of a
kustomization.yaml; taints of nodes and of objects that create nodes, such as
machine sets, node pools and instance groups, each as its own API has them; the
configuration of k3s, Talos, kubeadm and eksctl; and taints and tolerations of
devices (DRA). Of a chart, check the output of helm template. It also reads
texts in fields, such as those of a ConfigMap, that have a list in YAML or JSON.

What is no manifest in a directory is only counted: files without an apiVersion,
a kind and a list, JSON with comments, templates, by their expressions where the
text does not parse, and in .vscode and the like all that does not parse. With
--rules, or if such a file is named, it is a failure. .git is not read.

In values, beside Chart.yaml or named, it reports what should be a list.

With --rules, it also judges pods and pod templates by a file of rules, as the
policies do that "kubectl tolerate enforce" makes of this file; those that it
makes with --no-mutation require labels, too. Rules with users or groups do not
apply, since the user is not known. For rules with a namespaceSelector, the input
must have the namespaces, in standard input before the pods: kubectl get ns,pods.
For pods of a cluster (with a uid), spec.nodeName is not judged, and those that
are being deleted and mirror pods are accepted. A wildcard that the rules allow
is no finding. What is the same for many pods of a cluster is reported once, with
their owners.

A comment beside a toleration, or above it, suppresses its findings: all, or
those of the checks that it names. With --rules, it does not suppress invalid,
misplaced and policy.

  # tolerate:ignore tolerates-everything: a backup agent
  - operator: Exists

The tolerations of a running pod cannot be removed.

The exit status is 0 if nothing was found, 1 if something was found, and 2 if
something could not be read or checked: a template, a misspelt kind or
apiVersion, a run without a manifest, or with --rules a pod whose namespace is
unknown, or the labels of its namespace.`

var severities = []string{"info", "warning", "error"}

// A command is the values of the flags, and what was found so far.
type command struct {
	env               *cli.Env
	files             []string
	exclude, only     []string
	recursive         bool
	verbose           bool
	rules             cli.Once
	namespace         string
	lowest, output    string
	severity          lint.Severity // the lowest that is reported
	config            *rules.Config // or nil
	findings          []*Finding
	agents            bool                         // the text is for a DaemonSet
	known             map[string]bool              // what other files say
	labels            map[string]map[string]string // of namespaces
	notes, skipped    []note
	failures          int
	inputs, listCount int
	others            int // the files that are no manifests

	named  bool   // the file that is read, so that it is a failure if something of it is not checked
	chart  bool   // it can be a chart's values
	within string // the place of the text that is read, in the file
	depth  int    // of that text in others
	left   int    // bytes of texts that are still read
}

// A note describes what was not checked: a failure, or what is no manifest.
type note struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

// NewCommand returns the command lint.
func NewCommand(env *cli.Env) *cobra.Command {
	o := &command{env: env, known: map[string]bool{}, labels: map[string]map[string]string{}}
	c := &cobra.Command{
		Use:   "lint {FILENAME... | -f FILENAME} [--rules=FILENAME]",
		Short: "Find mistakes in the tolerations and taints of manifests",
		Long:  help,
		Example: `  kubectl tolerate lint -R -f . --exclude testdata
  kustomize build overlays/prod | kubectl tolerate lint -f -
  helm template chart | kubectl tolerate lint -f - -n shop --rules rules.yaml
  kubectl get ns,pods -A -o json | kubectl tolerate lint -f - --rules rules.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = append(o.files, args...)
			return o.run(c.Context())
		},
	}
	f := c.Flags()
	f.StringSliceVarP(&o.files, "filename", "f", nil, "Files or directories with the manifests; - is standard input")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "Read the directories of --filename recursively")
	f.StringSliceVar(&o.exclude, "exclude", nil, "Omit files and directories with such a path or name, such as testdata or '*values.yaml'")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "List the files that are no manifests")
	f.Var(&o.rules, "rules", "The file of rules by which pods are judged; see \"kubectl tolerate enforce\"")
	f.StringVarP(&o.namespace, "namespace", "n", "", "The namespace of objects that have none, for --rules")
	f.StringSliceVar(&o.only, "only", nil, "Report only these checks, of any severity; with --rules, also invalid, misplaced and policy")
	f.StringVar(&o.lowest, "severity", "warning", "The lowest severity to report. One of: "+strings.Join(severities, ", "))
	cli.OutputFlag(c, &o.output, "json", "sarif")
	_ = c.RegisterFlagCompletionFunc("only", cobra.FixedCompletions(checkNames, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("severity", cobra.FixedCompletions(severities, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// complete checks the flags.
func (o *command) complete() error {
	switch {
	case len(o.files) == 0:
		return errors.New("no input: name files, or - for standard input")
	case !slices.Contains(severities, o.lowest):
		return fmt.Errorf("unknown severity %q (allowed: %s)", o.lowest, strings.Join(severities, ", "))
	}
	for _, name := range o.only {
		if !slices.Contains(checkNames, name) {
			return fmt.Errorf("--only: unknown check %q%s (\"kubectl tolerate explain\" lists all)", name, hint(name))
		}
	}
	if err := o.severity.UnmarshalText([]byte(o.lowest)); err != nil || o.rules == "" {
		return err
	}
	if o.namespace != "" && validation.IsDNS1123Label(o.namespace) != nil {
		return fmt.Errorf("--namespace: %s is not the name of a namespace", objects.Printable(o.namespace))
	}
	config, _, err := enforce.Read(o.env.In, string(o.rules), compiler.Options{Name: "tolerate"})
	o.config = config
	return err
}

func (o *command) run(ctx context.Context) error {
	if err := o.complete(); err != nil {
		return err
	}
	names, err := objects.Files(o.files, o.recursive, o.exclude...)
	if err != nil {
		return err
	}
	for _, name := range names {
		if o.config == nil || !o.config.Selects() || name == "-" { // standard input has namespaces first, as kubectl does
			continue
		}
		for object, err := range objects.ReadFile(ctx, name, nil) {
			if err == nil {
				o.label(object)
			}
		}
	}
	for _, name := range names {
		o.file(ctx, name)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if o.inputs == o.others && o.failures == 0 {
		o.note(&objects.Problem{Source: strings.Join(o.files, ", "), Err: errors.New("nothing was checked: " + noManifest)})
	}
	if err := o.write(); err != nil {
		return err
	}
	switch {
	case o.failures > 0:
		return &cli.Exit{Status: 2, Err: fmt.Errorf("%s: not everything was checked", cli.Count(o.failures, "failure"))}
	case len(o.findings) > 0:
		return &cli.Exit{Status: 1}
	}
	return nil
}

const noManifest = "no object with an apiVersion or a kind, and no list of tolerations or taints"

// file checks a file.
func (o *command) file(ctx context.Context, name string) {
	o.inputs++
	o.named = o.config != nil || slices.Contains(o.files, name)
	if !o.named && isTemplate(name) {
		o.other(note{File: name, Message: "a template of a chart; check the output of helm template"})
		return
	}
	o.chart = slices.Contains(o.files, name) || isValues(name)
	hidden := !o.named && o.isHidden(name)
	some, failures := false, o.failures
	var other, aside *objects.Problem // the first value that is no object, and template
	for object, err := range objects.ReadFile(ctx, name, o.env.In) {
		p := new(objects.Problem)
		switch {
		case errors.Is(err, objects.ErrEmpty):
		case errors.As(err, &p) && (hidden || !o.named && errors.Is(err, objects.ErrTemplate)):
			aside = cmp.Or(aside, p)
		case errors.Is(err, objects.ErrNotObject):
			other = cmp.Or(other, p)
		case p.Err != nil:
			o.note(p)
		case err != nil:
			o.note(&objects.Problem{Source: name, Err: err})
		default:
			if object.Continue != "" {
				o.note(object.Problem(objects.ErrPart))
			}
			some = o.check(object) || some
		}
		if len(o.findings) == maxFindings {
			o.note(&objects.Problem{Source: name, Err: fmt.Errorf("not checked further, after %d findings; fix these first", maxFindings)})
			return
		}
	}
	switch {
	case other != nil && (some || o.named):
		o.note(other)
	case aside != nil && (some || o.failures > failures):
		o.omit(aside, false)
	case aside != nil:
		o.other(newNote(aside))
	case some || o.failures > failures:
	case o.named:
		o.note(&objects.Problem{Source: name, Err: errors.New("nothing to check: " + noManifest)})
	default:
		o.other(note{File: name, Message: noManifest})
	}
}

// isHidden reports whether the name of the file, or of a directory between it and that of a
// flag, begins with a dot.
func (o *command) isHidden(name string) bool {
	return !slices.ContainsFunc(o.files, func(dir string) bool {
		below, err := filepath.Rel(dir, name)
		return err == nil && !strings.Contains("/"+filepath.ToSlash(below), "/.")
	})
}

// isValues reports whether the file is a chart's values.
func isValues(name string) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(name), "Chart.yaml"))
	return err == nil && filepath.Ext(name) != ".json" && strings.Contains(filepath.Base(name), "values")
}

// isTemplate reports whether the file is below the directory templates of a chart.
func isTemplate(name string) bool {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		above := filepath.Dir(dir)
		if above == dir {
			return false
		} else if filepath.Base(dir) != "templates" {
			continue
		} else if _, err := os.Stat(filepath.Join(above, "Chart.yaml")); err == nil {
			return true
		}
	}
}

// maxNotes limits the notes that are kept.
const maxNotes = 1000

// note adds a note of a failure.
func (o *command) note(p *objects.Problem) {
	o.failures++
	if n := newNote(p); len(o.notes) < maxNotes {
		o.notes = append(o.notes, n)
	}
}

// omit adds a note of what cannot be checked, which is a failure if fails is set.
func (o *command) omit(p *objects.Problem, fails bool) {
	if fails {
		o.note(p)
	} else {
		o.skipped = append(o.skipped, newNote(p))
	}
}

// other adds a note of a file that is no manifest.
func (o *command) other(n note) {
	o.others++
	o.skipped = append(o.skipped, n)
}

func newNote(p *objects.Problem) note {
	n := note{File: p.Source, Line: p.Line}
	p.Source, p.Line = "", 0
	n.Message = strings.TrimPrefix(p.Error(), ": ")
	return n
}

// A Check is a check of a manifest, which only this package has, or of a list of
// tolerations.
type Check struct {
	Name, Summary, Text string
	Severity            lint.Severity
}

// Checks returns all checks.
func Checks() []Check {
	list := []Check{
		{"invalid", "the API server rejects the toleration or taint",
			"A value that is not a string in YAML, such as true or 5, needs quotes. Unknown and repeated fields are invalid too. Some APIs write effects in their own way, such as NO_SCHEDULE or no-schedule, and require more fields: what is valid in one is invalid in others, and in a Kubernetes object.", lint.Error},
		{"misplaced", "the list is not where Kubernetes reads it",
			"The API server ignores an unknown field with a warning, so the list has no effect. A pod has tolerations in its spec, not beside it or in a container; a node has taints. A NodePool of Karpenter has taints in spec.template.spec, and a ResourceClaim has tolerations in its requests.", lint.Error},
		{"device-selector", "a DeviceTaintRule taints no device, or every device",
			"Without a deviceSelector, the rule selects no device, and has no effect. An empty one, {}, selects every device of the cluster. The finding is a warning if there is none, and an info if it is empty.", lint.Warning},
		{"policy", "the rules of --rules refuse the pod",
			"The message describes what is refused, and has the place in the file of rules. It is a warning where the rules only warn.", lint.Error},
		{"values", "values of a chart are not the list that its templates need",
			"Helm does not check them, and the API server rejects an object or a text. An empty one is rejected too, unless the template omits it (if, with); and Helm warns of a list that replaces a chart's {}. Write []. A misspelt name has no effect.", lint.Warning},
		{"unknown-check", "a comment tolerate:ignore names a check that does not exist",
			"So it suppresses nothing. A reason is written after a colon.", lint.Warning},
	}
	for _, c := range lint.Checks() {
		summary, text, _ := strings.Cut(c.Doc(), "\n\n")
		list = append(list, Check{c.String(), summary, text, c.Severity()})
	}
	return list
}

var checkNames = func() (names []string) {
	for _, c := range Checks() {
		names = append(names, c.Name)
	}
	return names
}()

// NewExplainCommand returns the command explain.
func NewExplainCommand(env *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:       "explain [CHECK]",
		Short:     "Explain a check of lint, or list all",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: checkNames,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, c := range Checks() {
				switch {
				case len(args) == 0:
					fmt.Fprintf(env.Out, "%-21s %s\n", c.Name, c.Summary)
				case strings.EqualFold(c.Name, args[0]):
					_, err := fmt.Fprintf(env.Out, "%s\n\n%s\n\n%s\n\nSeverity: %s\n", c.Name, c.Summary, c.Text, c.Severity)
					return err
				}
			}
			if len(args) == 0 {
				return nil
			}
			return fmt.Errorf("unknown check %q%s (\"kubectl tolerate explain\" lists all)", args[0], hint(args[0]))
		},
	}
}

// write writes the report.
func (o *command) write() error {
	listed := o.notes
	if o.verbose {
		listed = slices.Concat(o.notes, o.skipped)
	}
	for _, n := range listed {
		fmt.Fprintf(o.env.ErrOut, "%s: %s\n", at(n.File, n.Line), objects.Printable(n.Message))
	}
	switch o.output {
	case "json":
		return o.env.Print("json", struct {
			Findings []*Finding `json:"findings"`
			Notes    []note     `json:"notes,omitempty"`
			Skipped  []note     `json:"skipped,omitempty"`
		}{append([]*Finding{}, o.findings...), o.notes, o.skipped})
	case "sarif":
		return o.env.Print("json", o.sarif())
	}
	var text bytes.Buffer
	serious := 0
	groups := make(map[string][]*Finding) // of pods in a cluster, by what is wrong
	for _, f := range o.findings {
		if f.Owner != "" {
			groups[f.group()] = append(groups[f.group()], f)
		}
	}
	for _, f := range o.findings {
		if f.Severity == lint.Error {
			serious++
		}
		if f.Owner == "" || len(groups[f.group()]) < 2 {
			f.write(&text, at(f.File, f.Line, f.Column)+": ", f.place())
		}
	}
	for _, group := range slices.SortedFunc(maps.Values(groups), most) {
		if len(group) > 1 {
			group[0].write(&text, "", owners(group)...)
		}
	}
	fmt.Fprintf(&text, "%s (%s) in %s of %s", cli.Count(len(o.findings), "finding"), cli.Count(serious, "error"), cli.Count(o.listCount, "list"), cli.Count(o.inputs-o.others, "file"))
	if o.others > 0 {
		fmt.Fprintf(&text, "; not manifests: %s", cli.Count(o.others, "file"))
	}
	if n := len(o.skipped) - o.others; n > 0 {
		fmt.Fprintf(&text, "; not read: %s", cli.Count(n, "place"))
	}
	if len(o.skipped) > 0 {
		text.WriteString(" (-v lists them)")
	}
	_, err := fmt.Fprintln(o.env.Out, text.String())
	return err
}

// write writes a finding with its places.
func (f *Finding) write(w *bytes.Buffer, before string, places ...string) {
	fmt.Fprintf(w, "%s%v: %s (%s)\n    %s\n", before, f.Severity, objects.Printable(f.Message), f.Check, strings.Join(places, "\n    "))
	if f.Fix != "" {
		fmt.Fprintf(w, "    fix: %s\n", f.Fix)
	}
}

// place returns where the finding is.
func (f *Finding) place() string {
	return objects.Printable(strings.Join(strings.Fields(f.Item+" "+f.Object+" "+f.Path), " "))
}

// group returns what is the same in findings of which one is written.
func (f *Finding) group() string { return f.Severity.String() + f.Check + cmp.Or(f.clause, f.Message) }

// most compares findings: the most are first.
func most(a, b []*Finding) int {
	return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a[0].Owner+a[0].Message, b[0].Owner+b[0].Message))
}

// owners returns how many findings of a group each owner has, for the first of them, as a page
// has room for few.
func owners(group []*Finding) (lines []string) {
	const limit = 5
	byOwner := make(map[string][]*Finding)
	for _, f := range group {
		byOwner[f.Owner] = append(byOwner[f.Owner], f)
	}
	all := slices.SortedFunc(maps.Values(byOwner), most)
	for _, findings := range all[:min(len(all), limit)] {
		lines = append(lines, fmt.Sprintf("%s: %s, such as %s", objects.Printable(findings[0].Owner), cli.Count(len(findings), "finding"), findings[0].place()))
	}
	if n := len(all) - limit; n > 0 {
		lines = append(lines, fmt.Sprintf("and %s (-o json lists all)", cli.Count(n, "other owner")))
	}
	return lines
}

// at returns a place as compilers write it, without the numbers that are unknown.
func at(file string, numbers ...int) string {
	file = objects.Printable(file)
	for _, n := range numbers {
		if n > 0 {
			file += ":" + strconv.Itoa(n)
		}
	}
	return file
}

var levels = map[lint.Severity]string{lint.Info: "note", lint.Warning: "warning", lint.Error: "error"}

// sarif returns the findings for code hosts and editors.
func (o *command) sarif() *sarif.Report {
	run := sarif.NewRunWithInformationURI("kubectl-tolerate", "https://github.com/go-tolerate/tolerate").WithColumnKind("unicodeCodePoints")
	described := func(text string) *sarif.MultiformatMessageString {
		return sarif.NewMultiformatMessageString().WithText(text)
	}
	for _, c := range Checks() {
		run.AddRule(c.Name).WithShortDescription(described(c.Summary)).WithFullDescription(described(c.Text)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(levels[c.Severity]))
	}
	call := sarif.NewInvocation().WithExecutionSuccessful(o.failures == 0)
	for _, n := range o.notes {
		call.AddToolExecutionNotification(sarif.NewNotification().WithLevel("error").WithMessage(sarif.NewTextMessage(n.Message)).AddLocation(location(n.File, n.Line, 0)))
	}
	run.AddInvocation(call)
	for _, f := range o.findings {
		message := f.Message
		if f.Fix != "" {
			message += ". Fix: " + f.Fix
		}
		run.AddResult(sarif.NewRuleResult(f.Check).WithRuleIndex(run.GetRuleIndex(f.Check)).WithLevel(levels[f.Severity]).WithMessage(sarif.NewTextMessage(message)).
			AddLocation(location(f.File, f.Line, f.Column).AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(f.place()))))
	}
	return sarif.NewReport().AddRun(run)
}

// location returns a place in a file, whose address is relative if its name is.
func location(file string, line, column int) *sarif.Location {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	place := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(u.String()))
	if line > 0 {
		place.WithRegion(sarif.NewRegion().WithStartLine(line))
	}
	if column > 0 {
		place.Region.WithStartColumn(column)
	}
	return sarif.NewLocationWithPhysicalLocation(place)
}
