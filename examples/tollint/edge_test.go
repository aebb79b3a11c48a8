package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/match/lint"
)

var everything = config{severity: lint.Info}

// lines returns a line for each finding and note.
func lines(r *result) (out []string) {
	for _, f := range r.findings {
		out = append(out, fmt.Sprintf("%d:%d-%d %s %s", f.line, f.column, f.end, f.rule, f.path))
	}
	for _, n := range r.skipped {
		out = append(out, fmt.Sprintf("skipped %d: %s", n.line, n.message))
	}
	for _, n := range r.failures {
		out = append(out, fmt.Sprintf("failed %d: %s", n.line, n.message))
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
		{"other ends of lines", "kind: Pod\nspec:\n  a: \"b\u2028c\"\n  tolerations:\n  - key: a\n    value: 5\n", []string{"6:12-13 invalid spec.tolerations[0].value"},
			"kind: Pod\nspec:\n  a: \"b\u2028c\"\n  tolerations:\n  - key: a\n    value: \"5\"\n"},
		{"tab", head + "\ttolerations: []\n", []string{"failed 3: found character that cannot start any token"}, ""},
		{"nul", bad + "\x00", []string{"failed 6: not UTF-8 text"}, ""},
		{"utf-16", "k\x00i\x00n\x00d\x00", []string{"failed 1: not UTF-8 text"}, ""},
		{"not UTF-8", "a: \xff\n", []string{"failed 1: not UTF-8 text"}, ""},
		{"repeated list", head + "  tolerations: [{key: 5}]\n  tolerations: [{key: a}]\n", []string{
			"4:17-0 equal-empty-value spec.tolerations[0]", "failed 3: duplicate field \"tolerations\": some tools read the first one, others the last"},
			head + "  tolerations: [{key: 5}]\n  tolerations: [{key: a, operator: Exists}]\n"},
		{"null", head + "  tolerations:\n", nil, ""},
		{"empty", head + "  tolerations: []\n", nil, ""},
		{"scalar", head + "  tolerations: all\n", []string{"3:16-19 invalid spec.tolerations"}, ""},
		{"null element", head + "  tolerations:\n  -\n  - ~\n", []string{"4:4-0 invalid spec.tolerations[0]", "5:5-6 invalid spec.tolerations[1]"}, ""},
		{"list in a list", head + "  tolerations:\n  - - key: a\n      value: 5\n", []string{"4:5-0 invalid spec.tolerations[0]"}, ""},
		{"mark by itself", head + "  tolerations:\n  -\n    key: a\n    value: 5\n", []string{"6:12-13 invalid spec.tolerations[0].value"},
			head + "  tolerations:\n  -\n    key: a\n    value: \"5\"\n"},
		{"explicit keys", head + "  tolerations:\n  - ? key\n    : a\n    ? value\n    : 5\n", []string{"7:7-8 invalid spec.tolerations[0].value"},
			head + "  tolerations:\n  - ? key\n    : a\n    ? value\n    : \"5\"\n"},
		{"block scalar", head + "  tolerations:\n  - key: a\n    value: |-\n      5\n", nil, ""},
		{"several lines", head + "  tolerations:\n  - key: a\n    value: a\n      b\n  - key: \"c\n      d\"\n", []string{"5:12-0 invalid spec.tolerations[0].value", "7:10-0 invalid spec.tolerations[1].key"}, ""},
		{"anchor of nothing", "a: *b\n", []string{"failed 1: unknown anchor 'b' referenced"}, ""},
		{"alias of itself", head + "  tolerations: &a [*a]\n", []string{"failed 3: the expansion of aliases is too large"}, ""},
		{"merge of itself", head + "  tolerations:\n  - &a\n    key: b\n    <<: *a\n", []string{"failed 6: the expansion of aliases is too large"}, ""},
		{"seconds as kubectl reads them", head + "  tolerations:\n" + secondsOf("300.0", "3e2", "0x10", "1_000", "-5.0", "2.5", "1e400", "9007199254740993.0", "true", "'3e2'"), []string{
			"8:5-0 no-time spec.tolerations[4]",
			"9:71-74 invalid spec.tolerations[5].tolerationSeconds", "10:71-76 invalid spec.tolerations[6].tolerationSeconds",
			"12:71-75 invalid spec.tolerations[8].tolerationSeconds",
			"13:71-76 invalid spec.tolerations[9].tolerationSeconds"}, ""},
		{"another tag", head + "  tolerations:\n  - key: !!binary YQ==\n    value: !!int \"5\"\n", []string{"5:12-0 invalid spec.tolerations[0].value"}, ""},
		{"json with tabs", "{\n\t\"kind\": \"Pod\",\n\t\"spec\": {\"tolerations\": [\n\t\t{\"key\": \"a\", \"value\": 5}]}}", []string{"4:25-26 invalid spec.tolerations[0].value"},
			"{\n\t\"kind\": \"Pod\",\n\t\"spec\": {\"tolerations\": [\n\t\t{\"key\": \"a\", \"value\": \"5\"}]}}"},
		{"json values", "[]\n{\"spec\": {\"tolerations\": [{\"key\": 5}]}}\n\"x\"", []string{"2:35-36 invalid spec.tolerations[0].key"},
			"[]\n{\"spec\": {\"tolerations\": [{\"key\": \"5\", \"operator\": \"Exists\"}]}}\n\"x\""},
		{"json lists", "[{\"spec\": {\"tolerations\": [{\"key\": 5}]}}]\n{\"spec\": {\"tolerations\": [{\"key\": 6}]}}", []string{
			"1:36-37 invalid spec.tolerations[0].key", "2:35-36 invalid spec.tolerations[0].key"},
			"[{\"spec\": {\"tolerations\": [{\"key\": \"5\", \"operator\": \"Exists\"}]}}]\n{\"spec\": {\"tolerations\": [{\"key\": \"6\", \"operator\": \"Exists\"}]}}"},
		{"comments in flow style", head + "  tolerations: [\n    {\n      key: a, operator: Exists # }\n    }, {\n      key: a, # ]\n      value: b # {\n      # }\n    } # behind\n  ]\n",
			[]string{"6:8-0 redundant spec.tolerations[1]"},
			head + "  tolerations: [\n    {\n      key: a, operator: Exists # }\n    } # behind\n  ]\n"},
		{"quotes in quotes", head + "  tolerations: [{key: \"\\\"\", operator: Exists}, {key: '''', operator: Exists}, {key: a, operator: Lt, value: '0'}]\n",
			[]string{"3:23-27 invalid spec.tolerations[0].key", "3:54-58 invalid spec.tolerations[1].key", "3:79-0 never-matches spec.tolerations[2]"},
			head + "  tolerations: [{key: \"\\\"\", operator: Exists}, {key: '''', operator: Exists}]\n"},
		{"comment between elements in flow style", head + "  tolerations: [\n    {key: a, operator: Lt, value: '0'}, # the first\n    {key: b, operator: Exists}]\n",
			[]string{"4:5-0 never-matches spec.tolerations[0]"}, ""},
		{"deep", strings.Repeat("[", 2000), []string{"failed 1: exceeded max depth of 1000"}, ""},
		{"deep in json", strings.Repeat("[", 2000) + strings.Repeat("]", 2000), []string{"failed 1: exceeded max depth of 1000"}, ""},
		{"deep, but not too deep", "a: " + strings.Repeat("[", 900) + strings.Repeat("]", 900), nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := everything.check(newSource("x", tt.text))
			if diff := cmp.Diff(tt.want, lines(r)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			if tt.fixed == "" {
				tt.fixed = tt.text
			}
			if got := everything.fix(r, true).text; got != tt.fixed {
				t.Errorf("mended to %q, want %q", got, tt.fixed)
			}
		})
	}
}

// The message has a value without quotes as in the text.
func TestMessage(t *testing.T) {
	for _, value := range []string{"1.0", "3e2", "007", "1_000"} {
		r := everything.check(newSource("x", head+"  tolerations: [{key: a, value: "+value+"}]\n"))
		if len(r.findings) != 1 || r.findings[0].mend.String() != `write "`+value+`"` || json.Valid([]byte(value)) && !strings.HasPrefix(r.findings[0].message, "value "+value+":") {
			t.Errorf("%s: %v", value, r.findings)
		}
	}
}

// A few lines that need more memory than there is with their aliases resolved.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a: &x0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 30 {
		fmt.Fprintf(&b, "b%d: &x%d [%s]\n", i, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d, ", i), 10), ", "))
	}
	b.WriteString("spec:\n  containers: []\n  tolerations: [{key: *x30}]\n")
	r := everything.check(newSource("x", b.String()))
	if want := []string{"failed 6: the expansion of aliases is too large"}; !cmp.Equal(want, lines(r)) {
		t.Errorf("found %q, want %q", lines(r), want)
	}
}

// Many findings in one file are fixed in a few rounds.
func TestManyFindings(t *testing.T) {
	const n = 300
	var text, want strings.Builder
	for i := range n {
		pod := head + "  tolerations:\n  - {key: a%d, value: %s}\n  - key: b\n    operator: Exists\n"
		fmt.Fprintf(&text, pod+"  - key: b\n    value: \"x\"\n---\n", i, "5")
		fmt.Fprintf(&want, pod+"---\n", i, `"5"`)
	}
	out := everything.fix(everything.check(newSource("x", text.String())), false)
	if out.text != want.String() || len(out.done) != 2*n || len(out.rest.findings) != 0 {
		t.Errorf("%d mended, %d left", len(out.done), len(out.rest.findings))
	}
}

// A change is kept only if it has the intended effect and no other.
func TestTry(t *testing.T) {
	text := head + "  tolerations:\n  - {key: b, operator: Lt, value: '0'}\n  - {key: c, operator: Exists}\n  - {key: a, value: 5}\n"
	for _, tt := range []struct {
		why   string
		write string
		kept  bool
	}{
		{"as it should be", `"5"`, true},
		{"as wrong as before", `6`, false},
		{"wrong in another way", `"-"`, false},
		{"another element", `"5"}, {key: d, value: "1"`, false},
		{"another field of the pod", "\"5\"}\n  hostname: {a: b", false},
		{"another list of the pod", "\"5\"}\n  taints: [{key: b, effect: NoSchedule}], x: {a: b", false},
		{"another list", "\"5\"}\n---\n{taints: [{key: b, effect: NoSchedule}]", false},
		{"no YAML", `"5`, false},
		{"no YAML behind it", "\"5\"}\n---\n[", false},
		{"the end of the document", "\"5\"}\n---\n{a: b", false},
	} {
		r := everything.check(newSource("x", text))
		f := r.findings[1]
		f.mend.write = tt.write
		if next, _, _ := (&mender{config: &everything}).try(r, []*finding{f}); (next != nil) != tt.kept {
			t.Errorf("%s is kept: %v", tt.why, next != nil)
		}
	}
	r := everything.check(newSource("x", text))
	f := r.findings[0]
	for index, kept := range []bool{true, false, false} {
		f.mend.index = index // removes another element
		if next, _, _ := (&mender{config: &everything}).try(r, []*finding{f}); (next != nil) != kept {
			t.Errorf("element %d removed instead of 0 is kept: %v", index, next != nil)
		}
	}
}

// A fixed finding has its position in the original text.
func TestFixedPositions(t *testing.T) {
	text := head + "  tolerations:\n" + strings.Repeat("  - {key: a, operator: Lt, value: '0'}\n", 3) + "  - key: b\n    value: 5\n  - key: gpu\n"
	out := everything.fix(everything.check(newSource("x", text)), true)
	var got []string
	for _, f := range out.done {
		got = append(got, fmt.Sprintf("%d:%d %s", f.line, f.column, f.rule))
	}
	want := []string{"8:12 invalid", "4:5 never-matches", "5:5 never-matches", "6:5 never-matches", "9:5 equal-empty-value"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mended (-want +got):\n%s", diff)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const bad, good = head + "  tolerations: [{key: 5}]\n", head + "  tolerations: [{key: \"5\"}]\n"
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("real/a.yaml", bad, 0o640)
	write("deploy/b.yml", bad, 0o600)
	write("deploy/.hidden/c.yaml", bad, 0o600)
	write("deploy/d.txt", bad, 0o600)
	if err := os.Symlink("../real/a.yaml", "deploy/link.yaml"); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("../real", "deploy/dir.yaml"); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if status := run([]string{"-fix", "-disable", "equal-empty-value", "deploy"}, nil, &stdout, &stderr); status != statusClean {
		t.Errorf("status %d: %s%s", status, &stdout, &stderr)
	}
	for name, want := range map[string]string{"real/a.yaml": good, "deploy/b.yml": good, "deploy/.hidden/c.yaml": good, "deploy/d.txt": bad} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if info, err := os.Lstat("deploy/link.yaml"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone", err)
	}
	if info, err := os.Stat("real/a.yaml"); err != nil || info.Mode().Perm() != 0o640 {
		t.Error("the file's mode changed", err)
	}
	// A link to a directory is followed if it is an argument.
	for _, name := range []string{"deploy/dir.yaml", "deploy/dir.yaml/", "."} {
		stdout.Reset()
		status := run([]string{"-severity", "info", name}, nil, &stdout, &stderr)
		if file := filepath.Join(name, "a.yaml"); status != statusFound || name != "." && !strings.HasPrefix(stdout.String(), file+":3:") {
			t.Errorf("%s: status %d: %s", name, status, &stdout)
		}
	}
	// A file that is an argument can have any extension.
	if status := run([]string{"deploy/d.txt"}, nil, &stdout, &stderr); status != statusFound {
		t.Errorf("status %d", status)
	}
	entries, err := os.ReadDir("deploy")
	if err != nil || len(entries) != 5 {
		t.Error("something was left behind", entries, err)
	}
}

func TestSample(t *testing.T) {
	var text, flagged, stderr bytes.Buffer
	if status := run(nil, nil, &text, &stderr); status != statusFound || !strings.Contains(text.String(), "sample.yaml:16:18: error: value true") {
		t.Errorf("status %d: %s%s", status, &text, &stderr)
	}
	// The sample is not a file, so the changes are only shown.
	if status := run([]string{"-fix"}, nil, &flagged, &stderr); status != statusFound || !strings.Contains(flagged.String(), `+          value: "true"`) {
		t.Errorf("status %d: %s", status, &flagged)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }
func (failing) Read([]byte) (int, error)  { return 0, os.ErrClosed }

func TestInputAndOutputFail(t *testing.T) {
	var out, stderr bytes.Buffer
	for _, args := range [][]string{{}, {"-o", "json"}, {"-o", "sarif"}, {"-help"}, {"-rules"}, {"-diff"}} {
		if status := run(args, nil, failing{}, &stderr); status != statusBad {
			t.Errorf("%q: status %d with no output", args, status)
		}
	}
	for _, args := range [][]string{{}, {"-"}, {"-fix"}} {
		if status := run(args, failing{}, &out, &stderr); status != statusBad {
			t.Errorf("%q: status %d with no input", args, status)
		}
	}
	if status := run([]string{"-"}, nil, &out, &stderr); status != statusBad {
		t.Errorf("status %d with a terminal as input", status)
	}
	for _, args := range [][]string{{"-", "-"}, {"-fix", "-o", "json"}, {"-diff", "-o", "sarif"}, {"-severity", "bad"}, {"-disable", ","}, {"-fix=some"}, {"-policy", "nowhere"}, {"-x"}} {
		if status := run(args, strings.NewReader(""), &out, &stderr); status != statusBad {
			t.Errorf("%q: status %d", args, status)
		}
	}
}

// Text of the input cannot control the terminal, or look like a line of the
// output.
func TestPrintable(t *testing.T) {
	t.Chdir(t.TempDir())
	const object = `{"kind": "Pod", "metadata": {"name": "a\u001b[31m\nb"}, "spec": {"containers": [], "tolerations": [%s]}}`
	name := "x\x1b[31m.json"
	text := fmt.Sprintf(object, `{"k\u001b[31m": "\u001b", "key": "\u001b"}`) + fmt.Sprintf(object, `{"key": "{{"}`) + `{"\u001b": {"tolerations": [{"key": "{{"}]}}`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{{name, name + "x"}, {"-o", "json", name}, {"-o", "sarif", name}} {
		var stdout, stderr bytes.Buffer
		status := run(args, nil, &stdout, &stderr)
		out := stdout.String() + stderr.String()
		if status == statusClean || strings.ContainsRune(out, 0x1b) || strings.Contains(out, "\nb") {
			t.Errorf("%q: status %d: %q", args, status, out)
		}
	}
}

func TestTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MiB")
	}
	var out, stderr bytes.Buffer
	large := bytes.NewReader(make([]byte, maxInput+1))
	if status := run(nil, large, &out, &stderr); status != statusBad || !strings.Contains(stderr.String(), "larger than 64 MiB") {
		t.Errorf("status %d: %s", status, &stderr)
	}
}
