// Command record writes cases with Kubernetes' answers to files, for the tests of
// the library and of others (internal/recorded/README.md).
//
// Run it in bench/kubernetes:
//
//	go run ./record
//	./record/versions.sh    # also those of earlier versions
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/go-tolerate/tolerate/bench/kubernetes/recording"
)

func main() {
	root := flag.String("root", "../..", "the library's folder")
	part := flag.Int("part", 1, "record one in `n` cases")
	flag.Parse()
	if err := record(*root, *part); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func record(root string, part int) error {
	version, err := kubernetes()
	if err != nil {
		return err
	}
	for _, f := range recording.Files {
		if err := f.Write(root, version, f.Make(version, recording.Seed, part)); err != nil {
			return err
		}
		fmt.Println(f.Name(version))
	}
	return nil
}

// kubernetes is the version of Kubernetes that this program was built with.
func kubernetes() (string, error) {
	info, _ := debug.ReadBuildInfo()
	for _, dep := range info.Deps {
		if dep.Path == "k8s.io/kubernetes" {
			return strings.TrimPrefix(dep.Version, "v"), nil
		}
	}
	return "", fmt.Errorf("no version of Kubernetes in the build information")
}
