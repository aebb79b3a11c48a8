package main

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"

	"github.com/go-tolerate/tolerate/match/lint"
)

// The parts of the Static Analysis Results Interchange Format 2.1.0 that are used.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		ColumnKind  string            `json:"columnKind"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string      `json:"id"`
		ShortDescription sarifText   `json:"shortDescription"`
		FullDescription  sarifText   `json:"fullDescription"`
		Default          sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted sarifText   `json:"insertedContent"`
	}
)

var sarifLevels = map[lint.Severity]string{lint.Info: "note", lint.Warning: "warning", lint.Error: "error"}

// writeSARIF writes the findings for code hosts and editors.
func (r *report) writeSARIF(w io.Writer) error {
	driver := sarifDriver{Name: "tollint", InformationURI: "https://github.com/go-tolerate/tolerate"}
	rules := make(map[string]int)
	add := func(id, summary, doc string, s lint.Severity) {
		rules[id] = len(driver.Rules)
		driver.Rules = append(driver.Rules, sarifRule{id, sarifText{summary}, sarifText{doc}, sarifConfig{sarifLevels[s]}})
	}
	for _, o := range own {
		add(o.name, o.summary, o.doc, lint.Error)
	}
	for _, rule := range lint.Checks() {
		summary, doc := describe(rule)
		add(rule.String(), summary, doc, rule.Severity())
	}
	run := sarifRun{
		Tool:        sarifTool{driver},
		ColumnKind:  "unicodeCodePoints",
		Invocations: []sarifInvocation{{ExecutionSuccessful: len(r.failures) == 0}},
		Results:     []sarifResult{},
	}
	notes := &run.Invocations[0].Notifications
	for _, n := range r.skipped {
		*notes = append(*notes, sarifNote("note", n))
	}
	for _, n := range r.failures {
		*notes = append(*notes, sarifNote("error", n))
	}
	for _, f := range r.findings {
		run.Results = append(run.Results, f.sarif(rules[f.rule]))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifNote(level string, n note) sarifNotification {
	l := sarifLocation{Physical: sarifPhysical{Artifact: artifact(n.file)}}
	if n.line > 0 {
		l.Physical.Region = &sarifRegion{StartLine: n.line}
	}
	return sarifNotification{level, sarifText{n.message}, []sarifLocation{l}}
}

func (f *finding) sarif(index int) sarifResult {
	file := artifact(f.file)
	location := sarifLocation{
		Physical: sarifPhysical{file, &sarifRegion{StartLine: f.line, StartColumn: f.column, EndColumn: f.end}},
		Logical:  []sarifLogical{{f.object + " " + f.path}},
	}
	out := sarifResult{f.rule, index, sarifLevels[f.severity], sarifText{f.message}, []sarifLocation{location}, nil}
	if f.mend == nil {
		return out
	}
	edits, ok := f.list.edits([]*mend{f.mend})
	if !ok {
		return out
	}
	change := sarifChange{Artifact: file}
	for _, e := range edits {
		var region sarifRegion
		region.StartLine, region.StartColumn = f.list.position(e.Start)
		region.EndLine, region.EndColumn = f.list.position(e.End)
		change.Replacements = append(change.Replacements, sarifReplacement{region, sarifText{e.New}})
	}
	out.Fixes = []sarifFix{{sarifText{f.mend.String()}, []sarifChange{change}}}
	return out
}

// artifact returns the URI of a file. It is relative if the name is.
func artifact(name string) sarifArtifact {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return sarifArtifact{u.String()}
}
