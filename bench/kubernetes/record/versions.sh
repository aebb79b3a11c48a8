#!/usr/bin/env bash
# Records the answers of 1.34 to 1.36. Run it after changing the recorder. Each version is compiled first, which
# takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
for minor in 34 35 36; do
  go run -mod=mod -modfile="versions/1.$minor.mod" -tags "k1$minor" ./record "$@"
done
