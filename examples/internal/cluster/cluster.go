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
		OwnerReferences                    []struct {
			Kind, Name string
			Controller bool
		}
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
	list, _, err := taint.Decode(data, taint.DecodeOptions{Strict: true})
	*l = taints(list)
	return err
}

type tolerations toleration.List

// UnmarshalJSON is strict, and returns problems with paths.
func (l *tolerations) UnmarshalJSON(data []byte) error {
	list, _, err := toleration.Decode(data, toleration.DecodeOptions{Strict: true})
	*l = tolerations(list)
	return err
}

var (
	first = regexp.MustCompile(`\b[A-Z]`) // letters of the parts of a path
	names = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*/)?[a-z0-9][a-z0-9.-]{0,252}$`)
)

// Read calls each for the objects of the lists, and report for what is wrong. A wrong
// Node has the zero Taint, which repels every pod; what else is wrong is omitted. The
// first error outside an object is the end.
func Read(in io.Reader, each func(*Object), report func(error)) {
	r := reader{&io.LimitedReader{R: in, N: maxObject}, each, report, 0, map[string]bool{}}
	for d := json.NewDecoder(r.in); ; {
		t, err := d.Token()
		switch {
		case err == io.EOF && r.in.N > 0:
			return
		case err != nil || t != json.Delim('{'):
			err = errors.Join(errNoList, err)
		default:
			err = r.list(d)
		}
		if err != nil && r.in.N <= 0 {
			err = fmt.Errorf("an object has more than %d MiB", maxObject>>20)
		}
		if err != nil {
			report(fmt.Errorf("byte %d: %w", d.InputOffset(), err))
			return
		}
	}
}

var errNoList = errors.New("no list of objects; kubectl get nodes,pods -A -o json prints one")

type reader struct {
	in      *io.LimitedReader // renewed for each object
	each    func(*Object)
	report  func(error)
	objects int
	seen    map[string]bool // kinds and names
}

// list reads a list after its first token.
func (r *reader) list(d *json.Decoder) error {
	var raw json.RawMessage
	fields, seen := map[string]*shape{"items": nil}, map[string]bool{}
	for d.More() {
		name, err := d.Token()
		if err == nil {
			err = checkName(fields, seen, fmt.Sprint(name))
		}
		if err == nil && name != "items" {
			err = d.Decode(&raw)
		} else if err == nil {
			err = r.items(d)
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil || seen["items"] {
		return err
	}
	return errNoList
}

// items reads the items of a list.
func (r *reader) items(d *json.Decoder) error {
	if t, err := d.Token(); t != json.Delim('[') {
		return errors.Join(errNoList, err)
	}
	var raw json.RawMessage
	for d.More() {
		r.in.N = maxObject
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if err := r.object(raw); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
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
	if err == nil || wrong != nil && wrong.Type == quantity { // from Go 1.27, its error has no field
		if e := check(raw); e != nil {
			err = e
		}
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
