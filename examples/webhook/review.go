package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// The fields of admission.k8s.io/v1 that are read and written here.
type (
	admissionReview struct {
		APIVersion string    `json:"apiVersion"`
		Kind       string    `json:"kind"`
		Request    *request  `json:"request,omitempty"`
		Response   *response `json:"response,omitempty"`
	}
	request struct { // it is only read, so the case of names does not matter
		UID                                     string
		Kind                                    groupKind
		SubResource, Namespace, Name, Operation string
		UserInfo                                userInfo
		Object, OldObject                       json.RawMessage

		now, old object // of Object and, for an update, of OldObject
	}
	groupKind struct{ Group, Version, Kind string }
	userInfo  struct{ Groups groups }
	groups    []string
	object    struct { // what is read of a pod before package rules decodes it
		Metadata struct {
			Name, GenerateName string
			DeletionTimestamp  *string
			OwnerReferences    json.RawMessage
		}
		Spec struct{ Tolerations json.RawMessage }
	}
	owner struct {
		Kind, Name string
		Controller bool
	}
	response struct {
		UID       string   `json:"uid"`
		Allowed   bool     `json:"allowed"`
		Status    *status  `json:"status,omitempty"`
		PatchType string   `json:"patchType,omitempty"`
		Patch     []byte   `json:"patch,omitempty"` // base64 in JSON
		Warnings  []string `json:"warnings,omitempty"`
	}
	status struct {
		Code    int      `json:"code"`
		Reason  string   `json:"reason"`
		Message string   `json:"message"`
		Details *details `json:"details,omitempty"`
	}
	details struct {
		Causes []cause `json:"causes"`
	}
	cause struct {
		Reason  string `json:"reason"`
		Field   string `json:"field"`
		Message string `json:"message"`
	}
	operation struct { // of a JSON patch
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value,omitempty"`
	}
)

const (
	reviewVersion = "admission.k8s.io/v1"
	reviewKind    = "AdmissionReview"
)

// asJSON returns the JSON of a value that always has one.
func asJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// The limits of what is evaluated and reported. Lists are limited before they are decoded,
// since decoding takes hundreds of bytes for three bytes of input.
const (
	mostText     = 1_000   // bytes of a name; the API server sends no longer ones,
	mostGroups   = 10_000  // and not so many
	mostJSON     = 1 << 18 // bytes of a list; 200 of the longest tolerations take less than half
	mostParts    = 50_000  // commas of a pod
	mostProblems = 100     // in an answer
)

// decodeReview reads a review that has a request.
func decodeReview(body []byte) (*request, error) {
	var review admissionReview
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, fmt.Errorf("reading the review: %w", err)
	}
	switch {
	case review.APIVersion != reviewVersion || review.Kind != reviewKind:
		return nil, fmt.Errorf("must be %s %s, not %.100q %.100q", reviewVersion, reviewKind, review.APIVersion, review.Kind)
	case review.Request == nil || review.Request.UID == "":
		return nil, errors.New("the review has no request with a uid")
	}
	r := review.Request
	for _, text := range []string{r.UID, r.Kind.Group, r.Kind.Version, r.Kind.Kind, r.SubResource, r.Namespace, r.Name, r.Operation} {
		if len(text) > mostText || strings.ContainsFunc(text, unicode.IsControl) {
			return nil, fmt.Errorf("the request has a name of %d bytes, %.100q: at most %d, without control characters, are allowed", len(text), text, mostText)
		}
	}
	return r, nil
}

func (g *groups) UnmarshalJSON(data []byte) error {
	if bytes.Count(data, []byte{','}) >= mostGroups {
		return fmt.Errorf("more than %d groups are too many", mostGroups)
	}
	return json.Unmarshal(data, (*[]string)(g))
}

// A verdict is the answer to a request.
type verdict struct {
	patch   []byte // in JSON
	err     error  // why the pod is refused
	code    int
	clauses []string // of the configuration, which refuse it
}

// The codes of refusals: the pod is invalid, it is forbidden, or the webhook should not
// have been called.
const (
	invalid   = 422
	forbidden = 403
	notOurs   = 400
)

var reasons = map[int]string{invalid: "Invalid", forbidden: "Forbidden", notOurs: "BadRequest"}

// response returns a verdict in the form of the API. What only warns allows the object.
func (v verdict) response(uid string, warn bool) *response {
	r := &response{UID: uid, Allowed: v.err == nil || warn, Patch: v.patch}
	if v.patch != nil {
		r.PatchType = "JSONPatch"
	}
	if v.err == nil {
		return r
	}
	text, s := v.err.Error(), &status{Code: v.code, Reason: reasons[v.code]}
	var ps validate.Problems
	if errors.As(v.err, &ps) {
		other := "FieldValueInvalid" // of a problem without a rule
		if v.code == forbidden {
			other = "FieldValueForbidden"
		}
		reported := ps[:min(len(ps), mostProblems)]
		s.Details = new(details)
		for _, p := range reported {
			s.Details.Causes = append(s.Details.Causes, cause{cmp.Or(p.Rule.Cause(), other), p.Path, p.Error()})
		}
		if more := len(ps) - len(reported); more > 0 {
			text = fmt.Sprintf("%v\nand %d more", reported, more)
		}
	}
	if warn {
		for line := range strings.SplitSeq(text, "\n") {
			r.Warnings = append(r.Warnings, "tolerate: "+line)
		}
		return r
	}
	s.Message = "tolerate: " + strings.ReplaceAll(text, "\n", "; ")
	r.Status = s
	return r
}

// settle decides what needs no look at the tolerations, and reports whether it is so. It
// sets now and old.
func (r *request) settle() (v verdict, done bool) {
	switch kind := r.Kind; {
	case kind != groupKind{"", "v1", "Pod"}:
		return verdict{err: fmt.Errorf("this webhook is for v1 Pod, not %s/%s %s; correct its configuration in the cluster", kind.Group, kind.Version, kind.Kind), code: notOurs}, true
	case r.Operation == "DELETE", r.Operation == "CONNECT", r.SubResource != "":
		return verdict{}, true
	case r.Operation == "UPDATE":
		if err := json.Unmarshal(r.OldObject, &r.old); err != nil {
			return verdict{err: fmt.Errorf("the old object: %w", err), code: notOurs}, true
		} else if r.old.Metadata.DeletionTimestamp != nil { // a request alone cannot claim it
			return verdict{}, true
		}
	}
	err := json.Unmarshal(r.Object, &r.now)
	return verdict{err: err, code: invalid}, err != nil
}

// long reports whether the tolerations are too many to be decoded.
func (o *object) long() bool {
	var list []json.RawMessage
	return len(o.Spec.Tolerations) > mostJSON || json.Unmarshal(o.Spec.Tolerations, &list) == nil && len(list) > rules.MaxTolerations
}

// who returns the name of a pod, or what it begins with, and the controller that made it.
func (o *object) who() (name, controller string) {
	var owners []owner
	if len(o.Metadata.OwnerReferences) < mostJSON {
		_ = json.Unmarshal(o.Metadata.OwnerReferences, &owners) // it is only for the log
	}
	for _, w := range owners {
		if w.Controller {
			controller = fmt.Sprintf("%.253s/%.253s", w.Kind, w.Name)
		}
	}
	return fmt.Sprintf("%.253s", cmp.Or(o.Metadata.Name, o.Metadata.GenerateName)), controller
}

func decodePod(r *request) (pod rules.Pod, err error) {
	if bytes.Count(r.Object, []byte{','}) > mostParts {
		return pod, fmt.Errorf("the pod has more than %d fields and elements", mostParts)
	}
	pod, err = rules.DecodePod(r.Object, "")
	pod.Update = r.Operation == "UPDATE"
	return pod, err
}

// mutate returns what to add to a pod.
func mutate(c *rules.Config, r *request) verdict {
	v, done := r.settle()
	if done || r.now.long() { // check decides whether this is an unchanged list
		return v
	}
	pod, err := decodePod(r)
	if err != nil {
		return verdict{err: err, code: invalid}
	}
	tolerations, labels := c.For(r.Namespace, r.UserInfo.Groups).Missing(pod)
	var patch []operation
	if len(pod.Tolerations) > 0 {
		for _, u := range tolerations {
			patch = append(patch, operation{"add", "/spec/tolerations/-", asJSON(u)})
		}
	} else if len(tolerations) > 0 {
		patch = append(patch, operation{"add", "/spec/tolerations", asJSON(tolerations)})
	}
	if len(labels) > 0 && pod.NodeSelector == nil {
		patch = append(patch, operation{"add", "/spec/nodeSelector", asJSON(labels)})
	} else {
		for _, label := range slices.Sorted(maps.Keys(labels)) {
			patch = append(patch, operation{"add", "/spec/nodeSelector/" + pointer.Replace(label), asJSON(labels[label])})
		}
	}
	if patch == nil {
		return verdict{}
	}
	return verdict{patch: asJSON(patch)}
}

// pointer escapes a name in a path of a JSON patch.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// check decides whether the pod is accepted.
func check(c *rules.Config, r *request) verdict {
	v, done := r.settle()
	now, old := r.now.Spec.Tolerations, r.old.Spec.Tolerations
	switch {
	case done:
		return v
	case r.now.long() && bytes.Equal(now, old): // it can stay
		return verdict{}
	case r.now.long() || r.old.long():
		err := fmt.Errorf("spec.tolerations: more than %d, or more than %d bytes, are too many", rules.MaxTolerations, mostJSON)
		return verdict{err: err, code: forbidden}
	}
	pod, err := decodePod(r)
	if err != nil {
		return verdict{err: err, code: invalid}
	}
	if pod.Update {
		if old != nil {
			pod.Old, _, err = toleration.Decode(old, toleration.ListOptions{})
		}
		if err != nil {
			return verdict{err: fmt.Errorf("the old object: %w", err), code: notOurs}
		} else if slices.Equal(pod.Old, pod.Tolerations) { // as in nearly all updates
			return verdict{}
		} else if err := pod.Tolerations.ValidateUpdate(pod.Old, toleration.ListOptions{Path: "spec.tolerations"}); err != nil {
			return verdict{err: err, code: invalid}
		}
	}
	var ps validate.Problems
	for _, refusal := range c.For(r.Namespace, r.UserInfo.Groups).Check(pod) {
		ps = append(ps, refusal.Problem)
		if !slices.Contains(v.clauses, refusal.Clause) {
			v.clauses = append(v.clauses, refusal.Clause)
		}
	}
	v.err, v.code = ps.Err(), forbidden
	return v
}
