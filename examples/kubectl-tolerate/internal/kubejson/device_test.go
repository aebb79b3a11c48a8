package kubejson

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-tolerate/tolerate/match/device"
)

// compare compares what is read with want, and what is reported with problems, up to where
// the library's own words begin.
func compare[T any](t *testing.T, o *Object, got T, err error, want T, reported []string) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Slice{}, "Ignored"), cmpopts.IgnoreFields(Claim{}, "Ignored")); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	compareProblems(t, problems(o, err), reported)
}

func TestSlice(t *testing.T) {
	head := Slice{Driver: "d", Pool: "p", Generation: 3}
	id := device.ID{Driver: "d", Pool: "p", Device: "a"}
	full := head
	full.Devices = []device.Device{{ID: id, Taints: device.Taints{device.MustParseTaint("k=v:NoExecute")}}}
	bare := head
	bare.Devices = []device.Device{{ID: id}}
	const spec = `{"kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"p","generation":3},"devices":`
	for name, test := range map[string]struct {
		input    string
		want     Slice
		problems []string
	}{
		"plain":            {spec + `[{"name":"a","attributes":{"x":{}},"taints":[{"key":"k","value":"v","effect":"NoExecute"}]}]}}`, full, nil},
		"null taints":      {spec + `[{"name":"a","taints":null}]}}`, bare, nil},
		"null devices":     {spec + `null}}`, head, nil},
		"no spec":          {`{"kind":"ResourceSlice"}`, Slice{}, []string{"f:1: ResourceSlice: spec.driver: missing", "f:1: ResourceSlice: spec.pool.name: missing"}},
		"taint as text":    {spec + `[{"name":"a","taints":["k:NoExecute"]}]}}`, head, []string{"f:1: ResourceSlice s: spec.devices[0].taints[0]"}},
		"taints as text":   {spec + `[{"name":"a","taints":"k:NoExecute"}]}}`, head, []string{"f:1: ResourceSlice s: spec.devices[0].taints"}},
		"null taint":       {spec + `[{"name":"a","taints":[null]}]}}`, head, []string{"f:1: ResourceSlice s: spec.devices[0].taints[0] null: must be an object"}},
		"null device":      {spec + `[null]}}`, head, []string{"f:1: ResourceSlice s: spec.devices[0].name: missing"}},
		"devices no list":  {spec + `{"name":"a"}}}`, head, []string{`f:1: ResourceSlice s: spec.devices {"name":"a"}: must be a list`}},
		"name of a number": {spec + `[{"name":7}]}}`, head, []string{"f:1: ResourceSlice s: spec.devices[0].name 7: must be a string"}},
		"repeated taints":  {spec + `[{"name":"a","taints":[{"key":"k","effect":"NoExecute"}],"taints":[]}]}}`, head, []string{"f:1: ResourceSlice s: spec.devices[0].taints: must be given only once"}},
		"repeated devices": {spec + `[],"devices":[]}}`, head, []string{"f:1: ResourceSlice s: spec.devices: must be given only once"}},
		"generation":       {`{"kind":"ResourceSlice","spec":{"driver":"d","pool":{"name":"p","generation":"3"}}}`, Slice{Driver: "d", Pool: "p"}, []string{`f:1: ResourceSlice: spec.pool.generation "3": `}},
		"all of a taint": {spec + `[{"name":"a","taints":[{"key":"-","effect":""},{"key":"k","effect":"a b","timeAdded":"x"}]}]}}`, head, []string{
			`f:1: ResourceSlice s: spec.devices[0].taints[0].key "-"`, `f:1: ResourceSlice s: spec.devices[0].taints[0].effect`,
			`f:1: ResourceSlice s: spec.devices[0].taints[1].effect`, `f:1: ResourceSlice s: spec.devices[0].taints[1].timeAdded "x"`}},
		"too many devices": {spec + "[" + strings.Repeat(`{"name":"a"},`, maxFields) + `{}]}}`, Slice{}, []string{"f:1: ResourceSlice s: more than 100000 fields and elements"}},
		"too many taints":  {spec + `[{"name":"a","taints":[` + strings.Repeat(`{},`, maxFields) + `{}]}]}}`, Slice{}, []string{"f:1: ResourceSlice s: more than 100000 fields and elements"}},
	} {
		t.Run(name, func(t *testing.T) {
			o, reported := only(test.input)
			if o == nil {
				compareProblems(t, reported, test.problems)
				return
			}
			got, err := o.Slice()
			compare(t, o, got, err, test.want, test.problems)
		})
	}
}

func TestClaim(t *testing.T) {
	const spec = `{"kind":"ResourceClaim","metadata":{"name":"c","namespace":"n"},"spec":{"devices":{"requests":`
	one := Claim{Requests: []Request{{Name: "r", Class: "gpu", All: true, Tolerations: device.Tolerations{device.MustParseToleration("k op=Exists"), device.MustParseToleration("=")}}}}
	for name, test := range map[string]struct {
		input    string
		want     Claim
		problems []string
	}{
		"plain": {spec + `[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"All","tolerations":[{"key":"k","operator":"Exists"},{}]}}]}}}`, one, nil},
		"alternatives": {spec + `[{"name":"r","firstAvailable":[{"name":"a","tolerations":[{"key":"k"}]},{"name":"b","deviceClassName":"x"}]}]}}}`,
			Claim{Requests: []Request{{Name: "r/a", Tolerations: device.Tolerations{device.MustParseToleration("k")}}, {Name: "r/b", Class: "x"}}}, nil},
		"nothing": {`{"kind":"ResourceClaim"}`, Claim{}, nil},
		"allocated": {`{"kind":"ResourceClaim","status":{"allocation":{"devices":{"results":[{"driver":"d","pool":"p","device":"a"}]}}}}`,
			Claim{Allocated: true, Devices: []device.ID{{Driver: "d", Pool: "p", Device: "a"}}}, nil},
		"null allocation":   {`{"kind":"ResourceClaim","status":{"allocation":null}}`, Claim{}, nil},
		"wrong allocation":  {`{"kind":"ResourceClaim","status":{"allocation":5}}`, Claim{}, []string{"f:1: ResourceClaim: status.allocation 5: must be an object"}},
		"null request":      {spec + `[null]}}}`, Claim{}, []string{"f:1: ResourceClaim n/c: spec.devices.requests[0].name: missing", "f:1: ResourceClaim n/c: spec.devices.requests[0]: must have either"}},
		"both":              {spec + `[{"name":"r","exactly":{},"firstAvailable":[]}]}}}`, Claim{}, []string{"f:1: ResourceClaim n/c: spec.devices.requests[0]: must have either"}},
		"exactly a list":    {spec + `[{"name":"r","exactly":[]}]}}}`, Claim{}, []string{"f:1: ResourceClaim n/c: spec.devices.requests[0].exactly []: must be an object"}},
		"tolerations null":  {spec + `[{"name":"r","exactly":{"tolerations":null}}]}}}`, Claim{Requests: []Request{{Name: "r"}}}, nil},
		"toleration null":   {spec + `[{"name":"r","exactly":{"tolerations":[null]}}]}}}`, Claim{}, []string{"f:1: ResourceClaim n/c: spec.devices.requests[0].exactly.tolerations[0] null: must be an object"}},
		"toleration's key":  {spec + `[{"name":"r","exactly":{"tolerations":[{"key":5}]}}]}}}`, Claim{}, []string{"f:1: ResourceClaim n/c: spec.devices.requests[0].exactly.tolerations[0].key 5: must be a string"}},
		"repeated exactly":  {spec + `[{"name":"r","exactly":{},"exactly":{"tolerations":[{"operator":"Exists"}]}}]}}}`, Claim{}, []string{"f:1: ResourceClaim n/c: spec.devices.requests[0].exactly: must be given only once"}},
		"repeated requests": {spec + `[],"requests":[]}}}`, Claim{}, []string{"f:1: ResourceClaim n/c: spec.devices.requests: must be given only once"}},
		"too many":          {spec + "[" + strings.Repeat(`{},`, maxFields) + `{}]}}}`, Claim{}, []string{"f:1: ResourceClaim n/c: more than 100000 fields and elements"}},
	} {
		t.Run(name, func(t *testing.T) {
			o, reported := only(test.input)
			if o == nil {
				compareProblems(t, reported, test.problems)
				return
			}
			got, err := o.Claim()
			compare(t, o, got, err, test.want, test.problems)
			if test.problems == nil && !got.Allocated {
				o = first(t, strings.Replace(test.input, `"spec":`, `"spec":{"spec":`, 1)+strings.Repeat("}", strings.Count(test.input, `"spec":`)))
				template, err := o.ClaimTemplate()
				compare(t, o, template, err, test.want, nil)
			}
		})
	}
}

// Fields that are ignored are reported.
func TestClaim_ignored(t *testing.T) {
	o := first(t, `{"kind":"ResourceClaim","spec":{"devices":{"requests":[{"name":"r","exactly":{"tolerations":[{"key":"k","operation":"Exists"},{"key":"b"}]}}]}}}`)
	c, err := o.Claim()
	want := device.Tolerations{device.MustParseToleration("k"), device.MustParseToleration("b")}
	if err != nil || len(c.Requests) != 1 || !c.Requests[0].Tolerations.Equal(want) {
		t.Errorf("Claim = %v, %v", c, err)
	}
	const path = "f:1: ResourceClaim: spec.devices.requests[0].exactly.tolerations"
	if diff := cmp.Diff([]string{path + `[0]: unknown field "operation", did you mean operator?`}, problems(o, c.Ignored.Err()), prefixes); diff != "" {
		t.Errorf("ignored mismatch (-want +got):\n%s", diff)
	}
}

func TestRule(t *testing.T) {
	const rule = `{"kind":"DeviceTaintRule","metadata":{"name":"r"},"spec":`
	taint := device.MustParseTaint("k:NoExecute")
	for name, test := range map[string]struct {
		input    string
		want     device.Rule
		problems []string
	}{
		"plain":         {rule + `{"deviceSelector":{"driver":"d","pool":"p","device":"a"},"taint":{"key":"k","effect":"NoExecute"}}}`, device.Rule{Selector: &device.Selector{Driver: "d", Pool: "p", Device: "a"}, Taint: taint}, nil},
		"G9_no":         {rule + `{"taint":{"key":"k","effect":"NoExecute"}}}`, device.Rule{Taint: taint}, nil},
		"G9_null":       {rule + `{"deviceSelector":null,"taint":{"key":"k","effect":"NoExecute"}}}`, device.Rule{Taint: taint}, nil},
		"G9_all":        {rule + `{"deviceSelector":{},"taint":{"key":"k","effect":"NoExecute"}}}`, device.Rule{Selector: &device.Selector{}, Taint: taint}, nil},
		"G9_expression": {rule + `{"deviceSelector":{"selectors":[]},"taint":{"key":"k","effect":"NoExecute"}}}`, device.Rule{}, []string{`f:1: DeviceTaintRule r: spec.deviceSelector: unknown field "selectors"`}},
		"G9_empty":      {rule + `{"deviceSelector":{"pool":""},"taint":{"key":"k","effect":"NoExecute"}}}`, device.Rule{}, []string{`f:1: DeviceTaintRule r: spec.deviceSelector.pool`}},
		"no taint":      {rule + `{"deviceSelector":{}}}`, device.Rule{}, []string{"f:1: DeviceTaintRule r: spec.taint null: must be an object"}},
		"taint as text": {rule + `{"taint":"k:NoExecute"}}`, device.Rule{}, []string{`f:1: DeviceTaintRule r: spec.taint "k:NoExecute": must be an object`}},
		"repeated":      {rule + `{"taint":{"key":"k","effect":"NoExecute","effect":"None"}}}`, device.Rule{}, []string{`f:1: DeviceTaintRule r: spec.taint.effect: must be given only once`}},
		"spec no object": {`{"kind":"DeviceTaintRule","spec":[]}`, device.Rule{}, []string{
			"f:1: DeviceTaintRule: spec []: must be an object", "f:1: DeviceTaintRule: spec.taint null: must be an object"}},
	} {
		t.Run(name, func(t *testing.T) {
			o, reported := only(test.input)
			if o == nil {
				compareProblems(t, reported, test.problems)
				return
			}
			got, err := o.Rule()
			compare(t, o, got, err, test.want, test.problems)
		})
	}
}

func TestPod_claims(t *testing.T) {
	for name, test := range map[string]struct {
		input    string
		want     []PodClaim
		problems []string
	}{
		"plain": {`{"kind":"Pod","spec":{"resourceClaims":[{"name":"a","resourceClaimName":"x"},{"name":"b","resourceClaimTemplateName":"t"},{"name":"c","resourceClaimTemplateName":"t"}]},
			"status":{"resourceClaimStatuses":[{"name":"b","resourceClaimName":"made"},{"name":"c","resourceClaimName":null}]}}`,
			[]PodClaim{{"a", "x", ""}, {"b", "made", "t"}, {"c", "", "t"}}, nil},
		"wrong": {`{"kind":"Pod","spec":{"resourceClaims":[5,{"name":"a"},{}]}}`, []PodClaim{{}, {Name: "a"}, {}},
			[]string{"f:1: Pod: spec.resourceClaims[0] 5: must be an object"}},
		"missing":  {`{"kind":"Pod","spec":{"resourceClaims":[{"name":"a"},null]}}`, []PodClaim{{Name: "a"}, {}}, []string{"f:1: Pod: spec.resourceClaims[1].name: missing"}},
		"repeated": {`{"kind":"Pod","spec":{"resourceClaims":[{"name":"a","name":"b"}]}}`, nil, []string{`f:1: Pod: spec.resourceClaims[0].name: must be given only once`}},
		"no list":  {`{"kind":"Pod","spec":{"resourceClaims":{}}}`, nil, []string{"f:1: Pod: spec.resourceClaims {}: must be a list"}},
	} {
		t.Run(name, func(t *testing.T) {
			o, reported := only(test.input)
			if o == nil {
				compareProblems(t, reported, test.problems)
				return
			}
			got, err := o.Pod()
			compare(t, o, got.Claims, err, test.want, test.problems)
		})
	}
}

func TestIsResource(t *testing.T) {
	for version, want := range map[string][2]bool{
		"resource.k8s.io/v1": {true, true}, "resource.k8s.io/v1beta2": {true, true}, "": {true, true},
		"resource.k8s.io/v1alpha3": {false, true}, "resource.k8s.io/v1beta1": {}, "v1": {}, "example.com/v1": {},
	} {
		slice, rule := Object{APIVersion: version, Kind: "ResourceSlice"}, Object{APIVersion: version, Kind: "DeviceTaintRule"}
		if got := [2]bool{slice.IsResource("ResourceSlice"), rule.IsResource("DeviceTaintRule")}; got != want || slice.IsResource("DeviceTaintRule") {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}
