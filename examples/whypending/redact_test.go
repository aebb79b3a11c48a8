package main

import (
	"fmt"
	"strings"
	"testing"
)

// A value in any place, a wrong one included, is not shown: neither
// in the output nor in problems of bad input.
func TestRedact(t *testing.T) {
	const secret = "sEcReT"
	nodes := []string{
		`{"key":"k","value":"sEcReT1","effect":"NoSchedule"}`,
		`{"key":"k","value":"sEcReT1","effect":"NoExecute","timeAdded":"2026-10-14T09:00:00Z"}`,
		`{"key":"k","value":"sEcReT1","effect":"PreferNoSchedule"}`,
		`{"key":"k","value":"sEcReT!","effect":"NoSchedule"}`,
		`{"key":"k","value":{"a":"sEcReT"},"effect":"NoSchedule"}`,
		`{"key":"k=sEcReT","effect":"NoSchedule"}`,
		`{"key":"k","value":"a","effect":"sEcReT"}`,
		`{"key":"k","effect":"NoSchedule","sEcReT":1}`,
		`{"key":"k","effect":"NoSchedule","value":"sEcReT1","value":"sEcReT2"}`,
		`{"key":"k","value":"sEcReT1","effect":"NoSchedule"},{"key":"k","value":"sEcReT2","effect":"NoSchedule"}`,
		`"k=sEcReT:NoSchedule"`,
		`{"key":"k","effect":"NoExecute","timeAdded":"sEcReT"}`,
	}
	pods := []string{
		`{"key":"k","value":"sEcReT2","effect":"NoSchedule"}`,
		`{"key":"k","value":"sEcReT1","effect":"NoExecute","tolerationSeconds":30},{"key":"k","value":"sEcReT1"}`,
		`{"key":"k","operator":"Equal","value":"sEcReT1"}`,
		`{"key":"k","operator":"Exists","value":"sEcReT1"}`,
		`{"key":"k","operator":"Gt","value":"sEcReT1"}`,
		`{"key":"k","operator":"sEcReT","value":"1"}`,
		`{"key":"k","value":"sEcReT1","effect":"NoExecute","tolerationSeconds":"sEcReT"}`,
		`{"key":"k","value":"sEcReT1","valeu":"sEcReT"}`,
		`["sEcReT"]`,
	}
	var in strings.Builder
	for i, list := range nodes {
		fmt.Fprintf(&in, `{"kind":"Node","metadata":{"name":"n%d"},"spec":{"taints":[%s]}}`+"\n", i, list)
	}
	in.WriteString(`{"kind":"Node","metadata":{"name":"odd"},"spec":{"unschedulable":"sEcReT"}}` + "\n")
	in.WriteString(`{"kind":"Node","metadata":{"name":"first"},"spec":{"taints":[` + nodes[1] + `]}}` + "\n")
	for _, list := range pods {
		for _, node := range []string{"", "first"} {
			in.WriteString(`{"kind":"Pod","metadata":{"generateName":"p-"},"spec":{"nodeName":"` + node + `","tolerations":[` + list + `]}}` + "\n")
		}
	}
	in.WriteString(`{"kind":"List","items":["sEcReT"]}` + "\n" + `{"kind":"List","items":"sEcReT"}` + "\n" + `["sEcReT"]` + "\n" + `sEcReT` + "\n" + `{"kind":"Node","metadata":{"name":"sEcReT` + "\n" + `"}}`)
	fits := `{"kind":"Node","metadata":{"name":"first"},"spec":{"taints":[` + nodes[0] + `]}}{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[` + pods[0] + `]}}`

	misspelt := strings.NewReplacer(`"k","value":"sEcReT1"`, `"kind","value":"sEcReT1"`, `"k","value":"sEcReT2"`, `"kinds","value":"sEcReT2"`).Replace(fits)
	if got := runWith(misspelt, "-redact"); !strings.Contains(got.Stdout, `(is "kinds=…:NoSchedule" misspelt?)`) {
		t.Errorf("nothing misspelt\n%s", got)
	}

	for _, input := range []string{in.String(), fits, misspelt} {
		for _, args := range []string{"", "-o json", "-node first", "-node first -o json", "-reasons 0"} {
			open := runWith(input, strings.Fields(args)...)
			got := runWith(input, append(strings.Fields(args), "-redact")...)
			if !strings.Contains(open.String(), secret) {
				t.Errorf("%q: nothing to leave out\n%s", args, open)
			}
			if strings.Contains(got.String(), secret) {
				t.Errorf("%q: shown\n%s", args, got)
			}
			if got.Status != open.Status {
				t.Errorf("%q: status %d, and %d without -redact", args, got.Status, open.Status)
			}
			if !strings.Contains(got.Stdout, "=…:No") {
				t.Errorf("%q: no taint at all\n%s", args, got)
			}
		}
	}
}
