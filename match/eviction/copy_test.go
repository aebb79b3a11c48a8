package eviction_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/copies"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// testOnly are the methods that the package has only for its tests.
var testOnly = []string{"Bytes", "Cap", "Invariants", "Pop"}

func TestCopies(t *testing.T) {
	copies.Check(t, "eviction.Queue", func(q *eviction.Queue[int]) { q.Set(q.Len(), noon) }, testOnly...)
	copies.Check(t, "eviction.Schedule", func(s *eviction.Schedule[int]) {
		s.Update(s.Len(), taint.List{taint.MustParse("x:NoExecute")}, noon, toleration.First, pod("x:NoExecute for 300s"))
	}, testOnly...)
}
