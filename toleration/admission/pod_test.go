package admission_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
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
		qos         admission.QOS
		resources   string
		class       string
	}{
		{"empty", `{}`, "", best, "", ""},
		{"K4_nulls", `{"spec":{"tolerations":null,"containers":null,"initContainers":null,"resources":null,"runtimeClassName":null},"status":null}`, "", best, "", ""},
		{"K4_other_fields", `{"spec":{"nodeName":1,"Tolerations":5,"containers":[{"env":[{}]}]},"metadata":[]}`, "", best, "", ""},
		{"K4_repeated_the_last_counts", `{"spec":7,"spec":{"tolerations":1,"tolerations":[{"key":"b"}]}}`, "b", best, "", ""},
		{"K4_as_written", `{"spec":{"tolerations":[{"key":"a","operator":"Equal"},{"key":"a","x":1}],"runtimeClassName":"kata"}}`, "a op=Equal,a", best, "", "kata"},
		{"D3_none", container(`{}`), "", best, "", ""},
		{"D3_request", container(`{"requests":{"cpu":"100m"}}`), "", burst, "cpu", ""},
		{"D3_limit", container(`{"limits":{"memory":"1Gi"}}`), "", burst, "memory", ""},
		{"D3_number", container(`{"requests":{"cpu":0.5}}`), "", burst, "cpu", ""},
		{"D3_zero_does_not_count", container(`{"requests":{"cpu":"0","memory":"0Mi"},"limits":{"cpu":"0.00","memory":0}}`), "", best, "cpu memory", ""},
		{"D3_other_resources_do_not_count", container(`{"requests":{"ephemeral-storage":"1Gi","a.io/gpu":"1"}}`), "", best, "a.io/gpu ephemeral-storage", ""},
		{"D3_repeated_the_last_counts", container(`{"requests":{"cpu":"1","cpu":"0"}}`), "", best, "cpu", ""},
		{"D3_second_container", `{"spec":{"containers":[{},{"resources":{"requests":{"memory":"1"}}},{}]}}`, "", burst, "memory", ""},
		{"D3_init_container", `{"spec":{"initContainers":[{"resources":{"limits":{"cpu":"1"}}}]}}`, "", burst, "cpu", ""},
		{"D3_status_first", `{"spec":{"containers":[{"resources":{"requests":{"cpu":"1"}}}]},"status":{"qosClass":"BestEffort"}}`, "", best, "cpu", ""},
		{"D3_status_Guaranteed", `{"status":{"qosClass":"Guaranteed"}}`, "", admission.Guaranteed, "", ""},
		{"D3_empty_status", `{"status":{"qosClass":""}}`, "", best, "", ""},
		{"D3_of_the_pod", `{"spec":{"resources":{"requests":{"cpu":"1"}},"containers":[{}]}}`, "", burst, "", ""},
		{"D3_of_the_pod_alone", `{"spec":{"resources":{},"containers":[{"resources":{"requests":{"cpu":"1"}}}]}}`, "", best, "cpu", ""},
		{"D4_requests_of_containers", `{"spec":{"containers":[{"resources":{"requests":{"a.io/x":"1"}}}],"initContainers":[{"resources":{"requests":{"a.io/z":"0"}}}],"ephemeralContainers":[{"resources":{"requests":{"a.io/e":"0"}}}],"resources":{"requests":{"a.io/p":1},"limits":{"a.io/q":1}}}}`, "", best, "a.io/x a.io/z", ""},
		{"D4_limits_become_requests", `{"spec":{"containers":[{"resources":{"limits":{"a.io/y":"1"}}}],"initContainers":[{"resources":{"limits":{"a.io/z":"0"}}}]}}`, "", best, "a.io/y a.io/z", ""},
		{"D4_sorted_and_once", `{"spec":{"containers":[{"resources":{"requests":{"b":"1","a.io/y":"1"},"limits":{"a.io/y":"1"}}},{"resources":{"requests":{"a.io/x":"1","b":"1"}}}]}}`, "", best, "a.io/x a.io/y b", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := admission.DecodePod([]byte(tt.json), toleration.ListOptions{})
			checkError(t, "DecodePod", err)
			if diff := cmp.Diff(texts(read(t, tt.tolerations)), texts(got.Tolerations)); diff != "" {
				t.Errorf("tolerations mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(strings.Fields(tt.resources), got.Resources, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("resources mismatch (-want +got):\n%s", diff)
			}
			if got.QOS != tt.qos || got.RuntimeClassName != tt.class {
				t.Errorf("%v, runtime class %q; want %v, %q", got.QOS, got.RuntimeClassName, tt.qos, tt.class)
			}
		})
	}
}

func TestDecodePodErrors(t *testing.T) {
	tests := []struct {
		name string
		json string
		opts toleration.ListOptions
		err  []string
	}{
		{"no_JSON", `{"spec":`, toleration.ListOptions{}, []string{`must be JSON: unexpected end of JSON input`}},
		{"empty", ``, toleration.ListOptions{}, []string{`must be JSON: unexpected end of JSON input`}},
		{"no_object", `[]`, toleration.ListOptions{}, []string{`[]: must be an object`}},
		{"null", `null`, toleration.ListOptions{Path: "spec.template"}, []string{`spec.template null: must be an object`}},
		{"V10_all_at_once", `{"spec":{
			"tolerations":[{"key":"a","value":true},null],
			"containers":[7,{"resources":{"requests":[],"limits":"x"}},{"resources":1}],
			"initContainers":{},
			"resources":[],
			"runtimeClassName":5
		},"status":{"qosClass":"Best"}}`, toleration.ListOptions{}, []string{
			`spec.tolerations[0].value true: must be a string, so put it in quotes`,
			`spec.tolerations[1] null: must be an object`,
			`spec.containers[0] 7: must be an object`,
			`spec.containers[1].resources.requests []: must be an object`,
			`spec.containers[1].resources.limits "x": must be an object`,
			`spec.containers[2].resources 1: must be an object`,
			`spec.initContainers {}: must be a list`,
			`spec.resources []: must be an object`,
			`spec.runtimeClassName 5: must be a string, so put it in quotes`,
			`status.qosClass "Best": must have the form BestEffort or Burstable or Guaranteed`,
		}},
		{"V10_template", `{"spec":{"tolerations":7},"status":7}`, toleration.ListOptions{Path: "spec.template"}, []string{
			`spec.template.status 7: must be an object`,
			`spec.template.spec.tolerations 7: must be a list`,
		}},
		{"V10_strict_of_tolerations", `{"spec":{"x":1,"tolerations":[{"Key":"a","operator":"Exists"}]}}`, toleration.ListOptions{Strict: true}, []string{
			`spec.tolerations[0]: unknown field "Key", did you mean key? (allowed: key, operator, value, effect, tolerationSeconds)`,
		}},
		{"V10_spec", `{"spec":"x","status":{"qosClass":1}}`, toleration.ListOptions{}, []string{
			`spec "x": must be an object`,
			`status.qosClass 1: must be a string (allowed: BestEffort, Burstable, Guaranteed)`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pod, err := admission.DecodePod([]byte(tt.json), tt.opts)
			checkError(t, "DecodePod", err, tt.err...)
			if diff := cmp.Diff(admission.Pod{}, pod); diff != "" {
				t.Errorf("a Pod beside the error:\n%s", diff)
			}
		})
	}
}

func TestQuantities(t *testing.T) {
	for quantity, above := range map[string]bool{
		`"1"`: true, `"100m"`: true, `"0.5"`: true, `".5"`: true, `"+1Gi"`: true, `"1e3"`: true, `0.001`: true, `"00010n"`: true, `"0.0000001"`: true,
		`"0"`: false, `"0m"`: false, `"0e5"`: false, `"0Ki"`: false, `"-1"`: false, `"+0"`: false, `"0.0"`: false, `0`: false, `-3`: false, `""`: false, `null`: false, `"x1"`: false, `{"x":1}`: false,
	} {
		pod, err := admission.DecodePod([]byte(`{"spec":{"containers":[{"resources":{"requests":{"memory":`+quantity+`}}}]}}`), toleration.ListOptions{})
		if err != nil || (pod.QOS == admission.Burstable) != above {
			t.Errorf("%s: %v, %v", quantity, pod.QOS, err)
		}
	}
}
