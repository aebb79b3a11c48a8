package taint

import (
	"slices"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

// An Effect is what a taint does to pods that do not tolerate it.
type Effect uint8

const (
	// NoSchedule prevents new pods from being scheduled to the node.
	NoSchedule Effect = iota + 1
	// PreferNoSchedule lowers the node's score for new pods. They can still be scheduled to it.
	PreferNoSchedule
	// NoExecute does what NoSchedule does, and evicts pods that run on the node.
	NoExecute
)

var (
	effectNames = value.EffectNames[1:] // what an error lists
	cloudNames  = []string{"", "NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE"}
)

const effectType = "taint.Effect"

// ParseCloudEffect returns the effect that cloud providers call NO_SCHEDULE,
// PREFER_NO_SCHEDULE or NO_EXECUTE.
func ParseCloudEffect(name string) (Effect, error) {
	if i := slices.Index(cloudNames, name); i > 0 {
		return Effect(i), nil
	}
	const caller = "taint.ParseCloudEffect"
	return 0, validate.Problems{{Func: caller, Input: name, Value: name, Rule: validate.NameUnknown, Allowed: cloudNames[1:]}}
}

// IsValid reports whether e is one of the three effects.
func (e Effect) IsValid() bool { return NoSchedule <= e && e <= NoExecute }

func (e Effect) String() string { return enum.String(e, effectType, value.EffectNames) }

func (e Effect) AppendText(b []byte) ([]byte, error) {
	return enum.AppendText(b, e, effectType, value.EffectNames)
}

func (e Effect) MarshalText() ([]byte, error) { return e.AppendText(nil) }

func (e *Effect) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(e, text, effectType, value.EffectNames)
}
