package kubernetes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// serve makes the API server serve a kind of a namespace or the cluster, whose fields are not
// checked, until the test ends. It returns the path of its objects.
func serve(ctx context.Context, t *testing.T, group, version, kind, namespace string) string {
	t.Helper()
	plural, scope, in := strings.ToLower(kind)+"s", "Cluster", ""
	if namespace != "" {
		scope, in = "Namespaced", "namespaces/"+namespace+"/"
	}
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	client := live.Client.CoreV1().RESTClient()
	body := fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%[1]s.%[2]s","annotations":{"api-approved.kubernetes.io":"unapproved"}},
		"spec":{"group":%[2]q,"scope":%[3]q,"names":{"plural":%[1]q,"kind":%[4]q,"listKind":"%[4]sList"},
		"versions":[{"name":%[5]q,"served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`, plural, group, scope, kind, version)
	if err := client.Post().AbsPath(definitions).SetHeader("Content-Type", "application/json").Body([]byte(body)).Do(ctx).Error(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Delete().AbsPath(definitions, plural+"."+group).Do(context.Background()).Error(); err != nil {
			t.Error(err)
		}
	})
	path := "/apis/" + group + "/" + version + "/" + in + plural
	await(ctx, t, path+" is served", func() bool {
		groups, err := client.Get().AbsPath("/apis").SetHeader("Accept", "application/json").DoRaw(ctx)
		return err == nil && strings.Contains(string(groups), `"`+group+"/"+version+`"`) && client.Get().AbsPath(path).Do(ctx).Error() == nil
	})
	return path
}

// Pools without nodes are read where the API server serves their kinds. A MachineDeployment
// describes this cluster only if one of its cluster's machines is a node here.
func TestWhy_pools(t *testing.T) {
	ctx := prepare(t)
	labelled(ctx, t, "n-0", "", map[string]string{"pool": "cpu"})
	patchNode(ctx, t, "n-0", `{"spec":{"providerID":"cloud://1"}}`)
	waiting(ctx, t, "train", "", map[string]string{"pool": "gpu"})
	if node := nodeOf(ctx, t, "train"); node != "" {
		t.Fatalf("bound to %s", node)
	}
	if out := tool(ctx, t, 0, []string{"pool=gpu: no node has it; 1 node has pool=cpu"}, "why"); strings.Contains(out, "pools") {
		t.Error("pools without their kinds")
	}
	create := func(path, body string) {
		t.Helper()
		if err := live.Client.CoreV1().RESTClient().Post().AbsPath(path).SetHeader("Content-Type", "application/json").Body([]byte(body)).Do(ctx).Error(); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	create(serve(ctx, t, "karpenter.sh", "v1", "NodePool", ""), `{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"gpu"},"spec":{"template":{"metadata":{"labels":{"pool":"gpu"}},"spec":{"taints":[{"key":"nvidia.com/gpu","value":"present","effect":"NoSchedule"}]}}}}`)
	create(serve(ctx, t, "machine.openshift.io", "v1beta1", "MachineSet", "default"), `{"apiVersion":"machine.openshift.io/v1beta1","kind":"MachineSet","metadata":{"name":"gpu"},"spec":{"template":{"spec":{"metadata":{"labels":{"pool":"gpu"}}}}}}`)
	texts := []string{"    MachineSet default/gpu: yes\n", "    NodePool gpu: no, these taints are not tolerated:\n      nvidia.com/gpu=present:NoSchedule is not tolerated: no toleration has its key; to add: {"}
	tool(ctx, t, 0, texts, "why")

	of := serve(ctx, t, "cluster.x-k8s.io", "v1beta2", "Machine", "default")
	create(serve(ctx, t, "cluster.x-k8s.io", "v1beta2", "MachineDeployment", "default"), `{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineDeployment","metadata":{"name":"md","annotations":{"capacity.cluster-autoscaler.kubernetes.io/labels":"pool=gpu"}},"spec":{"clusterName":"c"}}`)
	serve(ctx, t, "cluster.x-k8s.io", "v1beta2", "MachineSet", "default")
	if out := tool(ctx, t, 0, texts, "why", "-A"); strings.Contains(out, "MachineDeployment") {
		t.Error("of another cluster")
	}
	create(of, `{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine","metadata":{"name":"m"},"spec":{"clusterName":"c","providerID":"cloud://1"},"status":{"nodeRef":{"name":"n-0"}}}`)
	create("/api/v1/namespaces/default/events", `{"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"involvedObject":{"kind":"Pod","namespace":"default","name":"train"},"reason":"NotTriggerScaleUp","source":{"component":"cluster-autoscaler"},"message":"no group fits","lastTimestamp":"`+time.Now().UTC().Format(time.RFC3339)+`"}`)
	out := tool(ctx, t, 0, append(texts, "    MachineDeployment default/md: perhaps: its bootstrap template, which can add taints and labels, is not read\n", "NotTriggerScaleUp (cluster-autoscaler) at "), "why", "train", "-o", "wide")
	if strings.Contains(out, "warning") {
		t.Error(out)
	}
	var report struct {
		PodGroups []struct {
			Pools      []struct{ Admits string }
			Autoscaler struct{ Reason string }
		}
	}
	if err := json.Unmarshal([]byte(tool(ctx, t, 0, nil, "why", "train", "-o", "json")), &report); err != nil || fmt.Sprint(report.PodGroups) != "[{[{yes} {perhaps} {no}] {NotTriggerScaleUp}}]" {
		t.Errorf("%v: %+v", err, report)
	}
	// A node of the pool: with what is printed, the pod is scheduled.
	labelled(ctx, t, "gpu-0", "nvidia.com/gpu=present:NoSchedule", map[string]string{"pool": "gpu", "karpenter.sh/nodepool": "gpu"})
	out = tool(ctx, t, 0, []string{"gpu-0\n"}, "why", "train")
	if strings.Contains(out, "NodePool gpu") {
		t.Error("the pool has a node")
	}
	add(ctx, t, "train", out)
	awaitNode(ctx, t, "train", "gpu-0")
}
