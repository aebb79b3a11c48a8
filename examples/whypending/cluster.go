package main

import (
	"slices"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A cluster is what the input says.
type cluster struct {
	nodes    []*node
	pods     []*pod // finished ones too
	problems []*kubejson.Problem
	warnings []*kubejson.Problem // of what is read nevertheless
	sample   bool                // it is an embedded one
	devices  devices

	byName  map[string]*node
	classes []*nodeClass // of the known nodes, in the order of their first
	unknown []*node
}

type node struct {
	name    string
	taints  match.Node
	because string // why the taints are unknown; empty when they are known
	class   *nodeClass
}

// A nodeClass is the nodes that are alike to every pod: fleets have few, so a
// list of tolerations is judged once for each.
type nodeClass struct {
	taints match.Node // sorted, without times added
	nodes  int
}

type pod struct {
	kubejson.Pod
	because string // why the tolerations are unknown; empty when they are known
	class   *podClass
}

// A podClass is the pods with the same tolerations in the same order.
type podClass struct {
	tolerations toleration.List
	decision    *decision // nil until it is requested
	fix         *fix      // likewise
	deciders    *deciders // likewise

	// The groups of taints that tolerations without a key match, and those where
	// the others may find something to match, each once.
	all, some []string
}

func newPodClass(tolerations toleration.List) *podClass {
	c := &podClass{tolerations: tolerations}
	for _, u := range tolerations {
		switch op := u.Operator(); {
		case u.Key() == "":
			c.all = append(c.all, effectGroup(u.Effect()))
		case op == toleration.Equal || op == 0:
			c.some = append(c.some, valueGroup(u.Key(), u.Value()))
		default:
			c.some = append(c.some, u.Key())
		}
	}
	slices.Sort(c.all)
	slices.Sort(c.some)
	c.all, c.some = slices.Compact(c.all), slices.Compact(c.some)
	return c
}

// Groups of taints are named by what they have in common: a key, a key and a
// value, or an effect, which may be any.
func valueGroup(key, value string) string { return key + "=" + value }

func effectGroup(e taint.Effect) string {
	if e == 0 {
		return ":"
	}
	return ":" + e.String()
}

func (p *pod) fullName() string {
	if p.Namespace == "" {
		return p.Name
	}
	return p.Namespace + "/" + p.Name
}

// called reports whether name is the pod's, with or without its namespace.
func (p *pod) called(name string) bool { return name == p.Name || name == p.fullName() }

// waits reports whether a scheduler has still to find a node for the pod.
func (p *pod) waits() bool { return p.Node == "" && !p.Terminating && !p.Finished() }

// classify sorts the nodes into classes.
func (c *cluster) classify() {
	byKey := make(map[string]*nodeClass)
	var key []byte
	for _, n := range c.nodes {
		if n.because != "" {
			c.unknown = append(c.unknown, n)
			continue
		}
		key = n.appendKey(key[:0])
		class := byKey[string(key)]
		if class == nil {
			class = &nodeClass{taints: n.alike()}
			byKey[string(key)] = class
			c.classes = append(c.classes, class)
		}
		n.class = class
		class.nodes++
	}
}

// alike returns the taints in the form that nodes of one class share.
func (n *node) alike() match.Node {
	taints := n.taints.Taints.Canonical()
	return match.Node{Taints: taints, Unschedulable: n.taints.Unschedulable}
}

// appendKey appends a text that is the same for nodes of one class alone.
func (n *node) appendKey(b []byte) []byte {
	alike := n.alike()
	if alike.Unschedulable {
		b = append(b, '!')
	}
	b, _ = alike.Taints.AppendText(b)
	return b
}

// sameAs reports whether two readings of a node say the same.
func (n *node) sameAs(m *node) bool {
	return n.because == m.because && string(n.appendKey(nil)) == string(m.appendKey(nil))
}

// sameAs reports whether two readings of a pod say the same.
func (p *pod) sameAs(q *pod) bool {
	return p.because == q.because && p.class == q.class && p.Node == q.Node && p.Phase == q.Phase && p.Terminating == q.Terminating && slices.Equal(p.Claims, q.Claims)
}

// appendKey appends a text that is the same for equal lists alone.
func appendKey(b []byte, tolerations toleration.List) []byte {
	for _, u := range tolerations {
		b, _ = u.AppendText(b) // fails for no toleration
		b = append(b, '\n')
	}
	return b
}

// unfinished returns the pods to judge, and how many are finished instead.
func (c *cluster) unfinished() (pods []*pod, finished int) {
	pods = slices.DeleteFunc(slices.Clone(c.pods), func(p *pod) bool { return p.Finished() })
	return pods, len(c.pods) - len(pods)
}
