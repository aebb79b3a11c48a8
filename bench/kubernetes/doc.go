// Package kubernetes holds the library against Kubernetes itself: differential
// tests against its functions here, its own test suites run over the library in
// ./suites. README.md says how to run them and lists every difference.
package kubernetes
