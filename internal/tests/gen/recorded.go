package gen

import (
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// ReadTaint returns the recorded taint, without its time.
func ReadTaint(r recorded.Taint) (taint.Taint, error) { return taint.From(r.Key, r.Value, r.Effect) }

// ReadTaints returns the recorded taints, without their times. Invalid ones are zero
// Taints, and the error describes the first.
func ReadTaints(list []recorded.Taint) (taint.List, error) { return read(list, ReadTaint) }

// ReadToleration returns the recorded toleration.
func ReadToleration(r recorded.Toleration) (toleration.Toleration, error) {
	return toleration.From(r.Key, r.Operator, r.Value, r.Effect, r.Seconds)
}

// ReadTolerations returns the recorded tolerations. Invalid ones are zero Tolerations,
// and the error describes the first.
func ReadTolerations(list []recorded.Toleration) (toleration.List, error) {
	return read(list, ReadToleration)
}

func read[R, T any](list []R, one func(R) (T, error)) (out []T, first error) {
	out = make([]T, len(list))
	for i, r := range list {
		var err error
		if out[i], err = one(r); err != nil && first == nil {
			first = err
		}
	}
	return out, first
}

// RecordTaint returns the taint as it is recorded.
func RecordTaint(t taint.Taint) recorded.Taint {
	r := recorded.Taint{Key: t.Key(), Value: t.Value(), Effect: t.Effect().String()}
	if at := t.TimeAdded(); !at.IsZero() {
		r.TimeAdded = at.Format(time.RFC3339)
	}
	return r
}

// RecordToleration returns the toleration as it is recorded.
func RecordToleration(u toleration.Toleration) recorded.Toleration {
	r := recorded.Toleration{Key: u.Key(), Operator: u.Operator().String(), Value: u.Value(), Effect: u.Effect().String()}
	if s, ok := u.Seconds(); ok {
		r.Seconds = &s
	}
	return r
}
