// Package kubejson reads Kubernetes objects from the JSON that kubectl writes,
// one at a time.
//
// [Objects] reads any mixture: single objects, a List, a NodeList, JSON lists,
// one object a line, several files one after the other. A list's items are read
// one by one, so memory follows the largest object and not the input.
//
// Each object is either returned or reported as a [Problem] with its file,
// line, place and name. A wrong object does not affect the others. A syntax
// error ends the reading of the input, and is reported.
//
// [Object.Decode], and methods such as [Object.Node] and [Object.Pod], decode an
// object. They report all problems of the object at once, each with the path of
// the field to change.
package kubejson
