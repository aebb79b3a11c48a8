package tolerate_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// avoided are words and phrases that this project does not use, and what to write
// instead: the reader may have learned English as a second language. Case matters
// only for a phrase that begins with a capital.
var avoided = []struct{ phrases, instead string }{
	{"tell|tells|told|telling", "return, report, describe, list or distinguish"},
	{"ask|asks|asked|asking", "query, call, request or require"},
	{"bear|bears|bore|borne|bearing", "have"},
	{"put up with|puts up with|putting up with", "tolerate"},
	{"had better|better not", "should, or prefer not"},
	{"hang on|hangs on|hung on", "is indexed under, or depends on"},
	{"for good", "permanently, or without a time limit"},
	{"of itself", "by default, or automatically"},
	{"but for", "except"},
	{"left out of account|leave out of account|leaves out of account", "ignored"},
	{"as it is written|as they are written", "unchanged"},
	{"stand|stands|stood|standing", "is, has, depends on or represents"},
	{"in the way", "prevents"},
	{"Who wants|Who needs|Who only|Who asks|Who knows", "to do X, use Y"},
	{"pod goes|pod that goes|pod went|pods go|pods that go|pods went", "the pod is evicted"},
	{"pod comes|pod that comes|pod came|pods come|pods that come|pods came", "the pod is created or scheduled"},
	{"must go|may go|has to go|have to go|goes now", "is evicted, or can continue"},
	{"may not", "cannot, or must not"},
	{"keep pods away|keeps pods away|keeps all pods away", "repels pods"},
}

// instead has what to write instead of each phrase, in lower case.
var instead = map[string]string{}

// phrases matches each phrase. Only white space may be between its words.
var phrases = func() *regexp.Regexp {
	var forms []string
	for _, a := range avoided {
		for text := range strings.SplitSeq(a.phrases, "|") {
			instead[strings.ToLower(text)] = a.instead
			form := "(?i:" + text + ")"
			if text[0] < 'a' {
				form = text[:1] + "(?i:" + text[1:] + ")"
			}
			forms = append(forms, strings.ReplaceAll(form, " ", `\s+`))
		}
	}
	return regexp.MustCompile(`\b(?:` + strings.Join(forms, "|") + `)\b`)
}()

// A passage is text that people read, and the line of the file where it begins.
type passage struct {
	line int
	text string
}

// findAvoided calls found with the line, the words and the advice for each avoided
// phrase.
func findAvoided(p passage, found func(line int, words, instead string)) {
	for _, at := range phrases.FindAllStringIndex(p.text, -1) {
		words := strings.Join(strings.Fields(p.text[at[0]:at[1]]), " ")
		found(p.line+strings.Count(p.text[:at[0]], "\n"), words, instead[strings.ToLower(words)])
	}
}

var hashes = regexp.MustCompile(`(?m)^[ \t]*#[ \t]?`)

// generated is what bench/report writes into a page. The words of its source, in
// bench/report, are checked.
var generated = regexp.MustCompile(`(?s)<!-- results:begin -->.*<!-- results:end -->`)

const generatedPage = "bench/RESULTS.md"

// passages returns what people read in a file: comments and strings of Go, and
// all of a page or script. Adjacent comment lines are one passage, since a phrase
// may be broken.
func passages(name string, text []byte) []passage {
	switch filepath.Ext(name) {
	case ".go":
		return goPassages(text)
	case ".md":
		if filepath.ToSlash(name) == generatedPage {
			return nil
		}
		return []passage{{1, generated.ReplaceAllStringFunc(string(text), func(block string) string {
			return strings.Repeat("\n", strings.Count(block, "\n")) // lines keep their numbers
		})}}
	case ".sh", ".yml", ".yaml":
	default:
		if filepath.ToSlash(name) != ".ci/run" {
			return nil
		}
	}
	return []passage{{1, hashes.ReplaceAllString(string(text), "")}}
}

func goPassages(text []byte) (ps []passage) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil // it does not compile, either
	}
	for _, c := range f.Comments {
		ps = append(ps, passage{fset.Position(c.Pos()).Line, c.Text()})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			body, _ := strconv.Unquote(lit.Value)
			if lit.Value[0] == '"' {
				body = strings.ReplaceAll(body, "\n", " ") // it is on one line of the file
			}
			ps = append(ps, passage{fset.Position(lit.Pos()).Line, body})
		}
		return true
	})
	return ps
}

// Prose, comments and messages do not use the words that are avoided.
func TestWords(t *testing.T) {
	files := map[string]int{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "up"):
			return fs.SkipDir
		case !d.Type().IsRegular() || name == "words_test.go": // the list itself
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, p := range passages(name, text) {
			files[filepath.Ext(name)]++
			findAvoided(p, func(line int, words, instead string) {
				t.Errorf("%s:%d: %q: write %s", name, line, words, instead)
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".go", ".md", ".sh", ".yml", ""} {
		if files[ext] == 0 {
			t.Errorf("no text was found in files with the extension %q", ext)
		}
	}
}

func TestWords_found(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"p.md", "A toleration lets a pod\nput up\nwith taints.", `2: "put up with"`},
		{"p.md", "The standard understands bearings; a pod is told", `1: "told"`},
		{"p.md", "It is permanent, which is for the good of all.", ""},
		{"p.md", "a\n<!-- results:begin -->\n| told |\n<!-- results:end -->\ntold", `5: "told"`},
		{"bench/RESULTS.md", "told", ""},
		{"p.md", "Who wants less asks.", `1: "Who wants" 1: "asks"`},
		{"p.go", "package p\n\n// It is kept for\n// good.\nvar told = `x\ny but for z`\n", `3: "for good" 6: "but for"`},
		{"p.go", "package p\n\nvar s = \"a\\nb may not\"\n\n/* The pod\ngoes. */", `5: "pod goes" 3: "may not"`},
		{"p.go", "package p\n\nvar ask, bears = 1, 2 // names are not prose\n", ""},
		{"p.go", "package p\n\n// It is for\n\n// good.\n", ""},
		{"p.sh", "x=1\n  # nodes are tainted of\n  # itself\n", `2: "of itself"`},
		{".ci/run", "#!/bin/sh\n# It stands\n", `2: "stands"`},
		{"p.json", "told", ""},
	} {
		var found []string
		for _, p := range passages(tt.name, []byte(tt.text)) {
			findAvoided(p, func(line int, words, _ string) { found = append(found, fmt.Sprintf("%d: %q", line, words)) })
		}
		if got := strings.Join(found, " "); got != tt.want {
			t.Errorf("%s %q: found %s, want %s", tt.name, tt.text, got, tt.want)
		}
	}
}
