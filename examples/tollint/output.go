package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match/lint"
)

// writeText writes the findings as text.
func (r *report) writeText(w io.Writer) {
	for _, f := range r.fixed {
		fmt.Fprintf(w, "%s:%d:%d: %s: %s (%s)\n", kubejson.Printable(f.file), f.line, f.column, r.mended(), f.message, f.rule)
	}
	for _, f := range r.findings {
		fmt.Fprintf(w, "%s:%d:%d: %v: %s (%s)\n", kubejson.Printable(f.file), f.line, f.column, f.severity, f.message, f.rule)
		fmt.Fprintf(w, "    %s\n", kubejson.Printable(strings.TrimSpace(f.object+" "+f.path)))
		if f.mend != nil {
			fmt.Fprintf(w, "    fix: %v\n", f.mend)
		}
	}
	fmt.Fprintln(w, r.summary())
}

func (r *report) mended() string {
	if r.opts.diff {
		return "would be fixed"
	}
	return "fixed"
}

func (r *report) summary() string {
	text := "nothing found"
	if len(r.findings) > 0 {
		var kinds []string
		for _, s := range []lint.Severity{lint.Error, lint.Warning, lint.Info} {
			if n := r.count(s); n > 0 {
				kinds = append(kinds, plural(n, s.String()))
			}
		}
		text = strings.Join(kinds, ", ")
	}
	text += " in " + plural(r.lists, "list") + " of " + plural(r.inputs, "file")
	if len(r.fixed) > 0 {
		text = fmt.Sprintf("%d %s; %s", len(r.fixed), r.mended(), text)
	}
	if len(r.skipped) > 0 {
		text += fmt.Sprintf("; %d skipped", len(r.skipped))
	}
	return text
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// writeNotes writes what was not checked.
func (r *report) writeNotes(w io.Writer) {
	for _, n := range r.skipped {
		fmt.Fprintf(w, "tollint: %v: skipped: %s\n", n, kubejson.Printable(n.message))
	}
	for _, n := range r.failures {
		fmt.Fprintf(w, "tollint: %v: %s\n", n, kubejson.Printable(n.message))
	}
}

// String returns the file and line of the note.
func (n note) String() string {
	if n.line == 0 {
		return kubejson.Printable(n.file)
	}
	return fmt.Sprintf("%s:%d", kubejson.Printable(n.file), n.line)
}

// writeRules lists the rules.
func writeRules(w io.Writer) {
	for _, o := range own {
		fmt.Fprintf(w, "%-22s %-8s %s\n", o.name, lint.Error, o.summary)
	}
	for _, r := range lint.Checks() {
		summary, _ := describe(r)
		fmt.Fprintf(w, "%-22s %-8s %s\n", r, r.Severity(), summary)
	}
}

type jsonFinding struct {
	File     string        `json:"file"`
	Line     int           `json:"line"`
	Column   int           `json:"column"`
	Severity lint.Severity `json:"severity"`
	Rule     string        `json:"rule"`
	Object   string        `json:"object,omitempty"`
	Path     string        `json:"path"`
	Message  string        `json:"message"`
	Fix      string        `json:"fix,omitempty"`
}

type jsonNote struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

// writeJSON writes the findings as JSON.
func (r *report) writeJSON(w io.Writer) error {
	type summary struct {
		Files    int `json:"files"`
		Lists    int `json:"lists"`
		Errors   int `json:"errors"`
		Warnings int `json:"warnings"`
		Infos    int `json:"infos"`
	}
	out := struct {
		Findings []jsonFinding `json:"findings"`
		Fixed    []jsonFinding `json:"fixed,omitempty"`
		Skipped  []jsonNote    `json:"skipped,omitempty"`
		Failures []jsonNote    `json:"failures,omitempty"`
		Summary  summary       `json:"summary"`
	}{
		append([]jsonFinding{}, jsonFindings(r.findings)...), jsonFindings(r.fixed), jsonNotes(r.skipped), jsonNotes(r.failures),
		summary{r.inputs, r.lists, r.count(lint.Error), r.count(lint.Warning), r.count(lint.Info)},
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func jsonFindings(list []*finding) (out []jsonFinding) {
	for _, f := range list {
		j := jsonFinding{f.file, f.line, f.column, f.severity, f.rule, f.object, f.path, f.message, ""}
		if f.mend != nil {
			j.Fix = f.mend.String()
		}
		out = append(out, j)
	}
	return out
}

func jsonNotes(list []note) (out []jsonNote) {
	for _, n := range list {
		out = append(out, jsonNote{n.file, n.line, n.message})
	}
	return out
}
