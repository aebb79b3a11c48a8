package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/device"
)

// objectJSON returns an object of the group resource.k8s.io.
func objectJSON(kind, name string, spec any) map[string]any {
	return map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec}
}

// waiting returns a node, and a pod that waits for the claim c.
func waiting() []any {
	return []any{
		map[string]any{"kind": "Node", "metadata": map[string]any{"name": "n"}},
		map[string]any{"kind": "Pod", "metadata": map[string]any{"name": "p"}, "spec": map[string]any{"resourceClaims": []any{
			map[string]any{"name": "c", "resourceClaimName": "c"},
		}}},
	}
}

// claimOf runs the program on the objects, and returns the only claim of the only pod.
func claimOf(t interface {
	Helper()
	Fatalf(string, ...any)
}, objects []any, args ...string) claimJSON {
	t.Helper()
	data, err := json.Marshal(map[string]any{"kind": "List", "items": objects})
	if err != nil {
		t.Fatalf("%v", err)
	}
	got := runWith(string(data), append([]string{"-o", "json", "-reasons", "0"}, args...)...)
	var out struct{ Pods []podOutput }
	if err := json.Unmarshal([]byte(got.Stdout), &out); err != nil || len(out.Pods) != 1 || len(out.Pods[0].Claims) != 1 {
		t.Fatalf("%v: %s", err, got)
	}
	return out.Pods[0].Claims[0]
}

// Each device counts as package device decides about it alone, with all rules.
func TestDevices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects, request := waiting(), device.Tolerations(rapid.SliceOfN(gen.DeviceToleration(), 0, 4).Draw(t, "tolerations"))
		var rules []device.Rule
		for i := range rapid.IntRange(0, 4).Draw(t, "rules") {
			r := device.Rule{Taint: gen.DeviceTaint().Draw(t, "taint")}
			if rapid.IntRange(0, 4).Draw(t, "selective") > 0 {
				id := gen.DeviceID().Draw(t, "selector")
				r.Selector = &device.Selector{Driver: id.Driver, Pool: id.Pool, Device: id.Device}
			}
			rules = append(rules, r)
			objects = append(objects, objectJSON("DeviceTaintRule", fmt.Sprint("r", i), r))
		}
		all := make(map[string]*driverJSON)
		reasons := make(map[string]int) // devices by driver, taint and rule
		for i := range rapid.IntRange(1, 3).Draw(t, "slices") {
			driver, pool := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "driver"), []string{"x", "y", "z"}[i]
			generation := rapid.IntRange(1, 2).Draw(t, "generation")
			if all[driver] == nil {
				all[driver] = &driverJSON{Driver: driver}
			}
			devices := []any{}
			for j := range rapid.IntRange(0, 4).Draw(t, "devices") {
				d := device.Device{ID: device.ID{Driver: driver, Pool: pool, Device: []string{"x", "y", "z", "w"}[j]}}
				d.Taints = rapid.SliceOfN(gen.DeviceTaint(), 0, 3).Draw(t, "taints")
				devices = append(devices, map[string]any{"name": d.ID.Device, "taints": d.Taints})
				all[driver].Devices++
				if d.Allocatable(rules, request) {
					all[driver].Allocatable++
				}
				seen := make(map[string]bool)
				for source, one := range d.AllTaints(rules) {
					rule := ""
					if source.Rule {
						rule = fmt.Sprint("r", source.Index)
					}
					if key := driver + " " + one.String() + " " + rule; device.Explain(one, request).Blocks() && !seen[key] {
						seen[key] = true
						reasons[key]++
					}
				}
			}
			objects = append(objects, objectJSON("ResourceSlice", fmt.Sprint("s", i), map[string]any{
				"driver": driver, "pool": map[string]any{"name": pool, "generation": generation}, "devices": devices,
			}))
		}
		objects = append(objects, objectJSON("ResourceClaim", "c", map[string]any{"devices": map[string]any{"requests": []any{
			map[string]any{"name": "r", "exactly": map[string]any{"tolerations": request}},
		}}}))
		got := claimOf(t, objects)
		if len(got.Requests) != 1 || len(got.Requests[0].Drivers) != len(all) {
			t.Fatalf("claim = %+v", got)
		}
		for _, d := range got.Requests[0].Drivers {
			want := all[d.Driver]
			if d.Devices != want.Devices || d.Allocatable != want.Allocatable || d.Tainted != want.Devices-want.Allocatable || d.Unknown != 0 {
				t.Errorf("%+v, want %+v", d, *want)
			}
			for _, r := range d.Reasons {
				key := d.Driver + " " + r.Taint + " " + r.Rule
				if reasons[key] != r.Devices {
					t.Errorf("%+v, want %d", r, reasons[key])
				}
				delete(reasons, key)
			}
		}
		if len(reasons) > 0 {
			t.Errorf("no reasons are %v", reasons)
		}
	})
}

// What cannot be read never makes a device allocatable.
func TestDevices_unknown(t *testing.T) {
	slice := func(name string, generation int, devices ...any) any {
		return objectJSON("ResourceSlice", name, map[string]any{"driver": "d", "pool": map[string]any{"name": "p", "generation": generation}, "devices": devices})
	}
	good := map[string]any{"name": "a"}
	bad := map[string]any{"name": "b", "taints": []any{map[string]any{"key": "k"}}}
	tainted := map[string]any{"name": "a", "taints": []any{map[string]any{"key": "k", "effect": "NoExecute"}}}
	version := func(o any, version string) any {
		o.(map[string]any)["apiVersion"] = version
		return o
	}
	claim := objectJSON("ResourceClaim", "c", map[string]any{"devices": map[string]any{"requests": []any{map[string]any{"name": "r", "exactly": map[string]any{}}}}})
	for name, test := range map[string]struct {
		objects []any
		want    string
	}{
		"none":                  {[]any{claim}, "no ResourceSlice is in the input"},
		"no claim":              {[]any{slice("s", 1, good)}, "it is not in the input"},
		"known":                 {[]any{claim, slice("s", 1, good)}, "1 of 1, 0 unknown"},
		"the newer":             {[]any{claim, slice("s", 1, good, good), slice("t", 2, good)}, "1 of 1, 0 unknown"},
		"the newer is bad":      {[]any{claim, slice("s", 1, good), slice("t", 2, bad)}, "no driver"},
		"another slice":         {[]any{claim, slice("s", 1, good), slice("t", 1, bad)}, "0 of 1, 1 unknown"},
		"all slices":            {[]any{claim, slice("t", 1, bad)}, "no driver"},
		"contradiction":         {[]any{claim, slice("s", 1, good), slice("s", 1, tainted)}, "no driver"},
		"the same twice":        {[]any{claim, slice("s", 1, good), slice("s", 1, good)}, "1 of 1, 0 unknown"},
		"a slice of no pool":    {[]any{claim, slice("s", 1, good), objectJSON("ResourceSlice", "t", map[string]any{"driver": "d"})}, "0 of 1, 1 unknown"},
		"a rule":                {[]any{claim, slice("s", 1, good), objectJSON("DeviceTaintRule", "r", map[string]any{})}, "0 of 1, 1 unknown"},
		"a rule, tainted":       {[]any{claim, slice("s", 1, tainted), objectJSON("DeviceTaintRule", "r", map[string]any{})}, "0 of 1, 0 unknown"},
		"a rule of version v2":  {[]any{claim, slice("s", 1, good), version(objectJSON("DeviceTaintRule", "r", nil), "resource.k8s.io/v2")}, "0 of 1, 1 unknown"},
		"a slice of version v2": {[]any{claim, slice("s", 1, good), version(slice("t", 2), "resource.k8s.io/v2")}, "0 of 1, 1 unknown"},
		"a bad claim":           {[]any{slice("s", 1, good), objectJSON("ResourceClaim", "c", map[string]any{"devices": 5})}, "spec.devices 5: must be an object"},
	} {
		t.Run(name, func(t *testing.T) {
			got := claimOf(t, append(waiting(), test.objects...))
			text := got.UnknownBecause
			if len(got.Requests) > 0 {
				text = "no driver"
				for _, d := range got.Requests[0].Drivers {
					text = fmt.Sprintf("%d of %d, %d unknown", d.Allocatable, d.Devices, d.Unknown)
				}
			}
			if text != test.want {
				t.Errorf("got %q, want %q: %+v", text, test.want, got)
			}
		})
	}
}

// Without values, devices are counted as with them, and none is shown.
func TestDevices_redacted(t *testing.T) {
	with, without := runWith("", "-sample-devices"), runWith("", "-sample-devices", "-redact")
	if strings.Contains(without.Stdout, "ecc") || !strings.Contains(with.Stdout, "ecc") {
		t.Errorf("the value is shown, or never is:\n%s", without)
	}
	if got := strings.ReplaceAll(with.Stdout, "=ecc", "=…"); got != without.Stdout {
		t.Errorf("with values\n%s\nwithout\n%s", got, without.Stdout)
	}
}
