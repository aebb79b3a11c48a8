package why

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// runMatrix returns the page, and its data.
func runMatrix(t *testing.T, input string, args ...string) (page string, m *matrix) {
	t.Helper()
	if !slices.Contains(args, "--sample") {
		args = append(args, "-f", "-")
	}
	page, err := runNodes(t, input, append(args, "-o", "html")...)
	if err != nil && !strings.Contains(input, "effect: bad") { // then a node cannot be read
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(page, `id="data">`)
	text, _, _ = strings.Cut(text, "</script>")
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return page, m
}

// shown returns the columns, and the rows with the verdicts and pods of their cells.
func shown(m *matrix) (list []string) {
	for _, c := range m.Columns {
		list = append(list, c.Name)
	}
	for _, r := range m.Rows {
		line := r.Name + " |"
		for _, i := range r.Cells {
			line += " " + m.Cells[i].Verdict + m.Cells[i].Pods
		}
		list = append(list, strings.TrimSuffix(line+" | "+r.Marks, " | "))
	}
	return list
}

// reason returns the lines of a cell.
func reason(m *matrix, row, column int) (list []string) {
	for _, i := range m.Cells[m.Rows[row].Cells[column]].Lines {
		list = append(list, m.Lines[i])
	}
	return list
}

// Rows, columns and cells, with what is beside each.
func TestMatrix(t *testing.T) {
	const (
		keyed     = "tolerations: [{key: k, operator: Exists}]"
		wildcard  = "tolerations: [{operator: Exists}]"
		cordon    = "unschedulable: true"
		byName    = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: ['%s']}]}]}}}"
		withLabel = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: ['n']}], matchExpressions: [{key: pool, operator: Exists}]}]}}}"
	)
	tainted := func(name, effect string) string {
		return yamlNode(name, "pool: b", "taints: [{key: k, effect: "+effect+"}]")
	}
	n, m := tainted("n", "NoSchedule"), tainted("m", "NoSchedule")
	one := func(spec string) string { return yamlPod("p", "", spec, "Running") }
	of := func(name, owner, spec string) string { return yamlPod(name, owner, spec, "Running") }
	k, none := "k:NoSchedule, 1 node", "no taints, 1 node"
	for name, test := range map[string]struct {
		input []string
		want  []string
	}{
		"no pods":          {[]string{plain, n}, []string{none, k}},
		"two sets":         {[]string{plain, n, one("")}, []string{none, k, "shop: Pod p | 0 x"}},
		"order of columns": {[]string{n, m, plain, one("")}, []string{none, "k:NoSchedule, 2 nodes", "shop: Pod p | 0 x"}},
		"by key":           {[]string{plain, n, one(keyed)}, []string{none, k, "shop: Pod p | 0 0"}},
		"by wildcard":      {[]string{plain, n, one(wildcard)}, []string{none, k, "shop: Pod p | 0 2 | *"}},
		"wildcard and key": {[]string{plain, n, one("tolerations: [{operator: Exists}, {key: k, operator: Exists}]")}, []string{none, k, "shop: Pod p | 0 0 | *"}},
		"wildcard, effect": {[]string{n, one("tolerations: [{operator: Exists, effect: NoSchedule}]")}, []string{k, "shop: Pod p | 2 | *"}},
		"preference":       {[]string{tainted("n", "PreferNoSchedule"), one("")}, []string{"k:PreferNoSchedule, 1 node", "shop: Pod p | 4"}},
		"preference, wildcard for another": {[]string{yamlNode("n", "", "taints: [{key: k, effect: PreferNoSchedule}, {key: l, effect: NoSchedule}]"), one("tolerations: [{operator: Exists, effect: NoSchedule}]")},
			[]string{"k:PreferNoSchedule,l:NoSchedule, 1 node", "shop: Pod p | 6 | *"}},
		"preference, tolerated":       {[]string{tainted("n", "PreferNoSchedule"), one(keyed)}, []string{"k:PreferNoSchedule, 1 node", "shop: Pod p | 0"}},
		"preference, but repelled":    {[]string{yamlNode("n", "", "taints: [{key: k, effect: PreferNoSchedule}, {key: l, effect: NoSchedule}]"), one("")}, []string{"k:PreferNoSchedule,l:NoSchedule, 1 node", "shop: Pod p | x | 0"}},
		"cordon":                      {[]string{yamlNode("n", "", cordon), one("")}, []string{"no taints, cordoned, 1 node", "shop: Pod p | c | 0"}},
		"cordon by its taint":         {[]string{yamlNode("n", "", "taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]"), one("")}, []string{"no taints, cordoned, 1 node", "shop: Pod p | c | 0"}},
		"cordon, two columns":         {[]string{yamlNode("n", "", cordon), plain, one("")}, []string{none, "no taints, cordoned, 1 node", "shop: Pod p | 0 c"}},
		"cordon and taint":            {[]string{yamlNode("n", "", cordon+", taints: [{key: k, effect: NoSchedule}]"), one("")}, []string{"k:NoSchedule, cordoned, 1 node", "shop: Pod p | x | 0"}},
		"cordon, tolerated":           {[]string{yamlNode("n", "", cordon), one("tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]")}, []string{"no taints, cordoned, 1 node", "shop: Pod p | 0"}},
		"cordon, by wildcard":         {[]string{yamlNode("n", "", cordon+", taints: [{key: k, effect: NoSchedule}]"), one("tolerations: [{operator: Exists}, {key: k, operator: Exists}]")}, []string{"k:NoSchedule, cordoned, 1 node", "shop: Pod p | 2 | *"}},
		"some nodes":                  {[]string{plain, yamlNode("n", "pool: b", ""), one("nodeSelector: {pool: a}")}, []string{"no taints, 2 nodes", "shop: Pod p | 1"}},
		"some, repelled":              {[]string{n, yamlNode("m", "pool: a", "taints: [{key: k, effect: NoSchedule}]"), one("nodeSelector: {pool: a}")}, []string{"k:NoSchedule, 2 nodes", "shop: Pod p | x | 0"}},
		"none selected":               {[]string{plain, n, one("nodeSelector: {pool: b}, " + keyed)}, []string{k, none, "shop: Pod p | 0 ."}},
		"its name":                    {[]string{n, m, one(keyed + ", " + fmt.Sprintf(byName, "m"))}, []string{"k:NoSchedule, 2 nodes", "shop: Pod p | 1"}},
		"a name that is gone":         {[]string{n, one(keyed + ", " + fmt.Sprintf(byName, "gone"))}, []string{k, "shop: Pod p | . | 0"}},
		"DaemonSet":                   {[]string{plain, n, of("a", "DaemonSet d", "nodeName: 'n', "+keyed+", "+fmt.Sprintf(byName, "n")), of("b", "DaemonSet d", "nodeName: plain, "+keyed+", "+fmt.Sprintf(byName, "plain"))}, []string{none, k, "shop: DaemonSet d | 01 01"}},
		"DaemonSet with a selector":   {[]string{plain, n, of("a", "DaemonSet d", "nodeName: 'n', nodeSelector: {pool: b}, "+keyed+", "+fmt.Sprintf(byName, "n"))}, []string{k, none, "shop: DaemonSet d | 01 ."}},
		"DaemonSet, other terms":      {[]string{n, m, of("a", "DaemonSet d", keyed+", "+withLabel)}, []string{"k:NoSchedule, 2 nodes", "shop: DaemonSet d | 1"}},
		"one group":                   {[]string{plain, of("a", "ReplicaSet x", ""), of("b", "ReplicaSet z", ""), of("c", "", "")}, []string{none, "shop: Pod c and 2 more | 0"}},
		"namespaces":                  {[]string{plain, of("a", "ReplicaSet x", ""), strings.Replace(of("a", "ReplicaSet x", ""), "shop", "test", 1)}, []string{none, "shop: ReplicaSet x | 0", "test: ReplicaSet x | 0"}},
		"tolerations":                 {[]string{plain, n, of("a", "", ""), of("b", "", keyed)}, []string{none, k, "shop: Pod b | 0 0", "shop: Pod a | 0 x"}},
		"selectors":                   {[]string{plain, of("a", "", "nodeSelector: {pool: a}"), of("b", "", "nodeSelector: {pool: b}")}, []string{none, "shop: Pod a | 0", "shop: Pod b | . | 0"}},
		"pods that stay":              {[]string{plain, n, one("nodeName: 'n'")}, []string{none, k, "shop: Pod p | 0 x1 | !"}},
		"pods of a cordoned node":     {[]string{yamlNode("n", "", cordon), one("nodeName: 'n'")}, []string{"no taints, cordoned, 1 node", "shop: Pod p | c1 | 0"}},
		"pods that are not selected":  {[]string{plain, n, one("nodeName: 'n', nodeSelector: {pool: a}")}, []string{none, k, "shop: Pod p | 0 .1 | !"}},
		"evicted":                     {[]string{tainted("n", "NoExecute"), one("nodeName: 'n'")}, []string{"k:NoExecute, 1 node", "shop: Pod p | x1! | !0"}},
		"evicted, but being deleted":  {[]string{tainted("n", "NoExecute"), strings.Replace(one("nodeName: 'n'"), "namespace: shop", `namespace: shop, deletionTimestamp: "2026-11-20T08:03:00Z"`, 1)}, []string{"k:NoExecute, 1 node", "shop: Pod p | x1 | !0"}},
		"evicted later":               {[]string{tainted("n", "NoExecute"), one("nodeName: 'n', tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 9}]")}, []string{"k:NoExecute, 1 node", "shop: Pod p | 01!"}},
		"ended":                       {[]string{plain, yamlPod("p", "", "", "Succeeded")}, []string{none}},
		"static":                      {[]string{plain, strings.Replace(one("nodeName: plain"), "namespace: shop", "namespace: shop, annotations: {kubernetes.io/config.mirror: x}", 1)}, []string{none}},
		"most nodes first, blocks":    {[]string{plain, n, of("a", "", "nodeSelector: {pool: c}"), of("b", "", ""), of("c", "", "nodeSelector: {pool: a}"), of("d", "", keyed)}, []string{none, k, "shop: Pod d | 0 0", "shop: Pod c | 0 .", "shop: Pod b | 0 x", "shop: Pod a | . . | 0"}},
		"a node that is not in it":    {[]string{plain, one("nodeName: other")}, []string{none, "shop: Pod p | 0"}},
		"a pod without a namespace":   {[]string{plain, "{kind: Pod, metadata: {name: p}}"}, []string{none, "Pod p | 0"}},
		"a pod that is being deleted": {[]string{plain, strings.Replace(one("nodeName: plain"), "namespace: shop", `namespace: shop, deletionTimestamp: "2026-11-20T08:03:00Z"`, 1)}, []string{none, "shop: Pod p | 01"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, m := runMatrix(t, documents(test.input...))
			if diff := cmp.Diff(test.want, shown(m)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// The reasons are those of why.
func TestMatrix_reasons(t *testing.T) {
	const gpuJSON = `{"key":"dedicated","operator":"Equal","value":"gpu","effect":"NoSchedule"}`
	_, m := runMatrix(t, "", "--sample")
	want := []string{
		"no taints, 2 nodes", "dedicated=gpu:NoSchedule, 2 nodes", "dedicated=batch:NoSchedule,example.com/spot:PreferNoSchedule, 1 node",
		"no taints, cordoned, 1 node", "node-role.kubernetes.io/control-plane:NoSchedule, 1 node", "node.kubernetes.io/unreachable:NoSchedule,node.kubernetes.io/unreachable:NoExecute, 1 node",
		"kube-system: DaemonSet agent | 0 2 2 2 2 21 | *",
		"ml: Pod serve-0 | 0 01 4 c x x",
		"shop: ReplicaSet web | 01 x x c x x1! | !",
		"shop: Pod cache-0 | 0 x x c x x1! | !",
		"edge: Pod camera-0 | . . . . . . | 0",
		"batch: Pod report-0 | . . x . . . | 0",
		"ml: Job train | . x . . . . | 0",
	}
	if diff := cmp.Diff(want, shown(m)); diff != "" {
		t.Fatalf("mismatch (-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		row, column int
		want        []string
	}{
		{0, 0, []string{"2 of 2 nodes: admitted"}},
		{0, 1, []string{"2 of 2 nodes: admitted", `dedicated=gpu:NoSchedule is tolerated by "op=Exists"`}},
		{0, 5, []string{"1 of 1 node: admitted", `node.kubernetes.io/unreachable:NoSchedule is tolerated by "op=Exists"`, `node.kubernetes.io/unreachable:NoExecute is tolerated by "op=Exists"`, "run there, and stay: 1 pod"}},
		{1, 2, []string{"1 of 1 node: admitted, but other nodes are preferred", `example.com/spot:PreferNoSchedule is not tolerated: no toleration has its key; to add: {"key":"example.com/spot","operator":"Exists","effect":"PreferNoSchedule"}`, `dedicated=batch:NoSchedule is tolerated by "dedicated op=Exists"`}},
		{1, 3, []string{"1 of 1 node", "cordoned: wait, or use kubectl uncordon"}},
		{2, 5, []string{"1 of 1 node", "node.kubernetes.io/unreachable:NoSchedule is temporary: wait, or repair the node", "run there, evicted later (2026-11-20T08:35:00Z to 2026-11-20T08:35:00Z): 1 pod; node.kubernetes.io/unreachable:NoExecute is tolerated for 300 s"}},
		{4, 0, []string{"none of 2 nodes has what the pods select: pool=edge"}},
		{6, 1, []string{"2 of 2 nodes", `dedicated=gpu:NoSchedule is not tolerated: "dedicated=gpu:NoExecute" has another effect; to add: ` + gpuJSON}},
	} {
		if diff := cmp.Diff(test.want, reason(m, test.row, test.column)); diff != "" {
			t.Errorf("%d, %d: mismatch (-want +got):\n%s", test.row, test.column, diff)
		}
	}
	if diff := cmp.Diff([]string{"2 pods: Job train", "tolerations: dedicated=gpu:NoExecute,node.kubernetes.io/not-ready:NoExecute op=Exists for 300s,node.kubernetes.io/unreachable:NoExecute op=Exists for 300s", "selects: pool=gpu"}, m.Rows[6].About); diff != "" {
		t.Error(diff)
	}
}

// columnOf returns the name of a node's column, and the node without the taint of a cordon.
func columnOf(n *cluster.Node) (string, match.Node) {
	rest := slices.DeleteFunc(n.Taints.Canonical(), func(t taint.Taint) bool { return t.String() == "node.kubernetes.io/unschedulable:NoSchedule" })
	if n.Unschedulable || len(rest) < len(n.Taints) {
		return fmt.Sprintf("%s, cordoned", orText(rest.String(), "no taints")), match.Node{Taints: rest, Unschedulable: true}
	}
	return orText(rest.String(), "no taints"), match.Node{Taints: rest}
}

func orText(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// Each cell is that of each pod compared with each node.
func TestMatrix_reference(t *testing.T) {
	verdicts := make(map[string]int)
	for seed := range uint64(300) {
		input := randomNodes(rand.New(rand.NewPCG(seed, 53)))
		c := read(t, input)
		_, m := runMatrix(t, input)
		want := make(map[string]string) // of a group and a column
		for _, p := range c.Pods {
			if p.Static || p.Phase == "Succeeded" {
				continue
			}
			daemon := strings.HasPrefix(p.Owner, "DaemonSet")
			if daemon {
				p.Placement = c.AnyNode(p.Placement)
			}
			keyed := slices.DeleteFunc(slices.Clone(p.Tolerations), func(u toleration.Toleration) bool { return u.Key() == "" })
			verdict, lacks := make(map[string]int), make(map[string]int)
			for _, n := range c.Nodes {
				if n.Err != nil {
					continue
				}
				column, all := columnOf(n)
				switch {
				case !p.Placement.Admits(n):
					lacks[column] = 1
					if _, ok := verdict[column]; !ok {
						verdict[column] = '.'
					}
				case all.Schedulable(p.Tolerations):
					verdict[column] = '0'
					if !all.Schedulable(keyed) {
						verdict[column] += 2
					}
					if slices.ContainsFunc(all.Taints, func(t taint.Taint) bool { return t.Effect() == taint.PreferNoSchedule && p.Tolerations.Match(t) < 0 }) {
						verdict[column] += 4
					}
				case match.Node{Taints: all.Taints}.Schedulable(p.Tolerations):
					verdict[column] = 'c'
				default:
					verdict[column] = 'x'
				}
			}
			for column, v := range verdict {
				if v >= '0' && v < '8' {
					v += lacks[column]
				}
				want[fmt.Sprintf("%s %v %s %t on %s", p.Namespace, p.Tolerations, p.Placement.JSON, daemon, column)] = column + " " + string(rune(v))
			}
		}
		var got []string
		for _, r := range m.Rows {
			for at, i := range r.Cells {
				v := m.Cells[i].Verdict
				got = append(got, m.Columns[at].Name[:strings.LastIndex(m.Columns[at].Name, ", ")]+" "+v)
				verdicts[v]++
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(slices.Sorted(maps.Values(want)), got); diff != "" {
			t.Errorf("seed %d: mismatch (-want +got):\n%s%s", seed, diff, input)
		}
	}
	for v := range strings.SplitSeq(".xc01234567", "") {
		if verdicts[v] == 0 {
			t.Errorf("no cell %s", v)
		}
	}
}

// What is equal is merged first, then the smallest is left out, and both are said.
func TestMatrix_limits(t *testing.T) {
	nodes := func(n int, taint string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d"},"spec":{"taints":[{"key":%q,"effect":"NoSchedule"}]}}`, i, fmt.Sprintf(taint, i))
		}
		return b.String()
	}
	pods := func(n int, key string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"namespace":"a%03d","name":"p%d"},"spec":{"tolerations":[{"key":%q}]}}`, i%200, i, fmt.Sprintf(key, i))
		}
		return b.String()
	}
	const merged, left = "Those with equal answers are merged: ", "Left out: the "
	long := strings.Repeat("x", 60)
	for name, test := range map[string]struct {
		input         string
		rows, columns int
		notes         []string
	}{
		"400 rows, 100 columns": {nodes(100, "k%d") + pods(400, "k%d"), 400, 100, nil},
		"equal rows":            {nodes(1, "k%d") + pods(401, "l%d"), 1, 1, []string{merged + "401 groups of pods are 1 row."}},
		"equal columns":         {nodes(101, "k%d") + pods(1, "l%d"), 1, 1, []string{merged + "101 sets of taints are 1 column."}},
		"equal columns, a few":  {nodes(101, "k%d") + pods(20, "k%d"), 20, 21, []string{merged + "101 sets of taints are 21 columns."}},
		"different":             {nodes(500, "k%d") + pods(500, "k%d"), 400, 100, []string{left + "100 rows ", merged + "500 sets of taints are 401 columns.", left + "301 columns "}},
		"no pods":               {nodes(500, "k%d"), 0, 1, []string{merged + "500 sets of taints are 1 column."}},
		"long reasons":          {nodes(100, "example.com/"+long+"%d") + pods(400, "example.org/"+long+"%d"), 400, 100, nil},
		"different reasons":     {strings.ReplaceAll(nodes(100, "v%d")+pods(400, "w%d"), `"key":`, `"key":"k","value":`), 1, 100, []string{merged + "400 groups of pods are 1 row."}},
		"different long reasons": {strings.ReplaceAll(nodes(400, long+"%d")+pods(400, long+"%d"), `"key":`, `"key":"example.com/key","value":`), 50, 51,
			[]string{left + "350 rows ", merged + "400 sets of taints are 51 columns."}},
		"15,000 taints": {`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[` + many(15_000, `{"key":"k%d","effect":"NoSchedule"}`) + `]}}` + pods(3, "k%d") +
			`{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{"operator":"Exists"}]}}`, 4, 1, nil},
		"15,000 taints and tolerations": {`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[` + many(15_000, `{"key":"k%d","effect":"NoSchedule"}`) + `]}}` +
			`{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[` + many(15_000, `{"key":"l%d"}`) + `]}}`, 0, 1, []string{"Too many different pods and nodes to compare all of them: 1 group left out."}},
	} {
		t.Run(name, func(t *testing.T) {
			page, m := runMatrix(t, test.input)
			if len(m.Rows) != test.rows || len(m.Columns) != test.columns || len(page) > 3_000_000 {
				t.Errorf("%d rows, %d columns, %d bytes", len(m.Rows), len(m.Columns), len(page))
			}
			notes := m.Summary[1 : len(m.Summary)-1]
			if !slices.EqualFunc(test.notes, notes, func(want, got string) bool { return strings.HasPrefix(got, want) }) {
				t.Errorf("notes %q, want %q", notes, test.notes)
			}
		})
	}
}

// The policy of the page has the hashes of its script and its style.
func TestMatrix_policy(t *testing.T) {
	for _, tag := range []string{"script", "style"} {
		_, text, _ := strings.Cut(page, "<"+tag+">")
		text, _, _ = strings.Cut(text, "</"+tag+">")
		sum := sha256.Sum256([]byte(text))
		if want := fmt.Sprintf("; %s-src 'sha256-%s';", tag, base64.StdEncoding.EncodeToString(sum[:])); !strings.Contains(page, want) {
			t.Errorf("matrix.html lacks %s", want)
		}
	}
}

// Only names, labels that select, taints and tolerations are in the page, and names are not HTML.
func TestMatrix_contents(t *testing.T) {
	const evil = "</script><!--<script><img src=x onerror=alert(1)>\u2028\u202e\x7f{{data}}"
	name, _ := json.Marshal(evil)
	input := fmt.Sprintf(`{"kind":"Node","metadata":{"name":%[1]s,"labels":{"pool":"a","secret":"private-1"},"annotations":{"a":"private-2"}},"spec":{"taints":[{"key":"k","effect":"NoExecute"}],"providerID":"private-3"}}
{"kind":"Pod","metadata":{"namespace":%[1]s,"name":%[1]s,"labels":{"app":"private-4"},"ownerReferences":[{"kind":"Job","name":%[1]s,"controller":true}]},
"spec":{"nodeName":%[1]s,"nodeSelector":{"pool":%[1]s},"containers":[{"name":"c","image":"private-5","env":[{"name":"private-6","value":"private-7"}]}]},"status":{"message":"private-8"}}`, name)
	page, m := runMatrix(t, input)
	if strings.Contains(page, "private") {
		t.Error(page)
	}
	if n := strings.Count(page, "<script"); n != 2 || strings.Count(page, "</script>") != 2 || strings.Contains(page, "<img") || strings.ContainsAny(page, "\u202e\u2028\x7f") {
		t.Errorf("%d scripts:\n%s", n, page)
	}
	if r := m.Rows[0]; !strings.Contains(r.Name, "</script>") || len(r.Filters) != 1 || r.Marks != "!0" {
		t.Errorf("%+v", r)
	}
	if got := reason(m, 0, 0); len(got) != 2 || !strings.Contains(got[0], "none of 1 node has what the pods select: ") || !strings.Contains(got[0], "</script>") || got[1] != "run there, evicted now: 1 pod; untolerated k:NoExecute" {
		t.Errorf("%q", got)
	}
}

// The times of evictions are a range, and only what is known has one.
func TestMatrix_evictions(t *testing.T) {
	var list []string
	for i, added := range []string{"8:30", "8:32", "8:00", ""} {
		if added != "" {
			added = fmt.Sprintf(`, timeAdded: "2026-11-20T0%s:00Z"`, added)
		}
		list = append(list, yamlNode(fmt.Sprint("n", i), "", "taints: [{key: k, effect: NoExecute"+added+"}]"),
			yamlPod(fmt.Sprint("p", i), "", fmt.Sprintf("nodeName: n%d, tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]", i), "Running"))
	}
	_, m := runMatrix(t, documents(list...))
	want := []string{
		"4 of 4 nodes: admitted",
		`k:NoExecute is tolerated for 300 s by "k:NoExecute op=Exists for 300s"`,
		"run there, evicted later (2026-11-20T08:35:00Z to 2026-11-20T08:37:00Z): 2 pods; k:NoExecute is tolerated for 300 s",
		"run there, evicted later: 1 pod; k:NoExecute is tolerated for 300 s from when it was added, which is unknown",
		"run there, evicted now (2026-11-20T08:05:00Z to 2026-11-20T08:05:00Z): 1 pod; k:NoExecute was tolerated for 300 s",
	}
	if diff := cmp.Diff(want, reason(m, 0, 0)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if got := shown(m)[1]; got != "shop: Pod p0 and 3 more | 04!" {
		t.Error(got)
	}
}
