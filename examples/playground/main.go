// Playground is one node and one pod in the browser. This is its skeleton.
package main

func main() {}
