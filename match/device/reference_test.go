package device_test

import (
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/match/device"
)

// The reference applies section G of SEMANTICS.md to plain text, one rule after the
// other. It shares no code with the functions that it tests.

type refTaint struct {
	key, value, effect string
	added              time.Time
}

type refToleration struct {
	key, op, value, effect string
	seconds                *int64
	zero                   bool
}

func refTaintOf(t device.Taint) refTaint {
	_, effect, _ := strings.Cut(t.String(), ":")
	return refTaint{t.Key(), t.Value(), effect, t.TimeAdded()}
}

func refTolerationOf(u device.Toleration) refToleration {
	r := refToleration{u.Key(), u.Operator().String(), u.Value(), u.Effect().String(), nil, u.IsZero()}
	if n, ok := u.Seconds(); ok {
		r.seconds = &n
	}
	return r
}

// refMatches is G3 and, for zero values, G13.
func refMatches(u refToleration, t refTaint) bool {
	switch {
	case u.zero || t.key == "":
		return false
	case u.effect != "" && u.effect != t.effect:
		return false
	case u.key != "" && u.key != t.key:
		return false
	}
	return u.op == "Exists" || u.value == t.value
}

// refTaints is G9: the device's own taints, and those of the rules that select it.
func refTaints(d device.Device, rules []device.TaintRule) (all []refTaint) {
	for _, t := range d.Taints {
		all = append(all, refTaintOf(t))
	}
	for _, r := range rules {
		if refSelects(r.Selector, d.ID) {
			all = append(all, refTaintOf(r.Taint))
		}
	}
	return all
}

func refSelects(s *device.TaintSelector, id device.ID) bool {
	if s == nil {
		return false
	}
	for field, of := range map[string]string{"d" + s.Driver: id.Driver, "p" + s.Pool: id.Pool, "n" + s.Device: id.Device} {
		if len(field) > 1 && field[1:] != of {
			return false
		}
	}
	return true
}

// refAllocatable is G6, with G4 and G13.
func refAllocatable(d device.Device, rules []device.TaintRule, tolerations device.Tolerations) bool {
	for _, t := range refTaints(d, rules) {
		tolerated := false
		for _, u := range tolerations {
			tolerated = tolerated || refMatches(refTolerationOf(u), t)
		}
		matters := t.effect == "NoSchedule" || t.effect == "NoExecute" || t.key == ""
		if matters && !tolerated {
			return false
		}
	}
	return true
}

// A refDecision has the deadline in nanoseconds since 1970, nil for never.
type refDecision struct {
	kind     string
	deadline *big.Int
}

// refDecide is G7 and G8.
func refDecide(now time.Time, rules []device.TaintRule, devices []device.Allocated) refDecision {
	d := refDecision{kind: "Never"}
	for _, a := range devices {
		for _, t := range refTaints(a.Device, rules) {
			if t.effect != "NoExecute" {
				continue
			}
			at := refDeadline(now, t, a.Tolerations)
			if at != nil && (d.deadline == nil || at.Cmp(d.deadline) < 0) {
				d = refDecision{"At", at}
			}
		}
	}
	if d.deadline != nil && d.deadline.Cmp(nanos(now)) <= 0 {
		d.kind = "Due"
	}
	return d
}

func refDeadline(now time.Time, t refTaint, tolerations device.Tolerations) *big.Int {
	start := t.added
	var fewest *int64
	for _, v := range tolerations {
		u := refTolerationOf(v)
		if !refMatches(u, t) {
			continue
		}
		if u.seconds == nil {
			return nil
		}
		if n := max(*u.seconds, 0); fewest == nil || n < *fewest {
			fewest = &n
		}
	}
	at := nanos(start)
	switch {
	case start.IsZero():
		return nanos(now)
	case fewest == nil:
		return at
	}
	at.Add(at, new(big.Int).Mul(big.NewInt(*fewest), big.NewInt(1e9)))
	// A time represents its seconds since the year 1 as an int64.
	last := big.NewInt(math.MaxInt64)
	last.Add(last, big.NewInt(time.Time{}.Unix()))
	last.Add(last, big.NewInt(1))
	if at.Cmp(last.Mul(last, big.NewInt(1e9))) >= 0 {
		return nil
	}
	return at
}

func nanos(t time.Time) *big.Int {
	n := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(1e9))
	return n.Add(n, big.NewInt(int64(t.Nanosecond())))
}
