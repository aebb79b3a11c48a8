// For a kubectl plugin, of which the reader of kubectl's JSON is here. A nested module,
// so that its dependencies do not reach the library's go.mod.
module github.com/go-tolerate/tolerate/examples/kubectl-tolerate

go 1.26.0

replace github.com/go-tolerate/tolerate => ../..

require (
	github.com/go-json-experiment/json v1.27.2
	github.com/go-tolerate/tolerate v0.0.0
	github.com/google/go-cmp v0.7.0
	pgregory.net/rapid v1.3.0
)
