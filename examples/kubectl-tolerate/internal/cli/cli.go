// Package cli is what the commands share: streams, connection, output and exit status.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
)

// An Env is what a command uses of the world around it. All output is escaped for
// terminals.
type Env struct {
	In          io.Reader
	Out, ErrOut io.Writer
	Now         func() time.Time

	Args       []string // of the command line
	Kubeconfig string   // of the cluster to connect to, if not the usual one
	Overrides  clientcmd.ConfigOverrides
	flags      *pflag.FlagSet // that choose it
}

// NewEnv returns an Env for these streams. It uses the current kubeconfig.
func NewEnv(in io.Reader, out, errOut io.Writer) *Env {
	return &Env{
		In: in, Out: terminal.Writer(out), ErrOut: terminal.Writer(errOut), Now: time.Now,
		Overrides: clientcmd.ConfigOverrides{ClusterDefaults: clientcmd.ClusterDefaults},
	}
}

// AddFlags adds the flags of kubectl that choose a cluster and a user.
func (env *Env) AddFlags(flags *pflag.FlagSet) {
	env.flags = flags
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	names.AuthOverrideFlags.Username.LongName = "" // kubectl has neither
	names.AuthOverrideFlags.Password.LongName = ""
	clientcmd.BindOverrideFlags(&env.Overrides, flags, names)
	flags.StringVar(&env.Kubeconfig, clientcmd.RecommendedConfigPathFlag, env.Kubeconfig, "Path to the kubeconfig file")
}

// A Once is the value of a flag that can be given once, where another command takes several.
type Once string

func (o *Once) String() string { return string(*o) }
func (o *Once) Type() string   { return "string" }
func (o *Once) Set(s string) error {
	if *o != "" {
		return errors.New("can be given only once")
	}
	*o = Once(s)
	return nil
}

// Loader returns the kubeconfig, with the flags.
func (env *Env) Loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.DefaultClientConfig = &clientcmd.DefaultClientConfig
	rules.ExplicitPath = env.Kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &env.Overrides)
}

// Count returns a number and a noun, such as "2 nodes".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Quote returns a word as shells read it.
func Quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=:/.,@%+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Again returns the command line without some flags and their values.
func (env *Env) Again(without ...string) string {
	text, skip := "kubectl tolerate", false
	for _, a := range env.Args {
		name, _, has := strings.Cut(a, "=")
		if omit := slices.Contains(without, name); skip || omit {
			skip = !skip && !has
			continue
		}
		text += " " + Quote(a)
	}
	return text
}

// Connected returns a command line with the flags that chose the cluster, except credentials.
func (env *Env) Connected(line string) string {
	if env.flags != nil {
		env.flags.VisitAll(func(f *pflag.Flag) {
			if f.Changed && f.Name != "token" && f.Name != clientcmd.FlagNamespace {
				line += " --" + f.Name + "=" + Quote(f.Value.String())
			}
		})
	}
	return line
}

// MaxNames is how many names a line has.
const MaxNames = 5

// Names returns the first names, as they can be shown, and how many more there are in all.
func Names(list []string, all int) (text string) {
	shown := list[:min(len(list), MaxNames)]
	for _, name := range shown {
		text += ", " + objects.Printable(name)
	}
	if text = strings.TrimPrefix(text, ", "); all > len(shown) {
		text += fmt.Sprintf(" and %d more", all-len(shown))
	}
	return text
}

// Cut returns a text as it can be shown, at most so many characters of it.
func Cut(text string, most int) string {
	if r := []rune(text[:min(len(text), 4*most)]); len(r) > most {
		text = string(r[:most-1]) + "…"
	}
	return objects.Printable(text)
}

// Print writes v as format json or yaml.
func (env *Env) Print(format string, v any) error {
	var text []byte
	var err error
	if format == "yaml" {
		text, err = yaml.Marshal(v)
	}
	if format != "yaml" || !isPlain(text) { // JSON is YAML too, and in it an escape keeps its meaning
		text, err = json.MarshalIndent(v, "", "    ")
		text = append(text, '\n')
	}
	if err != nil {
		return err
	}
	_, err = env.Out.Write(text)
	return err
}

// isPlain reports whether the text reaches a terminal as it is.
func isPlain(text []byte) bool {
	var escaped bytes.Buffer
	_, err := terminal.Writer(&escaped).Write(text)
	return err == nil && bytes.Equal(escaped.Bytes(), text)
}

// OutputFlag adds the flag -o with these formats. The empty string is one of them
// always, and the default. It sets PreRunE, which checks the format.
func OutputFlag(c *cobra.Command, into *string, formats ...string) {
	c.Flags().StringVarP(into, "output", "o", "", "Output format. One of: "+strings.Join(formats, ", "))
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	c.PreRunE = func(*cobra.Command, []string) error {
		if *into != "" && !slices.Contains(formats, *into) {
			return fmt.Errorf("unknown output format %q (allowed: %s)", *into, strings.Join(formats, ", "))
		}
		return nil
	}
}

// An Exit is an error that ends the program with a status of its own. Without an Err
// nothing is printed.
type Exit struct {
	Status int
	Err    error
}

func (e *Exit) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

// Unwrap returns e.Err.
func (e *Exit) Unwrap() error { return e.Err }

// Status reports err on standard error as kubectl does, and returns the exit status: 2
// for an error other than an [Exit], since 1 is the status of what was looked for and found.
func (env *Env) Status(err error) int {
	var exit *Exit
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.Err == nil:
		return exit.Status
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(env.ErrOut, "interrupted")
		return 130
	case errors.As(err, &status) && status.Status().Reason != "":
		fmt.Fprintf(env.ErrOut, "Error from server (%s): %s\n", status.Status().Reason, err)
	default:
		fmt.Fprintln(env.ErrOut, "error:", err)
	}
	if exit != nil {
		return exit.Status
	}
	return 2
}

// Config returns the configuration of clients of the cluster's API server.
func (env *Env) Config() (*rest.Config, error) {
	config, err := env.Loader().ClientConfig()
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // the server limits
	if config.Timeout == 0 {
		config.Timeout = time.Minute // API servers end a request by then
	}
	config.WarningHandler = rest.NewWarningWriter(env.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
	return config, nil
}

// Client returns a client of the cluster's API server, for requests by path.
func (env *Env) Client() (rest.Interface, error) {
	config, err := env.Config()
	if err != nil {
		return nil, err
	}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	return rest.UnversionedRESTClientFor(config)
}
