package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// A config says what is made of pods, namespace by namespace.
type config struct {
	everywhere scope
	namespaces map[string]scope
}

// A scope is what holds for the pods of a namespace.
type scope struct {
	plan   admission.Plan
	policy *policy.Policy // nil: none is applied
}

func (c *config) of(namespace string) scope {
	if s, ok := c.namespaces[namespace]; ok {
		return s
	}
	return c.everywhere
}

// The shape of the file.
type (
	configFile struct {
		NotReadySeconds    secondsText
		UnreachableSeconds secondsText
		scopeFile
		Namespaces map[string]scopeFile
	}
	scopeFile struct{ Defaults, Whitelist, Policy json.RawMessage }
)

// A secondsText is a number of seconds in quotes, or "off".
type secondsText struct {
	n   *int64
	off bool
}

func (s *secondsText) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*s = secondsText{off: true}
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("%q: must be a number of seconds, or off", text)
	}
	*s = secondsText{n: &n}
	return nil
}

// UnmarshalJSON reads the fields by their exact names, and no others.
func (f *configFile) UnmarshalJSON(data []byte) error {
	return fields(data, map[string]any{
		"notReadySeconds": &f.NotReadySeconds, "unreachableSeconds": &f.UnreachableSeconds, "namespaces": &f.Namespaces,
		"defaults": &f.Defaults, "whitelist": &f.Whitelist, "policy": &f.Policy,
	})
}

// UnmarshalJSON reads the fields by their exact names, and no others.
func (f *scopeFile) UnmarshalJSON(data []byte) error {
	return fields(data, map[string]any{"defaults": &f.Defaults, "whitelist": &f.Whitelist, "policy": &f.Policy})
}

// fields reads an object strictly: a misspelt whitelist must not be an empty one.
func fields(data []byte, into map[string]any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if begin, err := d.Token(); err != nil {
		return err
	} else if begin != json.Delim('{') {
		return fmt.Errorf("must be an object, not %s", data)
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		field := into[name]
		if field == nil {
			return fmt.Errorf("unknown field %q (allowed: %q)", name, slices.Sorted(maps.Keys(into)))
		}
		if err := d.Decode(field); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// repeated finds the names that occur twice in an object, at any depth. Of two
// policies of a namespace the first would be dropped silently.
func repeated(data []byte) error {
	type level struct {
		lines map[string]int // nil in a list
		name  string         // in the object: of the member that is being read
		index int            // in the list
		value bool           // a value comes next, not a name
	}
	var levels []level
	var errs []error
	path := func() string {
		var b strings.Builder
		for _, l := range levels {
			if l.lines == nil {
				fmt.Fprintf(&b, "[%d]", l.index)
			} else {
				fmt.Fprintf(&b, "[%q]", l.name)
			}
		}
		return b.String()
	}
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if err != nil { // what is no JSON is reported by those who decode it
			return errors.Join(errs...)
		}
		name, _ := token.(string)
		switch in := len(levels) - 1; {
		case token == json.Delim('}') || token == json.Delim(']'):
			levels = levels[:in]
		case in >= 0 && levels[in].lines != nil && !levels[in].value:
			line := 1 + bytes.Count(data[:d.InputOffset()], []byte{'\n'})
			l := &levels[in]
			l.name, l.value = name, true
			if first := l.lines[name]; first > 0 {
				errs = append(errs, fmt.Errorf("%s is given twice, in lines %d and %d", path(), first, line))
			}
			l.lines[name] = line
			continue
		case token == json.Delim('{'):
			levels = append(levels, level{lines: map[string]int{}})
			continue
		case token == json.Delim('['):
			levels = append(levels, level{})
			continue
		}
		if in := len(levels) - 1; in >= 0 { // a value has ended
			levels[in].value = false
			levels[in].index++
		}
	}
}

// readConfig reads a configuration file, or reports all problems of its
// contents.
func readConfig(r io.Reader) (*config, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if err := repeated(data); err != nil {
		return nil, err
	}
	var file configFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	seconds := admission.SecondsOptions{
		NotReady: file.NotReadySeconds.n, NotReadyOff: file.NotReadySeconds.off,
		Unreachable: file.UnreachableSeconds.n, UnreachableOff: file.UnreachableSeconds.off,
	}
	everywhere, err := file.scope("", scope{plan: admission.Plan{Seconds: seconds}})
	c := &config{everywhere, make(map[string]scope, len(file.Namespaces))}
	for _, name := range slices.Sorted(maps.Keys(file.Namespaces)) {
		s := file.Namespaces[name]
		read, wrong := s.scope("namespaces["+name+"].", everywhere)
		c.namespaces[name] = read
		err = errors.Join(err, wrong)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// scope puts what the file says in the place of what holds without it.
func (f *scopeFile) scope(path string, s scope) (scope, error) {
	var errs []error
	list := func(name string, data json.RawMessage, into *toleration.List) {
		if data == nil {
			return
		}
		read, _, err := toleration.Decode(data, toleration.ListOptions{Path: path + name, Strict: true})
		*into = read
		errs = append(errs, err)
	}
	list("defaults", f.Defaults, &s.plan.Restriction.Defaults)
	list("whitelist", f.Whitelist, &s.plan.Restriction.Whitelist)
	if f.Policy != nil {
		read, err := policy.Decode(f.Policy)
		if err != nil {
			errs = append(errs, fmt.Errorf("%spolicy: %w", path, err))
		}
		s.policy = &read
	}
	return s, errors.Join(errs...)
}
