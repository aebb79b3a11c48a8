#!/usr/bin/env bash
# What must hold in this module. Most of Kubernetes is compiled for it, once.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

../../.ci/install tmux # for the tests of terminals
go vet ./...
go -C ../../bench/report build -o "$work/" honnef.co/go/tools/cmd/staticcheck
"$work/staticcheck" ./...
# Without vet, which would look at most of Kubernetes again for its part of what go vet checks.
# With -count=1: the tests build the tool, so a result that go keeps can be of another tool.
# The policies are compared with the rules for few of the random pods; without -short it takes ten minutes.
go test -vet=off -short ./internal/policies
go test -vet=off -count=1 -timeout 40m $(go list ./... | grep -v /internal/policies) # starts etcd, kube-apiserver and kube-scheduler on loopback addresses
# Every benchmark once, Kubernetes' plugin beside this one; not BenchmarkScheduler, which creates 5,000 nodes.
go test -vet=off -run '^$' -bench . -benchtime 1x ./plugin
