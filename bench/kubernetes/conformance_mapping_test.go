package kubernetes_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	causes "github.com/go-tolerate/tolerate/bench/kubernetes/adapter/objects"
	"github.com/go-tolerate/tolerate/validate"
)

// A place is one line of the mapping from the field where Kubernetes reports
// a problem to the field that must be changed, where the library reports it.
type place struct {
	id     string
	field  string // Kubernetes', beneath the element
	kind   field.ErrorType
	detail string // a part of Kubernetes' message, if the field alone is not enough
	ours   string
}

// This is the complete mapping of V10. The first line that applies counts. Each line
// must occur in the tests, so that each has a reason.
var (
	tolerationPlaces = []place{
		{"V1_key", "key", field.ErrorTypeInvalid, "", "key"},
		{"V7a_empty_key", "operator", field.ErrorTypeInvalid, "when `key` is empty", "key"},
		{"V7b_exists_value", "operator", field.ErrorTypeInvalid, "value must be empty", "value"},
		{"V7c_equal_value", "operator", field.ErrorTypeInvalid, "valid label", "value"},
		{"V7c_equal_value_length", "operator", field.ErrorTypeInvalid, "must be no more than", "value"},
		{"V5_operator", "operator", field.ErrorTypeNotSupported, "", "operator"},
		{"V7d_integer", "value", field.ErrorTypeInvalid, "", "value"},
		{"V7e_seconds", "effect", field.ErrorTypeInvalid, "must be 'NoExecute'", "tolerationSeconds"},
		{"V4_effect", "effect", field.ErrorTypeNotSupported, "", "effect"},
		{"V9_removed", "", field.ErrorTypeForbidden, "existing toleration", ""},
	}
	taintPlaces = []place{
		{"V1_key", "key", field.ErrorTypeInvalid, "", "key"},
		{"V2_value", "value", field.ErrorTypeInvalid, "", "value"},
		{"V6_effect_missing", "effect", field.ErrorTypeRequired, "", "effect"},
		{"V4_effect", "effect", field.ErrorTypeNotSupported, "", "effect"},
		{"V8_duplicate", "", field.ErrorTypeDuplicate, "", ""},
	}
)

// A mapper counts how often each line of a mapping applied.
type mapper struct {
	places []place
	theirs string // the path of Kubernetes' list
	ours   string
	met    map[string]int
}

func newMapper(places []place, theirs, ours string) *mapper {
	return &mapper{places: places, theirs: theirs, ours: ours, met: map[string]int{}}
}

// causes returns the types of Kubernetes' errors by our paths. Of two problems of one
// element that are the same mistake, we report one:
//   - an unknown effect, and an effect that is not NoExecute although seconds are set;
//   - an unknown operator, and an operator that is not Exists although there is no key.
func (m *mapper) causes(errs field.ErrorList) (map[string]field.ErrorType, error) {
	causes := map[string]field.ErrorType{}
	unknown := map[string]bool{}
	for _, e := range errs {
		if e.Type == field.ErrorTypeNotSupported && fmt.Sprint(e.BadValue) != "Lt" && fmt.Sprint(e.BadValue) != "Gt" {
			unknown[e.Field] = true
		}
	}
	for _, e := range errs {
		rest, ok := strings.CutPrefix(e.Field, m.theirs)
		if !ok {
			return nil, fmt.Errorf("a problem elsewhere: %w", e)
		}
		index, name, _ := strings.Cut(rest, ".")
		p, err := m.place(name, e)
		if err != nil {
			return nil, err
		}
		m.met[p.id]++
		if e.Type == field.ErrorTypeInvalid && unknown[e.Field] {
			continue
		}
		path := m.ours + index
		if p.ours != "" {
			path += "." + p.ours
		}
		if other, ok := causes[path]; ok && other != e.Type {
			return nil, fmt.Errorf("%s is %s as well as %w", path, other, e)
		}
		causes[path] = e.Type
	}
	return causes, nil
}

func (m *mapper) place(name string, e *field.Error) (place, error) {
	for _, p := range m.places {
		if p.field == name && p.kind == e.Type && strings.Contains(e.Detail, p.detail) {
			return p, nil
		}
	}
	return place{}, fmt.Errorf("no line of the mapping fits: %w", e)
}

// unmet returns the lines that applied to no case.
func (m *mapper) unmet(except ...string) (out []string) {
	for _, p := range m.places {
		if m.met[p.id] == 0 && !slices.Contains(except, p.id) {
			out = append(out, p.id)
		}
	}
	return out
}

func ourPaths(ps validate.Problems) map[string]bool {
	paths := map[string]bool{}
	for _, p := range ps {
		paths[p.Path] = true
	}
	return paths
}

// samePaths returns the difference, or "" if there is none.
func samePaths[V comparable](want, got map[string]V) string {
	if maps.Equal(want, got) {
		return ""
	}
	return fmt.Sprintf("Kubernetes' paths, mapped: %v; ours: %v", want, got)
}

// sameCauses compares the paths of problems, and their causes.
func sameCauses(want map[string]field.ErrorType, ps validate.Problems) string {
	got := map[string]field.ErrorType{}
	for _, p := range ps {
		cause := causes.Cause(p.Rule)
		if other, ok := got[p.Path]; ok && other != cause {
			return fmt.Sprintf("%s is %s as well as %v", p.Path, other, p)
		}
		got[p.Path] = cause
	}
	return samePaths(want, got)
}
