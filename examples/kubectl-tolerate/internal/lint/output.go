package lint

import (
	"bytes"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	rules "github.com/go-tolerate/tolerate/match/lint"
)

// write writes the report.
func (o *command) write() error {
	var text bytes.Buffer
	for _, n := range o.notes {
		fmt.Fprintln(o.env.ErrOut, n)
	}
	switch o.output {
	case "json":
		return o.env.Print("json", struct {
			Findings []*Finding `json:"findings"`
			Fixed    []*Finding `json:"fixed,omitempty"`
			Notes    []note     `json:"notes,omitempty"`
		}{append([]*Finding{}, o.findings...), o.fixed, o.notes})
	case "sarif":
		return o.env.Print("json", o.sarif())
	}
	fixed := "fixed"
	if o.diff {
		fixed = "would be fixed"
	}
	for _, f := range o.fixed {
		fmt.Fprintf(&text, "%s:%d:%d: %s: %s (%s)\n", objects.Printable(f.File), f.Line, f.Column, fixed, objects.Printable(f.Message), f.Rule)
	}
	serious := 0
	for _, f := range o.findings {
		if f.Severity == rules.Error {
			serious++
		}
		fmt.Fprintf(&text, "%s:%d:%d: %v: %s (%s)\n    %s\n", objects.Printable(f.File), f.Line, f.Column, f.Severity, objects.Printable(f.Message), f.Rule,
			objects.Printable(strings.TrimSpace(f.Object+" "+f.Path)))
		if f.Fix != "" {
			fmt.Fprintf(&text, "    fix: %s\n", f.Fix)
		}
	}
	fmt.Fprintf(&text, "%s (%s) in %s of %s", plural(len(o.findings), "finding"), plural(serious, "error"), plural(o.lists, "list"), plural(o.inputs, "file"))
	if len(o.fixed) > 0 {
		fmt.Fprintf(&text, "; %d %s", len(o.fixed), fixed)
	}
	text.WriteByte('\n')
	w := o.env.Out
	if o.toOut {
		w = o.env.ErrOut
	}
	_, err := w.Write(text.Bytes())
	return err
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

var levels = map[rules.Severity]string{rules.Info: "note", rules.Warning: "warning", rules.Error: "error"}

// sarif returns the findings for code hosts and editors.
func (o *command) sarif() *sarif.Report {
	run := sarif.NewRunWithInformationURI("kubectl-tolerate", "https://github.com/go-tolerate/tolerate").WithColumnKind("unicodeCodePoints")
	for _, r := range Rules() {
		run.AddRule(r.Name).WithShortDescription(described(r.Summary)).WithFullDescription(described(r.Text)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(levels[r.Severity]))
	}
	call := sarif.NewInvocation().WithExecutionSuccessful(true)
	for _, n := range o.notes {
		level := "note"
		if !n.Skipped {
			level = "error"
			call.WithExecutionSuccessful(false)
		}
		call.AddToolExecutionNotification(sarif.NewNotification().WithLevel(level).WithMessage(sarif.NewTextMessage(n.Message)).
			AddLocation(location(n.File, n.Line, 0, 0)))
	}
	run.AddInvocation(call)
	for _, f := range o.findings {
		message := f.Message
		if f.Fix != "" {
			message += ". Fix: " + f.Fix
		}
		run.AddResult(sarif.NewRuleResult(f.Rule).WithRuleIndex(run.GetRuleIndex(f.Rule)).WithLevel(levels[f.Severity]).WithMessage(sarif.NewTextMessage(message)).
			AddLocation(location(f.File, f.Line, f.Column, f.end).AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(f.Object + " " + f.Path))))
	}
	return sarif.NewReport().AddRun(run)
}

// location returns a place in a file, whose address is relative if its name is.
func location(file string, line, column, end int) *sarif.Location {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	at := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(u.String()))
	if line > 0 {
		at.WithRegion(sarif.NewRegion().WithStartLine(line))
	}
	if column > 0 {
		at.Region.WithStartColumn(column)
	}
	if end > 0 {
		at.Region.WithEndColumn(end)
	}
	return sarif.NewLocationWithPhysicalLocation(at)
}

func described(text string) *sarif.MultiformatMessageString {
	return sarif.NewMultiformatMessageString().WithText(text)
}
