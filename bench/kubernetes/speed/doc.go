// Package speed measures the library beside Kubernetes' own code, on the same
// inputs in one binary. Every benchmark is named Op/key=value/impl=..., so that
// benchstat -col /impl lays the implementations side by side. The conformance
// tests prove that Kubernetes and the library agree. Before the benchmarks run,
// the tests TestSame prove it of other implementations, on these inputs.
//
//	go test -short -bench . -benchtime 1x ./speed   # does all of it still run?
//	go -C ../report run .                           # the numbers
package speed
