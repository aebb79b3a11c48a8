#!/usr/bin/env bash
# What must hold in this module. Kubernetes is compiled twice: as it is, and once more under the overlay of the
# suites, since that changes k8s.io/api/core/v1, which nearly everything imports. Both take about two minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go vet ./...
go -C ../../.ci/tools build -o "$work/" honnef.co/go/tools/cmd/staticcheck
"$work/staticcheck" ./...
# The same cases every time, so that what turns red is the change's doing; a run by hand draws new ones.
export TOLERATE_SEED=${TOLERATE_SEED:-20261120}
packages=$(go list ./... | grep -v '/speed$')
go test -timeout 20m $packages
go test -short -run '^TestSame' -bench . -benchtime 1x ./speed # its tests, and every benchmark side by side once
go run ./suites
git diff --exit-code -- SUITES.md || { echo "SUITES.md is not what ./suites writes: commit the new one" >&2; exit 1; }
