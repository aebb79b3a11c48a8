package kubejson

import (
	"strings"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A Pod is what decides where a pod may run, and whether that is still a
// question.
type Pod struct {
	Namespace   string // may be empty
	Name        string // may be empty, or end in "*" when it is still to be generated
	Node        string // that it is bound to; empty while it waits for one
	Phase       string // Pending, Running, Succeeded, Failed, Unknown, or empty
	Tolerations toleration.List
	Terminating bool // it is being deleted
	Static      bool // run by its kubelet, which wrote this mirror of it
	Claims      []PodClaim

	// Ignored describes which fields of the tolerations are ignored, as
	// in a [Node].
	Ignored validate.Problems
}

// A PodClaim is how a pod refers to a claim.
type PodClaim struct {
	Name     string // in the pod
	Claim    string // of the ResourceClaim; empty if it is not made yet
	Template string // of the ResourceClaimTemplate, if there is one
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
		"metadata.annotations", "spec.nodeName", "spec.tolerations", "status.phase",
		"spec.resourceClaims", "status.resourceClaimStatuses")
	p := Pod{Namespace: o.Namespace, Name: o.Name}
	_, ps = f[0].AsString("metadata.namespace", ps)
	_, ps = f[1].AsString("metadata.name", ps)
	_, ps = f[2].AsString("metadata.generateName", ps)
	deleted, ps := f[3].AsString("metadata.deletionTimestamp", ps)
	p.Terminating = deleted != ""
	p.Static, ps = isMirror(f[4], ps)
	p.Node, ps = asText(f[5], "spec.nodeName", ps)
	const path = "spec.tolerations"
	var tolerations toleration.List
	err := checkSize(f[6], path)
	if err == nil {
		tolerations, p.Ignored, err = toleration.Decode([]byte(f[6].Raw()), toleration.ListOptions{Path: path})
	}
	ps = problem.Append(ps, "", err)
	p.Phase, ps = asText(f[7], "status.phase", ps)
	p.Claims, ps = podClaims(f[8], f[9], ps)
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
		return false, problem.Append(ps, "metadata.annotations", err)
	}
	found, seen := false, 0
	scan.Enter('{')
	for scan.More() {
		name, value := scan.Name(), scan.Value()
		if name != mirror {
			continue
		}
		found = found || value.Kind != apijson.Absent
		if seen++; seen == 2 {
			ps = append(ps, &validate.Problem{Path: "metadata.annotations[" + mirror + "]", Value: value.Raw(), Rule: validate.FieldRepeated})
		}
	}
	return found, ps
}
