// Package cluster reads what kubectl get nodes,pods -A -o json prints, one object after
// the other, for the programs in examples.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/resource"
	"github.com/go-tolerate/tolerate/examples/internal/selector"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

const (
	maxObject  = 2 << 20 // bytes, and as many that were read ahead; the API server stores less
	maxObjects = 1_000_000
)

// An Object has what the programs read of a Node, a Pod or a RuntimeClass.
type Object struct {
	Size     int `json:"-"` // in bytes
	Kind     string
	Metadata struct {
		Namespace, Name, DeletionTimestamp string
		Labels                             map[string]string
	}
	Spec struct {
		Taints                     taints
		Unschedulable              bool
		NodeName, RuntimeClassName string
		Tolerations                tolerations
		NodeSelector               map[string]string
		Affinity                   selector.Affinity
		Priority                   int32
		InitContainers, Containers []resource.Container
		Overhead                   resource.Amounts
		SchedulingGates, Resources any
	}
	Status struct {
		Allocatable resource.Amounts
		Phase       string
	}
	Overhead   struct{ PodFixed resource.Amounts } // of a RuntimeClass
	Scheduling any
}

// Name returns the name with the namespace.
func (o *Object) Name() string {
	return strings.TrimPrefix(o.Metadata.Namespace+"/"+o.Metadata.Name, "/")
}

// Ended reports whether a pod is finished, or is being deleted.
func (o *Object) Ended() bool {
	return o.Status.Phase == "Succeeded" || o.Status.Phase == "Failed" || o.Metadata.DeletionTimestamp != ""
}

type taints taint.List

// UnmarshalJSON is strict, and returns problems with paths.
func (l *taints) UnmarshalJSON(data []byte) error {
	if *l != nil { // package json reads "Taints", too
		return errors.New("spec.taints: occurs twice")
	}
	list, _, err := taint.Decode(data, taint.ListOptions{Strict: true})
	*l = taints(list)
	return err
}

type tolerations toleration.List

// UnmarshalJSON is strict, and returns problems with paths.
func (l *tolerations) UnmarshalJSON(data []byte) error {
	list, _, err := toleration.Decode(data, toleration.ListOptions{Strict: true})
	*l = tolerations(list)
	return err
}

var (
	first = regexp.MustCompile(`\b[A-Z]`) // letters of the parts of a path
	names = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*/)?[a-z0-9][a-z0-9.-]{0,252}$`)
)

// Read calls each for the objects of the lists, and report for what is wrong. A wrong
// Node has the zero Taint, which repels every pod; what else is wrong is omitted. The
// first error of syntax is the end.
func Read(in io.Reader, each func(*Object), report func(error)) {
	l := &io.LimitedReader{R: in, N: maxObject} // renewed for each object
	d := json.NewDecoder(l)
	r := reader{each, report, 0, map[string]bool{}}
	noList := errors.New("no list of objects; kubectl get nodes,pods -A -o json prints one")
	var raw json.RawMessage
	depth, isList, last, err := 0, false, json.Token(nil), error(nil)
	for err == nil {
		var t json.Token
		switch t, err = d.Token(); t {
		case json.Delim('{'):
			depth++
		case json.Delim('['):
			if depth++; depth == 1 {
				err = noList
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		items := depth == 2 && last == "items" && t == json.Delim('[')
		for items && err == nil && d.More() {
			l.N = maxObject
			if err = d.Decode(&raw); err == nil {
				err = r.object(raw)
			}
		}
		if isList, last = isList || items, t; depth == 0 && err != io.EOF && !isList {
			err = errors.Join(noList, err)
		}
		isList = isList && depth > 0
	}
	if l.N <= 0 {
		err = fmt.Errorf("an object has more than %d MiB", maxObject>>20)
	}
	if err != io.EOF || depth > 0 {
		report(fmt.Errorf("byte %d: %w", d.InputOffset(), err))
	}
}

type reader struct {
	each    func(*Object)
	report  func(error)
	objects int
	seen    map[string]bool // kinds and names
}

// object reads an object. An error is the end.
func (r *reader) object(raw []byte) error {
	if r.objects++; r.objects > maxObjects {
		return fmt.Errorf("more than %d objects", maxObjects)
	}
	o := Object{Size: len(raw)}
	var wrong *json.UnmarshalTypeError
	err := json.Unmarshal(raw, &o)
	if errors.As(err, &wrong) { // without names of Go
		err = fmt.Errorf("%s: %s is not allowed", first.ReplaceAllStringFunc(wrong.Field, strings.ToLower), wrong.Value)
	}
	place := o.Kind + " " + o.Name()
	switch {
	case o.Kind != "Node" && o.Kind != "Pod" && o.Kind != "RuntimeClass":
		place, err = "object", fmt.Errorf("unknown kind %.100q; only nodes and pods are read", o.Kind)
	case !names.MatchString(o.Name()):
		place, err = o.Kind, fmt.Errorf("metadata: invalid name %.300q", o.Name())
		o.Metadata.Namespace, o.Metadata.Name = "", fmt.Sprint("object-", r.objects)
	case r.seen[place]:
		err = errors.New("the object occurs twice")
	default:
		r.seen[place] = true
	}
	if err != nil {
		o.Spec.Taints = taints{{}}
		r.report(fmt.Errorf("%s: %w", place, err))
	}
	if err == nil || o.Kind == "Node" {
		r.each(&o)
	}
	return nil
}
