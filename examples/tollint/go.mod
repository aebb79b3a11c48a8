module github.com/go-tolerate/tolerate/examples/tollint

go 1.26.0

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/go-tolerate/tolerate v0.0.0
	github.com/google/go-cmp v0.7.0
	go.yaml.in/yaml/v4 v4.0.0
	golang.org/x/tools v0.52.0
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.2 // indirect

replace github.com/go-tolerate/tolerate => ../..
