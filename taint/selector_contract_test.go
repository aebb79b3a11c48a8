package taint_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/taint"
)

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
		want := fmt.Sprintf("taint.MustParseSelector(%q)", text)
		if text == "" {
			want = "taint.Selector{}"
		}
		if got := fmt.Sprintf("%#v", c); got != want {
			t.Errorf("%%#v prints %s, want %s", got, want)
		}
		var back taint.Selector
		if data, err := json.Marshal(c); err != nil || json.Unmarshal(data, &back) != nil || !back.Equal(c) {
			t.Errorf("JSON of %q, %s, is read back as %v, %v", text, data, back, err)
		}
	}
}
