package recording

import (
	"fmt"
	"slices"
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

// numericOperators are the fields that have a numeric operator.
func numericOperators(list []toleration) map[string]bool {
	fields := map[string]bool{}
	for i, t := range list {
		fields[fmt.Sprintf("spec.tolerations[%d].operator", i)] = numeric(t)
	}
	return fields
}

// ours returns the library's paths for the causes, by the listed differences, and notes
// these differences. The fields in known have a known name, even if it is rejected.
func ours(causes []recorded.Cause, theirs, path string, known map[string]bool, note *notes) (paths []string) {
	unknown := map[string]bool{} // fields that contain an unknown name
	for _, c := range causes {
		if c.Reason == "FieldValueNotSupported" && !known[c.Field] {
			unknown[c.Field] = true
		}
	}
	for _, c := range causes {
		if c.Reason == "FieldValueInvalid" && unknown[c.Field] {
			note.add("V10-once")
			continue
		}
		rest, ok := strings.CutPrefix(c.Field, theirs)
		if !ok {
			panic("a problem elsewhere: " + fmt.Sprint(c))
		}
		moved := rest
		switch element, name, _ := strings.Cut(rest, "."); {
		case c.Reason != "FieldValueInvalid":
		case name == "operator" && strings.Contains(c.Detail, "when `key` is empty"):
			moved = element + ".key"
		case name == "operator":
			moved = element + ".value"
		case name == "effect" && strings.Contains(c.Detail, "must be 'NoExecute'"):
			moved = element + ".tolerationSeconds"
		}
		if theirs != path || moved != rest {
			note.add("V10-paths")
		}
		paths = append(paths, path+moved)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// notes are the differences of a case, sorted, each once.
type notes []string

func (n *notes) add(id string) {
	if at, found := slices.BinarySearch(*n, id); !found {
		*n = slices.Insert(*n, at, id)
	}
}

// validate draws a list of tolerations of which about half is invalid.
func validate(g *gen) any {
	list := g.tolerations(g.IntN(4))
	for i := range list {
		if g.in(2) {
			g.spoil(&list[i])
		}
	}
	return validated(list, g.gate())
}

func validated(list []toleration, gate bool) recorded.Validate {
	c := recorded.Validate{Tolerations: list, Gate: gate}
	c.Causes = causes(upstream.TolerationErrors(internal(c.Tolerations), path, c.Gate))
	var note notes
	c.Ours = ours(c.Causes, "spec.tolerations", "spec.tolerations", numericOperators(c.Tolerations), &note)
	for i, t := range c.Tolerations { // V11-value: the library also checks their value
		if p := fmt.Sprintf("spec.tolerations[%d].value", i); numeric(t) && !c.Gate && !integer(t.Value) {
			c.Ours = append(c.Ours, p)
			note.add("V11-value")
		}
	}
	slices.Sort(c.Ours)
	c.Differences = note
	return c
}

func updateErrors(old, changed []toleration, gate bool) (out []recorded.Cause) {
	withGate(gate, func() { out = causes(upstream.UpdateErrors(internal(old), internal(changed))) })
	return out
}

// update draws valid tolerations and a change of them: both lists are valid, except
// for numeric operators.
func update(g *gen) any {
	c := recorded.Update{Old: g.tolerations(g.IntN(4)), Gate: g.gate()}
	if len(c.Old) > 0 && g.in(2) { // two that differ in seconds alone
		twin := c.Old[0]
		if twin.Effect == "NoExecute" {
			twin.Seconds = g.seconds()
		}
		c.Old = append(c.Old, twin)
	}
	c.New = g.rewrite(c.Old)
	if !upstream.HasNumeric && slices.ContainsFunc(c.Old, numeric) {
		return nil
	}
	c.Causes = updateErrors(c.Old, c.New, c.Gate)
	forbidden := func(c recorded.Cause) bool { return c.Reason == "FieldValueForbidden" && c.Field == "spec.tolerations" }
	for i := range c.Old {
		if slices.ContainsFunc(updateErrors(c.Old[i:i+1], c.New, c.Gate), forbidden) {
			c.Gone = append(c.Gone, i)
		}
	}
	var note notes
	c.Ours = ours(c.Causes, "spec.tolerations", "spec.tolerations", numericOperators(c.New), &note)
	if len(c.Gone) > 0 { // V10-all: also the others, and problems of the new tolerations
		if len(c.Gone) > 1 {
			note.add("V10-all")
		}
		if !c.Gate && !slices.ContainsFunc(c.Old, numeric) {
			for i, t := range c.New {
				if p := fmt.Sprintf("spec.tolerations[%d].operator", i); numeric(t) && !slices.Contains(c.Ours, p) {
					c.Ours = append(c.Ours, p)
					note.add("V10-all")
				}
			}
			slices.Sort(c.Ours)
		}
	}
	c.Differences = note
	return c
}

// rewrite makes a pod's updated tolerations.
func (g *gen) rewrite(old []toleration) []toleration {
	changed := slices.Clone(old)
	for again := g.IntN(4); again > 0; again-- {
		i := 0
		if len(changed) > 0 {
			i = g.IntN(len(changed))
		}
		switch n := g.IntN(7); {
		case n == 0 || len(changed) == 0:
			changed = slices.Insert(changed, i, g.toleration())
		case n == 1:
			changed = slices.Delete(changed, i, i+1)
		case n == 2:
			g.Shuffle(len(changed), func(a, b int) { changed[a], changed[b] = changed[b], changed[a] })
		case n == 3:
			changed[i].Seconds = nil
		case n == 4 && changed[i].Effect == "NoExecute":
			changed[i].Seconds = g.seconds()
		case n == 5 && changed[i].Operator == "":
			changed[i].Operator = "Equal"
		case n == 6:
			changed = append(changed, changed[i])
		}
	}
	return changed
}

func taintErrors(list []taint) field.ErrorList {
	return validation.ValidateNode(&core.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: core.NodeSpec{Taints: fields.As[core.Taint](apiTaints(list))}})
}

// validateTaints draws a node's taints that may be invalid and may repeat.
func validateTaints(g *gen) any {
	list := g.taints(g.IntN(5))
	for i := range list {
		if i > 0 && g.in(3) {
			list[i].Key = list[g.IntN(i)].Key
		}
		if g.in(8) {
			g.spoilTaint(&list[i])
		}
	}
	return validatedTaints(list)
}

func validatedTaints(list []taint) recorded.ValidateTaints {
	c := recorded.ValidateTaints{Taints: list}
	c.Causes = causes(taintErrors(c.Taints))
	// V8-invalid-repeats: a taint whose key or effect is invalid is not reported as a
	// repeat.
	var note notes
	kept := slices.DeleteFunc(slices.Clone(c.Causes), func(p recorded.Cause) bool {
		if p.Reason != "FieldValueDuplicate" {
			return false
		}
		repeat := slices.ContainsFunc(c.Causes, func(q recorded.Cause) bool { return q.Field == p.Field+".key" || q.Field == p.Field+".effect" })
		if repeat {
			note.add("V8-invalid-repeats")
		}
		return repeat
	})
	c.Ours = ours(kept, "metadata.taints", "spec.taints", nil, &note)
	c.Differences = note
	return c
}
