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

func quoted(fields ...string) (out [][2]string) {
	for i := 0; i < len(fields); i += 2 {
		if fields[i+1] != "" {
			out = append(out, [2]string{fields[i], quoteJSON(fields[i+1])})
		}
	}
	return out
}

// decodesLists compares lists from a file with the API server's own decoder and
// validation, strict and lenient.
func decodesLists[A any, L ~[]E, E comparable](t *testing.T, fields func(g *gen) [][2]string, errorsOf func(list []A) field.ErrorList,
	convert func(list []A) (L, validate.Problems), decode func(text string, strict bool) (L, error)) {
	t.Parallel()
	var valid, strictOnly share
	conform(t, 3*objects, func(g *gen) string {
		elements := make([][][2]string, g.IntN(3))
		for i := range elements {
			elements[i] = fields(g)
		}
		text := g.jsonList(elements)
		theirs, strict, err := strictly[A](text)
		var errs field.ErrorList
		if err == nil {
			errs = errorsOf(theirs)
		}
		accepted := err == nil && len(errs) == 0
		valid.count(accepted && len(theirs) > 0)
		strictOnly.count(accepted && len(strict) > 0)
		want, _ := convert(theirs)
		got, gerr := decode(text, false)
		_, serr := decode(text, true)
		if err != nil && gerr == nil && repeatsField(serr) {
			return "" // K4-overruled
		}
		if (gerr == nil) != accepted || accepted && !slices.Equal(got, want) {
			return fmt.Sprintf("%s: Kubernetes %+v, %v, %v; ours %v, %v", text, theirs, err, errs.ToAggregate(), got, gerr)
		}
		if (serr == nil) != (accepted && len(strict) == 0) {
			return fmt.Sprintf("strict: %s: Kubernetes %v, %v, %v; ours %v", text, strict, err, errs.ToAggregate(), serr)
		}
		return ""
	})
	valid.within(t, "are accepted", 0.2, 0.9)
	strictOnly.within(t, "are refused by strict reading only", 0.02, 0.5)
}

func TestDecodeTolerations_K4_V10(t *testing.T) {
	decodesLists(t, func(g *gen) [][2]string {
		u := g.toleration()
		fields := quoted("key", u.Key, "operator", string(u.Operator), "value", u.Value, "effect", string(u.Effect))
		if u.TolerationSeconds != nil {
			fields = append(fields, [2]string{"tolerationSeconds", fmt.Sprint(*u.TolerationSeconds)})
		}
		return fields
	}, func(list []corev1.Toleration) field.ErrorList {
		opts := validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: true}
		return validation.ValidateTolerations(internalTolerations(list), field.NewPath("spec", "tolerations"), opts)
	}, ourTolerations, func(text string, strict bool) (toleration.List, error) {
		list, _, err := toleration.Decode([]byte(text), toleration.DecodeOptions{Strict: strict})
		return list, err
	})
}

func TestDecodeTaints_K4_V10(t *testing.T) {
	decodesLists(t, func(g *gen) [][2]string {
		u := g.taint()
		fields := quoted("key", u.Key, "effect", string(u.Effect), "value", u.Value)
		if g.in(3) {
			fields = append(fields, [2]string{"timeAdded", g.one(`"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05+05:30"`, `"2026-01-02T03:04:05.999Z"`, `"2026-01-02"`,
				`"2026-02-30T00:00:00Z"`, `""`, "null", "0", `"2026-01-02t03:04:05z"`)})
		}
		return fields
	}, func(list []corev1.Taint) field.ErrorList {
		return validation.ValidateNode(&core.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: core.NodeSpec{Taints: internalTaints(list)}})
	}, ourTaints, func(text string, strict bool) (taint.List, error) {
		list, _, err := taint.Decode([]byte(text), taint.DecodeOptions{Strict: strict})
		return list, err
	})
}
