module github.com/go-tolerate/tolerate/examples/tollint

go 1.26.0

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/go-tolerate/tolerate v0.0.0
	github.com/google/go-cmp v0.7.0
	github.com/owenrumney/go-sarif/v3 v3.3.1
	go.yaml.in/yaml/v4 v4.0.0
	golang.org/x/tools v0.52.0
	pgregory.net/rapid v1.3.0
	sigs.k8s.io/yaml v1.6.0
)

require (
	github.com/xeipuuv/gojsonpointer v0.0.0-20180127040702-4e3ac2762d5f // indirect
	github.com/xeipuuv/gojsonreference v0.0.0-20180127040603-bd5ef7bd5415 // indirect
	github.com/xeipuuv/gojsonschema v1.2.0 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
)

replace github.com/go-tolerate/tolerate => ../..
