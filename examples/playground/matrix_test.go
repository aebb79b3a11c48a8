package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// plugin builds the plugin once.
var plugin = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "plugin")
	if err != nil {
		return "", err
	}
	stop := atEnd
	atEnd = func() { stop(); _ = os.RemoveAll(dir) }
	c := exec.Command("go", "build", "-C", "../kubectl-tolerate", "-o", dir, ".")
	c.Stderr = os.Stderr
	return filepath.Join(dir, "kubectl-tolerate"), c.Run()
})

// matrix opens the page of nodes -o html, from a file.
func matrix(t *testing.T, input string, width, height int64, scheme string) *page {
	t.Helper()
	tool, err := plugin()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"nodes", "-o", "html", "--sample"}
	if input != "" {
		args = []string{"nodes", "-o", "html", "-f", "-"}
	}
	c := exec.Command(tool, args...)
	c.Stdin, c.Stderr = strings.NewReader(input), os.Stderr
	text, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "nodes.html")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return open(t, nil, "file://"+file, width, height, scheme)
}

// cells returns the table's text, a row for each line, with the cells between bars.
func cells(p *page) []string {
	return strings.Split(eval[string](p, `[...document.querySelector('table').rows].map(r => [...r.cells].map(c => c.innerText.trim().replaceAll('\n', ' ')).join('|')).join('\n')`), "\n")
}

// about returns the text of the details.
func about(p *page) string { return eval[string](p, "document.getElementById('about').innerText") }

// sample is the table of the sample.
var sample = []string{
	"Pods|no taints, 2 nodes|dedicated=gpu:NoSchedule, 2 nodes|dedicated=batch:NoSchedule, example.com/spot:PreferNoSchedule, 1 node|no taints, cordoned, 1 node|node-role.kubernetes.io/control-plane:NoSchedule, 1 node|node.kubernetes.io/unreachable:NoSchedule, node.kubernetes.io/unreachable:NoExecute, 1 node",
	"kube-system: DaemonSet agent|●|●∗|●∗|●∗|●∗|●∗ 1",
	"ml: Pod serve-0|●|● 1|●▾|⊘|✕|✕",
	"shop: ReplicaSet web|● 1|✕|✕|⊘|✕|✕ 1!",
	"shop: Pod cache-0|●|✕|✕|⊘|✕|✕ 1!",
	"edge: Pod camera-0|·|·|·|·|·|·",
	"batch: Pod report-0|·|·|✕|·|·|·",
	"ml: Job train|·|✕|·|·|·|·",
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMatrix_sample(t *testing.T) {
	p := matrix(t, "", 1100, 800, "light")
	equal(t, "the table", cells(p), sample)
	for _, test := range []struct {
		row, column int
		want        string
	}{
		{1, 2, "kube-system: DaemonSet agent on dedicated=gpu:NoSchedule, 2 nodes: all nodes can be used, by wildcards only|2 of 2 nodes: admitted|dedicated=gpu:NoSchedule is tolerated by \"op=Exists\""},
		{7, 2, "ml: Job train on dedicated=gpu:NoSchedule, 2 nodes: taints repel the pods|2 of 2 nodes|dedicated=gpu:NoSchedule is not tolerated: \"dedicated=gpu:NoExecute\" has another effect; to add:|{\"key\":\"dedicated\",\"operator\":\"Equal\",\"value\":\"gpu\",\"effect\":\"NoSchedule\"}"},
		{7, 0, "ml: Job train|2 pods: Job train|tolerations: dedicated=gpu:NoExecute,node.kubernetes.io/not-ready:NoExecute op=Exists for 300s,node.kubernetes.io/unreachable:NoExecute op=Exists for 300s|selects: pool=gpu"},
		{0, 5, "node-role.kubernetes.io/control-plane:NoSchedule, 1 node|1 node: control-0|only 1 of 8 nodes has these taints"},
	} {
		eval[any](p, fmt.Sprintf("document.querySelector('table').rows[%d].cells[%d].click()", test.row, test.column))
		if got := strings.Join(strings.FieldsFunc(about(p), func(r rune) bool { return r == '\n' }), "|"); got != test.want {
			t.Errorf("row %d, column %d: %q\nwant %q", test.row, test.column, got, test.want)
		}
	}
}

// TestMatrix_picture makes the picture of the plugin's page.
func TestMatrix_picture(t *testing.T) {
	p := matrix(t, "", 760, 900, "light")
	eval[any](p, "document.querySelector('table').rows[1].cells[2].click()")
	p.shoot("nodes")
}

// Each cell of a cluster is what the library answers for the pod and each node.
func TestMatrix_generated(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	lists := []string{"", "a=1:NoSchedule", "b:NoExecute", "a=1:NoSchedule,b:NoExecute", "c:PreferNoSchedule", "b:NoExecute,c:PreferNoSchedule", "a=2:NoSchedule", "node-role.kubernetes.io/control-plane:NoSchedule"}
	tolerations := []string{"", "op=Exists", "a op=Exists", "a=1:NoSchedule", "a=1:NoExecute", ":NoExecute op=Exists", "b op=Exists,c op=Exists", "a=1,b:NoExecute op=Exists for 60s", ":NoSchedule op=Exists"}
	type node struct {
		pool, taints string
		cordoned     bool
	}
	var input strings.Builder
	var nodes []node
	for i := range 40 {
		n := node{string(rune('p' + i%3)), lists[r.IntN(len(lists))], i%7 == 0}
		nodes = append(nodes, n)
		list, _ := json.Marshal(taint.MustParseList(n.taints))
		fmt.Fprintf(&input, `{"kind":"Node","metadata":{"name":"n%d","labels":{"pool":%q}},"spec":{"unschedulable":%t,"taints":%s}}`, i, n.pool, n.cordoned, list)
	}
	want := make(map[string]string)
	for i := range 60 {
		list := toleration.MustParseList(tolerations[r.IntN(len(tolerations))])
		keyed := slices.DeleteFunc(slices.Clone(list), func(u toleration.Toleration) bool { return u.Key() == "" })
		pool := []string{"", "p", "q", "none"}[r.IntN(4)]
		text, _ := json.Marshal(list)
		selector := ""
		if pool != "" {
			selector = fmt.Sprintf(`,"nodeSelector":{"pool":%q}`, pool)
		}
		fmt.Fprintf(&input, `{"kind":"Pod","metadata":{"namespace":"s%d","name":"p"},"spec":{"tolerations":%s%s}}`, i, text, selector)
		selected, all := make(map[string]int), make(map[string]int)
		for _, n := range nodes {
			column := n.taints
			if column == "" {
				column = "no taints"
			}
			if n.cordoned {
				column += ",cordoned"
			}
			key := fmt.Sprintf("s%d: Pod p on %s", i, column)
			all[key]++
			if pool == "" || pool == n.pool {
				selected[key]++
			}
			taints := taint.MustParseList(n.taints)
			x := match.Node{Taints: taints, Unschedulable: n.cordoned}
			sign := "✕"
			switch {
			case x.Schedulable(list):
				sign = "●"
				if slices.ContainsFunc(taints, func(t taint.Taint) bool { return t.Effect() == taint.PreferNoSchedule && list.Match(t) < 0 }) {
					sign += "▾"
				}
				if !x.Schedulable(keyed) {
					sign += "∗"
				}
			case match.Node{Taints: taints}.Schedulable(list):
				sign = "⊘"
			}
			want[key] = sign
		}
		for key, n := range all {
			if selected[key] == 0 {
				want[key] = "·"
			} else if selected[key] < n {
				want[key] = strings.Replace(want[key], "●", "◐", 1)
			}
		}
	}
	for _, scheme := range []string{"light", "dark"} {
		p := matrix(t, input.String(), 1280, 900, scheme)
		table := cells(p)
		columns := strings.Split(table[0], "|")
		got := 0
		for _, line := range table[1:] {
			row := strings.Split(line, "|")
			for i, text := range row[1:] {
				column := strings.ReplaceAll(columns[i+1], ", ", ",")
				key := row[0] + " on " + column[:strings.LastIndex(column, ",")]
				if got++; text != want[key] {
					t.Errorf("%s: %s, want %s", key, text, want[key])
				}
			}
		}
		if got != len(want) || got != 60*(len(columns)-1) {
			t.Errorf("%d cells, want %d", got, len(want))
		}
		p.shoot("generated-" + scheme)
	}
}

// The filters choose rows and columns.
func TestMatrix_filters(t *testing.T) {
	p := matrix(t, "", 1100, 800, "light")
	choose := func(id, text string) {
		eval[any](p, fmt.Sprintf("{const s = document.getElementById(%q); s.selectedIndex = [...s.options].findIndex(o => o.text === %q); s.dispatchEvent(new Event('change'))}", id, text))
	}
	for _, test := range []struct {
		id, text string
		rows     []int // of the sample
		columns  []int
		shown    string
	}{
		{"namespace", "ml", []int{2, 7}, nil, "2 of 7 rows, 6 of 6 columns"},
		{"namespace", "kube-system", []int{1}, nil, "1 of 7 rows, 6 of 6 columns"},
		{"taint", "dedicated=gpu:NoSchedule", nil, []int{2}, "7 of 7 rows, 1 of 6 columns"},
		{"taint", "cordoned", nil, []int{4}, "7 of 7 rows, 1 of 6 columns"},
		{"mark", "no node can be used", []int{5, 6, 7}, nil, "3 of 7 rows, 6 of 6 columns"},
		{"mark", "have a wildcard", []int{1}, nil, "1 of 7 rows, 6 of 6 columns"},
		{"mark", "run where they do not tolerate", []int{3, 4}, nil, "2 of 7 rows, 6 of 6 columns"},
	} {
		choose(test.id, test.text)
		var want []string
		for i, line := range sample {
			if test.rows != nil && i > 0 && !slices.Contains(test.rows, i) {
				continue
			}
			var row []string
			for j, text := range strings.Split(line, "|") {
				if test.columns == nil || j == 0 || slices.Contains(test.columns, j) {
					row = append(row, text)
				}
			}
			want = append(want, strings.Join(row, "|"))
		}
		equal(t, test.text, cells(p), want)
		if got := eval[string](p, "document.getElementById('shown').textContent"); got != test.shown {
			t.Errorf("%s: %q, want %q", test.text, got, test.shown)
		}
		eval[any](p, fmt.Sprintf("document.querySelector('table').rows[%d].cells[1].click()", len(want)-1)) // the last row that is shown
		if name, _, _ := strings.Cut(want[len(want)-1], "|"); !strings.HasPrefix(about(p), name+" on ") {
			t.Errorf("%s: %s is selected, want %s", test.text, about(p), name)
		}
		choose(test.id, "all")
	}
	choose("namespace", "edge")
	choose("mark", "have a wildcard")
	if got := cells(p); len(got) != 1 {
		t.Errorf("no rows: %q", got)
	}
	choose("namespace", "all")
	choose("mark", "all")
	equal(t, "all", cells(p), sample)
}

// The keyboard alone reaches everything.
func TestMatrix_keyboard(t *testing.T) {
	p := matrix(t, "", 1100, 800, "light")
	focus := func() string {
		return eval[string](p, "(e => e.id || (e.closest('table') ? e.parentNode.rowIndex + ',' + e.cellIndex : e.tagName))(document.activeElement)")
	}
	press := func(key, want string) {
		t.Helper()
		p.do(chromedp.KeyEvent(key))
		if got := focus(); got != want {
			t.Errorf("after %q, the focus is on %s, want %s", key, got, want)
		}
	}
	press(kb.Tab, "namespace")
	press(kb.Tab, "taint")
	press(kb.Tab, "mark")
	press(kb.Tab, "0,0")
	press(kb.ArrowUp, "0,0")
	press(kb.ArrowLeft, "0,0")
	press(kb.ArrowDown, "1,0")
	press(kb.ArrowRight, "1,1")
	press(kb.ArrowRight, "1,2")
	press(kb.Enter, "1,2")
	if got := about(p); !strings.HasPrefix(got, "kube-system: DaemonSet agent on dedicated=gpu:NoSchedule, 2 nodes: all nodes can be used, by wildcards only") {
		t.Error(got)
	}
	press(kb.End, "1,6")
	press(kb.ArrowRight, "1,6")
	for i := range 6 {
		press(kb.ArrowDown, fmt.Sprintf("%d,6", i+2))
	}
	press(kb.ArrowDown, "7,6")
	press(" ", "7,6")
	if got := about(p); !strings.HasPrefix(got, "ml: Job train on node.kubernetes.io/unreachable") {
		t.Error(got)
	}
	press(kb.Home, "7,0")
	if n := eval[int](p, "document.querySelectorAll('[tabindex]').length * 10 + document.querySelectorAll('[aria-selected]').length"); n != 11 {
		t.Errorf("%d cells that Tab reaches, %d that are selected", n/10, n%10)
	}
	p.do(chromedp.KeyEvent(kb.Tab))
	if got := focus(); strings.Contains(got, ",") {
		t.Errorf("Tab does not leave the table: %s", got)
	}
}

// A screen reader has a table with headers, and words for the signs. Text has the contrast of AA.
func TestMatrix_accessible(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		p := matrix(t, "", 1100, 800, scheme)
		p.shoot("sample-" + scheme)
		for expression, want := range map[string]string{
			"document.documentElement.lang":                                                       "en",
			"document.querySelectorAll('thead th[scope=col]').length":                             "6",
			"document.querySelectorAll('tbody th[scope=row]').length":                             "7",
			"document.querySelectorAll('td:not([aria-label])').length":                            "0",
			"document.querySelectorAll('tbody tr')[2].cells[6].ariaLabel":                         "taints repel the pods; 1 pods run there, and some are evicted",
			"[...document.querySelectorAll('select')].filter(s => !s.labels[0].innerText).length": "0",
		} {
			if got := eval[any](p, expression); fmt.Sprint(got) != want {
				t.Errorf("%s = %v, want %s", expression, got, want)
			}
		}
		low := eval[[]string](p, `(() => {
			const light = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
			const back = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!c.endsWith(', 0)')) return c; } };
			const found = [];
			for (const e of document.querySelectorAll('h1, h2, p, label, select, li, b, th, td, span')) {
				const [a, b] = [light(getComputedStyle(e).color), light(back(e))].sort((a, b) => b - a);
				if ((a + .05) / (b + .05) < 4.5) found.push(e.outerHTML);
			}
			return found;
		})()`)
		for _, e := range low {
			t.Errorf("%s: low contrast: %s", scheme, e)
		}
	}
	p := matrix(t, "", 390, 800, "light")
	p.shoot("sample-phone")
	if width := eval[int](p, "document.documentElement.scrollWidth"); width > 390 {
		t.Errorf("the page is %d wide on a telephone", width)
	}
}

// Names of a stranger are text. The policy admits the page's script and style, and no other.
func TestMatrix_hostile(t *testing.T) {
	name, _ := json.Marshal("</script><img src=http://evil.example/ onerror=document.title='evil'><script>document.title='evil'</script>")
	p := matrix(t, fmt.Sprintf(`{"kind":"Node","metadata":{"name":%[1]s}}{"kind":"Pod","metadata":{"namespace":%[1]s,"name":%[1]s},"spec":{"nodeSelector":{"a":%[1]s}}}`, name), 800, 800, "light")
	for i := range 2 {
		for j := range 2 {
			eval[any](p, fmt.Sprintf("document.querySelector('table').rows[%d].cells[%d].click()", i, j))
			if text := about(p); i+j > 0 && (i+j == 1 && j == 0 || i+j == 2) && !strings.Contains(text, "</script><img") {
				t.Error(text)
			}
		}
	}
	if got := eval[string](p, "document.title + document.images.length + document.scripts.length"); got != "Pods by nodes02" {
		t.Error(got)
	}
	if got := eval[string](p, "(() => { try { document.body.innerHTML = '<b>'; return 'written' } catch (e) { return e.name } })()"); got != "TypeError" {
		t.Errorf("innerHTML: %s", got)
	}
	eval[any](p, "{const s = document.createElement('style'); s.textContent = 'h1 { color: red }'; document.body.append(s)}")
	if got := p.problems(); len(got) < 2 || slices.ContainsFunc(got, func(s string) bool { return !strings.HasPrefix(s, "console: ") }) {
		t.Errorf("problems %q, want those of the policy", got)
	}
}
