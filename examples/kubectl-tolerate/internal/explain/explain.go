// Package explain is the command explain: the rules of package match/lint, of the command
// lint and of SEMANTICS.md in words.
package explain

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/lint"
	"github.com/go-tolerate/tolerate/internal/nearest"
)

// Of SEMANTICS.md, the sections with rules and the differences from Kubernetes.
//
//go:generate sh -c "sed -n '/^## V/,/^## Differences from the doc/{/^## Differences from the doc/!p}' ../../../../SEMANTICS.md >rules.txt"
//go:embed rules.txt
var semantics string

// A rule has a name, a line for the list, and a text.
type rule struct{ name, section, summary, text string }

var plain = strings.NewReplacer("**", "", "`", "")

// all returns all rules.
func all() (list []rule) {
	for _, r := range lint.Rules() {
		section := "Lint rules of tolerations"
		if r.Manifest {
			section = "Lint rules of manifests"
		}
		summary := strings.ToUpper(r.Summary[:1]) + strings.TrimSuffix(r.Summary[1:], ".")
		list = append(list, rule{r.Name, section, summary, fmt.Sprintf("%s.\n\n%s\n\nSeverity: %s", summary, r.Text, r.Severity)})
	}
	section, header, open := "", "", false
	at := make(map[string]int) // the indices of SEMANTICS.md's rules
	for line := range strings.Lines(semantics) {
		id, rest, bold := strings.Cut(strings.TrimPrefix(line, "- **"), "** ")
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		i, known := at[strings.TrimSpace(cells[0])]
		switch {
		case strings.HasPrefix(line, "## "):
			section, open = strings.TrimSpace(line[3:]), false
		case strings.HasPrefix(line, "- **") && bold:
			at[id], open = len(list), true
			list = append(list, rule{id, section, "", rest})
		case strings.HasPrefix(line, "  ") && open:
			list[len(list)-1].text += line[2:]
		case strings.HasPrefix(line, "| rule |"), strings.HasPrefix(line, "| id |"):
			header, open = line, false
		case strings.HasPrefix(line, "|") && known: // an example of the rule
			if !strings.Contains(list[i].text, header) {
				list[i].text += "\nExamples:\n" + header
			}
			list[i].text += plain.Replace(line)
		case strings.HasPrefix(line, "| id"), strings.HasPrefix(line, "|---"):
		case strings.HasPrefix(line, "|") && len(cells) == 4 && strings.HasPrefix(header, "| id |"):
			list = append(list, rule{strings.TrimSpace(cells[0]), section, "", "Kubernetes: " + cells[1] + "\nHere: " + cells[2] + "\nWhy: " + strings.TrimSpace(cells[3]) + "\n"})
		case strings.TrimSpace(line) != "":
			open = false
		}
	}
	for i := range list {
		r := &list[i]
		r.text = strings.ReplaceAll(r.text, "**", "") // without backticks, K3 is ambiguous
		if r.summary == "" {
			r.summary, _, _ = strings.Cut(strings.ReplaceAll(plain.Replace(r.text), "\n", " "), ". ")
			r.summary = strings.TrimSuffix(strings.TrimSpace(r.summary), ".")
			if short := []rune(r.summary); len(short) > 70 {
				r.summary = string(short[:70]) + "…"
			}
		}
	}
	return list
}

// NewCommand returns the command explain.
func NewCommand(env *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [RULE]",
		Short: "Explain a rule of lint, or of how taints and tolerations work, in words",
		Example: `  kubectl tolerate explain               # lists all rules
  kubectl tolerate explain shadowed
  kubectl tolerate explain M6`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			for _, r := range all() {
				if len(args) == 0 {
					names = append(names, cobra.CompletionWithDesc(r.name, r.summary))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return write(env.Out)
			}
			return explain(env.Out, args[0])
		},
	}
}

// write lists all rules.
func write(w io.Writer) error {
	var b strings.Builder
	section := ""
	for _, r := range all() {
		if r.section != section {
			section = r.section
			fmt.Fprintf(&b, "\n%s\n", section)
		}
		fmt.Fprintf(&b, "  %-21s %s\n", r.name, r.summary)
	}
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

// explain writes one rule.
func explain(w io.Writer, name string) error {
	list := all()
	i := slices.IndexFunc(list, func(r rule) bool { return strings.EqualFold(r.name, name) })
	if i >= 0 {
		_, err := fmt.Fprintf(w, "%s (%s)\n\n%s\n", list[i].name, list[i].section, strings.TrimSpace(list[i].text))
		return err
	}
	var names []string
	for _, r := range list {
		names = append(names, r.name)
	}
	hint := ""
	if near := nearest.Name(name, names); near != "" {
		hint = ", did you mean " + near + "?"
	}
	return fmt.Errorf("unknown rule %q%s (\"kubectl tolerate explain\" lists all)", name, hint)
}
