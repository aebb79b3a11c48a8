package gen

import (
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match/device"
)

var deviceEffects = []string{"NoExecute", "NoExecute", "NoExecute", "NoSchedule", "NoSchedule", "None", "Future", "PreferNoSchedule"}

// DeviceTaint makes valid taints of devices, some with an effect that is unknown; two
// thirds have a time added.
func DeviceTaint() *rapid.Generator[device.Taint] {
	return rapid.Custom(func(t *rapid.T) device.Taint {
		effect := rapid.SampledFrom(deviceEffects).Draw(t, "effect")
		text := rapid.SampledFrom(keys).Draw(t, "key") + "=" + rapid.SampledFrom(words).Draw(t, "value") + ":" + effect
		var made device.Taint
		if err := made.UnmarshalText([]byte(text)); err != nil {
			panic(err)
		}
		if !oneIn(t, 3, "untimed") {
			made = problem.Must(made.WithTimeAdded(Time().Draw(t, "time")))
		}
		return made
	})
}

// DeviceToleration makes valid tolerations of devices' taints. A third of them have no
// key, and half have seconds.
func DeviceToleration() *rapid.Generator[device.Toleration] {
	return rapid.Custom(func(t *rapid.T) device.Toleration {
		key, value := "", ""
		if !oneIn(t, 3, "keyless") {
			key = rapid.SampledFrom(keys).Draw(t, "key")
		}
		op := rapid.SampledFrom([]string{"", "Equal", "Exists", "Exists"}).Draw(t, "operator")
		if op != "Exists" {
			value = rapid.SampledFrom(words).Draw(t, "value")
		}
		effect := rapid.SampledFrom([]string{"NoExecute", "NoExecute", "", "NoSchedule", "None"}).Draw(t, "effect")
		var seconds *int64
		if oneIn(t, 2, "timed") {
			n := Seconds().Draw(t, "seconds")
			seconds = &n
		}
		return problem.Must(device.TolerationFrom(key, op, value, effect, seconds))
	})
}

// DeviceTaints and DeviceTolerations make lists, some with a zero value.
func DeviceTaints() *rapid.Generator[device.Taints] {
	return ListOf[device.Taints](orZero(DeviceTaint()), 0, MaxList/2)
}

// DeviceTolerations is described at DeviceTaints.
func DeviceTolerations() *rapid.Generator[device.Tolerations] {
	return ListOf[device.Tolerations](orZero(DeviceToleration()), 0, MaxList/2)
}

// DeviceRules makes rules, some without a selector.
func DeviceRules() *rapid.Generator[[]device.TaintRule] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) device.TaintRule {
		var r device.TaintRule
		if !oneIn(t, 4, "unselective") {
			selector := device.TaintSelector(deviceID(t))
			r.Selector = &selector
		}
		r.Taint = orZero(DeviceTaint()).Draw(t, "taint")
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
			Device:      device.Device{ID: deviceID(t), Taints: DeviceTaints().Draw(t, "taints")},
			Tolerations: DeviceTolerations().Draw(t, "tolerations"),
		}
	}), 0, 3)
}
