package main

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/validate"
)

type loader struct {
	cluster
	pods     map[string]*pod
	classes  map[string]*podClass
	kinds    map[string]*otherKind
	key      []byte
	redact   bool
	progress *progress
}

// An otherKind is the objects of one file of a kind that is not judged.
type otherKind struct {
	first   *kubejson.Problem
	name    string
	objects int
}

// load reads all inputs.
func load(inputs iter.Seq2[input, error], opts options, progress *progress) *cluster {
	l := loader{
		cluster:  cluster{byName: make(map[string]*node)},
		pods:     make(map[string]*pod),
		classes:  make(map[string]*podClass),
		redact:   opts.redact,
		progress: progress,
	}
	for in, err := range inputs {
		if err != nil {
			l.problems = append(l.problems, &kubejson.Problem{Source: in.name, Err: err})
			continue
		}
		l.read(in)
	}
	if len(l.nodes) == 0 && len(l.cluster.pods) > 0 {
		l.problems = append(l.problems, &kubejson.Problem{Source: "input", Err: errors.New("no nodes, so there is nothing to compare the pods with: kubectl get nodes,pods -A -o json gives both")})
	}
	l.classify()
	l.devices.classify()
	return &l.cluster
}

func (l *loader) read(in input) {
	l.sample = in.sample
	l.kinds = make(map[string]*otherKind)
	r := l.progress.watch(in)
	for o, err := range kubejson.Objects(in.name, r) {
		l.progress.object()
		var p *kubejson.Problem
		switch {
		case errors.As(err, &p):
			p.Err = l.redacted(p.Err)
			l.problems = append(l.problems, p)
		case o.Is("Node"):
			l.node(o)
		case o.Is("Pod"):
			l.pod(o)
		case l.device(o):
		default:
			l.other(o)
		}
	}
	for _, k := range l.kinds {
		k.first.Err = fmt.Errorf("unknown kind %s (-help lists those that are judged)", kubejson.Printable(k.name))
		if k.objects > 1 {
			k.first.Err = fmt.Errorf("%w (the first of %d such objects)", k.first.Err, k.objects)
		}
	}
}

func (l *loader) other(o *kubejson.Object) {
	name := strings.TrimSpace(o.APIVersion + " " + o.Kind)
	k := l.kinds[name]
	if k == nil {
		k = &otherKind{name: name, first: o.Problems(errors.New("unknown kind"))[0]}
		l.kinds[name] = k
		l.problems = append(l.problems, k.first)
	}
	k.objects++
}

// because records the problems of an object, and returns them as the reason why
// it is unknown.
func (l *loader) because(o *kubejson.Object, err error) string {
	if err == nil {
		return ""
	}
	problems := o.Problems(l.redacted(err))
	l.problems = append(l.problems, problems...)
	var texts []string
	for _, p := range problems {
		texts = append(texts, strings.ReplaceAll(p.Err.Error(), "\n", "; "))
	}
	return strings.Join(texts, "; ")
}

// warn records the ignored fields of an object.
func (l *loader) warn(o *kubejson.Object, ignored validate.Problems) {
	l.warnings = append(l.warnings, o.Problems(l.redacted(ignored.Err()))...)
}

// position names an object that has no name of its own.
func (l *loader) position(o *kubejson.Object) string {
	l.problems = append(l.problems, o.Problems(errors.New("metadata.name: missing"))...)
	if o.Place == "" {
		return fmt.Sprintf("(%s:%d)", o.Source, o.Line)
	}
	return fmt.Sprintf("(%s:%d %s)", o.Source, o.Line, o.Place)
}

func (l *loader) node(o *kubejson.Object) {
	read, err := o.Node()
	l.warn(o, read.Ignored)
	n := &node{
		name:    read.Name,
		taints:  match.Node{Taints: read.Taints, Unschedulable: read.Unschedulable},
		because: l.because(o, err),
	}
	if n.name == "" {
		n.name = l.position(o)
	}
	earlier := l.byName[n.name]
	switch {
	case earlier == nil:
		l.byName[n.name] = n
		l.nodes = append(l.nodes, n)
	case !earlier.sameAs(n):
		earlier.because = "it is given more than once, with different taints"
		l.problems = append(l.problems, o.Problems(errors.New(earlier.because))...)
	}
}

func (l *loader) pod(o *kubejson.Object) {
	read, err := o.Pod()
	l.warn(o, read.Ignored)
	read.Ignored = nil
	p := &pod{Pod: read, because: l.because(o, err)}
	if err == nil {
		p.class = l.class(p)
		p.Tolerations = p.class.tolerations // one copy for all
	}
	if p.Name == "" {
		p.Name = l.position(o)
	}
	generated := strings.HasSuffix(p.Name, "*") // several may be made of it
	earlier := l.pods[p.fullName()]
	switch {
	case earlier == nil || generated:
		l.pods[p.fullName()] = p
		l.cluster.pods = append(l.cluster.pods, p)
	case !earlier.sameAs(p):
		earlier.because = "it is given more than once, in different states"
		l.problems = append(l.problems, o.Problems(errors.New(earlier.because))...)
	}
}

// class returns the class of a pod whose tolerations are known.
func (l *loader) class(p *pod) *podClass {
	l.key = appendKey(l.key[:0], p.Tolerations)
	class := l.classes[string(l.key)]
	if class == nil {
		class = newPodClass(p.Tolerations)
		l.classes[string(l.key)] = class
	}
	return class
}
