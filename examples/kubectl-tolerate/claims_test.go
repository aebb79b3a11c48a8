package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Claims and devices are read in the versions that the API server has, if a pod waits for a
// claim. What it does not list is one warning.
func TestWhy_claims(t *testing.T) {
	const (
		pod     = `{"metadata":{"name":"c","namespace":"default"},"spec":{"resourceClaims":[{"name":"g","resourceClaimName":"gpu"}]}}`
		none    = "2 pods, 2 nodes. Pending: 2 "
		claim   = "  claim gpu is not allocated\n    tainted devices on nodes that the pod can be scheduled to; selectors not evaluated\n    request g: untolerated taints on "
		warning = "warning: claims, devices, pools of nodes and events of autoscalers are not read completely: "
	)
	lists := map[string]string{
		"resourceclaims":         `{"kind":"ResourceClaimList","apiVersion":"%s","items":[{"metadata":{"name":"gpu","namespace":"default"},"spec":{"devices":{"requests":[{"name":"g","exactly":{"deviceClassName":"gpu"}}]}}}]}`,
		"resourceclaimtemplates": `{"kind":"ResourceClaimTemplateList","apiVersion":"%s","items":[]}`,
		"resourceslices":         `{"kind":"ResourceSliceList","apiVersion":"%s","items":[{"metadata":{"name":"s"},"spec":{"nodeName":"free","driver":"gpu.example.com","pool":{"name":"free","generation":1,"resourceSliceCount":1},"devices":[{"name":"gpu0"}]}}]}`,
		"devicetaintrules":       `{"kind":"DeviceTaintRuleList","apiVersion":"%s","items":[{"metadata":{"name":"r"},"spec":{"deviceSelector":{"pool":"free"},"taint":{"key":"k","effect":"NoSchedule"}}}]}`,
	}
	for name, test := range map[string]struct {
		pod       string
		served    string // versions, and those with the rules
		forbidden string
		requests  string
		want      string
	}{
		"no claim":      {podA, "v1", "", "", ""},
		"v1":            {pod, "v1 v1/rules", "", "v1/claims v1/templates v1/slices v1/rules", claim + "1 of 1 device\n      gpu.example.com/free/gpu0\n        k:NoSchedule is not tolerated (DeviceTaintRule r); to add"},
		"v1beta2":       {pod, "v1 v1beta2 v1beta2/rules", "", "v1/claims v1/templates v1/slices v1/rules v1beta2/rules", claim + "1 of 1 device\n"},
		"v1alpha3":      {pod, "v1 v1alpha3 v1alpha3/rules", "", "v1/claims v1/templates v1/slices v1/rules v1alpha3/rules", claim + "1 of 1 device\n"},
		"no rules":      {pod, "v1", "", "v1/claims v1/templates v1/slices v1/rules", claim + "0 of 1 device\n"},
		"only v1beta2":  {pod, "v1beta2 v1beta2/rules", "", "v1beta2/claims v1beta2/templates v1beta2/slices v1beta2/rules", claim + "1 of 1 device\n"},
		"no API":        {pod, "apps", "", "", "  claim gpu is not known\n    not everything could be read\n"},
		"not found":     {strings.Replace(pod, `"gpu"`, `"tpu"`, 1), "v1 v1/rules", "", "v1/claims v1/templates v1/slices v1/rules", "  claim tpu is not in the cluster\n"},
		"no slices":     {pod, "v1 v1/rules", "slices rules", "v1/claims v1/templates v1/slices v1/rules", "  claim gpu is not allocated\n    not everything could be read\n" + warning + "/apis/resource.k8s.io/v1/slices is forbidden\n"},
		"nothing":       {pod, "v1 v1/rules", "claims slices rules", "v1/claims v1/templates v1/slices v1/rules", "  claim gpu is not known\n    not everything could be read\n" + warning + "/apis/resource.k8s.io/v1/namespaces/default/claims is forbidden\n"},
		"no list of it": {pod, "", "", "v1/claims v1beta2/claims v1/templates v1beta2/templates v1/slices v1beta2/slices v1/rules v1beta2/rules v1alpha3/rules", "  claim gpu is not known\n    not everything could be read\n"},
		"discovery":     {pod, "", "apis", "", "  claim gpu is not known\n    not everything could be read\n" + warning + "/apis is forbidden\n"},
	} {
		t.Run(name, func(t *testing.T) {
			short := strings.NewReplacer("resourceclaims", "claims", "resourceclaimtemplates", "templates", "resourceslices", "slices", "devicetaintrules", "rules")
			var requests []string
			s := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
				served := strings.Fields(test.served)
				path, ok := strings.CutPrefix(r.URL.Path, "/apis/resource.k8s.io/")
				version, _, _ := strings.Cut(path, "/")
				resource := path[strings.LastIndex(path, "/")+1:]
				switch {
				case strings.HasSuffix(r.URL.Path, "/pods"):
					fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","items":[%s,%s]}`, test.pod, podB)
					return true
				case r.URL.Path == "/apis" && test.forbidden == "apis":
					failure(w, 403, "Forbidden", "/apis is forbidden")
					return true
				case r.URL.Path == "/apis" && test.served != "":
					var versions []string
					for _, v := range served {
						if !strings.Contains(v, "/") {
							versions = append(versions, fmt.Sprintf(`{"groupVersion":"resource.k8s.io/%s","version":%[1]q}`, v))
						}
					}
					fmt.Fprintf(w, `{"kind":"APIGroupList","groups":[{"name":"resource.k8s.io","versions":[%s]}]}`, strings.Join(versions, ","))
					return true
				case !ok:
					return false
				}
				requests = append(requests, strings.Replace(short.Replace(path), "namespaces/default/", "", 1))
				switch {
				case slices.Contains(strings.Fields(test.forbidden), short.Replace(resource)):
					failure(w, 403, "Forbidden", short.Replace(r.URL.Path)+" is forbidden")
				case !slices.Contains(served, version) || resource == "devicetaintrules" && !slices.Contains(served, version+"/rules"):
					failure(w, 404, "NotFound", "the server could not find the requested resource")
				default:
					fmt.Fprintf(w, lists[resource], "resource.k8s.io/"+version)
				}
				return true
			})
			status, out, errOut := runWhy(t, s.URL, "")
			if status != 0 || !strings.HasPrefix(out, none) || !strings.Contains(out+errOut, test.want) || (errOut != "") != (test.forbidden != "") {
				t.Errorf("status %d\n%s%s", status, out, errOut)
			}
			if diff := cmp.Diff(test.requests, strings.Join(requests, " ")); diff != "" {
				t.Errorf("requests mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
