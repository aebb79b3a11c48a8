package nocopy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/copies"
	"github.com/go-tolerate/tolerate/internal/inlining"
	"github.com/go-tolerate/tolerate/internal/nocopy"
)

// guarded is what a user's type would be.
type guarded struct{ guard nocopy.Guard }

func TestGuard(t *testing.T) {
	check := func(g *guarded) any {
		return copies.Panic(func() { g.guard.Check("nocopy_test.guarded") })
	}
	var unused guarded
	early := copies.Duplicate(&unused)
	for range 2 {
		if p := check(early); p != nil {
			t.Fatalf("a copy of an unused value panics: %v", p)
		}
		if p := check(&unused); p != nil {
			t.Fatalf("the value that was copied panics: %v", p)
		}
	}
	const want = "nocopy_test.guarded was copied after first use"
	if p := check(copies.Duplicate(early)); p != want {
		t.Errorf("a copy of a used value: panic %v, want %q", p, want)
	}
	if p := check(early); p != nil {
		t.Errorf("the copied value panics: %v", p)
	}
}

// The vet command reports copies of a struct that has a Guard.
func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the go command")
	}
	guard, err := os.ReadFile("nocopy.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.com/copied\n\ngo 1.25\n",
		"nocopy/nocopy.go": string(guard),
		"copied.go": `package copied

import "example.com/copied/nocopy"

type Guarded struct{ guard nocopy.Guard }

func (g *Guarded) Do() { g.guard.Check("copied.Guarded") }

func Copy(g *Guarded) {
	c := *g
	c.Do()
}
`,
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	vet := exec.Command("go", "vet", ".")
	vet.Dir = dir
	vet.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := vet.CombinedOutput()
	if want := "copied.go:10:7: assignment copies lock value"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("go vet: %v, %s; want %q", err, out, want)
	}
}

// Check is inlined where it is called, at the start of many methods.
func TestInlining(t *testing.T) { inlining.Test(t, "(*Guard).Check") }
