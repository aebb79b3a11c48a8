package taint_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// listOf parses taints, which can repeat.
func listOf(texts ...string) taint.List {
	var list taint.List
	for _, text := range texts {
		list = append(list, taint.MustParse(text))
	}
	return list
}

func addedAt(text string, seconds int64) taint.Taint {
	return must(taint.MustParse(text).WithTimeAdded(time.Unix(seconds, 0)))
}

// These are the errors of texts that are not edits.
func TestParseEdit(t *testing.T) {
	const form = `must have the form key=value:Effect or key:Effect or key:Effect- or key-`
	for _, tt := range []struct{ text, want string }{
		{"", `taint.ParseEdit(""): ` + form},
		{"-", `taint.ParseEdit("-"): ` + form},
		{"key", `taint.ParseEdit("key"): ` + form},
		{"key=value", `taint.ParseEdit("key=value"): ` + form},
		{"key=value-", `taint.ParseEdit("key=value-"): ` + form},
		{"key:-", `taint.ParseEdit("key:-"): ` + form},
		{":NoSchedule-", `taint.ParseEdit(":NoSchedule-"): ` + form},
		{"key:NoSchedul-", `taint.ParseEdit("key:NoSchedul-"): unknown effect "NoSchedul", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`},
		{"key--", `taint.ParseEdit("key--"): key "key-": the name must begin and end with a letter or digit`},
		{"k=a/b:NoExecute-", `taint.ParseEdit("k=a/b:NoExecute-"): value "a/b": must contain only letters, digits, '-', '_' and '.'`},
		{"/x=a b:Nope-", `taint.ParseEdit("/x=a b:Nope-"): key "/x": the prefix before '/' must not be empty
taint.ParseEdit("/x=a b:Nope-"): value "a b": must contain only letters, digits, '-', '_' and '.'
taint.ParseEdit("/x=a b:Nope-"): unknown effect "Nope" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`},
	} {
		t.Run(fmt.Sprintf("K2_%q", tt.text), func(t *testing.T) {
			e, err := taint.ParseEdit(tt.text)
			if err == nil || err.Error() != tt.want || !e.IsZero() {
				t.Errorf("ParseEdit(%q) = %v, %v, want %s", tt.text, e, err, tt.want)
			}
			var ps validate.Problems
			if !errors.As(err, &ps) {
				t.Fatalf("ParseEdit(%q) fails with a %T", tt.text, err)
			}
			for _, p := range ps {
				if p.Func != "taint.ParseEdit" || p.Input != tt.text || p.Rule == 0 {
					t.Errorf("ParseEdit(%q) has %+v", tt.text, p)
				}
			}
		})
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
		{"different_effects", "k:NoSchedule k:NoExecute", ""},
		{"removal_of_another_effect", "k:NoSchedule k:NoExecute-", ""},
		{"removed_twice", "k- k- k:NoSchedule-", ""}, // this depends on the node
		{"added_twice", "k:NoSchedule k:NoSchedule", "edits[1] Duplicate"},
		{"added_twice_with_other_values", "k=a:NoSchedule l- k=b:NoSchedule", "edits[2] Duplicate"},
		{"added_and_removed", "k=a:NoSchedule k:NoSchedule-", "edits[1] EditConflict"},
		{"removed_and_added", "k:NoSchedule- k=a:NoSchedule", "edits[1] EditConflict"},
		{"added_and_removed_under_all", "k:NoExecute k-", "edits[1] EditConflict"},
		{"removed_under_all_and_added", "k- k=a:NoExecute l:NoExecute", "edits[1] EditConflict"},
		{"one_problem_an_edit", "k:NoExecute- k:NoExecute k:NoExecute k-", "edits[1] EditConflict, edits[2] Duplicate, edits[3] EditConflict"},
		{"unreadable_beside_clashing", "k:NoSchedul k:NoSchedule k- a=b c/d/e-", "edits[0].effect NameUnknown, edits[2] EditConflict, edits[3] Syntax, edits[4].key KeySlashes"},
	} {
		t.Run("K2_"+tt.name, func(t *testing.T) {
			texts := strings.Fields(tt.texts)
			edits, err := taint.ParseEdits(texts...)
			ps, _ := err.(validate.Problems)
			var got []string
			for _, p := range ps {
				got = append(got, p.Path+" "+p.Rule.String())
			}
			if strings.Join(got, ", ") != tt.want || (err == nil) != (tt.want == "") || err != nil && edits != nil {
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
	t.Run("K2_time_added", applyTimeAdded)
	t.Run("V8_repeats", applyRepeats)
	t.Run("K2_recorded", recordedEdit)
	t.Run("K2_property", func(t *testing.T) { rapid.Check(t, editProperty) })
	t.Run("K2_cases", applyCases)
}

// These are the rules of an edit on a node, each with its error.
func applyCases(t *testing.T) {
	node := taint.List{addedAt("a=1:NoExecute", 1e9), taint.MustParse("b:NoSchedule"), taint.MustParse("c=x:PreferNoSchedule"), taint.MustParse("b:NoExecute")}
	overwrite := taint.EditOptions{Overwrite: true}
	for _, tt := range []struct {
		name  string
		texts string
		opts  taint.EditOptions
		want  string // the list, or the error
	}{
		{"new_come_last", "z:NoSchedule y:NoSchedule", taint.EditOptions{}, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute,z:NoSchedule,y:NoSchedule"},
		{"another_effect_is_new", "a=1:NoSchedule", taint.EditOptions{}, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute,a=1:NoSchedule"},
		{"removed_by_key", "b-", taint.EditOptions{}, "a=1:NoExecute,c=x:PreferNoSchedule"},
		{"removed_by_key_and_effect", "b:NoSchedule-", taint.EditOptions{}, "a=1:NoExecute,c=x:PreferNoSchedule,b:NoExecute"},
		{"removed_under_another_value", "c=y:PreferNoSchedule-", taint.EditOptions{}, "a=1:NoExecute,b:NoSchedule,b:NoExecute"},
		{"added_and_removed", "d:NoSchedule b:NoExecute-", taint.EditOptions{}, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,d:NoSchedule"},
		{"overwritten_in_place", "c=z:PreferNoSchedule", overwrite, "a=1:NoExecute,b:NoSchedule,c=z:PreferNoSchedule,b:NoExecute"},
		{"overwrite_is_modified", "d:NoSchedule", overwrite, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute,d:NoSchedule"},
		{"overwrite_with_the_same", "b:NoSchedule", overwrite, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute"},
		{"overwrite_removes", "b-", overwrite, "a=1:NoExecute,c=x:PreferNoSchedule"},
		{"no_edits", "", taint.EditOptions{}, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute"},
		{"all_removed", "a- b- c-", taint.EditOptions{}, ""},
		{"present", "b:NoSchedule", taint.EditOptions{}, `edits[0] "b:NoSchedule": already present; use Overwrite to replace it`},
		{"present_under_another_value", "c=z:PreferNoSchedule", taint.EditOptions{}, `edits[0] "c=z:PreferNoSchedule": already present; use Overwrite to replace it`},
		{"missing", "d-", overwrite, `edits[0] "d-": not present; use IgnoreAbsent to allow this`},
		{"missing_effect", "c:NoSchedule-", taint.EditOptions{}, `edits[0] "c:NoSchedule-": not present; use IgnoreAbsent to allow this`},
		{"removed_one_after_another", "b- b:NoSchedule-", taint.EditOptions{}, `edits[1] "b:NoSchedule-": not present; use IgnoreAbsent to allow this`},
		{"the_rest_is_left_to_remove", "b:NoSchedule- b-", taint.EditOptions{}, "a=1:NoExecute,c=x:PreferNoSchedule"},
		{"kept", "b:NoSchedule", taint.EditOptions{KeepExisting: true}, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute"},
		{"kept_under_another_value", "c=z:PreferNoSchedule d:NoSchedule", taint.EditOptions{KeepExisting: true}, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute,d:NoSchedule"},
		{"kept_or_overwritten", "c=z:PreferNoSchedule b:NoSchedule", taint.EditOptions{KeepExisting: true, Overwrite: true}, "a=1:NoExecute,b:NoSchedule,c=z:PreferNoSchedule,b:NoExecute"},
		{"absent_ignored", "d- b:PreferNoSchedule-", taint.EditOptions{IgnoreAbsent: true}, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute"},
		{"absent_ignored_beside_others", "b- b:NoSchedule- d:NoSchedule-", taint.EditOptions{IgnoreAbsent: true}, "a=1:NoExecute,c=x:PreferNoSchedule"},
		{"key_replaced", "b=1:PreferNoSchedule", taint.EditOptions{ReplaceKey: true}, "a=1:NoExecute,c=x:PreferNoSchedule,b=1:PreferNoSchedule"},
		{"key_replaced_in_place", "b=1:NoExecute", taint.EditOptions{ReplaceKey: true}, "a=1:NoExecute,c=x:PreferNoSchedule,b=1:NoExecute"},
		{"key_replaced_by_two", "b=1:PreferNoSchedule b=2:NoSchedule", taint.EditOptions{ReplaceKey: true}, "a=1:NoExecute,b=2:NoSchedule,c=x:PreferNoSchedule,b=1:PreferNoSchedule"},
		{"key_replaced_where_absent", "d:NoExecute", taint.EditOptions{ReplaceKey: true}, "a=1:NoExecute,b:NoSchedule,c=x:PreferNoSchedule,b:NoExecute,d:NoExecute"},
		{"key_replaced_beside_a_removal", "b:NoExecute- b=1:NoSchedule", taint.EditOptions{ReplaceKey: true}, "a=1:NoExecute,b=1:NoSchedule,c=x:PreferNoSchedule"},
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

// Times added are kept, set by the edit, or set on new taints.
func applyTimeAdded(t *testing.T) {
	now := time.Unix(2e9, 999)
	node := taint.List{addedAt("a=1:NoExecute", 1e9), taint.MustParse("b:NoExecute"), addedAt("c:NoSchedule", 1e9)}
	for _, tt := range []struct {
		name string
		edit taint.Edit
		want taint.Taint
	}{
		{"overwritten_keeps", mustEdit("a=2:NoExecute"), addedAt("a=2:NoExecute", 1e9)},
		{"overwritten_keeps_none", mustEdit("b=2:NoExecute"), taint.MustParse("b=2:NoExecute")},
		{"overwritten_keeps_of_NoSchedule", mustEdit("c=2:NoSchedule"), addedAt("c=2:NoSchedule", 1e9)},
		{"overwritten_by_an_edit_with_time", taint.Add(addedAt("a=2:NoExecute", 15e8)), addedAt("a=2:NoExecute", 15e8)},
		{"kept_with_its_time", taint.Add(addedAt("a=1:NoExecute", 15e8)), addedAt("a=1:NoExecute", 1e9)},
		{"new_NoExecute", mustEdit("d:NoExecute"), addedAt("d:NoExecute", 2e9)},
		{"new_with_time", taint.Add(addedAt("d:NoExecute", 15e8)), addedAt("d:NoExecute", 15e8)},
		{"new_NoSchedule", mustEdit("d:NoSchedule"), taint.MustParse("d:NoSchedule")},
		{"new_NoSchedule_with_time", taint.Add(addedAt("d:NoSchedule", 15e8)), addedAt("d:NoSchedule", 15e8)},
	} {
		t.Run("K2_"+tt.name, func(t *testing.T) {
			got, err := taint.Apply(node, []taint.Edit{tt.edit}, taint.EditOptions{Overwrite: true, KeepExisting: true, TimeAdded: now})
			if err != nil || !slices.Contains(got, tt.want) {
				t.Errorf("Apply(%v) = %v, %v, without %v", tt.edit, got, err, tt.want)
			}
		})
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

func TestEdit_fields(t *testing.T) {
	if mustEdit("a=1:NoExecute-") != must(removal("a", taint.NoExecute)) {
		t.Error("the value of a removal counts")
	}
	if unsafe.Sizeof(uintptr(0)) == 8 && unsafe.Sizeof(taint.Edit{}) != 32 {
		t.Errorf("an Edit has %d bytes", unsafe.Sizeof(taint.Edit{}))
	}
}

func mustEdit(text string) taint.Edit { return must(taint.ParseEdit(text)) }

func removal(key string, effect taint.Effect) (taint.Edit, error) {
	if effect == 0 {
		return taint.ParseEdit(key + "-")
	}
	return taint.ParseEdit(key + ":" + effect.String() + "-")
}

// edit returns the edit that makes the change, as a text; "" for one that only removes a
// time.
func edit(c taint.Change) string {
	switch {
	case c.After.IsZero():
		return c.Before.String() + "-"
	case c.Before.Canonical() != c.After.Canonical():
		return c.After.String()
	}
	return ""
}
