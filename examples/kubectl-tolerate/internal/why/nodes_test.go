package why

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func runNodes(t *testing.T, input string, args ...string) (out string, err error) {
	return runCommand(t, NewNodesCommand, input, args...)
}

// rows returns the rows of the table, with the cells between bars.
func rows(out string) (list []string) {
	_, table, _ := strings.Cut(out, "\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	for _, line := range lines[1:] {
		row, at := "", 0
		for _, column := range []string{"NODES ", "SINCE ", "CORDONED ", "PODS ", "NOT TOLERATING ", "WORKLOADS ", "BY WILDCARD ", "NOTE"} {
			next := strings.Index(lines[0], column)
			row, at = row+strings.TrimSpace(line[at:next])+"|", next
		}
		list = append(list, row+strings.TrimSpace(line[at:]))
	}
	return list
}

// Each column, and each note, with what is beside it.
func TestNodes(t *testing.T) {
	taints := func(list ...string) string { return "taints: [{" + strings.Join(list, "}, {") + "}]" }
	at := func(minute string) string { return `, timeAdded: "2026-11-20T0` + minute + `:00Z"` }
	on := func(name, node, tolerations string) string {
		return yamlPod(name, "", fmt.Sprintf("nodeName: %q, tolerations: [%s]", node, tolerations), "Running")
	}
	owned := func(name, owner, spec string) string { return yamlPod(name, owner, spec, "Running") }
	const (
		k           = "key: k, effect: NoSchedule"
		keyed       = "{key: k, operator: Exists}"
		wildcard    = "{operator: Exists}"
		unreachable = "key: node.kubernetes.io/unreachable, effect: NoSchedule"
		cordon      = "key: node.kubernetes.io/unschedulable, effect: NoSchedule"
		control     = "key: node-role.kubernetes.io/control-plane, effect: NoSchedule"
		byName      = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: ['%s']}]}]}}}"
		affinity    = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: NotIn, values: [%s]}]}]}}}"
	)
	n, m := yamlNode("n", "pool: a", taints(k)), yamlNode("m", "pool: b", taints(k)) // a set
	two := documents(n, m) + "\n"
	row := func(since string, numbers, note string) []string {
		return []string{"k:NoSchedule|2: m, n|" + since + "|" + strings.ReplaceAll(numbers, " ", "|") + "|" + note}
	}
	pods := func(list ...string) []string { return append([]string{n, m}, list...) }
	for name, test := range map[string]struct {
		input []string
		args  string
		want  []string
	}{
		"no taints":        {[]string{plain}, "", []string{"<none>|1: plain||0|0|0|0|0|"}},
		"three nodes":      {[]string{plain, yamlNode("b", "", ""), yamlNode("a", "", "")}, "", []string{"<none>|3: a, b and 1 more||0|0|0|0|0|"}},
		"order, twice":     {[]string{yamlNode("n", "", taints("key: b, effect: NoSchedule", "key: a, value: x, effect: NoExecute")), yamlNode("m", "", taints("key: a, value: x, effect: NoExecute", "key: b, effect: NoSchedule"))}, "", []string{"a=x:NoExecute,b:NoSchedule|2: m, n|unknown|0|0|0|0|0|"}},
		"since":            {[]string{yamlNode("n", "", taints(k+at("8:03"))), yamlNode("m", "", taints(k+at("8:13")))}, "", row("30m", "0 0 0 0 0", "")},
		"since, one taint": {[]string{yamlNode("n", "", taints(k, "key: l, effect: PreferNoSchedule"+at("8:03")))}, "", []string{"k:NoSchedule,l:PreferNoSchedule|1: n|30m|0|0|0|0|0|"}},
		"since, a cordon":  {[]string{yamlNode("n", "", "unschedulable: true, "+taints(k, cordon+at("8:03"))), m}, "", row("unknown", "1 0 0 0 0", "")},
		"cordon only":      {[]string{yamlNode("n", "", "unschedulable: true, "+taints(cordon+at("8:03"))), plain}, "", []string{"<none>|2: n, plain||1|0|0|0|0|"}},
		"cordon, no taint": {[]string{yamlNode("n", "", "unschedulable: true"), plain}, "", []string{"<none>|2: n, plain||1|0|0|0|0|"}},
		"cordon's taint":   {[]string{yamlNode("n", "", taints(cordon)), plain}, "", []string{"<none>|2: n, plain||1|0|0|0|0|"}},
		"not a cordon's":   {[]string{yamlNode("n", "", taints("key: node.kubernetes.io/unschedulable, effect: NoExecute")), yamlNode("m", "", taints("key: node.kubernetes.io/unschedulable, effect: NoExecute"))}, "", []string{"node.kubernetes.io/unschedulable:NoExecute|2: m, n|unknown|0|0|0|0|0|"}},

		"pods":                   {pods(on("a", "n", keyed), on("b", "m", keyed), on("c", "other", keyed), yamlPod("d", "", "", "Pending"), yamlPod("e", "", "nodeName: 'n'", "Succeeded"), yamlPod("f", "", "nodeName: 'n'", "Failed"), on("g", "n", keyed+", {key: l}")), "", row("unknown", "0 3 0 4 0", "")},
		"being deleted":          {pods(strings.Replace(on("a", "n", ""), "namespace: shop", `namespace: shop, deletionTimestamp: "2026-11-20T08:03:00Z"`, 1), on("b", "m", keyed)), "", row("unknown", "0 2 1 1 0", "")},
		"not tolerating":         {pods(on("a", "n", ""), on("b", "n", "{key: l, operator: Exists}"), on("c", "m", keyed), on("d", "m", wildcard)), "", row("unknown", "0 4 2 2 1", "")},
		"not tolerating, static": {pods(strings.Replace(on("a", "n", ""), "namespace: shop", `namespace: shop, annotations: {kubernetes.io/config.mirror: x}`, 1), on("c", "m", keyed)), "", row("unknown", "0 2 0 1 0", "")},
		"not tolerating NoExecute": {[]string{yamlNode("n", "", taints("key: k, effect: NoExecute")), plain, on("a", "n", "{key: k, operator: Exists, effect: NoSchedule}"), on("b", "n", "{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 5}")}, "",
			[]string{"k:NoExecute|1: n|unknown|0|2|1|1|0|only 1 of 2 nodes has these taints", "<none>|1: plain||0|0|0|2|0|"}},
		"PreferNoSchedule":      {[]string{yamlNode("n", "", taints("key: k, effect: PreferNoSchedule")), yamlNode("m", "", taints("key: k, effect: PreferNoSchedule")), on("a", "n", ""), on("b", "n", wildcard)}, "", []string{"k:PreferNoSchedule|2: m, n|unknown|0|2|0|2|0|"}},
		"not tolerating cordon": {[]string{yamlNode("n", "", "unschedulable: true, "+taints(cordon)), on("a", "n", "")}, "", []string{"<none>|1: n||1|1|0|1|0|"}},
		"one of two taints":     {[]string{yamlNode("n", "", taints(k, "key: l, effect: NoSchedule")), yamlNode("m", "", taints(k, "key: l, effect: NoSchedule")), on("a", "n", keyed), on("b", "n", "{key: l, operator: Exists}")}, "", []string{"k:NoSchedule,l:NoSchedule|2: m, n|unknown|0|2|2|0|0|"}},

		"workloads":         {pods(owned("a", "ReplicaSet web-1", "tolerations: ["+keyed+"]"), owned("b", "ReplicaSet web-1", "tolerations: ["+keyed+"]"), owned("c", "ReplicaSet web-2", "tolerations: ["+keyed+"]"), owned("d", "Job web-1", "tolerations: ["+keyed+"]")), "", row("unknown", "0 0 0 3 0", "")},
		"other namespace":   {pods(owned("a", "ReplicaSet web", "tolerations: ["+keyed+"]"), strings.Replace(owned("a", "ReplicaSet web", "tolerations: ["+keyed+"]"), "shop", "test", 1)), "", row("unknown", "0 0 0 2 0", "")},
		"no controller":     {pods(owned("a", "", "tolerations: ["+keyed+"]"), owned("b", "", "tolerations: ["+keyed+"]")), "", row("unknown", "0 0 0 2 0", "")},
		"two revisions":     {pods(owned("a", "StatefulSet db", ""), owned("b", "StatefulSet db", "tolerations: ["+keyed+"]")), "", row("unknown", "0 0 0 1 0", "")},
		"ended, workload":   {pods(owned("a", "", "tolerations: ["+keyed+"]"), yamlPod("b", "Job j", "tolerations: ["+keyed+"]", "Succeeded")), "", row("unknown", "0 0 0 1 0", "")},
		"static, workload":  {pods(owned("a", "", "tolerations: ["+keyed+"]"), strings.Replace(on("b", "n", keyed), "namespace: shop", `namespace: shop, annotations: {kubernetes.io/config.mirror: x}`, 1)), "", row("unknown", "0 1 0 1 0", "")},
		"selector":          {pods(owned("a", "", "nodeSelector: {pool: a}, tolerations: ["+keyed+"]"), owned("b", "", "nodeSelector: {pool: b}, tolerations: ["+keyed+"]"), owned("c", "", "nodeSelector: {pool: c}, tolerations: ["+keyed+"]"), owned("d", "", "nodeSelector: {pool: b}")), "", row("unknown", "0 0 0 2 0", "")},
		"affinity":          {pods(owned("a", "", "tolerations: ["+keyed+"], "+fmt.Sprintf(affinity, "a")), owned("b", "", "tolerations: ["+keyed+"], "+fmt.Sprintf(affinity, "a, b"))), "", row("unknown", "0 0 0 1 0", "")},
		"daemon set":        {pods(plain, owned("a", "DaemonSet d", "nodeName: 'n', tolerations: ["+keyed+"], "+fmt.Sprintf(byName, "n")), owned("b", "DaemonSet d", "nodeName: m, tolerations: ["+keyed+"], "+fmt.Sprintf(byName, "m"))), "", append(row("unknown", "0 2 0 1 0", ""), "<none>|1: plain||0|0|0|0|0|")},
		"names no node":     {pods(owned("a", "", "tolerations: ["+keyed+"], "+fmt.Sprintf(byName, "gone"))), "", row("unknown", "0 0 0 0 0", "")},
		"name and label":    {pods(owned("a", "", "tolerations: ["+keyed+"], nodeSelector: {pool: b}, "+fmt.Sprintf(byName, "n")), owned("b", "", "tolerations: ["+keyed+"], nodeSelector: {pool: a}, "+fmt.Sprintf(byName, "n"))), "", row("unknown", "0 0 0 1 0", "")},
		"cordoned":          {[]string{yamlNode("n", "", "unschedulable: true, "+taints(k, cordon)), yamlNode("m", "", "unschedulable: true, "+taints(k, cordon)), owned("a", "", "tolerations: ["+keyed+"]")}, "", row("unknown", "2 0 0 1 0", "")},
		"wildcard":          {pods(owned("a", "", "tolerations: ["+wildcard+"]"), owned("b", "", "tolerations: [{operator: Exists, effect: NoSchedule}]"), owned("c", "", "tolerations: [{operator: Exists, effect: NoExecute}]"), owned("d", "", "tolerations: ["+wildcard+", "+keyed+"]")), "", row("unknown", "0 0 0 3 2", "")},
		"wildcard, and key": {pods(owned("a", "StatefulSet db", "tolerations: ["+wildcard+"]"), owned("b", "StatefulSet db", "tolerations: ["+keyed+"]")), "", row("unknown", "0 0 0 1 0", "")},
		"wildcard, a taint": {[]string{yamlNode("n", "", taints(k, "key: l, effect: NoExecute")), yamlNode("m", "", taints(k, "key: l, effect: NoExecute")), owned("a", "", "tolerations: [{operator: Exists, effect: NoExecute}, "+keyed+"]"), owned("b", "", "tolerations: ["+keyed+", {key: l, operator: Exists}]")}, "", []string{"k:NoSchedule,l:NoExecute|2: m, n|unknown|0|0|0|2|1|"}},
		"wildcard, nothing": {[]string{plain, owned("a", "", "tolerations: ["+wildcard+"]")}, "", []string{"<none>|1: plain||0|0|0|1|0|"}},

		"temporary, an hour":    {[]string{yamlNode("n", "", taints(unreachable+at("7:33"))), yamlNode("m", "", taints(unreachable+at("8:33"))), on("a", "n", keyed)}, "", []string{"node.kubernetes.io/unreachable:NoSchedule|2: m, n|60m|0|1|1|0|0|node.kubernetes.io/unreachable:NoSchedule is temporary, but 60m old"}},
		"temporary, 59 minutes": {[]string{yamlNode("n", "", taints(unreachable+at("7:34"))), yamlNode("m", "", taints(unreachable+at("8:33")))}, "", []string{"node.kubernetes.io/unreachable:NoSchedule|2: m, n|59m|0|0|0|0|0|"}},
		"temporary, the oldest": {[]string{yamlNode("n", "", taints(unreachable+at("7:13"), "key: node.kubernetes.io/not-ready, effect: NoExecute"+at("7:03"), k+at("5:00"))), yamlNode("m", "", taints(unreachable+at("7:13"), "key: node.kubernetes.io/not-ready, effect: NoExecute"+at("7:23"), k))}, "", []string{"k:NoSchedule,node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/unreachable:NoSchedule|2: m, n|3h33m|0|0|0|0|0|node.kubernetes.io/not-ready:NoExecute is temporary, but 90m old"}},
		"temporary, unknown":    {[]string{yamlNode("n", "", taints(unreachable)), yamlNode("m", "", taints(unreachable))}, "", []string{"node.kubernetes.io/unreachable:NoSchedule|2: m, n|unknown|0|0|0|0|0|"}},
		"temporary, future":     {[]string{yamlNode("n", "", taints(unreachable+at("9:59"))), yamlNode("m", "", taints(unreachable))}, "", []string{"node.kubernetes.io/unreachable:NoSchedule|2: m, n|<invalid>|0|0|0|0|0|"}},
		"old, not temporary":    {[]string{yamlNode("n", "", taints(k+at("1:00"))), m}, "", row("7h33m", "0 0 0 0 0", "")},

		"untolerated":           {pods(on("a", "n", "{key: l, operator: Exists}")), "", row("unknown", "0 1 1 0 0", "no workload tolerates k:NoSchedule")},
		"untolerated, of two":   {[]string{yamlNode("n", "", taints(k, "key: l, effect: NoExecute", "key: o, effect: PreferNoSchedule")), yamlNode("m", "", taints(k, "key: l, effect: NoExecute", "key: o, effect: PreferNoSchedule")), on("a", "x", "{key: l, operator: Exists}")}, "", []string{"k:NoSchedule,l:NoExecute,o:PreferNoSchedule|2: m, n|unknown|0|0|0|0|0|no workload tolerates k:NoSchedule"}},
		"untolerated, many":     {[]string{yamlNode("n", "", taints("key: a, effect: NoSchedule", "key: b, effect: NoSchedule", "key: c, effect: NoSchedule", "key: d, effect: NoSchedule", "key: e, effect: NoSchedule", "key: f, effect: NoSchedule")), on("a", "x", "")}, "", []string{"a:NoSchedule,b:NoSchedule,c:NoSchedule,d:NoSchedule,e:NoSchedule,f:NoSchedule|1: n|unknown|0|0|0|0|0|no workload tolerates a:NoSchedule, b:NoSchedule, c:NoSchedule, d:NoSchedule, e:NoSchedule and 1 more"}},
		"selected nowhere":      {pods(owned("a", "", "nodeSelector: {pool: c}, tolerations: ["+keyed+"]")), "", row("unknown", "0 0 0 0 0", "")},
		"only wildcards":        {pods(on("a", "n", wildcard)), "", row("unknown", "0 1 0 1 1", "only wildcards tolerate k:NoSchedule")},
		"wildcards and nothing": {[]string{yamlNode("n", "", taints(k, "key: l, effect: NoExecute")), yamlNode("m", "", taints(k, "key: l, effect: NoExecute")), on("a", "n", "{operator: Exists, effect: NoExecute}")}, "", []string{"k:NoSchedule,l:NoExecute|2: m, n|unknown|0|1|1|0|0|no workload tolerates k:NoSchedule; only wildcards tolerate l:NoExecute"}},
		"control, by wildcards": {[]string{yamlNode("n", "", taints(control)), yamlNode("m", "", taints(control)), on("a", "n", wildcard)}, "", []string{"node-role.kubernetes.io/control-plane:NoSchedule|2: m, n|unknown|0|1|0|1|1|"}},
		"control, by nothing":   {[]string{yamlNode("n", "", taints(control)), yamlNode("m", "", taints(control)), on("a", "n", keyed)}, "", []string{"node-role.kubernetes.io/control-plane:NoSchedule|2: m, n|unknown|0|1|1|0|0|no workload tolerates node-role.kubernetes.io/control-plane:NoSchedule"}},
		"untolerated, ended":    {pods(yamlPod("a", "", "tolerations: ["+keyed+"]", "Succeeded"), on("b", "n", "")), "", row("unknown", "0 1 1 0 0", "no workload tolerates k:NoSchedule")},
		"untolerated, unread":   {pods(on("a", "n", ""), yamlPod("b", "", "nodeName: 'n', tolerations: 5", "Running")), "", row("unknown", "0 2 1 0 0", "")},

		"only one node":  {[]string{n, plain}, "", []string{"k:NoSchedule|1: n|unknown|0|0|0|0|0|only 1 of 2 nodes has these taints", "<none>|1: plain||0|0|0|0|0|"}},
		"the only node":  {[]string{n}, "", []string{"k:NoSchedule|1: n|unknown|0|0|0|0|0|"}},
		"one of a label": {[]string{n, m, plain}, "-l pool=a", []string{"k:NoSchedule|1: n|unknown|0|0|0|0|0|only 1 of these 2 nodes has these taints", "<none>|1: plain||0|0|0|0|0|"}},
		"labels":         {pods(plain, on("a", "m", keyed), on("b", "n", keyed), owned("c", "", "nodeSelector: {pool: a}, tolerations: ["+keyed+"]")), "-l pool!=a", []string{"k:NoSchedule|1: m|unknown|0|1|0|2|0|"}},
		"taint":          {[]string{n, plain, m, yamlNode("o", "", taints("key: kk, effect: NoSchedule"))}, "--taint k", row("unknown", "0 0 0 0 0", "")},
		"taint, prefix":  {[]string{n, plain, m, yamlNode("o", "", taints("key: kk, effect: NoSchedule"))}, "--taint k*,!kk", row("unknown", "0 0 0 0 0", "")},
		"taint, cordons": {[]string{n, plain, m, yamlNode("o", "", "unschedulable: true"), yamlNode("p", "", taints(k, cordon))}, "--taint node.kubernetes.io/unschedulable", []string{"k:NoSchedule|1: p|unknown|1|0|0|0|0|only 1 of these 2 nodes has these taints", "<none>|1: o||1|0|0|0|0|"}},
		"unread":         {[]string{n, m, yamlNode("x", "pool: z", "taints: 5")}, "-l pool!=x", row("unknown", "0 0 0 0 0", "")},
		"order": {[]string{plain, yamlNode("p2", "", ""), yamlNode("p3", "", ""), yamlNode("p4", "", ""), n, m, yamlNode("n1", "", taints("key: l, effect: NoSchedule")), yamlNode("n2", "", taints("key: l, effect: NoSchedule")), yamlNode("n3", "", taints("key: l, effect: NoSchedule")),
			yamlNode("s", "", taints("key: o, effect: NoSchedule")), yamlNode("u", "", taints("key: a, effect: NoSchedule")), yamlNode("v", "", taints("key: a, effect: NoSchedule")), yamlNode("z", "", taints(unreachable+at("1:00"))), yamlNode("z2", "", taints(unreachable+at("1:00"))),
			on("a", "x", keyed+", {key: l, operator: Exists}, {key: o, operator: Exists}")}, "", []string{
			"node.kubernetes.io/unreachable:NoSchedule|2: z, z2|7h33m|0|0|0|0|0|node.kubernetes.io/unreachable:NoSchedule is temporary, but 7h33m old",
			"a:NoSchedule|2: u, v|unknown|0|0|0|0|0|no workload tolerates a:NoSchedule",
			"o:NoSchedule|1: s|unknown|0|0|0|1|0|only 1 of 14 nodes has these taints",
			"l:NoSchedule|3: n1, n2 and 1 more|unknown|0|0|0|1|0|", "k:NoSchedule|2: m, n|unknown|0|0|0|1|0|", "<none>|4: p2, p3 and 2 more||0|0|0|1|0|",
		}},
		"order of equals": {[]string{two, yamlNode("a", "", taints("key: l, effect: NoSchedule")), yamlNode("b", "", taints("key: l, effect: NoSchedule"))}, "", append(row("unknown", "0 0 0 0 0", ""), "l:NoSchedule|2: a, b|unknown|0|0|0|0|0|")},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := runNodes(t, documents(test.input...), append(strings.Fields(test.args), "-f", "-")...)
			if bad := strings.Contains(name, "unread"); (err != nil) != bad {
				t.Error(err)
			}
			if diff := cmp.Diff(test.want, rows(out)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s%s", diff, out)
			}
		})
	}
}

// The text, of the sample.
func TestNodes_text(t *testing.T) {
	out, err := runNodes(t, "", "--sample", "-l", "pool in (gpu,spot,worker)", "-o", "wide")
	const want = `7 nodes, 3 sets of taints, 1 cordoned.

TAINTS                                                                               NODES   SINCE     CORDONED   PODS   NOT TOLERATING   WORKLOADS   BY WILDCARD   NOTE                                       NAMES
dedicated=batch:NoSchedule,example.com/spot:PreferNoSchedule                         1       unknown   0          0      0                2           1             only 1 of these 7 nodes has these taints   spot-0
node.kubernetes.io/unreachable:NoSchedule,node.kubernetes.io/unreachable:NoExecute   1       3m        0          3      2                1           1             only 1 of these 7 nodes has these taints   worker-3
dedicated=gpu:NoSchedule                                                             2       unknown   0          1      0                2           1                                                        gpu-0, gpu-1
<none>                                                                               3                 1          1      0                4           0                                                        worker-0, worker-1, worker-2

Evaluated are taints, tolerations, node selectors and required node affinity of pods that exist now, not cordons.
`
	if diff := cmp.Diff(want, out); diff != "" || err != nil {
		t.Errorf("%v, mismatch (-want +got):\n%s", err, diff)
	}
	for args, want := range map[string]string{
		"--taint nobody": "0 nodes, 0 sets of taints, 0 cordoned.\n",
		"--taint dedicated=gpu": `2 nodes, 1 set of taints, 0 cordoned.

TAINTS                     NODES             SINCE     CORDONED   PODS   NOT TOLERATING   WORKLOADS   BY WILDCARD   NOTE
dedicated=gpu:NoSchedule   2: gpu-0, gpu-1   unknown   0          1      0                2           1             

Evaluated are taints, tolerations, node selectors and required node affinity of pods that exist now.
`,
	} {
		if out, err := runNodes(t, "", append(strings.Fields(args), "--sample")...); err != nil || out != want {
			t.Errorf("%s: %v\n%s", args, err, out)
		}
	}
	for _, args := range []string{"--taint *x", "-l a=b=c", "-o name", "worker-0"} {
		if out, err := runNodes(t, "", append(strings.Fields(args), "--sample")...); err == nil || strings.Contains(out, "TAINTS") {
			t.Errorf("%s: no error, but %s", args, out)
		}
	}
}

// The JSON and the YAML have the same values, and no list is null.
func TestNodes_json(t *testing.T) {
	input := documents(plain, yamlNode("c", "", "unschedulable: true"), yamlNode("n", "", `taints: [{key: k, value: v, effect: NoExecute, timeAdded: "2026-11-20T08:03:00Z"}]`), yamlNode("x", "", "taints: 5"),
		yamlPod("p", "", "nodeName: 'n'", "Running"), yamlPod("q", "DaemonSet d", "nodeName: 'n', tolerations: [{operator: Exists}]", "Running"), yamlPod("r", "", "tolerations: 5", "Pending"))
	const want = `{"nodes": 4, "cordoned": 1, "sets": [
{"taints": [{"key": "k", "value": "v", "effect": "NoExecute"}], "nodes": ["n"], "since": "2026-11-20T08:03:00Z", "cordoned": 0, "pods": 2, "notTolerating": 1, "workloads": 1, "byWildcard": 1, "notes": ["only 1 of 4 nodes has these taints"]},
{"taints": [], "nodes": ["c", "plain"], "cordoned": 1, "pods": 0, "notTolerating": 0, "workloads": 2, "byWildcard": 0, "notes": []}
], "incomplete": false, "unknown": 2}`
	out, err := runNodes(t, input, "-f", "-", "-o", "json")
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(want), "", "    "); err != nil {
		t.Fatal(err)
	}
	exit := new(cli.Exit)
	if diff := cmp.Diff(b.String()+"\n", out); diff != "" || !errors.As(err, &exit) || exit.Status != 2 {
		t.Errorf("%v, mismatch (-want +got):\n%s", err, diff)
	}
	inYAML, _ := runNodes(t, input, "-f", "-", "-o", "yaml")
	if text, err := yaml.YAMLToJSON([]byte(inYAML)); err != nil || !strings.HasPrefix(inYAML, "cordoned: 1\n") {
		t.Error(err, inYAML)
	} else if want, _ := yaml.YAMLToJSON([]byte(want)); string(text) != string(want) {
		t.Errorf("YAML %s, want %s", text, want)
	}
	for input, want := range map[string]string{"": `"sets": []`, plain: `"incomplete": false`} {
		if out, _ := runNodes(t, documents(input, yamlNode("x", "", "taints: 5")), "-f", "-", "-o", "json"); strings.Contains(out, "null") || !strings.Contains(out, want) {
			t.Error(out)
		}
	}
	if out, _ := runNodes(t, input, "-f", "-"); !strings.HasPrefix(out, "4 nodes, 1 set of taints, 1 cordoned.\n2 objects could not be read.\n\n") {
		t.Error(out)
	}
	if out, _ := runNodes(t, input, "-f", "-", "--taint", "l"); out != "1 node, 0 sets of taints, 0 cordoned.\n2 objects could not be read.\n" { // it can be one
		t.Error(out)
	}
}

// randomNodes writes a small cluster in which much is alike, and of pods little.
func randomNodes(r *rand.Rand) string {
	one := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	var list []string
	for i := range 1 + r.IntN(9) {
		list = append(list, yamlNode(fmt.Sprint("n", i), one("", "pool: a", "pool: b", "zone: a, pool: b"), one("", "unschedulable: true, ")+"taints: ["+one("", "{key: k, effect: NoSchedule}", "{key: k, effect: NoSchedule, timeAdded: \"2026-11-20T0"+one("1", "7")+":00:00Z\"}", "{key: k, effect: PreferNoSchedule}",
			"{key: k, value: v, effect: NoExecute}, {key: l, effect: NoSchedule}", "{key: l, effect: NoSchedule}, {key: k, value: v, effect: NoExecute}", "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}", "{key: k, effect: bad}")+"]"))
	}
	const affinity = ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [%s]}}}"
	for i := range 1 + r.IntN(25) {
		pod := yamlPod(fmt.Sprint("p", i), one("", "", "ReplicaSet a", "ReplicaSet b", "DaemonSet a", "Job a"), one("", fmt.Sprintf("nodeName: n%d, ", r.IntN(10)))+
			"tolerations: ["+one("", "{key: k, operator: Exists}", "{key: k, value: v}, {key: l, operator: Exists}", "{operator: Exists}", "{operator: Exists, effect: NoExecute}, {key: l, operator: Exists}", "{operator: Exists, effect: NoSchedule}, {key: k, value: v}", "{operator: Exists}, {key: k, operator: Exists}")+"]"+
			one("", "", ", nodeSelector: {pool: a}", ", nodeSelector: {pool: b}", fmt.Sprintf(affinity, "{matchExpressions: [{key: zone, operator: DoesNotExist}, {key: pool, operator: Exists}]}"),
				fmt.Sprintf(affinity, fmt.Sprintf("{matchFields: [{key: metadata.name, operator: In, values: [n%d]}]}", r.IntN(10))), fmt.Sprintf(affinity, "{matchFields: [{key: metadata.name, operator: NotIn, values: [n1]}]}")),
			one("Running", "Running", "Running", "Pending", "Succeeded"))
		if r.IntN(12) == 0 {
			pod = strings.Replace(pod, "namespace: shop", "namespace: shop, annotations: {kubernetes.io/config.mirror: x}", 1)
		}
		if r.IntN(3) == 0 {
			pod = strings.Replace(pod, "namespace: shop", "namespace: test", 1)
		}
		list = append(list, pod)
	}
	return documents(list...)
}

// The numbers are those of each pod compared with each node.
func TestNodes_reference(t *testing.T) {
	workloads := 0
	for seed := range uint64(500) {
		input := randomNodes(rand.New(rand.NewPCG(seed, 50)))
		c := read(t, input)
		got := make(map[string]TaintSet)
		for _, s := range newTable(c, now, true).Sets {
			got[s.Taints.String()] = TaintSet{Nodes: s.Nodes, Since: s.Since, Cordoned: s.Cordoned, Pods: s.Pods, Use: s.Use}
		}
		want := make(map[string]TaintSet)
		for _, n := range c.Nodes {
			var set taint.List
			for _, t := range n.Taints.Canonical() {
				if t.String() != "node.kubernetes.io/unschedulable:NoSchedule" {
					set = append(set, t)
				}
			}
			if n.Err != nil || want[set.String()].Nodes != nil {
				continue
			}
			s := TaintSet{Use: &Use{}}
			any, keyed := make(map[string]bool), make(map[string]bool)
			for _, m := range c.Nodes {
				rest := slices.DeleteFunc(m.Taints.Canonical(), func(t taint.Taint) bool { return t.String() == "node.kubernetes.io/unschedulable:NoSchedule" })
				if m.Err != nil || rest.String() != set.String() {
					continue
				}
				s.Nodes = append(s.Nodes, m.Name)
				if m.Unschedulable || len(rest) < len(m.Taints) {
					s.Cordoned++
				}
				for _, t := range m.Taints {
					if at := t.TimeAdded(); !at.IsZero() && (s.Since == nil || at.Before(*s.Since)) {
						s.Since = &at
					}
				}
				for _, p := range c.Pods {
					if p.Phase == "Succeeded" {
						continue
					}
					tolerates := match.Node{Taints: rest}.Schedulable(p.Tolerations)
					if p.Node == m.Name {
						if s.Pods++; !tolerates && !p.Static {
							s.NotTolerating++
						}
					}
					if p.Static || !tolerates || !p.Placement.Admits(m) {
						continue
					}
					name := p.Namespace + "/" + p.Owner
					if p.Owner == "" {
						name = p.FullName()
					}
					any[name] = true
					if (match.Node{Taints: rest}).Schedulable(slices.DeleteFunc(slices.Clone(p.Tolerations), func(u toleration.Toleration) bool { return u.Key() == "" })) {
						keyed[name] = true
					}
				}
			}
			s.Workloads, s.ByWildcard = len(any), len(any)-len(keyed)
			workloads += len(any)
			want[set.String()] = s
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(TaintSet{})); diff != "" {
			t.Errorf("seed %d: mismatch (-want +got):\n%s%s", seed, diff, input)
		}
	}
	if workloads < 1000 {
		t.Errorf("%d workloads", workloads)
	}
}

// What takes too long is unknown, and the rest is known.
func TestNodes_work(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{"host":"%d"}},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}}`, i, i)
	}
	for i := range 9000 {
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"nodeName":"n0","affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"host","operator":"Gt","values":["%d"]}]}]}}},"tolerations":[{"key":"l"}]}}`, i, 10000+i)
	}
	b.WriteString(`{"kind":"Pod","metadata":{"name":"q"},"spec":{"nodeName":"n0","tolerations":[{"key":"k","operator":"Exists"}]}}`)
	taints := `{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[` + many(15_000, `{"key":"k%d","effect":"NoSchedule"}`) + `]}}`
	taints += `{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n","tolerations":[` + many(15_000, `{"key":"l%d"}`) + `]}}`
	for _, test := range []struct{ input, row string }{
		{b.String(), "k:NoSchedule|2000: n0, n1 and 1998 more|unknown|0|9001|?|?|?|"},
		{taints, "|1: n|unknown|0|1|?|?|?|"},
	} {
		start := time.Now()
		out, err := runNodes(t, test.input, "-f", "-")
		if took := time.Since(start); took > time.Minute {
			t.Errorf("it took %v", took)
		}
		got := rows(out)
		if err != nil || len(got) != 1 || !strings.HasSuffix(got[0], test.row) || !strings.Contains(out, "\nToo many different pods and nodes to compare all of them: ? is unknown. Use -l or --taint for fewer nodes.\n\n") || strings.Contains(out, "Evaluated") || len(out) > 10_000 {
			t.Errorf("%v:\n%.3000s", err, out)
		}
		if out, err := runNodes(t, test.input, "-f", "-", "-o", "json"); err != nil || !strings.Contains(out, `"incomplete": true,`) || strings.Contains(out, `"notTolerating":`) || strings.Contains(out, `"workloads":`) || strings.Contains(out, `"byWildcard":`) {
			t.Errorf("%v:\n%.3000s", err, out[max(0, len(out)-3000):])
		}
	}
	if out, err := runNodes(t, b.String(), "-f", "-", "-l", "host=0"); err != nil || !slices.Equal(rows(out), []string{"k:NoSchedule|1: n0|unknown|0|9001|9000|1|0|"}) {
		t.Errorf("one node: %v\n%s", err, out)
	}
}

// Names of a stranger reach a terminal escaped, and do not widen the table.
func TestNodes_hostile(t *testing.T) {
	long := strings.Repeat("x", 5000)
	input := fmt.Sprintf(`{"kind":"Node","metadata":{"name":"n\u001b[2J\ta"}}{"kind":"Node","metadata":{"name":"m\nTAINTS"}}{"kind":"Node","metadata":{"name":"%s"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}}`, long)
	out, err := runNodes(t, input, "-f", "-")
	want := []string{"k:NoSchedule|1: " + strings.Repeat("x", 99) + "…|unknown|0|0|0|0|0|only 1 of 3 nodes has these taints", `<none>|2: "m\nTAINTS", "n\x1b[2J\ta"||0|0|0|0|0|`}
	_, table, _ := strings.Cut(strings.ReplaceAll(out, "…", "."), "\n\n") // a column for each byte
	want[0] = strings.ReplaceAll(want[0], "…", ".")
	if diff := cmp.Diff(want, rows("\n\n"+table)); diff != "" || err != nil {
		t.Errorf("%v, mismatch (-want +got):\n%s", err, diff)
	}
	if out, err := runNodes(t, input, "-f", "-", "-o", "wide"); err != nil || strings.ContainsAny(out, "\x1b\t") || !strings.Contains(out, `"m\nTAINTS, n\x1b[2J\ta"`) || len(out) > 7000 {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := runNodes(t, input, "-f", "-", "-o", "yaml"); err != nil || strings.Contains(out, "\x1b") {
		t.Errorf("%v: %s", err, out)
	}
}

// Without the pods, or the nodes, there is no table.
func TestNodes_server(t *testing.T) {
	for forbidden, want := range map[string]string{"": "", "pods": "pods is forbidden", "nodes": "nodes is forbidden"} {
		var paths []string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			paths = append(paths, r.URL.Path)
			w.Header().Set("Content-Type", "application/json")
			resource := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
			if resource == forbidden {
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"%s is forbidden","reason":"Forbidden","code":403}`, resource)
				return
			}
			kind, items := "PodList", `{"metadata":{"namespace":"a","name":"p"},"spec":{"nodeName":"n"}},{"metadata":{"namespace":"b","name":"q"},"spec":{"nodeName":"n"}}`
			if resource == "nodes" {
				kind, items = "NodeList", `{"metadata":{"name":"n"}}`
			}
			fmt.Fprintf(w, `{"kind":%q,"apiVersion":"v1","metadata":{},"items":[%s]}`, kind, items)
		}))
		out, err := runNodes(t, "", "--server", s.URL, "-n", "a")
		s.Close()
		if text := fmt.Sprint(err); want != "" && (text != want || out != "") || want == "" && !slices.Equal(rows(out), []string{"<none>|1: n||0|2|0|2|0|"}) {
			t.Errorf("forbidden %q: %v\n%s", forbidden, err, out)
		}
		if forbidden == "" && !slices.Equal(paths, []string{"/api/v1/pods", "/api/v1/nodes"}) {
			t.Errorf("requests %q", paths)
		}
	}
	if out, err := runNodes(t, documents(yamlPod("p", "", "", "Running")), "-f", "-"); err == nil || err.Error() != "the input has no nodes" || out != "" {
		t.Errorf("no nodes: %v\n%s", err, out)
	}
	if _, err := runNodes(t, "", "--server", "http://127.0.0.1:1"); err == nil || !strings.HasSuffix(err.Error(), "connection refused; for files use -f, without a cluster --sample") {
		t.Errorf("no cluster: %v", err)
	}
}
