package syntax

// isKey reports whether s is a key, except for the lengths of its parts. It is an
// automaton: the row of a byte has, at the bits of each state, the state that
// follows it, so that a step is one shift: BenchmarkKey.
func isKey(s string) bool {
	state := begin
	for i := range len(s) {
		state = rows[s[i]] >> (state % 64)
	}
	state %= 64
	return state == prefixAlnum || state == nameAlnum || state == lastAlnum
}

// The states are the numbers of the first of their six bits in a row. A text that can
// be a prefix is a name, if no slash follows.
const (
	invalid     uint64 = 6 * iota
	begin              // no byte yet
	prefixAlnum        // a possible prefix, up to a letter or digit
	prefixDash         // up to a dash
	prefixDot          // up to a dot
	nameAlnum          // not a possible prefix, up to a letter or digit
	nameMark           // up to another byte
	slash              // a prefix and the slash
	lastAlnum          // a prefix and the beginning of a name, up to a letter or digit
	lastMark           // up to another byte
	end
)

var rows = func() (t [256]uint64) {
	for c := range t {
		for state := begin; state < end; state += 6 {
			t[c] |= after(state, byte(c)) << state
		}
	}
	return t
}()

// after returns the state that follows state when the next byte is c.
func after(state uint64, c byte) uint64 {
	is := class[c]
	switch state {
	case begin, prefixAlnum, prefixDash, prefixDot:
		switch {
		case is&low != 0:
			return prefixAlnum
		case is&alnum != 0:
			return nameAlnum
		case state == begin:
			return invalid
		case c == '/' && state == prefixAlnum:
			return slash
		case c == '-' && state != prefixDot:
			return prefixDash
		case c == '.' && state == prefixAlnum:
			return prefixDot
		case is&inName != 0:
			return nameMark
		}
	case nameAlnum, nameMark:
		switch {
		case is&alnum != 0:
			return nameAlnum
		case is&inName != 0:
			return nameMark
		}
	case slash, lastAlnum, lastMark:
		switch {
		case is&alnum != 0:
			return lastAlnum
		case is&inName != 0 && state != slash:
			return lastMark
		}
	}
	return invalid
}
