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
	context.AfterFunc(ctx, stop) // a second signal ends what does not react to the first
	status := run(ctx, cli.NewEnv(os.Stdin, os.Stdout, os.Stderr), os.Args[1:])
	stop()
	os.Exit(status)
}
