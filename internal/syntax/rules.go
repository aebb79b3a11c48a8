package syntax

import "strings"

// A Set is the constraints that a text breaks: bit n is constraint n.
type Set uint16

const (
	keyEmpty = iota
	keySlashes
	prefixEmpty
	prefixTooLong
	prefixForm
	nameEmpty
	nameTooLong
	nameBytes
	nameEnds
	valueTooLong
	valueBytes
	valueEnds
	integerForm
	integerRange
)

var texts = [...]string{
	keyEmpty:      "must not be empty",
	keySlashes:    "must contain at most one '/'",
	prefixEmpty:   "the prefix before '/' must not be empty",
	prefixTooLong: "the prefix before '/' must be at most 253 bytes long",
	prefixForm: "the prefix before '/' must be a DNS subdomain: lower-case letters, digits, '-' and '.', " +
		"each label beginning and ending with a letter or digit",
	nameEmpty:    "the name after '/' must not be empty",
	nameTooLong:  "the name must be at most 63 bytes long",
	nameBytes:    "the name must contain only letters, digits, '-', '_' and '.'",
	nameEnds:     "the name must begin and end with a letter or digit",
	valueTooLong: "must be at most 63 bytes long",
	valueBytes:   "must contain only letters, digits, '-', '_' and '.'",
	valueEnds:    "must begin and end with a letter or digit",
	integerForm:  "must be a decimal integer such as 0, 42 or -7",
	integerRange: "must be within int64",
}

// String returns what the constraints require, "" of none.
func (s Set) String() string {
	var broken []string
	for i, text := range texts {
		if s>>i&1 != 0 {
			broken = append(broken, text)
		}
	}
	return strings.Join(broken, "; ")
}
