package condition_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/validate"
)

// The keys are those of Kubernetes.
func TestKeys(t *testing.T) {
	for key, want := range map[string]string{
		condition.NotReady:           "node.kubernetes.io/not-ready",
		condition.Unreachable:        "node.kubernetes.io/unreachable",
		condition.MemoryPressure:     "node.kubernetes.io/memory-pressure",
		condition.DiskPressure:       "node.kubernetes.io/disk-pressure",
		condition.PIDPressure:        "node.kubernetes.io/pid-pressure",
		condition.NetworkUnavailable: "node.kubernetes.io/network-unavailable",
		condition.Unschedulable:      "node.kubernetes.io/unschedulable",
		condition.OutOfService:       "node.kubernetes.io/out-of-service",
		condition.CloudUninitialized: "node.cloudprovider.kubernetes.io/uninitialized",
		condition.CloudShutdown:      "node.cloudprovider.kubernetes.io/shutdown",
		condition.ControlPlane:       "node-role.kubernetes.io/control-plane",
		condition.OutOfDisk:          "node.kubernetes.io/out-of-disk",
		condition.AlphaNotReady:      "node.alpha.kubernetes.io/notReady",
		condition.AlphaUnreachable:   "node.alpha.kubernetes.io/unreachable",
		condition.Master:             "node-role.kubernetes.io/master",
	} {
		if key != want {
			t.Errorf("T1: key %q, want %q", key, want)
		}
		if err := validate.Key(key); err != nil {
			t.Errorf("T1: %v", err)
		}
	}
}

func TestDeprecated(t *testing.T) {
	old := map[string]string{
		"node.kubernetes.io/out-of-disk":       "node.kubernetes.io/disk-pressure",
		"node.alpha.kubernetes.io/notReady":    "node.kubernetes.io/not-ready",
		"node.alpha.kubernetes.io/unreachable": "node.kubernetes.io/unreachable",
	}
	for _, key := range []string{
		condition.NotReady, condition.Unreachable, condition.MemoryPressure, condition.DiskPressure, condition.PIDPressure,
		condition.NetworkUnavailable, condition.Unschedulable, condition.OutOfService, condition.CloudUninitialized,
		condition.CloudShutdown, condition.ControlPlane, condition.Master, "", "master", "node.alpha.kubernetes.io/not-ready",
	} {
		old[key] = ""
	}
	for key, want := range old {
		if got, ok := condition.Deprecated(key); got != want || ok != (want != "") {
			t.Errorf("T1: Deprecated(%q) = %q, %v, want %q", key, got, ok, want)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name, json string
		opts       taint.ListOptions
		want       []condition.Condition
		warnings   string
		problems   string
	}{
		{name: "T2_kubectl", json: `[{"type":"Ready","status":"True","reason":"KubeletReady","message":"m","lastHeartbeatTime":"2026-01-01T00:00:00Z","lastTransitionTime":null}]`,
			want: conds("Ready", "True")},
		{name: "T2_null", json: `null`},
		{name: "T2_empty", json: ` [ ] `},
		{name: "T2_order_and_repeats_stay", json: `[{"type":"B","status":"x"},{"type":"A"},{"type":"B"}]`, want: conds("B", "x", "A", "", "B", "")},
		{name: "T2_absent_fields", json: `[{},{"type":null,"status":"True"}]`, want: conds("", "", "", "True")},
		{name: "T2_escapes", json: `[{"type":"\u0052eady","status":"\"True\""}]`, want: conds("Ready", `"True"`)},
		{name: "K4_names_are_case_sensitive", json: `[{"Type":"Ready","status":"True"}]`, want: conds("", "True"),
			warnings: `status.conditions[0]: unknown field "Type", did you mean type? (allowed: type, status, lastHeartbeatTime, lastTransitionTime, reason, message)`},
		{name: "K4_the_last_counts", json: `[{"type":"A","type":"Ready","status":1,"status":"True"}]`, want: conds("Ready", "True"),
			warnings: `status.conditions[0].type "Ready": must be given only once
status.conditions[0].status "True": must be given only once`},
		{name: "K4_strict", json: `[{"x":0},{"type":"Ready","type":1},null]`, opts: taint.ListOptions{Strict: true},
			problems: `status.conditions[0]: unknown field "x" (allowed: type, status, lastHeartbeatTime, lastTransitionTime, reason, message)
status.conditions[1].type 1: must be given only once
status.conditions[1].type 1: must be a string, so put it in quotes
status.conditions[2]: must not be null`},
		{name: "K4_strict_kubectl", json: `[{"type":"Ready","status":"True","reason":"KubeletReady","message":"m","lastHeartbeatTime":"2026-01-01T00:00:00Z","lastTransitionTime":null}]`,
			opts: taint.ListOptions{Strict: true}, want: conds("Ready", "True")},
		{name: "V10_all_problems", json: `[null,{"type":"Ready","status":true},7,{"type":[],"status":0},{"type":"Ready","status":"True","x":0}]`,
			warnings: `status.conditions[4]: unknown field "x" (allowed: type, status, lastHeartbeatTime, lastTransitionTime, reason, message)`,
			problems: `status.conditions[0]: must not be null
status.conditions[1].status true: must be a string, so put it in quotes
status.conditions[2] 7: must be an object
status.conditions[3].type []: must be a string
status.conditions[3].status 0: must be a string, so put it in quotes`},
		{name: "V10_path", json: `[null]`, opts: taint.ListOptions{Path: "items[3].status.conditions"}, problems: "items[3].status.conditions[0]: must not be null"},
		{name: "V10_no_list", json: `{"type":"Ready"}`, problems: `status.conditions {"type":"Ready"}: must be a list`},
		{name: "V10_no_JSON", json: `[`, problems: "status.conditions: must be JSON: unexpected end of JSON input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := condition.Decode([]byte(tt.json), tt.opts)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Decode(%s) mismatch (-want +got):\n%s", tt.json, diff)
			}
			if text := errorText(err); text != tt.problems {
				t.Errorf("Decode(%s): %v\nwant %s", tt.json, text, tt.problems)
			}
			if text := errorText(warnings.Err()); text != tt.warnings {
				t.Errorf("Decode(%s) warns: %v\nwant %s", tt.json, text, tt.warnings)
			}
			checkDecode(t, []byte(tt.json))
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// checkDecode compares Decode with encoding/json.
func checkDecode(t reporter, data []byte) {
	t.Helper()
	got, warnings, err := condition.Decode(data, taint.ListOptions{})
	want, valid := plainDecode(data)
	if (err == nil) != valid {
		t.Fatalf("Decode(%s): %v, want an error: %v", data, err, !valid)
	}
	var ps validate.Problems
	if err != nil && (!errors.As(err, &ps) || len(ps) == 0 || got != nil) {
		t.Errorf("Decode(%s) = %v, %v", data, got, err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Decode(%s) = %v, want %v", data, got, want)
	}
	// Strict decoding rejects what lenient decoding warns about, and nothing more.
	got, none, strict := condition.Decode(data, taint.ListOptions{Strict: true})
	if (strict == nil) != (err == nil && len(warnings) == 0) || len(none) != 0 || strict == nil && !slices.Equal(got, want) {
		t.Errorf("strict Decode(%s) = %v, %v, %v; lenient %v, %v", data, got, none, strict, warnings, err)
	}
	errors.As(strict, &ps)
	if strict != nil && err == nil && ps.Error() != warnings.Error() {
		t.Errorf("strict Decode(%s): %v; lenient warnings %v", data, strict, warnings)
	}
}

// plainDecode is the reference for Decode. It uses encoding/json with maps,
// because the fields of structs are matched without regard to case.
func plainDecode(data []byte) (list []condition.Condition, valid bool) {
	var elements []json.RawMessage
	if json.Unmarshal(data, &elements) != nil {
		return nil, false
	}
	for _, e := range elements {
		m, ok := plain.Object(e)
		if !ok {
			return nil, false
		}
		var c condition.Condition
		for name, field := range map[string]*string{"type": &c.Type, "status": &c.Status} {
			switch v := m[name].(type) {
			case nil:
			case string:
				*field = v
			default:
				return nil, false
			}
		}
		list = append(list, c)
	}
	return list, true
}

// A Condition has the API's JSON.
func TestCondition_JSON(t *testing.T) {
	list := conds("Ready", "True", "MemoryPressure", "Unknown")
	data, err := json.Marshal(list)
	if want := `[{"type":"Ready","status":"True"},{"type":"MemoryPressure","status":"Unknown"}]`; string(data) != want || err != nil {
		t.Errorf("Marshal(%v) = %s, %v, want %s", list, data, err, want)
	}
	got, _, err := condition.Decode(data, taint.ListOptions{})
	if err != nil || !slices.Equal(got, list) {
		t.Errorf("Decode(%s) = %v, %v", data, got, err)
	}
}

func TestIsReady(t *testing.T) {
	for _, tt := range []struct {
		conditions []condition.Condition
		want       bool
	}{
		{nil, false},
		{conds("Ready", "True"), true},
		{conds("Ready", "False"), false},
		{conds("Ready", "Unknown"), false},
		{conds("Ready", "true"), false},
		{conds("ready", "True"), false},
		{conds("MemoryPressure", "True", "Ready", "True", "Ready", "False"), true},
		{conds("Ready", "False", "Ready", "True"), false},
	} {
		if got := condition.IsReady(tt.conditions); got != tt.want {
			t.Errorf("T6: IsReady(%v) = %v", tt.conditions, got)
		}
	}
}

// Each predefined Selector selects the taints with its keys, and no others.
func TestPredefined(t *testing.T) {
	predefined := []struct {
		name     string
		selector condition.Selector
		keys     string
	}{
		{"NodeConditions", condition.NodeConditions(), `node.kubernetes.io/not-ready node.kubernetes.io/unreachable node.kubernetes.io/memory-pressure
			node.kubernetes.io/disk-pressure node.kubernetes.io/pid-pressure node.kubernetes.io/network-unavailable`},
		{"Cordoned", condition.Cordoned(), "node.kubernetes.io/unschedulable"},
		{"CloudStartup", condition.CloudStartup(), "node.cloudprovider.kubernetes.io/uninitialized"},
		{"Autoscalers", condition.Autoscalers(), `ToBeDeletedByClusterAutoscaler DeletionCandidateOfClusterAutoscaler
			startup-taint.cluster-autoscaler.kubernetes.io/x status-taint.cluster-autoscaler.kubernetes.io/x
			ignore-taint.cluster-autoscaler.kubernetes.io/x karpenter.sh/disrupted karpenter.sh/unregistered
			readiness.k8s.io/x node.cluster.x-k8s.io/uninitialized`},
		{"none", condition.Selector{}, `dedicated x node.kubernetes.io/out-of-service node.kubernetes.io/not-ready-x karpenter.sh/x readiness.k8s.iox
			node-role.kubernetes.io/control-plane node.cloudprovider.kubernetes.io/shutdown cluster-autoscaler.kubernetes.io/x`},
	}
	for _, of := range predefined {
		for key := range strings.FieldsSeq(of.keys) {
			if got, want := of.selector.HasKey(key), of.name != "none"; got != want {
				t.Errorf("T5: %s.HasKey(%s) = %v, want %v", of.name, key, got, want)
			}
			for _, rest := range []string{":NoSchedule", "=v:PreferNoSchedule", ":NoExecute"} {
				tt := taint.MustParse(key + rest)
				for _, c := range predefined {
					if got, want := c.selector.Has(tt), c.name == of.name && c.name != "none"; got != want {
						t.Errorf("T5: %s contains %v: %v, want %v", c.name, tt, got, want)
					}
				}
				if got, want := condition.Passing().Has(tt), of.name != "none"; got != want {
					t.Errorf("T5: Passing contains %v: %v, want %v", tt, got, want)
				}
			}
		}
	}
	for text, want := range map[string]bool{
		notReady + ":NoExecute": true, unreachable + "=x:NoExecute": true, notReady + ":NoSchedule": false, memory + ":NoExecute": false,
	} {
		if got := condition.NodeEviction().Has(taint.MustParse(text)); got != want {
			t.Errorf("T5: NodeEviction contains %s: %v", text, got)
		}
	}
}
