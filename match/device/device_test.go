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

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/match"
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
			if tt.decoded == nil && (read.Key() != tt.key || read.Value() != tt.value || string(read.Effect()) != tt.effect) {
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
		if got := taints("ecc:NoExcute")[0]; got.Effect() != "NoExcute" || got.Effect().IsValid() {
			t.Errorf("UnmarshalText reads %#v", got)
		}
	})
}

func TestTolerationFrom(t *testing.T) {
	for _, tt := range []struct {
		name, key, op, value, effect string
		want                         []string
	}{
		{"G2_absent", "", "", "", "", nil},
		{"G2_keyless_equal", "", "Equal", "3", "", nil},
		{"G2_exists", "", "Exists", "", "NoExecute", nil},
		{"G2_none", "ecc", "Exists", "", "None", nil},
		{"G2_key", "-", "Exists", "", "", []string{"key InvalidKey"}},
		{"G2_value", "ecc", "Equal", "/", "", []string{"value InvalidValue"}},
		{"G2_exists_value", "ecc", "Exists", "3", "", []string{"value ExistsValue"}},
		{"G2_lt", "ecc", "Lt", "3", "", []string{"operator NameUnknown"}},
		{"G2_gt", "ecc", "Gt", "/", "", []string{"operator NameUnknown"}},
		{"G2_effect", "ecc", "Exists", "", "PreferNoSchedule", []string{"effect NameUnknown"}},
		{"G4_unknown", "ecc", "Exists", "", "Future", []string{"effect NameUnknown"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := int64(-3)
			got, err := device.TolerationFrom(tt.key, tt.op, tt.value, tt.effect, &n)
			if !slices.Equal(contract.Reports(err), tt.want) || got.IsZero() != (err != nil) {
				t.Fatalf("TolerationFrom = %v, %v, want %v", got, err, tt.want)
			}
			if seconds, ok := got.Seconds(); ok != (err == nil) || ok && seconds != n {
				t.Errorf("G2: Seconds() = %d, %v", seconds, ok)
			}
		})
	}
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
			l := device.Tolerations{u}
			if got := device.Explain(one, l); (got.Miss == 0) != want || got.Blocks() == (device.Device{Taints: device.Taints{one}}).Allocatable(nil, l) {
				t.Errorf("G6: %v of %#v", got, u)
			}
			if want {
				matched++
			}
		}
	}
	if matched < 150 {
		t.Errorf("%d of %d matched: that proves nothing", matched, len(all)*len(every))
	}
	for _, tt := range []struct {
		name, u, taint string
		want           bool
	}{
		{"G3_effect", "ecc:NoSchedule op=Exists", "ecc:NoExecute", false},
		{"G3_any_effect", "ecc op=Exists", "ecc:NoExecute", true},
		{"G3_key", "ecc op=Exists", "ecc.x:NoExecute", false},
		{"G3_keyless_equal", "=3", "hot=3:NoSchedule", true},
		{"G3_keyless_equal_other", "=3", "hot=4:NoSchedule", false},
		{"G3_absent", "=", "hot:NoSchedule", true},
		{"G3_absent_value", "=", "hot=3:NoSchedule", false},
		{"G3_seconds", "ecc op=Exists for -1s", "ecc=3:NoExecute", true},
		{"G4_unknown_by_all", "ecc op=Exists", "ecc:Future", true},
		{"G4_unknown_not_by_None", "ecc:None op=Exists", "ecc:Future", false},
		{"G4_None", "ecc:None op=Exists", "ecc:None", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := device.MustParseToleration(tt.u).Tolerates(taints(tt.taint)[0]); got != tt.want {
				t.Errorf("%s tolerates %s: %v", tt.u, tt.taint, got)
			}
		})
	}
	t.Run("G13_zero", func(t *testing.T) {
		everything := device.MustParseToleration("op=Exists")
		if (device.Toleration{}).Tolerates(device.MustParseTaint("ecc:None")) || everything.Tolerates(device.Taint{}) {
			t.Error("a zero value matches")
		}
		if n := (device.Toleration{}).WithSeconds(3); !n.IsZero() {
			t.Errorf("the zero Toleration with seconds is %#v", n)
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

func TestDevice_Allocatable(t *testing.T) {
	id := device.ID{Driver: "gpu", Pool: "n1", Device: "0"}
	rules := []device.TaintRule{{Selector: &device.TaintSelector{Pool: "n1"}, Taint: device.MustParseTaint("drain:NoSchedule")}}
	for _, tt := range []struct {
		name, taints string
		rules        []device.TaintRule
		tolerations  device.Tolerations
		want         bool
	}{
		{"G6_no_taint", "", nil, nil, true},
		{"G6_NoSchedule", "a:NoSchedule", nil, nil, false},
		{"G6_NoExecute", "a:NoExecute", nil, nil, false},
		{"G6_every_taint", "a:NoExecute,b:NoExecute", nil, tolerations("a op=Exists"), false},
		{"G6_one_for_many", "a:NoExecute,b=3:NoSchedule", nil, tolerations("op=Exists"), true},
		{"G6_seconds_are_ignored", "a:NoExecute", nil, tolerations("a:NoExecute for 0s"), true},
		{"G4_None", "a:None", nil, nil, true},
		{"G4_unknown", "a:Future,a:PreferNoSchedule", nil, nil, true},
		{"G5_repeated", "a=1:NoSchedule,a=2:NoSchedule", nil, tolerations("a=1"), false},
		{"G9_rule", "", rules, nil, false},
		{"G9_rule_tolerated", "", rules, tolerations("drain op=Exists"), true},
		{"G9_no_selector", "", []device.TaintRule{{Taint: device.MustParseTaint("a:NoSchedule")}}, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := device.Device{ID: id, Taints: taints(tt.taints)}
			if got := d.Allocatable(tt.rules, tt.tolerations); got != tt.want {
				t.Errorf("Allocatable = %v", got)
			}
		})
	}
	t.Run("G13_zero", func(t *testing.T) {
		if (device.Device{Taints: device.Taints{{}}}).Allocatable(nil, tolerations("op=Exists")) {
			t.Error("a device with a zero Taint is allocatable")
		}
	})
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
		{"G7_NoSchedule", device.Taints{timed("a:NoSchedule", noon)}, nil, at(1), "Never"},
		{"G4_unknown", taints("a:Future,a:None"), nil, at(1), "Never"},
		{"G7_untolerated", device.Taints{timed("a:NoExecute", noon)}, nil, at(1), "Due 2026-01-02T12:00:00Z: a:NoExecute (taint 0) of device 0, not tolerated"},
		{"G7_no_effect", device.Taints{timed("a:NoExecute", noon)}, tolerations("op=Exists", "a:NoSchedule op=Exists"), at(1),
			"Due 2026-01-02T12:00:00Z: a:NoExecute (taint 0) of device 0, not tolerated"},
		{"G8_future", device.Taints{timed("a:NoExecute", noon)}, nil, at(-1), "At 2026-01-02T12:00:00Z: a:NoExecute (taint 0) of device 0, not tolerated"},
		{"G8_no_seconds", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 3s", "a:NoExecute"), at(9), "Never"},
		{"G8_fewest", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 30s", ":NoExecute op=Exists for 3s"), at(0),
			"At 2026-01-02T12:00:03Z: a:NoExecute (taint 0) of device 0, tolerated for 3 s"},
		{"G8_negative", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 3s", "a:NoExecute for -9s"), at(0),
			"Due 2026-01-02T12:00:00Z: a:NoExecute (taint 0) of device 0, tolerated for 0 s"},
		{"G8_earliest_taint", device.Taints{timed("a:NoExecute", noon), timed("b:NoExecute", at(-60))}, tolerations("a:NoExecute for 3s", "b:NoExecute for 62s"), at(0),
			"At 2026-01-02T12:00:02Z: b:NoExecute (taint 1) of device 0, tolerated for 62 s"},
		{"G8_no_time_added", taints("a:NoExecute"), tolerations("a:NoExecute for 3s"), at(1),
			"Due 2026-01-02T12:00:01Z: a:NoExecute (taint 0) of device 0, tolerated for 3 s"},
		{"G8_no_time_added_permanently", taints("a:NoExecute"), tolerations("a:NoExecute for 3s", "a:NoExecute"), at(1), "Never"},
		{"G8_exact", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 9223372037s"), at(0),
			"At 2318-04-14T11:47:17Z: a:NoExecute (taint 0) of device 0, tolerated for 9223372037 s"},
		{"G8_far", device.Taints{timed("a:NoExecute", time.Unix(0, 0))}, tolerations("a:NoExecute for 135536078568729600s"), at(0), // the year overflows to 2026 in 32 bits
			"At @135536078568729600: a:NoExecute (taint 0) of device 0, tolerated for 135536078568729600 s"},
		{"G8_overflow", device.Taints{timed("a:NoExecute", noon)}, tolerations("a:NoExecute for 9223372036854775807s"), at(0), "Never"},
		{"G13_zero", device.Taints{{}}, nil, at(0), "Never"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := device.Allocated{Device: device.Device{Taints: tt.taints}, Tolerations: tt.tolerations}
			if got := device.Decide(tt.now, nil, a); got.String() != tt.want {
				t.Errorf("Decide = %v, want %s", got, tt.want)
			}
		})
	}
	t.Run("G8_latest_time", func(t *testing.T) {
		last := time.Unix(math.MaxInt64, 0)
		a := device.Allocated{Device: device.Device{Taints: taints("a:NoExecute")}, Tolerations: tolerations("a:NoExecute for 0s")}
		if d := device.Decide(last, nil, a); d.Kind != eviction.Due || !d.Deadline.Equal(last) {
			t.Errorf("Decide = %v", d)
		}
	})
	t.Run("G8_earliest_device", func(t *testing.T) {
		one := device.Taints{timed("a:NoExecute", noon)}
		d := device.Decide(noon, nil,
			device.Allocated{Device: device.Device{Taints: one}, Tolerations: tolerations("a:NoExecute for 9s")},
			device.Allocated{Device: device.Device{Taints: one}, Tolerations: tolerations("a:NoExecute for 3s")},
			device.Allocated{Device: device.Device{Taints: one}, Tolerations: tolerations("a:NoExecute for 3s")})
		if d.Kind != eviction.At || d.Deadline != at(3) || d.Device != 1 {
			t.Errorf("Decide = %v", d)
		}
	})
	t.Run("G9_without_a_slice", func(t *testing.T) {
		gone := device.Allocated{Device: device.Device{ID: device.ID{Driver: "gpu"}}}
		rules := []device.TaintRule{{Taint: timed("b:NoExecute", noon)}, {Selector: &device.TaintSelector{Driver: "gpu"}, Taint: timed("a:NoExecute", noon)}}
		if d := device.Decide(noon, rules, gone); d.Kind != eviction.Due || !d.Rule || d.Index != 1 {
			t.Errorf("Decide = %v", d)
		}
	})
}

func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		name, taint string
		eviction    bool
		tolerations device.Tolerations
		want        string
	}{
		{"G12_first", "ecc=3:NoExecute", false, tolerations("=3 for 9s", "op=Exists"), `ecc=3:NoExecute is tolerated by "=3 for 9s"`},
		{"G12_deciding", "ecc=3:NoExecute", true, tolerations("=3:NoExecute for 9s", "ecc:NoExecute op=Exists for -5s"), `ecc=3:NoExecute is tolerated for 0 s by "ecc:NoExecute op=Exists for -5s"`},
		{"G12_effect_counts_more", "ecc=3:NoExecute", false, tolerations("ecc=3:NoSchedule", "ecc=4:NoExecute"),
			`ecc=3:NoExecute is not tolerated: "ecc=4:NoExecute" has another value; to add: "ecc=3:NoExecute op=Equal"`},
		{"G12_value_counts", "ecc=3:NoExecute", false, tolerations("ecc=4:NoSchedule", "ecc=3:NoSchedule"),
			`ecc=3:NoExecute is not tolerated: "ecc=3:NoSchedule" has another effect; to add: "ecc=3:NoExecute op=Equal"`},
		{"G7_eviction", "ecc=3:NoExecute", true, tolerations("op=Exists"),
			`ecc=3:NoExecute is not tolerated: "op=Exists" does not have the effect NoExecute; to add: "ecc=3:NoExecute op=Equal"`},
		{"G12_other_key", "ecc=3:NoExecute", false, tolerations("hot"), `ecc=3:NoExecute is not tolerated: no toleration has its key; to add: "ecc=3:NoExecute op=Equal"`},
		{"G12_invalid", "ecc=3:NoExecute", false, append(tolerations("ecc=4"), device.Toleration{}), `ecc=3:NoExecute is not tolerated: toleration 1 is invalid; to add: "ecc=3:NoExecute op=Equal"`},
		{"G4_None", "ecc:None", false, nil, `ecc:None does not prevent an allocation`},
		{"G4_unknown", "ecc:Future", true, tolerations("op=Exists"), `ecc:Future does not evict`},
		{"G4_unknown_tolerated", "ecc:Future", false, tolerations("op=Exists"), `ecc:Future is tolerated by "op=Exists"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := device.Explain
			if tt.eviction {
				f = device.ExplainEviction
			}
			if got := f(taints(tt.taint)[0], tt.tolerations).String(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	t.Run("G12_no_addition", func(t *testing.T) {
		for _, e := range []device.Explanation{
			device.Explain(device.MustParseTaint("ecc:None"), nil), device.ExplainEviction(device.MustParseTaint("ecc:NoSchedule"), nil),
		} {
			if u := e.Addition(); !u.IsZero() || e.Blocks() {
				t.Errorf("%v: addition %v, blocks %v", e, u, e.Blocks())
			}
		}
	})
	t.Run("G13_zero", func(t *testing.T) {
		e := device.Explain(device.Taint{}, tolerations("op=Exists"))
		if e.Miss != match.InvalidTaint || !e.Blocks() || e.String() != "(invalid taint) is not tolerated: no toleration matches it" {
			t.Errorf("%v, blocks: %v", e, e.Blocks())
		}
		if e = device.ExplainEviction(device.Taint{}, nil); e.Blocks() || e.String() != "(invalid taint) does not evict" {
			t.Errorf("%v, blocks: %v", e, e.Blocks())
		}
	})
}

func TestTaints_Validate(t *testing.T) {
	var many device.Taints
	for i := range 17 {
		many = append(many, device.MustParseTaint(fmt.Sprintf("k=%d:None", i)))
	}
	future := taints("a:None,a:Future")
	for _, tt := range []struct {
		name   string
		l, old device.Taints
		want   []string
	}{
		{"G5_none", nil, nil, nil},
		{"G5_repeated", taints("a:None,a:None,a=1:None"), nil, nil},
		{"G5_16", many[:16], nil, nil},
		{"G5_17", many, nil, []string{"taints TooManyTaints"}},
		{"G5_17_unchanged", many, slices.Clone(many), nil},
		{"G4_unknown", future, nil, []string{"taints[1].effect NameUnknown"}},
		{"G4_unknown_unchanged", future, slices.Clone(future), nil},
		{"G4_unknown_moved", device.Taints{future[1], future[0]}, future, []string{"taints[0].effect NameUnknown"}},
		{"G13_zero", device.Taints{{}}, device.Taints{{}}, []string{"taints[0] ZeroValue"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.l.Validate(tt.old); !slices.Equal(contract.Reports(err), tt.want) {
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
