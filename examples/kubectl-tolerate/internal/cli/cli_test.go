package cli_test

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
)

// What is printed reads back as the same, though it is escaped for terminals.
func TestPrint(t *testing.T) {
	for _, format := range []string{"json", "yaml"} {
		for _, want := range []string{"plain", "a\u00a0b", "\u3000", "\x1b[2J", "\u202e", "a\nb\r"} {
			var out bytes.Buffer
			env := cli.NewEnv(strings.NewReader(""), &out, &out)
			var got map[string]string
			if err := env.Print(format, map[string]string{"k": want}); err != nil {
				t.Error(err)
			}
			if err := yaml.UnmarshalStrict(out.Bytes(), &got); err != nil || got["k"] != want {
				t.Errorf("%s %q reads back as %q, %v", format, want, got["k"], err)
			}
			if strings.ContainsAny(out.String(), "\u00a0\u3000\x1b\u202e\r") {
				t.Errorf("%s %q is printed as it is", format, want)
			}
		}
	}
}

// No request waits forever for an API server that does not answer.
func TestEnv_Config(t *testing.T) {
	for timeout, want := range map[string]time.Duration{"0": time.Minute, "2s": 2 * time.Second} {
		env := cli.NewEnv(strings.NewReader(""), io.Discard, io.Discard)
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		env.AddFlags(flags)
		if err := flags.Parse([]string{"--kubeconfig", os.DevNull, "-s", "http://127.0.0.1", "--request-timeout", timeout}); err != nil {
			t.Fatal(err)
		}
		if config, err := env.Config(); err != nil || config.Timeout != want || config.Host != "http://127.0.0.1" {
			t.Errorf("--request-timeout %s: %v, %v", timeout, config, err)
		}
	}
}
