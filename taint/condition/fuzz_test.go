package condition_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// FuzzSelector compares selectors and their text with regular expressions.
func FuzzSelector(f *testing.F) {
	f.Add("k,k=v:NoSchedule,example.com/*", "k=v:NoSchedule,example.com/a:NoExecute")
	f.Add("*:NoExecute", "k:NoExecute,k:NoSchedule")
	f.Add("k=,k*,a.b*", "k:NoSchedule,a.b/c=d:NoExecute")
	f.Add("k=v:,=,:", "")
	f.Add("!k=v,k", "k:NoSchedule,k=v:NoSchedule")
	f.Fuzz(func(t *testing.T, text, taints string) {
		checkSelectorText(t, text)
		if _, err := condition.ParseSelector(text); err != nil || strings.Count(text, ",") > 20 {
			return
		}
		if list, err := taint.ParseList(taints); err == nil && len(list) < 20 {
			checkSelector(t, text, append(list, taint.Taint{}))
		}
	})
}
