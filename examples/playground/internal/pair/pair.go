// Package pair judges one node and one pod, which people typed or pasted. The answers are
// those of the library; the words for them are here.
package pair

import (
	"fmt"
	"slices"
	"strings"
	"time"

	k8syaml "sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/internal/remover"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// A Question is what the page has.
type Question struct {
	Taints, Tolerations string
	Cordoned, Numeric   bool // Numeric is whether the cluster has Lt and Gt
}

// An Answer is what the page shows.
type Answer struct {
	State         string // "yes", "other" (other nodes are better), "no", or "wrong" with mistakes
	Title         string
	Running, Note string // what happens to a pod that runs there; what else to know
	Mistakes      []Mistake
	Probable      []Mistake // what lint finds
	Rows          []Row
	AddTitle, Add string // YAML to add to the pod
}

// A Row is about a taint: by which toleration, or why not; and what the taint does to the pod.
type Row struct{ Taint, State, Because, Follows string }

// Judge answers a question.
func Judge(q Question) (a Answer) {
	var taints taint.List
	in, err := ofNode.read(q.Taints)
	if err == nil && in.json != nil {
		taints, _, err = taint.Decode(in.json, taint.DecodeOptions{Strict: true})
	}
	a.check(ofNode, in, err)
	node := match.Node{Taints: taints, Unschedulable: q.Cordoned || in.cordoned}
	var pod toleration.List
	if in, err = ofPod.read(q.Tolerations); err == nil && in.json != nil {
		pod, _, err = toleration.Decode(in.json, toleration.DecodeOptions{Strict: true, NumericOff: !q.Numeric})
	}
	a.check(ofPod, in, err)
	if len(a.Mistakes) > 0 {
		a.State, a.Title = "wrong", "No answer yet: correct the mistakes first."
		return a
	}
	all := slices.Concat(pod, admission.DefaultSeconds(admission.SecondsOptions{}, pod))
	a.node(node, all)
	a.taints(node, all, len(pod))
	for _, f := range lint.Find(pod, lint.Options{}) {
		text := f.Severity.String() + ": " + f.Message() + "."
		if _, fix, ok := strings.Cut(f.Fix.String(), ": "); ok {
			text += " To fix it, " + fix + "."
		}
		a.Probable = append(a.Probable, Mistake{"tolerations", in.line(fmt.Sprintf("%s[%d]", in.path, f.Index)), text})
	}
	return a
}

// check adds what is wrong with a list.
func (a *Answer) check(f format, in *input, err error) {
	if in.json == nil && len(in.root.Content) > 0 && !in.cordoned {
		a.Note = "The YAML has no field " + f.field + ", so there are none."
	}
	a.Mistakes = append(a.Mistakes, f.mistakes(in, err)...)
}

// node sets whether the pod can be scheduled, and is evicted.
func (a *Answer) node(node match.Node, pod toleration.List) {
	switch result := node.Filter(pod); {
	case result.Preferred():
		a.State, a.Title = "yes", "Yes: the pod tolerates all taints of this node, and can be scheduled on it."
	case result.Schedulable():
		a.State, a.Title = "other", "Yes, but other nodes are better: the scheduler prefers them."
	default:
		t, _ := node.Blocking(pod)
		a.State, a.Title = "no", "No: the pod cannot be scheduled on this node. It does not tolerate "+t.String()+"."
	}
	now := time.Unix(1e9, 0) // for each taint, whenever it was added
	var observed []eviction.Observed
	for _, t := range node.Taints {
		observed = append(observed, eviction.Observed{Taint: t, Since: now})
	}
	d := eviction.Decide(observed, now, eviction.Options{}, pod)
	i, _ := d.Taint()
	a.Running = "If the pod runs there already, it "
	switch at, _ := d.Deadline(); d.Kind() {
	case eviction.Never:
		a.Running += "stays."
	case eviction.Due:
		a.Running += "is evicted now, because of " + node.Taints[i].String() + "."
	default:
		a.Running += fmt.Sprintf("is evicted %d s after %v was added.", at.Unix()-now.Unix(), node.Taints[i])
	}
}

// taints sets what each taint does, and what to add. The pod has the first own tolerations;
// Kubernetes adds the others.
func (a *Answer) taints(node match.Node, pod toleration.List, own int) {
	var add toleration.List
	for e := range node.Explanations(toleration.First, pod) {
		text, _, _ := strings.Cut(e.String(), "; to add")
		r := Row{Taint: e.Taint.String(), State: "yes", Because: strings.TrimPrefix(text, e.Taint.String()+" is ")}
		if e.Index < 0 {
			r.Taint += " (the cordon)"
		}
		evicts := e.Taint.Effect() == taint.NoExecute
		switch seconds, limited := e.Seconds(); {
		case e.Mismatch == 0 && evicts && limited:
			r.Follows = fmt.Sprintf("The taint does not repel the pod, but evicts it after %d s.", seconds)
		case e.Mismatch == 0:
			r.Follows = "The taint does not repel the pod."
		case evicts:
			r.State, r.Follows = "no", "The pod cannot be scheduled, and is evicted if it runs there."
		case e.Blocks():
			r.State, r.Follows = "no", "The pod cannot be scheduled. If it runs there, it stays."
		default:
			r.State, r.Follows = "other", "The pod can be scheduled, but other nodes are better."
		}
		if e.Mismatch == 0 && e.At >= own {
			r.Because += ", which Kubernetes adds to every pod"
		} else if reason := (*remover.Program)(nil).Reason(e.Taint); e.Mismatch != 0 && reason != "" {
			r.Follows += " Do not add a toleration: " + strings.Replace(reason, ": ", "; ", 1) + "."
		} else if e.Mismatch != 0 {
			add = append(add, remover.Addition(e, false))
		}
		a.Rows = append(a.Rows, r)
	}
	if len(add) == 0 {
		return
	}
	text, _ := k8syaml.Marshal(map[string]toleration.List{"tolerations": add}) // what was read can be written
	a.Add, a.AddTitle = string(text), "Add to the YAML of the pod, in its field spec:"
	if own > 0 {
		_, a.Add, _ = strings.Cut(a.Add, "\n")
		a.AddTitle = "Add to the pod's list of tolerations:"
	}
	if !node.Schedulable(slices.Concat(pod, add)) {
		a.AddTitle = "This is not enough, see the table. " + a.AddTitle
	}
}
