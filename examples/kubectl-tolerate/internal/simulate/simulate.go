// Package simulate is the command simulate: nodes fail, join and leave on a virtual clock.
package simulate

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/internal/nearest"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/validate"
)

const long = `Simulate what happens to the nodes and pods of a cluster when nodes fail, join or leave.
Nothing is changed in the cluster.

A scenario is a file in YAML or JSON with the events. 0s is now; with files, it is when the newest
taint was added.

  end: 2h                             # an hour after the last event if omitted
  nodeMonitorGracePeriod: 50s         # and, as the flags of kube-controller-manager, nodeEvictionRate,
                                      # secondaryNodeEvictionRate, largeClusterSizeThreshold, unhealthyZoneThreshold
  start: Sticky                       # when seconds start, as in Kubernetes; or FromObserved, FromAdded
  choice: First                       # of several tolerations, as in Kubernetes; or Shortest, Longest, ForeverElseShortest
  events:
  - {at: 1m, event: Unreachable, nodes: [worker-0]}
  - {at: 9m, event: Ready, nodes: [worker-0]}
  - {at: 9m, event: NotReady, selector: topology.kubernetes.io/zone=a, percent: 50}
  - {at: 10m, event: Conditions, nodes: [worker-1], conditions: [{type: MemoryPressure, status: "True"}]}
  - {at: 11m, event: Taint, nodes: [worker-2], edits: ["maintenance=today:NoExecute", "dedicated-"]}
  - {at: 12m, event: Cordon, nodes: [worker-2]}         # and Uncordon
  - {at: 20m, event: Create, objects: [MANIFEST]}       # of a Node or a Pod
  - {at: 21m, event: Initialized, nodes: [worker-9]}    # by the cloud: its taint is removed
  - {at: 30m, event: Delete, nodes: [worker-9]}

A selector is that of kubectl's -l; an empty one selects all nodes. Percent selects the first
nodes by name. Events at the same time happen in the order of the file.

A node is ready unless it has the taint not-ready or unreachable. A new node is not ready until
an event Ready, and has the taints of its manifest. While a node is unreachable, the conditions
that its kubelet reports are unknown. A new pod gets the tolerations of its admission: 300 seconds
for nodes that are not ready or unreachable, and those of its quality of service and extended
resources.

A pod is scheduled to the first node by name whose taints it tolerates, without being evicted at
once, and whose labels its node selector and required node affinity admit; nodes without untolerated
PreferNoSchedule taints are first. Resources, ports, volumes and disruption budgets are not
simulated. An evicted pod with an owner is replaced at once by one with its name, on its own node if
the owner is a DaemonSet; one without an owner is deleted. Pods of DaemonSets are not created on new
nodes. The pods of all namespaces are simulated.

DOWN is how long the pod was pending, deleted, or on a node that is not ready. Pods that ran all the
time are not listed.
`

// NewCommand returns the command.
func NewCommand(env *cli.Env) *cobra.Command {
	var opts cluster.Options
	var file, output string
	c := &cobra.Command{
		Use:   "simulate --scenario FILE",
		Short: "Simulate what happens when nodes fail, join and leave",
		Long:  long,
		Example: `  # The sample; no cluster is needed
  kubectl tolerate simulate --sample

  # When are which pods evicted if a node fails
  echo '{events: [{at: 0s, event: Unreachable, nodes: [worker-0]}]}' | kubectl tolerate simulate --scenario -

  # A picture of it
  kubectl tolerate simulate --scenario outage.yaml -o svg > outage.svg`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := open(env, file, &opts)
			if err != nil {
				return err
			}
			read, err := cluster.Read(c.Context(), env, &opts)
			if err == nil {
				err = read.NodesErr
			}
			if err != nil {
				return err
			}
			if err := read.Report(env); err != nil { // what is unknown has no result
				return err
			}
			begin := time.Unix(0, 0).UTC()
			if opts.Live() {
				begin = env.Now().UTC().Truncate(time.Second)
			}
			sim, err := newSimulation(read, s, begin)
			if err != nil {
				return err
			}
			if err := sim.run(c.Context()); err != nil {
				return err
			}
			switch r := sim.report(); output {
			case "":
				return r.table(env.Out)
			case "svg":
				return r.svg(env.Out)
			default:
				return env.Print(output, r)
			}
		},
	}
	opts.AddFlags(c)
	c.Flags().StringVar(&file, "scenario", "", "File with the events, in YAML or JSON; - is standard input; with --sample there is one")
	cli.OutputFlag(c, &output, "json", "yaml", "svg")
	return c
}

// open reads the scenario.
func open(env *cli.Env, file string, opts *cluster.Options) (*scenario, error) {
	switch {
	case file == "" && !opts.Sample:
		return nil, errors.New("use --scenario FILE, or --sample")
	case file == "":
		return readScenario("sample", strings.NewReader(sample))
	case file == "-" && slices.Contains(opts.Filenames, "-"):
		return nil, errors.New("standard input cannot be both the cluster and the scenario")
	case file == "-":
		return readScenario("standard input", env.In)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readScenario(file, f)
}

//go:embed sample.yaml
var sample string

// A scenario is what happens to a cluster, and settings of its controllers.
type scenario struct {
	Events []*event
	End    time.Duration // an hour after the last event if omitted

	// As the flags of kube-controller-manager.
	GracePeriod   time.Duration `yaml:"nodeMonitorGracePeriod"`
	Rate          float64       `yaml:"nodeEvictionRate"`
	SecondaryRate float64       `yaml:"secondaryNodeEvictionRate"`
	LargeZone     int           `yaml:"largeClusterSizeThreshold"`
	Unhealthy     float64       `yaml:"unhealthyZoneThreshold"`

	Start  eviction.Start    // when seconds start
	Choice toleration.Choice // of several tolerations that match a taint
}

// An event happens to nodes, or creates objects.
type event struct {
	At         *time.Duration // since the start
	Event      string
	Nodes      []string
	Selector   *string // of labels
	Percent    *int    // of the nodes with these labels, the first by name; all if omitted
	Conditions []condition.Condition
	Edits      []string
	Objects    []yaml.Node

	place    string
	changes  []string // of conditions and edits
	selector labels.Selector
	edits    []taint.Edit
	nodes    []*cluster.Node // that are created
	pods     []*cluster.Pod
}

var (
	kinds    = []string{"Unreachable", "NotReady", "Ready", "Initialized", "Conditions", "Cordon", "Uncordon", "Taint", "Create", "Delete"}
	statuses = []string{condition.StatusTrue, condition.StatusFalse, condition.StatusUnknown}
)

// Limits of a scenario, so that a mistake is reported and not simulated.
const (
	maxSize   = 2 << 20
	maxEvents = 10_000
	maxTime   = 366 * 24 * time.Hour
	omitted   = -1 // no time
)

// readScenario reads a scenario in YAML or JSON.
func readScenario(name string, r io.Reader) (*scenario, error) {
	rates := disruption.DefaultRates()
	s := &scenario{End: omitted, GracePeriod: 50 * time.Second, Start: eviction.Sticky,
		Rate: rates.Usual, SecondaryRate: rates.Reduced, LargeZone: rates.LargeZone, Unhealthy: rates.Unhealthy}
	text, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var root yaml.Node
	if err == nil && len(text) <= maxSize {
		err = yaml.Unmarshal(text, &root)
	}
	aliased := alias(&root)
	if err == nil && aliased == nil {
		err = decoder.Decode(s)
	}
	err = plain(err)
	switch {
	case len(text) > maxSize:
		err = fmt.Errorf("larger than %d MiB", maxSize>>20)
	case aliased != nil: // a few can represent gigabytes
		err = fmt.Errorf("line %d: aliases are not allowed; repeat the value", aliased.Line)
	case err == io.EOF || err == nil && s.Events == nil:
		err = errors.New("the list events is missing")
	case err == nil && decoder.Decode(new(any)) != io.EOF:
		err = errors.New("more than one document; use a file for each scenario")
	case err != nil:
	case len(s.Events) > maxEvents:
		err = fmt.Errorf("more than %d events", maxEvents)
	case s.GracePeriod < 0, s.End < omitted, max(s.GracePeriod, s.End) > maxTime:
		err = fmt.Errorf("nodeMonitorGracePeriod and end: must be from 0s to %v", maxTime)
	case !(min(s.Rate, s.SecondaryRate, s.Unhealthy, float64(s.LargeZone)) >= 0): // or not a number
		err = errors.New("rates and thresholds must not be negative")
	case s.Unhealthy > 1:
		err = errors.New("unhealthyZoneThreshold: must be a share from 0 to 1")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kubejson.Printable(name), err)
	}
	var problems []error
	var last time.Duration
	for i, e := range s.Events {
		if e == nil {
			e = &event{}
		}
		e.place = fmt.Sprintf("%s: events[%d]", kubejson.Printable(name), i)
		err := e.check()
		for j := 0; j < len(e.Objects) && err == nil; j++ {
			err = e.create(name, &e.Objects[j])
		}
		if err == nil && (*e.At > maxTime || s.End != omitted && *e.At > s.End) {
			err = fmt.Errorf("at: %v is after the end", *e.At)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", e.place, err))
			continue
		}
		last = max(last, *e.At)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems[:min(len(problems), 20)]...)
	}
	if s.End == omitted {
		s.End = last + time.Hour
	}
	return s, nil
}

var (
	unknownField = regexp.MustCompile(`(?s)^(line \d+): field (.*) not found in type (\S+)$`)
	wrongType    = regexp.MustCompile("(?s)^(line \\d+): cannot unmarshal !!\\S+(?: (`.*`))? into (.+)$")

	// wanted describes the Go types of a scenario.
	wanted = map[string]string{
		"time.Duration":           "a duration, such as 90s",
		"int":                     "an integer",
		"float64":                 "a number",
		"string":                  "a string",
		"[]string":                "a list of strings",
		"[]*simulate.event":       "a list of events",
		"[]condition.Condition":   "a list of conditions",
		"[]yaml.Node":             "a list of objects",
		"simulate.scenario":       "an object with the list events",
		"simulate.event":          "an event, such as {at: 1m, event: Ready, nodes: [worker-0]}",
		"condition.Condition":     "a condition, such as {type: DiskPressure, status: \"True\"}",
		"map[string]interface {}": "an object",
		"eviction.Start":          "a name", "toleration.Choice": "a name",
	}
	fields = map[string][]string{
		"simulate.scenario":   fieldsOf(reflect.TypeFor[scenario]()),
		"simulate.event":      fieldsOf(reflect.TypeFor[event]()),
		"condition.Condition": fieldsOf(reflect.TypeFor[condition.Condition]()),
	}
)

// fieldsOf returns the names in YAML of the fields of a type.
func fieldsOf(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() {
			names = append(names, cmp.Or(f.Tag.Get("yaml"), strings.ToLower(f.Name)))
		}
	}
	return names
}

// plain returns an error of the YAML decoder without the names of Go types.
func plain(err error) error {
	var wrong *yaml.TypeError
	var name *validate.Problem
	switch {
	case errors.As(err, &name): // such as one of eviction.Start.UnmarshalText
		p := *name
		_, field, _ := strings.Cut(strings.TrimSuffix(p.Func, ".UnmarshalText"), ".")
		p.Func = ""
		return fmt.Errorf("%s: %w", strings.ToLower(field), &p)
	case !errors.As(err, &wrong):
		return err
	}
	var texts []string
	for _, text := range wrong.Errors {
		if m := unknownField.FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("%s: unknown field %q", m[1], m[2])
			if near := nearest.Name(m[2], fields[m[3]]); near != "" {
				text += ", did you mean " + near + "?"
			}
		} else if m := wrongType.FindStringSubmatch(text); m != nil {
			text = strings.TrimSpace(m[1]+": "+m[2]) + " must be " + cmp.Or(wanted[m[3]], "another type")
		}
		texts = append(texts, text)
	}
	return errors.New(kubejson.Printable(strings.Join(texts, "; "))) // it quotes the input
}

// check returns the first problem of an event.
func (e *event) check() (err error) {
	if !slices.Contains(kinds, e.Event) {
		return fmt.Errorf("event: unknown kind %q (allowed: %s)", e.Event, strings.Join(kinds, ", "))
	}
	for _, field := range []struct {
		name      string
		has, want bool
	}{
		{"at", e.At != nil, true},
		{"nodes or a selector", len(e.Nodes) > 0 || e.Selector != nil, e.Event != "Create"},
		{"conditions", len(e.Conditions) > 0, e.Event == "Conditions"},
		{"edits", len(e.Edits) > 0, e.Event == "Taint"},
		{"objects", len(e.Objects) > 0, e.Event == "Create"},
	} {
		if field.has && !field.want {
			return fmt.Errorf("an event %s must not have %s", e.Event, field.name)
		}
		if !field.has && field.want {
			return fmt.Errorf("an event %s needs %s", e.Event, field.name)
		}
	}
	switch {
	case *e.At < 0:
		return errors.New("at: must not be negative")
	case len(e.Nodes) > 0 && e.Selector != nil, len(slices.Compact(slices.Sorted(slices.Values(e.Nodes)))) < len(e.Nodes):
		return errors.New("nodes: must be different names, without a selector")
	case e.Percent != nil && (*e.Percent < 1 || *e.Percent > 100 || e.Selector == nil):
		return errors.New("percent: must be from 1 to 100, with a selector")
	}
	for i, c := range e.Conditions {
		if slices.ContainsFunc(e.Conditions[:i], func(d condition.Condition) bool { return d.Type == c.Type }) {
			return fmt.Errorf("conditions: %s is there more than once", kubejson.Printable(c.Type))
		}
		if !slices.Contains(pressures, c.Type) || !slices.Contains(statuses, c.Status) {
			return errors.New("conditions: the type must be MemoryPressure, DiskPressure, PIDPressure or NetworkUnavailable, and the status True, False or Unknown")
		}
		e.changes = append(e.changes, c.Type+"="+c.Status)
	}
	if e.Selector != nil {
		if e.selector, err = labels.Parse(*e.Selector); err != nil {
			return fmt.Errorf("selector: %s", kubejson.Printable(err.Error()))
		}
	}
	e.changes = append(e.changes, e.Edits...)
	e.edits, err = taint.ParseEdits(e.Edits...)
	return err
}

// create reads a manifest. A pod gets the tolerations of its admission.
func (e *event) create(source string, n *yaml.Node) error {
	var object map[string]any
	if err := n.Decode(&object); err != nil {
		return plain(err)
	}
	if kind := object["kind"]; kind != "Node" && kind != "Pod" {
		return fmt.Errorf("line %d: kind: must be Node or Pod", n.Line)
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	c, err := cluster.Decode(source, n.Line, text)
	if err == nil {
		err = errors.Join(append(c.Problems, c.Warnings...)...)
	}
	if err != nil {
		return err
	}
	for _, p := range c.Pods {
		var added toleration.List
		spec, _, err := admission.DecodePod(text, toleration.ListOptions{})
		if err == nil {
			added, err = admission.Plan{}.OnCreate(spec)
		}
		if err != nil {
			return err
		}
		p.Tolerations = slices.Concat(p.Tolerations, added)
	}
	e.nodes, e.pods = append(e.nodes, c.Nodes...), append(e.pods, c.Pods...)
	return nil
}

// alias returns the first alias in a node, or nil.
func alias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n
	}
	for _, inner := range n.Content {
		if a := alias(inner); a != nil {
			return a
		}
	}
	return nil
}
