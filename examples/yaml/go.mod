module github.com/go-tolerate/tolerate/examples/yaml

go 1.26.0

require (
	github.com/go-tolerate/tolerate v0.0.0
	github.com/goccy/go-yaml v1.19.2
	go.yaml.in/yaml/v2 v2.4.5
	go.yaml.in/yaml/v3 v3.0.6
	go.yaml.in/yaml/v4 v4.0.0
	pgregory.net/rapid v1.3.0
	sigs.k8s.io/yaml v1.6.0
)

replace github.com/go-tolerate/tolerate => ../..
