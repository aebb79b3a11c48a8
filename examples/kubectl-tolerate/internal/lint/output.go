package lint

import (
	"bytes"
	"fmt"
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
	for _, f := range o.findings {
		if f.Severity == lint.Error {
			serious++
		}
		fmt.Fprintf(&text, "%s: %v: %s (%s)\n    %s\n", at(f.File, f.Line, f.Column), f.Severity, objects.Printable(f.Message), f.Check,
			objects.Printable(strings.Join(strings.Fields(f.Item+" "+f.Object+" "+f.Path), " ")))
		if f.Fix != "" {
			fmt.Fprintf(&text, "    fix: %s\n", f.Fix)
		}
	}
	fmt.Fprintf(&text, "%s (%s) in %s of %s", cli.Count(len(o.findings), "finding"), cli.Count(serious, "error"), cli.Count(o.listCount, "list"), cli.Count(o.inputs-len(o.skipped), "file"))
	if len(o.skipped) > 0 {
		fmt.Fprintf(&text, "; not manifests: %s (-v lists them)", cli.Count(len(o.skipped), "file"))
	}
	_, err := fmt.Fprintln(o.env.Out, text.String())
	return err
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
		name := strings.Join(strings.Fields(f.Item+" "+f.Object+" "+f.Path), " ")
		run.AddResult(sarif.NewRuleResult(f.Check).WithRuleIndex(run.GetRuleIndex(f.Check)).WithLevel(levels[f.Severity]).WithMessage(sarif.NewTextMessage(message)).
			AddLocation(location(f.File, f.Line, f.Column).AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(name))))
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
