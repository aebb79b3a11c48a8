package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// A codec is JSON or YAML as Kubernetes' programs write and read it.
type codec struct {
	name      string
	cases     int
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
}

var codecs = []codec{
	{"JSON", pure, json.Marshal, json.Unmarshal},
	{"YAML", objects, yaml.Marshal, func(b []byte, v any) error { return yaml.UnmarshalStrict(b, v) }},
}

// The API's struct is written as text, read as the library's value, and written again:
// the struct and both texts are the same.
func TestTolerationText_K4_K5(t *testing.T) {
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conform(t, c.cases, func(g *gen) string {
				theirs := g.toleration()
				if theirs.Key != "" && g.in(8) {
					theirs.Operator, theirs.Value = corev1.TolerationOpEqual, g.label()
				}
				want := valid(ourToleration(theirs))
				return bothWays(c, theirs, want)
			})
		})
	}
}

func TestTaintText_K4_K5_V6(t *testing.T) {
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conform(t, c.cases, func(g *gen) string {
				theirs := g.taint()
				theirs.TimeAdded = g.timeAdded()
				want := valid(ourTaint(theirs))
				if theirs.TimeAdded != nil { // the text has whole seconds, in UTC
					theirs.TimeAdded.Time = time.Unix(theirs.TimeAdded.Unix(), 0)
				}
				return bothWays(c, theirs, want)
			})
		})
	}
}

func bothWays[Theirs, Ours any](c codec, theirs Theirs, want Ours) string {
	text, err := c.marshal(theirs)
	if err != nil {
		return err.Error()
	}
	var ours Ours
	if err := c.unmarshal(text, &ours); err != nil {
		return fmt.Sprintf("%s: %v", text, err)
	}
	if any(ours) != any(want) {
		return fmt.Sprintf("%s: read as %v, want %v", text, ours, want)
	}
	ourText, err := c.marshal(ours)
	if err != nil || string(ourText) != string(text) {
		return fmt.Sprintf("Kubernetes writes %s, ours %s, %v", text, ourText, err)
	}
	var back Theirs
	if err := c.unmarshal(ourText, &back); err != nil {
		return fmt.Sprintf("%s: %v", ourText, err)
	}
	if !reflect.DeepEqual(back, theirs) {
		return fmt.Sprintf("%s: reads back as %+v, want %+v", ourText, back, theirs)
	}
	return ""
}
