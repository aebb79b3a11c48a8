package taint

import (
	"strconv"

	"github.com/go-tolerate/tolerate/validate"
)

// An Effect is what a taint does to pods that do not tolerate it. The zero
// Effect stands for an absent one, which a toleration may have (it matches
// all three) and a taint may not.
//
// As text it is its name; the zero Effect is the empty text.
type Effect uint8

const (
	// NoSchedule keeps new pods away; running ones stay.
	NoSchedule Effect = iota + 1
	// PreferNoSchedule keeps new pods away where there is a better node.
	PreferNoSchedule
	// NoExecute keeps new pods away and evicts running ones.
	NoExecute
)

var (
	effectNames = []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	cloudNames  = []string{"NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE"}
)

// ParseEffect returns the effect of that name, which is case-sensitive. On an
// error, which lists the names, it returns 0. It does not allocate when the
// name is known.
func ParseEffect(name string) (Effect, error) {
	return parseEffect(name, effectNames, "taint.ParseEffect")
}

// ParseCloudEffect returns the effect that the node-pool APIs of cloud
// providers (EKS, GKE, Terraform's resources for them) spell NO_SCHEDULE,
// PREFER_NO_SCHEDULE or NO_EXECUTE. Kubernetes' own spellings are errors here,
// as these are everywhere else. It does not allocate when the name is known.
func ParseCloudEffect(name string) (Effect, error) {
	return parseEffect(name, cloudNames, "taint.ParseCloudEffect")
}

func parseEffect(name string, names []string, caller string) (Effect, error) {
	for i, n := range names {
		if n == name {
			return Effect(i + 1), nil
		}
	}
	return 0, validate.Problems{{Func: caller, Input: name, Value: name, Rule: validate.EffectUnknown, Allowed: names}}
}

// knownEffect is ParseEffect for callers that tell the problem themselves.
func knownEffect(name string) (e Effect, ok bool) {
	switch name {
	case "NoSchedule":
		return NoSchedule, true
	case "PreferNoSchedule":
		return PreferNoSchedule, true
	case "NoExecute":
		return NoExecute, true
	}
	return 0, false
}

// IsValid reports whether e is one of the three effects.
func (e Effect) IsValid() bool { return NoSchedule <= e && e <= NoExecute }

// String returns the effect's name, "" for the zero Effect. It does not
// allocate for these.
func (e Effect) String() string { return e.name(effectNames) }

// CloudString returns the name that [ParseCloudEffect] reads, "" for the zero
// Effect. It does not allocate for these.
func (e Effect) CloudString() string { return e.name(cloudNames) }

func (e Effect) name(names []string) string {
	switch {
	case e == 0:
		return ""
	case e.IsValid():
		return names[e-1]
	}
	return "Effect(" + strconv.Itoa(int(e)) + ")"
}

// AppendText appends the effect's name to b. It fails on a number that is no
// effect, and returns b unchanged.
func (e Effect) AppendText(b []byte) ([]byte, error) {
	return e.appendText("taint.Effect.AppendText", b)
}

// MarshalText returns the effect's name, and fails as AppendText does.
func (e Effect) MarshalText() ([]byte, error) { return e.appendText("taint.Effect.MarshalText", nil) }

func (e Effect) appendText(caller string, b []byte) ([]byte, error) {
	if e > NoExecute {
		return b, validate.Problems{{Func: caller, Value: e.String(), Rule: validate.EffectUnknown, Allowed: effectNames}}
	}
	return append(b, e.String()...), nil
}

// UnmarshalText sets e to the effect of that name; empty text gives the zero
// Effect. On an error e is unchanged.
func (e *Effect) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*e = 0
		return nil
	}
	parsed, err := parseEffect(string(text), effectNames, "taint.Effect.UnmarshalText")
	if err == nil {
		*e = parsed
	}
	return err
}
