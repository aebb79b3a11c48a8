package device_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
)

// taints parses a list of taints, some with unknown effects.
func taints(text string) (l device.Taints) {
	if err := l.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return l
}

func tolerations(texts ...string) (l device.Tolerations) {
	for _, text := range texts {
		l = append(l, device.MustParseToleration(text))
	}
	return l
}

func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 && (unsafe.Sizeof(device.Taint{}) != 32 || unsafe.Sizeof(device.Toleration{}) != 32) {
		t.Errorf("a Taint has %d bytes, and a Toleration %d", unsafe.Sizeof(device.Taint{}), unsafe.Sizeof(device.Toleration{}))
	}
}

func TestDecide(t *testing.T) {
	at := func(seconds int64) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	for _, tt := range []struct {
		name        string
		taints      device.Taints
		tolerations device.Tolerations
		now         time.Time
		want        string
	}{
		{"G7_untolerated", device.Taints{timed("a:NoExecute", noon)}, nil, at(1), "due 2026-01-02T12:00:00Z by device 0, taint 0"},
		{"G7_other_effect", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoSchedule op=Exists", "a:None"), at(1),
			"due 2026-01-02T12:00:00Z by device 0, taint 0"},
		{"G7_no_effect", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 9s", "op=Exists"), at(1), "never"},
		{"G7_no_effect_with_seconds", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 9s", "a for 3s"), at(1),
			"at 2026-01-02T12:00:03Z by device 0, taint 0, toleration 1"},
		{"G8_future", device.Taints{timed("a:NoExecute", noon)}, nil, at(-1), "at 2026-01-02T12:00:00Z by device 0, taint 0"},
		{"G8_negative", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 3s", "a:NoExecute for -9s"), at(0),
			"due 2026-01-02T12:00:00Z by device 0, taint 0, toleration 1"},
		{"G8_no_time_added", taints("a:NoExecute"), tolerations("a:NoExecute for 3s"), at(1),
			"due 2026-01-02T12:00:01Z by device 0, taint 0, toleration 0"},
		{"G8_exact", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 9223372037s"), at(0),
			"at 2318-04-14T11:47:17Z by device 0, taint 0, toleration 0"},
		{"G8_far", device.Taints{timed("a:NoExecute", time.Unix(0, 0))}, tolerations("a:NoExecute for 135536078568729600s"), at(0), // the year overflows to 2026 in 32 bits
			"at @135536078568729600 by device 0, taint 0, toleration 0"},
		{"G8_overflow", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 9223372036854775807s"), at(0), "never"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := device.Allocated{Device: device.Device{Taints: tt.taints}, Tolerations: tt.tolerations}
			if got := decided(device.Decide(tt.now, nil, a)); got != tt.want {
				t.Errorf("Decide = %s, want %s", got, tt.want)
			}
		})
	}
	t.Run("G8_latest_time", func(t *testing.T) {
		last := time.Unix(math.MaxInt64, 0)
		a := device.Allocated{Device: device.Device{Taints: taints("a:NoExecute")}, Tolerations: tolerations("a:NoExecute for 0s")}
		d, _ := device.Decide(last, nil, a)
		if at, _ := d.Deadline(); d.Kind() != eviction.Due || !at.Equal(last) {
			t.Errorf("Decide = %v", d)
		}
	})
	t.Run("G8_earliest_device", func(t *testing.T) {
		one := device.Taints{timed("a:NoExecute", noon)}
		got := decided(device.Decide(noon, nil,
			device.Allocated{Device: device.Device{Taints: one}, Tolerations: tolerations("a:NoExecute for 9s")},
			device.Allocated{Device: device.Device{Taints: one}, Tolerations: tolerations("a:NoExecute for 3s")},
			device.Allocated{Device: device.Device{Taints: one}, Tolerations: tolerations("a:NoExecute for 3s")}))
		if want := "at 2026-01-02T12:00:03Z by device 1, taint 0, toleration 0"; got != want {
			t.Errorf("Decide = %s, want %s", got, want)
		}
	})
	t.Run("G9_without_a_slice", func(t *testing.T) {
		gone := device.Allocated{Device: device.Device{ID: device.ID{Driver: "gpu"}}}
		rules := []device.TaintRule{{Taint: timed("b:NoExecute", noon)}, {Selector: &device.TaintSelector{Driver: "gpu"}, Taint: timed("a:NoExecute", noon)}}
		if got, want := decided(device.Decide(noon, rules, gone)), "due 2026-01-02T12:00:00Z by device 0, taint 1"; got != want {
			t.Errorf("Decide = %s, want %s", got, want)
		}
	})
}

// decided returns the content of a decision.
func decided(d eviction.Decision, by int) string {
	text := d.String()
	if at, ok := d.Deadline(); ok && d.Kind() == eviction.Due {
		text += at.Format(" " + time.RFC3339)
	}
	if i, ok := d.Taint(); ok {
		text += fmt.Sprintf(" by device %d, taint %d", by, i)
	}
	if at, ok := d.Toleration(); ok {
		text += ", toleration " + strconv.Itoa(at)
	}
	return text
}

func TestTaints_Validate(t *testing.T) {
	var many device.Taints
	for i := range 17 {
		many = append(many, device.MustParseTaint(fmt.Sprintf("k=%d:None", i)))
	}
	for _, tt := range []struct {
		name string
		l    device.Taints
		want []string
	}{
		{"G5_none", nil, nil},
		{"G5_repeated", taints("a:None,a:None,a=1:None"), nil},
		{"G5_16", many[:16], nil},
		{"G5_17", many, []string{"taints TooManyTaints"}},
		{"G4_unknown", taints("a:None,a:Future"), []string{"taints[1].effect NameUnknown"}},
		{"G13_zero", append(many[:17:17], device.Taint{}), []string{"taints TooManyTaints", "taints[17] ZeroValue"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.l.Validate(); !slices.Equal(contract.Reports(err), tt.want) {
				t.Errorf("Validate = %v, want %v", err, tt.want)
			}
		})
	}
}

// Tags have few bits of a value, so some of these values have the tag of another.
func TestToleration_Tolerates_collisions(t *testing.T) {
	t.Run("G3_value_without_key", func(t *testing.T) {
		u := device.MustParseToleration("=100")
		for i := range 10_000 {
			v := device.MustParseTaint(fmt.Sprintf("k=%d:NoSchedule", i))
			if got := u.Tolerates(v); got != (i == 100) {
				t.Fatalf("%v on %v: %v", u, v, got)
			}
		}
	})
}
