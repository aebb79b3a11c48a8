package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// A cluster is what the input says, and what is to become of it.
type cluster struct {
	nodes  []*node
	pods   []*pod
	chosen []*node
	sample bool

	problems, warnings []*kubejson.Problem
	refusals           int  // problems: a chosen node is missing or refuses an edit
	unknownChosen      bool // a chosen node cannot be read
}

type node struct {
	name     string
	raw      []byte
	where    kubejson.Problem // the node as the object of a problem
	before   match.Node
	after    match.Node
	outcome  taint.Outcome // 0 when it is not chosen
	problems []*kubejson.Problem
	labels   map[string]string
}

func newNode(o *kubejson.Object) (*node, []*kubejson.Problem) {
	read, err := o.Node()
	n := &node{
		name:     read.Name,
		raw:      slices.Clone(o.Raw),
		where:    kubejson.Problem{Source: o.Source, Line: o.Line, Place: o.Place, Object: o.String()},
		before:   match.Node{Taints: read.Taints, Unschedulable: read.Unschedulable},
		problems: o.Problems(err),
	}
	n.after = n.before
	f, _ := o.Fields("metadata.labels")
	if f[0].Kind != apijson.Absent && json.Unmarshal([]byte(f[0].Raw()), &n.labels) != nil {
		n.problems = append(n.problems, n.problem("metadata.labels", errors.New("metadata.labels: must be an object of strings")))
	}
	if n.name == "" {
		n.problems = append(n.problems, n.problem("metadata.name", errors.New("metadata.name: missing")))
	}
	return n, o.Problems(read.Ignored.Err())
}

func (n *node) problem(path string, err error) *kubejson.Problem {
	p := n.where
	p.Path, p.Err = path, err
	return &p
}

// choose says which nodes are to be edited.
func (c *cluster) choose(opts options) {
	byName := make(map[string]*node)
	for _, n := range c.nodes {
		if n.name != "" && byName[n.name] != nil {
			n.problems = append(n.problems, n.problem("metadata.name", errors.New("the node is given more than once")))
		}
		byName[n.name] = n
	}
	refuse := func(err error) {
		c.refusals++
		c.report("input", err)
	}
	named := make(map[string]bool)
	for _, name := range opts.names {
		if byName[name] == nil && !named[name] {
			refuse(fmt.Errorf("no node %s", kubejson.Printable(name)))
		}
		named[name] = true
	}
	for _, n := range c.nodes {
		if opts.all || named[n.name] || len(opts.selector) > 0 && meets(n.labels, opts.selector) {
			c.chosen = append(c.chosen, n)
		}
	}
	if len(c.chosen) == 0 && len(c.problems) == 0 {
		refuse(errors.New("no node is chosen"))
	}
}

// edit applies the edits to the chosen nodes, or reports all errors.
func (c *cluster) edit(opts options) {
	how := taint.EditOptions{Overwrite: opts.overwrite}
	if opts.stamp {
		how.TimeAdded = opts.now
	}
	chosen := make(map[*node]bool)
	for _, n := range c.chosen {
		chosen[n] = true
	}
	for _, n := range c.nodes {
		switch {
		case len(n.problems) > 0:
			if chosen[n] {
				c.unknownChosen = true
			}
			c.problems = append(c.problems, n.problems...)
		case chosen[n]:
			c.editNode(n, opts.edits, how)
		}
	}
}

func (c *cluster) editNode(n *node, edits []taint.Edit, how taint.EditOptions) {
	after, outcome, err := taint.Apply(n.before.Taints, edits, how)
	var refusals validate.Problems
	if errors.As(err, &refusals) {
		c.refusals += len(refusals)
		for _, p := range refusals {
			c.problems = append(c.problems, n.problem("", fmt.Errorf("%s %v", p.Value, p.Rule.Description())))
		}
		return
	}
	n.after.Taints, n.outcome = after, outcome
}

// A requirement is one part of a selector.
type requirement struct {
	key, value string
	any        bool // the key alone counts
	not        bool
}

// parseSelector reads what -l says. It knows nothing of sets, such as
// "pool in (a,b)".
func parseSelector(text string) ([]requirement, error) {
	if text == "" {
		return nil, nil
	}
	var all []requirement
	for part := range strings.SplitSeq(text, ",") {
		var r requirement
		switch {
		case strings.Contains(part, "!="):
			r.key, r.value, _ = strings.Cut(part, "!=")
			r.not = true
		case strings.Contains(part, "="):
			r.key, r.value, _ = strings.Cut(part, "=")
			r.value = strings.TrimPrefix(r.value, "=")
		default:
			r.key, r.not = strings.CutPrefix(part, "!")
			r.any = true
		}
		if err := errors.Join(validate.Key(r.key), validate.Value(r.value)); err != nil {
			return nil, fmt.Errorf("-l %q: %w", text, err)
		}
		all = append(all, r)
	}
	return all, nil
}

func meets(labels map[string]string, selector []requirement) bool {
	for _, r := range selector {
		value, ok := labels[r.key]
		if (ok && (r.any || value == r.value)) == r.not {
			return false
		}
	}
	return true
}
