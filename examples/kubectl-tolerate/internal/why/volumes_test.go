package why

import (
	"fmt"
	"strings"
	"testing"
)

// Volumes are a part of what a pod selects; what pods request is compared in sum.
func TestVolumes(t *testing.T) {
	const nodes = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","labels":{"zone":"a"}},"spec":{"taints":[{"key":"team","effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"4","pods":"9"}}}
{"apiVersion":"v1","kind":"Node","metadata":{"name":"b","labels":{"zone":"b"}},"status":{"allocatable":{"cpu":"4","pods":"9"}}}
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"used","namespace":"d"},"spec":{"nodeName":"b","containers":[{"name":"c","resources":{"requests":{"cpu":"3"}}}]},"status":{"phase":"Running"}}
{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}}}
{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"bound","namespace":"d"},"spec":{"volumeName":"pv"}}
{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"p-eph","namespace":"d"},"spec":{"volumeName":"pv"}}
{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"now","namespace":"d"},"spec":{"storageClassName":"now"}}
{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"now"},"volumeBindingMode":"Immediate"}
`
	pod := func(name, spec string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"d"},"spec":{%s}}`, name, spec)
	}
	claim := func(name string) string {
		return `"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"` + name + `"}}]`
	}
	const two = `"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]`
	for name, test := range map[string]struct {
		pods string
		want []string
	}{
		"bound":     {pod("p", claim("bound")), []string{"\nd/p\n", "  taints and labels admit 0 of 2 nodes; volumes: zone In (a) selects 1\n    a\n", "team:NoSchedule"}},
		"ephemeral": {pod("p", `"volumes":[{"name":"eph","ephemeral":{}}]`), []string{"; volumes: zone In (a) selects 1\n"}},
		"not bound": {pod("p", claim("now")), []string{"; volumes: a claim that is not bound selects 0\n"}},
		"not read":  {pod("p", claim("x")), []string{"admit 1 of 2 nodes\n  not judged: volumes (add persistentvolumeclaims, persistentvolumes and storageclasses)\n"}},
		"too much":  {pod("p", two), []string{"admit 1 of 2 nodes\n  these nodes have not enough free: 2 cpu (at most 1 free) requested\n"}},
		"in sum":    {pod("p", strings.Replace(two, `"2"`, `"0.6"`, 1)) + pod("q", strings.Replace(two, `"2"`, `"0.6"`, 1)), []string{"\nd/p, d/q\n", "free: 1200m cpu (at most 1 free) requested\n"}},
		"enough":    {pod("p", strings.Replace(two, `"2"`, `"1"`, 1)), []string{without + "free", without + "not judged"}},
		"ports":     {pod("p", `"containers":[{"name":"c","ports":[{"hostPort":80}]}]`), []string{"  not judged: host ports\n"}},
	} {
		t.Run(name, func(t *testing.T) { shows(t, nodes+test.pods, "", test.want...) })
	}
}
