package dra_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/kube/dra"
	"github.com/go-tolerate/tolerate/validate"
)

// The fields of the structs are valid in two of three cases.
var (
	keys      = rapid.SampledFrom([]string{"a", "a", "gpu.example.com/unhealthy", "gpu.example.com/unhealthy", "", "-", "a b"})
	texts     = rapid.SampledFrom([]string{"", "", "ecc", "ecc", "x", "-", strings.Repeat("v", 64)})
	effects   = rapid.SampledFrom([]string{"None", "NoSchedule", "NoSchedule", "NoExecute", "NoExecute", "Future", "", "no schedule", "noExecute"})
	operators = rapid.SampledFrom([]string{"", "Equal", "Exists", "Exists", "Lt", "exists"})
	times     = rapid.SampledFrom([]*metav1.Time{
		nil, nil, nil, {}, {Time: time.Unix(1e9, 5)}, {Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))},
		{Time: time.Time{}.Add(-1)}, {Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)},
	})
)

func drawTaint(t *rapid.T) resourcev1.DeviceTaint {
	return resourcev1.DeviceTaint{
		Key: keys.Draw(t, "key"), Value: texts.Draw(t, "value"),
		Effect: resourcev1.DeviceTaintEffect(effects.Draw(t, "effect")), TimeAdded: times.Draw(t, "added"),
	}
}

func drawToleration(t *rapid.T) resourcev1.DeviceToleration {
	u := resourcev1.DeviceToleration{
		Key: keys.Draw(t, "key"), Operator: resourcev1.DeviceTolerationOperator(operators.Draw(t, "operator")),
		Value: texts.Draw(t, "value"), Effect: resourcev1.DeviceTaintEffect(effects.Draw(t, "effect")),
	}
	if rapid.Bool().Draw(t, "timed") {
		seconds := gen.Seconds().Draw(t, "seconds")
		u.TolerationSeconds = &seconds
	}
	return u
}

// drawn draws a list: nil, empty, or of up to four elements.
func drawn[C any](t *rapid.T, elem func(*rapid.T) C) []C {
	if rapid.IntRange(0, 9).Draw(t, "nil") == 9 {
		return nil
	}
	return rapid.SliceOfN(rapid.Custom(elem), 0, 4).Draw(t, "list")
}

// paths returns the distinct paths of the problems of err.
func paths(t interface{ Fatalf(string, ...any) }, err error) (paths []string) {
	var ps validate.Problems
	if err != nil && !errors.As(err, &ps) {
		t.Fatalf("%T is not validate.Problems: %v", err, err)
	}
	for _, p := range ps {
		paths = append(paths, p.Path)
	}
	return slices.Compact(paths)
}

// fromJSON returns what package device reads from the structs' JSON, and the paths of all
// problems: the reference for conversions.
func fromJSON[V, C any](t *rapid.T, list []C, path string) (values []V, problems []string) {
	for i := range list {
		data, err := json.Marshal(list[i])
		if err != nil {
			t.Fatalf("%+v: %v", list[i], err)
		}
		var v V
		for _, p := range paths(t, json.Unmarshal(data, &v)) {
			problems = append(problems, fmt.Sprintf("%s[%d].%s", path, i, p))
		}
		values = append(values, v)
	}
	return values, problems
}

// converts compares the values of a list with the reference, each value with the
// conversion of its element.
func converts[L ~[]V, V comparable, C any](t *rapid.T, list []C, path string, all func([]C) (L, error), one func(*C) (V, error)) {
	got, err := all(list)
	want, problems := fromJSON[V](t, list, path)
	if (got == nil) != (list == nil) || !slices.Equal(got, want) {
		t.Fatalf("values of %+v = %#v, want %#v", list, got, want)
	}
	if diff := cmp.Diff(problems, paths(t, err)); diff != "" {
		t.Fatalf("paths of problems mismatch (-want +got):\n%s", diff)
	}
	var zero V
	for i := range list {
		v, err := one(&list[i])
		if v != got[i] || (err != nil) != (v == zero) {
			t.Fatalf("value = %v, %v, want %v", v, err, got[i])
		}
	}
}

func taintsProperty(t *rapid.T) {
	list := drawn(t, drawTaint)
	before := slices.Clone(list)
	converts(t, list, "taints", dra.Taints, dra.Taint)
	if diff := cmp.Diff(before, list); diff != "" {
		t.Fatalf("input changed (-before +after):\n%s", diff)
	}
}

func tolerationsProperty(t *rapid.T) {
	list := drawn(t, drawToleration)
	before := slices.Clone(list)
	converts(t, list, "tolerations", dra.Tolerations, dra.Toleration)
	if diff := cmp.Diff(before, list); diff != "" {
		t.Fatalf("input changed (-before +after):\n%s", diff)
	}
}

func TestTaints(t *testing.T)      { t.Run("G4", rapid.MakeCheck(taintsProperty)) }
func TestTolerations(t *testing.T) { t.Run("G2", rapid.MakeCheck(tolerationsProperty)) }

// FuzzTaints compares Taints with what the structs' JSON reads as.
func FuzzTaints(f *testing.F) { gen.Fuzz(f, taintsProperty) }

// FuzzTolerations is FuzzTaints for tolerations.
func FuzzTolerations(f *testing.F) { gen.Fuzz(f, tolerationsProperty) }

// The path of each problem of an object begins at its root. The paths in a list are
// compared in TestTaints and TestTolerations.
func TestProblems_G5(t *testing.T) {
	taints := []resourcev1.DeviceTaint{{Key: "a", Effect: "Future"}, {Key: "-", TimeAdded: &metav1.Time{Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}}}
	tolerations := []resourcev1.DeviceToleration{{}, {Operator: "Exists", Value: "x"}}
	slice := &resourcev1.ResourceSlice{}
	slice.Spec.Devices = []resourcev1.Device{{Name: "gpu-0"}, {Name: "gpu-1", Taints: taints}}
	claim := &resourcev1.ResourceClaim{}
	claim.Status.Allocation = &resourcev1.AllocationResult{}
	claim.Status.Allocation.Devices.Results = []resourcev1.DeviceRequestAllocationResult{{}, {Tolerations: tolerations}}
	_, devices := dra.Devices(slice)
	_, allocated := dra.Allocated(claim)
	_, one := dra.Taint(&taints[1])
	_, other := dra.Toleration(&tolerations[1])
	for name, tt := range map[string]struct {
		err  error
		want []string
	}{
		"Devices": {devices, []string{
			`spec.devices[1].taints[1].key "-": the name must begin and end with a letter or digit`,
			`spec.devices[1].taints[1].effect: must not be empty (allowed: None, NoSchedule, NoExecute)`,
			`spec.devices[1].taints[1].timeAdded "10000-01-01 00:00:00 +0000 UTC": must be in the years 1 to 9999`,
		}},
		"Allocated": {allocated, []string{`status.allocation.devices.results[1].tolerations[1].value "x": must be empty when the operator is Exists`}},
		"Taint": {one, []string{
			`dra.Taint: key "-": the name must begin and end with a letter or digit`,
			`dra.Taint: effect: must not be empty (allowed: None, NoSchedule, NoExecute)`,
			`dra.Taint: timeAdded "10000-01-01 00:00:00 +0000 UTC": must be in the years 1 to 9999`,
		}},
		"Toleration": {other, []string{`dra.Toleration: value "x": must be empty when the operator is Exists`}},
	} {
		if diff := cmp.Diff(strings.Join(tt.want, "\n"), fmt.Sprint(tt.err)); diff != "" {
			t.Errorf("%s: problems mismatch (-want +got):\n%s", name, diff)
		}
	}
}

func TestAllocated(t *testing.T) {
	claim := &resourcev1.ResourceClaim{}
	if got, err := dra.Allocated(claim); got != nil || err != nil {
		t.Errorf("not allocated: %v, %v", got, err)
	}
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{
			{Driver: "gpu.example.com", Pool: "node-1", Device: "gpu-0", Tolerations: []resourcev1.DeviceToleration{{}, {Operator: "In"}}},
			{Driver: "nic.example.com", Pool: "node-1", Device: "nic-0"},
		},
	}}
	got, err := dra.Allocated(claim)
	want := []device.Allocated{
		{Device: device.Device{ID: device.ID{Driver: "gpu.example.com", Pool: "node-1", Device: "gpu-0"}}, Tolerations: device.Tolerations{device.MustParseToleration("="), {}}},
		{Device: device.Device{ID: device.ID{Driver: "nic.example.com", Pool: "node-1", Device: "nic-0"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err == nil {
		t.Errorf("Allocated: %v, mismatch (-want +got):\n%s", err, diff)
	}
}

func TestSelector(t *testing.T) {
	driver, pool, name, empty := "gpu.example.com", "node-1", "gpu-0", ""
	for _, tt := range []struct {
		name    string
		of      [3]*string
		want    *device.TaintSelector
		problem string
	}{
		{"G9_all", [3]*string{}, &device.TaintSelector{}, ""},
		{"G9_one", [3]*string{&driver, &pool, &name}, &device.TaintSelector{Driver: driver, Pool: pool, Device: name}, ""},
		{"G9_pool", [3]*string{nil, &pool, nil}, &device.TaintSelector{Pool: pool}, ""},
		{"G9_empty", [3]*string{&driver, &empty, nil}, nil, "pool"},
		{"G9_all_empty", [3]*string{&empty, &empty, &empty}, nil, "driver,pool,device"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := dra.Selector(tt.of[0], tt.of[1], tt.of[2])
			if diff := cmp.Diff(tt.want, got); diff != "" || strings.Join(paths(t, err), ",") != tt.problem {
				t.Errorf("Selector: %v, mismatch (-want +got):\n%s", err, diff)
			}
		})
	}
}
