package lint

import (
	"strings"

	"github.com/go-tolerate/tolerate/internal/enum"
)

// A Check identifies a kind of mistake. Its text, such as "never-matches", never changes;
// numbers, severities and the result of Doc may.
type Check uint8

const (
	NeverMatches        Check = iota + 1 // error: the toleration matches no valid taint
	SuppressesDefault                    // error: the pod does not get a default toleration, whose taint the list does not tolerate
	Shadowed                             // warning: earlier ones match all its taints, some of them for another time
	Redundant                            // info: without the toleration, the list means the same
	ToleratesEverything                  // warning: the list tolerates every taint
	OpenToEveryNode                      // info: the list tolerates every NoSchedule and NoExecute taint
	EqualEmptyValue                      // warning: the toleration matches only the empty value; an info for OpenShift's infra nodes
	OutdatedKey                          // warning: Kubernetes no longer uses the key; an info if the list tolerates the new key
	NoTime                               // warning: the taint is tolerated for 0 seconds or less
	UnexpectedValue                      // warning: taints with the key have no value; an info for keys of control planes
	OnlyMaster                           // info: the list tolerates the old taint of control planes, and not the new one
	SecondsLoop                          // info: the pod can return to the node from which it is evicted
	NeedsFeatureGate                     // info: the operator is Lt or Gt, which a cluster rejects by default
	TooLong                              // info: the list is too long for Shadowed and Redundant
)

// Checks returns all checks in order.
func Checks() []Check {
	all := make([]Check, len(checks)-1)
	for i := range all {
		all[i] = Check(i + 1)
	}
	return all
}

// Severity returns the highest severity of its findings.
func (c Check) Severity() Severity {
	if int(c) >= len(checks) {
		return 0
	}
	return checks[c].severity
}

// Doc returns a summary line, an empty line and a description.
func (c Check) Doc() string {
	if c == 0 || int(c) >= len(checks) {
		return ""
	}
	return strings.TrimSpace(checks[c].summary + "\n\n" + checks[c].text + "\n\n" + checks[c].fix)
}

func (c Check) String() string { return enum.String(c, "lint.Check", checkNames) }

func (c Check) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, c, "lint.Check", checkNames)
}

func (c *Check) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(c, text, "lint.Check", checkNames)
}

var checkNames = func() []string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.name
	}
	return names
}()

// A Severity is how severe a finding is; a greater one is worse.
type Severity uint8

const (
	Info    Severity = iota + 1 // this may be intended
	Warning                     // this is probably a mistake
	Error                       // the toleration does not do what it says
)

var severityNames = []string{"", "info", "warning", "error"}

func (s Severity) String() string { return enum.String(s, "lint.Severity", severityNames) }

func (s Severity) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, s, "lint.Severity", severityNames)
}

func (s *Severity) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(s, text, "lint.Severity", severityNames)
}
