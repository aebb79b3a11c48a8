package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

var path = field.NewPath("spec", "tolerations")

func causes(errs field.ErrorList) (out []recorded.Cause) {
	for _, e := range errs {
		out = append(out, recorded.Cause{Reason: string(e.Type), Field: e.Field, Detail: e.Detail})
	}
	return out
}

// ours returns the library's paths for the errors, by the listed differences, and these
// differences.
func ours(errs field.ErrorList) (paths, differences []string) {
	unknown := map[string]bool{} // fields that contain an unknown name
	for _, e := range errs {
		// Lt and Gt are known, even if they are rejected.
		op, _ := e.BadValue.(core.TolerationOperator)
		if e.Type == field.ErrorTypeNotSupported && !(toleration{Operator: string(op)}).Numeric() {
			unknown[e.Field] = true
		}
	}
	for _, e := range errs {
		if e.Type == field.ErrorTypeInvalid && unknown[e.Field] {
			differences = append(differences, "V10-once")
			continue
		}
		moved := strings.Replace(e.Field, "metadata.taints", "spec.taints", 1)
		switch element, name, _ := strings.Cut(moved, "]."); {
		case e.Type != field.ErrorTypeInvalid:
		case name == "operator" && strings.Contains(e.Detail, "when `key` is empty"):
			moved = element + "].key"
		case name == "operator":
			moved = element + "].value"
		case name == "effect" && strings.Contains(e.Detail, "must be 'NoExecute'"):
			moved = element + "].tolerationSeconds"
		}
		if moved != e.Field {
			differences = append(differences, "V10-paths")
		}
		if !strings.HasPrefix(moved, "spec.tolerations") && !strings.HasPrefix(moved, "spec.taints") {
			panic("a problem elsewhere: " + e.Error())
		}
		paths = append(paths, moved)
	}
	return paths, differences
}

// unique sorts the list, which it changes, and removes repeats.
func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func validated(c recorded.Validate) any {
	errs := upstream.TolerationErrors(internal(c.Tolerations), path, c.Gate)
	c.Causes = causes(errs)
	c.Ours, c.Differences = ours(errs)
	for i, t := range c.Tolerations { // V11-value: the library also checks their value
		if t.Numeric() && !c.Gate && !integer(t.Value) {
			c.Ours = append(c.Ours, fmt.Sprintf("spec.tolerations[%d].value", i))
			c.Differences = append(c.Differences, "V11-value")
		}
	}
	c.Ours, c.Differences = unique(c.Ours), unique(c.Differences)
	return c
}

// integer is what Kubernetes requires of the value of Lt and Gt (V3).
func integer(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == s
}

func updateErrors(old, changed []toleration, gate bool) (errs field.ErrorList) {
	withGate(gate, func() { errs = upstream.UpdateErrors(internal(old), internal(changed)) })
	return errs
}

func updated(c recorded.Update) any {
	if !possible(c.Old) {
		return nil
	}
	errs := updateErrors(c.Old, c.New, c.Gate)
	c.Causes = causes(errs)
	c.Gone = where(c.Old, func(t toleration) bool {
		return slices.ContainsFunc(updateErrors([]toleration{t}, c.New, c.Gate), func(e *field.Error) bool {
			return e.Type == field.ErrorTypeForbidden && e.Field == "spec.tolerations"
		})
	})
	c.Ours, c.Differences = ours(errs)
	if len(c.Gone) > 1 { // Kubernetes describes one
		c.Differences = append(c.Differences, "V10-all")
	}
	c.Ours, c.Differences = unique(c.Ours), unique(c.Differences)
	return c
}

func taintErrors(list []taint) field.ErrorList {
	return validation.ValidateNode(&core.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: core.NodeSpec{Taints: fields.As[core.Taint](apiTaints(list))}})
}

func validatedTaints(c recorded.ValidateTaints) any {
	errs := taintErrors(c.Taints)
	c.Causes = causes(errs)
	// V8-invalid-repeats: a taint whose key or effect is invalid is not reported as a
	// repeat.
	kept := slices.DeleteFunc(slices.Clone(errs), func(e *field.Error) bool {
		return e.Type == field.ErrorTypeDuplicate &&
			slices.ContainsFunc(errs, func(of *field.Error) bool { return of.Field == e.Field+".key" || of.Field == e.Field+".effect" })
	})
	c.Ours, c.Differences = ours(kept)
	if len(kept) < len(errs) {
		c.Differences = append(c.Differences, "V8-invalid-repeats")
	}
	c.Ours, c.Differences = unique(c.Ours), unique(c.Differences)
	return c
}
