package kubejson

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A name that is repeated on the way to what is read is a problem, whatever
// comes with it: the object is unknown, neither open nor free of tolerations.
func TestRepeated(t *testing.T) {
	const (
		node = `"spec":{"unschedulable":true,"taints":[{"key":"a","effect":"NoSchedule"}]}`
		pod  = `"spec":{"nodeName":"n","tolerations":[{"operator":"Exists"}]}`
	)
	for _, tt := range []struct{ kind, path, form string }{
		{"Node", "metadata", `"metadata":{"name":"a"},"metadata":%s,` + node},
		{"Node", "metadata.name", `"metadata":{"name":"a","name":%s},` + node},
		{"Node", "metadata.labels", `"metadata":{"labels":{"a":"b"},"labels":%s},` + node},
		{"Node", "spec", node + `,"spec":%s`},
		{"Node", "spec", node + `,"spec":{},"spec":%s`}, // one problem
		{"Node", "spec", `"spec":%s,` + node},
		{"Node", "spec", `"\u0073pec":%s,` + node},
		{"Node", "spec.unschedulable", `"spec":{"unschedulable":true,"unschedulable":%s}`},
		{"Node", "spec.taints", `"spec":{"taints":[{"key":"a","effect":"NoSchedule"}],"x":{"taints":[]},"taints":%s}`},
		{"Pod", "metadata", `"metadata":{"name":"a"},"metadata":%s,` + pod},
		{"Pod", "metadata.namespace", `"metadata":{"namespace":"a","namespace":%s},` + pod},
		{"Pod", "metadata.name", `"metadata":{"name":"a","name":%s},` + pod},
		{"Pod", "metadata.generateName", `"metadata":{"generateName":"a","generateName":%s},` + pod},
		{"Pod", "metadata.deletionTimestamp", `"metadata":{"deletionTimestamp":"2026-01-02T03:04:05Z","deletionTimestamp":%s},` + pod},
		{"Pod", "metadata.annotations", `"metadata":{"annotations":{},"annotations":%s},` + pod},
		{"Pod", "metadata.annotations[kubernetes.io/config.mirror]", `"metadata":{"annotations":{"kubernetes.io/config.mirror":"x","kubernetes.io/config.mirror":%s}},` + pod},
		{"Pod", "spec", pod + `,"spec":%s`},
		{"Pod", "spec.nodeName", `"spec":{"nodeName":"n","nodeName":%s}`},
		{"Pod", "spec.tolerations", `"spec":{"tolerations":[{"operator":"Exists"}],"tolerations":%s}`},
		{"Pod", "status", pod + `,"status":{"phase":"Running"},"status":%s`},
		{"Pod", "status.phase", pod + `,"status":{"phase":"Running","phase":%s}`},
	} {
		for _, again := range []string{`null`, `{}`, `{"podCIDR":"x"}`, `[]`, `false`, `"x"`} {
			text := `{"kind":"` + tt.kind + `",` + fmt.Sprintf(tt.form, again) + `}`
			var got []string
			for o, err := range Objects("f", strings.NewReader(text), "metadata.labels") {
				if err == nil {
					t.Errorf("%s: %v", text, o)
					continue
				}
				var p *validate.Problem
				if errors.As(err, &p) && p.Rule == validate.FieldRepeated {
					got = append(got, p.Path)
				}
			}
			if !slices.Equal(got, []string{tt.path}) {
				t.Errorf("%s: repeated are %q, want %q", text, got, tt.path)
			}
		}
	}
}

// What is repeated elsewhere is ignored.
func TestRepeated_elsewhere(t *testing.T) {
	o := first(t, `{"kind":"Node","x":1,"x":2,"metadata":{"labels":{"a":"b"},"labels":{}},"spec":{"x":{"y":1,"y":2},"x":3,"unschedulable":true}}`)
	if n, err := o.Node(); err != nil || !n.Unschedulable {
		t.Errorf("Node = %v, %v", n, err)
	}
}

// draw returns an object's JSON with some of the members, in any order, some of
// them repeated, each with one of its values.
func draw(members map[string]*rapid.Generator[string], repeats bool) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var names []string
		for name := range members {
			names = append(names, name)
		}
		slices.Sort(names)
		drawn := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, min(4, len(names)), rapid.ID)
		if repeats {
			drawn = rapid.SliceOfN(rapid.SampledFrom(names), 5, 8)
		}
		var texts []string
		for _, name := range drawn.Draw(t, "names") {
			texts = append(texts, `"`+name+`":`+members[name].Draw(t, name))
		}
		return "{" + strings.Join(texts, ",") + "}"
	})
}

// object draws nodes and pods. Few are wrong otherwise than by a repeat.
func object(t *rapid.T) string {
	repeats := rapid.Bool().Draw(t, "repeats")
	value := func(texts ...string) *rapid.Generator[string] {
		return rapid.SampledFrom(append(texts, "null"))
	}
	or := func(g *rapid.Generator[string]) *rapid.Generator[string] {
		return rapid.OneOf(g, g, g, rapid.Just("null"))
	}
	spec := or(draw(map[string]*rapid.Generator[string]{
		"unschedulable": value("true", "true", "false"),
		"taints":        value(`[{"key":"a","effect":"NoSchedule"}]`, `[{"key":"b","effect":"NoExecute"},{"key":"c","effect":"NoExecute"}]`, `[]`),
		"nodeName":      value(`"n"`, `"m"`, `""`),
		"tolerations":   value(`[{"operator":"Exists"}]`, `[{"key":"a"},{"key":"b"}]`, `[]`),
		"podCIDR":       value(`"x"`),
		"spec":          value(`{"unschedulable":true}`),
	}, repeats))
	status := or(draw(map[string]*rapid.Generator[string]{"phase": value(`"Failed"`, `"Running"`), "x": value("1")}, repeats))
	members := map[string]*rapid.Generator[string]{
		"spec": spec, "status": status, "taints": value("5"),
		"spec.unschedulable": value("true", "false"), "spec.taints": value("[]", `[{"key":"d","effect":"NoExecute"}]`),
		"spec.tolerations": value(`[{"operator":"Exists"}]`),
	}
	text := draw(members, repeats).Draw(t, "object")
	return strings.Replace(`{"kind":"Node",`+text[1:], ",}", "}", 1)
}

// What is read without an error is what encoding/json reads into a struct.
func TestRepeated_property(t *testing.T) {
	read, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		text := object(rt)
		var want struct {
			Spec struct {
				Unschedulable bool
				Taints        json.RawMessage
				NodeName      string
				Tolerations   json.RawMessage
			}
			Status struct{ Phase string }
		}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			rt.Fatalf("%s: %v", text, err)
		}
		var o *Object
		for got, err := range Objects("f", strings.NewReader(text)) {
			if o = got; err != nil {
				refused++
				return
			}
		}
		n, err := o.Node()
		if refused++; err == nil {
			refused, read = refused-1, read+1
			taints, _, err := taint.Decode(want.Spec.Taints, taint.ListOptions{})
			if want.Spec.Taints == nil {
				taints, err = nil, nil
			}
			if err != nil || n.Unschedulable != want.Spec.Unschedulable || !slices.Equal(n.Taints, taints) {
				rt.Errorf("%s: %+v, want %+v, %v", text, n, want.Spec, err)
			}
		}
		p, err := o.Pod()
		if err == nil {
			tolerations, _, err := toleration.Decode(want.Spec.Tolerations, toleration.ListOptions{})
			if want.Spec.Tolerations == nil {
				tolerations, err = nil, nil
			}
			if err != nil || p.Node != want.Spec.NodeName || p.Phase != want.Status.Phase || !slices.Equal(p.Tolerations, tolerations) {
				rt.Errorf("%s: %+v, want %+v, %v", text, p, want, err)
			}
		}
	})
	t.Logf("%d read, %d refused", read, refused)
	if refused == 0 || read == 0 {
		t.Errorf("%d nodes read and %d refused: too few of one", read, refused)
	}
}
