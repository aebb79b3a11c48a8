package kubernetes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	kjson "sigs.k8s.io/json"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// jsonList makes the JSON of a list with common mistakes: unquoted values, quoted
// numbers, misspelled and repeated names, nulls.
func (g *gen) jsonList(elements [][][2]string) string {
	var objects []string
	for _, fields := range elements {
		var parts []string
		for _, f := range fields {
			name, value := f[0], f[1]
			switch g.IntN(24) {
			case 0:
				name = g.one(strings.ToUpper(name), strings.ToUpper(name[:1])+name[1:], name+"s", "operation", "")
			case 1:
				value = g.one("null", "true", "5", "-5", "5.0", "1e2", "{}", "[]", `"5"`, `""`, `"\u0061"`, `"a"`, `"2026-01-02T03:04:05+01:00"`, `"x"`, "9223372036854775808", "0")
			case 2:
				parts = append(parts, quoteJSON(name)+": "+g.one(value, strings.Replace(value, "a", "b", 1), `"b"`, "null", "7"))
			case 3:
				value = " " + value + "\n"
			case 4: // the field is already set, so the null is last
				parts = append(parts, quoteJSON(name)+":"+value)
				value = "null"
			}
			parts = append(parts, quoteJSON(name)+":"+value)
		}
		objects = append(objects, "{"+strings.Join(parts, ",")+"}")
	}
	if g.in(20) {
		objects = append(objects, g.one("null", "1", `"k:NoSchedule"`, "[]", "{}"))
	}
	list := "[" + strings.Join(objects, ", ") + "]"
	switch g.IntN(40) {
	case 0:
		return g.one("null", " [ ] ", "[]", "{}", "1", `""`, "", "[", "[,]", list+",", list+"]", list+" ", "\t"+list)
	case 1:
		i := g.IntN(len(list))
		return list[:i] + list[i+1:]
	}
	return list
}

func quoteJSON(s string) string { return `"` + s + `"` }

// strictly decodes a list as the API server does, and returns what it reports to a
// strict client.
func strictly[T any](text string) (list []T, strict []error, err error) {
	strict, err = kjson.UnmarshalStrict([]byte(text), &list)
	return list, strict, err
}

// repeatsField reports whether strict decoding found a repeated field.
func repeatsField(err error) bool {
	return slices.ContainsFunc(problemsOf(err), func(p *validate.Problem) bool { return p.Rule == validate.FieldRepeated })
}

// Lists from a file are compared with the API server's own decoder and validation,
// strict and lenient.
func TestDecodeTolerations_K4_V10(t *testing.T) {
	t.Parallel()
	var valid, strictOnly share
	conform(t, 3*objects, func(g *gen) string {
		elements := make([][][2]string, g.IntN(3))
		for i := range elements {
			tol := g.toleration()
			add := func(name, value string) {
				if value != "" {
					elements[i] = append(elements[i], [2]string{name, quoteJSON(value)})
				}
			}
			add("key", tol.Key)
			add("operator", string(tol.Operator))
			add("value", tol.Value)
			add("effect", string(tol.Effect))
			if tol.TolerationSeconds != nil {
				elements[i] = append(elements[i], [2]string{"tolerationSeconds", fmt.Sprint(*tol.TolerationSeconds)})
			}
		}
		text := g.jsonList(elements)
		theirs, strict, err := strictly[corev1.Toleration](text)
		var errs field.ErrorList
		if err == nil {
			errs = validation.ValidateTolerations(internalTolerations(theirs), field.NewPath("spec", "tolerations"), validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: true})
		}
		accepted := err == nil && len(errs) == 0
		valid.count(accepted && len(theirs) > 0)
		strictOnly.count(accepted && len(strict) > 0)
		want, _ := ourTolerations(theirs)
		got, _, gerr := toleration.Decode([]byte(text), toleration.ListOptions{})
		_, _, serr := toleration.Decode([]byte(text), toleration.ListOptions{Strict: true})
		if err != nil && gerr == nil && repeatsField(serr) {
			return "" // K4-overruled
		}
		if (gerr == nil) != accepted || accepted && !slices.Equal(got, want) {
			return fmt.Sprintf("%s: Kubernetes %v, %v, %v; ours %v, %v", text, theirText(theirs), err, errs.ToAggregate(), got, gerr)
		}
		if (serr == nil) != (accepted && len(strict) == 0) {
			return fmt.Sprintf("strict: %s: Kubernetes %v, %v, %v; ours %v", text, strict, err, errs.ToAggregate(), serr)
		}
		return ""
	})
	valid.within(t, "are accepted", 0.2, 0.9)
	strictOnly.within(t, "are refused by strict reading only", 0.02, 0.5)
}

func TestDecodeTaints_K4_V10(t *testing.T) {
	t.Parallel()
	var valid, strictOnly share
	conform(t, 3*objects, func(g *gen) string {
		elements := make([][][2]string, g.IntN(3))
		for i := range elements {
			tnt := g.taint()
			elements[i] = [][2]string{{"key", quoteJSON(tnt.Key)}, {"effect", quoteJSON(string(tnt.Effect))}}
			if tnt.Value != "" {
				elements[i] = append(elements[i], [2]string{"value", quoteJSON(tnt.Value)})
			}
			if g.in(3) {
				elements[i] = append(elements[i], [2]string{"timeAdded", g.one(`"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05+05:30"`, `"2026-01-02T03:04:05.999Z"`, `"2026-01-02"`, `"2026-02-30T00:00:00Z"`, `""`, "null", "0", `"2026-01-02t03:04:05z"`)})
			}
		}
		text := g.jsonList(elements)
		theirs, strict, err := strictly[corev1.Taint](text)
		var errs field.ErrorList
		if err == nil {
			errs = validation.ValidateNode(&core.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: core.NodeSpec{Taints: internalTaints(theirs)}})
		}
		accepted := err == nil && len(errs) == 0
		valid.count(accepted && len(theirs) > 0)
		strictOnly.count(accepted && len(strict) > 0)
		want, _ := ourTaints(theirs)
		got, _, gerr := taint.Decode([]byte(text), taint.ListOptions{})
		_, _, serr := taint.Decode([]byte(text), taint.ListOptions{Strict: true})
		if err != nil && gerr == nil && repeatsField(serr) {
			return "" // K4-overruled
		}
		if (gerr == nil) != accepted || accepted && !slices.Equal(got, want) {
			return fmt.Sprintf("%s: Kubernetes %v, %v, %v; ours %v, %v", text, theirs, err, errs.ToAggregate(), got, gerr)
		}
		if (serr == nil) != (accepted && len(strict) == 0) {
			return fmt.Sprintf("strict: %s: Kubernetes %v, %v, %v; ours %v", text, strict, err, errs.ToAggregate(), serr)
		}
		return ""
	})
	valid.within(t, "are accepted", 0.2, 0.9)
	strictOnly.within(t, "are refused by strict reading only", 0.02, 0.5)
}
