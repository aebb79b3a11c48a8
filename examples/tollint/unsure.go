package main

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// An unsure is a place that cannot be checked, which is a failure with a policy.
type unsure struct {
	node    *yaml.Node
	message string
}

// hole reports whether the value is an expression of a template, which can add
// tolerations here, and records it.
func (w *walk) hole(v any, n *yaml.Node, path string) bool {
	s, ok := v.(string)
	if !ok || !templated(s) {
		return false
	}
	if path != "" {
		path += ": "
	}
	w.unsure = append(w.unsure, unsure{n, path + errTemplate.Error()})
	return true
}

// whole records a document that is not an object.
func (w *walk) whole(v any, n *yaml.Node) {
	switch v := v.(type) {
	case nil, map[string]any, []any:
	default:
		if s, ok := v.(string); !ok || !templated(s) { // object records templates
			w.unsure = append(w.unsure, unsure{n, "a document that is not an object"})
		}
	}
}

// structural reports whether the place must have a mapping that can contain
// tolerations or the annotations of a namespace.
func structural(p *place, name string) bool {
	switch name {
	case "spec", "jobTemplate":
		return true
	case "template": // in steps of Argo workflows it is a name
		return !strings.HasPrefix(p.object.apiVersion, "argoproj.io/") || !strings.HasSuffix(p.path, "].template")
	case "metadata", "annotations":
		return (p.object.kind == "Namespace" || templated(p.object.kind)) && (p.path == "metadata" || p.path == "metadata.annotations")
	}
	return false
}

// harmless reports whether a field tolerations that is not a list of tolerations
// cannot be read as one by a controller: it is empty, has mappings with other
// fields, or is a schema.
func harmless(p *place) bool {
	switch v := p.json.(type) {
	case nil:
		return true
	case []any:
		for _, e := range v {
			if _, ok := e.(map[string]any); !ok {
				return false
			}
		}
		return true
	case map[string]any:
		if !strings.HasSuffix("."+p.path, ".properties.tolerations") {
			return false
		}
		for _, name := range []string{"type", "$ref", "description"} {
			if _, ok := v[name].(string); ok {
				return true
			}
		}
		return len(v) == 0
	}
	return false
}

// maxAnnotation is the limit of Kubernetes for all annotations of an object.
const maxAnnotation = 256 << 10

// annotation checks the tolerations that a namespace adds to its pods. They are
// JSON within a string.
func (c *config) annotation(r *result, p *place) {
	text, ok := p.json.(string)
	if !ok && p.json != nil {
		r.note(&r.failures, p, errors.New("must be a string"))
		return
	}
	if len(text) > maxAnnotation {
		r.note(&r.failures, p, fmt.Errorf("more than %d bytes", maxAnnotation))
		return
	}
	name := admission.DefaultsAnnotation
	if !strings.HasSuffix(p.path, name) {
		name = admission.WhitelistAnnotation
	}
	annotated, err := admission.NamespaceRestriction(map[string]string{name: text}, admission.Restriction{}, toleration.ListOptions{Path: "annotations", Strict: true})
	if err != nil {
		message := err.Error()
		if len(message) > maxMessage {
			message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
		}
		r.note(&r.failures, p, errors.New(message))
		return
	}
	l := &checked{place: p, found: make(map[string]int)}
	for i, u := range annotated.Defaults {
		if v := c.policy.Judge(u); !v.Allowed {
			c.report(r, l, -1, &finding{severity: lint.Error, rule: rulePolicy, message: fmt.Sprintf("[%d] %q %s", i, v.Toleration.String(), v.String())})
		}
	}
}
