package eviction

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/match/internal/stamp"
)

type jsonState struct {
	Deadline stamp.Time `json:"deadline,omitzero"`
	Start    stamp.Time `json:"start,omitzero"`
}

// MarshalJSON returns an object with the fields deadline and start, omitted if zero.
// Times outside of the years 0 to 9999 are "@" and seconds since 1970.
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(jsonState{stamp.Time(s.Deadline), stamp.Time(s.Start)})
}

func (s *State) UnmarshalJSON(data []byte) error {
	var read jsonState
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("eviction.State.UnmarshalJSON: %w", err)
	}
	*s = State{Deadline: time.Time(read.Deadline), Start: time.Time(read.Start)}
	return nil
}

func (k DecisionKind) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, k, "eviction.DecisionKind", kindNames[:])
}

func (k UpdateKind) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, k, "eviction.UpdateKind", updateNames[:])
}

func (d Decision) String() string {
	switch d.Kind() {
	case Due:
		return "due"
	case At:
		return "at " + d.deadline.String()
	}
	return "never"
}

func (u Update) String() string {
	at := u.Decision.deadline.String()
	if u.Decision.Kind() == Due {
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

func (d Decision) Equal(e Decision) bool { return d == e }

func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

func (u Update) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

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
