package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
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
		Reason  string `json:"reason"`
		Field   string `json:"field"`
		Message string `json:"message"`
	}
)

const (
	reviewVersion = "admission.k8s.io/v1"
	reviewKind    = "AdmissionReview"
)

// A verdict is the answer to a request: what to add to a pod, or why it is
// refused.
type verdict struct {
	patch []admission.Operation
	err   error
	code  int // of the refusal
}

// The refusals, as HTTP has them: the object is wrong, it must not be, or this
// webhook should not have been asked.
const (
	invalid   = 422
	forbidden = 403
	notOurs   = 400
)

// The limits of what is judged and told, so that no request costs much: what a
// policy costs grows with the third power of a hostile list's length.
const (
	mostTolerations = 200 // of a pod, with what is added
	mostProblems    = 100 // in a refusal
)

// tooMany refuses a list that is longer than that.
func tooMany(n int) verdict {
	if n <= mostTolerations {
		return verdict{}
	}
	return verdict{err: fmt.Errorf("spec.tolerations: %d are too many (at most %d)", n, mostTolerations), code: forbidden}
}

var reasons = map[int]string{invalid: "Invalid", forbidden: "Forbidden", notOurs: "BadRequest"}

// response puts a verdict into the API's words.
func (v verdict) response(uid string) (*response, error) {
	r := &response{UID: uid, Allowed: v.err == nil}
	if v.err != nil {
		text, found := v.err.Error(), details{}
		var ps validate.Problems
		if errors.As(v.err, &ps) {
			told := ps[:min(len(ps), mostProblems)]
			for _, p := range told {
				found.Causes = append(found.Causes, cause{"FieldValue" + reasons[v.code], p.Path, p.Error()})
			}
			if more := len(ps) - len(told); more > 0 {
				text = fmt.Sprintf("%v\nand %d more", told, more)
			}
		}
		r.Status = &status{Code: v.code, Reason: reasons[v.code], Message: "tolerate: " + strings.ReplaceAll(text, "\n", "; ")}
		if found.Causes != nil {
			r.Status.Details = &found
		}
		return r, nil
	}
	if len(v.patch) > 0 {
		patch, err := json.Marshal(v.patch)
		if err != nil {
			return nil, err
		}
		r.PatchType, r.Patch = "JSONPatch", patch
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
	pod, err := admission.DecodePod(r.Object, toleration.ListOptions{})
	if err != nil {
		return verdict{err: err, code: invalid}
	}
	if len(pod.Tolerations) > mostTolerations { // /validate says whether it may
		return verdict{}
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
	if v := tooMany(len(pod.Tolerations) + len(added)); v.err != nil {
		return v
	}
	return verdict{patch: admission.Patch(pod.Tolerations, added)}
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
	pod, err := admission.DecodePod(r.Object, toleration.ListOptions{})
	if err != nil {
		return verdict{err: err, code: invalid}
	}
	const path = "spec.tolerations"
	s := c.of(r.Namespace)
	whitelist := s.plan.Restriction.Whitelist
	if r.Operation == "CREATE" {
		if v := tooMany(len(pod.Tolerations)); v.err != nil {
			return v
		}
		return refuse(admission.CheckWhitelist(whitelist, pod.Tolerations), s.policy.Check(path, pod.Tolerations))
	}
	before, err := admission.DecodePod(r.OldObject, toleration.ListOptions{})
	if err != nil {
		return verdict{err: fmt.Errorf("the object as it was: %w", err), code: notOurs}
	}
	if slices.Equal(before.Tolerations, pod.Tolerations) { // as in nearly all updates
		return verdict{}
	}
	if v := tooMany(len(pod.Tolerations)); v.err != nil {
		return v
	}
	if err := toleration.ValidateUpdate(before.Tolerations, pod.Tolerations, toleration.ListOptions{Path: path}); err != nil {
		return verdict{err: err, code: invalid}
	}
	if len(whitelist) > 0 { // what the pod had it may keep
		whitelist = slices.Concat(whitelist, before.Tolerations)
	}
	return refuse(admission.CheckWhitelist(whitelist, pod.Tolerations), s.policy.CheckUpdate(path, before.Tolerations, pod.Tolerations))
}

// refuse is the verdict of all problems together.
func refuse(errs ...error) verdict {
	var ps validate.Problems
	for _, err := range errs {
		ps = validate.Append(ps, "", err)
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
	deleted, err := member(r.OldObject, "metadata", "deletionTimestamp")
	if err != nil {
		return verdict{err: fmt.Errorf("the object as it was: %w", err), code: notOurs}, true
	}
	return verdict{}, deleted.Kind != apijson.Absent
}

// member returns what the object holds under the name, within what it holds
// under outer. Names are case-sensitive, as in the API.
func member(object []byte, outer, name string) (apijson.Field, error) {
	var f [1]apijson.Field
	for _, n := range [...]string{outer, name} {
		scan, err := apijson.NewScanner(object)
		if err != nil {
			return apijson.Field{}, err
		}
		if ps := scan.Object([]string{n}, f[:], false, nil); ps != nil {
			return apijson.Field{}, ps
		}
		if f[0].Kind == apijson.Absent {
			break
		}
		object = []byte(f[0].Raw())
	}
	return f[0], nil
}

func checkNode(r *request) verdict {
	f, err := member(r.Object, "spec", "taints")
	if err == nil {
		_, err = taint.DecodeList([]byte(f.Raw()), taint.ListOptions{Path: "spec.taints"})
	}
	return verdict{err: err, code: invalid}
}
