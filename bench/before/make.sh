#!/bin/sh
# Makes the packages of the commit with which this module compares: cells, cover, policy.
set -e
cd "$(dirname "$0")"
module=github.com/go-tolerate/tolerate
for p in toleration/internal/cells toleration/cover toleration/policy; do
	dir=$(basename $p)
	rm -rf "$dir"
	mkdir "$dir"
	for f in $(git ls-tree --full-tree --name-only "2b54d02:$p" | grep '\.go$' | grep -v _test); do
		git show "2b54d02:$p/$f" |
			sed "s,$module/toleration/internal/cells,$module/bench/before/cells,
			     s,$module/toleration/cover,$module/bench/before/cover," >"$dir/$f"
	done
done
