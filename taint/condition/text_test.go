package condition_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// changes has one Reconciled of each kind, the zero one first.
func changes() []condition.Reconciled {
	var all []condition.Reconciled
	for _, taints := range []taint.List{nil, {taint.MustParse(condition.NotReady + ":NoExecute")}, {taint.MustParse(condition.Unschedulable + "=x:NoSchedule")}} {
		for _, status := range []string{condition.StatusTrue, condition.StatusFalse, condition.StatusUnknown} {
			for _, pace := range []bool{false, true} {
				node := condition.NodeStatus{Taints: taints, Conditions: []condition.Condition{{Type: "Ready", Status: status}}}
				_, c := condition.Reconcile(node, condition.Options{AtOnce: pace})
				if !slices.ContainsFunc(all, c.Equal) {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

func TestReconciled_contract(t *testing.T) {
	all := changes()
	contract.Result[condition.Reconciled]{Samples: all}.Test(t)
	for i, c := range all {
		for j, d := range all {
			if c.Equal(d) != (i == j) || cmp.Equal(c, d) != (i == j) {
				t.Errorf("(%v).Equal(%v) = %v, and go-cmp says %v", c, d, c.Equal(d), cmp.Equal(c, d))
			}
		}
		// The JSON has the taints that the methods return.
		var got struct {
			Added, Removed taint.List
			Waiting        taint.Taint
		}
		data, err := json.Marshal(c)
		if err == nil {
			err = json.Unmarshal(data, &got)
		}
		want := got
		want.Added, want.Removed = nil, nil
		for _, u := range c.Added() {
			want.Added = append(want.Added, u)
		}
		for _, u := range c.Removed() {
			want.Removed = append(want.Removed, u)
		}
		want.Waiting, _ = c.Waiting()
		if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); err != nil || diff != "" {
			t.Errorf("JSON of %v is %s, %v (-want +got):\n%s", c, data, err, diff)
		}
	}
}

// A Selector has a slice, so it is not comparable.
func TestSelector_contract(t *testing.T) {
	texts := []string{"", "k", "k=", "k=v", "k:NoExecute", "k*", "*", "a,b", "b,a"}
	for i, text := range texts {
		c := selector(text)
		for j, other := range texts {
			d := selector(other)
			if c.Equal(d) != (i == j) || cmp.Equal(c, d) != (i == j) {
				t.Errorf("(%q).Equal(%q) = %v, and go-cmp says %v", text, other, c.Equal(d), cmp.Equal(c, d))
			}
		}
		want := fmt.Sprintf("func() condition.Selector { s, _ := condition.ParseSelector(%q); return s }()", text)
		if text == "" {
			want = "condition.Selector{}"
		}
		if got := fmt.Sprintf("%#v", c); got != want {
			t.Errorf("%%#v prints %s, want %s", got, want)
		}
		type config struct{ C condition.Selector }
		data, err := json.Marshal(config{c})
		got := config{selector(condition.Unschedulable)}
		if err == nil {
			err = json.Unmarshal(data, &got)
		}
		if err != nil || !got.C.Equal(c) {
			t.Errorf("JSON of %q, %s, is read back as %v, %v", text, data, got, err)
		}
	}
}
