package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// The exit statuses.
const (
	statusOK       = 0
	statusRejected = 1 // an object of a review from a file is rejected
	statusBad      = 2
)

//go:embed sample.json
var sample string

//go:embed deploy/config.json
var sampleConfig []byte

type options struct {
	listen, cert, key, clientCA, config string
}

// run is the whole program. A server ends when ctx does.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, stderr = terminal.Writer(stdout), terminal.Writer(stderr)
	var o options
	flags := flag.NewFlagSet("webhook [flags] [file of AdmissionReviews, or - for standard input ...]", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.listen, "listen", "", "serve HTTPS on this `address`, such as :8443; without it reviews are read from files")
	flags.StringVar(&o.cert, "cert", "tls.crt", "the server's certificate, a PEM `file`")
	flags.StringVar(&o.key, "key", "tls.key", "its key, a PEM `file`")
	flags.StringVar(&o.clientCA, "client-ca", "", "answer reviews only of clients with a certificate of an authority in this PEM `file`")
	flags.StringVar(&o.config, "config", "", "the rules, a JSON `file`; without it, only what Kubernetes adds by default")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return statusOK
	} else if err != nil {
		return statusBad
	}
	files, isSample := flags.Args(), false
	if o.listen == "" && len(files) == 0 {
		if isSample = terminal.Is(stdin); isSample {
			stdin = strings.NewReader(sample)
		}
		files = []string{"-"}
	}
	rejected, err := o.run(ctx, files, isSample, stdin, stdout, stderr)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "webhook:", err)
		return statusBad
	case rejected && !isSample:
		return statusRejected
	}
	return statusOK
}

func (o *options) run(ctx context.Context, files []string, isSample bool, stdin io.Reader, stdout, stderr io.Writer) (rejected bool, err error) {
	c := new(config)
	if o.config != "" || isSample {
		data := sampleConfig
		if o.config != "" {
			if data, err = os.ReadFile(o.config); err != nil {
				return false, fmt.Errorf("configuration: %w", err)
			}
		}
		if c, err = readConfig(data); err != nil {
			return false, fmt.Errorf("configuration %s: %w", o.config, err)
		}
	}
	if o.listen != "" {
		if len(files) > 0 {
			return false, errors.New("-listen and files: use one of them")
		}
		return false, o.listenOn(ctx, c, slog.New(slog.NewJSONHandler(stderr, nil)))
	}
	for _, name := range files {
		some, err := answerFile(c, name, stdin, stdout)
		if rejected = rejected || some; err != nil {
			return rejected, fmt.Errorf("%s: %w", name, err)
		}
	}
	return rejected, nil
}

func (o *options) listenOn(ctx context.Context, c *config, log *slog.Logger) error {
	pair := &certificate{cert: o.cert, key: o.key, log: log}
	t, err := pair.tlsConfig(o.clientCA)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	return newServer(c, log).serve(ctx, l, t)
}

// answerFile writes the answers to the reviews in a file: of /mutate, and of /validate
// to the object with what /mutate adds.
func answerFile(c *config, name string, r io.Reader, stdout io.Writer) (rejected bool, err error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return false, err
		}
		defer f.Close()
		r = f
	}
	d := json.NewDecoder(r)
	for n := 1; ; n++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); errors.Is(err, io.EOF) && n > 1 {
			return rejected, nil
		} else if err != nil {
			return rejected, fmt.Errorf("review %d: %w", n, err)
		}
		in, err := decodeReview(raw)
		if err != nil {
			return rejected, fmt.Errorf("review %d: %w", n, err)
		}
		if _, err := fmt.Fprintf(stdout, "%s %s %s/%s\n", in.Operation, in.Kind.Kind, in.Namespace, in.Name); err != nil {
			return rejected, err
		}
		change, final := c.mutate(in), *in
		if final.Object, err = apply(in.Object, change.patch); err != nil {
			return rejected, fmt.Errorf("review %d: %w", n, err)
		}
		for i, v := range []verdict{change, c.validate(&final)} {
			out, text := v.response(in.UID), "accepted"
			switch {
			case !out.Allowed:
				rejected, text = true, fmt.Sprintf("rejected, %d %s: %s", out.Status.Code, out.Status.Reason, out.Status.Message)
			case out.Patch != nil:
				text = "accepted, with " + string(out.Patch)
			}
			if _, err := fmt.Fprintf(stdout, "  %-9s %s\n", []string{"/mutate", "/validate"}[i], text); err != nil {
				return rejected, err
			}
		}
	}
}
