package taint_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/taint"
)

// listOf parses taints, which can repeat.
func listOf(texts ...string) taint.List {
	var list taint.List
	for _, text := range texts {
		list = append(list, taint.MustParse(text))
	}
	return list
}

func TestParseEdit(t *testing.T) {
	const text = "/x=a b:Nope-"
	e, err := taint.ParseEdit(text)
	want := prefixed(`taint.ParseEdit("/x=a b:Nope-"): `, `key "/x": the prefix before '/' must not be empty
value "a b": must contain only letters, digits, '-', '_' and '.'
unknown effect "Nope" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`)
	if err == nil || err.Error() != want || !e.IsZero() {
		t.Errorf("K2: ParseEdit(%q) = %v, %v, want %s", text, e, err, want)
	}
	if _, err := taint.ParseEdit("key:-"); err == nil || !strings.HasPrefix(err.Error(), `taint.ParseEdit("key:-"): must have the form `) {
		t.Errorf("K2: ParseEdit of an empty effect: %v", err)
	}
}

// The error has every problem of the arguments of one call, in order, with its path and
// rule.
func TestParseEdits(t *testing.T) {
	for _, tt := range []struct {
		name, texts string
		want        string // path and rule of each problem
	}{
		{"none", "", ""},
		{"removed_twice", "k- k- k:NoSchedule-", ""}, // this depends on the node
		{"added_twice_with_other_values", "k=a:NoSchedule l- k=b:NoSchedule", "edits[2] Duplicate"},
		{"one_problem_an_edit", "k:NoExecute- k:NoExecute k:NoExecute k-", "edits[1] EditConflict, edits[2] Duplicate, edits[3] EditConflict"},
		{"unreadable_beside_clashing", "k:NoSchedul k:NoSchedule k- a=b c/d/e-", "edits[0].effect NameUnknown, edits[2] EditConflict, edits[3] Syntax, edits[4].key InvalidKey"},
	} {
		t.Run("K2_"+tt.name, func(t *testing.T) {
			texts := strings.Fields(tt.texts)
			edits, err := taint.ParseEdits(texts...)
			if strings.Join(contract.Reports(err), ", ") != tt.want || (err == nil) != (tt.want == "") || err != nil && edits != nil {
				t.Errorf("ParseEdits(%q) = %v, %v, want problems: %s", texts, edits, err, tt.want)
			}
			if err == nil && !slices.Equal(edits, editsOf(texts...)) {
				t.Errorf("ParseEdits(%q) = %v", texts, edits)
			}
		})
	}
}

func TestApply(t *testing.T) {
	t.Run("K2_zero_edit", applyZeroEdit)
	t.Run("V8_repeats", applyRepeats)
	t.Run("K2_recorded", recordedEdit)
	t.Run("K2_property", rapid.MakeCheck(editProperty))
	t.Run("K2_cases", applyCases)
	t.Run("K2_kept_time", applyKeptTime)
}

// With KeepExisting, a taint of the same value keeps its time, whatever that of the edit.
func applyKeptTime(t *testing.T) {
	old, later := must(taint.MustParse("a=1:NoExecute").WithTimeAdded(time.Unix(1e9, 0))), must(taint.MustParse("a=1:NoExecute").WithTimeAdded(time.Unix(2e9, 0)))
	for opts, want := range map[taint.EditOptions]taint.Taint{
		{Overwrite: true}:                      later,
		{Overwrite: true, KeepExisting: true}:  old,
		{ReplaceKey: true, KeepExisting: true}: old,
		{KeepExisting: true}:                   old,
	} {
		if got, err := taint.Apply(taint.List{old}, []taint.Edit{taint.Add(later)}, opts); err != nil || !slices.Equal(got, taint.List{want}) {
			t.Errorf("Apply with %+v = %#v, %v, want %#v", opts, got, err, want)
		}
	}
}

// These are the rules of an edit on a node, each with its error.
func applyCases(t *testing.T) {
	node := taint.MustParseList("a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute")
	node[0] = must(node[0].WithTimeAdded(time.Unix(1e9, 0)))
	overwrite := taint.EditOptions{Overwrite: true}
	for _, tt := range []struct {
		name  string
		texts string
		opts  taint.EditOptions
		want  string // the list, or the error
	}{
		{"new_come_last", "z:NoSchedule y:NoSchedule", taint.EditOptions{}, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute,z:NoSchedule,y:NoSchedule"},
		{"overwritten_in_place", "c=z:PreferNoSchedule", overwrite, "a=1:NoExecute,b:NoSchedule,c=z:PreferNoSchedule,b:NoExecute"},
		{"present_under_another_value", "c=z:PreferNoSchedule", taint.EditOptions{}, `edits[0] "c=z:PreferNoSchedule": already present; use Overwrite to replace it`},
		{"missing", "d-", overwrite, `edits[0] "d-": not present; use IgnoreAbsent to allow this`},
		{"removed_one_after_another", "b- b:NoSchedule-", taint.EditOptions{}, `edits[1] "b:NoSchedule-": not present; use IgnoreAbsent to allow this`},
		{"kept_under_another_value", "c=z:PreferNoSchedule d:NoSchedule", taint.EditOptions{KeepExisting: true}, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute,d:NoSchedule"},
		{"kept_or_overwritten", "c=z:PreferNoSchedule b:NoSchedule", taint.EditOptions{KeepExisting: true, Overwrite: true}, "a=1:NoExecute,b:NoSchedule,c=z:PreferNoSchedule,b:NoExecute"},
		{"key_replaced_by_two", "b=1:PreferNoSchedule b=2:NoSchedule", taint.EditOptions{ReplaceKey: true}, "a=1:NoExecute,b=2:NoSchedule,c=x:PreferNoSchedule,b=1:PreferNoSchedule"},
		{"a_replaced_key_is_no_removal", "b- b:NoSchedule", taint.EditOptions{ReplaceKey: true, IgnoreAbsent: true}, `edits[1] "b:NoSchedule": must not be both added and removed`},
		{"all_at_once", "d- b:NoSchedule e:NoExecute e=1:NoExecute c-  c=x:PreferNoSchedule", taint.EditOptions{},
			`edits[0] "d-": not present; use IgnoreAbsent to allow this
edits[1] "b:NoSchedule": already present; use Overwrite to replace it
edits[3] "e=1:NoExecute": repeats the key and effect of an earlier taint
edits[5] "c=x:PreferNoSchedule": must not be both added and removed`},
		{"year", "d:NoExecute e-", taint.EditOptions{TimeAdded: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
			`edits[1] "e-": not present; use IgnoreAbsent to allow this
timeAdded "10000-01-01 00:00:00 +0000 UTC": must be in the years 1 to 9999`},
	} {
		t.Run("K2_"+tt.name, func(t *testing.T) {
			edits := editsOf(strings.Fields(tt.texts)...)
			got, err := taint.Apply(node, edits, tt.opts)
			text := got.String()
			if err != nil {
				text = err.Error()
				if got != nil {
					t.Errorf("Apply gives %v beside an error", got)
				}
			}
			if text != tt.want {
				t.Errorf("Apply(%v) =\n%s, want\n%s", edits, text, tt.want)
			}
			if tt.name != "year" {
				checkApply(t, node, edits, tt.opts)
			}
		})
	}
}

func applyZeroEdit(t *testing.T) {
	_, err := taint.Apply(listOf("k:NoSchedule"), []taint.Edit{{}, taint.Add(taint.Taint{})}, taint.EditOptions{})
	want := "edits[0]: must not be the zero value\nedits[1]: must not be the zero value"
	if err == nil || err.Error() != want {
		t.Errorf("Apply of zero edits: %v, want %s", err, want)
	}
}

// A node never has repeats and zero Taints, but a list can have them.
func applyRepeats(t *testing.T) {
	node := taint.List{{}, taint.MustParse("a=1:NoSchedule"), taint.MustParse("b:NoSchedule"), taint.MustParse("a=2:NoSchedule"), taint.MustParse("b:NoSchedule")}
	for text, want := range map[string]string{
		"a=3:NoSchedule": "(invalid taint),a=3:NoSchedule,b:NoSchedule,b:NoSchedule",
		"a-":             "(invalid taint),b:NoSchedule,b:NoSchedule",
	} {
		got, err := taint.Apply(node, editsOf(text), taint.EditOptions{Overwrite: true})
		if got.String() != want || !got[0].IsZero() || err != nil {
			t.Errorf("Apply(%s) = %v, %v, want %s", text, got, err, want)
		}
	}
}

func mustEdit(text string) taint.Edit { return must(taint.ParseEdit(text)) }
