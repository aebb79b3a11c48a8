package toleration_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// Kubernetes' answers are recorded in bench/recorded.

// A table has every pair, with numeric operators on and off. A value that Kubernetes'
// validation rejects is a zero value here (M8-invalid).
func recordedMatch(t *testing.T) {
	matched := 0
	recorded.Each(t, "match", func(h recorded.Header, c recorded.Match) error {
		taints := make(taint.List, len(c.Taints))
		list := make(toleration.List, len(c.Tolerations))
		for i, r := range c.Taints {
			var err error
			if taints[i], err = taint.From(r.Key, r.Value, r.Effect); (err != nil) != slices.Contains(c.InvalidTaints, i) {
				return fmt.Errorf("taint %d: %v, which M8-invalid does not say", i, err)
			}
		}
		for j, r := range c.Tolerations {
			var err error
			if list[j], err = gen.ReadToleration(r); err == nil && !h.Numeric {
				err = list[j:j+1].Validate(nil, true)
			}
			if (err != nil) != slices.Contains(c.InvalidTolerations, j) {
				return fmt.Errorf("toleration %d: %v, which M8-invalid does not say", j, err)
			}
		}
		answers := []struct {
			digits string
			list   toleration.List
		}{{c.Off, list.WithoutNumeric()}}
		if h.Numeric {
			answers = append(answers, answers[0])
			answers[1].digits, answers[1].list = c.On, list
		}
		for _, a := range answers {
			digits, list := a.digits, a.list
			if len(digits) != len(taints)*len(list) {
				return fmt.Errorf("%d answers for %d pairs", len(digits), len(taints)*len(list))
			}
			for k, digit := range digits {
				i, j := k/len(list), k%len(list)
				want := digit == '1' && !slices.Contains(c.InvalidTaints, i) && !slices.Contains(c.InvalidTolerations, j)
				if got := list[j].Tolerates(taints[i]); got != want {
					return fmt.Errorf("%s on %s: Kubernetes %c, here %v, want %v", list[j], taints[i], digit, got, want)
				}
				if want {
					matched++
				}
			}
		}
		return nil
	})
	if matched < 1000 {
		t.Errorf("only %d pairs match", matched)
	}
}

// agree compares the verdict and the paths of problems. Our paths are Kubernetes'
// fields unless a listed difference moves them.
func agree(err error, causes []recorded.Cause, ours, differences []string) error {
	if (err == nil) != (len(causes) == 0) {
		return fmt.Errorf("Kubernetes finds %d problems, here %v", len(causes), err)
	}
	if got := contract.Paths(err); !slices.Equal(got, ours) {
		return fmt.Errorf("the problems are at %v, want %v", got, ours)
	}
	var theirs []string
	for _, c := range causes {
		theirs = append(theirs, c.Field)
	}
	slices.Sort(theirs)
	if len(differences) == 0 && !slices.Equal(slices.Compact(theirs), ours) {
		return fmt.Errorf("%v are not Kubernetes' fields, and no difference is listed", ours)
	}
	return nil
}

// isRecord reports whether the toleration is recorded so.
func isRecord(u toleration.Toleration, r recorded.Toleration) bool {
	return gen.RecordToleration(u).Equal(r)
}

func recordedValidate(t *testing.T) {
	valid := 0
	recorded.Each(t, "validate", func(_ recorded.Header, c recorded.Validate) error {
		data, err := json.Marshal(c.Tolerations)
		if err != nil {
			return err
		}
		list, _, err := toleration.Decode(data, toleration.DecodeOptions{Strict: true, NumericOff: !c.Gate})
		if err == nil {
			valid++
			if !slices.EqualFunc(list, c.Tolerations, isRecord) {
				return fmt.Errorf("read as %v", list)
			}
		}
		return agree(err, c.Causes, c.Ours, c.Differences)
	})
	if valid < 100 {
		t.Errorf("only %d lists are valid", valid)
	}
}

func recordedUpdate(t *testing.T) {
	gone := 0
	recorded.Each(t, "update", func(_ recorded.Header, c recorded.Update) error {
		old, _ := gen.ReadTolerations(c.Old) // the check below reports the zero value
		changed, _ := gen.ReadTolerations(c.New)
		err := changed.Validate(old, !c.Gate)
		var ps validate.Problems
		errors.As(err, &ps)
		removed := 0
		for _, p := range ps {
			if p.Path == "spec.tolerations" {
				removed++
			}
		}
		if gone += removed; removed != len(c.Gone) { // V10-all: each toleration
			return fmt.Errorf("%d are gone, want %d: %v", removed, len(c.Gone), err)
		}
		return agree(err, c.Causes, c.Ours, c.Differences)
	})
	if gone < 100 {
		t.Errorf("only %d tolerations are gone", gone)
	}
}

func recordedDecode(t *testing.T) {
	accepted, overruled := 0, 0
	recorded.Each(t, "decode", func(h recorded.Header, c recorded.Decode[recorded.Toleration]) error {
		list, _, err := toleration.Decode([]byte(c.Text), toleration.DecodeOptions{NumericOff: !h.Numeric})
		_, _, serr := toleration.Decode([]byte(c.Text), toleration.DecodeOptions{NumericOff: !h.Numeric, Strict: true})
		accepts, want := c.Accepted, c.List
		if len(c.Differences) > 0 { // K4-overruled: only the last of a repeated field counts
			accepts, want = !c.Accepted, c.Ours
			overruled++
		}
		if (err == nil) != accepts || (serr == nil) != c.Strict {
			return fmt.Errorf("Kubernetes accepts: %v, strictly %v; here %v, strictly %v", c.Accepted, c.Strict, err, serr)
		}
		if !slices.EqualFunc(list, want, isRecord) {
			return fmt.Errorf("%v, want %v", list, want)
		}
		accepted += len(list)
		return nil
	})
	if accepted < 100 || overruled < 10 {
		t.Errorf("only %d tolerations are read, and %d lists have a value that a later one replaces", accepted, overruled)
	}
}
