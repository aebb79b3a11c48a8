package eviction

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/internal/stamp"
	"github.com/go-tolerate/tolerate/taint"
)

type jsonState struct {
	Deadline *stamp.Time `json:"deadline"`
	Start    *stamp.Time `json:"start,omitempty"`
}

// MarshalJSON returns an object with the fields deadline (null if zero) and start
// (omitted if zero). Times outside of the years 0 to 9999 are "@" and seconds since
// 1970.
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(jsonState{stampOf(s.Deadline), stampOf(s.Start)})
}

// UnmarshalJSON decodes what MarshalJSON returned. On error s is unchanged.
func (s *State) UnmarshalJSON(data []byte) error {
	var read jsonState
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("eviction.State.UnmarshalJSON: %w", err)
	}
	*s = State{Deadline: timeOf(read.Deadline), Start: timeOf(read.Start)}
	return nil
}

type jsonObserved struct {
	Taint taint.Taint `json:"taint"`
	Since *stamp.Time `json:"since,omitempty"`
}

// MarshalJSON returns an object with the fields taint and since (omitted if zero).
func (o Observed) MarshalJSON() ([]byte, error) {
	return json.Marshal(jsonObserved{o.Taint, stampOf(o.Since)})
}

// UnmarshalJSON decodes what MarshalJSON returned. On error o is unchanged.
func (o *Observed) UnmarshalJSON(data []byte) error {
	var read jsonObserved
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("eviction.Observed.UnmarshalJSON: %w", err)
	}
	*o = Observed{Taint: read.Taint, Since: timeOf(read.Since)}
	return nil
}

// MarshalText returns the name. Unknown numbers are errors.
func (k DecisionKind) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, k, "eviction.DecisionKind", kindNames[:])
}

// MarshalText returns the name. Unknown numbers are errors.
func (k UpdateKind) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, k, "eviction.UpdateKind", updateNames[:])
}

// String returns text, which may change.
func (d Decision) String() string {
	switch d.kind {
	case Due:
		return "due"
	case At:
		return "at " + d.deadline.String()
	}
	return "never"
}

// String returns text, which may change.
func (u Update) String() string {
	at := u.Decision.deadline.String()
	if u.Decision.kind == Due {
		at += ", due"
	}
	switch u.Kind {
	case Scheduled:
		return "scheduled at " + at
	case Earlier, Later:
		return "moved from " + stamp.Time(u.Before).String() + " to " + at
	case Cancelled:
		return "cancelled, was at " + stamp.Time(u.Before).String()
	}
	return "unchanged, " + u.Decision.String()
}

// Equal reports whether d == e.
func (d Decision) Equal(e Decision) bool { return d == e }

// MarshalJSON returns an object with the field kind and, if their methods
// return true, deadline, taint and toleration. Fields may be added.
func (d Decision) MarshalJSON() ([]byte, error) {
	fields := struct {
		Kind       DecisionKind    `json:"kind"`
		Deadline   *stamp.Time     `json:"deadline,omitempty"`
		Taint      *int            `json:"taint,omitempty"`
		Toleration *match.Position `json:"toleration,omitempty"`
	}{Kind: d.kind}
	if at, ok := d.Deadline(); ok {
		fields.Deadline = (*stamp.Time)(&at)
	}
	if i, ok := d.Taint(); ok {
		fields.Taint = &i
	}
	if at, ok := d.Toleration(); ok {
		fields.Toleration = &at
	}
	return json.Marshal(fields)
}

// MarshalJSON returns an object with the fields kind, before (omitted if zero)
// and decision. Fields may be added.
func (u Update) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Kind     UpdateKind  `json:"kind"`
		Before   *stamp.Time `json:"before,omitempty"`
		Decision Decision    `json:"decision"`
	}{u.Kind, stampOf(u.Before), u.Decision})
}

// stampOf returns nil for the zero time.
func stampOf(t time.Time) *stamp.Time {
	if t.IsZero() {
		return nil
	}
	return (*stamp.Time)(&t)
}

// timeOf is the inverse of stampOf.
func timeOf(s *stamp.Time) time.Time {
	if s == nil {
		return time.Time{}
	}
	return time.Time(*s)
}

// String returns text, which may change.
func (s State) String() string {
	if s.Deadline.IsZero() {
		return "not scheduled"
	}
	text := "scheduled at " + instantOf(s.Deadline).String()
	if !s.Start.IsZero() {
		text += ", started at " + instantOf(s.Start).String()
	}
	return text
}

// String returns text, which may change.
func (o Observed) String() string {
	text := o.Taint.String()
	if o.Taint.IsZero() {
		text = "(invalid taint)"
	}
	if !o.Since.IsZero() {
		text += " since " + instantOf(o.Since).String()
	}
	return text
}
