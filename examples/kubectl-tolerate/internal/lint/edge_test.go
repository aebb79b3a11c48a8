package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	rules "github.com/go-tolerate/tolerate/match/lint"
)

var everything = config{severity: rules.Info}

// of checks a file, and fixes it if mode is not empty.
func (c *config) of(text, mode string) *result { return c.file("x", text, mode, func(*document) {}) }

// one checks one document.
func (c *config) one(text string) *document { return c.check("x", 0, text) }

// lines returns a line for each finding and note.
func lines(findings []*Finding, notes []note) (out []string) {
	for _, f := range findings {
		out = append(out, fmt.Sprintf("%d:%d-%d %s %s", f.Line, f.Column, f.end, f.Rule, f.Path))
	}
	for _, n := range notes {
		kind := "failed"
		if n.Skipped {
			kind = "skipped"
		}
		out = append(out, fmt.Sprintf("%s %d: %s", kind, n.Line, n.Message))
	}
	return out
}

const head = "kind: Pod\nspec:\n"

// secondsOf returns a toleration with each of these seconds.
func secondsOf(seconds ...string) string {
	var b strings.Builder
	for i, s := range seconds {
		fmt.Fprintf(&b, "  - {key: k%d, operator: Exists, effect: NoExecute, tolerationSeconds: %s}\n", i, s)
	}
	return b.String()
}

// Unusual texts, their findings, and the fixed texts.
func TestEdges(t *testing.T) {
	const bad = "kind: Pod\nspec:\n  tolerations:\n  - key: a\n    value: true # ü\n"
	found := []string{"5:12-16 invalid spec.tolerations[0].value"}
	tests := []struct {
		name  string
		text  string
		want  []string
		fixed string // if it changes
	}{
		{"nothing", "", nil, ""},
		{"spaces", " \n\n", nil, ""},
		{"plain", bad, found, strings.Replace(bad, "true", `"true"`, 1)},
		{"crlf", strings.ReplaceAll(bad, "\n", "\r\n"), found, strings.Replace(strings.ReplaceAll(bad, "\n", "\r\n"), "true", `"true"`, 1)},
		{"cr", strings.ReplaceAll(bad, "\n", "\r"), found, strings.Replace(strings.ReplaceAll(bad, "\n", "\r"), "true", `"true"`, 1)},
		{"crlf, and a field more", "kind: Pod\r\nspec:\r\n  tolerations:\r\n  - key: a\r\n", []string{"4:5-0 equal-empty-value spec.tolerations[0]"},
			"kind: Pod\r\nspec:\r\n  tolerations:\r\n  - key: a\r\n    operator: Exists\r\n"},
		{"no newline, and a field more", head + "  tolerations:\n  - key: a", []string{"4:5-0 equal-empty-value spec.tolerations[0]"},
			head + "  tolerations:\n  - key: a\n    operator: Exists"},
		{"byte order mark", "\ufeff" + bad, found, strings.Replace("\ufeff"+bad, "true", `"true"`, 1)},
		{"byte order mark, and two documents", "\ufeffa: \"bc\"\n---\n" + bad, []string{"7:12-16 invalid spec.tolerations[0].value"}, "\ufeffa: \"bc\"\n---\n" + strings.Replace(bad, "true", `"true"`, 1)},
		{"no newline at the end", strings.TrimSpace(bad), found, strings.Replace(strings.TrimSpace(bad), "true", `"true"`, 1)},
		{"separator at once", "---\n" + bad, []string{"6:12-16 invalid spec.tolerations[0].value"}, "---\n" + strings.Replace(bad, "true", `"true"`, 1)},
		{"directive", "%YAML 1.1\n---\n" + bad, []string{"7:12-16 invalid spec.tolerations[0].value"}, "%YAML 1.1\n---\n" + strings.Replace(bad, "true", `"true"`, 1)},
		{"end of a document", bad + "...\n" + bad, append(found, "11:12-16 invalid spec.tolerations[0].value"), strings.ReplaceAll(bad, "true", `"true"`) + "...\n" + strings.ReplaceAll(bad, "true", `"true"`)},
		{"columns are characters", "kind: Pod\nspec: {n: üöä, tolerations: [{key: a, value: 5}]}\n", []string{"2:46-47 invalid spec.tolerations[0].value"},
			"kind: Pod\nspec: {n: üöä, tolerations: [{key: a, value: \"5\"}]}\n"},
		{"other ends of lines", "kind: Pod\nspec:\n  a: \"b\u2028c\"\n  tolerations:\n  - key: a\n    value: 5\n", []string{"7:12-13 invalid spec.tolerations[0].value"},
			"kind: Pod\nspec:\n  a: \"b\u2028c\"\n  tolerations:\n  - key: a\n    value: \"5\"\n"},
		{"tab", head + "\ttolerations: []\n", []string{"failed 3: found character that cannot start any token"}, ""},
		{"nul", bad + "\x00", []string{"failed 0: not UTF-8 text"}, ""},
		{"utf-16", "k\x00i\x00n\x00d\x00", []string{"failed 0: not UTF-8 text"}, ""},
		{"not UTF-8", "a: \xff\n", []string{"failed 0: not UTF-8 text"}, ""},
		{"repeated list", head + "  tolerations: [{key: 5}]\n  tolerations: [{key: a}]\n", []string{
			"4:3-14 invalid tolerations", "4:17-0 equal-empty-value spec.tolerations[0]"},
			head + "  tolerations: [{key: 5}]\n  tolerations: [{key: a, operator: Exists}]\n"},
		{"null", head + "  tolerations:\n", nil, ""},
		{"empty", head + "  tolerations: []\n", nil, ""},
		{"scalar", head + "  tolerations: all\n", []string{"3:3-14 invalid spec.tolerations"}, ""},
		{"null element", head + "  tolerations:\n  -\n  - ~\n", []string{"4:4-0 invalid spec.tolerations[0]", "5:5-6 invalid spec.tolerations[1]"}, ""},
		{"list in a list", head + "  tolerations:\n  - - key: a\n      value: 5\n", []string{"4:5-0 invalid spec.tolerations[0]"}, ""},
		{"mark by itself", head + "  tolerations:\n  -\n    key: a\n    value: 5\n", []string{"6:12-13 invalid spec.tolerations[0].value"},
			head + "  tolerations:\n  -\n    key: a\n    value: \"5\"\n"},
		{"explicit keys", head + "  tolerations:\n  - ? key\n    : a\n    ? value\n    : 5\n", []string{"7:7-8 invalid spec.tolerations[0].value"},
			head + "  tolerations:\n  - ? key\n    : a\n    ? value\n    : \"5\"\n"},
		{"block scalar", head + "  tolerations:\n  - key: a\n    value: |-\n      5\n", nil, ""},
		{"several lines", head + "  tolerations:\n  - key: a\n    value: a\n      b\n  - key: \"c\n      d\"\n", []string{"5:12-0 invalid spec.tolerations[0].value", "7:10-0 invalid spec.tolerations[1].key"}, ""},
		{"anchor of nothing", "a: *b\n", []string{"failed 1: unknown anchor 'b' referenced"}, ""},
		{"alias in its anchor", head + "  tolerations: &a [*a]\n", []string{"failed 3: the expansion of aliases is infinite"}, ""},
		{"merge in its anchor", head + "  tolerations:\n  - &a\n    key: b\n    <<: *a\n", []string{"failed 6: the expansion of aliases is infinite"}, ""},
		{"seconds as kubectl reads them", head + "  tolerations:\n" + secondsOf("300.0", "3e2", "0x10", "1_000", "-5.0", "2.5", "1e400", "9007199254740993.0", "true", "'3e2'"), []string{
			"8:5-0 no-time spec.tolerations[4]",
			"9:71-74 invalid spec.tolerations[5].tolerationSeconds", "10:71-76 invalid spec.tolerations[6].tolerationSeconds",
			"12:71-75 invalid spec.tolerations[8].tolerationSeconds",
			"13:71-76 invalid spec.tolerations[9].tolerationSeconds"}, ""},
		{"another tag", head + "  tolerations:\n  - key: !!binary YQ==\n    value: !!int \"5\"\n", []string{"5:12-0 invalid spec.tolerations[0].value"}, ""},
		{"json with tabs", "{\n\t\"kind\": \"Pod\",\n\t\"spec\": {\"tolerations\": [\n\t\t{\"key\": \"a\", \"value\": 5}]}}", []string{"4:25-26 invalid spec.tolerations[0].value"},
			"{\n\t\"kind\": \"Pod\",\n\t\"spec\": {\"tolerations\": [\n\t\t{\"key\": \"a\", \"value\": \"5\"}]}}"},
		{"json values", "{\"kind\": \"Pod\"}\n{\"spec\": {\"tolerations\": [{\"key\": 5}]}}", []string{"failed 1: did not find expected <document start>"}, ""},
		{"json escapes", "{\"a\": \"\\/\\ud83d\\ude00\", \"tolerations\": [{\"key\": \"a\\/b\", \"value\": 5}]}", []string{"1:66-67 invalid tolerations[0].value"},
			"{\"a\": \"\\/\\ud83d\\ude00\", \"tolerations\": [{\"key\": \"a\\/b\", \"value\": \"5\"}]}"},
		{"json after a separator", "--- {\"tolerations\": [{\"key\": \"a\", \"value\": 5}]}", []string{"1:44-45 invalid tolerations[0].value"},
			"--- {\"tolerations\": [{\"key\": \"a\", \"value\": \"5\"}]}"},
		{"comments in flow style", head + "  tolerations: [\n    {\n      key: a, operator: Exists # }\n    }, {\n      key: a, # ]\n      value: b # {\n      # }\n    } # behind\n  ]\n",
			[]string{"6:8-0 redundant spec.tolerations[1]"}, ""},
		{"quotes in quotes", head + "  tolerations: [{key: \"\\\"\", operator: Exists}, {key: '''', operator: Exists}, {key: a, operator: Lt, value: '0'}]\n",
			[]string{"3:23-27 invalid spec.tolerations[0].key", "3:54-58 invalid spec.tolerations[1].key", "3:79-0 never-matches spec.tolerations[2]"},
			head + "  tolerations: [{key: \"\\\"\", operator: Exists}, {key: '''', operator: Exists}]\n"},
		{"comment between elements in flow style", head + "  tolerations: [\n    {key: a, operator: Lt, value: '0'}, # the first\n    {key: b, operator: Exists}]\n",
			[]string{"4:5-0 never-matches spec.tolerations[0]"}, ""},
		{"deep", strings.Repeat("[", 2000), []string{"failed 1: did not find expected node content"}, ""},
		{"deep in json", strings.Repeat("[", 2000) + strings.Repeat("]", 2000), []string{"failed 1: more than 1000 levels"}, ""},
		{"deep, but not too deep", "a: " + strings.Repeat("[", 900) + strings.Repeat("]", 900), nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := everything.of(tt.text, "")
			if diff := cmp.Diff(tt.want, lines(r.findings, r.notes)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			if tt.fixed == "" {
				tt.fixed = tt.text
			}
			if after := everything.of(tt.text, "all"); after.text != tt.fixed {
				t.Errorf("fixed to %q, want %q", after.text, tt.fixed)
			}
		})
	}
}

// In a file of several documents, the place of a fixed finding is that before the fixes,
// and the place of another one that after them.
func TestFile_places(t *testing.T) {
	const text = "\ufeff" + head + "  tolerations:\n  - {key: a, operator: Exists}\n  - {key: a, operator: Exists}\n---\n" + head + "  tolerations: [{key: 5}, {key: a b}]\n"
	r := everything.of(text, "all")
	want := []string{"5:5-0 redundant spec.tolerations[1]", "9:23-24 invalid spec.tolerations[0].key", "9:17-0 equal-empty-value spec.tolerations[0]"}
	if got := lines(r.fixed, nil); !cmp.Equal(got, want) {
		t.Errorf("fixed %q, want %q", got, want)
	}
	if got := lines(r.findings, r.notes); !cmp.Equal(got, []string{"8:53-56 invalid spec.tolerations[1].key"}) {
		t.Errorf("left %q in %s", got, r.text)
	}
}

// Any text has findings within it, and a fixed text is not fixed again.
func FuzzFix(f *testing.F) {
	f.Add(manifests)
	f.Add(strings.ReplaceAll(manifests, "\n", "\r\n"))
	f.Add(`{"kind": "Pod", "spec": {"tolerations": [{"key": "a\/b", "Effect": "x", "value": 5}, {"key": "c"}, {"key": "c"}]}}`)
	for _, text := range bypasses {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		r := everything.of(text, "")
		lines := len(linesOf(text))
		for _, f := range r.findings {
			if f.Line < 1 || f.Line > lines || f.Column < 1 {
				t.Errorf("%q: %d:%d", text, f.Line, f.Column)
			}
		}
		after := everything.of(text, "all")
		if changed := after.text != text; changed != (len(after.fixed) > 0) {
			t.Errorf("%q fixed to %q with %d findings", text, after.text, len(after.fixed))
		}
		again := everything.of(after.text, "all")
		if len(again.fixed) > 0 && len(after.notes) == len(r.notes) {
			t.Errorf("%q fixed to %q, then to %q", text, after.text, again.text)
		}
	})
}

// Pods that run on every node tolerate everything.
func TestAgents(t *testing.T) {
	for _, tt := range []struct {
		kind, owners string
		want         int
	}{
		{"DaemonSet", "", 0},
		{"Pod", "{kind: DaemonSet, name: a, controller: true}", 0},
		{"Pod", "{kind: Node, name: a, controller: true}", 0},
		{"Pod", "{kind: Job, name: a}, {kind: DaemonSet, name: a, controller: true}", 0},
		{"Pod", "", 1},
		{"Pod", "{kind: DaemonSet, name: a}", 1},
		{"Pod", "{kind: Node, name: a, controller: false}", 1},
		{"Pod", "{kind: ReplicaSet, name: a, controller: true}", 1},
		{"Pod", "5", 1},
		{"ReplicaSet", "{kind: Node, name: a, controller: true}", 1},
	} {
		d := everything.one(fmt.Sprintf("kind: %s\nmetadata: {ownerReferences: [%s]}\nspec: {template: {spec: {containers: [], tolerations: [{operator: Exists}]}}}\n", tt.kind, tt.owners))
		if got := lines(d.findings, d.notes); strings.Count(fmt.Sprint(got), "tolerates-everything") != tt.want {
			t.Errorf("%s, %s: %q", tt.kind, tt.owners, got)
		}
	}
}

// What is fixed in a later round has its place in the text before all fixes.
func TestFix_places(t *testing.T) {
	const text = `kind: Pod
spec:
  containers: []
  # before
  tolerations:
  - operator: Exists
  - {key: b, operator: Exists, effect: NoExecute, tolerationSeconds: 0}
  - {key: c, operator: Exists, effect: NoExecute, tolerationSeconds: 5}
  - {key: c, operator: exists, effect: NoExecute, tolerationSeconds: 5}
`
	want := []string{"9:24 invalid spec.tolerations[3].operator", "7:5 shadowed spec.tolerations[1]", "9:5 shadowed spec.tolerations[3]", "8:5 shadowed spec.tolerations[2]"}
	var got []string
	for _, f := range everything.of(text, "safe").fixed {
		got = append(got, fmt.Sprintf("%d:%d %s %s", f.Line, f.Column, f.Rule, f.Path))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
