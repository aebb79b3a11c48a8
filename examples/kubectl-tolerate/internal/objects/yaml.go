package objects

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	k8syaml "sigs.k8s.io/yaml"
)

var lineOf = regexp.MustCompile(`\bline ([0-9]+): `)

// yaml reads the documents of a YAML text, which are separated as in kubectl.
func (s *stream) yaml(r io.Reader) error {
	in := &io.LimitedReader{R: r, N: maxDocument}
	lines := bufio.NewReader(in)
	var text []byte
	s.at.Line = 1
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if in.N <= 0 {
			return fmt.Errorf("a YAML document of more than %d MiB; use JSON; the input is not read further", maxDocument>>20)
		} else if err != nil && err != io.EOF {
			return err
		}
		mark, isMark := bytes.CutPrefix(line, []byte("---"))
		mark = bytes.TrimSpace(mark)
		if isMark = isMark && (len(mark) == 0 || mark[0] == '#'); !isMark {
			text = append(text, line...)
		}
		if !isMark && err == nil {
			continue
		}
		if err := s.document(text); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		text, s.at.Line, in.N = append(text[:0], '\n'), n, maxDocument
	}
}

// document reads a document as kubectl does, and gives its objects to the caller.
func (s *stream) document(text []byte) (err error) {
	var raw []byte
	if s.at.Root, raw, err = Document(text); err == nil {
		return s.json(bytes.NewReader(raw)) // of nothing, nothing
	}
	at, line := s.at, 1
	if m := lineOf.FindStringSubmatchIndex(err.Error()); m != nil {
		line, _ = strconv.Atoi(err.Error()[m[2]:m[3]])
		message, _, _ := strings.Cut(err.Error()[m[1]:], "\n")
		err = fmt.Errorf("%.300s", message)
	}
	line = max(line, 1)
	at.Line += line - 1
	return s.give(&at, near(text, line, err))
}

// Document returns the syntax and the JSON of a YAML document; both are nil if it is empty. As
// for kubectl, the last of a field and its merges (<<) counts. A repeated field is an error.
func Document(text []byte) (root *yaml.Node, raw []byte, err error) {
	if root, err = tree(text); root != nil {
		raw, err = k8syaml.YAMLToJSON(text)
	}
	return root, raw, err
}

// repeated returns an error if a field is repeated in a node, or its name is no scalar.
func repeated(n *yaml.Node) error {
	seen := make(map[string]bool)
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && !IsMerge(child) {
			key := child
			if child.Kind == yaml.AliasNode {
				key = child.Alias
			}
			switch {
			case key.Kind != yaml.ScalarNode:
				return fmt.Errorf("line %d: a list or an object as the name of a field", child.Line)
			case seen[key.Value]:
				return fmt.Errorf("line %d: key %.100q already set in map", child.Line, key.Value)
			}
			seen[key.Value] = true
		}
		if err := repeated(child); err != nil {
			return err
		}
	}
	return nil
}

// IsMerge reports whether the key of a mapping is a merge.
func IsMerge(key *yaml.Node) bool { return key.Tag == "!!merge" }

// tree returns the syntax of a document, nil if it has none. It returns an error if the
// document would take too much memory.
func tree(text []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML library failed: %v", r)
		}
	}()
	values := 0
	for _, c := range text {
		if strings.IndexByte(",:[{-?", c) >= 0 { // what can begin a value
			values++
		}
	}
	if values > maxValues {
		return nil, fmt.Errorf("a YAML document of more than %d values; use JSON", maxValues)
	}
	root = new(yaml.Node)
	in := bytes.NewReader(text)
	decoder := yaml.NewDecoder(&counter{Reader: in, most: 1}) // so that an error is near the last byte
	if err = decoder.Decode(root); err == io.EOF {
		return nil, nil
	} else if err == nil {
		err = decoder.Decode(new(yaml.Node))
	}
	switch {
	case err == nil:
		return nil, errors.New("more than one YAML document; a line --- separates those of a manifest")
	case err != io.EOF:
		message := strings.TrimPrefix(err.Error(), "yaml: ")
		if !lineOf.MatchString(message) || strings.Contains(message, "did not find expected") { // the line is that of the list or object around it
			line := 1 + bytes.Count(text[:max(len(text)-in.Len()-1, 0)], []byte{'\n'})
			err = fmt.Errorf("line %d: %s", line, lineOf.ReplaceAllString(message, ""))
		}
		return nil, err
	}
	left := maxResolved
	if err := cmp.Or(resolve(root, 0, &left), repeated(root)); err != nil {
		return nil, err
	}
	return root.Content[0], nil
}

// resolve returns an error if more than *left bytes, or too many levels, are below a node
// with its aliases resolved.
func resolve(n *yaml.Node, level int, left *int) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if *left -= 16 + len(n.Value); *left < 0 || level > maxLevels {
		return fmt.Errorf("line %d: the document has more than %d levels, or with its aliases resolved more than %d MiB", n.Line, maxLevels, maxResolved>>20)
	}
	for _, child := range n.Content {
		if err := resolve(child, level+1, left); err != nil {
			return err
		}
	}
	return nil
}
