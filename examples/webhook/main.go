package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(status)
}

// The exit statuses.
const (
	statusOK  = 0
	statusBad = 2
)

// run is the whole program. It ends when ctx does.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	stderr = terminal.Writer(stderr)
	flags := flag.NewFlagSet("webhook", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", ":8443", "serve HTTPS on this `address`")
	pair := &certificate{log: slog.New(slog.NewJSONHandler(stderr, nil))}
	flags.StringVar(&pair.cert, "cert", "tls.crt", "the server's certificate, a PEM `file`")
	flags.StringVar(&pair.key, "key", "tls.key", "its key, a PEM `file`")
	clientCA := flags.String("client-ca", "", "answer reviews only of clients with a certificate of an authority in this PEM `file`")
	config := flags.String("config", "", "the rules, a JSON `file`, read again when it changes; without it, only what Kubernetes adds by default is added")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return statusOK
	case err != nil:
		return statusBad
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	default:
		err = serve(ctx, *listen, pair, *clientCA, *config)
	}
	if err != nil {
		fmt.Fprintln(stderr, "webhook:", err)
		return statusBad
	}
	return statusOK
}

func serve(ctx context.Context, address string, pair *certificate, clientCA, config string) error {
	s := newServer(pair.log)
	if config != "" {
		if err := s.load(config); err != nil {
			return err
		}
		go s.watch(ctx, config, 2*time.Second)
	}
	t, err := pair.tlsConfig(clientCA)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return s.serve(ctx, l, t)
}
