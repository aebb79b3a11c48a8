package policy

import (
	"encoding/json"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

var (
	listNames   = []string{"allow", "deny"}
	clauseNames = []string{"name", "message", "taints", "except", "maxSeconds"}
)

// Decode returns the policy of a policy file. Names are case-sensitive. A file
// without clauses, such as {}, is the zero Policy. The error is [validate.Problems].
func Decode(data []byte) (Policy, error) {
	s, err := apijson.NewScanner(data)
	if err != nil {
		return Policy{}, err
	}
	b := builder{labels: make(map[string]bool)}
	var lists [2]apijson.Field
	b.problems = s.Object(listNames, lists[:], true, nil)
	b.allow = b.decodeClauses(listNames[0], lists[0])
	b.deny = b.decodeClauses(listNames[1], lists[1])
	return b.policy()
}

// MarshalJSON returns a policy file. Invalid UTF-8 in names and messages is
// replaced.
func (p Policy) MarshalJSON() ([]byte, error) { return json.Marshal(p.Spec()) }

// UnmarshalJSON sets p to the policy of a policy file. null is an error. On error p
// is unchanged.
func (p *Policy) UnmarshalJSON(data []byte) error {
	decoded, err := Decode(data)
	if err == nil {
		*p = decoded
	}
	return err
}

// decodeClauses is add for a list of a policy file.
func (b *builder) decodeClauses(path string, list apijson.Field) []clause {
	if list.Kind == apijson.Absent {
		return nil
	}
	s, err := apijson.OpenList([]byte(list.Raw()), path)
	if err != nil {
		b.problems = problem.Append(b.problems, "", err)
		return nil
	}
	var clauses []Clause
	unread := make(map[int]validate.Problems)
	for i := 0; s.More(); i++ {
		c, ps := decodeClause(&s)
		clauses = append(clauses, c)
		if len(ps) > 0 {
			unread[i] = ps
		}
	}
	return b.add(path, clauses, unread)
}

func decodeClause(s *apijson.Scanner) (c Clause, ps validate.Problems) {
	var fields [5]apijson.Field
	ps = s.Object(clauseNames, fields[:], true, nil)
	c.Name, ps = fields[0].AsString(clauseNames[0], ps)
	c.Message, ps = fields[1].AsString(clauseNames[1], ps)
	c.Taints, ps = decodeTaints(clauseNames[2], fields[2], ps)
	c.Except, ps = decodeTaints(clauseNames[3], fields[3], ps)
	if f := fields[4]; f.Kind != apijson.Absent {
		var n int64
		n, _, ps = f.AsInteger(clauseNames[4], ps)
		c.MaxSeconds = &n
	}
	return c, ps
}

func decodeTaints(path string, f apijson.Field, ps validate.Problems) (toleration.List, validate.Problems) {
	if f.Kind == apijson.Absent {
		return nil, ps
	}
	list, _, err := toleration.Decode([]byte(f.Raw()), toleration.ListOptions{Path: path, Strict: true})
	return list, problem.Append(ps, "", err)
}
