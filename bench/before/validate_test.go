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

// The text, the name, the number and the cause of every rule.
func TestProblem(t *testing.T) {
	values := []string{"", "null", "true", `"300"`, "{}", "a b ", "NoSchedul", strings.Repeat("ü", 100), "\x00"}
	for _, value := range values {
		for r := range 50 {
			for _, path := range []string{"", "effect", "spec.taints[2].key"} {
				for _, allowed := range [][]string{nil, {"NoSchedule", "NoExecute"}} {
					for _, caller := range []string{"", "taint.Parse"} {
						p := validate.Problem{Func: caller, Path: path, Value: value, Rule: validate.Rule(r), Allowed: allowed}
						old := oldvalidate.Problem{Func: caller, Path: path, Value: value, Rule: oldvalidate.Rule(r), Allowed: allowed}
						same(t, "Error", &p, &old)
						same(t, "Rule", p.Rule, old.Rule)
						if r <= int(validate.SelectorEmpty) {
							same(t, "Cause", p.Rule.Cause(), old.Rule.Cause())
						}
					}
				}
			}
		}
	}
}
