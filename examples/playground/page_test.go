package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
	"github.com/go-tolerate/tolerate/examples/playground/internal/pair"
)

// folder returns a folder with the page, which is built over a part of an older one.
var folder = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return "", err
	}
	last := atEnd
	atEnd = func() {
		last()
		os.RemoveAll(dir)
	}
	for _, name := range []string{"tolerate.wasm", "page.js", "wasm_exec.js"} {
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte("\x00asm"), 4<<20), 0o666); err != nil {
			return "", err
		}
	}
	return dir, build(dir)
})

func built(t *testing.T) string {
	t.Helper()
	dir, err := folder()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// openPage opens the page, and waits for its first answer.
func openPage(t *testing.T, fragment string, width int64, scheme string) *page {
	t.Helper()
	p := open(t, handler(built(t)), "/"+fragment, width, 800, scheme)
	p.answered()
	return p
}

// answered waits until the page shows the answer to what its fields have.
func (p *page) answered() {
	p.t.Helper()
	p.until("answer.ariaBusy == 'false'")
}

func TestBuild(t *testing.T) {
	dir := built(t)
	program, err := os.ReadFile(dir + "/tolerate.wasm")
	if err != nil {
		t.Fatal(err)
	}
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	w.Write(program)
	w.Close()
	t.Logf("%d bytes, %d compressed", len(program), compressed.Len())
	if len(program) > 7_500_000 || compressed.Len() > 2_000_000 {
		t.Errorf("tolerate.wasm has %d bytes, %d compressed", len(program), compressed.Len())
	}
	licenses, err := os.ReadFile(dir + "/licenses.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Copyright 2009 The Go Authors", "Apache License", "\ngo.yaml.in/yaml/v3\n", "Copyright 2011-2016 Canonical Ltd.", "\nsigs.k8s.io/yaml\n"} {
		if !strings.Contains(string(licenses), part) {
			t.Errorf("licenses.txt does not have %q", part)
		}
	}
}

type example struct {
	Name, About, Taints, Tolerations string
	Cordoned, Numeric                bool
}

func examples(t *testing.T) (list []example) {
	t.Helper()
	text, err := os.ReadFile("site/examples.json")
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// shown returns what the page must show of an answer.
func shown(a pair.Answer) (lines []string) {
	sign := map[string]string{"yes": "✓ ", "other": "~ ", "no": "✗ ", "wrong": "! "}
	add := func(text string) {
		if text != "" {
			lines = append(lines, text)
		}
	}
	for _, field := range []string{"taints", "tolerations"} {
		for _, m := range a.Mistakes {
			if m.Field == field {
				add(fmt.Sprintf("Line %d: %s", m.Line, m.Text))
			}
		}
	}
	add(sign[a.State] + a.Title)
	add(a.Running)
	add(a.Note)
	for _, r := range a.Rows {
		add(r.Taint + " | " + sign[r.State] + r.Because + " | " + r.Follows)
	}
	add(a.AddTitle)
	add(a.Add)
	for _, m := range a.Probable {
		add(fmt.Sprintf("Line %d: %s", m.Line, m.Text))
	}
	return lines
}

// shown returns what the page shows of the answer.
func (p *page) shown() []string {
	p.t.Helper()
	p.answered()
	return eval[[]string](p, `[...document.querySelectorAll('.wrong li, #title, #running, #note, tbody tr, #add-title, #add, #findings li')]
		.filter(e => e.checkVisibility()).map(e => e.cells ? [...e.cells].map(c => c.textContent).join(' | ') : e.textContent).filter(t => t)`)
}

func (p *page) choose(example int) {
	p.t.Helper()
	eval[any](p, fmt.Sprintf("example.value = %d, example.dispatchEvent(new Event('change'))", example))
	p.answered()
}

func (p *page) check(q pair.Question) {
	p.t.Helper()
	if diff := cmp.Diff(shown(pair.Judge(q)), p.shown()); diff != "" {
		p.t.Errorf("%+v mismatch (-library +page):\n%s", q, diff)
	}
}

func (e example) question() pair.Question {
	return pair.Question{Taints: e.Taints, Tolerations: e.Tolerations, Cordoned: e.Cordoned, Numeric: e.Numeric}
}

// Every example of the menu, with the headers of the program and without any.
func TestPage_examples(t *testing.T) {
	for name, site := range map[string]http.Handler{"served": handler(built(t)), "static": http.FileServer(http.Dir(built(t)))} {
		t.Run(name, func(t *testing.T) {
			p := open(t, site, "/", 1100, 800, "light")
			p.answered()
			for i, e := range examples(t) {
				p.choose(i)
				p.check(e.question())
				if got := eval[string](p, "about.textContent"); got != e.About {
					t.Errorf("%s: the page has %q", e.Name, got)
				}
				// Its address shows the same, after another state.
				hash := eval[string](p, "location.hash")
				eval[any](p, "location.hash = ''")
				p.until("taints.value + tolerations.value == ''")
				eval[any](p, fmt.Sprintf("location.hash = %q", hash))
				p.until("taints.value")
				p.check(e.question())
			}
		})
	}
}

// The page by the keyboard alone.
func TestPage_keyboard(t *testing.T) {
	p := openPage(t, "", 1100, "light")
	keys := func(keys string) { t.Helper(); p.do(chromedp.KeyEvent(keys)) }
	focus := func(want string) {
		t.Helper()
		if got := eval[string](p, "document.activeElement.id || document.activeElement.textContent"); got != want {
			t.Fatalf("the focus is on %q, want %q", got, want)
		}
	}
	keys(kb.Tab)
	focus("example")
	keys(kb.ArrowDown)
	e := examples(t)[1]
	p.check(e.question())
	keys(kb.Tab)
	focus("taints")
	p.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	keys("team=a:NoExecut")
	p.check(pair.Question{Taints: "team=a:NoExecut", Tolerations: e.Tolerations})
	if got := eval[string](p, "taints.getAttribute('aria-invalid') + example.value + about.textContent"); got != "true" {
		t.Errorf("the field and the example are %q", got)
	}
	keys("x")
	p.answered()
	keys(kb.Tab)
	focus(shown(pair.Judge(pair.Question{Taints: "team=a:NoExecutx"}))[0])
	keys(kb.Enter)
	focus("taints")
	if got := eval[string](p, "taints.value.slice(taints.selectionStart, taints.selectionEnd)"); got != "team=a:NoExecutx" {
		t.Errorf("the mistake selects %q", got)
	}
	keys("team=a:NoExecute\n")
	p.answered() // before, the next stop is the mistake
	keys(kb.Tab)
	focus("cordoned")
	keys(" ")
	keys(kb.Tab)
	focus("tolerations")
	p.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	keys("cores=1 op=Gt")
	q := pair.Question{Taints: "team=a:NoExecute\n", Tolerations: "cores=1 op=Gt", Cordoned: true}
	p.check(q)
	keys(kb.Tab + kb.Tab)
	focus("numeric")
	keys(" ")
	q.Numeric = true
	p.check(q)
	keys(kb.Tab)
	focus("add")
	keys(kb.Tab)
	focus("copy")
	keys(kb.Enter)
	p.until("copied.textContent")
	keys(kb.Tab)
	eval[any](p, "tolerations.value = '', tolerations.focus()")
	call(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Commands: []string{"paste"}})
	want := "- effect: NoExecute\n  key: team\n  operator: Equal\n  value: a\n"
	if got := eval[string](p, "tolerations.value"); got != want {
		t.Errorf("pasted %q, want %q", got, want)
	}
	p.check(pair.Question{Taints: q.Taints, Tolerations: want, Cordoned: true, Numeric: true})
}

// Names of strangers are text, and no input stops the page.
func TestPage_hostile(t *testing.T) {
	p := openPage(t, "", 1100, "light")
	markup := `<img src=x onerror=alert(1)><script>alert(1)</script>"'\u202e\u0000` + hostile.Mark
	for _, q := range []pair.Question{
		{Taints: markup, Tolerations: markup},
		{Taints: "- key: '" + markup, Tolerations: "- {key: \"<img src=x onerror=alert(1)>\", operator: \"<b>\"}"},
		{Taints: "a=1:NoSchedule", Tolerations: "{\"spec\": {\"tolerations\": [{\"key\": \"<svg onload=alert(1)>\", \"<i>\": 1}]}}"},
		{Taints: strings.Repeat("a:NoSchedule,", 20000), Tolerations: strings.Repeat("op=Exists,", 20000)},
		{Taints: strings.Repeat("[", 60000), Tolerations: strings.Repeat("- ", 30000)},
		{Taints: strings.Repeat("a:NoSchedule,", 4500), Tolerations: strings.Repeat("a=1\n", 15000)},
		{Taints: "[" + strings.Repeat("{a: ", 5000), Tolerations: strings.Repeat("{\"a\":", 5000) + "1" + strings.Repeat("}", 5000)},
		{Taints: "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\ntaints: [*e,*e,*e,*e,*e,*e]", Tolerations: "a: &a\n  tolerations: *a"},
		{Taints: "a=1:NoSchedule", Tolerations: strings.Repeat("x", 100<<10)},
	} {
		data, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		eval[any](p, fmt.Sprintf("((q) => { taints.value = q.Taints; tolerations.value = q.Tolerations; taints.dispatchEvent(new Event('input')) })(%s)", data))
		p.answered()
		got := p.shown()
		t.Logf("%.300q", got)
		if n := eval[int](p, "document.querySelectorAll('img, svg, b b, i, script:not([src])').length"); n > 0 {
			t.Errorf("%.80v made %d elements", q, n)
		}
		if state := eval[string](p, "title.className"); state != "wrong" {
			t.Errorf("%.80v: the answer is %q", q, state)
		}
		// The page still answers.
		eval[any](p, "taints.value = '', tolerations.value = '', taints.dispatchEvent(new Event('input'))")
		p.check(pair.Question{})
	}
}

// contrast returns the elements whose text does not have the contrast of WCAG 2.2, AA.
const contrast = `(() => {
	const rgb = (c) => c.match(/[0-9.]+/g).map(Number);
	const luminance = (c) => rgb(c).slice(0, 3).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => { const c = getComputedStyle(e).backgroundColor; return rgb(c)[3] === 0 ? behind(e.parentElement) : c; };
	const texts = [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && e.textContent.trim() && !e.querySelector(':scope > *'));
	if (texts.length < 20) return ['only ' + texts.length + ' texts'];
	return texts.filter((e) => {
		const [a, b] = [luminance(getComputedStyle(e).color), luminance(behind(e))];
		return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
	}).map((e) => e.outerHTML);
})()`

// A picture of each state in light and dark, and on a telephone.
func TestPage_states(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		p := openPage(t, "", 1100, scheme)
		for _, i := range []int{3, 11, 12, 13} {
			p.choose(i)
			p.shoot(fmt.Sprintf("page-%s-%d", scheme, i))
			for _, e := range eval[[]string](p, contrast) {
				t.Errorf("%s, example %d: not enough contrast: %s", scheme, i, e)
			}
		}
		p = openPage(t, "", 360, scheme)
		p.choose(1)
		p.shoot("page-" + scheme + "-360")
		if w := eval[int](p, "document.documentElement.scrollWidth"); w > 360 {
			t.Errorf("the page is %d pixels wide on a telephone of 360", w)
		}
	}
}

// The picture of the page: SCREENSHOTS=$PWD go test -run Page_picture .
func TestPage_picture(t *testing.T) {
	p := openPage(t, "", 900, "light")
	p.choose(1)
	p.shoot("page")
}

// The header of the program has the policy that the page has for other servers.
func TestHandler_policy(t *testing.T) {
	r := httptest.NewRecorder()
	handler(built(t)).ServeHTTP(r, httptest.NewRequest("GET", "/worker.js", nil))
	page, err := site.ReadFile("site/index.html")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), `<meta http-equiv="Content-Security-Policy" content="`+policy+`">`) {
		t.Error("the page does not have the policy")
	}
	if got := r.Header().Get("Content-Security-Policy"); got != policy || r.Code != http.StatusOK {
		t.Errorf("the status is %d, the policy %q", r.Code, got)
	}
}

// A link that is too long is not written, and not read.
func TestPage_longLink(t *testing.T) {
	p := openPage(t, "#taints=a:NoSchedule", 1100, "light")
	p.check(pair.Question{Taints: "a:NoSchedule"})
	eval[any](p, "taints.value = 'a:NoSchedule\\n' + ' '.repeat(8000), taints.dispatchEvent(new Event('input'))")
	if got := eval[string](p, "location.hash"); got != "#too-long" {
		t.Errorf("the address has %.40q", got)
	}
	eval[any](p, "location.hash = 'taints=' + 'x'.repeat(9000)")
	p.until("taints.value == ''")
	p.check(pair.Question{})
}
