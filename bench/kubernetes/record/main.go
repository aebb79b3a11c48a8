// Command record writes cases with Kubernetes' answers to a file of bench/recorded.
//
// Run it in bench/kubernetes:
//
//	go run ./record
//	./record/versions.sh    # also those of earlier versions
package main

import (
	"flag"
	"fmt"
	"log"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/bench/kubernetes/recording"
)

func main() {
	root := flag.String("root", "../..", "the library's folder")
	part := flag.Int("part", 1, "record one in `n` cases")
	flag.Parse()
	info, _ := debug.ReadBuildInfo()
	at := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "k8s.io/kubernetes" })
	version := strings.TrimPrefix(info.Deps[at].Version, "v")
	if err := recording.Write(*root, version, recording.Make(version, recording.Seed, *part)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(recording.Name(version))
}
