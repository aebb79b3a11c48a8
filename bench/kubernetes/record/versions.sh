#!/usr/bin/env bash
# Records the answers of 1.34 to 1.36: a quarter of the cases, and all edges. Run it after changing
# the recorder. Each version is compiled first, which takes some minutes. A later version
# keeps all its cases: within a format, none is removed (bench/recorded).
set -euo pipefail
cd "$(dirname "$0")/.."
for minor in 34 35 36; do
  go run -mod=mod -modfile="versions/1.$minor.mod" -tags "k1$minor" ./record -part 4
done
