package match

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// RedactedValue stands where a value is left out. It cannot be a value itself,
// so that no parser takes a redacted text or its JSON for a taint or a
// toleration.
//
// What has no value is written as ever: that it has none is not hidden.
const RedactedValue = "…"

var redactedValue = []byte(RedactedValue)

// A RedactedTaint is a taint that is written without its value:
//
//	match.RedactedTaint(t).String() // dedicated=…:NoSchedule
type RedactedTaint taint.Taint

// String returns the text of the taint, with [RedactedValue] in the place of
// its value if it has one.
func (t RedactedTaint) String() string { return string(appendTaint(nil, taint.Taint(t), true)) }

// AppendText appends what String returns to b. The error is always nil. It
// does not allocate when b has room, for the value too.
func (t RedactedTaint) AppendText(b []byte) ([]byte, error) {
	return appendTaint(b, taint.Taint(t), true), nil
}

// MarshalText returns what String returns.
func (t RedactedTaint) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// AppendJSON appends the JSON of the taint to b, with [RedactedValue] in the
// place of its value if it has one. It does not allocate when b has room, for
// the value too.
func (t RedactedTaint) AppendJSON(b []byte) []byte { return appendTaintJSON(b, taint.Taint(t), true) }

// MarshalJSON returns what AppendJSON appends.
func (t RedactedTaint) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// A RedactedToleration is a toleration that is written without its value. Its
// methods are those of a [RedactedTaint].
type RedactedToleration toleration.Toleration

// String returns the text of the toleration, with [RedactedValue] in the place
// of its value if it has one.
func (u RedactedToleration) String() string {
	return string(appendToleration(nil, toleration.Toleration(u), true))
}

// AppendText appends what String returns to b. The error is always nil. It
// does not allocate when b has room, for the value too.
func (u RedactedToleration) AppendText(b []byte) ([]byte, error) {
	return appendToleration(b, toleration.Toleration(u), true), nil
}

// MarshalText returns what String returns.
func (u RedactedToleration) MarshalText() ([]byte, error) { return u.AppendText(nil) }

// AppendJSON appends the JSON of the toleration to b, with [RedactedValue] in
// the place of its value if it has one. It does not allocate when b has room,
// for the value too.
func (u RedactedToleration) AppendJSON(b []byte) []byte {
	return appendTolerationJSON(b, toleration.Toleration(u), true)
}

// MarshalJSON returns what AppendJSON appends.
func (u RedactedToleration) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil), nil }

func appendTaint(b []byte, t taint.Taint, redacted bool) []byte {
	start := len(b)
	b, _ = t.AppendText(b) // fails for no taint
	if redacted {
		b = redact(b, start+len(t.Key())+1, t.Value())
	}
	return b
}

func appendToleration(b []byte, u toleration.Toleration, redacted bool) []byte {
	start := len(b)
	b, _ = u.AppendText(b) // fails for no toleration
	if redacted {
		b = redact(b, start+len(u.Key())+1, u.Value()) // a value comes with a key
	}
	return b
}

func appendTaintJSON(b []byte, t taint.Taint, redacted bool) []byte {
	start := len(b)
	b = t.AppendJSON(b)
	if redacted {
		b = redact(b, start+valueIn(b[start:]), t.Value())
	}
	return b
}

func appendTolerationJSON(b []byte, u toleration.Toleration, redacted bool) []byte {
	start := len(b)
	b = u.AppendJSON(b)
	if redacted {
		b = redact(b, start+valueIn(b[start:]), u.Value())
	}
	return b
}

// valueIn returns where the value begins in the JSON of a taint or toleration,
// if it has one. No key holds a quote.
func valueIn(b []byte) int { return bytes.Index(b, valueField) + len(valueField) }

var valueField = []byte(`"value":"`)

// redact replaces the value at that place, if it is not empty.
func redact(b []byte, at int, value string) []byte {
	if value == "" {
		return b
	}
	return slices.Replace(b, at, at+len(value), redactedValue...)
}

// String tells the explanation in a sentence, for people; its text may change:
//
//	dedicated=gpu:NoExecute is tolerated for 300 s by "dedicated:NoExecute op=Exists for 300s"
//	dedicated=gpu:NoSchedule is not tolerated: "dedicated=cpu" has another value; to add: "dedicated=gpu:NoSchedule op=Equal"
//
// It is empty for the zero Explanation.
func (e Explanation) String() string {
	b, _ := e.AppendText(nil)
	return string(b)
}

// AppendText appends what String returns to b. The error is always nil. It
// does not allocate when b has room.
func (e Explanation) AppendText(b []byte) ([]byte, error) {
	if e.Taint.IsZero() {
		return b, nil
	}
	b = appendTaint(b, e.Taint, e.redacted)
	switch {
	case e.Class != NotTolerated:
		b = append(b, " is tolerated "...)
		if seconds, timed := e.Seconds(); timed {
			b = append(b, "for "...)
			b = strconv.AppendInt(b, seconds, 10)
			b = append(b, " s "...)
		}
		b = append(b, "by "...)
		return e.quote(b, e.Toleration), nil
	case e.Toleration.IsZero():
		b = append(b, " is not tolerated: no toleration has its key"...)
	default:
		b = append(b, " is not tolerated: "...)
		b = e.quote(b, e.Toleration)
		b = append(b, e.fails()...)
	}
	b = append(b, "; to add: "...)
	return e.quote(b, e.Addition()), nil
}

func (e Explanation) quote(b []byte, u toleration.Toleration) []byte {
	b = append(b, '"')
	b = appendToleration(b, u, e.redacted)
	return append(b, '"')
}

// fails tells why the nearest toleration does not match, without any value.
func (e Explanation) fails() string {
	switch {
	case e.Miss == OtherEffect:
		return " has another effect"
	case e.Miss == OtherValue:
		return " has another value"
	case e.Miss == NotInteger:
		return " compares integers, and the taint's value is not one"
	case e.Toleration.Operator() == toleration.Lt:
		return " asks for a smaller value"
	}
	return " asks for a greater value"
}

// AppendJSON appends the explanation as a JSON object to b, null for the zero
// Explanation. It does not allocate when b has room.
//
//	taint       the taint in the API's JSON
//	index       the field Index
//	class       NotTolerated, ForAWhile or ForGood
//	servedBy    the toleration that decides, when the taint is tolerated
//	seconds     for how many seconds, when it is ForAWhile
//	miss        the name of the Miss, when it is not tolerated
//	nearest     the nearest toleration, when there is one
//	list, position   where that toleration stands
//	addition    what to add, when the taint is not tolerated
//
// Fields may be added to it.
func (e Explanation) AppendJSON(b []byte) []byte {
	if e.Taint.IsZero() {
		return append(b, "null"...)
	}
	b = append(b, `{"taint":`...)
	b = appendTaintJSON(b, e.Taint, e.redacted)
	b = append(b, `,"index":`...)
	b = strconv.AppendInt(b, int64(e.Index), 10)
	b = append(b, `,"class":"`...)
	b = append(b, e.Class.String()...)
	b = append(b, '"')
	name := `,"servedBy":`
	if e.Class == NotTolerated {
		b = append(b, `,"miss":"`...)
		b = append(b, e.Miss.String()...)
		b = append(b, '"')
		name = `,"nearest":`
	}
	if !e.Toleration.IsZero() {
		b = append(b, name...)
		b = appendTolerationJSON(b, e.Toleration, e.redacted)
		b = append(b, `,"list":`...)
		b = strconv.AppendInt(b, int64(e.At.List), 10)
		b = append(b, `,"position":`...)
		b = strconv.AppendInt(b, int64(e.At.Index), 10)
	}
	if seconds, timed := e.Seconds(); timed {
		b = append(b, `,"seconds":`...)
		b = strconv.AppendInt(b, seconds, 10)
	}
	if e.Class == NotTolerated {
		b = append(b, `,"addition":`...)
		b = appendTolerationJSON(b, e.Addition(), e.redacted)
	}
	return append(b, '}')
}

// MarshalJSON returns what AppendJSON appends.
func (e Explanation) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }
