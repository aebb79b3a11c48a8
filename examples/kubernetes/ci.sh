#!/usr/bin/env bash
# What must hold in this module. Most of Kubernetes is compiled for it, once.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The tests of terminals use tmux. Where it can't be installed, they are skipped, or fail if CI is set.
if ! command -v tmux >/dev/null; then
  sudo=
  [ "$(id -u)" = 0 ] || sudo="sudo -n"
  if command -v apt-get >/dev/null && $sudo true 2>/dev/null; then
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends tmux >"$work/log" || { cat "$work/log"; exit 1; }
  else
    echo "tmux: not installed; without apt-get and root, install it by hand" >&2
  fi
fi

go vet ./...
go -C ../../.ci/tools build -o "$work/" honnef.co/go/tools/cmd/staticcheck
"$work/staticcheck" ./...
# Without vet, which would look at most of Kubernetes again for its part of what go vet checks.
# With -count=1: the tests build the tool, so a result that go keeps can be of another tool.
go test -vet=off -count=1 -timeout 40m ./... # starts etcd, kube-apiserver and kube-scheduler on loopback addresses
# Every benchmark once, Kubernetes' plugin beside this one; not BenchmarkScheduler, which creates 5,000 nodes.
go test -vet=off -run '^$' -bench . -benchtime 1x ./plugin
