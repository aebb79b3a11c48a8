package main

import (
	"cmp"
	"slices"

	"github.com/go-tolerate/tolerate/match/lint"
)

// A finding is a mistake at one place in a file.
type finding struct {
	file         string
	begin        int // the offset
	line, column int
	end          int  // the column after it, 0 if it is unknown
	atKey        bool // the mistake is in a field name
	severity     lint.Severity
	rule         string
	object       string
	path         string
	message      string
	list         *checked
	mend         *mend // nil if there is no fix
}

// compare orders the findings of a file by position.
func (f *finding) compare(g *finding) int {
	return cmp.Or(cmp.Compare(f.line, g.line), cmp.Compare(f.column, g.column), cmp.Compare(f.path, g.path), cmp.Compare(f.rule, g.rule))
}

func sortFindings(list []*finding) { slices.SortStableFunc(list, (*finding).compare) }

// A note describes input that was skipped or could not be read.
type note struct {
	file    string
	line    int // 0 for the whole file
	message string
}
