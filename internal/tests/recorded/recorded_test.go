package recorded

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recording has as many cases as its header states.
func TestRead(t *testing.T) {
	const header, other = `{"format":1,"cases":{"k":2}}`, `{"kind":"other","rules":[]}`
	const c = `{"kind":"k","rules":["V1"],"case":{}}`
	for _, tt := range []struct {
		kind string
		want int // -1 for an error
		in   []string
	}{
		{"k", 2, []string{header, c, other, c}},
		{"k", -1, []string{header, c, other}},
		{"k", -1, []string{header, c, c, c}},
		{"other", -1, []string{header, c, other, c}},
		{"k", -1, []string{`{"format":2,"cases":{"k":2}}`, c, c}},
		{"k", -1, nil},
	} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, strings.Join(tt.in, "\n")) // to memory
		z.Close()
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		_, lines, err := read(name, tt.kind)
		if (err != nil) != (tt.want < 0) || err == nil && len(lines) != tt.want {
			t.Errorf("%q: %d lines, %v; want %d", tt.in, len(lines), err, tt.want)
		}
	}
	if _, _, err := read(filepath.Join(t.TempDir(), "f"), "k"); err == nil {
		t.Error("a missing file is read")
	}
}

func TestRules(t *testing.T) {
	n := int64(5)
	tnt := func(key, value, effect string) Taint { return Taint{Key: key, Value: value, Effect: effect} }
	a := tnt("a", "7", "NoExecute")
	for _, tt := range []struct {
		want, kind string
		c          any
	}{
		{"M1", "match", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Key: "a", Operator: "Exists", Effect: "NoSchedule"}}}},
		{"M1 M2", "match", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Key: "b", Operator: "Exists", Effect: "NoExecute"}}}},
		{"M1 M2 M3 M7", "match", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Operator: "Exists", Effect: "NoExecute", Seconds: &n}}}},
		{"M1 M2 M4", "match", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Key: "a", Value: "8"}}}},
		{"M1 M2 M4 M8", "match", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Value: "8"}}, InvalidTolerations: []int{0}}},
		{"M1 M2 M5 M9", "match", Match{Taints: []Taint{a}, Tolerations: []Toleration{{Key: "a", Operator: "Gt", Value: "-6"}}, On: "1"}},
		{"M1 M2 M6 M9", "match", Match{Taints: []Taint{tnt("a", "07", "NoSchedule")}, Tolerations: []Toleration{{Key: "a", Operator: "Lt", Value: "8"}}, On: "0"}},
		{"F6", "filter", Filter{Tolerations: []Toleration{{Operator: "Exists"}}, First: First{-1, -1, -1, -1}}},
		{"F1 F2 F3 F4 F6 M1 M2", "filter", Filter{Taints: []Taint{a, tnt("a", "", "NoSchedule")}, Tolerations: []Toleration{{Key: "b"}}}},
		{"E3 F1 F3 F7 M1 M2 M3", "filter", Filter{Taints: []Taint{a}, Tolerations: []Toleration{{Operator: "Exists"}}, First: First{-1, -1, -1, -1}, Serving: []int{0}}},
		{"E1", "evict", Evict{Taints: []Taint{tnt("a", "", "NoSchedule")}, Tolerations: []Toleration{{Key: "a"}}}},
		{"E1 M1 M2", "evict", Evict{Taints: []Taint{a}, Tolerations: []Toleration{{Key: "b"}}}},
		{"E2 E3 E4 E6 E7 M1 M2 M3 M4 M7", "evict", Evict{
			Taints:      []Taint{a, tnt("b", "", "NoExecute")},
			Tolerations: []Toleration{{Operator: "Exists", Seconds: &n}, {Key: "a", Value: "7"}}, Differences: []string{"E7-overflow"},
		}},
		{"E4 E8 M1 M2 M3 M7", "history", History{Tolerations: []Toleration{{Operator: "Exists", Seconds: &n}}, Steps: []Step{{Taints: []Taint{a}}}}},
		{"E4 E5 E6 E8 M1", "history", History{Steps: []Step{{Taints: []Taint{a}}, {Tolerations: []Toleration{{Key: "a", Effect: "NoSchedule"}}}}, Evicted: &n}},
		{"G3 G13", "match-device", DeviceMatch{Taints: []Taint{a}, InvalidTaints: []int{0}}},
		{"G1 G2 G4", "validate-device", DeviceValidate{Taints: []Taint{tnt("a", "", "x")}}},
		{"G3 G4 G6", "allocate-device", DeviceAllocate{Devices: []Device{{Taints: []Taint{tnt("a", "", "x")}}}}},
		{"G3 G7 G8 G9", "evict-device", DeviceEvict{Rules: []DeviceRule{{Taint: a}}}},
		{"V10", "validate", Validate{}},
		{"V1 V3 V5 V7 V10 V11", "validate", Validate{Tolerations: []Toleration{{Key: "a", Operator: "Lt"}}}},
		{"V1 V2 V4 V5 V7 V9 V10", "update", Update{New: []Toleration{{Key: "a", Value: "b", Effect: "x"}}}},
		{"V1 V4 V6 V8 V10", "validate-taints", ValidateTaints{Taints: []Taint{tnt("a", "", "x"), tnt("a", "", "x")}}},
		{"K4 V1 V5 V7 V10", "decode", Decode[Toleration]{Text: `[{"key":"a","x":1}]`}},
		{"K4", "decode-taints", Decode[Taint]{Text: `[]`, Strict: true}},
		{"K1 V1 V4", "parse", Parse{Text: "a:x"}},
		{"K2 V1 V2 V4", "edit", Edit{Args: []string{"a-", "b=c:d-"}}},
		{"D1 D3 D4 D5 R2", "pod", Pod{Resources: []string{"a/b"}, Whitelist: make([]Toleration, 1)}},
		{"D1 D8 R2 R3", "pod", Pod{BestEffort: true, Class: make([]Toleration, 1)}},
		{"D1 D8 R2 R3", "pod", Pod{BestEffort: true, Class: []Toleration{}}},
		{"D1", "pod", Pod{BestEffort: true}},
	} {
		if got := rules(tt.kind, tt.c); strings.Join(got, " ") != tt.want {
			t.Errorf("%+v: %v, want %s", tt.c, got, tt.want)
		}
	}
}
