package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

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
	policy policy.Policy
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
		NotReadySeconds    admission.Grace
		UnreachableSeconds admission.Grace
		scopeFile
		Namespaces map[string]scopeFile
	}
	scopeFile struct{ Defaults, Whitelist, Policy json.RawMessage }
)

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
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		field := into[name]
		switch {
		case field == nil:
			return fmt.Errorf("unknown field %q (allowed: %q)", name, slices.Sorted(maps.Keys(into)))
		case seen[name]:
			return fmt.Errorf("field %q is given twice", name)
		}
		seen[name] = true
		if err := d.Decode(field); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// readConfig reads a configuration file, or tells all that is wrong with its
// contents.
func readConfig(r io.Reader) (*config, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var file configFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	seconds := admission.Seconds{NotReady: file.NotReadySeconds, Unreachable: file.UnreachableSeconds}
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
	list := func(name string, data json.RawMessage, into *[]toleration.Toleration) {
		if data == nil {
			return
		}
		read, err := toleration.DecodeList(data, toleration.ListOptions{Path: path + name, Strict: true})
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
		s.policy = read
	}
	return s, errors.Join(errs...)
}
