package policy

import (
	"encoding/json"
	"strconv"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
)

var (
	listNames = []string{"allow", "deny"}
	ruleNames = []string{"name", "message", "taints", "except", "maxSeconds"}
)

// Decode returns the policy that a policy file tells, in the form of the
// package's documentation. Names are case-sensitive; unknown and repeated fields
// are mistakes. What encoding/json makes of a Policy, and of [Rules], is such a
// file.
//
// The error tells every mistake, with its path, and comes with the zero Policy.
func Decode(data []byte) (Policy, error) {
	s, err := apijson.NewScanner(data)
	if err != nil {
		return Policy{}, err
	}
	var b builder
	var lists [2]apijson.Field
	b.problems = s.Object(listNames, lists[:], true, nil)
	for i, path := range listNames {
		if lists[i].Kind != apijson.Absent {
			rules, wrong := b.decodeRules(path, lists[i])
			b.add(path, rules, wrong)
		}
	}
	return b.policy()
}

// MarshalJSON returns the policy as a file that [Decode] reads. What is not
// UTF-8 in a name or a message is replaced.
func (p Policy) MarshalJSON() ([]byte, error) { return json.Marshal(p.Rules()) }

// UnmarshalJSON sets p to what [Decode] reads, so a policy can be a field of a
// program's own configuration. JSON's null is a mistake, since it would allow
// everything. On an error p is unchanged.
func (p *Policy) UnmarshalJSON(data []byte) error {
	decoded, err := Decode(data)
	if err == nil {
		*p = decoded
	}
	return err
}

// decodeRules returns the rules of a list, and what is wrong with the text of
// each.
func (b *builder) decodeRules(path string, list apijson.Field) (rules []Rule, wrong map[int]validate.Problems) {
	s, err := apijson.OpenList([]byte(list.Raw()), path)
	if err != nil {
		b.problems = validate.Append(b.problems, "", err)
		return nil, nil
	}
	wrong = make(map[int]validate.Problems)
	for i := 0; s.More(); i++ {
		r, ps := decodeRule(&s)
		rules = append(rules, r)
		if len(ps) > 0 {
			wrong[i] = ps
		}
	}
	return rules, wrong
}

func decodeRule(s *apijson.Scanner) (r Rule, ps validate.Problems) {
	var fields [5]apijson.Field
	ps = s.Object(ruleNames, fields[:], true, nil)
	r.Name, ps = fields[0].AsString(ruleNames[0], ps)
	r.Message, ps = fields[1].AsString(ruleNames[1], ps)
	r.Taints, ps = decodeTaints(ruleNames[2], fields[2], ps)
	r.Except, ps = decodeTaints(ruleNames[3], fields[3], ps)
	if f := fields[4]; f.Kind != apijson.Absent {
		n, err := strconv.ParseInt(f.Text, 10, 64)
		if f.Kind != apijson.Number || err != nil {
			ps = append(ps, &validate.Problem{Path: ruleNames[4], Value: f.Raw(), Rule: validate.NotWhole})
		}
		r.MaxSeconds = &n
	}
	return r, ps
}

func decodeTaints(path string, f apijson.Field, ps validate.Problems) ([]toleration.Toleration, validate.Problems) {
	if f.Kind == apijson.Absent {
		return nil, ps
	}
	list, err := toleration.DecodeList([]byte(f.Raw()), toleration.ListOptions{Path: path, Strict: true})
	return list, validate.Append(ps, "", err)
}
