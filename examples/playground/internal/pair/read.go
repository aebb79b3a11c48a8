package pair

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

const maxText = 64 << 10 // bytes; each taint is compared with each toleration

// A format is how people write a list.
type format struct {
	field     string         // "taints" or "tolerations"
	described *regexp.Regexp // the list in what kubectl describe prints
	between   *regexp.Regexp // the elements of a text
	parse     func(text string) (json.Marshaler, error)
}

var (
	ofNode = format{"taints", regexp.MustCompile(`(?m)^Taints:(.*(?:\n[ \t].*)*)`), regexp.MustCompile(`[,\s]`),
		func(text string) (json.Marshaler, error) { return taint.ParseList(text) }}
	ofPod = format{"tolerations", regexp.MustCompile(`(?m)^Tolerations:(.*(?:\n[ \t].*)*)`), regexp.MustCompile(`,`),
		func(text string) (json.Marshaler, error) { return toleration.ParseList(text) }}

	// places are the objects that can have a list, in Kubernetes' kinds.
	places = []string{"", "spec", "template.spec", "spec.template.spec", "spec.jobTemplate.spec.template.spec"}

	structured = regexp.MustCompile(`(?m)^\s*(#|[\[{]|- |-$|---|"?[a-z][A-Za-z]*"?:(\s|$))`)
	cordoned   = regexp.MustCompile(`(?m)^Unschedulable:\s*true`)
	lineOf     = regexp.MustCompile(`\bline ([0-9]+): `)
	segment    = regexp.MustCompile(`[^.\[\]]+`)
)

// An input is a list that was read.
type input struct {
	json     []byte // nil if there is no list
	path     string
	cordoned bool
	first    int // the line before it
	root     yaml.Node
}

// A Mistake is what is wrong with a text.
type Mistake struct {
	Field string // "taints" or "tolerations"
	Line  int    // from 1
	Text  string
}

// read finds the list in a text.
func (f format) read(text string) (*input, error) {
	in := new(input)
	part := f.described.FindStringSubmatchIndex(text)
	switch {
	case len(text) > maxText:
		return in, fmt.Errorf("the text has more than %d KiB", maxText>>10)
	case part != nil:
		in.first, in.cordoned = strings.Count(text[:part[2]], "\n"), cordoned.MatchString(text)
		return in, f.elements(in, text[part[2]:part[3]])
	case !structured.MatchString(text):
		return in, f.elements(in, text)
	}
	return in, f.document(in, []byte(text))
}

// elements reads elements in lines.
func (f format) elements(in *input, text string) error {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	var words []string
	for i, line := range strings.Split(text, "\n") {
		for _, word := range f.between.Split(line, -1) {
			if word = strings.TrimSpace(word); word != "" && word != "<none>" {
				words = append(words, word)
				list.Content = append(list.Content, &yaml.Node{Line: i + 1})
			}
		}
	}
	in.root.Content = []*yaml.Node{list}
	parsed, err := f.parse(strings.Join(words, ","))
	if err == nil {
		in.json, err = parsed.MarshalJSON()
	}
	return err
}

// document reads a document of YAML or JSON.
func (f format) document(in *input, text []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&in.root); err != nil && err != io.EOF { // the end: only comments
		return err
	} else if err == nil && decoder.Decode(new(yaml.Node)) != io.EOF {
		return errors.New("more than one document: leave the one that has " + f.field)
	}
	object, err := k8syaml.YAMLToJSONStrict(text)
	if err != nil || object[0] == '[' {
		in.json = object
		return err
	}
	for _, place := range places {
		o := at(object, place)
		in.cordoned = in.cordoned || string(at(o, "unschedulable")) == "true"
		if list := at(o, f.field); list != nil && in.json == nil {
			in.json, in.path = list, strings.TrimPrefix(place+"."+f.field, ".")
		}
	}
	if string(object) != "null" && in.json == nil && at(object, "kind") == nil && at(object, "spec") == nil {
		return fmt.Errorf("this is YAML, but it has no field %s, and is not a list (- key: ...)", f.field)
	}
	return nil
}

// at returns a field of an object, nil if there is none.
func at(object []byte, path string) []byte {
	for _, name := range segment.FindAllString(path, -1) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(object, &fields) != nil {
			return nil
		}
		object = fields[name]
	}
	return object
}

// line returns the line of a path, or of the nearest around it.
func (in *input) line(path string) int {
	n, line := &in.root, 1
	for _, name := range append([]string{"0"}, segment.FindAllString(path, -1)...) { // the root has the document
		var next *yaml.Node
		for i, child := range n.Content {
			isField := n.Kind == yaml.MappingNode
			if isField && i%2 == 1 && n.Content[i-1].Value == name || !isField && strconv.Itoa(i) == name {
				next = child
			}
		}
		if next == nil {
			break
		}
		if n, line = next, max(next.Line, 1); n.Kind == yaml.AliasNode {
			n = n.Alias
		}
	}
	return in.first + line
}

// mistakes returns the problems of an error, each at its line.
func (f format) mistakes(in *input, err error) (list []Mistake) {
	var problems validate.Problems
	if errors.As(err, &problems) {
		for _, p := range problems[:min(len(problems), 20)] {
			_, element, _ := strings.Cut(p.Path, "[")
			line := in.line(in.path + "." + element)
			p.Func, p.Input, p.Path = "", "", p.Path[strings.LastIndexByte(p.Path, '.')+1:]
			list = append(list, Mistake{f.field, line, p.Error()})
		}
	} else if err != nil {
		line, text := 1, strings.TrimPrefix(err.Error(), "yaml: ")
		if m := lineOf.FindStringSubmatchIndex(text); m != nil {
			line, _ = strconv.Atoi(text[m[2]:m[3]])
			text = text[m[1]:]
		}
		list = []Mistake{{f.field, in.first + max(line, 1), fmt.Sprintf("%.300s", text)}}
	}
	return list
}
