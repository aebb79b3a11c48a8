package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/validate"
)

// The limits of what is evaluated and reported. They are checked before anything is
// decoded, since decoding takes hundreds of bytes for three bytes of input.
const (
	mostElements = rules.MaxTolerations // of a list, and of the taints of a node
	mostJSON     = 1 << 18              // bytes of a list; 200 of the longest take less than half
	mostParts    = 20_000               // fields and elements that are read of an object
	mostProblems = 100                  // in an answer
	mostName     = 253                  // bytes of a name in the log
)

// A look counts the parts of an object, up to mostParts.
type look struct {
	parts    int
	problems validate.Problems
}

func (l *look) err() error {
	if l.parts > mostParts {
		return fmt.Errorf("has more than %d fields and elements", mostParts)
	}
	return l.problems.Err()
}

// fields steps over the object at path and returns for each name a scanner before its
// value, or one at its end if there is none. Only the outermost object, whose path is
// empty, cannot be null. A repeated name is a problem, since decoders differ in which
// value counts.
func (l *look) fields(path string, s apijson.Scanner, names ...string) []apijson.Scanner {
	found, times := make([]apijson.Scanner, len(names)), make([]int, len(names))
	if !s.Enter('{') {
		if value := s.Value(); path == "" || value.Kind != apijson.Absent {
			l.problems = append(l.problems, &validate.Problem{Path: path, Value: value.Raw(), Rule: validate.NotObject})
		}
		return found
	}
	for l.parts <= mostParts && s.More() {
		l.parts++
		name, value := s.Name(), s
		field := s.Value()
		i := slices.Index(names, name)
		if i < 0 {
			continue
		}
		if times[i]++; times[i] == 1 {
			found[i] = value
		} else if times[i] == 2 {
			l.problems = append(l.problems, &validate.Problem{Path: strings.TrimPrefix(path+"."+name, "."), Value: field.Raw(), Rule: validate.FieldRepeated})
		}
	}
	return found
}

// elements calls each before every element of a list, and returns how many there are,
// or most+1 if there are more.
func (l *look) elements(s apijson.Scanner, most int, each func(apijson.Scanner)) (n int) {
	if !s.Enter('[') {
		return 0
	}
	for n <= most && s.More() {
		l.parts++
		n++
		each(s)
		s.Value()
	}
	return n
}

func (l *look) all(s apijson.Scanner) { l.fields("", s) }

func (l *look) container(s apijson.Scanner) { l.resources(l.fields("", s, "resources")[0]) }

func (l *look) resources(s apijson.Scanner) {
	for _, list := range l.fields("", s, "requests", "limits") {
		l.all(list)
	}
}

// A list is the list of a pod's tolerations or of a node's taints.
type list struct {
	json string // null if absent
	many bool   // it has more than mostElements, or mostJSON
}

// lookAt returns the list of that name in an object's spec. It also counts the other
// parts that rules.DecodePod reads.
func lookAt(object []byte, name string) (list, error) {
	s, err := apijson.NewScanner(object)
	if err != nil {
		return list{}, err
	}
	var l look
	top := l.fields("", s, "spec", "status")
	spec := l.fields("spec", top[0], name, "containers", "initContainers", "resources", "nodeSelector")
	if l.problems != nil {
		return list{}, l.problems
	}
	whole := spec[0]
	found := whole.Value()
	if len(found.Text) > mostJSON || l.elements(spec[0], mostElements, l.all) > mostElements {
		return list{found.Text, true}, nil
	}
	l.elements(spec[1], mostParts, l.container)
	l.elements(spec[2], mostParts, l.container)
	l.resources(spec[3])
	l.all(spec[4])
	l.all(top[1])
	l.problems = nil // of elements, containers and labels: they are decoded next, and reported with their paths
	return list{json: found.Raw()}, l.err()
}

// isDeleted reports whether the object is being deleted.
func isDeleted(object []byte) (bool, error) {
	s, err := apijson.NewScanner(object)
	if err != nil {
		return false, err
	}
	var l look
	metadata := l.fields("", s, "metadata")[0]
	at := l.fields("metadata", metadata, "deletionTimestamp")[0].Value()
	return at.Kind != apijson.Absent, l.err()
}

// describe returns the name of a pod, or what its name begins with, and the controller that
// made it, for the log.
func describe(object []byte) (name, owner string) {
	s, err := apijson.NewScanner(object)
	if err != nil {
		return "", ""
	}
	var l look
	text := func(s apijson.Scanner) string {
		text, _ := s.Text()
		return text[:min(len(text), mostName)]
	}
	metadata := l.fields("metadata", l.fields("", s, "metadata")[0], "name", "generateName", "ownerReferences")
	l.elements(metadata[2], mostParts, func(s apijson.Scanner) {
		if o := l.fields("", s, "kind", "name", "controller"); o[2].Value().Text == "true" {
			owner = text(o[0]) + "/" + text(o[1])
		}
	})
	return cmp.Or(text(metadata[0]), text(metadata[1])), owner
}
