package condition_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/validate"
)

// The keys, spelt out: they are other people's.
func TestT1_keys(t *testing.T) {
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
			t.Errorf("T1: %q, want %q", key, want)
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
		"node-role.kubernetes.io/master":       "node-role.kubernetes.io/control-plane",
	}
	for _, key := range []string{
		condition.NotReady, condition.Unreachable, condition.MemoryPressure, condition.DiskPressure, condition.PIDPressure,
		condition.NetworkUnavailable, condition.Unschedulable, condition.OutOfService, condition.CloudUninitialized,
		condition.CloudShutdown, condition.ControlPlane, "", "master", "node.alpha.kubernetes.io/not-ready",
	} {
		old[key] = ""
	}
	for key, want := range old {
		if got, ok := condition.Deprecated(key); got != want || ok != (want != "") {
			t.Errorf("T1: Deprecated(%q) = %q, %v, want %q", key, got, ok, want)
		}
	}
}

func TestDecodeList(t *testing.T) {
	for _, tt := range []struct {
		name, json, path string
		want             []condition.Condition
		problems         string
	}{
		{"T2_kubectl", `[{"type":"Ready","status":"True","reason":"KubeletReady","message":"m","lastHeartbeatTime":"2026-01-01T00:00:00Z","lastTransitionTime":null}]`, "",
			conds("Ready", "True"), ""},
		{"T2_null", `null`, "", nil, ""},
		{"T2_empty", ` [ ] `, "", nil, ""},
		{"T2_order_and_repeats_stay", `[{"type":"B","status":"x"},{"type":"A"},{"type":"B"}]`, "", conds("B", "x", "A", "", "B", ""), ""},
		{"T2_absent_fields", `[{},{"type":null,"status":"True"}]`, "", conds("", "", "", "True"), ""},
		{"T2_names_are_case_sensitive", `[{"Type":"Ready","STATUS":"True"}]`, "", conds("", ""), ""},
		{"T2_the_last_counts", `[{"type":"A","type":"Ready","status":1,"status":"True"}]`, "", conds("Ready", "True"), ""},
		{"T2_escapes", `[{"type":"\u0052eady","status":"\"True\""}]`, "", conds("Ready", `"True"`), ""},
		{"V10_all_problems", `[null,{"type":"Ready","status":true},7,{"type":[],"status":0},{"type":"Ready","status":"True"}]`, "", nil,
			`status.conditions[0] null: must be an object
status.conditions[1].status true: must be a string, so put it in quotes
status.conditions[2] 7: must be an object
status.conditions[3].type []: must be a string
status.conditions[3].status 0: must be a string, so put it in quotes`},
		{"V10_path", `[null]`, "items[3].status.conditions", nil, "items[3].status.conditions[0] null: must be an object"},
		{"V10_no_list", `{"type":"Ready"}`, "", nil, `status.conditions {"type":"Ready"}: must be a list`},
		{"V10_no_JSON", `[`, "", nil, "status.conditions: must be JSON: unexpected end of JSON input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := condition.ListOptions{Path: tt.path}
			got, err := condition.DecodeList([]byte(tt.json), opts)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("DecodeList(%s) mismatch (-want +got):\n%s", tt.json, diff)
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if text != tt.problems {
				t.Errorf("DecodeList(%s): %v\nwant %s", tt.json, text, tt.problems)
			}
			checkDecode(t, []byte(tt.json), opts)
		})
	}
}

// checkDecode holds what the decoder promises, by what encoding/json reads.
func checkDecode(t reporter, data []byte, opts condition.ListOptions) {
	t.Helper()
	got, err := condition.DecodeList(data, opts)
	want, valid := plainDecode(data)
	if (err == nil) != valid {
		t.Fatalf("DecodeList(%s): %v, want an error: %v", data, err, !valid)
	}
	var ps validate.Problems
	if err != nil && (!errors.As(err, &ps) || len(ps) == 0 || got != nil) {
		t.Errorf("DecodeList(%s) = %v, %v", data, got, err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("DecodeList(%s) = %v, want %v", data, got, want)
	}
	dst := make([]condition.Condition, 1, 4)
	dst[0].Type = "kept"
	got, err = condition.AppendDecode(dst, data, opts)
	if (err == nil) != valid || len(got) != 1+len(want) || got[0].Type != "kept" || !slices.Equal(got[1:], want) {
		t.Errorf("AppendDecode(%s) = %v, %v, want %v", data, got, err, want)
	}
	if !valid && slices.ContainsFunc(dst[1:cap(dst)], func(c condition.Condition) bool { return c != condition.Condition{} }) {
		t.Errorf("AppendDecode(%s) leaves %v behind dst", data, dst[1:cap(dst)])
	}
}

// plainDecode reads a list of conditions by encoding/json alone, into maps,
// which know names exactly.
func plainDecode(data []byte) (list []condition.Condition, valid bool) {
	var elements []json.RawMessage
	if json.Unmarshal(data, &elements) != nil {
		return nil, false
	}
	for _, e := range elements {
		var m map[string]any
		if json.Unmarshal(e, &m) != nil || m == nil {
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

// A Condition is written in the API's shape, and read back.
func TestConditionJSON(t *testing.T) {
	list := conds("Ready", "True", "MemoryPressure", "Unknown")
	data, err := json.Marshal(list)
	if want := `[{"type":"Ready","status":"True"},{"type":"MemoryPressure","status":"Unknown"}]`; string(data) != want || err != nil {
		t.Errorf("Marshal(%v) = %s, %v, want %s", list, data, err, want)
	}
	got, err := condition.DecodeList(data, condition.ListOptions{})
	if err != nil || !slices.Equal(got, list) {
		t.Errorf("DecodeList(%s) = %v, %v", data, got, err)
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

// The ready-made classes hold what the rule names, with any effect and value.
func TestT5_ready_made(t *testing.T) {
	classes := []struct {
		name  string
		class condition.Class
		keys  string
	}{
		{"NodeConditions", condition.NodeConditions(), `node.kubernetes.io/not-ready node.kubernetes.io/unreachable node.kubernetes.io/memory-pressure
			node.kubernetes.io/disk-pressure node.kubernetes.io/pid-pressure node.kubernetes.io/network-unavailable`},
		{"Cordon", condition.Cordon(), "node.kubernetes.io/unschedulable"},
		{"CloudStartup", condition.CloudStartup(), "node.cloudprovider.kubernetes.io/uninitialized"},
		{"Autoscalers", condition.Autoscalers(), `ToBeDeletedByClusterAutoscaler DeletionCandidateOfClusterAutoscaler
			startup-taint.cluster-autoscaler.kubernetes.io/x status-taint.cluster-autoscaler.kubernetes.io/x
			ignore-taint.cluster-autoscaler.kubernetes.io/x karpenter.sh/disrupted karpenter.sh/unregistered
			readiness.k8s.io/x node.cluster.x-k8s.io/uninitialized`},
		{"none", condition.Class{}, `dedicated x node.kubernetes.io/out-of-service node.kubernetes.io/not-ready-x karpenter.sh/x readiness.k8s.iox
			node-role.kubernetes.io/control-plane node.cloudprovider.kubernetes.io/shutdown cluster-autoscaler.kubernetes.io/x`},
	}
	for _, of := range classes {
		for key := range strings.FieldsSeq(of.keys) {
			for _, rest := range []string{":NoSchedule", "=v:PreferNoSchedule", ":NoExecute"} {
				tt := taint.MustParse(key + rest)
				for _, c := range classes {
					if got, want := c.class.Has(tt), c.name == of.name && c.name != "none"; got != want {
						t.Errorf("T5: %s holds %v: %v, want %v", c.name, tt, got, want)
					}
				}
				if got, want := condition.Passing().Has(tt), of.name != "none"; got != want {
					t.Errorf("T5: Passing holds %v: %v, want %v", tt, got, want)
				}
			}
		}
	}
	for text, want := range map[string]bool{
		notReady + ":NoExecute": true, unreachable + "=x:NoExecute": true, notReady + ":NoSchedule": false, memory + ":NoExecute": false,
	} {
		if got := condition.NodeEviction().Has(taint.MustParse(text)); got != want {
			t.Errorf("T5: NodeEviction holds %s: %v", text, got)
		}
	}
}
