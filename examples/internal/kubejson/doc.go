// Package kubejson reads Kubernetes objects out of what kubectl -o json
// writes, one at a time, for the programs in examples.
//
// [Objects] takes any mixture, in a file or in a stream of several files put
// together: single objects, a List, a NodeList, JSON lists, one object a line.
// A list's items are read one by one, so memory follows the largest object and
// not the input.
//
// Input that is wrong costs no more than itself: each object is either given
// to the caller or reported as a [Problem] with its file, line, place and name, and
// reading goes on behind it. Only what an object's own brackets leave open
// swallows what follows.
//
// What an object says is read by methods such as [Object.Node] and
// [Object.Pod], which report all problems of one object at once, each with the
// path of the field to change.
package kubejson
