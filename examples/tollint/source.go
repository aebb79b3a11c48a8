package main

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// A source is the text of one input.
type source struct {
	name    string
	text    string
	lines   []int // where each line begins
	runes   []int // number of characters before each block of bytes
	ignored map[[2]int]ignoring
}

// block is the number of bytes after which the characters are counted, so that a
// position in a long line is found without reading the whole line.
const block = 512

func newSource(name, text string) *source {
	s := &source{name: name, text: text, lines: lineStarts(text, false)}
	count := 0
	for at := 0; at < len(text); at += block {
		s.runes = append(s.runes, count)
		for i := at; i < min(at+block, len(text)); i++ {
			if utf8.RuneStart(text[i]) {
				count++
			}
		}
	}
	s.runes = append(s.runes, count)
	return s
}

// runesBefore returns the number of characters that begin before the offset.
func (s *source) runesBefore(offset int) int {
	n := s.runes[offset/block]
	for i := offset / block * block; i < offset; i++ {
		if utf8.RuneStart(s.text[i]) {
			n++
		}
	}
	return n
}

// forward returns the offset n characters after another one, or the end of the
// text.
func (s *source) forward(offset, n int) int {
	n += s.runesBefore(offset)
	i := max(sort.SearchInts(s.runes, n+1)-1, 0) * block
	left := n - s.runes[i/block]
	for ; i < len(s.text); i++ {
		if utf8.RuneStart(s.text[i]) {
			if left == 0 {
				return i
			}
			left--
		}
	}
	return len(s.text)
}

// position returns the line and the column (in characters) of an offset, both from
// 1.
func (s *source) position(offset int) (line, column int) {
	line = sort.SearchInts(s.lines, offset+1)
	begin := s.lines[line-1]
	return line, s.runesBefore(offset) - s.runesBefore(begin) + 1
}

// lineAt returns the begin of the line at the offset, its end, and the begin of
// the next line.
func (s *source) lineAt(offset int) (begin, end, next int) {
	line, _ := s.position(offset)
	begin, next = s.lines[line-1], len(s.text)
	if line < len(s.lines) {
		next = s.lines[line]
	}
	return begin, begin + len(strings.TrimRight(s.text[begin:next], "\r\n")), next
}

// lineStarts returns where the lines begin, for editors or for YAML 1.1, which has
// three more line ends.
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

// An ignoring is what the comments of some lines suppress.
type ignoring struct {
	all   bool
	rules []string
}

const ignore = "tollint:ignore"

// ignores returns the rules that the comments from one offset to another suppress,
// or that they suppress all. It caches the result, because many elements can be in
// one line.
func (s *source) ignores(from, to int) (all bool, rules []string) {
	place := [2]int{from, to}
	if known, ok := s.ignored[place]; ok {
		return known.all, known.rules
	}
	for line := range strings.Lines(s.text[from:to]) {
		_, comment, found := strings.Cut(line, "#")
		if !found {
			continue
		}
		_, names, found := strings.Cut(comment, ignore)
		if !found {
			continue
		}
		names, _, _ = strings.Cut(names, ":") // a reason can follow
		fields := strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune(" ,\t\r\n", r) })
		all = all || len(fields) == 0
		rules = append(rules, fields...)
	}
	if s.ignored == nil {
		s.ignored = make(map[[2]int]ignoring)
	}
	s.ignored[place] = ignoring{all, rules}
	return all, rules
}
