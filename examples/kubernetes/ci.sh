#!/usr/bin/env bash
# What must hold in this module. Most of Kubernetes is compiled for it, once.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go vet ./...
go -C ../../.ci/tools build -o "$work/" honnef.co/go/tools/cmd/staticcheck
"$work/staticcheck" ./...
go test -timeout 20m ./... # starts etcd, kube-apiserver and kube-scheduler on loopback addresses
go test -run '^$' -bench . -benchtime 1x ./plugin # every benchmark once, Kubernetes' plugin beside this one
