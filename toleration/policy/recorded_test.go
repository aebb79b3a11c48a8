package policy_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

var update = flag.Bool("update", false, "write the recorded policies")

func TestCheck_recorded(t *testing.T) {
	if *update {
		recordPolicies(t)
	}
	t.Run("R6", testCheckRecorded)
}

// The answers are those of the reference (bench/recorded).
func testCheckRecorded(t *testing.T) {
	refused := map[bool]int{}
	recorded.Each(t, "policy", func(_ recorded.Header, c recorded.Policy) error {
		var s policy.Spec
		for _, side := range []struct {
			to   *[]policy.Clause
			from []recorded.Clause
		}{{&s.Allow, c.Allow}, {&s.Deny, c.Deny}} {
			for _, r := range side.from {
				taints, err := gen.ReadTolerations(r.Taints)
				except, err2 := gen.ReadTolerations(r.Except)
				if err != nil || err2 != nil {
					return fmt.Errorf("%v, %v", err, err2)
				}
				*side.to = append(*side.to, policy.Clause{Taints: taints, Except: except, MaxSeconds: r.MaxSeconds})
			}
		}
		p, err := policy.New(s)
		if err != nil {
			return err
		}
		for i, r := range c.Tolerations {
			u, err := gen.ReadToleration(r)
			want := !slices.Contains(c.Refused, i)
			if got := p.Judge(u).Allowed; err != nil || got != want {
				return fmt.Errorf("%v is allowed: %v, %v; want %v", u, got, err, want)
			}
			refused[!want]++
		}
		return nil
	})
	if refused[true] < 200 || refused[false] < 200 {
		t.Errorf("refused are %v", refused)
	}
}

func recordPolicies(t *testing.T) {
	record := func(l toleration.List) (out []recorded.Toleration) {
		for _, u := range l {
			out = append(out, gen.RecordToleration(u))
		}
		return out
	}
	clauses := func(list []policy.Clause) (out []recorded.Clause) {
		for _, r := range list {
			out = append(out, recorded.Clause{Taints: record(r.Taints), Except: record(r.Except), MaxSeconds: r.MaxSeconds})
		}
		return out
	}
	made := recorded.Kind{Name: "policy"}
	for i := range 300 {
		s := someSpec().Example(i)
		c := recorded.Policy{Allow: clauses(s.Allow), Deny: clauses(s.Deny)}
		for j := range 6 {
			u := near(s).Example(6*i + j)
			if u.IsZero() {
				continue
			}
			if slices.ContainsFunc(space(tolerationsOf(s, u)), func(x taint.Taint) bool { return u.Tolerates(x) && !may(s, u, x) }) {
				c.Refused = append(c.Refused, len(c.Tolerations))
			}
			c.Tolerations = append(c.Tolerations, gen.RecordToleration(u))
		}
		made.Cases = append(made.Cases, recorded.Case{ID: fmt.Sprint("policy-", i), Case: c})
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if err := recorded.Write(z, recorded.Header{Numeric: true}, []recorded.Kind{made}); err != nil {
		t.Fatal(err)
	}
	z.Close() // to memory
	if err := os.WriteFile(filepath.Join("../../bench/recorded", recorded.Policies), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
