// Kubectl-tolerate is a kubectl plugin for taints and tolerations. With the program in the
// PATH, "kubectl tolerate" lists its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, cli.NewEnv(os.Stdin, os.Stdout, os.Stderr), os.Args[1:])
	stop()
	os.Exit(status)
}
