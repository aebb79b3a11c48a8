package kubejson

import (
	"strings"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
)

// A Pod is what decides where a pod may run, and whether that is still a
// question.
type Pod struct {
	Namespace   string // may be empty
	Name        string // may be empty, or end in "*" when it is still to be generated
	Node        string // that it is bound to; empty while it waits for one
	Phase       string // Pending, Running, Succeeded, Failed, Unknown, or empty
	Tolerations []toleration.Toleration
	Terminating bool // it is being deleted
	Static      bool // run by its kubelet, which wrote this mirror of it

	// Ignored tells which fields of the tolerations are left out of account, as
	// in a [Node].
	Ignored validate.Problems
}

// Finished reports whether the pod has run to its end, so that it stays on its
// node in name only.
func (p *Pod) Finished() bool { return p.Phase == "Succeeded" || p.Phase == "Failed" }

// mirror is the annotation that a kubelet gives to the mirror of a static pod.
const mirror = "kubernetes.io/config.mirror"

// Pod reads the object as a pod. On an error, which is all problems of it, the
// tolerations are not known; the rest is as far as it could be read.
func (o *Object) Pod() (Pod, error) {
	f, ps := o.Fields("metadata.namespace", "metadata.name", "metadata.generateName", "metadata.deletionTimestamp",
		"metadata.annotations", "spec.nodeName", "spec.tolerations", "status.phase")
	p := Pod{Namespace: o.Namespace, Name: o.Name}
	_, ps = f[0].AsString("metadata.namespace", ps)
	_, ps = f[1].AsString("metadata.name", ps)
	_, ps = f[2].AsString("metadata.generateName", ps)
	deleted, ps := f[3].AsString("metadata.deletionTimestamp", ps)
	p.Terminating = deleted != ""
	p.Static, ps = isMirror(f[4], ps)
	p.Node, ps = asText(f[5], "spec.nodeName", ps)
	raw, options := []byte(f[6].Raw()), toleration.ListOptions{Path: "spec.tolerations", Strict: true}
	tolerations, err := toleration.DecodeList(raw, options)
	if p.Ignored = ignored(err); p.Ignored != nil {
		options.Strict = false
		tolerations, err = toleration.DecodeList(raw, options)
	}
	ps = validate.Append(ps, "", err)
	p.Phase, ps = asText(f[7], "status.phase", ps)
	if ps != nil {
		return p, ps
	}
	p.Tolerations = tolerations
	return p, nil
}

func isMirror(annotations apijson.Field, ps validate.Problems) (bool, validate.Problems) {
	switch {
	case annotations.Kind == apijson.Absent:
		return false, ps
	case annotations.Kind != apijson.Other || annotations.Text[0] != '{':
		return false, append(ps, &validate.Problem{Path: "metadata.annotations", Value: annotations.Raw(), Rule: validate.NotObject})
	case !strings.Contains(annotations.Text, mirror): // nearly all; the look inside is for the few others
		return false, ps
	}
	scan, err := apijson.NewScanner([]byte(annotations.Text))
	if err != nil {
		return false, validate.Append(ps, "metadata.annotations", err)
	}
	found := false
	scan.Enter('{')
	for scan.More() {
		name, value := scan.Name(), scan.Value()
		found = found || name == mirror && value.Kind != apijson.Absent
	}
	return found, ps
}
