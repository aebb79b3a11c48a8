package main

import (
	"cmp"
	"slices"

	"github.com/go-tolerate/tolerate/match/lint"
)

// A finding is what is told of one place in a file.
type finding struct {
	file         string
	begin        int // the offset
	line, column int
	end          int  // the column behind what is meant, 0 when that is unknown
	atKey        bool // it is about a field's name
	severity     lint.Severity
	rule         string
	object       string
	path         string
	message      string
	list         *checked
	mend         *mend // nil when nobody but its author can know
}

// compare orders findings as they stand in their file; it is below 0 when f comes
// first.
func (f *finding) compare(g *finding) int {
	return cmp.Or(cmp.Compare(f.line, g.line), cmp.Compare(f.column, g.column), cmp.Compare(f.path, g.path), cmp.Compare(f.rule, g.rule))
}

func sortFindings(list []*finding) { slices.SortStableFunc(list, (*finding).compare) }

// A note is what is told beside findings: what was skipped, and what failed.
type note struct {
	file    string
	line    int // 0 when it is about the whole file
	message string
}
