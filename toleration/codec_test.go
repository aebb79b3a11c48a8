package toleration_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

func TestParse(t *testing.T) {
	type T = taint.Effect
	tests := []struct {
		name, text string // K3
		key        string
		op         toleration.Operator
		value      string
		effect     T
		seconds    string
	}{
		{"K3_all", "a/k=5:NoExecute op=Gt for 300s", "a/k", toleration.Gt, "5", taint.NoExecute, "300"},
		{"K3_equal_absent", "k=v:NoSchedule", "k", 0, "v", taint.NoSchedule, ""},
		{"K3_equal_written", "k=v:NoSchedule op=Equal", "k", toleration.Equal, "v", taint.NoSchedule, ""},
		{"K3_empty_value", "k:NoSchedule", "k", 0, "", taint.NoSchedule, ""},
		{"K3_no_effect", "k op=Exists", "k", toleration.Exists, "", 0, ""},
		{"K3_key_alone", "k", "k", 0, "", 0, ""},
		{"K3_wildcard", "op=Exists", "", toleration.Exists, "", 0, ""},
		{"K3_wildcard_of_one_effect", ":NoExecute op=Exists", "", toleration.Exists, "", taint.NoExecute, ""},
		{"K3_wildcard_for_a_while", ":NoExecute op=Exists for -1s", "", toleration.Exists, "", taint.NoExecute, "-1"},
		{"K3_negative_bound", "k=-5 op=Lt", "k", toleration.Lt, "-5", 0, ""},
		{"K3_zero_seconds", "k:NoExecute for 0s", "k", 0, "", taint.NoExecute, "0"},
		{"K3_key_op", "op:NoSchedule", "op", 0, "", taint.NoSchedule, ""},
		{"K3_key_op_with_value", "op=x op=", "op", 0, "x", 0, ""},
		{"K3_key_op_with_operators_name", "op=Exists op=", "op", 0, "Exists", 0, ""},
		{"K3_key_op_with_operators_name_Equal", "op=Lt op=Equal", "op", toleration.Equal, "Lt", 0, ""},
		{"K3_key_op_with_operators_name_and_effect", "op=Exists:NoExecute for 5s", "op", 0, "Exists", taint.NoExecute, "5"},
		{"K3_key_for", "for=for:NoExecute op=Equal for 5s", "for", toleration.Equal, "for", taint.NoExecute, "5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := must(toleration.New(tt.key, tt.op, tt.value, tt.effect))
			if tt.seconds != "" {
				n, _ := validate.Integer(tt.seconds)
				want = must(want.WithSeconds(n))
			}
			got, err := toleration.Parse(tt.text)
			if got != want || err != nil {
				t.Errorf("Parse(%q) = %v, %v, want %v", tt.text, got, err, want)
			}
			if got := want.String(); got != tt.text {
				t.Errorf("String() = %q, want %q", got, tt.text)
			}
		})
	}
}

func TestParse_errors(t *testing.T) {
	tests := []struct {
		text string // K3
		rule validate.Rule
		path string
	}{
		{"", validate.Syntax, ""},
		{" ", validate.Syntax, ""},
		{" op=Exists", validate.Syntax, ""},
		{"k  op=Exists", validate.Syntax, ""},
		{"k op=Exists ", validate.NameUnknown, "operator"},
		{"k op= ", validate.NameUnknown, "operator"},
		{"k op=", validate.Syntax, ""},
		{"k:", validate.Syntax, ""},
		{":", validate.Syntax, ""},
		{"=v", validate.Syntax, ""},
		{"=:NoSchedule", validate.Syntax, ""},
		{"k\top=Exists", validate.InvalidKey, "key"},
		{"k:NoExecute for 5", validate.Syntax, ""},
		{"k:NoExecute for s", validate.Syntax, ""},
		{"k:NoExecute for +5s", validate.Syntax, ""},
		{"k:NoExecute for 05s", validate.Syntax, ""},
		{"k:NoExecute for 5ss", validate.Syntax, ""},
		{"k:NoExecute for 9223372036854775808s", validate.Syntax, ""},
		{" for 5s", validate.Syntax, ""},
		{"k:NoExecute for 5s op=Exists", validate.NameUnknown, ""}, // the order is fixed
		{"k op=Exists op=Exists", validate.Syntax, ""},
		{"k for 5s", validate.SecondsEffect, "tolerationSeconds"},
		{"op=Exists for 5s", validate.SecondsEffect, "tolerationSeconds"},
		{"op=", validate.Syntax, ""},
		{"op=exists", validate.NameUnknown, "operator"},
		{"op=x", validate.NameUnknown, "operator"},
		{"-a", validate.InvalidKey, "key"},
		{"op=Equal", validate.KeyMissing, "key"},
		{"op=Gt", validate.KeyMissing, ""},
		{":NoExecute", validate.KeyMissing, "key"},
		{"op=exists op=Gt", validate.InvalidInteger, "value"},
		{"k op=exists", validate.NameUnknown, "operator"},
		{"k=v op=Exists", validate.ExistsValue, "value"},
		{"op=Exists op=Exists", validate.ExistsValue, "value"},
		{"k=v=w", validate.InvalidValue, "value"},
		{"k:NoSchedule:NoExecute", validate.NameUnknown, "effect"},
		{"k:noexecute", validate.NameUnknown, "effect"},
		{"k\n", validate.InvalidKey, "key"},
	}
	for _, tt := range tests {
		got, err := toleration.Parse(tt.text)
		ps, _ := err.(validate.Problems)
		if !got.IsZero() || len(ps) == 0 {
			t.Errorf("Parse(%q) = %v, %v, want a problem", tt.text, got, err)
			continue
		}
		if tt.path == "" && tt.rule != validate.Syntax {
			continue // several problems
		}
		if len(ps) != 1 || ps[0].Rule != tt.rule || ps[0].Path != tt.path {
			t.Errorf("Parse(%q): %v, want one problem of the rule %q at %q", tt.text, err, tt.rule, tt.path)
		}
	}
	defer func() {
		if _, ok := recover().(validate.Problems); !ok {
			t.Error("MustParse of bad text does not panic with the problems")
		}
	}()
	toleration.MustParse("k op=")
}

func TestJSON(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"K4_all", "a/b=5:NoExecute op=Gt for -3s", `{"key":"a/b","operator":"Gt","value":"5","effect":"NoExecute","tolerationSeconds":-3}`},
		{"K4_absent_left_out", "k", `{"key":"k"}`},
		{"K4_wildcard", "op=Exists", `{"operator":"Exists"}`},
		{"K4_zero_seconds_stay", ":NoExecute op=Exists for 0s", `{"operator":"Exists","effect":"NoExecute","tolerationSeconds":0}`},
		{"K5_zero_is_null", "", `null`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var u toleration.Toleration
			if err := u.UnmarshalText([]byte(tt.text)); err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(u)
			if string(data) != tt.want || err != nil {
				t.Errorf("Marshal = %s, %v, want %s", data, err, tt.want)
			}
			back := toleration.MustParse("other")
			if err := json.Unmarshal(data, &back); err != nil || back != u {
				t.Errorf("K5: Unmarshal(%s) = %v, %v, want %v", data, back, err, u)
			}
		})
	}
}

func TestUnmarshalJSON(t *testing.T) {
	t.Run("K4_property", jsonProperty)
	tests := []struct{ name, json, want, err string }{
		{"K4_lenient", `{"key":"a","key":"k","Operator":"Exists","x":1}`, "k", ""},
		{"K4_null_keeps_strings", `{"key":"a","key":null,"operator":"Exists","operator":null,"effect":"NoExecute","effect":null}`, "a:NoExecute op=Exists", ""},
		{"K4_null_keeps_value", `{"key":"a","value":"v","value":null}`, "a=v", ""},
		{"K4_null_unsets_seconds", `{"key":"a","effect":"NoExecute","tolerationSeconds":300,"tolerationSeconds":null}`, "a:NoExecute", ""},
		{"K4_null_fields", `{"key":"k","operator":null,"value":null,"effect":null,"tolerationSeconds":null}`, "k", ""},
		{"K4_order_of_fields", `{"tolerationSeconds":5,"effect":"NoExecute","operator":"Exists"}`, ":NoExecute op=Exists for 5s", ""},
		{"K5_empty_object", `{}`, "", "key: key is empty; set it, or use the operator Exists"},
		{"V10_order", `{"tolerationSeconds":"1","effect":"No","value":true,"operator":"is","key":"-"}`, "", strings.Join([]string{
			`key "-": the name must begin and end with a letter or digit`,
			`unknown operator "is" (allowed: Equal, Exists, Lt, Gt)`,
			`value true: must be a string, so put it in quotes`,
			`unknown effect "No" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
			`tolerationSeconds "1": must be a whole number within int64, so write it without quotes: 1`}, "\n")},
		{"K5_text", `"k:NoExecute for 5s"`, "k:NoExecute for 5s", ""},
		{"list", `[]`, "", "[]: must be an object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := toleration.MustParse("other=1:NoExecute")
			got := before
			err := json.Unmarshal([]byte(tt.json), &got)
			if tt.err != "" {
				if err == nil || err.Error() != prefixed("toleration.Toleration.UnmarshalJSON: ", tt.err) || got != before {
					t.Errorf("Unmarshal(%s) = %v,\n%v, want\n%s", tt.json, got, err, tt.err)
				}
			} else if err != nil || got != toleration.MustParse(tt.want) {
				t.Errorf("Unmarshal(%s) = %v, %v, want %s", tt.json, got, err, tt.want)
			}
		})
	}
	var got toleration.Toleration
	const want = `toleration.Toleration.UnmarshalJSON("op=exists"): unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)`
	if err := json.Unmarshal([]byte(`"op=exists"`), &got); err == nil || err.Error() != want || !got.IsZero() {
		t.Errorf("K5: Unmarshal of bad text = %v, %v, want %s", got, err, want)
	}
}

// prefixed puts the prefix before each line.
func prefixed(prefix, lines string) string {
	return prefix + strings.ReplaceAll(lines, "\n", "\n"+prefix)
}
