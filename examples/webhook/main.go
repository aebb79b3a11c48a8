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
	"time"
	"unicode"

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
	statusOK      = 0
	statusRefused = 1 // some review that was read from a file is refused
	statusBad     = 2
)

//go:embed sample.json
var sample string

//go:embed deploy/config.json
var sampleConfig string

type options struct {
	listen, cert, key, clientCA, config string
	timeout                             time.Duration
	maxBytes                            int64
	concurrent                          int
	files                               []string
}

// run is the whole program. A server ends when ctx does.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, stderr = terminal.Writer(stdout), terminal.Writer(stderr)
	opts, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return statusOK
	case err != nil:
		return complain(stderr, fmt.Errorf("%w (see -help)", err))
	}
	c, err := opts.load()
	if err != nil {
		return complain(stderr, fmt.Errorf("configuration %s: %w", opts.config, err))
	}
	if opts.listen == "" {
		refused, err := answer(c, opts.files, stdin, stdout)
		switch {
		case err != nil:
			return complain(stderr, err)
		case refused && len(opts.files) > 0:
			return statusRefused
		}
		return statusOK
	}
	if err := listen(ctx, c, opts, slog.New(slog.NewJSONHandler(stderr, nil))); err != nil {
		return complain(stderr, err)
	}
	return statusOK
}

func complain(stderr io.Writer, err error) int {
	fmt.Fprintln(stderr, "webhook:", err)
	return statusBad
}

func parse(args []string, stdout io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("webhook", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.listen, "listen", "", "serve HTTPS on this `address`, such as :8443; without it reviews are read from files")
	flags.StringVar(&o.cert, "cert", "tls.crt", "the server's certificate, a PEM `file`")
	flags.StringVar(&o.key, "key", "tls.key", "its key, a PEM `file`")
	flags.StringVar(&o.clientCA, "client-ca", "", "answer reviews only of clients with a certificate of an authority in this PEM `file`")
	flags.StringVar(&o.config, "config", "", "what is made of pods, a JSON `file`; without it, what Kubernetes does")
	flags.DurationVar(&o.timeout, "timeout", 10*time.Second, "`how long` a request may take to come in, and as long to be answered")
	flags.Int64Var(&o.maxBytes, "max-bytes", 8<<20, "refuse requests of more than `n` bytes")
	flags.IntVar(&o.concurrent, "concurrent", 64, "answer at most `n` requests at a time; others wait for half of -timeout")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, "Usage: webhook [flags] [file of AdmissionReviews, or - for standard input ...]\n\n")
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return o, err
	case err != nil:
		return o, err
	}
	o.files = flags.Args()
	switch {
	case o.listen != "" && len(o.files) > 0:
		return o, errors.New("-listen and files: one or the other")
	case o.timeout <= 0 || o.maxBytes < 1 || o.concurrent < 1:
		return o, errors.New("-timeout, -max-bytes and -concurrent must be more than 0")
	}
	return o, nil
}

func (o *options) load() (*config, error) {
	switch {
	case o.config != "":
		f, err := os.Open(o.config)
		if err != nil {
			return nil, err
		}
		defer f.Close() // it was only read
		return readConfig(f)
	case o.listen == "" && len(o.files) == 0:
		return readConfig(strings.NewReader(sampleConfig))
	}
	return &config{}, nil
}

func listen(ctx context.Context, c *config, o options, log *slog.Logger) error {
	pair := &certificate{cert: o.cert, key: o.key, log: log}
	t, err := pair.tlsConfig(o.clientCA)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	return newServer(c, log, o.maxBytes, o.concurrent, o.timeout/2).serve(ctx, l, t, o.timeout)
}

// answer writes what the reviews in the files would be answered, by /mutate and
// by /validate; without files, those of the sample.
func answer(c *config, files []string, stdin io.Reader, stdout io.Writer) (refused bool, err error) {
	if len(files) == 0 {
		return answerAll(c, "sample", strings.NewReader(sample), stdout)
	}
	for _, name := range files {
		r := stdin
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return refused, err
			}
			defer f.Close() // it was only read
			r = f
		}
		some, err := answerAll(c, name, r, stdout)
		if refused = refused || some; err != nil {
			return refused, err
		}
	}
	return refused, nil
}

func answerAll(c *config, name string, r io.Reader, stdout io.Writer) (refused bool, err error) {
	d := json.NewDecoder(r)
	for n := 1; ; n++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); errors.Is(err, io.EOF) && n > 1 {
			return refused, nil
		} else if err != nil {
			return refused, fmt.Errorf("%s: review %d: %w", name, n, err)
		}
		in, err := decodeReview(raw)
		if err != nil {
			return refused, fmt.Errorf("%s: review %d: %w", name, n, err)
		}
		if _, err := fmt.Fprintln(stdout, printable(fmt.Sprintf("%s %s %s/%s", in.Operation, in.Kind.Kind, in.Namespace, in.Name))); err != nil {
			return refused, err
		}
		for _, by := range []struct {
			path  string
			judge func(*request) verdict
		}{{"/mutate", c.mutate}, {"/validate", c.validate}} {
			v := by.judge(in)
			out, err := v.response(in.UID)
			if err != nil {
				return refused, err
			}
			text := "allowed"
			switch {
			case !out.Allowed:
				refused = true
				text = fmt.Sprintf("refused, %d %s: %s", out.Status.Code, out.Status.Reason, out.Status.Message)
			case out.Patch != nil:
				text = "allowed, with " + string(out.Patch)
			}
			if _, err := fmt.Fprintf(stdout, "  %-9s %s\n", by.path, printable(text)); err != nil {
				return refused, err
			}
		}
	}
}

// printable keeps what a file says from steering the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
