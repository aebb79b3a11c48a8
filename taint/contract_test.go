package taint_test

import (
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/taint"
)

// Each type of the package has what every Go program expects of a value.
func TestContract(t *testing.T) {
	t.Run("K5_Taint", taints().Test)
	t.Run("K5_Edit", edits().Test)
	t.Run("K5_Change", changes().Test)
	t.Run("K5_Effect", contract.Enum[taint.Effect]{Names: map[taint.Effect]string{
		0: "", taint.NoSchedule: "NoSchedule", taint.PreferNoSchedule: "PreferNoSchedule", taint.NoExecute: "NoExecute",
	}}.Test)
}

// invalid are texts that are neither taints nor edits.
var invalid = []string{
	" ", "k", "k=v", "k:", ":NoSchedule", "k:NoSchedul", "k:NoSchedule ", "-k:NoSchedule",
	"{", "{}", `{"key":"k"}`, "\x00",
}

func taints() contract.Value[taint.Taint] {
	drain := taint.MustParse("drain:NoExecute")
	return contract.Value[taint.Taint]{
		Samples: taint.List{
			{},
			taint.MustParse("dedicated=gpu:NoSchedule"),
			taint.MustParse("dedicated:PreferNoSchedule"),
			taint.MustParse("dedicated=cpu:NoExecute"),
			drain,
			must(drain.WithTimeAdded(time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC))),
			must(drain.WithTimeAdded(time.Date(2026, 11, 22, 3, 4, 5, 0, time.UTC))),
			must(drain.WithTimeAdded(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))),
			taint.MustParse("drain=1:NoExecute"),
			taint.MustParse("example.com/A_b.c-1=A_b.c-1:NoSchedule"),
		},
		Invalid: append([]string{"k-", "k:NoSchedule-", "k:NoSchedule,k:NoExecute"}, invalid...),
		Text:    taint.Taint.Canonical,
	}
}

func edits() contract.Value[taint.Edit] {
	drain := taint.MustParse("drain:NoExecute")
	withoutTime := func(e taint.Edit) taint.Edit {
		if e.IsRemoval() {
			return e
		}
		return taint.Add(e.Taint().Canonical())
	}
	return contract.Value[taint.Edit]{
		Samples: []taint.Edit{
			{},
			mustEdit("dedicated-"),
			mustEdit("dedicated:NoSchedule"),
			mustEdit("dedicated=gpu:NoSchedule"),
			mustEdit("dedicated:NoSchedule-"),
			taint.Add(drain),
			taint.Add(must(drain.WithTimeAdded(time.Date(2026, 11, 22, 3, 4, 5, 0, time.UTC)))),
			mustEdit("drain=1:NoExecute"),
			mustEdit("drain:NoExecute-"),
			mustEdit("example.com/A_b.c-1-"),
		},
		Invalid: append([]string{"-", "k=-", "k=v-", "k:-", "k--", "k:NoSchedul-", "-k-"}, invalid...),
		Text:    withoutTime,
		JSON:    withoutTime,
	}
}

func changes() contract.Result[taint.Change] {
	gpu, cpu := taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("dedicated=cpu:NoSchedule")
	timed := must(gpu.WithTimeAdded(time.Unix(1e9, 0)))
	return contract.Result[taint.Change]{Samples: []taint.Change{
		{},
		{After: gpu},
		{Before: gpu},
		{Before: gpu, After: cpu},
		{Before: cpu, After: gpu},
		{Before: gpu, After: timed},
		{Before: timed, After: gpu},
	}}
}

func TestChange_String(t *testing.T) {
	gpu, cpu := taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("dedicated=cpu:NoSchedule")
	timed := must(gpu.WithTimeAdded(time.Unix(1e9, 0)))
	for _, tt := range []struct {
		change taint.Change
		want   string
	}{
		{taint.Change{}, ""},
		{taint.Change{Before: gpu, After: gpu}, ""},
		{taint.Change{After: gpu}, "added dedicated=gpu:NoSchedule"},
		{taint.Change{Before: timed}, "removed dedicated=gpu:NoSchedule"},
		{taint.Change{Before: timed, After: cpu}, "value changed dedicated=gpu:NoSchedule to dedicated=cpu:NoSchedule"},
		{taint.Change{Before: timed, After: gpu}, "time changed dedicated=gpu:NoSchedule from 2001-09-09T01:46:40Z to none"},
		{taint.Change{Before: gpu, After: timed}, "time changed dedicated=gpu:NoSchedule from none to 2001-09-09T01:46:40Z"},
	} {
		if got := tt.change.String(); got != tt.want {
			t.Errorf("String() = %q, want %q", got, tt.want)
		}
	}
}
