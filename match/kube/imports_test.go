package kube_test

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"regexp"
	"testing"
)

// The packages of this module are released separately from the library, so they import
// only its public packages and the API's types.
func TestImports(t *testing.T) {
	allowed := regexp.MustCompile(`^[^.]+$|^k8s\.io/api/core/v1$|^k8s\.io/apimachinery/pkg/apis/meta/v1$|^github\.com/go-tolerate/tolerate/`)
	internal := regexp.MustCompile(`^github\.com/go-tolerate/tolerate/(.*/)?internal(/|$)`)
	own := regexp.MustCompile(`^github\.com/go-tolerate/tolerate/match/kube/internal/`)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch d.Name() {
		case "internal": // it contains only folders
			return nil
		case "testdata", "dra", "informer": // two are modules of their own
			return fs.SkipDir
		}
		pkg, err := build.ImportDir(name, 0)
		for _, path := range pkg.Imports {
			if !allowed.MatchString(path) || internal.MatchString(path) && !own.MatchString(path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
