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

// Decode returns the policy of a policy file.
func Decode(data []byte) (Policy, error) {
	s, err := apijson.NewScanner(data)
	if err != nil {
		return Policy{}, err
	}
	var lists [2]apijson.Field
	ps := s.Object(listNames, lists[:], true, nil)
	d := decoder{left: most}
	allow, deny := d.clauses("allow", lists[0]), d.clauses("deny", lists[1])
	if d.left < 0 {
		return Policy{}, tooMany()
	}
	return build(ps, allow, deny)
}

// MarshalJSON returns a policy file. Invalid UTF-8 is replaced.
func (p Policy) MarshalJSON() ([]byte, error) { return json.Marshal(p.Spec()) }

// UnmarshalJSON is [Decode]. Null is an error.
func (p *Policy) UnmarshalJSON(data []byte) error {
	decoded, err := Decode(data)
	if err == nil {
		*p = decoded
	}
	return err
}

// A decoder counts down the tolerations that are left. If there are more, it stops.
type decoder struct{ left int }

func (d *decoder) clauses(path string, list apijson.Field) (from source) {
	s, err := apijson.OpenList([]byte(list.Raw()), path) // an absent list is null
	from.whole = problem.Append(nil, "", err)
	for err == nil && s.More() && d.left >= 0 {
		c, ps := d.clause(&s)
		from.clauses, from.each = append(from.clauses, c), append(from.each, ps)
	}
	return from
}

func (d *decoder) clause(s *apijson.Scanner) (c Clause, ps validate.Problems) {
	before := d.left
	var fields [5]apijson.Field
	ps = s.Object(clauseNames, fields[:], true, nil)
	c.Name, ps = fields[0].AsString(clauseNames[0], ps)
	c.Message, ps = fields[1].AsString(clauseNames[1], ps)
	c.Taints, ps = d.tolerations(clauseNames[2], fields[2], ps)
	c.Except, ps = d.tolerations(clauseNames[3], fields[3], ps)
	if f := fields[4]; f.Kind != apijson.Absent {
		var n int64
		n, _, ps = f.AsInteger(clauseNames[4], ps)
		c.MaxSeconds = &n
	}
	if d.left == before {
		d.left-- // as count does
	}
	return c, ps
}

func (d *decoder) tolerations(path string, f apijson.Field, ps validate.Problems) (toleration.List, validate.Problems) {
	for s, err := apijson.OpenList([]byte(f.Raw()), path); err == nil && s.More() && d.left >= 0; d.left-- {
		s.Value()
	}
	if d.left < 0 {
		return nil, ps
	}
	list, _, err := toleration.Decode([]byte(f.Raw()), toleration.DecodeOptions{Path: path, Strict: true})
	return list, problem.Append(ps, "", err)
}
