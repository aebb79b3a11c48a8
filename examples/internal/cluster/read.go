package cluster

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

const (
	maxObject  = 2 << 20 // bytes, and as many that were read ahead; the API server stores less
	maxInput   = 1 << 30 // bytes of a file
	maxObjects = 1_000_000
)

// An Object is a Node or a Pod. An Err makes it wrong, whoever sets it.
type Object struct {
	Kind, Name string // the name has the namespace; it is empty if it is invalid
	Err        error
	fields     map[string]json.RawMessage // by path
}

// Get returns the field with that path, such as "spec.nodeName", and the zero value
// if it is absent or wrong. Names are case-sensitive.
func Get[T any](o *Object, path string) (v T) {
	raw := o.fields[path]
	if raw == nil {
		return v
	}
	err := json.Unmarshal(raw, &v)
	if err == nil {
		return v
	}
	var wrong *json.UnmarshalTypeError
	var problems validate.Problems
	switch {
	case errors.As(err, &wrong): // without names of Go
		err = fmt.Errorf("%s: %s is not allowed %s", path, wrong.Value, strings.ToLower(wrong.Field))
	case errors.As(err, &problems):
		for _, p := range problems {
			p.Func, p.Path = "", path+p.Path
		}
	default:
		err = fmt.Errorf("%s: %w", path, err)
	}
	o.Err = errors.Join(o.Err, err)
	return *new(T)
}

// A Node is what its taints depend on. Every pod is repelled from a wrong one, by the
// zero Taint.
type Node struct {
	Name string
	match.Node
	Wrong bool
}

// Node returns the fields of a Node.
func (o *Object) Node() Node {
	n := match.Node{Taints: Get[taint.List](o, "spec.taints"), Unschedulable: Get[bool](o, "spec.unschedulable")}
	if o.Err != nil {
		n.Taints = taint.List{{}}
	}
	return Node{o.Name, n, o.Err != nil}
}

// A Pod is what its tolerations decide about.
type Pod struct {
	Name        string
	Node        string // to which it is bound
	Ended       bool   // it is finished, or is being deleted
	Tolerations toleration.List
}

// Pod returns the fields of a Pod, which must not be used if o.Err is set.
func (o *Object) Pod() Pod {
	phase := Get[string](o, "status.phase")
	ended := phase == "Succeeded" || phase == "Failed" || Get[string](o, "metadata.deletionTimestamp") != ""
	return Pod{o.Name, Get[string](o, "spec.nodeName"), ended, Get[toleration.List](o, "spec.tolerations")}
}

// Objects are the nodes, and the pods that are not wrong and have not ended.
type Objects struct {
	Nodes []Node
	Pods  []Pod
}

// Each adds an object.
func (s *Objects) Each(o *Object) {
	if o.Kind == "Node" {
		s.Nodes = append(s.Nodes, o.Node())
	} else if p := o.Pod(); o.Err == nil && !p.Ended {
		s.Pods = append(s.Pods, p)
	}
}

type reader struct {
	each                  func(*Object)
	report                func(error)
	seen                  map[string]bool // kinds and names
	objects, nodes, wrong int
}

// read reads a file up to the first error of syntax.
func (r *reader) read(file string, in io.Reader) {
	l := &io.LimitedReader{R: in} // the limit is renewed for each object
	d := json.NewDecoder(l)
	for n := 0; ; n++ {
		l.N = maxObject
		t, err := d.Token()
		switch {
		case l.N > 0 && err == io.EOF && n > 0:
			return
		case err == nil && t == json.Delim('{'):
			err = r.document(file, d, l)
		default:
			err = errors.Join(errors.New("no JSON object; kubectl get nodes,pods -A -o json writes one"), err)
		}
		if l.N <= 0 {
			err = fmt.Errorf("an object has more than %d MiB", maxObject>>20)
		}
		if err != nil {
			r.report(fmt.Errorf("%s: byte %d: %w", file, d.InputOffset(), err))
			return
		}
	}
}

// document reads an object, or a list of them, behind its brace.
func (r *reader) document(file string, d *json.Decoder, l *io.LimitedReader) error {
	head, list := map[string]json.RawMessage{}, false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var v json.RawMessage
		if list = list || key == "items"; key == "items" {
			err = r.items(file, d, l, Get[string](flat(head), "kind"))
		} else if err = d.Decode(&v); err == nil {
			head[key.(string)] = v
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	o := flat(head)
	switch {
	case !list:
		return r.object(file, o, "", d.InputOffset())
	case Get[string](o, "metadata.continue") != "":
		return errors.New("the list is incomplete: metadata.continue is set")
	}
	return o.Err
}

// items reads the objects of a list of that kind.
func (r *reader) items(file string, d *json.Decoder, l *io.LimitedReader, kind string) error {
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(errors.New("items: not a list"), err)
	}
	for i := 0; d.More(); i++ {
		l.N = maxObject
		var raw map[string]json.RawMessage
		err := d.Decode(&raw)
		if err == nil || errors.As(err, new(*json.UnmarshalTypeError)) {
			err = r.object(fmt.Sprintf("%s: items[%d]", file, i), flat(raw), strings.TrimSuffix(kind, "List"), d.InputOffset())
		}
		if err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	_, err := d.Token()
	return err
}

// flat returns an object with its fields by their paths.
func flat(raw map[string]json.RawMessage) *Object {
	o := &Object{fields: raw}
	fields := map[string]json.RawMessage{"kind": raw["kind"], "apiVersion": raw["apiVersion"]}
	for _, section := range []string{"metadata", "spec", "status"} {
		for name, v := range Get[map[string]json.RawMessage](o, section) {
			fields[section+"."+name] = v
		}
	}
	o.fields = fields
	return o
}

var names = regexp.MustCompile(`^([a-z0-9][a-z0-9-]{0,62}/)?[a-z0-9][a-z0-9.-]{0,252}$`)

// object reads an object, of that kind unless it has its own. An error ends the file.
func (r *reader) object(place string, o *Object, kind string, offset int64) error {
	o.Kind = cmp.Or(Get[string](o, "kind"), kind)
	if r.objects++; r.objects > maxObjects || offset > maxInput {
		return fmt.Errorf("more than %d objects or %d bytes", maxObjects, maxInput)
	}
	if version := Get[string](o, "apiVersion"); version != "" && version != "v1" || o.Kind != "Node" && o.Kind != "Pod" {
		r.report(fmt.Errorf("%s: unknown kind %.120q; only v1 Nodes and Pods are read", place, strings.TrimSpace(version+" "+o.Kind)))
		return nil
	}
	o.Name = strings.TrimPrefix(Get[string](o, "metadata.namespace")+"/"+Get[string](o, "metadata.name"), "/")
	id := o.Kind + " " + o.Name
	switch {
	case !names.MatchString(o.Name):
		o.Err = errors.Join(o.Err, fmt.Errorf("metadata: invalid name %.400q", o.Name))
		o.Name = ""
	case r.seen[id]:
		o.Err = errors.Join(o.Err, errors.New("the object occurs twice"))
	default:
		r.seen[id] = true
	}
	if o.Kind == "Node" {
		r.nodes++
	}
	if r.each(o); o.Err != nil {
		r.report(fmt.Errorf("%s: %s: %w", place, strings.TrimSpace(o.Kind+" "+o.Name), o.Err))
	}
	return nil
}
