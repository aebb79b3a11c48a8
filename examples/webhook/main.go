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

// run is the whole program. It ends when ctx does, and returns the exit status.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	stderr = terminal.Writer(stderr)
	flags := flag.NewFlagSet("webhook", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", ":8443", "serve HTTPS on this `address`")
	pair := &certificate{log: slog.New(slog.NewJSONHandler(stderr, nil))}
	flags.StringVar(&pair.cert, "cert", "tls.crt", "the server's certificate, a PEM `file`")
	flags.StringVar(&pair.key, "key", "tls.key", "its key, a PEM `file`")
	config := flags.String("config", "", "the rules, a JSON `file`, read again when it changes; without it, only what Kubernetes adds by default is added")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	default:
		err = serve(ctx, *listen, pair, *config)
	}
	if err != nil {
		fmt.Fprintln(stderr, "webhook:", err)
		return 2
	}
	return 0
}

func serve(ctx context.Context, address string, pair *certificate, config string) error {
	s := newServer(pair.log)
	if config != "" {
		if err := s.load(config); err != nil {
			return err
		}
		go s.watch(ctx, config, 2*time.Second)
	}
	if _, err := pair.get(nil); err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return s.serve(ctx, l, pair)
}
