package main

import (
	"net/http"
	"strings"
	"testing"
)

// From an API server, what a list of volumes lacks does not exist; without the list, the
// volumes are not judged.
func TestWhy_volumes(t *testing.T) {
	const pod = `{"kind":"Pod","metadata":{"name":"db-0","namespace":"default"},"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}}`
	lists := map[string]string{
		"/api/v1/namespaces/default/pods":                   pod,
		"/api/v1/nodes":                                     `{"kind":"Node","metadata":{"name":"n","labels":{"zone":"a"}}}`,
		"/api/v1/namespaces/default/persistentvolumeclaims": `{"kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":"default"},"spec":{"volumeName":"pv"}}`,
		"/api/v1/persistentvolumes":                         `{"kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["b"]}]}]}}}}`,
		"/apis/storage.k8s.io/v1/storageclasses":            `{"kind":"StorageClass","metadata":{"name":"c"}}`,
	}
	for name, test := range map[string]struct{ path, list, want, errOut string }{
		"bound":        {"", "", "volumes: zone In (b) selects 0", ""},
		"no claim":     {"/api/v1/namespaces/default/persistentvolumeclaims", "", "a claim that does not exist selects 0", ""},
		"no volume":    {"/api/v1/persistentvolumes", "", "a volume that does not exist selects 0", ""},
		"no class":     {"/api/v1/namespaces/default/persistentvolumeclaims", `{"kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":"default"},"spec":{"storageClassName":"x"}}`, "a claim that is not bound selects 0", ""},
		"of a class":   {"/api/v1/namespaces/default/persistentvolumeclaims", `{"kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":"default"},"spec":{"storageClassName":"c"}}`, "a claim that is not bound selects 0", ""},
		"not listed":   {"/api/v1/persistentvolumes", "403", "admit 1 of 1 node\n  not judged: volumes", "warning: volumes are not read: nope\n"},
		"not listed 2": {"/apis/storage.k8s.io/v1/storageclasses", "404", "volumes: zone In (b) selects 0", "warning: volumes are not read: /apis/storage.k8s.io/v1/storageclasses: not found\n"},
	} {
		s := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
			items, ok := lists[r.URL.Path]
			if r.URL.Path == test.path {
				items = test.list
			}
			switch {
			case !ok:
				return false
			case items == "403":
				failure(w, 403, "Forbidden", "nope")
			case items == "404":
				failure(w, 404, "NotFound", "nope")
			default:
				kind := map[string]string{"pods": "Pod", "nodes": "Node", "persistentvolumeclaims": "PersistentVolumeClaim", "persistentvolumes": "PersistentVolume", "storageclasses": "StorageClass"}[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]
				list(w, map[bool]string{true: "storage.k8s.io/v1", false: "v1"}[kind == "StorageClass"], kind, "", items)
			}
			return true
		})
		status, out, errOut := runWhy(t, s.URL, "")
		if status != 0 || !strings.Contains(out, test.want) || !strings.HasSuffix(errOut, test.errOut) || strings.Contains(errOut, "volumes") != (test.errOut != "") {
			t.Errorf("%s: status %d, want %q\n%s%s", name, status, test.want, out, errOut)
		}
	}
}
