package lint

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/internal/gen"
	rules "github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// write returns a pod with these tolerations, in one of many layouts.
func write(t *rapid.T, list toleration.List) string {
	b := func(name string) bool { return rapid.Bool().Draw(t, name) }
	flow, quotes, comments, crlf, indented := b("flow"), b("quotes"), b("comments"), b("crlf"), b("indented")
	comment := func(text string) string {
		if comments {
			return " # " + text
		}
		return ""
	}
	indent := "\n  "
	if indented {
		indent = "\n    "
	}
	out := "apiVersion: v1 # a\nkind: Pod\nspec:\n  containers: []\n  # before\n  tolerations:"
	if len(list) == 0 {
		out += " []"
	}
	for i, u := range list {
		var fields []string
		for j, value := range fieldsOf(u) {
			var v any
			switch {
			case value == "" && (j != 2 || u.Operator() == toleration.Exists || !b("empty value")):
				continue
			case order[j] == "tolerationSeconds":
			case value == "" || quotes:
				value = `"` + value + `"`
			case yaml.Unmarshal([]byte(value), &v) != nil || v != value:
				value = "'" + value + "'"
			}
			fields = append(fields, order[j]+": "+value)
		}
		fields = rapid.Permutation(fields).Draw(t, "order")
		if comments {
			out += indent + "# above " + fmt.Sprint(i)
		}
		if flow {
			out += indent + "- {" + strings.Join(fields, ", ") + "}" + comment("element")
			continue
		}
		mark := "- "
		for _, f := range fields {
			out += indent + mark + f + comment("field")
			mark = "  "
		}
	}
	out += "\n  nodeName: 'n' # behind\n"
	if crlf {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return out
}

// readPod returns the tolerations of a pod as kubectl reads them, and the rest of the pod.
func readPod(t *rapid.T, text string) (list toleration.List, rest map[string]any) {
	data, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatal(err, text)
	}
	var pod struct {
		Spec struct{ Tolerations json.RawMessage }
	}
	if err := json.Unmarshal(data, &pod); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &rest); err != nil {
		t.Fatal(err)
	}
	delete(rest["spec"].(map[string]any), "tolerations")
	list, _, err = toleration.Decode(pod.Spec.Tolerations, toleration.ListOptions{Strict: true})
	if err != nil {
		t.Fatal(err, text)
	}
	return list, rest
}

// In any layout, --fix keeps the meaning of a list, --fix=all leaves no finding with a
// fix, and neither changes anything else.
func TestFix_property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := write(t, gen.Tolerations().Draw(t, "list"))
		was, around := readPod(t, text)
		for _, mode := range []string{"safe", "all"} {
			after, all := everything.of(text, mode), mode == "all"
			is, aroundAfter := readPod(t, after.text)
			if !reflect.DeepEqual(around, aroundAfter) {
				t.Errorf("%s\nfixed to\n%s\nwhich differs outside of the list", text, after.text)
			}
			if len(after.fixed) == 0 && text != after.text {
				t.Errorf("%s\nchanged without a finding to\n%s", text, after.text)
			}
			for _, line := range strings.SplitAfter(after.text, "\n") {
				if strings.Contains(line, "# a") && !strings.Contains(text, line) {
					t.Errorf("%s\nfixed to\n%s\nwhich has another line %q", text, after.text, line)
				}
			}
			if _, a := cover.UncoveredTaint(was, is, toleration.First); !all {
				if _, b := cover.UncoveredTaint(is, was, toleration.First); a || b {
					t.Errorf("%s\nfixed to\n%s\nwhich has another meaning", text, after.text)
				}
			}
			for _, f := range after.findings {
				if f.mend != nil && (all || f.mend.kind == equivalent) {
					t.Errorf("%s\nfixed to\n%s\nwhich has %q with the fix %q", text, after.text, f.Message, f.Fix)
				}
			}
		}
	})
}

// corpus returns the lists of real manifests.
func corpus(t *testing.T, name string) (lists []json.RawMessage) {
	t.Helper()
	f, err := os.Open("shared/corpus/" + name)
	for up := "../"; err != nil && len(up) < 40; up += "../" { // it is beside the repository
		f, err = os.Open(up + "shared/corpus/" + name)
	}
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var line struct{ List json.RawMessage }
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		lists = append(lists, line.List)
	}
	return lists
}

// Every mistake in the lists of real manifests is found, and every fix removes its
// finding and adds none.
func TestFix_corpus(t *testing.T) {
	fixes := 0
	for _, text := range corpus(t, "tolerations.jsonl") {
		pod := `{"kind": "Pod", "spec": {"tolerations": ` + string(text) + `}}`
		list, _, err := toleration.Decode(text, toleration.ListOptions{Strict: true})
		r := everything.one(pod)
		want := len(rules.Find(list, rules.Options{}))
		if err != nil && r.lists[0].invalids == 0 || err == nil && len(r.findings) != want {
			t.Errorf("%s: found %q, want %d findings; %v", text, lines(r.findings, nil), want, err)
		}
		for _, f := range r.findings {
			if f.mend == nil {
				continue
			}
			fixes++
			next, bad := (&mender{config: &everything}).try(r, map[int][]*Finding{0: {f}})
			if next == nil {
				t.Errorf("%s: %q is not fixed: %d", text, f.Message, len(bad))
				continue
			}
			message := func(f *Finding) string { return f.Rule + f.Message }
			for _, g := range next.findings {
				if g.Rule == f.Rule && g.Message == f.Message {
					t.Errorf("%s: %q is there after its fix", text, f.Message)
				} else if err == nil && !slices.ContainsFunc(r.findings, func(f *Finding) bool { return message(f) == message(g) }) {
					t.Errorf("%s: the fix of %q adds %q", text, f.Message, g.Message)
				}
			}
		}
	}
	for _, text := range corpus(t, "taints.jsonl") {
		r := everything.one(`{"kind": "NodePool", "spec": {"taints": ` + string(text) + `}}`)
		var list []any
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		one, isText := list[0].(string)
		_, err := taint.Parse(one)
		if len(r.lists) != 1 || len(r.findings) > 0 != (isText && err != nil) {
			t.Errorf("%s: %q", text, lines(r.findings, nil))
		}
	}
	if fixes == 0 {
		t.Error("no fix in the corpus")
	}
}
