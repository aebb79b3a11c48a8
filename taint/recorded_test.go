package taint_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/taint"
)

// Kubernetes' answers are recorded in bench/recorded.

// records returns the taints as they are recorded, nil if there are none.
func records(list taint.List) (out []recorded.Taint) {
	for _, t := range list {
		out = append(out, gen.RecordTaint(t))
	}
	return out
}

func recordedValidate(t *testing.T) {
	valid := 0
	recorded.Each(t, "validate-taints", func(_ recorded.Header, c recorded.ValidateTaints) error {
		data, err := json.Marshal(c.Taints)
		if err != nil {
			return err
		}
		list, _, err := taint.Decode(data, taint.DecodeOptions{Strict: true})
		if (err == nil) != (len(c.Causes) == 0) {
			return fmt.Errorf("Kubernetes finds %d problems, here %v", len(c.Causes), err)
		}
		if err == nil {
			valid++
			if !slices.Equal(records(list), c.Taints) {
				return fmt.Errorf("read as %v", list)
			}
		}
		if got := contract.Paths(err); !slices.Equal(got, c.Ours) {
			return fmt.Errorf("the problems are at %v, want %v", got, c.Ours)
		}
		// A node's list has another path there (V10-paths), so each problem has a
		// difference.
		if (len(c.Differences) > 0) != (len(c.Causes) > 0) {
			return fmt.Errorf("%d causes, and the differences %v", len(c.Causes), c.Differences)
		}
		return nil
	})
	if valid < 100 {
		t.Errorf("only %d lists are valid", valid)
	}
}

func recordedDecode(t *testing.T) {
	accepted, met := 0, map[string]int{}
	recorded.Each(t, "decode-taints", func(_ recorded.Header, c recorded.Decode[recorded.Taint]) error {
		list, _, err := taint.Decode([]byte(c.Text), taint.DecodeOptions{})
		_, _, serr := taint.Decode([]byte(c.Text), taint.DecodeOptions{Strict: true})
		accepts, strict, want := c.Accepted, c.Strict, c.List
		for _, id := range c.Differences {
			switch want = c.Ours; id {
			case "K4-overruled": // only the last of a repeated field counts
				accepts = true
			case "V6-years":
				accepts, strict = false, false
			}
			met[id]++
		}
		if (err == nil) != accepts || (serr == nil) != strict {
			return fmt.Errorf("Kubernetes accepts: %v, strictly %v; here %v, strictly %v", c.Accepted, c.Strict, err, serr)
		}
		if !slices.Equal(records(list), want) {
			return fmt.Errorf("%v, want %v", list, want)
		}
		accepted += len(list)
		return nil
	})
	if accepted < 100 || met["K4-overruled"] < 10 || met["V6-years"] == 0 || met["V6-zero-time"] == 0 {
		t.Errorf("only %d taints are read, and differences are %v", accepted, met)
	}
}

func recordedParse(t *testing.T) {
	read := 0
	recorded.Each(t, "parse", func(_ recorded.Header, c recorded.Parse) error {
		got, err := taint.Parse(c.Text)
		if len(c.Differences) > 0 { // K1-edits: a removal is not a taint
			e, eerr := taint.ParseEdit(c.Text)
			if err == nil || eerr != nil || !e.IsRemoval() {
				return fmt.Errorf("%v: %v, %v; as an edit %v, %v", c.Differences, got, err, e, eerr)
			}
			return nil
		}
		if (err == nil) != (c.Taint != nil) || err == nil && gen.RecordTaint(got) != *c.Taint {
			return fmt.Errorf("%v, %v, want %v", got, err, c.Taint)
		}
		if err == nil {
			read++
		}
		return nil
	})
	if read < 100 {
		t.Errorf("only %d taints are read", read)
	}
}

func recordedEdit(t *testing.T) {
	outcomes := map[string]int{}
	recorded.Each(t, "edit", func(_ recorded.Header, c recorded.Edit) error {
		data, err := json.Marshal(c.Node)
		if err != nil {
			return err
		}
		node, _, err := taint.Decode(data, taint.DecodeOptions{Strict: true})
		if err != nil {
			return err
		}
		var after taint.List
		edits, err := taint.ParseEdits(c.Args...)
		if err == nil {
			after, err = taint.Apply(node, edits, taint.EditOptions{Overwrite: c.Overwrite})
		}
		if slices.Contains(c.Differences, "K2-none") {
			if err != nil || !slices.Equal(after, node) || len(c.Args) > 0 {
				return fmt.Errorf("no edit: %v, %v", after, err)
			}
			return nil
		}
		if (err == nil) != (c.Outcome != "") {
			return fmt.Errorf("%v %v", after, err)
		}
		want := c.After
		if len(c.Differences) > 0 { // K2-order, K2-time-added
			if want = c.Ours; slices.Equal(want, c.After) {
				return fmt.Errorf("%v, and nothing differs", c.Differences)
			}
		}
		if got := records(after); !slices.Equal(got, want) {
			return fmt.Errorf("%v, want %v", got, want)
		}
		outcomes[c.Outcome]++
		return nil
	})
	for _, word := range []string{"", "tainted", "untainted", "modified"} {
		if outcomes[word] < 30 {
			t.Errorf("%d edits have the outcome %q", outcomes[word], word)
		}
	}
}
