package kubejson

import (
	"fmt"
	"strings"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// A Node is what decides which pods a node repels.
type Node struct {
	Name          string // may be empty
	Taints        taint.List
	Unschedulable bool // cordoned

	// Ignored describes which fields of the taints are ignored: those
	// that no taint has, and those given twice, of which the last counts. An API
	// server does so too, and never writes such, so somebody wrote them by hand
	// and meant something by them.
	Ignored validate.Problems
}

// Node reads the object as a node. On an error, which is all problems of it,
// the taints are not known; the name is, as far as there is one.
func (o *Object) Node() (Node, error) {
	// The labels are not read here, but callers that read them need to know them unambiguous.
	f, ps := o.Fields("metadata.name", "spec.taints", "spec.unschedulable", "metadata.labels")
	n := Node{Name: o.Name}
	_, ps = f[0].AsString("metadata.name", ps)
	const path = "spec.taints"
	var taints taint.List
	err := checkSize(f[1], path)
	if err == nil {
		taints, n.Ignored, err = taint.Decode([]byte(f[1].Raw()), taint.ListOptions{Path: path})
	}
	ps = problem.Append(ps, "", err)
	n.Unschedulable, err = asBool(f[2], "spec.unschedulable")
	ps = problem.Append(ps, "", err)
	if ps != nil {
		return Node{Name: o.Name, Ignored: n.Ignored}, ps
	}
	n.Taints = taints
	return n, nil
}

func asBool(f apijson.Field, path string) (bool, error) {
	switch {
	case f.Kind == apijson.Absent:
		return false, nil
	case f.Kind == apijson.Other && (f.Text == "true" || f.Text == "false"):
		return f.Text == "true", nil
	}
	return false, &validate.Problem{Path: path, Err: fmt.Errorf("must be true or false, not %s", shown([]byte(f.Raw())))}
}

// asText is the content of a field that must be a string, apart from the
// object's memory.
func asText(f apijson.Field, path string, ps validate.Problems) (string, validate.Problems) {
	s, ps := f.AsString(path, ps)
	return strings.Clone(s), ps
}
