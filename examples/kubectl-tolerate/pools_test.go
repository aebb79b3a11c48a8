package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Pools are read in the versions that the API server has, if a pod waits. Those of Cluster
// API count only if a machine of their cluster is a node here.
func TestWhy_pools(t *testing.T) {
	const (
		node    = `{"metadata":{"name":"n1"},"spec":{"providerID":"p://1"}}`
		machine = `{"metadata":{"name":"m","namespace":"capi"},"spec":{"clusterName":"here","providerID":"p://%s"},"status":{"nodeRef":{"name":"n1"}}}`
		md      = `{"metadata":{"name":"%s","namespace":"capi"},"spec":{"clusterName":"%[1]s","template":{"metadata":{"labels":{"node-role.kubernetes.io/gpu":""}}}}}`
		yes     = "    NodePool gpu: yes\n"
		capi    = "    MachineDeployment capi/here: perhaps: its bootstrap template, which can add taints and labels, is not read\n"
	)
	lists := map[string]string{
		"nodepools":          `{"metadata":{"name":"gpu"},"spec":{"template":{"metadata":{"labels":{"node-role.kubernetes.io/gpu":""}}}}}`,
		"machinesets":        ``,
		"machinedeployments": fmt.Sprintf(md, "here") + "," + fmt.Sprintf(md, "there"),
	}
	const machineAPI, karpenter, openshift = "cluster.x-k8s.io/v1beta1 cluster.x-k8s.io/v1beta2", "karpenter.sh/v1", "machine.openshift.io/v1beta1"
	for name, test := range map[string]struct {
		served, providerID, forbidden string
		requests, want                string
	}{
		"none":              {"apps/v1", "1", "", "", "selects 0\n"},
		"Karpenter":         {karpenter, "1", "", "karpenter.sh/v1/nodepools", yes},
		"old Karpenter":     {"karpenter.sh/v1beta1", "1", "", "karpenter.sh/v1beta1/nodepools", yes},
		"OpenShift":         {openshift, "1", "", openshift + "/machinesets", "selects 0\n"},
		"its own cluster":   {machineAPI, "1", "", "cluster.x-k8s.io/v1beta2/machines cluster.x-k8s.io/v1beta2/machinedeployments cluster.x-k8s.io/v1beta2/machinesets", capi},
		"other clusters":    {machineAPI, "2", "", "cluster.x-k8s.io/v1beta2/machines cluster.x-k8s.io/v1beta2/machinedeployments cluster.x-k8s.io/v1beta2/machinesets", "selects 0\n"},
		"some are refused":  {karpenter + " " + openshift, "1", "machinesets", "karpenter.sh/v1/nodepools machine.openshift.io/v1beta1/machinesets", yes},
		"events are, too":   {karpenter, "1", "machinesets events", "karpenter.sh/v1/nodepools", yes},
		"without discovery": {"", "1", "", "", yes},
	} {
		t.Run(name, func(t *testing.T) {
			var requests []string
			s := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
				path, optional := strings.CutPrefix(r.URL.Path, "/apis/")
				resource := path[strings.LastIndex(path, "/")+1:]
				group := strings.TrimSuffix(path, "/"+resource)
				served := strings.Fields(test.served)
				switch {
				case slices.Contains(strings.Fields(test.forbidden), resource):
					requests = append(requests, path)
					failure(w, 403, "Forbidden", resource+" is forbidden")
				case resource == "nodes":
					list(w, "v1", "Node", "", node)
				case resource == "pods":
					list(w, "v1", "Pod", "", `{"metadata":{"name":"p","namespace":"default"},"spec":{"nodeSelector":{"node-role.kubernetes.io/gpu":""}}}`)
				case r.URL.Path == "/apis" && test.served != "":
					var groups []string
					for _, v := range served {
						groups = append(groups, fmt.Sprintf(`{"name":%q,"versions":[{"groupVersion":%q}]}`, v[:strings.Index(v, "/")], v))
					}
					fmt.Fprintf(w, `{"kind":"APIGroupList","groups":[%s]}`, strings.Join(groups, ","))
				case !optional || group == "apps/v1" || test.served != "" && !slices.Contains(served, group):
					return false
				case resource == "machines":
					requests = append(requests, path)
					list(w, group, "Machine", "", fmt.Sprintf(machine, test.providerID))
				default:
					requests = append(requests, path)
					kinds := map[string]string{"nodepools": "NodePool", "machinesets": "MachineSet", "machinedeployments": "MachineDeployment"}
					if kinds[resource] == "" {
						return false
					}
					list(w, group, kinds[resource], "", lists[resource])
				}
				return true
			})
			status, out, errOut := runWhy(t, s.URL, "")
			if status != 0 || !strings.Contains(out, test.want) || strings.Contains(out, "there") || strings.Count(errOut, "warning: ") != len(strings.Fields(test.forbidden))-strings.Count(test.forbidden, "machinesets events") || (test.want == "selects 0\n") == strings.Contains(out, "without such nodes") {
				t.Errorf("status %d\n%s%s", status, out, errOut)
			}
			if got := strings.Join(requests, " "); test.served != "" && !strings.Contains(test.forbidden, "events") && got != test.requests {
				t.Errorf("requests %q, want %q", got, test.requests)
			}
		})
	}
}

// What cannot be read of a pool is a warning, and of another cluster's nothing.
func TestWhy_poolsWrong(t *testing.T) {
	for cluster, want := range map[string]string{"here": "warning: the API server's /apis/cluster.x-k8s.io/v1beta2/machinedeployments: items[0] MachineDeployment capi/md: ", "there": ""} {
		s := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
			switch r.URL.Path {
			case "/apis":
				fmt.Fprint(w, `{"kind":"APIGroupList","groups":[{"name":"cluster.x-k8s.io","versions":[{"groupVersion":"cluster.x-k8s.io/v1beta2"}]}]}`)
			case "/api/v1/nodes":
				fmt.Fprint(w, `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"},"spec":{"providerID":"p://1"}}]}`)
			case "/apis/cluster.x-k8s.io/v1beta2/machines":
				fmt.Fprint(w, `{"kind":"MachineList","apiVersion":"cluster.x-k8s.io/v1beta2","items":[{"metadata":{"name":"m","namespace":"capi"},"spec":{"clusterName":"here","providerID":"p://1"},"status":{"nodeRef":{"name":"n1"}}}]}`)
			case "/apis/cluster.x-k8s.io/v1beta2/machinedeployments":
				fmt.Fprintf(w, `{"kind":"MachineDeploymentList","apiVersion":"cluster.x-k8s.io/v1beta2","items":[{"metadata":{"name":"md","namespace":"capi","annotations":{"capacity.cluster-autoscaler.kubernetes.io/taints":"a"}},"spec":{"clusterName":%q}}]}`, cluster)
			default:
				return false
			}
			return true
		})
		status, out, errOut := runWhy(t, s.URL, "")
		if status != 0 || strings.Contains(out, "MachineDeployment") || !strings.HasPrefix(errOut, want) || (errOut == "") != (want == "") {
			t.Errorf("%s: status %d\n%s%s", cluster, status, out, errOut)
		}
	}
}
