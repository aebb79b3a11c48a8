// Command peers runs the unchanged tests of other projects with match/kube in the place
// of their matching code, and writes PEERS.md.
//
//	go run ./bench/peers             # all peers: downloads and compiles them
//	go run ./bench/peers karpenter   # only this one; the results of the others are kept
//
// Each folder is a module of its own, which requires the peer. The command fails if a
// test fails for a cause that is not listed, if a test that passed before does not run,
// if a swapped function is not called, if the code that replaces a peer's is longer
// than 25 lines, or if the hot call is slower than the peer's own.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/go-tolerate/tolerate/bench/peers").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	dir := strings.TrimSpace(string(out))
	mods, err := filepath.Glob(filepath.Join(dir, "*", "go.mod"))
	if err != nil {
		return err
	}
	var folders, peers []string
	for _, mod := range mods {
		folders = append(folders, filepath.Dir(mod))
		peers = append(peers, filepath.Base(filepath.Dir(mod)))
	}
	for _, name := range names {
		if !slices.Contains(peers, name) {
			return fmt.Errorf("no peer %s; there are: %s", name, strings.Join(peers, ", "))
		}
	}
	var errs []error
	for i, folder := range folders {
		if len(names) > 0 && !slices.Contains(names, peers[i]) {
			continue
		}
		cmd := exec.Command("go", "run", ".")
		cmd.Dir, cmd.Stdout, cmd.Stderr = folder, os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", peers[i], err))
		}
	}
	var page bytes.Buffer
	if err := peer.WritePage(&page, folders); err != nil {
		return errors.Join(append(errs, err)...)
	}
	return errors.Join(append(errs, os.WriteFile(filepath.Join(dir, "PEERS.md"), page.Bytes(), 0o666))...)
}
