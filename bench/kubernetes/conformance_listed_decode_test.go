package kubernetes_test

import (
	"encoding/json"
	"slices"
	"testing"

	yamlv2 "go.yaml.in/yaml/v2"
	yamlv3 "go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	additions "github.com/go-tolerate/tolerate/toleration/admission"
)

// A null in a list is a problem; Kubernetes decodes it as an element without fields,
// which is valid for a device toleration and for a condition. Instead of a single taint
// or toleration, null is the zero value; Kubernetes' structs are then unchanged.
func TestListed_K4_null(t *testing.T) {
	t.Parallel()
	tolerations, _, err := strictly[resourcev1.DeviceToleration](`[null]`)
	if err != nil || len(tolerations) != 1 || !isDeviceToleration(&tolerations[0]) {
		t.Errorf("device tolerations: Kubernetes %v, %v", tolerations, err)
	}
	conditions, strict, err := strictly[corev1.NodeCondition](`[null]`)
	if err != nil || len(strict) > 0 || len(conditions) != 1 {
		t.Errorf("conditions: Kubernetes %v, %v, %v", conditions, strict, err)
	}
	for name, err := range map[string]error{
		"toleration.List": json.Unmarshal([]byte(`[null]`), new(toleration.List)),
		"taint.List":      json.Unmarshal([]byte(`[null]`), new(taint.List)),
	} {
		if err == nil {
			t.Errorf("%s takes a null", name)
		}
	}

	theirs, ours := corev1.Toleration{Key: "k"}, toleration.MustParse("k")
	if err := json.Unmarshal([]byte("null"), &theirs); err != nil || theirs.Key != "k" {
		t.Errorf("a single null: Kubernetes %v, %v", theirs, err)
	}
	if err := json.Unmarshal([]byte("null"), &ours); err != nil || !ours.IsZero() {
		t.Errorf("a single null: ours %v, %v", ours, err)
	}
}

// What is decoded for the rules of admission and of conditions is checked only where a
// rule uses it: not the amounts of resources, nor other fields, which Kubernetes' decoder
// checks. But a repeated field that a rule uses, and an unknown class of service, are
// problems; Kubernetes rejects the first only in strict decoding.
func TestListed_K4_unused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pod                  string
		theirs, strict, ours bool // accepted
	}{
		{`{"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}}`, true, true, true},
		{`{"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"x"}}}]}}`, false, false, true},
		{`{"spec":{"priority":"x"}}`, false, false, true},
		{`{"spec":{"priority":1,"priority":2}}`, true, false, true},
		{`{"spec":{"runtimeClassName":"a","runtimeClassName":"b"}}`, true, false, false},
		{`{"status":{"qosClass":"Best"}}`, true, true, false},
	} {
		pods, strict, err := strictly[corev1.Pod]("[" + tt.pod + "]")
		_, _, gerr := additions.DecodePod([]byte(tt.pod), "")
		if (err == nil) != tt.theirs || (err == nil && len(strict) == 0) != tt.strict || (gerr == nil) != tt.ours {
			t.Errorf("%s: Kubernetes %d, %v, strictly %v; ours %v", tt.pod, len(pods), err, strict, gerr)
		}
	}
}

// The caller's YAML library decides what a scalar is. Kubernetes' is of YAML 1.1, where
// yes is a boolean, which a field with a string rejects; for other libraries it is a
// string. Through Kubernetes' library, both sides decode alike (TestTolerationText_K4_K5).
func TestListed_K4_yaml(t *testing.T) {
	t.Parallel()
	const text = "- key: k\n  value: yes\n"
	data, err := yaml.ToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var theirs []corev1.Toleration
	var alike, ours toleration.List
	if json.Unmarshal(data, &theirs) == nil || json.Unmarshal(data, &alike) == nil {
		t.Errorf("%s is accepted: Kubernetes %v, ours %v", data, theirText(theirs), alike)
	}
	if err := yamlv3.Unmarshal([]byte(text), &ours); err != nil || !slices.Equal(ours, toleration.MustParseList("k=yes")) {
		t.Errorf("ours %v, %v", ours, err)
	}
}

// The last of repeated fields counts, also a null, if the caller's library does not
// reject them.
func TestRepeatedFields_K4(t *testing.T) {
	t.Parallel()
	for _, lib := range []struct {
		name   string
		decode func([]byte, any) error
		null   string // what remains if a null repeats the key; "rejected" if nothing
	}{
		{"encoding/json", json.Unmarshal, "k op=Exists"},
		{"sigs.k8s.io/yaml", func(b []byte, v any) error { return sigsyaml.Unmarshal(b, v) }, "op=Exists"},
		{"sigs.k8s.io/yaml, strictly", func(b []byte, v any) error { return sigsyaml.UnmarshalStrict(b, v) }, "rejected"},
		{"yaml.v2", yamlv2.Unmarshal, "op=Exists"},
		{"yaml.v2, strictly", yamlv2.UnmarshalStrict, "rejected"},
		{"yaml.v3", yamlv3.Unmarshal, "rejected"},
	} {
		for key, want := range map[string]string{`null`: lib.null, `"l"`: "l op=Exists"} {
			if lib.null == "rejected" {
				want = lib.null
			}
			var list toleration.List
			err := lib.decode([]byte(`[{"key":"k","operator":"Exists","key":`+key+`}]`), &list)
			if got := list.String(); (err != nil) != (want == "rejected") || err == nil && got != want {
				t.Errorf("%s, %s: %s, %v, want %s", lib.name, key, got, err, want)
			}
		}
	}
}
