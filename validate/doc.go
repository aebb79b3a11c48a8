// Package validate says what the key, the value and the integer of a taint or
// a toleration may be, and how every package of this module tells what is
// wrong.
//
// # Grammar
//
//	key     = [ prefix "/" ] name
//	prefix  = label { "." label }                 at most 253 bytes in all
//	label   = low [ { low | "-" } low ]           no limit of its own
//	name    = char [ { char | "-" | "_" | "." } char ]   1 to 63 bytes
//	value   = "" | name
//	integer = "0" | [ "-" ] digit1 { digit }      within int64
//	low     = "a" … "z" | "0" … "9"
//	char    = "A" … "Z" | low
//	digit1  = "1" … "9"
//
// Key, Value and Integer check against it without regular expressions, and
// without allocating when the text is good.
//
// # Problems
//
// Every error that a package of this module returns is a [Problems]: one
// [Problem] for each rule that the input breaks, in a fixed order, each with
// the path of the field to change, the value found there and the [Rule].
//
//	var problems validate.Problems
//	if errors.As(err, &problems) {
//		for _, p := range problems {
//			fmt.Println(p.Path, p.Value, p.Rule)
//		}
//	}
//
// errors.As with a *Problem finds the first one. A program decides by the
// Rule, which is stable, and stores its Name; the text of an error is for
// people and may change.
//
// # Sources
//
// The grammar is that of Kubernetes' qualified names and label values, and of
// the integers that its operators Lt and Gt compare.
//
// Who only wants to know whether a taint or a toleration is valid needs
// package taint or toleration instead: their values are valid by construction.
package validate
