package device_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/validate"
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

func TestTaintFrom(t *testing.T) {
	for _, tt := range []struct {
		name, key, value, effect string
		want, decoded            []string // the problems of TaintFrom, and of JSON
	}{
		{"G1_valid", "ecc", "3", "NoExecute", nil, nil},
		{"G1_none", "ecc", "", "None", nil, nil},
		{"G1_key", "", "3", "NoExecute", []string{"key InvalidKey"}, []string{"key InvalidKey"}},
		{"G1_all", "-", "/", "", []string{"key InvalidKey", "value InvalidValue", "effect EffectMissing"}, []string{"key InvalidKey", "value InvalidValue", "effect EffectMissing"}},
		{"G4_unknown", "ecc", "", "Future", []string{"effect NameUnknown"}, nil},
		{"G4_unknown_and_another_problem", "a.", "", "Foo", []string{"key InvalidKey", "effect NameUnknown"}, []string{"key InvalidKey", "effect NameUnknown"}},
		{"G4_case", "ecc", "", "noexecute", []string{"effect NameUnknown"}, nil},
		{"G4_of_nodes", "ecc", "", "PreferNoSchedule", []string{"effect NameUnknown"}, nil},
		{"G4_no_name", "ecc", "", "No Execute", []string{"effect NameUnknown"}, []string{"effect NameUnknown"}},
		{"G4_long", "ecc", "", strings.Repeat("F", 64), []string{"effect NameUnknown"}, []string{"effect NameUnknown"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			made, err := device.TaintFrom(tt.key, tt.value, tt.effect)
			var read device.Taint
			readErr := read.UnmarshalJSON(fmt.Appendf(nil, `{"key":%q,"value":%q,"effect":%q}`, tt.key, tt.value, tt.effect))
			if !slices.Equal(contract.Reports(err), tt.want) || !slices.Equal(contract.Reports(readErr), tt.decoded) {
				t.Fatalf("errors %v and %v", err, readErr)
			}
			if made.IsZero() != (tt.want != nil) || read.IsZero() != (tt.decoded != nil) {
				t.Errorf("%#v, %#v", made, read)
			}
			if r := refTaintOf(read); tt.decoded == nil && (r.key != tt.key || r.value != tt.value || r.effect != tt.effect) {
				t.Errorf("JSON is read as %v", read)
			}
			if tt.want == nil && made != read {
				t.Errorf("TaintFrom = %#v, JSON %#v", made, read)
			}
			var text, binary device.Taint
			data, _ := read.MarshalBinary()
			if err := errors.Join(text.UnmarshalText([]byte(read.String())), binary.UnmarshalBinary(data)); err != nil || text != read || binary != read {
				t.Errorf("%v is read back as %v and %v, %v", read, text, binary, err)
			}
		})
	}
	t.Run("G4_text", func(t *testing.T) {
		if got, err := device.ParseTaint("ecc:NoExcute"); err == nil || !got.IsZero() || !strings.Contains(err.Error(), "did you mean NoExecute?") {
			t.Errorf("ParseTaint = %v, %v", got, err)
		}
		if got := taints("ecc:NoExcute")[0]; got.Effect() != 0 || got.String() != "ecc:NoExcute" {
			t.Errorf("UnmarshalText reads %#v", got)
		}
	})
}

func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 && (unsafe.Sizeof(device.Taint{}) != 32 || unsafe.Sizeof(device.Toleration{}) != 32) {
		t.Errorf("a Taint has %d bytes, and a Toleration %d", unsafe.Sizeof(device.Taint{}), unsafe.Sizeof(device.Toleration{}))
	}
}

// This matches every taint and toleration of a small space as the reference does.
func TestToleration_Tolerates(t *testing.T) {
	all, every := space(t)
	matched := 0
	for _, u := range every {
		for _, one := range all {
			want := refMatches(refTolerationOf(u), refTaintOf(one))
			if got := u.Tolerates(one); got != want {
				t.Errorf("G3: %#v tolerates %#v: %v", u, one, got)
			}
			if want {
				matched++
			}
		}
	}
	if matched < 150 {
		t.Errorf("%d of %d matched: that proves nothing", matched, len(all)*len(every))
	}
	t.Run("G13_zero", func(t *testing.T) {
		everything := device.MustParseToleration("op=Exists")
		if (device.Toleration{}).Tolerates(device.MustParseTaint("ecc:None")) || everything.Tolerates(device.Taint{}) {
			t.Error("a zero value matches")
		}
	})
}

// space returns all taints and tolerations of two keys, two values and five effects,
// and the zero values.
func space(t *testing.T) (all device.Taints, every device.Tolerations) {
	t.Helper()
	all, every = device.Taints{{}}, device.Tolerations{{}}
	for _, key := range []string{"", "a", "b"} {
		for _, value := range []string{"", "x"} {
			for _, effect := range []string{"", "None", "NoSchedule", "NoExecute", "Future", "Other"} {
				var one device.Taint
				if one.UnmarshalText([]byte(key+"="+value+":"+effect)) == nil {
					all = append(all, one)
				}
				for _, op := range []string{"", "Equal", "Exists"} {
					if u, err := device.TolerationFrom(key, op, value, effect, nil); err == nil {
						every = append(every, u)
					}
				}
			}
		}
	}
	if len(all) != 1+2*2*5 || len(every) != 1+4*3*(2+2+1) {
		t.Fatalf("%d taints, %d tolerations", len(all), len(every))
	}
	return all, every
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
		{"G7_no_effect", device.Taints{timed("a:NoExecute", noon)}, tolerations("op=Exists", "a:NoSchedule op=Exists"), at(1),
			"due 2026-01-02T12:00:00Z by device 0, taint 0"},
		{"G8_future", device.Taints{timed("a:NoExecute", noon)}, nil, at(-1), "at 2026-01-02T12:00:00Z by device 0, taint 0"},
		{"G8_negative", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 3s", "a:NoExecute for -9s"), at(0),
			"due 2026-01-02T12:00:00Z by device 0, taint 0, toleration [0][1]"},
		{"G8_no_time_added", taints("a:NoExecute"), tolerations("a:NoExecute for 3s"), at(1),
			"due 2026-01-02T12:00:01Z by device 0, taint 0, toleration [0][0]"},
		{"G8_exact", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 9223372037s"), at(0),
			"at 2318-04-14T11:47:17Z by device 0, taint 0, toleration [0][0]"},
		{"G8_far", device.Taints{timed("a:NoExecute", time.Unix(0, 0))}, tolerations("a:NoExecute for 135536078568729600s"), at(0), // the year overflows to 2026 in 32 bits
			"at @135536078568729600 by device 0, taint 0, toleration [0][0]"},
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
		if want := "at 2026-01-02T12:00:03Z by device 1, taint 0, toleration [1][0]"; got != want {
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
		text += ", toleration " + at.String()
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
	if validate.TooManyTaints.Cause() != "FieldValueTooMany" {
		t.Errorf("G5: cause %v", validate.TooManyTaints.Cause())
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
