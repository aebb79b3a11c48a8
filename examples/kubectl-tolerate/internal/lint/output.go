package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match/lint"
)

// write writes the report.
func (o *command) write() error {
	listed := o.notes
	if o.verbose {
		listed = slices.Concat(o.notes, o.skipped)
	}
	for _, n := range listed {
		fmt.Fprintf(o.env.ErrOut, "%s: %s\n", at(n.File, n.Line), objects.Printable(n.Message))
	}
	switch o.output {
	case "json":
		return o.env.Print("json", struct {
			Findings []*Finding `json:"findings"`
			Notes    []note     `json:"notes,omitempty"`
			Skipped  []note     `json:"skipped,omitempty"`
		}{append([]*Finding{}, o.findings...), o.notes, o.skipped})
	case "sarif":
		return o.env.Print("json", o.sarif())
	}
	var text bytes.Buffer
	serious := 0
	groups := make(map[string][]*Finding) // of pods in a cluster, by what is wrong
	for _, f := range o.findings {
		if f.Owner != "" {
			groups[f.group()] = append(groups[f.group()], f)
		}
	}
	for _, f := range o.findings {
		if f.Severity == lint.Error {
			serious++
		}
		if f.Owner == "" || len(groups[f.group()]) < 2 {
			f.write(&text, at(f.File, f.Line, f.Column)+": ", f.place())
		}
	}
	for _, group := range slices.SortedFunc(maps.Values(groups), most) {
		if len(group) > 1 {
			group[0].write(&text, "", owners(group)...)
		}
	}
	fmt.Fprintf(&text, "%s (%s) in %s of %s", cli.Count(len(o.findings), "finding"), cli.Count(serious, "error"), cli.Count(o.listCount, "list"), cli.Count(o.inputs-o.others, "file"))
	if o.others > 0 {
		fmt.Fprintf(&text, "; not manifests: %s", cli.Count(o.others, "file"))
	}
	if n := len(o.skipped) - o.others; n > 0 {
		fmt.Fprintf(&text, "; not read: %s", cli.Count(n, "place"))
	}
	if len(o.skipped) > 0 {
		text.WriteString(" (-v lists them)")
	}
	_, err := fmt.Fprintln(o.env.Out, text.String())
	return err
}

// write writes a finding with its places.
func (f *Finding) write(w *bytes.Buffer, before string, places ...string) {
	fmt.Fprintf(w, "%s%v: %s (%s)\n    %s\n", before, f.Severity, objects.Printable(f.Message), f.Check, strings.Join(places, "\n    "))
	if f.Fix != "" {
		fmt.Fprintf(w, "    fix: %s\n", f.Fix)
	}
}

// place returns where the finding is.
func (f *Finding) place() string {
	return objects.Printable(strings.Join(strings.Fields(f.Item+" "+f.Object+" "+f.Path), " "))
}

// group returns what is the same in findings of which one is written.
func (f *Finding) group() string { return f.Severity.String() + f.Check + cmp.Or(f.clause, f.Message) }

// most compares findings: the most are first.
func most(a, b []*Finding) int {
	return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a[0].Owner+a[0].Message, b[0].Owner+b[0].Message))
}

// owners returns how many findings of a group each owner has, for the first of them, as a page
// has room for few.
func owners(group []*Finding) (lines []string) {
	const limit = 5
	byOwner := make(map[string][]*Finding)
	for _, f := range group {
		byOwner[f.Owner] = append(byOwner[f.Owner], f)
	}
	all := slices.SortedFunc(maps.Values(byOwner), most)
	for _, findings := range all[:min(len(all), limit)] {
		lines = append(lines, fmt.Sprintf("%s: %s, such as %s", objects.Printable(findings[0].Owner), cli.Count(len(findings), "finding"), findings[0].place()))
	}
	if n := len(all) - limit; n > 0 {
		lines = append(lines, fmt.Sprintf("and %s (-o json lists all)", cli.Count(n, "other owner")))
	}
	return lines
}

// at returns a place as compilers write it, without the numbers that are unknown.
func at(file string, numbers ...int) string {
	file = objects.Printable(file)
	for _, n := range numbers {
		if n > 0 {
			file += ":" + strconv.Itoa(n)
		}
	}
	return file
}

var levels = map[lint.Severity]string{lint.Info: "note", lint.Warning: "warning", lint.Error: "error"}

// sarif returns the findings for code hosts and editors.
func (o *command) sarif() *sarif.Report {
	run := sarif.NewRunWithInformationURI("kubectl-tolerate", "https://github.com/go-tolerate/tolerate").WithColumnKind("unicodeCodePoints")
	described := func(text string) *sarif.MultiformatMessageString {
		return sarif.NewMultiformatMessageString().WithText(text)
	}
	for _, c := range Checks() {
		run.AddRule(c.Name).WithShortDescription(described(c.Summary)).WithFullDescription(described(c.Text)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(levels[c.Severity]))
	}
	call := sarif.NewInvocation().WithExecutionSuccessful(o.failures == 0)
	for _, n := range o.notes {
		call.AddToolExecutionNotification(sarif.NewNotification().WithLevel("error").WithMessage(sarif.NewTextMessage(n.Message)).AddLocation(location(n.File, n.Line, 0)))
	}
	run.AddInvocation(call)
	for _, f := range o.findings {
		message := f.Message
		if f.Fix != "" {
			message += ". Fix: " + f.Fix
		}
		run.AddResult(sarif.NewRuleResult(f.Check).WithRuleIndex(run.GetRuleIndex(f.Check)).WithLevel(levels[f.Severity]).WithMessage(sarif.NewTextMessage(message)).
			AddLocation(location(f.File, f.Line, f.Column).AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(f.place()))))
	}
	return sarif.NewReport().AddRun(run)
}

// location returns a place in a file, whose address is relative if its name is.
func location(file string, line, column int) *sarif.Location {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	place := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(u.String()))
	if line > 0 {
		place.WithRegion(sarif.NewRegion().WithStartLine(line))
	}
	if column > 0 {
		place.Region.WithStartColumn(column)
	}
	return sarif.NewLocationWithPhysicalLocation(place)
}
