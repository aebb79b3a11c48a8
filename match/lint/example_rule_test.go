package lint_test

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/go-tolerate/tolerate/match/lint"
)

// All rules, as a report in SARIF lists them.
func ExampleRule() {
	for r := range lint.AllRules().All() {
		fmt.Printf("%s (%s): %s\n", r.Name(), r.Severity(), r.Summary())
	}
	// Output:
	// never-matches (error): the toleration matches no taint that there can be
	// suppresses-default (error): the toleration keeps the default seconds away and does not tolerate the taint
	// shadowed (warning): the toleration's seconds never count, since other tolerations decide
	// redundant (info): the others tolerate the same taints for as long
	// tolerates-everything (warning): the list tolerates every taint that there can be
	// open-to-every-node (info): the list tolerates every NoSchedule and NoExecute taint
	// equal-empty-value (warning): the toleration matches the empty value alone, where Exists was probably meant
	// outdated-key (warning): the toleration's key is one that Kubernetes no longer uses
	// no-time (warning): the taint is tolerated for 0 seconds or fewer
	// unneeded-toleration (info): no taint of the cluster can ever need the toleration
	// untolerated-taint (info): no pod tolerates the taint by its key
}

func ExampleParseRule() {
	fmt.Println(lint.ParseRule("never-matches"))
	_, err := lint.ParseRule("NeverMatches")
	fmt.Println(err != nil)
	// Output:
	// never-matches <nil>
	// true
}

func ExampleRule_IsValid() {
	fmt.Println(lint.Shadowed.IsValid(), lint.Rule(0).IsValid(), lint.Rule(31).IsValid())
	// Output: true false false
}

func ExampleRule_Doc() {
	first, rest, _ := strings.Cut(lint.NoTime.Doc(), ". ")
	fmt.Println(first)
	fmt.Println(rest != "")
	// Output:
	// Tolerated for 0 seconds, a taint lets the pod be put on the node and evicts it at once, again and again
	// true
}

func ExampleParseSeverity() {
	least, err := lint.ParseSeverity("warning")
	fmt.Println(lint.Shadowed.Severity() >= least, lint.Redundant.Severity() >= least, err)
	// Output: true false <nil>
}

func ExampleSeverity_String() {
	fmt.Println(lint.Info, lint.Warning, lint.Error)
	// Output: info warning error
}

// A program's flag for the rules to leave out.
func ExampleRules() {
	var skip lint.Rules
	flags := flag.NewFlagSet("example", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.TextVar(&skip, "skip", lint.Rules{}, "rules to leave out")
	fmt.Println(flags.Parse([]string{"-skip", "redundant,outdated-key"}))
	fmt.Println(skip, skip.Has(lint.Redundant))
	// Output:
	// <nil>
	// redundant,outdated-key true
}

func ExampleNewRules() {
	fmt.Println(lint.NewRules(lint.Shadowed, lint.NeverMatches))
	// Output: never-matches,shadowed
}

func ExampleAllRules() {
	only := lint.Options{Skip: lint.AllRules().Without(lint.NeverMatches)}
	fmt.Println(lint.List(list("op=Exists"), only))
	// Output: []
}

func ExampleParseRules() {
	s, err := lint.ParseRules("no-time,shadowed")
	fmt.Println(s, err)
	_, err = lint.ParseRules("no-time,sometimes")
	fmt.Println(err != nil)
	// Output:
	// shadowed,no-time <nil>
	// true
}

func ExampleRules_Has() {
	s := lint.NewRules(lint.Redundant)
	fmt.Println(s.Has(lint.Redundant), s.Has(lint.Shadowed))
	// Output: true false
}

func ExampleRules_With() {
	fmt.Println(lint.NewRules(lint.Redundant).With(lint.Shadowed))
	// Output: shadowed,redundant
}

func ExampleRules_Without() {
	fmt.Println(lint.NewRules(lint.Redundant, lint.Shadowed).Without(lint.Redundant))
	// Output: shadowed
}

func ExampleRules_All() {
	for r := range lint.NewRules(lint.ToleratesEverything, lint.OpenToEveryNode).All() {
		fmt.Println(r)
	}
	// Output:
	// tolerates-everything
	// open-to-every-node
}
