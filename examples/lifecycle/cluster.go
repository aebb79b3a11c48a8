package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// health is what a node really is like, whatever the control plane believes.
type health uint8

const (
	healthy health = iota
	silent         // nothing is heard of it
	sick           // its kubelet says that it is not ready
)

// A node is a node during the day.
type node struct {
	name     string
	zone     disruption.Zone
	excluded bool
	health   health
	state    condition.NodeStatus // what the control plane believes, and has made of it
	observed []eviction.Observed
	before   taint.List // as the step began, while dirty
	dirty    bool       // what is known of it has changed in this step
	waits    bool       // for its first NoExecute taint
	reported bool       // that it waits
	pods     []int
	daemons  []int // the pods that belong here, wherever they are
	failures int
}

func (n *node) believedReady() bool { return condition.IsReady(n.state.Conditions) }

// phase is how far a pod is on its way.
type phase uint8

const (
	waiting phase = iota // for a node
	starting
	running
	gone // evicted, and not replaced
	away // a daemon's, while its node does not take it
)

var phaseNames = [...]string{"waiting", "starting", "running", "gone", "away"}

func (p phase) String() string               { return phaseNames[p] }
func (p phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// A pod is a pod and all that replace it.
type pod struct {
	name        string
	kind        kind
	home        int // the node that a daemon's or static pod belongs to, else -1
	tolerations toleration.List
	profile     int // the same for the same tolerations

	node    int // where it is, or -1
	index   int // in its node's list
	phase   phase
	arrived clock // at its node
	queued  bool  // it is in the list of waiting pods
	why     why   // what decided when it must go, when that was last decided

	record
}

// settings are what one may choose about the cluster's control plane.
type settings struct {
	rates     disruption.Rates
	seconds   admission.SecondsOptions
	deadlines eviction.Options
	grace     clock // until a silent node is noticed
	spread    clock // and how much longer, at most
	startup   clock // from being placed to running
	maxPods   int
	end       clock
	seed      uint64
}

// read takes in what kubectl -o json writes.
func (s *script) read(source string, r io.Reader) {
	for o, err := range kubejson.Objects(source, r) {
		switch {
		case err != nil:
			s.problems = append(s.problems, err)
		case o.Is("Node"):
			s.readNode(o)
		case o.Is("Pod"):
			s.readPod(o)
		}
	}
}

// What kubejson does not read. It is known to be JSON.
type metadata struct {
	Metadata struct {
		Labels          map[string]string
		OwnerReferences []struct{ Kind string }
	}
	Spec   struct{ HostNetwork bool }
	Status struct{ Conditions json.RawMessage }
}

func decode(o *kubejson.Object) (m metadata, err error) {
	err = json.Unmarshal(o.Raw, &m)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		parts := strings.Split(wrong.Field, ".") // the names above, which differ from the API's in the first letter
		for i, name := range parts {
			parts[i] = strings.ToLower(name[:1]) + name[1:]
		}
		return m, fmt.Errorf("%s: must not be a %s", strings.Join(parts, "."), wrong.Value)
	}
	return m, err
}

// refuse records all problems of an object, and reports whether there are any.
func (s *script) refuse(o *kubejson.Object, errs ...error) bool {
	before := len(s.problems)
	for _, err := range errs {
		for _, p := range o.Problems(err) {
			s.problems = append(s.problems, p)
		}
	}
	return len(s.problems) > before
}

func (s *script) readNode(o *kubejson.Object) {
	n, err := o.Node()
	more, wrong := decode(o)
	var conditions []condition.Condition
	var bad, nameless error
	if more.Status.Conditions != nil {
		conditions, _, bad = condition.Decode(more.Status.Conditions, taint.ListOptions{})
	}
	if n.Name == "" {
		nameless = errors.New("metadata.name: missing")
	}
	if s.refuse(o, err, n.Ignored.Err(), wrong, bad, nameless) {
		return
	}
	s.nodes = append(s.nodes, &nodeSpec{
		place: place{o.Source, o.Line}, name: n.Name, zone: disruption.ZoneOf(more.Metadata.Labels), labels: more.Metadata.Labels,
		taints: n.Taints, conditions: conditions, cordoned: n.Unschedulable,
	})
}

func (s *script) readPod(o *kubejson.Object) {
	p, err := o.Pod()
	more, wrong := decode(o)
	var nameless error
	if p.Name == "" {
		nameless = errors.New("metadata.name: missing")
	}
	if s.refuse(o, err, p.Ignored.Err(), wrong, nameless) {
		return
	}
	if p.Finished() || p.Terminating {
		return
	}
	set := &podSet{place: place{o.Source, o.Line}, kind: bare, name: o.FullName(), replicas: 1, exact: true, hostNetwork: more.Spec.HostNetwork, tolerations: p.Tolerations}
	if p.Node != "" {
		set.on = []string{p.Node}
	}
	owner := ""
	if owners := more.Metadata.OwnerReferences; len(owners) > 0 {
		owner = owners[0].Kind
	}
	switch {
	case p.Static:
		set.kind = static
	case owner == "DaemonSet":
		set.kind = daemon
	case owner != "" && owner != "Node":
		set.kind = workload
	}
	if p.Node == "" && (set.kind == static || set.kind == daemon) {
		return // only its affinity says which node it waits for
	}
	s.sets = append(s.sets, set)
}

// load reads the scripts and the clusters; "-" is standard input.
func (s *script) load(scripts, clusters []string, stdin io.Reader) {
	open := func(name string, read func(string, io.Reader)) {
		if name == "-" {
			read("standard input", stdin)
			return
		}
		f, err := os.Open(name)
		if err != nil {
			s.problems = append(s.problems, err)
			return
		}
		read(name, f)
		f.Close() // it was only read
	}
	for _, name := range clusters {
		open(name, s.read)
	}
	for _, name := range scripts {
		open(name, func(source string, r io.Reader) {
			text, err := io.ReadAll(r)
			if err != nil {
				s.problems = append(s.problems, err)
			}
			s.parse(source, string(text))
		})
	}
}

// build makes the simulation of the script, and records everything that is
// inconsistent.
func (s *script) build(set settings) *simulation {
	sim := newSimulation(set)
	byName := map[string]int{}
	var specs []*nodeSpec
	for _, n := range s.nodes {
		if _, ok := byName[n.name]; ok {
			s.report(n.place, fmt.Errorf("node %q: it is declared before", n.name))
			continue
		}
		for _, t := range n.taints {
			if at := t.TimeAdded(); at.After(sim.begin) {
				sim.begin = at // so that nothing was added later
			}
		}
		byName[n.name] = len(specs)
		specs = append(specs, n)
		sim.addNode(n)
	}
	names := map[string]bool{}
	add := func(set *podSet, name string, home, on int) {
		if names[name] {
			s.report(set.place, fmt.Errorf("pod %q: there is one of that name before", name))
			return
		}
		names[name] = true
		sim.addPod(set, name, home, on)
	}
	for _, set := range s.sets {
		on := []int{-1}
		for i, name := range set.on {
			at, ok := byName[name]
			if !ok {
				s.report(set.place, fmt.Errorf("%v %q: there is no node %q", set.kind, set.name, name))
				at = -1
			}
			on = append(on[:i], at)
		}
		switch {
		case set.kind == daemon && !set.exact:
			for i, n := range sim.nodes {
				add(set, set.name+"-"+n.name, i, -1)
			}
		case set.exact:
			home := -1
			if set.kind == daemon || set.kind == static {
				home = on[0]
			}
			add(set, set.name, home, on[0])
		default:
			for i := range set.replicas {
				add(set, set.name+"-"+strconv.Itoa(i+1), -1, on[i%len(on)])
			}
		}
	}
	for _, e := range s.events {
		if clock(e.at) > set.end {
			s.report(e.place, fmt.Errorf("%v is behind the end of the day at %v (-for)", clock(e.at), set.end))
			continue
		}
		sim.script = append(sim.script, &happening{event: e, nodes: s.find(e, specs)})
	}
	if len(s.nodes) == 0 && len(s.problems) == 0 {
		s.problems = append(s.problems, errors.New("there are no nodes in the input"))
	}
	sim.order()
	return sim
}

// find returns the nodes that an event is about, in the order of the input.
func (s *script) find(e *event, nodes []*nodeSpec) (found []int) {
	for i, n := range nodes {
		if e.target.matches(n) {
			found = append(found, i)
		}
	}
	for _, name := range e.target.list {
		if one := (target{kind: e.target.kind, list: []string{name}}); !slices.ContainsFunc(nodes, one.matches) {
			s.report(e.place, fmt.Errorf("there is no %s %q", e.target.kind, name))
		}
	}
	return found[:(len(found)*e.target.percent+99)/100]
}

// addNode puts a node into the simulation, with the conditions that it has. One
// that does not state its readiness is ready.
func (sim *simulation) addNode(s *nodeSpec) {
	n := &node{name: s.name, zone: s.zone, excluded: disruption.Excluded(s.labels)}
	n.state = condition.NodeStatus{Taints: s.taints, Unschedulable: s.cordoned}
	n.state.Conditions = slices.Clone(s.conditions)
	isReady := func(c condition.Condition) bool { return c.Type == condition.TypeReady }
	at := slices.IndexFunc(n.state.Conditions, isReady)
	if at < 0 {
		at = len(n.state.Conditions)
		n.state.Conditions = append(n.state.Conditions, condition.Condition{Type: condition.TypeReady})
	}
	switch c := &n.state.Conditions[at]; c.Status {
	case condition.StatusFalse:
		n.health = sick
	case condition.StatusUnknown:
		n.health = silent
	default:
		c.Status = condition.StatusTrue
	}
	sim.nodes = append(sim.nodes, n)
}

// addPod puts a pod into the simulation, with the tolerations that it has after
// its admission.
func (sim *simulation) addPod(set *podSet, name string, home, on int) {
	list := set.tolerations
	switch set.kind {
	case daemon:
		list = admission.Daemon(admission.DaemonOptions{HostNetwork: set.hostNetwork}, list)
	case static:
		list = append(list[:len(list):len(list)], admission.StaticPod(list)...)
	}
	list = append(list[:len(list):len(list)], admission.DefaultSeconds(sim.seconds, list)...)
	var key strings.Builder
	for _, u := range list {
		fmt.Fprintln(&key, u)
	}
	profile, ok := sim.profiles[key.String()]
	if !ok {
		profile = len(sim.profiles)
		sim.profiles[key.String()] = profile
		sim.lists = append(sim.lists, list)
	}
	p := &pod{name: name, kind: set.kind, home: home, tolerations: sim.lists[profile], profile: profile, node: -1}
	p.downSince = up
	id := len(sim.pods)
	sim.pods = append(sim.pods, p)
	if home >= 0 {
		sim.nodes[home].daemons = append(sim.nodes[home].daemons, id)
	}
	sim.initial = append(sim.initial, on)
}

// matchNode is the node as package match takes it.
func (n *node) matchNode() match.Node {
	return match.Node{Taints: n.state.Taints, Unschedulable: n.state.Unschedulable}
}

// hasNoExecute reports whether the node has a taint that may evict.
func (n *node) hasNoExecute() bool {
	return slices.ContainsFunc(n.state.Taints, func(t taint.Taint) bool { return t.Effect() == taint.NoExecute })
}
