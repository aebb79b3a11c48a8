package lint

import "github.com/go-tolerate/tolerate/internal/enum"

// A Check identifies a kind of mistake. Its text, such as "never-matches", never changes;
// numbers, severities and the result of Doc may.
type Check uint8

const (
	// NeverMatches (error): the toleration matches no valid taint.
	NeverMatches Check = iota + 1
	// SuppressesDefault (error): because of the toleration the pod does not get a
	// default toleration, and the list does not tolerate the default's taint.
	SuppressesDefault
	// Shadowed (warning): earlier ones match all taints that the toleration
	// matches, some of them for another time.
	Shadowed
	// Redundant (info): without the toleration the list means the same.
	Redundant
	// ToleratesEverything (warning): the list tolerates every taint.
	ToleratesEverything
	// OpenToEveryNode (info): the list tolerates every NoSchedule and NoExecute
	// taint.
	OpenToEveryNode
	// EqualEmptyValue (warning): the toleration matches only the empty value.
	EqualEmptyValue
	// OutdatedKey (warning): Kubernetes no longer uses the key. It is an info if
	// the list tolerates the new key.
	OutdatedKey
	// NoTime (warning): the taint is tolerated for 0 seconds or less.
	NoTime
	// NeedsFeatureGate (info): the operator is Lt or Gt, which a cluster rejects by
	// default.
	NeedsFeatureGate
	// TooLong (info): the list is too long for Shadowed and Redundant.
	TooLong
)

// Checks returns all checks in order.
func Checks() []Check {
	all := make([]Check, 0, len(checks)-1)
	for c := NeverMatches; c.known(); c++ {
		all = append(all, c)
	}
	return all
}

func (c Check) known() bool { return 0 < c && int(c) < len(checks) }

// Severity returns the highest severity of its findings.
func (c Check) Severity() Severity {
	if c.known() {
		return checks[c].severity
	}
	return 0
}

// Doc returns a summary line, an empty line and a description.
func (c Check) Doc() string {
	if c.known() {
		return checks[c].doc
	}
	return ""
}

func (c Check) String() string { return enum.String(c, "lint.Check", checkNames) }

func (c Check) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, c, "lint.Check", checkNames)
}

func (c *Check) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(c, text, "lint.Check", checkNames)
}

// A Severity is how severe a finding is; a greater one is worse.
type Severity uint8

const (
	// Info: this may be intended.
	Info Severity = iota + 1
	// Warning: this is probably a mistake.
	Warning
	// Error: the toleration does not do what it says.
	Error
)

var severityNames = []string{"", "info", "warning", "error"}

func (s Severity) String() string { return enum.String(s, "lint.Severity", severityNames) }

func (s Severity) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, s, "lint.Severity", severityNames)
}

func (s *Severity) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(s, text, "lint.Severity", severityNames)
}

// checkNames is indexed by the constants.
var checkNames = []string{
	"",
	"never-matches",
	"suppresses-default",
	"shadowed",
	"redundant",
	"tolerates-everything",
	"open-to-every-node",
	"equal-empty-value",
	"outdated-key",
	"no-time",
	"needs-feature-gate",
	"too-long",
}

var checks = [...]struct {
	severity Severity
	doc      string
}{
	NeverMatches: {Error, `the toleration matches no valid taint

A number on a taint is between 0 and 9223372036854775807. Lt matches taints whose number is less than that of the toleration, and Gt matches taints whose number is greater. So Lt with a number of 0 or less matches no taint, nor does Gt with the greatest number. Probably another number or the other operator was intended.

The fix removes the toleration.`},
	SuppressesDefault: {Error, `the toleration prevents a default toleration and does not match its taint

Kubernetes adds tolerations of node.kubernetes.io/not-ready and node.kubernetes.io/unreachable with the effect NoExecute for 300 seconds to every pod. It adds none for a key if the pod already has a toleration with this key and the effect NoExecute or no effect. The operator and the value of this toleration do not matter. But Kubernetes sets these taints without a value, so a toleration with a value or a number does not match them. The pod is then evicted as soon as its node fails.

The fix sets the operator to Exists, and keeps the effect and the seconds.`},
	Shadowed: {Warning, `earlier tolerations decide, so the seconds of this one have no effect

If several tolerations match a taint, the first of them in the list decides for how long it is tolerated. Earlier tolerations match all taints that this one matches, some of them for another time. So the list does not do what this toleration says. If its seconds are intended, move it before the others.

The fix removes the toleration, which does not change what the list means.`},
	Redundant: {Info, `other tolerations tolerate the same taints for the same time

Without this toleration, the list tolerates the same taints, each for the same time. It is a duplicate, or other tolerations cover it, one alone or several together. It does no harm. If tolerations cover each other, the last one is reported. A toleration that is needed until another one is removed is not reported before.

The fix removes the toleration.`},
	ToleratesEverything: {Warning, `the list tolerates every taint

A toleration with the operator Exists and neither a key nor an effect matches every taint. So do three tolerations together that have this operator and no key, one for each effect. The pod can be scheduled on every node, including control planes, nodes that are reserved for other pods, and failing nodes. It is not evicted by a taint unless a toleration has seconds. Agents that run on every node need this, so kubectl tolerate lint skips this check for DaemonSets, and for pods whose controller is a DaemonSet or a Node. Other pods should name the keys that they tolerate.`},
	OpenToEveryNode: {Info, `the list tolerates every NoSchedule and NoExecute taint

The pod can be scheduled on every node, and is not evicted by a taint unless a toleration has seconds. Only PreferNoSchedule taints can be untolerated, and these do not prevent scheduling. Agents that run on every node need this: this check is skipped together with tolerates-everything.`},
	EqualEmptyValue: {Warning, `the toleration matches only the empty value, where Exists was probably intended

Without an operator, a toleration has the operator Equal. Without a value, it then matches only taints without a value. Most taints have one, such as nvidia.com/gpu=present and dedicated=team, so the pod cannot be scheduled on the nodes that it is meant for. Exists matches a taint with any value or none. Keys whose taints have no value are not reported: those under node.kubernetes.io/ and node-role.kubernetes.io/, and some others. A toleration is not reported if another one in the list has the same key and a value.

The fix sets the operator to Exists.`},
	OutdatedKey: {Warning, `Kubernetes no longer uses the key of the toleration

No maintained version of Kubernetes sets taints with this key. Another key replaced it: for example, node.kubernetes.io/not-ready replaced node.alpha.kubernetes.io/notReady. The toleration has no effect in a current cluster. The finding is an info if another toleration in the list matches the new taint, because this one may then be intended for old clusters. Otherwise it is a warning.

The fix replaces the key, or removes the toleration if the new taint is already tolerated.`},
	NoTime: {Warning, `the taint is tolerated for 0 seconds or less

The pod can be scheduled on the node and is evicted at once, again and again. To keep the pod off the node, omit the toleration. With the keys node.kubernetes.io/not-ready and node.kubernetes.io/unreachable, 0 is not reported: if the toleration is omitted, Kubernetes adds one with 300 seconds, so 0 seconds can be intended. A negative number means 0 and is always reported.

For these two keys, the fix replaces a negative number by 0.`},
	NeedsFeatureGate: {Info, `the operator needs a feature gate that is off by default

The operators Lt and Gt need the feature gate TaintTolerationComparisonOperators of the API server and the scheduler. It exists from Kubernetes 1.35 on, and up to 1.37 it is off by default. An API server without it rejects the pod.`},
	TooLong: {Info, `the list is too long for shadowed and redundant

To find tolerations that are shadowed or redundant, all tolerations are compared with one another. This is done for up to 128, with the defaults of the namespace. All other checks are complete. No known workload has so many tolerations: probably a program repeats them, or a toleration without a key was intended.`},
}
