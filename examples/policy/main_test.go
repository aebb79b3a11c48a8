package main

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

const want = `NAMESPACE  TOLERATION                                                BY KEY   BY POLICY
ml         dedicated=ml:NoSchedule                                   allowed  allowed by clause "allow[0]"
ml         op=Exists                                                 allowed  tolerates node-role.kubernetes.io/control-plane:NoSchedule, which clause "control-plane" denies
web        dedicated=web:NoSchedule                                  allowed  allowed by clause "allow[0]"
web        dedicated=ml:NoSchedule                                   refused  tolerates dedicated=ml:NoSchedule, which clause "ml-nodes" denies: contact the ml team
web        dedicated op=Exists                                       allowed  tolerates dedicated=ml:NoSchedule, which clause "ml-nodes" denies: contact the ml team
web        op=Exists                                                 allowed  tolerates node-role.kubernetes.io/control-plane:NoSchedule, which clause "control-plane" denies
web        :NoExecute op=Exists for 60s                              allowed  tolerates node-role.kubernetes.io/control-plane:NoExecute, which clause "control-plane" denies
guests     spot=true:NoSchedule                                      allowed  allowed by clause "spot"
guests     dedicated=web:NoSchedule                                  refused  tolerates dedicated=web:NoSchedule, which no clause allows
guests     node.kubernetes.io/not-ready:NoExecute op=Exists for 60s  allowed  allowed by clause "failures"
guests     node.kubernetes.io/not-ready:NoExecute op=Exists          allowed  tolerates node.kubernetes.io/not-ready:NoExecute without a time limit, and clause "failures" allows at most 300s
`

func TestShow(t *testing.T) {
	var out strings.Builder
	if err := show(&out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// What is allowed tolerates none of the taints that are reserved in the namespace,
// however it is written; what is refused tolerates the witness.
func TestReserved(t *testing.T) {
	reserved := map[string]taint.List{
		"ml":     taint.MustParseList("node-role.kubernetes.io/control-plane:NoSchedule,node-role.kubernetes.io/control-plane:NoExecute"),
		"web":    taint.MustParseList("node-role.kubernetes.io/control-plane:NoSchedule,dedicated=ml:NoSchedule,dedicated=ml:NoExecute"),
		"guests": taint.MustParseList("node-role.kubernetes.io/control-plane:NoSchedule,dedicated=web:NoSchedule"),
	}
	bypassed := 0
	for _, r := range requests {
		p, err := policy.Decode([]byte(files[r.namespace]))
		if err != nil {
			t.Fatal(err)
		}
		u := toleration.MustParse(r.toleration)
		tolerates := match.Filter(reserved[r.namespace], toleration.List{u}).Count(0) < len(reserved[r.namespace])
		v := p.Judge(u)
		if v.Allowed && tolerates {
			t.Errorf("%s: %v is allowed, and tolerates one of %v", r.namespace, u, reserved[r.namespace])
		}
		if !v.Allowed && !match.Compile(toleration.List{u}).Tolerates(v.Witness) {
			t.Errorf("%s: %v does not tolerate its witness %v", r.namespace, u, v.Witness)
		}
		if tolerates && allowedByKey(p, u) {
			bypassed++
		}
	}
	if bypassed != 4 {
		t.Errorf("%d tolerations pass the comparison of keys, want 4", bypassed)
	}
}
