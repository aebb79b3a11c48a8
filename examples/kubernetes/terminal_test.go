package kubernetes_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A screen is a terminal with a shell in it, whose command kubectl-tolerate is the tool.
type screen struct {
	socket string
	width  int
}

// newScreen starts a terminal. Where there is no tmux, it skips the test; in CI, it fails it.
func newScreen(ctx context.Context, t *testing.T, width, height int) *screen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	path, err := toolPath()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{filepath.Join(t.TempDir(), "tmux"), width}
	s.tmux(ctx, t, "-u", "-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height),
		"-e", "KUBECONFIG="+live.KubeConfig, fmt.Sprintf("PATH=%q:$PATH exec sh", filepath.Dir(path)))
	t.Cleanup(func() { s.tmux(context.WithoutCancel(ctx), t, "kill-server") })
	return s
}

func (s *screen) tmux(ctx context.Context, t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(ctx, "tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// text returns what a person sees, with the lines that were scrolled out of it.
func (s *screen) text(ctx context.Context, t *testing.T) string {
	t.Helper()
	return s.tmux(ctx, t, "capture-pane", "-p", "-J", "-S", "-")
}

// write types a line.
func (s *screen) write(ctx context.Context, t *testing.T, line string) {
	t.Helper()
	s.tmux(ctx, t, "send-keys", "-l", line)
	s.tmux(ctx, t, "send-keys", "Enter")
}

// run runs a command, and returns what a person sees of it, and its exit status.
func (s *screen) run(ctx context.Context, t *testing.T, command string) (text, status string) {
	t.Helper()
	s.tmux(ctx, t, "send-keys", "-R")
	s.tmux(ctx, t, "clear-history")
	s.write(ctx, t, command+"; echo status=$?")
	return s.end(ctx, t)
}

// end waits for the end of a command.
func (s *screen) end(ctx context.Context, t *testing.T) (text, status string) {
	t.Helper()
	await(ctx, t, "the command ends", func() bool {
		_, rest, _ := strings.Cut(s.text(ctx, t), "\n")
		var found bool
		text, status, found = strings.Cut("\n"+rest, "\nstatus=")
		return found && strings.TrimSpace(status) != ""
	})
	status, _, _ = strings.Cut(status, "\n")
	t.Logf("%s\n(status %s)", text, status)
	return text, status
}

// What a name in a file contains does not control the terminal.
func TestTerminal_escapes(t *testing.T) {
	ctx := patient(t)
	s := newScreen(ctx, t, 160, 50)
	const hostile = `\u001b]2;owned\u0007\u001b[2J\u001b[31m\u202e`
	file := filepath.Join(t.TempDir(), "hostile.json")
	content := `{"kind":"List","items":[
		{"kind":"Node","metadata":{"name":"a` + hostile + `"},"spec":{"taints":[{"key":"k` + hostile + `","effect":"NoSchedule` + hostile + `"}]}},
		{"kind":"Node","metadata":{"name":"b` + hostile + `","labels":{"l` + hostile + `":"` + hostile + `"}},"spec":{"unschedulable":true}},
		{"kind":"Pod","metadata":{"namespace":"` + hostile + `","name":"p` + hostile + `"},"spec":{"nodeSelector":{"` + hostile + `":"` + hostile + `"},"tolerations":[{"key":"` + hostile + `"}]}},
		{"kind":"` + hostile + `","metadata":{"name":"` + hostile + `"}}]}`
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	title := func() string { return s.tmux(ctx, t, "display-message", "-p", "#{pane_title}") }
	before := title()
	for _, args := range []string{
		"why -f ", "why -o wide -f ", "why -o json -f ", "why -o yaml -f ",
		"lint -f ", "lint -o json -f ", "lint -o sarif -f ",
		"taint nodes --all k=v:NoExecute -f ", "dedicate 'a\x1b[2J' k=v -f ",
	} {
		text, _ := s.run(ctx, t, "kubectl-tolerate "+strings.ReplaceAll(args, "\x1b", "")+file)
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s: nothing is on the screen", args)
		}
		if after := title(); after != before {
			t.Fatalf("%s: the title of the terminal is now %q", args, after)
		}
		if with := s.tmux(ctx, t, "capture-pane", "-p", "-e", "-J", "-S", "-"); with != s.text(ctx, t) {
			t.Errorf("%s: the text has colours: %q", args, with)
		}
		if strings.ContainsRune(text, '\u202e') {
			t.Errorf("%s: the text changes its direction", args)
		}
	}
}

// Ctrl-C ends a command whose API server does not answer, with status 130.
func TestTerminal_interrupt(t *testing.T) {
	ctx := patient(t)
	requested := make(chan struct{})
	kubeconfig := proxy(t, func(_ http.ResponseWriter, r *http.Request) bool {
		close(requested)
		<-r.Context().Done()
		return true
	})
	s := newScreen(ctx, t, 100, 30)
	s.write(ctx, t, "kubectl-tolerate why --kubeconfig "+kubeconfig+"; echo status=$?")
	select {
	case <-requested:
	case <-ctx.Done():
		t.Fatal("no request")
	}
	s.tmux(ctx, t, "send-keys", "C-c")
	if _, status := s.end(ctx, t); status != "130" {
		t.Error("status", status)
	}
}

// A reader that has enough ends the tool without a message.
func TestTerminal_head(t *testing.T) {
	ctx := patient(t)
	s := newScreen(ctx, t, 100, 30)
	file := filepath.Join(t.TempDir(), "many.json")
	var text strings.Builder
	text.WriteString(`{"kind":"Node","metadata":{"name":"n"}}` + "\n")
	for i := range 2000 { // the report is more than a pipe takes
		fmt.Fprintf(&text, `{"kind":"Pod","metadata":{"name":"p-%d"},"spec":{"nodeSelector":{"a":"b-%[1]d"}}}`+"\n", i)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, status := s.run(ctx, t, "kubectl-tolerate why -o json -f "+file+" | head -1"); strings.TrimSpace(got) != "{" || status != "0" {
		t.Errorf("status %s:\n%s", status, got)
	}
}
