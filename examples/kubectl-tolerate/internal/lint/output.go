package lint

import (
	"bytes"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	rules "github.com/go-tolerate/tolerate/match/lint"
)

// write writes the report.
func (o *command) write() error {
	counts := make(map[rules.Severity]int)
	for _, f := range o.findings {
		counts[f.Severity]++
	}
	var notes, text bytes.Buffer
	for _, n := range o.notes {
		fmt.Fprintln(&notes, n)
	}
	if _, err := o.env.ErrOut.Write(notes.Bytes()); err != nil {
		return err
	}
	switch o.output {
	case "json":
		type summary struct {
			Files    int `json:"files"`
			Lists    int `json:"lists"`
			Errors   int `json:"errors"`
			Warnings int `json:"warnings"`
			Infos    int `json:"infos"`
		}
		out := struct {
			Findings []*Finding `json:"findings"`
			Fixed    []*Finding `json:"fixed,omitempty"`
			Skipped  []note     `json:"skipped,omitempty"`
			Failures []note     `json:"failures,omitempty"`
			Summary  summary    `json:"summary"`
		}{
			Findings: append([]*Finding{}, o.findings...), Fixed: o.fixed,
			Summary: summary{o.inputs, o.lists, counts[rules.Error], counts[rules.Warning], counts[rules.Info]},
		}
		for _, n := range o.notes {
			if n.skipped {
				out.Skipped = append(out.Skipped, n)
			} else {
				out.Failures = append(out.Failures, n)
			}
		}
		return o.env.Print("json", out)
	case "sarif":
		return o.env.Print("json", o.sarif.report(o.notes))
	}
	fixed := "fixed"
	if o.diff {
		fixed = "would be fixed"
	}
	for _, f := range o.fixed {
		fmt.Fprintf(&text, "%s:%d:%d: %s: %s (%s)\n", quoted(f.File), f.Line, f.Column, fixed, quoted(f.Message), f.Rule)
	}
	for _, f := range o.findings {
		fmt.Fprintf(&text, "%s:%d:%d: %v: %s (%s)\n    %s\n", quoted(f.File), f.Line, f.Column, f.Severity, quoted(f.Message), f.Rule,
			quoted(strings.TrimSpace(f.Object+" "+f.Path)))
		if f.Fix != "" {
			fmt.Fprintf(&text, "    fix: %s\n", f.Fix)
		}
	}
	var kinds []string
	for _, s := range []rules.Severity{rules.Error, rules.Warning, rules.Info} {
		if counts[s] > 0 {
			kinds = append(kinds, plural(counts[s], s.String()))
		}
	}
	if kinds == nil {
		kinds = []string{"nothing found"}
	}
	if len(o.fixed) > 0 {
		kinds = append(kinds, strconv.Itoa(len(o.fixed))+" "+fixed)
	}
	fmt.Fprintf(&text, "%s in %s of %s\n", strings.Join(kinds, ", "), plural(o.lists, "list"), plural(o.inputs, "file"))
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

// quoted returns the text, in quotes if it has characters that are not printable.
func quoted(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(s)
		}
	}
	return s
}

// A sarifLog is the results of all files.
type sarifLog struct{ results []*sarif.Result }

var levels = map[rules.Severity]string{rules.Info: "note", rules.Warning: "warning", rules.Error: "error"}

// artifact returns the address of a file, relative if its name is.
func artifact(name string) *sarif.ArtifactLocation {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return sarif.NewSimpleArtifactLocation(u.String())
}

func (s *sarifLog) add(r *result, f *Finding) {
	region := sarif.NewRegion().WithStartLine(f.Line).WithStartColumn(f.Column)
	if f.end > 0 {
		region.WithEndColumn(f.end)
	}
	result := sarif.NewRuleResult(f.Rule).WithLevel(levels[f.Severity]).WithMessage(sarif.NewTextMessage(f.Message)).AddLocation(
		sarif.NewLocation().
			WithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(artifact(f.File)).WithRegion(region)).
			AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(f.Object + " " + f.Path)))
	if f.mend != nil {
		edits, _ := r.edits(f.list, []*mend{f.mend})
		change := sarif.NewArtifactChange().WithArtifactLocation(artifact(f.File))
		for _, e := range edits {
			l1, c1 := r.position(e.Start)
			l2, c2 := r.position(e.End)
			change.AddReplacement(sarif.NewReplacement().
				WithDeletedRegion(sarif.NewRegion().WithStartLine(l1).WithStartColumn(c1).WithEndLine(l2).WithEndColumn(c2)).
				WithInsertedContent(sarif.NewArtifactContent().WithText(e.New)))
		}
		result.AddFixe(sarif.NewFix().WithDescription(sarif.NewTextMessage(f.Fix)).AddArtifactChange(change))
	}
	s.results = append(s.results, result)
}

// report returns the log, with a notification for each note.
func (s *sarifLog) report(notes []note) *sarif.Report {
	run := sarif.NewRunWithInformationURI("kubectl-tolerate", "https://github.com/go-tolerate/tolerate").WithColumnKind("unicodeCodePoints")
	for _, o := range Own {
		run.AddRule(o.Name).WithShortDescription(described(o.Summary)).WithFullDescription(described(o.Text)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel("error"))
	}
	for _, c := range rules.Checks() {
		summary, text, _ := strings.Cut(c.Doc(), "\n\n")
		run.AddRule(c.String()).WithShortDescription(described(summary)).WithFullDescription(described(text)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(levels[c.Severity()]))
	}
	call := sarif.NewInvocation().WithExecutionSuccessful(true)
	for _, n := range notes {
		level := "note"
		if !n.skipped {
			level = "error"
			call.WithExecutionSuccessful(false)
		}
		at := sarif.NewPhysicalLocation().WithArtifactLocation(artifact(n.File))
		if n.Line > 0 {
			at.WithRegion(sarif.NewRegion().WithStartLine(n.Line))
		}
		call.AddToolExecutionNotification(sarif.NewNotification().WithLevel(level).WithMessage(sarif.NewTextMessage(n.Message)).
			AddLocation(sarif.NewLocation().WithPhysicalLocation(at)))
	}
	run.AddInvocation(call)
	for _, r := range s.results {
		run.AddResult(r.WithRuleIndex(run.GetRuleIndex(*r.RuleID)))
	}
	return sarif.NewReport().AddRun(run)
}

func described(text string) *sarif.MultiformatMessageString {
	return sarif.NewMultiformatMessageString().WithText(text)
}
