package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/validate"
)

// The limits of what is judged and reported, so that no request costs much
// no matter who sent it. They are checked while an object is only cut up, before any
// of it is decoded: decoding takes hundreds of bytes for three bytes of input.
const (
	mostElements = 200     // in a pod's tolerations, with what is added, or in a node's taints
	mostJSON     = 1 << 18 // bytes of such a list; 200 of the longest take less than half
	mostParts    = 20_000  // fields and elements that are looked at in an object
	mostProblems = 100     // in a refusal
)

// A look counts what an object holds, up to the limits.
type look struct {
	parts    int // fields and elements met
	repeated validate.Problems
}

// over reports whether the limit has been passed. Nothing more is read then.
func (l *look) over() bool { return l.parts > mostParts }

func (l *look) err() error {
	if l.over() {
		return fmt.Errorf("more than %d fields and elements in what is judged of it", mostParts)
	}
	return nil
}

// fields steps over the object at path and returns a scanner in front of the
// value of each name, and one at its end where there is none. A name that is
// repeated is a problem: decoders differ in what they make of it. What is no
// object has no fields: that it is wrong is for those who decode it.
func (l *look) fields(path string, s apijson.Scanner, names ...string) []apijson.Scanner {
	found, times := make([]apijson.Scanner, len(names)), make([]int, len(names))
	if !s.Enter('{') {
		return found
	}
	for !l.over() && s.More() {
		l.parts++
		name := s.Name()
		for i := range names {
			if names[i] != name {
				continue
			}
			if times[i]++; times[i] == 1 {
				found[i] = s
			} else if times[i] == 2 {
				again := s
				field := strings.TrimPrefix(path+"."+name, ".")
				l.repeated = append(l.repeated, &validate.Problem{Path: field, Value: again.Value().Raw(), Rule: validate.FieldRepeated})
			}
		}
		s.Value()
	}
	return found
}

// list calls each in front of every element of the list that comes next, and
// returns how many there are, or most+1 when there are more.
func (l *look) list(s apijson.Scanner, most int, each func(apijson.Scanner)) (n int) {
	if !s.Enter('[') {
		return 0
	}
	for n <= most && !l.over() && s.More() {
		l.parts++
		n++
		each(s)
		s.Value()
	}
	return n
}

// all counts the fields of an object.
func (l *look) all(s apijson.Scanner) { l.fields("", s) }

// containers counts what admission.DecodePod reads of containers. What is
// repeated in them is a problem there.
func (l *look) containers(s apijson.Scanner) {
	l.list(s, mostParts, func(c apijson.Scanner) { l.resources(l.fields("", c, "resources")[0]) })
}

func (l *look) resources(s apijson.Scanner) {
	for _, list := range l.fields("", s, "requests", "limits") {
		l.all(list)
	}
}

// A list is the list of a pod's tolerations or of a node's taints.
type list struct {
	json string // null where there is none
	many bool   // it has more than mostElements
}

// lookAt finds the list of that name in an object's spec. With resources it counts
// what else admission.DecodePod reads.
func lookAt(object []byte, name string, resources bool) (list, error) {
	s, err := apijson.NewScanner(object)
	if err != nil {
		return list{}, err
	}
	var l look
	top := l.fields("", s, "spec", "status")
	spec := l.fields("spec", top[0], name, "containers", "initContainers", "resources")
	if err := l.repeated.Err(); err != nil {
		return list{}, err
	}
	whole := spec[0]
	found := whole.Value()
	if len(found.Text) > mostJSON || l.list(spec[0], mostElements, l.all) > mostElements {
		return list{found.Text, true}, nil
	}
	if resources {
		l.containers(spec[1])
		l.containers(spec[2])
		l.resources(spec[3])
		l.all(top[1])
	}
	return list{json: found.Raw()}, errors.Join(l.err(), mustBeObject("", s), orObject("spec", top[0]))
}

// isDeleted reports whether the object says that it is being deleted.
func isDeleted(object []byte) (bool, error) {
	s, err := apijson.NewScanner(object)
	if err != nil {
		return false, err
	}
	var l look
	metadata := l.fields("", s, "metadata")[0]
	at := l.fields("metadata", metadata, "deletionTimestamp")[0].Value()
	return at.Kind != apijson.Absent, errors.Join(l.err(), l.repeated.Err(), mustBeObject("", s), orObject("metadata", metadata))
}

func mustBeObject(path string, s apijson.Scanner) error {
	if !s.Enter('{') {
		return &validate.Problem{Path: path, Value: s.Value().Raw(), Rule: validate.NotObject}
	}
	return nil
}

// orObject is mustBeObject for what may be absent.
func orObject(path string, s apijson.Scanner) error {
	if at := s; at.Value().Kind == apijson.Absent {
		return nil
	}
	return mustBeObject(path, s)
}
