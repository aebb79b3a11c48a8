package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// Whatever is sent gets an answer: an HTTP error, or a review that answers the
// request. What is added leaves the pod's own tolerations in front, as they were.
func FuzzReview(f *testing.F) {
	f.Add("/mutate", "application/json", review(`{"spec": {"tolerations": [{"key": "a"}], "containers": [{"resources": {"requests": {"example.com/x": "1"}}}]}}`))
	f.Add("/validate", "application/json", review(`{"spec": {"tolerations": [{"operator": "Exists"}, {"key": "b", "value": true}]}}`))
	f.Add("/validate", "application/json", strings.Replace(review(`{"spec": {"taints": [{"key": "b"}]}}`), `"Pod"`, `"Node"`, 1))
	f.Add("/mutate", "text/plain", "{")
	c, err := readConfig(strings.NewReader(sampleConfig))
	if err != nil {
		f.Fatal(err)
	}
	s := testServer(io.Discard)
	s.config = c
	f.Fuzz(func(t *testing.T, path, contentType, body string) {
		if path != "/mutate" && path != "/validate" {
			path = "/mutate"
		}
		w := post(s, path, contentType, strings.NewReader(body))
		if w.Code != 200 {
			if w.Code < 400 || w.Code > 499 || w.Body.Len() == 0 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			return
		}
		in, err := decodeReview([]byte(body))
		if err != nil {
			t.Fatalf("answered, and yet %v", err)
		}
		var out admissionReview
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || out.Response == nil {
			t.Fatalf("%s: %v", w.Body, err)
		}
		r := out.Response
		switch {
		case r.UID != in.UID && strings.ToValidUTF8(in.UID, "") == in.UID:
			t.Errorf("uid %q, want %q", r.UID, in.UID)
		case r.Allowed == (r.Status != nil), !r.Allowed && r.Status.Message == "", r.Patch != nil && (path == "/validate" || !r.Allowed):
			t.Errorf("%s", w.Body)
		}
		if r.Patch == nil {
			return
		}
		pod, _, err := admission.DecodePod(in.Object, toleration.ListOptions{})
		if err != nil {
			t.Fatalf("the pod is wrong, and yet patched: %v", err)
		}
		before := pod.Tolerations
		var patch []struct {
			Op, Path string
			Value    json.RawMessage
		}
		if err := json.Unmarshal(r.Patch, &patch); err != nil {
			t.Fatal(err)
		}
		after := before
		for i, o := range patch {
			value := o.Value
			switch {
			case o.Op == "add" && o.Path == "/spec/tolerations" && len(before) == 0 && i == 0:
			case o.Op == "add" && o.Path == "/spec/tolerations/-" && len(before) > 0:
				value = append(append([]byte("["), value...), ']')
			default:
				t.Fatalf("step %v for %d tolerations", o, len(before))
			}
			more, _, err := toleration.Decode(value, toleration.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			after = append(after, more...)
		}
		if err := after.ValidateUpdate(before, toleration.ListOptions{}); err != nil {
			t.Error(err)
		}
	})
}
