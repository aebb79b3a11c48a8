package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-tolerate/tolerate/bench/overlay"
)

// A version is a version of Kubernetes.
type version struct {
	kubernetes, page, command string
	notes                     []string // what is replaced, and what is missing
	missing                   []string // modules
}

// kubernetes returns the version that the module file requires. Its comments "// Missing:
// module, …" and "// Replaced: …" describe what cannot be downloaded.
func kubernetes() (version, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{if .Main}}{{.GoMod}}{{else}}{{.Version}}{{end}}", "github.com/go-tolerate/tolerate/bench/kubernetes", "k8s.io/kubernetes").Output()
	if err != nil {
		return version{}, fmt.Errorf("go list -m: %w", err)
	}
	modfile, of, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	v := version{kubernetes: of, page: "SUITES.md", command: "go run ./suites"}
	if name := strings.TrimSuffix(filepath.Base(modfile), ".mod"); name != "go" {
		v.page, v.command = "versions/"+name+".md", "versions/run "+name+" go run ./suites"
	}
	text, err := os.ReadFile(modfile)
	for _, m := range regexp.MustCompile(`(?m)^// ((Missing|Replaced): ([^\s,]+)(?:.*\n// {2,}.*)*.*)`).FindAllStringSubmatch(string(text), -1) {
		v.notes = append(v.notes, strings.Join(strings.Fields(strings.ReplaceAll(m[1], "\n//", "")), " "))
		if m[2] == "Missing" {
			v.missing = append(v.missing, m[3])
		}
	}
	return v, err
}

// unbuilt returns the packages of suites whose tests import a module that is missing.
func (v version) unbuilt(suites []overlay.Suite) (map[string]bool, error) {
	unbuilt := map[string]bool{}
	if len(v.missing) == 0 {
		return unbuilt, nil
	}
	args := []string{"list", "-e", "-test", "-modfile=up/ov.mod", "-f", "{{.ForTest}} {{.ImportPath}} {{.Deps}}"}
	for _, s := range suites {
		args = append(args, s.Package)
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		of, deps, _ := strings.Cut(line, " ")
		for _, module := range v.missing {
			if of != "" && strings.Contains(deps, module) {
				unbuilt[of] = true
			}
		}
	}
	return unbuilt, nil
}
