// Package speed measures the library beside Kubernetes' own code, on the same
// inputs in one binary. Every benchmark is named Op/key=value/impl=..., so that
// benchstat -col /impl lays the implementations side by side; before it runs, a
// test of the same name in this package proves that all of them give the same
// answers on these inputs.
//
//	go test -short -bench . -benchtime 1x ./speed   # does all of it still run?
//	go -C ../report run .                           # the numbers
package speed
