// One node and one pod in the browser. A nested module, so that its dependencies do not
// reach the library's go.mod.
module github.com/go-tolerate/tolerate/examples/playground

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/go-tolerate/tolerate v0.1.0
	github.com/google/go-cmp v0.7.0
	go.yaml.in/yaml/v3 v3.0.6
	sigs.k8s.io/yaml v1.6.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
)
