#!/usr/bin/env bash
# All checks of this module. Kubernetes is compiled twice: unchanged, and with the overlay of the suites, because
# that changes k8s.io/api/core/v1, which nearly everything imports. Each takes about two minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go vet ./...
go -C ../../bench/report build -o "$work/" honnef.co/go/tools/cmd/staticcheck
"$work/staticcheck" ./...
# A fixed seed, so that only a change of the code can make a test fail; a run without it draws new cases.
export TOLERATE_SEED=${TOLERATE_SEED:-20261120}
packages=$(go list ./... | grep -v '/speed$')
go test -timeout 20m $packages
go test -short -run '^TestSame' -bench . -benchtime 1x ./speed # its tests, and every benchmark side by side once
go run ./suites
git diff --exit-code -- SUITES.md || { echo "SUITES.md is out of date: commit the one that ./suites wrote" >&2; exit 1; }
