package dra_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// The values of package device are the reference: what cannot be converted is the zero
// value.

func libraryTaint(t resourcev1.DeviceTaint) device.Taint {
	v, err := device.TaintFrom(t.Key, t.Value, t.Effect)
	if err == nil && t.TimeAdded != nil {
		v, _ = v.WithTimeAdded(t.TimeAdded.Time)
	}
	return v
}

func libraryTolerations(list []resourcev1.DeviceToleration) (out device.Tolerations) {
	for _, u := range list {
		v, _ := device.TolerationFrom(u.Key, u.Operator, u.Value, u.Effect, u.TolerationSeconds)
		out = append(out, v)
	}
	return out
}

// matchProperty compares the functions that match with the library. Any field of the
// structs can be invalid.
func matchProperty(t *rapid.T) {
	taints, tolerations := drawn(t, drawTaint), drawn(t, drawToleration)
	for i := range tolerations {
		if len(taints) > 0 && rapid.Bool().Draw(t, "near") {
			near := rapid.SampledFrom(taints).Draw(t, "of")
			tolerations[i].Key, tolerations[i].Value = near.Key, near.Value
		}
	}
	request := libraryTolerations(tolerations)
	var d device.Device
	for i := range taints {
		v := libraryTaint(taints[i])
		d.Taints = append(d.Taints, v)
		for j := range tolerations {
			if got, want := dra.Tolerates(&tolerations[j], &taints[i]), request[j].Tolerates(v); got != want {
				t.Errorf("Tolerates(%+v, %+v) = %v, want %v", tolerations[j], taints[i], got, want)
			}
		}
	}
	if got, want := dra.Allocatable(taints, tolerations), d.Allocatable(nil, request); got != want {
		t.Errorf("Allocatable(%+v, %+v) = %v, want %v", taints, tolerations, got, want)
	}
}

func TestAllocatable(t *testing.T) {
	t.Run("G6", func(t *testing.T) {
		for range 20 {
			rapid.Check(t, matchProperty)
		}
	})
}

func FuzzAllocatable(f *testing.F) { gen.Fuzz(f, matchProperty) }

// This matches every pair of a taint and a toleration over small sets of fields.
func TestTolerates_exhaustive(t *testing.T) {
	var tolerations []resourcev1.DeviceToleration
	names, values := []string{"", "a", "b", "-"}, []string{"", "x", "-", "a b"}
	all := []resourcev1.DeviceTaintEffect{"", "None", "NoSchedule", "NoExecute", "Future", "PreferNoSchedule", "no schedule"}
	for _, key := range names {
		for _, op := range []resourcev1.DeviceTolerationOperator{"", "Equal", "Exists", "Lt", "Gt", "equal"} {
			for _, value := range values {
				for _, effect := range all {
					for _, seconds := range []*int64{nil, new(int64)} {
						tolerations = append(tolerations, resourcev1.DeviceToleration{Key: key, Operator: op, Value: value, Effect: effect, TolerationSeconds: seconds})
					}
				}
			}
		}
	}
	request := libraryTolerations(tolerations)
	matched := 0
	for _, key := range names {
		for _, value := range values {
			for _, effect := range all {
				c := resourcev1.DeviceTaint{Key: key, Value: value, Effect: effect}
				v := libraryTaint(c)
				for i := range tolerations {
					want := request[i].Tolerates(v)
					if got := dra.Tolerates(&tolerations[i], &c); got != want {
						t.Errorf("Tolerates(%+v, %+v) = %v, want %v", tolerations[i], c, got, want)
					}
					open := device.Device{Taints: device.Taints{v}}.Allocatable(nil, request[i:i+1])
					if got := dra.Allocatable([]resourcev1.DeviceTaint{c}, tolerations[i:i+1]); got != open {
						t.Errorf("Allocatable(%+v, %+v) = %v, want %v", c, tolerations[i], got, open)
					}
					if want {
						matched++
					}
				}
			}
		}
	}
	if matched < 300 {
		t.Errorf("only %d pairs match", matched)
	}
}

// An invalid taint is checked once, however many tolerations have its key and effect.
func TestHostile_Match(t *testing.T) {
	const most = 1000
	long := []resourcev1.DeviceTaint{{Key: strings.Repeat("k", 1<<20), Effect: "NoExecute"}}
	wildcards := slices.Repeat([]resourcev1.DeviceToleration{{Operator: "Exists"}}, most)
	start := time.Now()
	if dra.Allocatable(long, wildcards) {
		t.Error("an invalid taint is tolerated")
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("matching one invalid taint with %d wildcards took %v", most, took)
	}
}
