package policy_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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
	var lines []recorded.Line[any]
	add := func(id string, s policy.Spec, list toleration.List) {
		c := recorded.Policy{Allow: clauses(s.Allow), Deny: clauses(s.Deny)}
		for _, u := range list {
			if slices.ContainsFunc(gen.Distinguishing(tolerationsOf(s, u)), func(x taint.Taint) bool { return u.Tolerates(x) && !may(s, u, x) }) {
				c.Refused = append(c.Refused, len(c.Tolerations))
			}
			c.Tolerations = append(c.Tolerations, gen.RecordToleration(u))
		}
		lines = append(lines, recorded.Line[any]{Kind: "policy", ID: id, Case: c})
	}
	for i := range 300 {
		s := someSpec().Example(i)
		var list toleration.List
		for j := range 6 {
			if u := near(s).Example(6*i + j); !u.IsZero() {
				list = append(list, u)
			}
		}
		add(fmt.Sprint("policy-", i), s, list)
	}
	for i, c := range policiesByHand() {
		add(fmt.Sprint("policy-edge-", i), c.Spec, c.list)
	}
	name := filepath.Join("../../bench/recorded", recorded.Policies)
	if err := recorded.Write(name, recorded.Header{Numeric: true}, lines); err != nil {
		t.Fatal(err)
	}
}

type policyByHand struct {
	policy.Spec
	list toleration.List
}

// policiesByHand are policies that find mistakes which random ones do not find, or only one of
// them. New ones are last, so that ids stay.
func policiesByHand() (out []policyByHand) {
	clause := func(text string, except ...string) policy.Clause {
		return policy.Clause{Taints: toleration.MustParseList(text), Except: toleration.MustParseList(strings.Join(except, ","))}
	}
	atMost := func(n int64, c policy.Clause) policy.Clause {
		c.MaxSeconds = &n
		return c
	}
	add := func(tolerations string, allow []policy.Clause, deny ...policy.Clause) {
		out = append(out, policyByHand{policy.Spec{Allow: allow, Deny: deny}, toleration.MustParseList(tolerations)})
	}
	type all = []policy.Clause
	any := all{clause("op=Exists")}

	// Keys and values that nothing names.
	add("op=Exists", all{clause("a op=Exists")})
	add("a op=Exists,op=Exists", all{clause("a op=Exists,b op=Exists")})
	add("a op=Exists", all{clause("a=9223372036854775807 op=Lt,a=9223372036854775807,a op=Equal")})
	add("a op=Exists", all{clause("a=9223372036854775807 op=Lt,a=9223372036854775807")})
	add("a op=Exists,a", all{clause("a op=Exists", "a op=Equal")})
	// Between the integers of a clause and of a toleration.
	add("a=4 op=Gt", any, clause("a=6 op=Lt"))
	add("a=5 op=Gt", any, clause("a=6 op=Lt"))
	add("a=4 op=Gt,a=5 op=Gt", all{clause("a=5 op=Gt,a=5")})
	// The ends of the integers, and what doubles cannot represent.
	const most = 9223372036854775807
	add("a:NoExecute op=Exists for 9223372036854775807s,a:NoExecute op=Exists for 9223372036854775806s,a:NoExecute op=Exists", all{atMost(most, clause(":NoExecute op=Exists"))})
	add("a:NoExecute op=Exists for 9223372036854775807s,a:NoExecute op=Exists for 9223372036854775806s", all{atMost(most-1, clause(":NoExecute op=Exists"))})
	add("a:NoExecute op=Exists for 9007199254740993s,a:NoExecute op=Exists for 9007199254740992s", all{atMost(9007199254740992, clause(":NoExecute op=Exists"))})
	add("a=9007199254740993,a=9007199254740992", all{clause("a=9007199254740992 op=Gt")})
	add("a=9007199254740993,a=9007199254740994", all{clause("a=9007199254740994 op=Lt")})
	// Several clauses, or several entries of one, allow a toleration together.
	add("a op=Exists", all{clause("a:NoSchedule op=Exists"), clause("a:PreferNoSchedule op=Exists"), clause("a:NoExecute op=Exists")})
	add("a op=Exists", all{clause("a:NoSchedule op=Exists,a:PreferNoSchedule op=Exists,a:NoExecute op=Exists")})
	add("a op=Exists", all{clause("a=5 op=Lt"), clause("a op=Exists", "a=5 op=Lt")})
	add("a=3 op=Gt", all{clause("a=6 op=Lt"), clause("a=5 op=Gt")})
	// Numeric operators are enabled, in exceptions too.
	add("a=6,a=5,a=4", all{clause("a op=Exists", "a=5 op=Gt")})
	add("a=6,a=5,a=4", any, clause("a op=Exists", "a=5 op=Lt"))
	// Again what one case alone has found.
	add("a op=Exists", all{clause("a=9223372036854775807 op=Lt"), clause("a=9223372036854775806 op=Gt"), clause("a op=Equal")})
	add("a=6 op=Lt", any, clause("a=4 op=Gt"))
	add("a=5 op=Lt", any, clause("a=4 op=Gt"))
	add("a:NoExecute op=Exists for 9223372036854775807s,a:NoExecute op=Exists", any, atMost(most, clause(":NoExecute op=Exists")))
	return out
}
