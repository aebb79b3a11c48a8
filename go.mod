module github.com/go-tolerate/tolerate

go 1.25.0

require (
	github.com/google/go-cmp v0.6.0
	golang.org/x/exp v0.0.0-20230224173230-c95f2b4c22f2
	pgregory.net/rapid v1.1.0
)
