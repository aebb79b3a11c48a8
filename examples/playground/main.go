// Playground shows in the browser what the taints of one node do to one pod: whether the pod
// can be scheduled or is evicted, why, and which tolerations to add.
//
//	go -C examples/playground run .             # builds the page and serves it on a loopback port
//	go -C examples/playground run . -o site/    # the same as files, for any web server
//
// The first build takes minutes: the library is compiled to WebAssembly, which the page runs.
// What is typed stays in the browser, and in the address after #.
package main

import (
	"embed"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed site
var site embed.FS

func main() {
	out := flag.String("o", "", "write the files to this `folder`, and serve nothing")
	flag.Parse()
	dir, err := *out, error(nil)
	if dir == "" {
		dir, err = os.UserCacheDir()
		dir = filepath.Join(dir, "tolerate-playground")
	}
	if err == nil {
		err = build(dir)
	}
	if err == nil && *out == "" {
		err = serve(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

// serve serves a folder.
func serve(dir string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	return http.Serve(listener, handler(dir))
}

// policy is that of the page, too.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"

// handler serves the files of a folder, with the policy for the worker too.
func handler(dir string) http.Handler {
	files := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		files.ServeHTTP(w, r)
	})
}

// build writes the files of the page to a folder, over those of an older one.
func build(dir string) error {
	fmt.Fprintln(os.Stderr, "building; the first time takes minutes")
	if _, err := command("build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(dir, "tolerate.wasm"), "./wasm"); err != nil {
		return err
	}
	origins, err := command("list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{else}}Go {{.Root}}{{end}}", "./wasm")
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	lines := strings.Split(strings.TrimSpace(origins), "\n")
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		name, from, _ := strings.Cut(line, " ")
		license, err := os.ReadFile(filepath.Join(from, "LICENSE"))
		if err == nil && name == "Go" {
			files["wasm_exec.js"], err = os.ReadFile(filepath.Join(from, "lib", "wasm", "wasm_exec.js"))
		}
		if err != nil {
			return err
		}
		notice, _ := os.ReadFile(filepath.Join(from, "NOTICE")) // few have it
		files["licenses.txt"] = fmt.Appendf(files["licenses.txt"], "%s\n\n%s\n%s\n", name, license, notice)
	}
	own, _ := site.ReadDir("site") // it is embedded
	for _, f := range own {
		files[f.Name()], _ = site.ReadFile("site/" + f.Name())
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// command runs go for WebAssembly.
func command(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "GOOS=js", "GOARCH=wasm"), os.Stderr
	out, err := cmd.Output()
	return string(out), err
}
