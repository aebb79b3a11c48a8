#!/usr/bin/env bash
# What must hold in this module. Its tests use terminals, which a new machine lacks.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without the programs and the rights to install them, their tests are skipped, or fail if CI is set.
need() { # Debian packages, commands: installs the packages unless one of the commands is in the PATH
  local packages=$1 command sudo=
  for command in "${@:2}"; do if command -v "$command" >/dev/null; then return; fi; done
  [ "$(id -u)" = 0 ] || sudo="sudo -n"
  if ! command -v apt-get >/dev/null || ! $sudo true 2>/dev/null; then
    echo "$packages: not installed; without apt-get and root, install them by hand" >&2
    return
  fi
  $sudo apt-get update -qq
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >"$work/log" || { cat "$work/log"; return 1; }
}
need tmux tmux
need bsdutils script

go vet ./...
go -C ../../.ci/tools build -o "$work/" honnef.co/go/tools/cmd/staticcheck
"$work/staticcheck" ./...
go test -timeout 20m -bench . -benchtime 1x ./... # every benchmark once
