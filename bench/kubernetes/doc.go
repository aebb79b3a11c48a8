// Package kubernetes compares the library with Kubernetes itself: here by
// differential tests of its functions, and in ./suites by its own test suites.
// README.md describes how to run them.
package kubernetes
