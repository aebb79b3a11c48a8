// Package validate checks the keys, values and integers of taints and tolerations, and
// defines the errors of every package of this module.
//
//	_, err := taint.Parse("dedicated=gpu:noschedule")
//	var problems validate.Problems
//	if errors.As(err, &problems) {
//		for _, p := range problems {
//			fmt.Println(p.Path, p.Value, p.Rule) // effect noschedule NameUnknown
//		}
//	}
//
// An error about a value is [Problems]: one [Problem] for each rule that it breaks. An
// invalid key is one Problem, even if several parts of it are wrong; so is an invalid value
// or integer. Programs act on the [Rule], which is stable. The text of an error may change;
// it has at most 100 problems. Reading a list ends after the element with the 10,000th.
//
// # Grammar
//
//	key     = [ prefix "/" ] name
//	prefix  = label { "." label }                        at most 253 bytes
//	label   = low [ { low | "-" } low ]
//	name    = char [ { char | "-" | "_" | "." } char ]   1 to 63 bytes
//	value   = "" | name
//	integer = "0" | [ "-" ] digit1 { digit }             within int64
//	low     = "a" … "z" | "0" … "9"
//	char    = "A" … "Z" | low
//	digit1  = "1" … "9"
//
// Keys are Kubernetes' qualified names, values are its label values, and integers are
// what the operators Lt and Gt compare. Checking valid text does not allocate.
package validate
