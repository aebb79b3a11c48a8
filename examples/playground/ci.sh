#!/usr/bin/env bash
# What must hold in this module. Its tests run in a browser.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

../../.ci/install chromium
go vet ./...
GOOS=js GOARCH=wasm go vet ./wasm
go -C ../../bench/report build -o "$work/" honnef.co/go/tools/cmd/staticcheck
"$work/staticcheck" ./...
go test ./...
