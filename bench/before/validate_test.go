package before_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	oldvalidate "github.com/go-tolerate/before/validate"

	"github.com/go-tolerate/tolerate/validate"
)

func TestValidate(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-a-zA-Z0-9._/!]{0,70}`), rapid.StringMatching(`-?[0-9]{0,20}`))
	rapid.Check(t, func(t *rapid.T) {
		s := texts.Draw(t, "text")
		same(t, "Key", validate.Key(s), oldvalidate.Key(s))
		same(t, "Value", validate.Value(s), oldvalidate.Value(s))
		n, err := validate.Integer(s)
		old, oldErr := oldvalidate.Integer(s)
		same(t, "Integer", []any{n, err}, []any{old, oldErr})
	})
	long := strings.Repeat("a.", 750_000)
	for call, f := range map[string]func(string) error{"Key": validate.Key, "Value": validate.Value} {
		bounded(t, call, 1<<20, func() { _ = f(long).Error() })
	}
}

// The rules that became one, with the text that they had. WrongType has one cause;
// NotTime had FieldValueInvalid, although Kubernetes cannot read the object.
var merged = map[string]validate.Problem{
	"NotList":        {Rule: validate.WrongType, Want: "must be a list"},
	"NotObject":      {Rule: validate.WrongType, Want: "must be an object"},
	"NotString":      {Rule: validate.WrongType, Want: "must be a string"},
	"NotWhole":       {Rule: validate.WrongType, Want: "must be a whole number within int64"},
	"NotTime":        {},
	"EditPresent":    {Rule: validate.EditConflict, Want: "already present; use Overwrite to replace it"},
	"EditAbsent":     {Rule: validate.EditConflict, Want: "not present; use IgnoreAbsent to allow this"},
	"NotKept":        {Rule: validate.NotAllowed, Want: "must not be removed or changed: an update can only add tolerations and change seconds"},
	"NotWhitelisted": {Rule: validate.NotAllowed, Want: "must be covered by the whitelist"},
	"NotAllowed":     {Rule: validate.NotAllowed, Want: "is not allowed by the policy"},
}

// The text and the cause of every rule, and the names of those that are left.
func TestProblem(t *testing.T) {
	rules := map[string]validate.Rule{}
	for r := range validate.SelectorEmpty + 1 {
		rules[r.String()] = r
	}
	values := []string{"", "null", "true", `"300"`, "{}", "a b ", "NoSchedul", strings.Repeat("ü", 100), "\x00"}
	for r := range oldvalidate.Rule(42 + 1) {
		want, changed := merged[r.String()]
		if rule, ok := rules[r.String()]; !changed && ok {
			want.Rule = rule
		}
		if want.Rule == 0 && r != 0 {
			if !changed {
				t.Errorf("%v is gone", r)
			}
			continue
		}
		same(t, "Cause", want.Rule.Cause(), r.Cause())
		for _, value := range values {
			for _, path := range []string{"", "effect", "spec.taints[2].key"} {
				for _, allowed := range [][]string{nil, {"NoSchedule", "NoExecute"}} {
					for _, caller := range []string{"", "taint.Parse"} {
						p := want
						p.Func, p.Path, p.Value, p.Allowed = caller, path, value, allowed
						old := (&oldvalidate.Problem{Func: caller, Path: path, Value: value, Rule: r, Allowed: allowed}).Error()
						if p.Want != "" { // Want has how to write it, too
							old, _, _ = strings.Cut(old, ", so ")
							old, _, _ = strings.Cut(old, ", did you mean")
						}
						if !strings.HasPrefix(p.Error(), old) {
							t.Fatalf("%v: %s, was %s", r, p.Error(), old)
						}
					}
				}
			}
		}
	}
}
