package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
)

//go:embed sample.json
var sample string

// A node is what can be had of it.
type node struct {
	name   string
	taints match.Node
	labels map[string]string
	free   amounts
	total  amounts
}

// A pod is what it requests, and what became of it.
type pod struct {
	kubejson.Pod
	priority   int32
	created    time.Time
	class      string // its runtime class
	selector   map[string]string
	containers amounts // what its containers request
	overhead   amounts // beside them; nil while it is the runtime class's to say
	requests   amounts // both, and one pod
	ignored    []string
	err        error // why it cannot be judged
}

// A runtimeClass is what it requires of a pod's node.
type runtimeClass struct {
	overhead    amounts
	selector    map[string]string
	tolerations toleration.List
}

// A cluster is what was read.
type cluster struct {
	nodes    []*node
	byName   map[string]*node
	waiting  []*pod
	bound    []*pod
	classes  map[string]*runtimeClass
	seen     map[string]bool
	problems []error
}

// The parts of the API's objects that kubejson does not read. Resource lists
// are read by readAmounts, which reports where a quantity is wrong.
type (
	list      map[string]json.RawMessage
	resources struct{ Requests, Limits list }
	container struct {
		RestartPolicy string
		Resources     resources
		Ports         []struct{ HostPort int32 }
	}
	nodeObject struct {
		Metadata struct{ Labels map[string]string }
		Status   struct{ Allocatable list }
	}
	podObject struct {
		Metadata struct{ CreationTimestamp *time.Time }
		Spec     struct {
			Priority                   *int32
			RuntimeClassName           *string
			NodeSelector               map[string]string
			Overhead                   list
			Resources                  *resources
			InitContainers, Containers []container
			Affinity                   map[string]json.RawMessage
			TopologySpreadConstraints  []json.RawMessage
			SchedulingGates            []struct{ Name string }
			Volumes                    []struct{ PersistentVolumeClaim json.RawMessage }
		}
	}
	classObject struct {
		Overhead   *struct{ PodFixed list }
		Scheduling *struct {
			NodeSelector map[string]string
			Tolerations  json.RawMessage
		}
	}
)

func newCluster() *cluster {
	return &cluster{byName: map[string]*node{}, classes: map[string]*runtimeClass{}, seen: map[string]bool{}}
}

// load reads all files; "-" is stdin, and none is the sample.
func load(files []string, stdin io.Reader) (*cluster, error) {
	c := newCluster()
	if len(files) == 0 {
		c.read("sample", strings.NewReader(sample))
	}
	for _, name := range files {
		if name == "-" {
			c.read("standard input", stdin)
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		c.read(name, f)
		f.Close() // it was only read
	}
	if len(c.nodes)+len(c.waiting)+len(c.bound)+len(c.problems) == 0 {
		return nil, errors.New("there are no nodes and no pods in the input")
	}
	c.settle()
	return c, nil
}

func (c *cluster) read(source string, r io.Reader) {
	for o, err := range kubejson.Objects(source, r) {
		if err != nil {
			c.problems = append(c.problems, err)
			continue
		}
		key := o.String()
		switch {
		case o.Is("Node"), o.Is("Pod") && !strings.HasSuffix(o.Name, "*"), isClass(o):
			if c.seen[key] {
				c.report(o, errors.New("it is given more than once; the first counts"))
				continue
			}
			c.seen[key] = true
		}
		switch {
		case o.Is("Node"):
			c.node(o)
		case o.Is("Pod"):
			c.pod(o)
		case isClass(o):
			c.class(o)
		}
	}
}

func isClass(o *kubejson.Object) bool {
	return o.Kind == "RuntimeClass" && (o.APIVersion == "" || strings.HasPrefix(o.APIVersion, "node.k8s.io/"))
}

func (c *cluster) report(o *kubejson.Object, err error) {
	for _, p := range o.Problems(err) {
		c.problems = append(c.problems, p)
	}
}

func (c *cluster) node(o *kubejson.Object) {
	var more nodeObject
	n, err := o.Node()
	err = errors.Join(err, decode(o.Raw, &more))
	total, wrong := readAmounts(more.Status.Allocatable, "status.allocatable")
	if err = errors.Join(err, wrong); err != nil {
		c.report(o, err)
		return
	}
	added := &node{
		name:   n.Name,
		taints: match.Node{Taints: n.Taints, Unschedulable: n.Unschedulable},
		labels: more.Metadata.Labels,
		total:  total,
		free:   maps.Clone(total),
	}
	c.nodes = append(c.nodes, added)
	c.byName[n.Name] = added
}

// decode reads the fields that v names. The object is known to be valid JSON.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		parts := strings.Split(wrong.Field, ".") // the names above, which differ from the API's in the first letter
		for i, name := range parts {
			parts[i] = strings.ToLower(name[:1]) + name[1:]
		}
		return fmt.Errorf("%s: must not be a %s", strings.Join(parts, "."), wrong.Value)
	}
	return err
}

func (c *cluster) pod(o *kubejson.Object) {
	var more podObject
	read, err := o.Pod()
	err = errors.Join(err, decode(o.Raw, &more))
	s := &more.Spec
	p := &pod{Pod: read, selector: s.NodeSelector, ignored: ignores(&more)}
	if s.Priority != nil {
		p.priority = *s.Priority
	}
	if s.RuntimeClassName != nil {
		p.class = *s.RuntimeClassName
	}
	if at := more.Metadata.CreationTimestamp; at != nil {
		p.created = *at
	}
	if s.Overhead != nil {
		var wrong error
		p.overhead, wrong = readAmounts(s.Overhead, "spec.overhead")
		err = errors.Join(err, wrong)
	}
	var wrong error
	p.containers, wrong = ofContainers(s.InitContainers, s.Containers, s.Resources)
	if err = errors.Join(err, wrong); err != nil {
		c.report(o, err)
		p.err = errors.New("its manifest is wrong")
	}
	switch {
	case p.Finished():
	case p.Node != "":
		c.bound = append(c.bound, p)
	case p.Terminating:
	default:
		if p.err == nil && len(s.SchedulingGates) > 0 {
			p.err = fmt.Errorf("it waits behind the scheduling gate %q", s.SchedulingGates[0].Name)
		}
		c.waiting = append(c.waiting, p)
	}
}

// ignores names what the pod requests and this program does not look at.
func ignores(o *podObject) (ignored []string) {
	s := &o.Spec
	if len(s.Affinity) > 0 {
		ignored = append(ignored, "affinity")
	}
	if len(s.TopologySpreadConstraints) > 0 {
		ignored = append(ignored, "topologySpreadConstraints")
	}
	if slices.ContainsFunc(s.Containers, func(c container) bool {
		return slices.ContainsFunc(c.Ports, func(p struct{ HostPort int32 }) bool { return p.HostPort != 0 })
	}) {
		ignored = append(ignored, "hostPort")
	}
	for _, v := range s.Volumes {
		if v.PersistentVolumeClaim != nil {
			return append(ignored, "persistentVolumeClaim")
		}
	}
	return ignored
}

// ofContainers is what the containers need at any one moment: all that run side by
// side, or an init container beside those that were started before it and stay.
// What the pod as a whole requests takes the place of that; where it only has a
// limit, that does where no container says anything, and always for huge pages,
// of which a limit is a request.
func ofContainers(inits, containers []container, whole *resources) (amounts, error) {
	var errs []error
	request := func(c resources, path string) amounts {
		limits, err := readAmounts(c.Limits, path+".limits")
		requests, wrong := readAmounts(c.Requests, path+".requests")
		errs = append(errs, err, wrong)
		maps.Copy(limits, requests)
		return limits
	}
	most, staying, together := amounts{}, amounts{}, amounts{}
	for i, c := range inits {
		r := request(c.Resources, fmt.Sprintf("spec.initContainers[%d].resources", i))
		if c.RestartPolicy == "Always" {
			staying.plus(r)
			most.atLeast(staying)
			continue
		}
		r.plus(staying)
		most.atLeast(r)
	}
	for i, c := range containers {
		together.plus(request(c.Resources, fmt.Sprintf("spec.containers[%d].resources", i)))
	}
	together.plus(staying)
	most.atLeast(together)
	if whole != nil {
		for resource, n := range request(*whole, "spec.resources") {
			_, asked := whole.Requests[resource]
			if _, found := most[resource]; asked || !found || strings.HasPrefix(resource, "hugepages-") {
				most[resource] = n
			}
		}
	}
	return most, errors.Join(errs...)
}

func (c *cluster) class(o *kubejson.Object) {
	var more classObject
	err := decode(o.Raw, &more)
	r := &runtimeClass{overhead: amounts{}}
	if more.Overhead != nil {
		var wrong error
		r.overhead, wrong = readAmounts(more.Overhead.PodFixed, "overhead.podFixed")
		err = errors.Join(err, wrong)
	}
	if s := more.Scheduling; s != nil {
		r.selector = s.NodeSelector
		if s.Tolerations != nil {
			var wrong error
			r.tolerations, _, wrong = toleration.Decode(s.Tolerations, toleration.ListOptions{Path: "scheduling.tolerations"})
			err = errors.Join(err, wrong)
		}
	}
	if err != nil {
		c.report(o, err)
		return
	}
	c.classes[o.Name] = r
}
