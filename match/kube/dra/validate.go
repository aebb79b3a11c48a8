package dra

import (
	"strconv"
	"time"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/validate"
)

// ValidateTaints returns an error for what the API server rejects in the taints of a
// device of a new ResourceSlice. Paths begin with taints. An update may keep unknown
// effects if the slice's list of devices is unchanged: do not call it then.
func ValidateTaints(taints []resourcev1.DeviceTaint) error {
	var c checker
	if len(taints) > 16 {
		c.add("taints", strconv.Itoa(len(taints)), validate.TooManyTaints)
	}
	for i := range taints {
		c.taint("taints["+strconv.Itoa(i)+"].", &taints[i])
	}
	return c.Err()
}

// ValidateTolerations returns an error for what the API server rejects in the tolerations
// of a request, or of a result of an allocation. Paths begin with tolerations.
func ValidateTolerations(tolerations []resourcev1.DeviceToleration) error {
	var c checker
	for i := range tolerations {
		c.toleration("tolerations["+strconv.Itoa(i)+"].", &tolerations[i])
	}
	return c.Err()
}

// Validate returns an error for what the API server rejects in the spec of a new
// DeviceTaintRule. Paths begin with deviceSelector or taint. Of the names in a selector
// it rejects only the empty one: other invalid ones select nothing. An update may keep an
// unknown effect: do not call it then.
func (r *Rule) Validate() error {
	var c checker
	if s := r.Selector; s != nil {
		c.name("deviceSelector.driver", s.Driver)
		c.name("deviceSelector.pool", s.Pool)
		c.name("deviceSelector.device", s.Device)
	}
	c.taint("taint.", &r.Taint)
	return c.Err()
}

var (
	effects   = []string{"None", "NoSchedule", "NoExecute"}
	operators = []string{"Equal", "Exists"}
)

func known(e resourcev1.DeviceTaintEffect) bool { return blocks(e) || e == none }

// The API's JSON can represent the times from year1 until before year10000.
var year1, year10000 = time.Time{}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// A checker collects problems.
type checker struct{ validate.Problems }

func (c *checker) add(path, value string, rule validate.Rule, allowed ...string) {
	c.Problems = append(c.Problems, &validate.Problem{Path: path, Value: value, Rule: rule, Allowed: allowed})
}

// taint checks the taint at that path, which ends in a dot.
func (c *checker) taint(path string, t *resourcev1.DeviceTaint) {
	if validate.Key(t.Key) != nil {
		c.add(path+"key", t.Key, validate.InvalidKey)
	}
	c.value(path, t.Value)
	switch {
	case t.Effect == "":
		c.add(path+"effect", "", validate.EffectMissing, effects...)
	case !known(t.Effect):
		c.add(path+"effect", string(t.Effect), validate.NameUnknown, effects...)
	}
	if at := t.TimeAdded; at != nil && (at.Time.Before(year1) || !at.Time.Before(year10000)) {
		c.add(path+"timeAdded", at.Time.String(), validate.TimeRange)
	}
}

// toleration does not check the value if the operator is unknown.
func (c *checker) toleration(path string, u *resourcev1.DeviceToleration) {
	if u.Key != "" && validate.Key(u.Key) != nil {
		c.add(path+"key", u.Key, validate.InvalidKey)
	}
	switch u.Operator {
	case "", resourcev1.DeviceTolerationOpEqual:
		c.value(path, u.Value)
	case resourcev1.DeviceTolerationOpExists:
		if u.Value != "" {
			c.add(path+"value", u.Value, validate.ExistsValue)
		}
	default:
		c.add(path+"operator", string(u.Operator), validate.NameUnknown, operators...)
	}
	if u.Effect != "" && !known(u.Effect) {
		c.add(path+"effect", string(u.Effect), validate.NameUnknown, effects...)
	}
}

func (c *checker) value(path, value string) {
	if validate.Value(value) != nil {
		c.add(path+"value", value, validate.InvalidValue)
	}
}

func (c *checker) name(path string, name *string) {
	if name != nil && *name == "" {
		c.add(path, "", validate.SelectorEmpty)
	}
}
