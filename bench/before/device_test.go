package before_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	olddevice "github.com/go-tolerate/before/match/device"
	oldtaint "github.com/go-tolerate/before/taint"
	oldtoleration "github.com/go-tolerate/before/toleration"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

type coded interface {
	json.Unmarshaler
	json.Marshaler
	UnmarshalYAML(func(any) error) error
}

// codecs returns an empty value of each type that is read, and its predecessor.
func codecs() [][2]coded {
	return [][2]coded{
		{new(taint.Taint), new(oldtaint.Taint)}, {new(taint.List), new(oldtaint.List)},
		{new(toleration.Toleration), new(oldtoleration.Toleration)}, {new(toleration.List), new(oldtoleration.List)},
		{new(device.Taint), new(olddevice.Taint)}, {new(device.Taints), new(olddevice.Taints)},
		{new(device.Toleration), new(olddevice.Toleration)}, {new(device.Tolerations), new(olddevice.Tolerations)},
	}
}

// result is what is read, or the error.
func result(v json.Marshaler, err error) string {
	if err != nil {
		return err.Error()
	}
	data, err := v.MarshalJSON()
	return fmt.Sprint(string(data), err)
}

// yamlOf passes the tree of a JSON text, as a YAML library does where it can.
func yamlOf(data string) func(any) error {
	return func(to any) error { return json.Unmarshal([]byte(data), to) }
}

func readsAlike(t *rapid.T, data string) {
	for _, v := range codecs() {
		call := fmt.Sprintf("%T %q", v[0], data)
		same(t, call+" JSON", result(v[0], v[0].UnmarshalJSON([]byte(data))), result(v[1], v[1].UnmarshalJSON([]byte(data))))
	}
	for _, v := range codecs() {
		call := fmt.Sprintf("%T %q", v[0], data)
		if now, ok := v[0].(encoding.BinaryUnmarshaler); ok {
			before := v[1].(encoding.BinaryUnmarshaler)
			same(t, call+" binary", result(v[0], now.UnmarshalBinary([]byte(data))), result(v[1], before.UnmarshalBinary([]byte(data))))
			same(t, call+" YAML", result(v[0], v[0].UnmarshalYAML(yamlOf(data))), result(v[1], v[1].UnmarshalYAML(yamlOf(data))))
		}
		now, before := v[0].(encoding.TextUnmarshaler), v[1].(encoding.TextUnmarshaler)
		same(t, call+" text", result(v[0], now.UnmarshalText([]byte(data))), result(v[1], before.UnmarshalText([]byte(data))))
	}
	for _, strict := range []bool{false, true} {
		ps, warnings, err := taint.Decode([]byte(data), taint.ListOptions{Strict: strict, AllowUnknown: len(data)%2 == 0})
		oldPs, oldWarnings, oldErr := oldtaint.Decode([]byte(data), oldtaint.ListOptions{Strict: strict, AllowUnknown: len(data)%2 == 0})
		same(t, "taint.Decode "+data, fmt.Sprint(ps, warnings, err), fmt.Sprint(oldPs, oldWarnings, oldErr))
		us, warnings, err := toleration.Decode([]byte(data), toleration.ListOptions{Strict: strict, NumericOff: len(data)%2 == 0})
		oldUs, oldWarnings, oldErr := oldtoleration.Decode([]byte(data), oldtoleration.ListOptions{Strict: strict, NumericOff: len(data)%2 == 0})
		same(t, "toleration.Decode "+data, fmt.Sprint(us, warnings, err), fmt.Sprint(oldUs, oldWarnings, oldErr))
	}
}

func TestCodecs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.OneOf(gen.TaintJSON(), gen.TolerationJSON(), rapid.SampledFrom([]string{"null", `""`, `"a:NoExecute"`, `"a:Future"`, `"=x"`, "3", "[]"}))
		data := object.Draw(t, "object")
		if rapid.Bool().Draw(t, "list") {
			data = "[" + strings.Join(rapid.SliceOfN(object, 0, 4).Draw(t, "objects"), ",") + "]"
		}
		if rapid.IntRange(0, 3).Draw(t, "damage") == 0 {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			data = data[:at] + rapid.SampledFrom([]string{"", "x", `"`, `\`, "}", ",", "\xff", "\x01", " "}).Draw(t, "by") + data[at+1:]
		}
		readsAlike(t, data)
		readsAlike(t, gen.DeviceTaints().Draw(t, "taints").String())
		readsAlike(t, gen.DeviceTolerations().Draw(t, "tolerations").String())
	})
	for _, in := range hostile() {
		for _, list := range []json.Marshaler{in.taints, in.tolerations} {
			data, _ := list.MarshalJSON()
			for _, v := range codecs() {
				bounded(t, fmt.Sprintf("%s %T", in.name, v[0]), 300<<20, func() { _ = v[0].UnmarshalJSON(data) })
			}
		}
	}
	deep := []byte(strings.Repeat("[{\"x\":", 250_000))
	bounded(t, "deep", 300<<20, func() { _ = new(device.Taints).UnmarshalJSON(deep) })
}

// oldJSON reads into a value of the copy what the present one is written as.
func oldJSON[T any](v any) (old T) {
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &old)
	}
	if err != nil {
		panic(err)
	}
	return old
}

func oldDeviceTaints(l device.Taints) (old olddevice.Taints) {
	for _, t := range l {
		old = append(old, oldJSON[olddevice.Taint](t))
	}
	return old
}

func oldDeviceTolerations(l device.Tolerations) (old olddevice.Tolerations) {
	for _, u := range l {
		old = append(old, oldJSON[olddevice.Toleration](u))
	}
	return old
}

func TestDevice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now, rules, used := gen.Time().Draw(t, "now"), gen.DeviceRules().Draw(t, "rules"), gen.Allocated().Draw(t, "used")
		var oldRules []olddevice.Rule
		for _, r := range rules {
			oldRules = append(oldRules, olddevice.Rule{Selector: (*olddevice.Selector)(r.Selector), Taint: oldJSON[olddevice.Taint](r.Taint)})
			same(t, "Rule.Validate", r.Validate(nil), oldRules[len(oldRules)-1].Validate(nil))
		}
		var oldUsed []olddevice.Allocated
		for _, a := range used {
			old := olddevice.Allocated{
				Device:      olddevice.Device{ID: olddevice.ID(a.Device.ID), Taints: oldDeviceTaints(a.Device.Taints)},
				Tolerations: oldDeviceTolerations(a.Tolerations),
			}
			oldUsed = append(oldUsed, old)
			same(t, "Allocatable", a.Device.Allocatable(rules, a.Tolerations), old.Device.Allocatable(oldRules, old.Tolerations))
			same(t, "Validate", a.Device.Taints.Validate(nil), old.Device.Taints.Validate(nil))
			for i, one := range a.Device.Taints {
				oldOne := old.Device.Taints[i]
				same(t, "String", one, oldOne)
				e, oldE := device.Explain(one, a.Tolerations), olddevice.Explain(oldOne, old.Tolerations)
				same(t, "Explain", []any{e, e.Taint, e.Class, e.Miss, e.Toleration, e.Index, e.Addition()},
					[]any{oldE, oldE.Taint, oldE.Class, oldE.Miss, oldE.Toleration, oldE.Index, oldE.Addition()})
				e, oldE = device.ExplainEviction(one, a.Tolerations), olddevice.ExplainEviction(oldOne, old.Tolerations)
				same(t, "ExplainEviction", []any{e, e.Taint, e.Class, e.Miss, e.Toleration, e.Index, e.Addition()},
					[]any{oldE, oldE.Taint, oldE.Class, oldE.Miss, oldE.Toleration, oldE.Index, oldE.Addition()})
			}
			for i, u := range a.Tolerations {
				for j, one := range a.Device.Taints {
					same(t, "Tolerates", u.Tolerates(one), old.Tolerations[i].Tolerates(old.Device.Taints[j]))
				}
			}
		}
		d, oldD := device.Decide(now, rules, used...), olddevice.Decide(now, oldRules, oldUsed...)
		same(t, "Decide", []any{d, d.Kind, d.Deadline, d.Device, d.Rule, d.Index, d.Taint, d.Toleration},
			[]any{oldD, oldD.Kind, oldD.Deadline, oldD.Device, oldD.Source.Rule, oldD.Source.Index, oldD.Taint, oldD.Toleration})
	})
	for _, in := range hostile() {
		var a device.Allocated
		for _, one := range in.taints[:min(2000, len(in.taints))] { // more than a device may have
			v, _ := device.TaintFrom(one.Key(), one.Value(), "NoExecute")
			a.Device.Taints = append(a.Device.Taints, v)
		}
		bounded(t, in.name+" Decide", 1<<20, func() { device.Decide(gen.Time().Example(1), nil, a) })
	}
	for _, data := range []string{`{"driver":"","pool":3,"other":{}}`, `{"deviceSelector":{"pool":""},"taint":{"key":"a"},"x":1}`, `{"taint":null}`, `{}`, "null", "["} {
		var old olddevice.Rule
		var oldSelector olddevice.Selector
		renamed := strings.NewReplacer("device.Rule.", "device.TaintRule.", "device.Selector.", "device.TaintSelector.")
		same(t, "TaintRule "+data, new(device.TaintRule).UnmarshalJSON([]byte(data)), renamed.Replace(fmt.Sprint(old.UnmarshalJSON([]byte(data)))))
		same(t, "TaintSelector "+data, new(device.TaintSelector).UnmarshalJSON([]byte(data)), renamed.Replace(fmt.Sprint(oldSelector.UnmarshalJSON([]byte(data)))))
	}
}
