package recorded

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	add := func(version string) {
		if err := os.WriteFile(filepath.Join(dir, "kubernetes-"+version+".jsonl.gz"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range []string{"1.37", "1.36", "1.34"} {
		add(v)
		if names, err := files(dir); err == nil {
			t.Errorf("%v are all", names)
		}
	}
	add("1.35")
	if names, err := files(dir); err != nil || len(names) != 4 {
		t.Errorf("%v, %v; want four", names, err)
	}
	add("1.38")
	if names, err := files(dir); err == nil {
		t.Errorf("%v are those of the four versions", names)
	}
}
