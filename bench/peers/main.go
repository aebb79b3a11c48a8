// Command peers runs the unchanged tests of other projects with match/kube in the place
// of their matching code, measures and compares both, and writes PEERS.md.
//
//	go run ./bench/peers                      # all peers: downloads and compiles them
//	go run ./bench/peers karpenter            # only this one; the results of the others are kept
//	go run ./bench/peers -compare karpenter   # only its measurements and random inputs
//
// Each folder is a module of its own, which requires the peer. The command fails if a
// test fails only after the swap, if a test that passed before does not run, if the code
// that replaces a peer's is longer than 25 lines, if a call is slower than the peer's own,
// or if it has another result for valid input for a cause that is not listed.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

func main() {
	compare := flag.Bool("compare", false, "keep the results of the tests")
	flag.Parse()
	if err := run(*compare, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(compare bool, names []string) error {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/go-tolerate/tolerate/bench/peers").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	dir := strings.TrimSpace(string(out))
	mods, err := filepath.Glob(filepath.Join(dir, "*", "go.mod"))
	if err != nil {
		return err
	}
	var folders []string
	for _, mod := range mods {
		folders = append(folders, filepath.Dir(mod))
	}
	if len(names) == 0 {
		names = folders
	}
	var errs []error
	for _, name := range names {
		cmd := exec.Command("go", "run", ".", fmt.Sprintf("-compare=%v", compare))
		cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(dir, filepath.Base(name)), os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", filepath.Base(name), err))
		}
	}
	var page bytes.Buffer
	if err := peer.WritePage(&page, folders); err != nil {
		return errors.Join(append(errs, err)...)
	}
	return errors.Join(append(errs, os.WriteFile(filepath.Join(dir, "PEERS.md"), page.Bytes(), 0o666))...)
}
