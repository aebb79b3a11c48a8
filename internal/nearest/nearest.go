// Package nearest finds the name that a misspelled one was probably meant to be.
package nearest

import "strings"

const guessable = 40 // of a misspelled name, in bytes

// Name returns the allowed name that s was probably meant to be, or "" if none is near.
func Name(s string, allowed []string) string {
	if s == "" || len(s) > guessable {
		return ""
	}
	best, least := "", 3 // at most two edits
	plain := fold(s)
	for _, name := range allowed {
		folded := fold(name)
		if longer := len(plain) - len(folded); longer >= least || -longer >= least {
			continue
		}
		if d := distance(plain, folded); d < least && d < len(folded)/2 {
			best, least = name, d
		}
	}
	return best
}

// fold removes differences that are only conventions of spelling.
func fold(s string) string { return strings.ToLower(conventions.Replace(s)) }

var conventions = strings.NewReplacer("_", "", "-", "", " ", "")

// distance is the number of bytes to insert, delete or replace to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1, guessable+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
