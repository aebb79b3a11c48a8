package validate_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/internal/rule"
	"github.com/go-tolerate/tolerate/validate"
)

func TestCause(t *testing.T) {
	t.Run("K5", contract.Enum[validate.Cause]{Names: map[validate.Cause]string{
		0:                          "",
		validate.CauseRequired:     "FieldValueRequired",
		validate.CauseInvalid:      "FieldValueInvalid",
		validate.CauseTypeInvalid:  "FieldValueTypeInvalid",
		validate.CauseNotSupported: "FieldValueNotSupported",
		validate.CauseDuplicate:    "FieldValueDuplicate",
		validate.CauseForbidden:    "FieldValueForbidden",
		validate.CauseTooMany:      "FieldValueTooMany",
	}}.Test)
}

// The cause of every rule.
func TestRule_Cause(t *testing.T) {
	causes := map[validate.Cause][]validate.Rule{
		validate.CauseRequired: {rule.EffectMissing, rule.ZeroValue},
		validate.CauseInvalid: {
			rule.KeyEmpty, rule.KeySlashes, rule.PrefixEmpty, rule.PrefixTooLong, rule.PrefixForm, rule.NameEmpty, rule.NameTooLong,
			rule.NameBytes, rule.NameEnds, rule.ValueTooLong, rule.ValueBytes, rule.ValueEnds, rule.IntegerForm, rule.IntegerRange,
			rule.Syntax, rule.NotJSON, rule.NotTime, rule.FieldUnknown, rule.FieldRepeated, rule.TimeRange,
			rule.EditConflict, rule.EditPresent, rule.EditAbsent,
			rule.OperatorMissing, rule.ExistsValue, rule.NumericKey, rule.SecondsEffect, rule.InvalidClause,
			rule.SelectorEmpty,
		},
		validate.CauseTypeInvalid:  {rule.NotList, rule.NotObject, rule.NotString, rule.NotWhole},
		validate.CauseNotSupported: {rule.NameUnknown, rule.NumericOff},
		validate.CauseDuplicate:    {rule.Duplicate},
		validate.CauseForbidden:    {rule.NotKept, rule.NotWhitelisted, rule.NotAllowed},
		validate.CauseTooMany:      {rule.TooManyTaints},
	}
	of := map[validate.Rule]validate.Cause{0: 0}
	for cause, rules := range causes {
		for _, r := range rules {
			of[r] = cause
		}
	}
	for r, name := range ruleNames() {
		if want, ok := of[r]; !ok || r.Cause() != want {
			t.Errorf("%s has the cause %v, want %v", name, r.Cause(), want)
		}
	}
	if got := validate.Rule(255).Cause(); got != 0 {
		t.Errorf("Rule(255) has the cause %v", got)
	}
}
