package gen

import (
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match/device"
)

// deviceTaint makes valid taints of devices, some with an effect that is unknown, and
// sometimes the zero one. Two thirds have a time added.
func deviceTaint() *rapid.Generator[device.Taint] {
	effects := []string{"NoExecute", "NoExecute", "NoExecute", "NoSchedule", "NoSchedule", "None", "Future", "PreferNoSchedule"}
	return orZero(rapid.Custom(func(t *rapid.T) device.Taint {
		effect := rapid.SampledFrom(effects).Draw(t, "effect")
		text := Key().Draw(t, "key") + "=" + rapid.SampledFrom(words).Draw(t, "value") + ":" + effect
		var made device.Taint
		if err := made.UnmarshalText([]byte(text)); err != nil {
			panic(err)
		}
		if !oneIn(t, 3, "untimed") {
			made = problem.Must(made.WithTimeAdded(Time().Draw(t, "time")))
		}
		return made
	}))
}

// deviceToleration makes valid tolerations of devices' taints, and sometimes the zero
// one. A third have no key, and half have seconds.
func deviceToleration() *rapid.Generator[device.Toleration] {
	return orZero(rapid.Custom(func(t *rapid.T) device.Toleration {
		key, value := "", ""
		if !oneIn(t, 3, "keyless") {
			key = Key().Draw(t, "key")
		}
		op := rapid.SampledFrom([]string{"", "Equal", "Exists", "Exists"}).Draw(t, "operator")
		if op != "Exists" {
			value = rapid.SampledFrom(words).Draw(t, "value")
		}
		effect := rapid.SampledFrom([]string{"NoExecute", "NoExecute", "", "NoSchedule", "None"}).Draw(t, "effect")
		return problem.Must(device.TolerationFrom(key, op, value, effect, rapid.Ptr(Seconds(), true).Draw(t, "seconds")))
	}))
}

// DeviceRules makes rules, some without a selector.
func DeviceRules() *rapid.Generator[[]device.TaintRule] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) device.TaintRule {
		var r device.TaintRule
		if !oneIn(t, 4, "unselective") {
			selector := device.TaintSelector(deviceID(t))
			r.Selector = &selector
		}
		r.Taint = deviceTaint().Draw(t, "taint")
		return r
	}), 0, 4)
}

// deviceID draws an id whose parts may be empty.
func deviceID(t *rapid.T) device.ID {
	names := rapid.SampledFrom([]string{"", "x", "y"})
	return device.ID{Driver: names.Draw(t, "driver"), Pool: names.Draw(t, "pool"), Device: names.Draw(t, "device")}
}

// Allocated makes the devices of a pod, with few ids.
func Allocated() *rapid.Generator[[]device.Allocated] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) device.Allocated {
		return device.Allocated{
			Device:      device.Device{ID: deviceID(t), Taints: rapid.SliceOfN(deviceTaint(), 0, MaxList/2).Draw(t, "taints")},
			Tolerations: rapid.SliceOfN(deviceToleration(), 0, MaxList/2).Draw(t, "tolerations"),
		}
	}), 0, 3)
}
