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
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
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
	}
	groupKind struct{ Group, Version, Kind string }
	userInfo  struct {
		Raw    json.RawMessage `json:"groups"`
		Groups []string        `json:"-"`
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
		Reason  validate.Cause `json:"reason"`
		Field   string         `json:"field"`
		Message string         `json:"message"`
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

// The API server sends no longer names and not so many groups. The answer and the log
// repeat names.
const (
	mostText   = 1_000
	mostGroups = 10_000
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
	if raw := r.UserInfo.Raw; bytes.Count(raw, []byte{','}) >= mostGroups {
		return nil, fmt.Errorf("request.userInfo.groups: more than %d are too many", mostGroups)
	} else if raw != nil {
		if err := json.Unmarshal(raw, &r.UserInfo.Groups); err != nil {
			return nil, fmt.Errorf("request.userInfo.groups: %w", err)
		}
	}
	return r, nil
}

// A verdict is the answer to a request.
type verdict struct {
	patch   []byte // in JSON
	err     error  // why the object is rejected
	code    int
	clauses []string // of the configuration, which reject it
}

// The codes of rejections: the object is invalid, it is forbidden, or the webhook
// should not have been called.
const (
	invalid   = 422
	forbidden = 403
	notOurs   = 400
)

var reasons = map[int]string{invalid: "Invalid", forbidden: "Forbidden", notOurs: "BadRequest"}

// tooMany rejects a list that is too long to be evaluated.
func tooMany(path string) verdict {
	return verdict{err: fmt.Errorf("%s: more than %d, or more than %d bytes, are too many", path, mostElements, mostJSON), code: forbidden}
}

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
		other := validate.CauseInvalid // of a problem without a rule
		if v.code == forbidden {
			other = validate.CauseForbidden
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

// mutate returns what to add to a pod. Nothing is added to a node.
func mutate(c *rules.Config, r *request) verdict {
	if v, done := settled(r); done {
		return v
	}
	found, err := lookAt(r.Object, "tolerations")
	if found.many { // check decides whether this is an unchanged list
		return verdict{}
	}
	var pod rules.Pod
	if err == nil {
		pod, err = rules.DecodePod(r.Object, "")
	}
	if err != nil {
		return verdict{err: err, code: invalid}
	}
	pod.Update = r.Operation == "UPDATE"
	tolerations, labels := c.For(r.Namespace, r.UserInfo.Groups).Missing(pod)
	text, err := admission.Patch(pod.Tolerations, slices.Concat(pod.Tolerations, tolerations))
	if err != nil || len(labels) == 0 {
		return verdict{patch: text, err: err, code: invalid}
	}
	var patch []operation
	if text != nil {
		err = json.Unmarshal(text, &patch)
	}
	if pod.NodeSelector == nil {
		patch = append(patch, operation{"add", "/spec/nodeSelector", asJSON(labels)})
	} else {
		for _, label := range slices.Sorted(maps.Keys(labels)) {
			patch = append(patch, operation{"add", "/spec/nodeSelector/" + pointer.Replace(label), asJSON(labels[label])})
		}
	}
	return verdict{patch: asJSON(patch), err: err, code: invalid}
}

// pointer escapes a name in a path of a JSON patch.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// check decides whether the object is accepted.
func check(c *rules.Config, r *request) verdict {
	if v, done := settled(r); done {
		return v
	}
	old := list{json: "null"}
	now, err := lookAt(r.Object, "tolerations")
	if err != nil {
		return verdict{err: err, code: invalid}
	}
	if r.Operation == "UPDATE" {
		if old, err = lookAt(r.OldObject, "tolerations"); err != nil {
			return verdict{err: fmt.Errorf("the old object: %w", err), code: notOurs}
		}
	}
	switch {
	case now.many && now == old: // a list that is too long to be evaluated can stay unchanged
		return verdict{}
	case now.many || old.many:
		return tooMany("spec.tolerations")
	}
	pod, err := rules.DecodePod(r.Object, "")
	if err != nil {
		return verdict{err: err, code: invalid}
	}
	if r.Operation == "UPDATE" {
		pod.Update = true
		if pod.Old, _, err = toleration.Decode([]byte(old.json), toleration.ListOptions{}); err != nil {
			return verdict{err: fmt.Errorf("the old object: %w", err), code: notOurs}
		}
		if slices.Equal(pod.Old, pod.Tolerations) { // as in nearly all updates
			return verdict{}
		}
		if err := pod.Tolerations.ValidateUpdate(pod.Old, toleration.ListOptions{Path: "spec.tolerations"}); err != nil {
			return verdict{err: err, code: invalid}
		}
	}
	refused := c.For(r.Namespace, r.UserInfo.Groups).Check(pod)
	v := verdict{err: rules.Problems(refused), code: forbidden}
	for _, f := range refused {
		if !slices.Contains(v.clauses, f.Clause) {
			v.clauses = append(v.clauses, f.Clause)
		}
	}
	return v
}

// settled returns the verdict on a request that needs no look at a pod, and whether
// it is one.
func settled(r *request) (v verdict, done bool) {
	switch kind := r.Kind; {
	case kind.Group != "" || kind.Version != "v1" || kind.Kind != "Pod" && kind.Kind != "Node":
		return verdict{err: fmt.Errorf("this webhook is for v1 Pod and Node, not %s/%s %s; correct its configuration in the cluster", kind.Group, kind.Version, kind.Kind), code: notOurs}, true
	case !slices.Contains([]string{"CREATE", "UPDATE", "DELETE", "CONNECT"}, r.Operation):
		return verdict{err: fmt.Errorf("unknown operation %q", r.Operation), code: notOurs}, true
	case r.Operation == "DELETE", r.Operation == "CONNECT", r.SubResource != "":
		return verdict{}, true
	}
	if r.Operation == "UPDATE" { // what is being deleted was so before: a request alone cannot claim it
		deleted, err := isDeleted(r.OldObject)
		if err != nil {
			return verdict{err: fmt.Errorf("the old object: %w", err), code: notOurs}, true
		}
		if deleted {
			return verdict{}, true
		}
	}
	if r.Kind.Kind == "Node" {
		return checkNode(r), true
	}
	return verdict{}, false
}

// checkNode validates the taints of a node. A list that is too long can stay unchanged.
func checkNode(r *request) verdict {
	const path = "spec.taints"
	now, err := lookAt(r.Object, "taints")
	if err == nil && now.many {
		if old, err := lookAt(r.OldObject, "taints"); err == nil && old == now {
			return verdict{}
		}
		return tooMany(path)
	}
	if err == nil {
		_, _, err = taint.Decode([]byte(now.json), taint.ListOptions{Path: path})
	}
	return verdict{err: err, code: invalid}
}
