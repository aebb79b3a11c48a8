package syntax

// Key returns the constraints that s breaks as a key. A text with two slashes has no
// prefix and no name, so it breaks only keySlashes.
//
// A short text goes through an automaton: the row of a byte has, at the bits of each
// state, the state that follows it, so that a step is one shift: BenchmarkKey.
func Key(s string) Set {
	if len(s) <= maxName {
		state := begin
		for i := range len(s) {
			state = rows[s[i]] >> (state % 64)
		}
		if valid>>(state%64)&1 != 0 {
			return 0
		}
	}
	return badKey(s)
}

// The states are the numbers of the first of their six bits in a row. A text that can
// be a prefix is a name, if no slash follows.
const (
	_           uint64 = 6 * iota // invalid
	begin                         // no byte yet
	prefixAlnum                   // a possible prefix, up to a letter or digit
	prefixDash                    // up to a dash
	prefixDot                     // up to a dot
	nameAlnum                     // not a possible prefix, up to a letter or digit
	nameMark                      // up to another byte
	slash                         // a prefix and the slash
	lastAlnum                     // a prefix and the beginning of a name, up to a letter or digit
	lastMark                      // up to another byte

	valid uint64 = 1<<prefixAlnum | 1<<nameAlnum | 1<<lastAlnum
)

var rows = func() (t [256]uint64) {
	for _, next := range [...]struct{ state, lower, upper, underscore, dash, dot, slash uint64 }{
		{begin, prefixAlnum, nameAlnum, 0, 0, 0, 0},
		{prefixAlnum, prefixAlnum, nameAlnum, nameMark, prefixDash, prefixDot, slash},
		{prefixDash, prefixAlnum, nameAlnum, nameMark, prefixDash, nameMark, 0},
		{prefixDot, prefixAlnum, nameAlnum, nameMark, nameMark, nameMark, 0},
		{nameAlnum, nameAlnum, nameAlnum, nameMark, nameMark, nameMark, 0},
		{nameMark, nameAlnum, nameAlnum, nameMark, nameMark, nameMark, 0},
		{slash, lastAlnum, lastAlnum, 0, 0, 0, 0},
		{lastAlnum, lastAlnum, lastAlnum, lastMark, lastMark, lastMark, 0},
		{lastMark, lastAlnum, lastAlnum, lastMark, lastMark, lastMark, 0},
	} {
		for c := range t {
			if class[c]&low != 0 {
				t[c] |= next.lower << next.state
			} else if class[c]&alnum != 0 {
				t[c] |= next.upper << next.state
			}
		}
		t['_'] |= next.underscore << next.state
		t['-'] |= next.dash << next.state
		t['.'] |= next.dot << next.state
		t['/'] |= next.slash << next.state
	}
	return t
}()
