#!/usr/bin/env bash
# Records the answers of the versions of versions/. Run it after changing the recorder. Each version is compiled first,
# which takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
for file in versions/1.*.mod; do
  version=${file#versions/}
  versions/run "${version%.mod}" go run ./record "$@"
done
