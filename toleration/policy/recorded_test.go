package policy_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

func TestCheck_recorded(t *testing.T) { t.Run("R6", testCheckRecorded) }

// The answers in bench/recorded are those of the reference.
func testCheckRecorded(t *testing.T) {
	refused := map[bool]int{}
	recorded.Each(t, "policy", func(_ recorded.Header, c recorded.Policy) error {
		var s policy.Spec
		var err error
		if s.Allow, err = readClauses(c.Allow); err != nil {
			return err
		}
		if s.Deny, err = readClauses(c.Deny); err != nil {
			return err
		}
		p, err := policy.New(s)
		if err != nil {
			return err
		}
		for i, r := range c.Tolerations {
			u, err := gen.ReadToleration(r)
			if err != nil {
				return err
			}
			want := !slices.ContainsFunc(tolerated(s, u), func(x taint.Taint) bool { return !may(s, u, x) })
			if got := p.Judge(u).Allowed; got != want || slices.Contains(c.Refused, i) == want {
				return fmt.Errorf("%v is allowed: %v; want %v, recorded as refused are %v", u, got, want, c.Refused)
			}
			refused[!want]++
		}
		return nil
	})
	if refused[true] < 200 || refused[false] < 200 {
		t.Errorf("refused are %v", refused)
	}
}

func readClauses(from []recorded.Clause) (clauses []policy.Clause, err error) {
	for _, r := range from {
		taints, err1 := gen.ReadTolerations(r.Taints)
		except, err2 := gen.ReadTolerations(r.Except)
		err = errors.Join(err, err1, err2)
		clauses = append(clauses, policy.Clause{Taints: taints, Except: except, MaxSeconds: r.MaxSeconds})
	}
	return clauses, err
}
