package disruption

import "github.com/go-tolerate/tolerate/internal/enum"

var stateNames = []string{"Normal", "PartialDisruption", "FullDisruption"}

// String returns the name of the constant.
func (s ZoneState) String() string { return enum.String(s, "disruption.ZoneState", stateNames) }

// MarshalText returns the name. Unknown numbers are errors.
func (s ZoneState) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, s, "disruption.ZoneState", stateNames)
}

// String returns region/name, or the one that is not empty. The text may change.
func (z Zone) String() string {
	if z.Region == "" || z.Name == "" {
		return z.Region + z.Name
	}
	return z.Region + "/" + z.Name
}
