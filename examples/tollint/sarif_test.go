package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// sarifOf runs the program, and reads its log with a library that accepts exactly
// the fields of the format.
func sarifOf(t *testing.T, wantStatus int, args ...string) *sarif.Run {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(append([]string{"-o", "sarif"}, args...), nil, &stdout, &stderr); status != wantStatus {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	d := json.NewDecoder(&stdout)
	d.DisallowUnknownFields()
	var log sarif.Report
	if err := d.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || log.Schema == "" || len(log.Runs) != 1 {
		t.Fatalf("version %q, %d runs", log.Version, len(log.Runs))
	}
	return log.Runs[0]
}

func TestSARIF(t *testing.T) {
	t.Chdir(t.TempDir())
	const name = "a b.yaml"
	text := strings.Replace(sample, "---\n", "---\n{{ x\n---\n", 1)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := sarifOf(t, statusBad, "-severity", "info", name, "nowhere.yaml")
	if *run.ColumnKind != "unicodeCodePoints" || *run.Tool.Driver.Name != "tollint" {
		t.Errorf("%q, %q", *run.ColumnKind, *run.Tool.Driver.Name)
	}
	if i := run.Invocations[0]; *i.ExecutionSuccessful || len(i.ToolExecutionNotifications) != 2 {
		t.Errorf("invocation %+v", i)
	}
	var rules []string
	for _, r := range run.Tool.Driver.Rules {
		rules = append(rules, *r.ID)
		if *r.ShortDescription.Text == "" || *r.FullDescription.Text == "" || !slices.Contains([]string{"error", "warning", "note"}, r.DefaultConfiguration.Level) {
			t.Errorf("rule %+v", r)
		}
	}
	config := everything
	found := config.check(newSource(name, text)).findings
	if len(run.Results) != len(found) || len(found) < 5 {
		t.Fatalf("%d results, want %d", len(run.Results), len(found))
	}
	src := newSource(name, text)
	for i, r := range run.Results {
		f := found[i]
		if *r.RuleID != f.rule || rules[r.RuleIndex] != f.rule || *r.Message.Text != f.message || r.Level != sarifLevels[f.severity] {
			t.Errorf("result %+v, want %+v", r, f)
		}
		place := r.Locations[0].PhysicalLocation
		if uri, err := url.Parse(*place.ArtifactLocation.URI); err != nil || uri.Path != name {
			t.Errorf("URI %q: %v", *place.ArtifactLocation.URI, err)
		}
		if g := place.Region; *g.StartLine != f.line || *g.StartColumn != f.column || g.EndColumn != nil && *g.EndColumn != f.end {
			t.Errorf("region %+v, want %+v", g, f)
		}
		// A fix has the same effect as -fix=all.
		for _, fix := range r.Fixes {
			var edits []udiff.Edit
			for _, change := range fix.ArtifactChanges[0].Replacements {
				d := change.DeletedRegion
				edits = append(edits, udiff.Edit{Start: at(src, *d.StartLine, *d.StartColumn), End: at(src, *d.EndLine, *d.EndColumn), New: *change.InsertedContent.Text})
			}
			got, err := udiff.Apply(text, edits)
			if err != nil {
				t.Fatal(err)
			}
			_, want, ok := tried(&config, src, f)
			if diff := cmp.Diff(want, got); diff != "" || !ok {
				t.Errorf("fix of %s (-want +got):\n%s", f.rule, diff)
			}
		}
	}
}

// tried returns the text with only this finding fixed.
func tried(c *config, s *source, f *finding) (*result, string, bool) {
	r := c.check(s)
	for _, g := range r.findings {
		if g.path == f.path && g.rule == f.rule && g.line == f.line {
			if next, _, _ := (&mender{config: c}).try(r, []*finding{g}); next != nil {
				return next, next.source.text, true
			}
		}
	}
	return nil, "", false
}

// at returns the offset of a line and column.
func at(s *source, line, column int) int {
	offset := 0
	for range line - 1 {
		offset += strings.IndexByte(s.text[offset:], '\n') + 1
	}
	return offset + len(string([]rune(s.text[offset:])[:column-1]))
}

func TestSARIF_nothing(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.yaml", []byte("kind: Pod\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if run := sarifOf(t, statusClean, "a.yaml"); len(run.Results) != 0 || run.Results == nil {
		t.Errorf("results %+v", run.Results)
	}
}

func TestArtifact(t *testing.T) {
	for name, want := range map[string]string{"a.yaml": "a.yaml", "a b/c.yaml": "a%20b/c.yaml", "/a/b.yaml": "file:///a/b.yaml", "a:b.yaml": "./a:b.yaml"} {
		if got := artifact(name).URI; got != want {
			t.Errorf("artifact(%q) = %q, want %q", name, got, want)
		}
	}
}
