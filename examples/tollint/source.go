package main

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// A source is the text of one input.
type source struct {
	name  string
	text  string
	lines []int // where each line begins
}

func newSource(name, text string) *source {
	return &source{name, text, lineStarts(text, false)}
}

// position returns the line and the column, in characters, at an offset, both
// from 1.
func (s *source) position(offset int) (line, column int) {
	line = sort.SearchInts(s.lines, offset+1)
	begin := s.lines[line-1]
	return line, utf8.RuneCountInString(s.text[begin:offset]) + 1
}

// lineAt returns the part of the text that is the line around the offset, without
// and with its end.
func (s *source) lineAt(offset int) (begin, end, next int) {
	line, _ := s.position(offset)
	begin, next = s.lines[line-1], len(s.text)
	if line < len(s.lines) {
		next = s.lines[line]
	}
	return begin, begin + len(strings.TrimRight(s.text[begin:next], "\r\n")), next
}

// lineStarts returns where the lines begin, as editors count them, or as YAML 1.1
// does, which knows three more ends of a line.
func lineStarts(text string, yaml11 bool) []int {
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		end := 0
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "\r\n"):
			end = 2
		case rest[0] == '\n', rest[0] == '\r':
			end = 1
		case yaml11 && strings.HasPrefix(rest, "\u0085"):
			end = 2
		case yaml11 && (strings.HasPrefix(rest, "\u2028") || strings.HasPrefix(rest, "\u2029")):
			end = 3
		}
		if end > 0 {
			starts = append(starts, i+end)
			i += end - 1
		}
	}
	return starts
}
