package admission_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/validate"
)

func TestDecodePod(t *testing.T) {
	container := func(resources string) string {
		return `{"spec":{"containers":[{"name":"c","resources":` + resources + `}]}}`
	}
	const best, burst = admission.BestEffort, admission.Burstable
	tests := []struct {
		name        string
		json        string
		tolerations string
		qos         string
		resources   string
		class       string
	}{
		{"empty", `{}`, "", best, "", ""},
		{"K4_nulls", `{"spec":{"tolerations":null,"containers":null,"initContainers":null,"resources":null,"runtimeClassName":null},"status":null}`, "", best, "", ""},
		{"K4_repeated_but_not_read", `{"metadata":{},"metadata":null,"spec":{"x":1,"x":2,"containers":[{"name":1,"name":2,"resources":{"x":1,"x":2}}],"tolerations":[{"key":"b","key":null}]}}`, "b", best, "", ""},
		{"K4_as_written", `{"spec":{"tolerations":[{"key":"a","operator":"Equal"},{"key":"a","x":1}],"runtimeClassName":"kata"}}`, "a op=Equal,a", best, "", "kata"},
		{"D3_request", container(`{"requests":{"cpu":"100m"}}`), "", burst, "cpu", ""},
		{"D3_number", container(`{"requests":{"cpu":0.5}}`), "", burst, "cpu", ""},
		{"D3_zero_does_not_count", container(`{"requests":{"cpu":"0","memory":"0Mi"},"limits":{"cpu":"0.00","memory":0}}`), "", best, "cpu memory", ""},
		{"D3_other_resources_do_not_count", container(`{"requests":{"ephemeral-storage":"1Gi","a.io/gpu":"1"}}`), "", best, "a.io/gpu ephemeral-storage", ""},
		{"D4_repeated_by_name_alone", container(`{"requests":{"a.io/x":"1","a.io/x":null}}`), "", best, "a.io/x", ""},
		{"D3_second_container", `{"spec":{"containers":[{},{"resources":{"requests":{"memory":"1"}}},{}]}}`, "", burst, "memory", ""},
		{"D3_init_container", `{"spec":{"initContainers":[{"resources":{"limits":{"cpu":"1"}}}]}}`, "", burst, "cpu", ""},
		{"D3_status_Guaranteed", `{"status":{"qosClass":"Guaranteed"}}`, "", admission.Guaranteed, "", ""},
		{"D3_of_the_pod", `{"spec":{"resources":{"requests":{"cpu":"1"}},"containers":[{}]}}`, "", burst, "", ""},
		{"D3_of_the_pod_alone", `{"spec":{"resources":{"requests":{"memory":"0"}},"containers":[{"resources":{"requests":{"cpu":"1"}}}]}}`, "", best, "cpu", ""},
		{"D3_of_the_pod_huge_pages", `{"spec":{"resources":{"limits":{"hugepages-2Mi":"2Mi"}},"containers":[{"resources":{"requests":{"cpu":"1"}}}]}}`, "", best, "cpu", ""},
		{"D4_requests_of_containers", `{"spec":{"containers":[{"resources":{"requests":{"a.io/x":"1"}}}],"initContainers":[{"resources":{"requests":{"a.io/z":"0"}}}],"ephemeralContainers":[{"resources":{"requests":{"a.io/e":"0"}}}],"resources":{"requests":{"a.io/p":1},"limits":{"a.io/q":1}}}}`, "", best, "a.io/x a.io/z", ""},
		{"D4_limits_become_requests", `{"spec":{"containers":[{"resources":{"limits":{"a.io/y":"1"}}}],"initContainers":[{"resources":{"limits":{"a.io/z":"0"}}}]}}`, "", best, "a.io/y a.io/z", ""},
		{"D4_sorted_and_once", `{"spec":{"containers":[{"resources":{"requests":{"b":"1","a.io/y":"1"},"limits":{"a.io/y":"1"}}},{"resources":{"requests":{"a.io/x":"1","b":"1"}}}]}}`, "", best, "a.io/x a.io/y b", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := admission.DecodePod([]byte(tt.json), "")
			checkError(t, "DecodePod", err)
			check(t, "DecodePod", got.Tolerations, tt.tolerations)
			if resources := strings.Join(got.Resources, " "); resources != tt.resources || got.QOS != tt.qos || got.RuntimeClassName != tt.class {
				t.Errorf("%v, %v, runtime class %q; want %v, %v, %q", got.QOS, resources, got.RuntimeClassName, tt.qos, tt.resources, tt.class)
			}
		})
	}
	t.Run("V10_errors", decodePodErrors)
	t.Run("D3_quantities", decodePodQuantities)
	t.Run("K4_repeated", decodePodRepeated)
}

func decodePodErrors(t *testing.T) {
	tests := []struct {
		name string
		json string
		path string
		err  []string
	}{
		{"no_JSON", `{"spec":`, "", []string{contract.NotJSON(`{"spec":`)}},
		{"empty", ``, "", []string{contract.NotJSON("")}},
		{"null", `null`, "spec.template", []string{`spec.template: must not be null`}},
		{"V10_all_at_once", `{"spec":{
			"tolerations":[{"key":"a","value":true},null],
			"containers":[7,{"resources":{"requests":[],"limits":"x"}},{"resources":1}],
			"initContainers":{},
			"resources":[],
			"runtimeClassName":5
		},"status":{"qosClass":"Best"}}`, "", []string{
			`spec.tolerations[0].value true: must be a string, so put it in quotes`,
			`spec.tolerations[1]: must not be null`,
			`spec.containers[0] 7: must be an object`,
			`spec.containers[1].resources.requests []: must be an object`,
			`spec.containers[1].resources.limits "x": must be an object`,
			`spec.containers[2].resources 1: must be an object`,
			`spec.initContainers {}: must be a list`,
			`spec.resources []: must be an object`,
			`spec.runtimeClassName 5: must be a string, so put it in quotes`,
			`status.qosClass: unknown name "Best" (allowed: BestEffort, Burstable, Guaranteed)`,
		}},
		{"V10_template", `{"spec":{"tolerations":7},"status":7}`, "spec.template", []string{
			`spec.template.status 7: must be an object`,
			`spec.template.spec.tolerations 7: must be a list`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pod, _, err := admission.DecodePod([]byte(tt.json), tt.path)
			checkError(t, "DecodePod", err, tt.err...)
			if diff := cmp.Diff(admission.PodSpec{}, pod); diff != "" {
				t.Errorf("a Pod beside the error:\n%s", diff)
			}
		})
	}
}

func decodePodQuantities(t *testing.T) {
	for quantity, counts := range map[string]bool{
		`"1"`: true, `"9"`: true, `"100m"`: true, `"0.5"`: true, `".5"`: true, `"+1Gi"`: true, `"1e3"`: true, `0.001`: true, `"00010n"`: true, `"0.0000001"`: true, `"-1"`: true, `-3`: true,
		`"0"`: false, `"0m"`: false, `"0e5"`: false, `"0Ki"`: false, `"+0"`: false, `"0.0"`: false, `0`: false, `"-0"`: false, `""`: false, `null`: false, `"x1"`: false, `{"x":1}`: false,
	} {
		pod, _, err := admission.DecodePod([]byte(`{"spec":{"containers":[{"resources":{"requests":{"memory":`+quantity+`}}}]}}`), "")
		if err != nil || (pod.QOS == admission.Burstable) != counts {
			t.Errorf("%s: %v, %v", quantity, pod.QOS, err)
		}
	}
}

// A repeated name on the path to a used field is a problem, at every level and with any
// value, including null.
func decodePodRepeated(t *testing.T) {
	for _, tt := range []struct{ path, form string }{
		{"spec", `{"spec":{"tolerations":[{"operator":"Exists"}]},"spec":%s}`},
		{"spec", `{"spec":{"tolerations":[{"operator":"Exists"}]},"spec":{},"metadata":{},"\u0073pec":%s}`},
		{"status", `{"status":{"qosClass":"Burstable"},"status":%s}`},
		{"status.qosClass", `{"status":{"qosClass":"Burstable","qosClass":%s}}`},
		{"spec.tolerations", `{"spec":{"tolerations":[{"operator":"Exists"}],"tolerations":%s}}`},
		{"spec.tolerations", `{"spec":{"tolerations":[],"x":{"tolerations":[]},"tolerations":%s}}`},
		{"spec.runtimeClassName", `{"spec":{"runtimeClassName":"a","runtimeClassName":%s}}`},
		{"spec.resources", `{"spec":{"resources":{"requests":{"cpu":"1"}},"resources":%s}}`},
		{"spec.resources.requests", `{"spec":{"resources":{"requests":{"cpu":"1"},"requests":%s}}}`},
		{"spec.resources.limits.memory", `{"spec":{"resources":{"limits":{"memory":"1","memory":%s}}}}`},
		{"spec.containers", `{"spec":{"containers":[{"resources":{"requests":{"cpu":"1"}}}],"containers":%s}}`},
		{"spec.containers[1].resources", `{"spec":{"containers":[{},{"resources":{"requests":{"cpu":"1"}},"resources":%s}]}}`},
		{"spec.containers[0].resources.requests", `{"spec":{"containers":[{"resources":{"requests":{"cpu":"1"},"requests":%s}}]}}`},
		{"spec.containers[0].resources.requests.cpu", `{"spec":{"containers":[{"resources":{"requests":{"cpu":"1","cpu":%s}}}]}}`},
		{"spec.initContainers", `{"spec":{"initContainers":[],"initContainers":%s}}`},
		{"spec.initContainers[0].resources.limits.cpu", `{"spec":{"initContainers":[{"resources":{"limits":{"cpu":"1","cpu":%s}}}]}}`},
	} {
		for _, again := range []string{`null`, `{}`, `[]`, `"x"`, `1`, `[{"key":"a"}]`, `{"nodeName":"x"}`} {
			data := fmt.Sprintf(tt.form, again)
			pod, _, err := admission.DecodePod([]byte(data), "template")
			var ps validate.Problems
			errors.As(err, &ps)
			if len(ps) != 1 || ps[0].Rule != validate.FieldRepeated || ps[0].Path != "template."+tt.path {
				t.Errorf("%s: %v, want one problem, template.%s repeated", data, err, tt.path)
			}
			if diff := cmp.Diff(admission.PodSpec{}, pod); diff != "" {
				t.Errorf("%s: a Pod beside the error:\n%s", data, diff)
			}
		}
	}
}

// Fields that lenient reading ignores inside tolerations are reported.
func TestDecodePod_warnings(t *testing.T) {
	const data = `{"spec":{"template":{"spec":{"tolerations":[{"key":"a","operation":"Exists"},{"key":"b","key":"c"}]}}}}`
	pod, warnings, err := admission.DecodePod([]byte(data)[len(`{"spec":{"template":`):len(data)-2], "spec.template")
	want := "spec.template.spec.tolerations[0]: unknown field \"operation\", did you mean operator? (allowed: key, operator, value, effect, tolerationSeconds)\n" +
		"spec.template.spec.tolerations[1].key \"c\": must be given only once"
	if pod.Tolerations.String() != "a,c" || warnings.Error() != want || err != nil {
		t.Errorf("K7: %v, %v, %v", pod.Tolerations, warnings, err)
	}
}
