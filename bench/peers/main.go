// Command peers runs the unchanged tests of other projects with match/kube in the place
// of their matching code, measures and compares both, and writes PEERS.md. Run it in the root:
//
//	go run ./bench/peers                      # all peers: downloads and compiles them
//	go run ./bench/peers karpenter            # only this one; the results of the others are kept
//	go run ./bench/peers -compare karpenter   # only its measurements and random inputs
//
// Each folder is a module of its own, which requires the peer. The command fails if a
// test fails only after the swap, if a test that passed before does not run, if the code
// that replaces a peer's is not shorter, if a call is slower than the peer's own,
// or if it has another result for valid input for a cause that is not listed.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

func main() {
	compare := flag.Bool("compare", false, "keep the results of the tests")
	flag.Parse()
	os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -mod=mod") // each peer's up has a go.sum of its own
	if err := run(*compare, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(compare bool, names []string) error {
	dir, err := filepath.Abs("bench/peers")
	if err != nil {
		return err
	}
	all := slices.Sorted(maps.Keys(peers))
	if len(names) == 0 {
		names = all
	}
	var errs []error
	for _, name := range names {
		if err := peers[name].Run(filepath.Join(dir, name), compare); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	var page bytes.Buffer
	if err := peer.WritePage(&page, dir, all...); err != nil {
		return errors.Join(append(errs, err)...)
	}
	return errors.Join(append(errs, os.WriteFile(filepath.Join(dir, "PEERS.md"), page.Bytes(), 0o666))...)
}
