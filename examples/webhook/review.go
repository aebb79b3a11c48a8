package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/validate"
)

// The parts of admission.k8s.io/v1 that are read and written here.
type (
	admissionReview struct {
		APIVersion string    `json:"apiVersion"`
		Kind       string    `json:"kind"`
		Request    *request  `json:"request,omitempty"`
		Response   *response `json:"response,omitempty"`
	}
	request struct {
		UID         string          `json:"uid"`
		Kind        groupKind       `json:"kind"`
		SubResource string          `json:"subResource"`
		Namespace   string          `json:"namespace"`
		Name        string          `json:"name"`
		Operation   string          `json:"operation"`
		Object      json.RawMessage `json:"object"`
		OldObject   json.RawMessage `json:"oldObject"`
	}
	groupKind struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	}
	response struct {
		UID       string  `json:"uid"`
		Allowed   bool    `json:"allowed"`
		Status    *status `json:"status,omitempty"`
		PatchType string  `json:"patchType,omitempty"`
		Patch     []byte  `json:"patch,omitempty"` // base64 in JSON
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
)

const (
	reviewVersion = "admission.k8s.io/v1"
	reviewKind    = "AdmissionReview"
)

const (
	tolerationsPath = "spec.tolerations"
	mostResources   = 1_000 // that the containers of a pod request
)

// A verdict is the answer to a request: what to add to a pod, or why it is
// refused.
type verdict struct {
	patch []byte // in JSON
	err   error
	code  int // of the refusal
}

// The refusals, as HTTP has them: the object is wrong, it must not be, or this
// webhook should not have been called.
const (
	invalid   = 422
	forbidden = 403
	notOurs   = 400
)

// tooMany refuses a list that is longer than what is judged.
func tooMany(path string) verdict {
	return verdict{err: fmt.Errorf("%s: more than %d, or more than %d bytes, are too many", path, mostElements, mostJSON), code: forbidden}
}

var (
	reasons = map[int]string{invalid: "Invalid", forbidden: "Forbidden", notOurs: "BadRequest"}
	// causes are those of problems without a rule.
	causes = map[int]validate.Cause{invalid: validate.CauseInvalid, forbidden: validate.CauseForbidden, notOurs: validate.CauseInvalid}
)

// response puts a verdict into the API's words.
func (v verdict) response(uid string) (*response, error) {
	r := &response{UID: uid, Allowed: v.err == nil}
	if v.err != nil {
		text, found := v.err.Error(), details{}
		var ps validate.Problems
		if errors.As(v.err, &ps) {
			reported := ps[:min(len(ps), mostProblems)]
			for _, p := range reported {
				found.Causes = append(found.Causes, cause{cmp.Or(p.Rule.Cause(), causes[v.code]), p.Path, p.Error()})
			}
			if more := len(ps) - len(reported); more > 0 {
				text = fmt.Sprintf("%v\nand %d more", reported, more)
			}
		}
		r.Status = &status{Code: v.code, Reason: reasons[v.code], Message: "tolerate: " + strings.ReplaceAll(text, "\n", "; ")}
		if found.Causes != nil {
			r.Status.Details = &found
		}
		return r, nil
	}
	if len(v.patch) > 0 {
		r.PatchType, r.Patch = "JSONPatch", v.patch
	}
	return r, nil
}

// mutate answers what to add to a pod. A node is checked alone: there is nothing
// to add.
func (c *config) mutate(r *request) verdict {
	if v, done := settled(r); done {
		return v
	}
	if r.Kind.Kind == "Node" {
		return checkNode(r)
	}
	found, err := lookAt(r.Object, "tolerations", true)
	switch {
	case found.many: // /validate says whether it may
		return verdict{}
	case err != nil:
		return verdict{err: err, code: forbidden}
	}
	pod, _, err := admission.DecodePod(r.Object, toleration.ListOptions{})
	if err != nil {
		return verdict{err: err, code: invalid}
	}
	if len(pod.Resources) > mostResources {
		return verdict{err: fmt.Errorf("spec.containers: they request more than %d resources", mostResources), code: forbidden}
	}
	plan := c.of(r.Namespace).plan
	plan.Restriction.Whitelist = nil // that is for /validate, when all webhooks are through
	ask := plan.OnUpdate
	if r.Operation == "CREATE" {
		ask = plan.OnCreate
	}
	added, err := ask(pod)
	if err != nil {
		return verdict{err: err, code: forbidden}
	}
	if len(pod.Tolerations)+len(added) > mostElements {
		return tooMany(tolerationsPath)
	}
	patch, err := admission.Patch(pod.Tolerations, slices.Concat(pod.Tolerations, added))
	return verdict{patch: patch, err: err, code: invalid}
}

// validate answers whether the object may be as it is.
func (c *config) validate(r *request) verdict {
	v, done := settled(r)
	if done {
		return v
	}
	if r.Kind.Kind == "Node" {
		return checkNode(r)
	}
	pod, before, known := tolerations(r)
	if known != nil {
		return *known
	}
	s := c.of(r.Namespace)
	whitelist := s.plan.Restriction.Whitelist
	if r.Operation == "CREATE" {
		return refuse(admission.CheckWhitelist(whitelist, pod), s.check(nil, pod))
	}
	if slices.Equal(before, pod) { // as in nearly all updates
		return verdict{}
	}
	if err := pod.ValidateUpdate(before, toleration.ListOptions{Path: tolerationsPath}); err != nil {
		return verdict{err: err, code: invalid}
	}
	if len(whitelist) > 0 { // what the pod had it may keep
		whitelist = slices.Concat(whitelist, before)
	}
	return refuse(admission.CheckWhitelist(whitelist, pod), s.check(before, pod))
}

// check holds what is new in a pod's tolerations against the policy, if there is one.
func (s *scope) check(before, pod toleration.List) error {
	switch {
	case s.policy == nil:
		return nil
	case before == nil:
		return s.policy.Check(pod, tolerationsPath)
	}
	return s.policy.CheckUpdate(pod, before, tolerationsPath)
}

// tolerations returns those of the pod and, in an update, those that it had; or the
// verdict, where there is one without a look at them. A list that is too long to be
// judged may stay as it was.
func tolerations(r *request) (pod, before toleration.List, v *verdict) {
	now, err := lookAt(r.Object, "tolerations", false)
	if err != nil {
		return nil, nil, &verdict{err: err, code: invalid}
	}
	var old list
	if r.Operation != "CREATE" {
		if old, err = lookAt(r.OldObject, "tolerations", false); err == nil && !old.many {
			before, _, err = toleration.Decode([]byte(old.json), toleration.ListOptions{})
		}
		if err != nil {
			return nil, nil, &verdict{err: fmt.Errorf("the object as it was: %w", err), code: notOurs}
		}
	}
	switch {
	case now.many && now == old:
		return nil, nil, new(verdict)
	case now.many || old.many:
		v := tooMany(tolerationsPath)
		return nil, nil, &v
	}
	if pod, _, err = toleration.Decode([]byte(now.json), toleration.ListOptions{}); err != nil {
		return nil, nil, &verdict{err: err, code: invalid}
	}
	return pod, before, nil
}

// refuse is the verdict of all problems together.
func refuse(errs ...error) verdict {
	var ps validate.Problems
	for _, err := range errs {
		var found validate.Problems
		if err != nil && !errors.As(err, &found) {
			found = validate.Problems{{Err: err}}
		}
		ps = append(ps, found...)
	}
	return verdict{err: ps.Err(), code: forbidden}
}

// settled answers what needs no look at the object: what ends, what is about a part
// of it that this program does not judge, and what is not for it at all.
func settled(r *request) (verdict, bool) {
	switch {
	case r.Kind.Group != "" || r.Kind.Version != "v1" || r.Kind.Kind != "Pod" && r.Kind.Kind != "Node":
		return verdict{err: fmt.Errorf("this webhook judges v1 Pod and Node, not %s/%s %s: its configuration is wrong", r.Kind.Group, r.Kind.Version, r.Kind.Kind), code: notOurs}, true
	case r.Operation != "CREATE" && r.Operation != "UPDATE", r.SubResource != "":
		return verdict{}, true
	case r.Operation == "CREATE":
		return verdict{}, false
	}
	// What is being deleted was so before: a request alone cannot claim it.
	deleted, err := isDeleted(r.OldObject)
	if err != nil {
		return verdict{err: fmt.Errorf("the object as it was: %w", err), code: notOurs}, true
	}
	return verdict{}, deleted
}

// checkNode checks the taints of a node. A list that is too long to be checked may
// stay as it was.
func checkNode(r *request) verdict {
	const path = "spec.taints"
	now, err := lookAt(r.Object, "taints", false)
	if err == nil && now.many {
		if old, err := lookAt(r.OldObject, "taints", false); err == nil && old == now {
			return verdict{}
		}
		return tooMany(path)
	}
	if err == nil {
		_, _, err = taint.Decode([]byte(now.json), taint.ListOptions{Path: path})
	}
	return verdict{err: err, code: invalid}
}
