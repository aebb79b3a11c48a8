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
	f.Add("/mutate", "application/json", strings.Replace(review(`{"spec": {"nodeSelector": {"dedicated": "cpu", "a": "b"}}}`), `"uid"`, `"namespace": "ml", "userInfo": {"groups": ["gpu-users"]}, "uid"`, 1))
	f.Add("/mutate", "text/plain", "{")
	c := mustConfig(f, shipped(f))
	s := testServer(io.Discard)
	s.config.Store(c)
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
		pod, _, err := admission.DecodePod(in.Object, "")
		if err != nil {
			t.Fatalf("the pod is wrong, and yet patched: %v", err)
		}
		before := pod.Tolerations
		for _, o := range operations(t, r.Patch) {
			tolerations := o.Path == "/spec/tolerations" && len(before) == 0 || o.Path == "/spec/tolerations/-" && len(before) > 0
			selector := in.Namespace == "ml" && in.Operation == "CREATE" && (o.Path == "/spec/nodeSelector" || o.Path == "/spec/nodeSelector/dedicated")
			if o.Op != "add" || !tolerations && !selector {
				t.Fatalf("%s has the step %v", r.Patch, o)
			}
		}
		if in.Object, err = apply(in.Object, r.Patch); err != nil {
			return // without a spec: the API server rejects it
		}
		if pod, _, err = admission.DecodePod(in.Object, ""); err != nil {
			t.Fatalf("%s: %v", in.Object, err)
		}
		if err := pod.Tolerations.ValidateUpdate(before, toleration.ListOptions{}); err != nil {
			t.Error(err)
		}
		if again := mutate(c, in); again.err != nil || again.patch != nil {
			t.Errorf("again: %v, %s", again.err, again.patch)
		}
	})
}
