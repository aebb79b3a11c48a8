package device_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/validate"
)

// Kubernetes' answers are recorded in bench/recorded.

func readTaint(r recorded.Taint) (device.Taint, error) {
	var t device.Taint
	data, err := json.Marshal(r)
	if err == nil {
		err = t.UnmarshalJSON(data)
	}
	return t, err
}

func readToleration(r recorded.Toleration) (device.Toleration, error) {
	return device.TolerationFrom(r.Key, r.Operator, r.Value, r.Effect, r.Seconds)
}

// readAll returns zero values for what is invalid, and its problems.
func readAll[R, T any](list []R, path string, one func(R) (T, error)) (out []T, ps validate.Problems) {
	for i, r := range list {
		v, err := one(r)
		out, ps = append(out, v), problem.Append(ps, problem.Index(path, i), err)
	}
	return out, ps
}

func readDevice(r recorded.Device) (device.Device, error) {
	taints, ps := readAll(r.Taints, "taints", readTaint)
	return device.Device{ID: device.ID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}, Taints: taints}, ps.Err()
}

func TestTolerates_recorded(t *testing.T) { t.Run("G3_G4_G13", testToleratesRecorded) }

func testToleratesRecorded(t *testing.T) {
	matched, invalid := 0, 0
	recorded.Each(t, "match-device", func(_ recorded.Header, c recorded.DeviceMatch) error {
		taints, _ := readAll(c.Taints, "", readTaint)
		tolerations, _ := readAll(c.Tolerations, "", readToleration)
		for i, v := range taints {
			if v.IsZero() != slices.Contains(c.InvalidTaints, i) {
				return fmt.Errorf("taint %d is %v", i, v)
			}
			for j, u := range tolerations {
				if u.IsZero() != slices.Contains(c.InvalidTolerations, j) {
					return fmt.Errorf("toleration %d is %v", j, u)
				}
				want := c.Matches[i*len(tolerations)+j] == '1'
				if want && (u.IsZero() || v.IsZero()) {
					invalid++
					want = false
				}
				if got := u.Tolerates(v); got != want {
					return fmt.Errorf("%v on %v: %v, want %v", u, v, got, want)
				}
				if want {
					matched++
				}
			}
		}
		return nil
	})
	if matched < 600 || invalid < 15 {
		t.Errorf("%d match, %d in spite of being invalid", matched, invalid)
	}
}

func TestValidate_recorded(t *testing.T) { t.Run("G1_G2_G4", testValidateRecorded) }

func testValidateRecorded(t *testing.T) {
	valid := 0
	recorded.Each(t, "validate-device", func(_ recorded.Header, c recorded.DeviceValidate) error {
		_, ps := readAll(c.Taints, "taints", func(r recorded.Taint) (device.Taint, error) {
			return device.TaintFrom(r.Key, r.Value, r.Effect)
		})
		_, qs := readAll(c.Tolerations, "tolerations", readToleration)
		data, err := json.Marshal(c.Taints)
		if err != nil {
			return err
		}
		var list device.Taints
		jsonErr := json.Unmarshal(data, &list)
		rs := contract.Reports(cmp.Or(jsonErr, list.Validate()))
		for i := range rs {
			rs[i] = "taints" + strings.TrimPrefix(rs[i], "taints")
		}
		if !slices.Equal(rs, contract.Reports(ps)) {
			return fmt.Errorf("from JSON %v, by field %v", rs, ps)
		}
		want, got := map[string]string{}, map[string]string{}
		for _, cause := range c.Causes {
			want[cause.Field] = cause.Reason
		}
		for _, p := range append(ps, qs...) {
			got[p.Path] = cause(p.Rule)
		}
		if len(want) == 0 {
			valid++
		}
		if !maps.Equal(got, want) {
			return fmt.Errorf("%v, want %v", got, want)
		}
		return nil
	})
	if valid < 200 {
		t.Errorf("%d are valid", valid)
	}
}

func TestAllocatable_recorded(t *testing.T) { t.Run("G4_G6", testAllocatableRecorded) }

func testAllocatableRecorded(t *testing.T) {
	allocated := 0
	recorded.Each(t, "allocate-device", func(_ recorded.Header, c recorded.DeviceAllocate) error {
		devices, ps := readAll(c.Devices, "devices", readDevice)
		tolerations, qs := readAll(c.Tolerations, "tolerations", readToleration)
		if err := errors.Join(ps.Err(), qs.Err()); err != nil {
			return err
		}
		first := ""
		for _, d := range slices.Backward(devices) {
			if d.Allocatable(nil, tolerations) {
				first = d.ID.Device
			}
		}
		if first != "" {
			allocated++
		}
		if first != c.Device {
			return fmt.Errorf("%q, want %q", first, c.Device)
		}
		return nil
	})
	if allocated < 200 {
		t.Errorf("%d are allocated", allocated)
	}
}

func TestDecide_recorded(t *testing.T) { t.Run("G4_G7_G8_G9", testDecideRecorded) }

func testDecideRecorded(t *testing.T) {
	kinds, differences := map[eviction.DecisionKind]int{}, map[string]int{}
	recorded.Each(t, "evict-device", func(_ recorded.Header, c recorded.DeviceEvict) error {
		devices, err := readAll(c.Devices, "devices", readDevice)
		if err != nil {
			return err
		}
		var allocated []device.Allocated
		for i, d := range devices {
			tolerations, err := readAll(c.Tolerations[i], "tolerations", readToleration)
			if err != nil {
				return err
			}
			allocated = append(allocated, device.Allocated{Device: d, Tolerations: tolerations})
		}
		rules, err := readAll(c.Rules, "rules", func(r recorded.DeviceRule) (device.TaintRule, error) {
			v, err := readTaint(r.Taint)
			return device.TaintRule{Selector: (*device.TaintSelector)(r.Selector), Taint: v}, err
		})
		if err != nil {
			return err
		}
		now := time.Unix(1_800_000_300, 5).UTC()
		d, _ := device.Decide(now, rules, allocated...)
		deadline, _ := d.Deadline()
		want := eviction.Never
		var at time.Time
		if c.At != "" {
			if at, _ = time.Parse(time.RFC3339, c.At); at.After(now) {
				want = eviction.At
			} else {
				want = eviction.Due
			}
		}
		for _, id := range c.Differences {
			differences[id]++
			switch at = time.Unix(c.Ours, 0); {
			case c.Ours == 0:
				want, at = eviction.Never, time.Time{}
			case at.After(now):
				want = eviction.At
			default:
				want = eviction.Due
			}
		}
		kinds[d.Kind()]++
		if d.Kind() != want || !deadline.Equal(at) {
			return fmt.Errorf("%v, want %v at %v", d, want, at)
		}
		return nil
	})
	for _, kind := range []eviction.DecisionKind{eviction.Never, eviction.Due, eviction.At} {
		if kinds[kind] < 50 {
			t.Errorf("%d cases of %v", kinds[kind], kind)
		}
	}
	if differences["G7-no-effect"] < 10 || differences["G8-overflow"] == 0 {
		t.Errorf("the listed differences are %v", differences)
	}
}

// cause returns the type of Kubernetes' error.
func cause(r validate.Rule) string {
	switch r {
	case validate.EffectMissing, validate.ZeroValue:
		return "FieldValueRequired"
	case validate.NameUnknown:
		return "FieldValueNotSupported"
	case validate.Duplicate:
		return "FieldValueDuplicate"
	case validate.TooManyTaints:
		return "FieldValueTooMany"
	}
	return "FieldValueInvalid"
}
