// Package value holds the representation of taints and tolerations, and the
// matching of one of each.
//
// The types of packages taint and toleration are defined as the types of this
// package, whose fields and methods they do not export. An engine, a package
// that matches or indexes values, converts a value to get at them, which costs
// nothing:
//
//	value.Taint(t).KeyHandle()
//
// It does not check values: that is the duty of the constructors in packages
// taint and toleration. Effects and operators have the numbers that those
// packages give them, and 0 for what is absent.
package value
