package validate

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Problem is one rule that a value breaks, and where.
//
// All fields may be read by programs; the text of Error is for people and may
// change.
type Problem struct {
	// Func is the function that was given the value, such as "taint.Parse";
	// empty in a list, where Path says all.
	Func string
	// Input is the whole text that Func was given; empty where it was given
	// more than one.
	Input string
	// Path leads to the field to change: "key" in a single taint or
	// toleration, "spec.taints[2].key" in a list, and to the object around it
	// where the field's name is not known. It is empty where the value stands
	// alone.
	Path string
	// Value is what was found there, whole: text as it was given, and what
	// has the wrong type or is given twice as its JSON.
	Value string
	// Rule is the rule that Value breaks.
	Rule Rule
	// Allowed holds the names to choose from when Rule is about an unknown
	// one, and the form to follow when Rule is Syntax. It must not be changed.
	Allowed []string
	// Err is what another package said of the value, when one was asked; nil
	// otherwise.
	Err error
}

// Error tells the problem in one line: what was called or the path, the value,
// quoted once and cut when it is long, and the rule, with the names allowed
// and the nearest of them where there is one.
func (p *Problem) Error() string {
	var b strings.Builder
	if p.Func != "" {
		b.WriteString(p.Func)
		if p.Input != "" || p.Path == "" && p.Rule.ofText() {
			b.WriteString("(" + quote(p.Input) + ")")
		}
		b.WriteString(": ")
	}
	text, named := strings.CutSuffix(p.ruleText(), "%q")
	switch {
	case named: // the value stands in the rule's text
		if p.Func == "" && p.Path != "" {
			b.WriteString(p.Path + ": ")
		}
		b.WriteString(text + quote(p.Value))
	case p.Path == "" && (p.Value == "" || p.Func != "" && p.Value == p.Input):
		b.WriteString(text)
	default:
		b.WriteString(p.Path)
		if p.Value != "" && p.Value != p.Input {
			if p.Path != "" {
				b.WriteByte(' ')
			}
			b.WriteString(p.quoteValue())
		}
		b.WriteString(": " + text)
	}
	p.appendAllowed(&b)
	if p.Err != nil {
		if p.Rule != 0 {
			b.WriteString(": ")
		}
		b.WriteString(p.Err.Error())
	}
	return b.String()
}

// Unwrap returns p.Err.
func (p *Problem) Unwrap() error { return p.Err }

// ruleText returns the rule's text, and for a value of the wrong type the way
// to write it.
func (p *Problem) ruleText() string {
	if p.Rule == 0 {
		return ""
	}
	text, ok := ruleText[p.Rule]
	if !ok {
		text = p.Rule.String()
	}
	switch p.Rule {
	case NotString:
		if p.Value != "" && p.Value[0] != '{' && p.Value[0] != '[' && p.Allowed == nil {
			text += ", so put it in quotes"
		}
	case NotWhole:
		if number, err := strconv.Unquote(p.Value); err == nil {
			if _, r := IntegerRule(number); r == 0 {
				text += ", so write it without quotes: " + number
			}
		}
	}
	return text
}

// quoteValue quotes text; what is not text stands as it was written, so that
// true and "true" look different.
func (p *Problem) quoteValue() string {
	switch p.Rule {
	case NotString, NotWhole, NotTime, NotList, NotObject, FieldRepeated, SecondsEffect:
		return cut(p.Value)
	}
	return quote(p.Value)
}

func (p *Problem) appendAllowed(b *strings.Builder) {
	switch {
	case len(p.Allowed) == 0:
	case p.Rule == Syntax:
		b.WriteString(" " + strings.Join(p.Allowed, " or "))
	default:
		if near := nearest(p.Value, p.Allowed); near != "" {
			b.WriteString(", did you mean " + near + "?")
		}
		b.WriteString(" (allowed: " + strings.Join(p.Allowed, ", ") + ")")
	}
}

// Problems is every problem of an input, in a fixed order: by the input's own
// order, and within one value by key, operator, value, effect, and then
// tolerationSeconds or timeAdded, behind the fields that strict reading does
// not know or finds twice. As an error it is never empty.
//
// It can be ranged over, and errors.Is and errors.As look through it to each
// problem. It is a slice, so comparing two errors that hold one with == panics,
// and errors.Is does not find the Problems itself: use errors.As.
//
// A list with a problem in each of n elements has n problems, each of some
// hundred bytes: limit the size of what a stranger may send.
type Problems []*Problem

// Error tells each problem on a line of its own.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.Error())
	}
	return b.String()
}

// Unwrap returns the problems one by one.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// Err returns ps as an error: nil when there is no problem.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// Append adds the problems that err tells to ps, each as one of the field at
// path: path is put before their own paths, and the function that met them is
// left out. An error that is not one of this module's becomes a problem
// without rule. A nil err adds nothing.
//
//	problems = validate.Append(problems, "spec.taints[2]", err)
func Append(ps Problems, path string, err error) Problems {
	switch err := err.(type) {
	case nil:
	case Problems:
		for _, p := range err {
			ps = append(ps, p.at(path))
		}
	case *Problem:
		if err != nil {
			ps = append(ps, err.at(path))
		}
	default:
		ps = append(ps, &Problem{Path: path, Err: err})
	}
	return ps
}

// at returns a copy of p as a problem of the field at path.
func (p *Problem) at(path string) *Problem {
	q := *p
	q.Func, q.Input = "", ""
	switch {
	case path == "":
	case q.Path == "":
		q.Path = path
	case q.Path[0] == '[':
		q.Path = path + q.Path
	default:
		q.Path = path + "." + q.Path
	}
	return &q
}

// Index returns the path of element i of the list at path.
func Index(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

const (
	longest   = 120 // of a value in an error's text, in bytes
	guessable = 40  // of a misspelt name, in bytes
)

func quote(s string) string { return shorten(s, strconv.Quote) }

// cut is quote for JSON, which brings its own quotes: only what is unprintable
// is escaped.
func cut(s string) string {
	return shorten(s, func(s string) string {
		if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) || r == utf8.RuneError }) {
			return strconv.Quote(s)
		}
		return s
	})
}

func shorten(s string, quote func(string) string) string {
	if len(s) <= longest {
		return quote(s)
	}
	end := longest
	for end > longest-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return quote(s[:end]) + "... (" + strconv.Itoa(len(s)) + " bytes)"
}

// nearest returns the allowed name that s was probably meant to be, "" when
// none is near.
func nearest(s string, allowed []string) string {
	if s == "" || len(s) > guessable {
		return ""
	}
	best, least := "", 3 // at most two edits
	plain := fold(s)
	for _, name := range allowed {
		if longer := len(plain) - len(name); longer >= least || -longer >= least {
			continue
		}
		if d := distance(plain, fold(name)); d < least && d < len(name)/2 {
			best, least = name, d
		}
	}
	return best
}

// fold leaves out what names differ in by convention alone.
func fold(s string) string { return strings.ToLower(conventions.Replace(s)) }

var conventions = strings.NewReplacer("_", "", "-", "", " ", "")

// distance is the number of bytes to insert, delete or replace to make b of a.
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
