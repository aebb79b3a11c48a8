module github.com/go-tolerate/tolerate/bench/before

go 1.25.0

require github.com/go-tolerate/tolerate v0.0.0

require pgregory.net/rapid v1.1.0 // indirect

replace github.com/go-tolerate/tolerate => ../..
