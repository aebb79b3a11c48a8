package policy

import (
	"encoding/json"
	"strings"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

var clauseNames = []string{"name", "message", "taints", "except", "maxSeconds"}

// Decode returns the policy of a policy file.
func Decode(data []byte) (Policy, error) {
	s, err := apijson.NewScanner(data)
	if err != nil {
		return Policy{}, err
	}
	b := newBuilder()
	var lists [2]apijson.Field
	b.found = s.Object(kinds, lists[:], true, nil)
	for kind, list := range lists {
		s, err := apijson.OpenList([]byte(list.Raw()), kinds[kind]) // an absent list is null
		b.found = problem.Append(b.found, "", err)
		for err == nil && b.left >= 0 && len(b.found) < problem.Most && s.More() {
			before := b.left
			c, found := b.decode(&s)
			b.left = min(b.left, before-1) // the number of clauses is limited, too
			b.add(kind, c, found)
		}
	}
	return b.policy()
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

// decode reads a clause.
func (b *builder) decode(s *apijson.Scanner) (c Clause, ps validate.Problems) {
	var fields [5]apijson.Field
	ps = s.Object(clauseNames, fields[:], true, nil)
	c.Name, ps = fields[0].AsString(clauseNames[0], ps)
	c.Message, ps = fields[1].AsString(clauseNames[1], ps)
	c.Taints, ps = b.tolerations(clauseNames[2], fields[2], ps)
	c.Except, ps = b.tolerations(clauseNames[3], fields[3], ps)
	if f := fields[4]; f.Kind != apijson.Absent {
		var n int64
		n, _, ps = f.AsInteger(clauseNames[4], ps)
		c.MaxSeconds = &n
	}
	return c, ps
}

// tolerations reads a list, as far as it is not too long and has few problems. An element that cannot
// be read is zero.
func (b *builder) tolerations(path string, f apijson.Field, ps validate.Problems) (list toleration.List, _ validate.Problems) {
	s, err := apijson.OpenList([]byte(f.Raw()), path)
	ps = problem.Append(ps, "", err)
	for i := 0; err == nil && b.left >= 0 && len(ps) < problem.Most && s.More(); i++ {
		b.left--
		one, _, err := toleration.Decode([]byte("["+s.Value().Raw()+"]"), toleration.DecodeOptions{Path: "list", Strict: true})
		for _, p := range problem.Append(nil, "", err) {
			p.Path = problem.Index(path, i) + strings.TrimPrefix(p.Path, "list[0]")
			ps = append(ps, p)
		}
		if one == nil {
			one = make(toleration.List, 1)
		}
		list = append(list, one...)
	}
	return list, ps
}
