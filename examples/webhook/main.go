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
	"net/http"
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

const mostFile = 64 << 20 // bytes of a file

//go:embed sample.json
var sample string

//go:embed deploy/config.json
var sampleConfig []byte

// run is the whole program. A server ends when ctx does.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, stderr = terminal.Writer(stdout), terminal.Writer(stderr)
	flags := flag.NewFlagSet("webhook [flags] [file of AdmissionReviews, or - for standard input ...]", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "", "serve HTTPS on this `address`, such as :8443; without it reviews are read from files")
	pair := &certificate{log: slog.New(slog.NewJSONHandler(stderr, nil))}
	flags.StringVar(&pair.cert, "cert", "tls.crt", "the server's certificate, a PEM `file`")
	flags.StringVar(&pair.key, "key", "tls.key", "its key, a PEM `file`")
	clientCA := flags.String("client-ca", "", "answer reviews only of clients with a certificate of an authority in this PEM `file`")
	configFile := flags.String("config", "", "the rules, a JSON `file`; without it, those of the sample, or only what Kubernetes adds by default")
	isSample := flags.Bool("sample", false, "read sample reviews, as without arguments on a terminal")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return statusOK
	} else if err != nil {
		return statusBad
	}
	files := flags.Args()
	if *listen == "" && len(files) == 0 {
		*isSample = *isSample || terminal.Is(stdin)
		files = []string{"-"}
		if *isSample {
			stdin = strings.NewReader(sample)
			fmt.Fprintln(stderr, "webhook: this is a sample; -h describes how to read reviews")
		}
	} else if *isSample {
		fmt.Fprintln(stderr, "webhook: -sample excludes files and -listen")
		return statusBad
	}
	c, err := load(*configFile, *isSample)
	rejected := false
	switch {
	case err != nil:
	case *listen != "" && len(files) > 0:
		err = errors.New("-listen and files: use one of them")
	case *listen != "":
		err = serve(ctx, c, *listen, pair, *clientCA)
	default:
		rejected, err = answerFiles(c, files, stdin, stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "webhook:", err)
		return statusBad
	case rejected && !*isSample:
		return statusRejected
	}
	return statusOK
}

func load(file string, isSample bool) (c *config, err error) {
	data := []byte("{}")
	if file != "" {
		data, err = os.ReadFile(file)
	} else if isSample {
		data = sampleConfig
	}
	if err == nil {
		c, err = readConfig(data)
	}
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", file, err)
	}
	return c, nil
}

func serve(ctx context.Context, c *config, address string, pair *certificate, clientCA string) error {
	t, err := pair.tlsConfig(clientCA)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return newServer(c, pair.log).serve(ctx, l, t)
}

func answerFiles(c *config, files []string, stdin io.Reader, stdout io.Writer) (rejected bool, err error) {
	for _, name := range files {
		in := io.NopCloser(stdin)
		if name == "-" {
			name = "standard input"
		} else if in, err = os.Open(name); err != nil {
			return rejected, err
		}
		some, err := answer(c, in, stdout)
		_ = in.Close() // it was only read
		if rejected = rejected || some; err != nil {
			return rejected, fmt.Errorf("%s: %w", name, err)
		}
	}
	return rejected, nil
}

// answer writes the answers to the reviews in a file: of /mutate, and of /validate to
// the object with what /mutate adds.
func answer(c *config, r io.ReadCloser, stdout io.Writer) (rejected bool, err error) {
	d := json.NewDecoder(http.MaxBytesReader(nil, r, mostFile))
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
		change, final := c.mutate(in), *in
		if final.Object, err = apply(in.Object, change.patch); err != nil {
			return rejected, fmt.Errorf("review %d: %w", n, err)
		}
		mutated, changed := describe(change)
		validated, valid := describe(c.validate(&final))
		rejected = rejected || !changed || !valid
		if _, err := fmt.Fprintf(stdout, "%s %s %s/%s\n  /mutate   %s\n  /validate %s\n", in.Operation, in.Kind.Kind, in.Namespace, in.Name, mutated, validated); err != nil {
			return rejected, err
		}
	}
}

func describe(v verdict) (text string, accepted bool) {
	switch r := v.response(""); {
	case !r.Allowed:
		return fmt.Sprintf("rejected, %d %s: %s", r.Status.Code, r.Status.Reason, r.Status.Message), false
	case r.Patch != nil:
		return "accepted, with " + string(r.Patch), true
	}
	return "accepted", true
}
