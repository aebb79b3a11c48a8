package kubernetes_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// An editReport is what these tests use of the output of taint, dedicate and undo in JSON.
type editReport struct {
	Warnings  []string
	Ended     int
	Workloads []struct {
		Replaced, Fits, FitsWithout int
		Later, Nowhere              string
	}
	Pods    []editPod
	Objects []struct{ Kept []string }
}

type editPod struct {
	Name, Effect      string
	Fits, FitsWithout int
}

// edit runs a command of the tool with -o json.
func edit(ctx context.Context, t *testing.T, status int, args ...string) (r editReport) {
	t.Helper()
	if err := json.Unmarshal([]byte(tool(ctx, t, status, nil, append(slices.Clone(args), "-o", "json")...)), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// create creates objects in YAML, until the end of the test.
func create(ctx context.Context, t *testing.T, yaml string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	shell(ctx, t, true, "kubectl create -f "+file)
	t.Cleanup(func() {
		shell(context.WithoutCancel(ctx), t, true, "kubectl delete --ignore-not-found --wait=false -f "+file)
	})
}

// startKubelets makes the pods of nodes run, until the end of the test.
func startKubelets(ctx context.Context, t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(ctx)
	pods := live.Client.CoreV1().Pods("default")
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			list, err := pods.List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName!=,status.phase=Pending"})
			for i := 0; err == nil && i < len(list.Items); i++ {
				_, err = pods.Patch(ctx, list.Items[i].Name, types.StrategicMergePatchType, []byte(`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`), metav1.PatchOptions{}, "status")
			}
			if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
				t.Error(err)
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	t.Cleanup(func() { stop(); running.Wait() })
}

// started starts a controller until the end of the test.
func started(t *testing.T, stop func(), err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
}

// placeable returns the nodes on which the scheduler places a pod with the spec, of one that it
// decides about for each node. Each has a name of its own, for its volumes.
func placeable(ctx context.Context, t *testing.T, name string, nodes []string, spec func(probe string) corev1.PodSpec) (list []string) {
	t.Helper()
	pods, probes := live.Client.CoreV1().Pods("default"), make([]*corev1.Pod, len(nodes))
	for i, node := range nodes {
		probes[i] = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name + "-on-" + node}, Spec: spec(name + "-on-" + node)}
	}
	catchUp(ctx, t)
	for i, node := range nodes {
		this := requirement("metadata.name", corev1.NodeSelectorOpIn, node)
		p := probes[i].DeepCopy() // the probes change it
		if a := p.Spec.Affinity; a == nil || a.NodeAffinity == nil {
			p.Spec.Affinity = terms(corev1.NodeSelectorTerm{MatchFields: this})
		} else {
			for i := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
				a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[i].MatchFields = this
			}
		}
		p.Spec.SchedulerName, p.Spec.NodeName, p.Spec.TerminationGracePeriodSeconds = upstream, "", new(int64)
		if _, err := pods.Create(ctx, p, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, node := range nodes {
		probe := name + "-on-" + node
		var placed bool
		await(ctx, t, "the scheduler has decided about "+probe, func() bool {
			p, err := pods.Get(ctx, probe, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			claim, err := live.Client.CoreV1().PersistentVolumeClaims("default").Get(ctx, "data-"+probe, metav1.GetOptions{})
			// A volume that the node decides about is provisioned before the pod is bound.
			placed = p.Spec.NodeName == node || err == nil && claim.Annotations["volume.kubernetes.io/selected-node"] == node
			return placed || refusal(p) != ""
		})
		if placed {
			list = append(list, node)
		}
		if err := pods.Delete(ctx, probe, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// What the preview of dedicate says happens: so many pods are replaced, and the scheduler
// places the new ones on so many nodes.
func TestEdit_dedicate(t *testing.T) {
	ctx := prepare(t)
	startKubelets(ctx, t)
	const update, all = "updateStrategy: ", "{type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 100%}}"
	apps, pods := live.Client.AppsV1(), live.Client.CoreV1().Pods("default")
	rest, now := live.Client.CoreV1().RESTClient(), metav1.DeleteOptions{}
	clear := func() {
		ctx := context.WithoutCancel(ctx)
		if err := errors.Join(apps.Deployments("default").DeleteCollection(ctx, now, metav1.ListOptions{}), apps.ReplicaSets("default").DeleteCollection(ctx, now, metav1.ListOptions{}),
			apps.StatefulSets("default").DeleteCollection(ctx, now, metav1.ListOptions{}), apps.ControllerRevisions("default").DeleteCollection(ctx, now, metav1.ListOptions{})); err != nil {
			t.Error(err)
		}
		fresh(ctx, t)
	}
	for _, tt := range []struct {
		name, kind, spec      string // fields of its spec
		replaced, fits, stays int    // pods, nodes that admit new ones, and old pods that only a deletion replaces
		later                 string
	}{
		{"one by one", "Deployment", "", 3, 2, 0, ""},
		{"stranded", "Deployment", "strategy: " + all, 3, 0, 0, ""},
		{"paused", "Deployment", "", 0, 2, 0, "it is paused"},
		{"ReplicaSet", "ReplicaSet", "", 0, 2, 1, "its controller does not replace them"},
		{"StatefulSet", "StatefulSet", update + "{type: RollingUpdate}", 3, 2, 0, ""},
		{"partition", "StatefulSet", update + "{type: RollingUpdate, rollingUpdate: {partition: 1}}", 2, 2, 0, ""},
		{"OnDelete", "StatefulSet", update + "{type: OnDelete}", 0, 2, 1, "its update strategy is OnDelete"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Cleanup(clear) // when the controllers, which replace what is deleted, do not run
			stop, err := live.StartWorkloads(ctx)
			started(t, stop, err)
			nodes, path := []string{"a", "b", "c"}, "/apis/apps/v1/namespaces/default/"+strings.ToLower(tt.kind)+"s"
			for _, node := range nodes {
				labelled(ctx, t, node, map[bool]string{true: "other:NoSchedule"}[tt.fits == 0 && node == "a"], nil)
			}
			if tt.fits == 0 {
				patchNode(ctx, t, "b", `{"spec":{"unschedulable":true}}`)
			}
			var object map[string]any
			err = utilyaml.Unmarshal(fmt.Appendf(nil, `{apiVersion: apps/v1, kind: %s, metadata: {name: web}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}},
  spec: {schedulerName: %s, terminationGracePeriodSeconds: 0, containers: [{name: c, image: example.com/none}]}}, %s}}`, tt.kind, upstream, tt.spec), &object)
			text, err2 := json.Marshal(object)
			if err := errors.Join(err, err2, rest.Post().AbsPath(path).SetHeader("Content-Type", "application/json").Body(text).Do(ctx).Error()); err != nil {
				t.Fatal(err)
			}
			workload := func() (w appsv1.ReplicaSet) { // the others have these fields, too
				text, err := rest.Get().AbsPath(path, "web").SetHeader("Accept", "application/json").DoRaw(ctx)
				if err := errors.Join(err, json.Unmarshal(text, &w)); err != nil {
					t.Fatal(err)
				}
				return w
			}
			list := func() map[types.UID]*corev1.Pod {
				list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
				if err != nil {
					t.Fatal(err)
				}
				pods := make(map[types.UID]*corev1.Pod)
				for i := range list.Items {
					pods[list.Items[i].UID] = &list.Items[i]
				}
				return pods
			}
			decided := func() bool { // about all pods
				n := 0
				for _, p := range list() {
					if p.Status.Phase == corev1.PodRunning || refusal(p) != "" {
						n++
					}
				}
				w := workload()
				return n == 3 && w.Status.ObservedGeneration == w.Generation
			}
			await(ctx, t, "the pods run", decided)
			if tt.name == "paused" {
				if err := rest.Patch(types.MergePatchType).AbsPath(path, "web").Body([]byte(`{"spec":{"paused":true}}`)).Do(ctx).Error(); err != nil {
					t.Fatal(err)
				}
			}
			old := list()
			gone := func() int {
				now, n := list(), 0
				for uid := range old {
					if now[uid] == nil {
						n++
					}
				}
				return n
			}
			template := func(string) corev1.PodSpec { return workload().Spec.Template.Spec }
			before := placeable(ctx, t, "before", nodes, template)
			args := []string{"dedicate", "a", "b", "pool=web", "--workload", strings.ToLower(tt.kind) + "/web"}
			w := edit(ctx, t, 0, args...).Workloads[0]
			if w.Replaced != tt.replaced || w.Later != tt.later || w.Fits != tt.fits || w.FitsWithout != len(before) || (w.Nowhere != "") != (tt.fits == 0) {
				t.Errorf("the preview: %+v, before %q", w, before)
			}
			if tt.fits == 0 {
				tool(ctx, t, 2, []string{"No node is left for new pods of deployment/web", "a: other:NoSchedule; b: cordoned", "nothing was changed, because no node is left for new pods"}, append(args, "--yes")...)
				if taints := nodeTaintsOf(ctx, t, "a"); taints != "other:NoSchedule" || gone() > 0 {
					t.Fatalf("it is changed: %s", taints)
				}
				args = append(args, "--force")
			}
			tool(ctx, t, 0, nil, append(args, "--yes")...)
			after := placeable(ctx, t, "after", nodes, template)
			if len(after) != tt.fits {
				t.Errorf("the scheduler places new pods on %q", after)
			}
			await(ctx, t, "the pods are replaced", func() bool { return gone() >= tt.replaced && decided() })
			for _, p := range old {
				if tt.stays == 0 {
					break
				}
				if err := pods.Delete(ctx, p.Name, metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
				await(ctx, t, "the deleted pod is replaced", func() bool { return gone() > 0 && decided() })
				break
			}
			if n := gone(); n != tt.replaced+tt.stays {
				t.Errorf("%d pods are replaced", n)
			}
			for uid, p := range list() {
				if old[uid] == nil && (tt.fits == 0) != (refusal(p) != "") || tt.fits > 0 && old[uid] == nil && !slices.Contains(after, p.Spec.NodeName) {
					t.Errorf("a new pod is on %q, want one of %q", p.Spec.NodeName, after)
				}
			}
		})
	}
}

// patchNode applies a merge patch to a node.
func patchNode(ctx context.Context, t *testing.T, name, patch string) {
	t.Helper()
	if _, err := live.Client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// A pod of the nodes of an app can be scheduled, with its volumes, to the nodes on which the
// scheduler places one like it.
func TestEdit_volumes(t *testing.T) {
	ctx := prepare(t)
	const zone, old = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
	nodes := []string{"a", "b", "old", "none"}
	labelled(ctx, t, "home", "", map[string]string{zone: "a", "home": "yes"})
	for i, labels := range []map[string]string{{zone: "a", "rack": "1"}, {zone: "b", "rack": "2"}, {old: "a"}, nil} {
		labelled(ctx, t, nodes[i], "", labels)
	}
	create(ctx, t, `
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: now}, provisioner: example.com/none}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: anywhere}, provisioner: example.com/none, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: topologies}, provisioner: example.com/none, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: [
  {matchLabelExpressions: [{key: `+zone+`, values: [a]}, {key: rack, values: ["2", "3"]}]}, {matchLabelExpressions: [{key: `+zone+`, values: [b]}]}]}
`)
	affinity := func(terms string) string { return "nodeAffinity: {required: {nodeSelectorTerms: [" + terms + "]}}" }
	in := func(key, values string) string {
		return "{matchExpressions: [{key: " + key + ", operator: In, values: [" + values + "]}]}"
	}
	const any = "persistentVolumeReclaimPolicy: Retain"
	for _, tt := range []struct {
		name, claim, volume string // the claim's state or class, and fields of the volume's spec
		labels              string // of the volume
		pod                 *corev1.Affinity
		want                string // nodes
	}{
		{"affinity", "bound", affinity(in(zone, "a")), "", nil, "a"},
		{"affinity-or", "bound", affinity(in("rack", `"1"`) + "," + in(old, "a")), "", nil, "a old"},
		{"affinity-name", "bound", affinity("{matchFields: [{key: metadata.name, operator: In, values: [none]}]}"), "", nil, "a b old none"},
		{"affinity-both", "bound", affinity(in(zone, "a, b")), "", terms(corev1.NodeSelectorTerm{MatchExpressions: requirement("rack", corev1.NodeSelectorOpIn, "2")}, corev1.NodeSelectorTerm{MatchExpressions: requirement(old, corev1.NodeSelectorOpIn, "a")}), "b"},
		{"affinity-labels", "bound", affinity(in(zone, "a, b")), zone + ": b", nil, "b"},
		{"any", "bound", any, "", nil, "a b old none"},
		{"labels", "bound", any, zone + ": a", nil, "a none"},
		{"labels-two", "bound", any, zone + ": a__b", nil, "a b none"},
		{"labels-old", "bound", any, old + ": a", nil, "a old none"},
		{"immediate", "now", "", "", nil, ""},
		{"no-class", "nobody", "", "", nil, ""},
		{"anywhere", "anywhere", "", "", nil, "a b old none"},
		{"topologies", "topologies", "", "", nil, "b"},
		{"lost", "lost", "", "", nil, ""},
		{"no-claim", "none", "", "", nil, ""},
		{"prebound", "prebound", any, "", nil, ""},
		{"deleted", "deleted", any, "", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := func(name string) corev1.PodSpec {
				createVolume(ctx, t, name, tt.claim, tt.volume, tt.labels)
				p := unpinned("", "nobody", nil).Spec
				p.Affinity, p.TerminationGracePeriodSeconds = tt.pod, new(int64)
				p.Volumes = volumesOf(name)
				return p
			}
			want := strings.Fields(tt.want)
			if got := placeable(ctx, t, tt.name, nodes, spec); !slices.Equal(got, want) {
				t.Errorf("the scheduler places it on %q, want %q", got, want)
			}
			p := &corev1.Pod{Spec: spec(tt.name)}
			pods := live.Client.CoreV1().Pods("default")
			for name, node := range map[string]string{"waits": "", "runs": "home"} {
				p.Name, p.Spec.NodeName = name, node
				if _, err := pods.Create(ctx, p, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
				defer pods.Delete(ctx, name, metav1.DeleteOptions{})
			}
			var got []string
			g := why(ctx, t, "waits").PodGroups[0]
			for _, n := range g.NodeGroups {
				if n.Admitted {
					got = append(got, n.Names...)
				}
			}
			got = slices.DeleteFunc(got, func(node string) bool { return node == "home" })
			slices.SortFunc(got, func(a, b string) int { return slices.Index(nodes, a) - slices.Index(nodes, b) })
			if !slices.Equal(got, want) || len(g.NotJudged) > 0 {
				t.Errorf("why: %q, want %q; not judged: %q", got, want, g.NotJudged)
			}
			r := edit(ctx, t, 0, "taint", "home", "x:NoExecute")
			i := slices.IndexFunc(r.Pods, func(p editPod) bool { return p.Name == "runs" })
			if i < 0 || r.Pods[i].Effect != "evicted now" || r.Pods[i].Fits != len(want) {
				t.Errorf("taint: %+v, want %q", r.Pods, want)
			}
		})
	}
}

// catchUp returns when the scheduler knows what was written before of nodes, classes, claims and
// volumes. It hears of each kind in order, but a pod can come to it before an older object of another kind.
// So the last object of each kind is one that a pod here needs.
func catchUp(ctx context.Context, t *testing.T) {
	t.Helper()
	t.Cleanup(func() { removeVolumes(context.WithoutCancel(ctx), t) })
	name, core := "marker-"+strings.ToLower(rand.Text()), live.Client.CoreV1()
	createNode(ctx, t, name, nil)
	_, err := live.Client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name},
		Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer)}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	createVolume(ctx, t, name, name, "storageClassName: "+name, "")
	p := pinned(name, upstream, name, nil)
	p.Name, p.Spec.TerminationGracePeriodSeconds, p.Spec.Volumes = name, new(int64), volumesOf(name)
	if _, err := core.Pods("default").Create(ctx, p, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "the scheduler binds the volume of "+name, func() bool {
		v, err := core.PersistentVolumes().Get(ctx, "pv-"+name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return v.Spec.ClaimRef.UID != ""
	})
	if err := errors.Join(core.Pods("default").Delete(ctx, name, metav1.DeleteOptions{}), core.Nodes().Delete(ctx, name, metav1.DeleteOptions{}),
		live.Client.StorageV1().StorageClasses().Delete(ctx, name, metav1.DeleteOptions{})); err != nil {
		t.Fatal(err)
	}
}

// createVolume creates the claim data-name: of a class, or bound to a volume with these fields,
// or not quite.
func createVolume(ctx context.Context, t *testing.T, name, claim, fields, labels string) {
	t.Helper()
	var v corev1.PersistentVolume
	var c corev1.PersistentVolumeClaim
	if claim == "none" {
		return
	}
	err := utilyaml.Unmarshal([]byte(`{metadata: {annotations: {}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`), &c)
	c.Name, c.Annotations = "data-"+name, make(map[string]string)
	switch claim {
	case "bound", "deleted", "lost":
		c.Annotations["pv.kubernetes.io/bind-completed"] = "yes"
		c.Status.Phase = corev1.ClaimBound
		fallthrough
	case "prebound":
		c.Spec.StorageClassName, c.Spec.VolumeName = new(string), "pv-"+name
	default:
		c.Spec.StorageClassName = &claim
	}
	volumes, claims := live.Client.CoreV1().PersistentVolumes(), live.Client.CoreV1().PersistentVolumeClaims("default")
	if fields != "" {
		err = errors.Join(err, utilyaml.Unmarshal(fmt.Appendf(nil, "{metadata: {labels: {%s}}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], csi: {driver: example.com, volumeHandle: x}, claimRef: {namespace: default, name: data-%s}, %s}}", labels, name, fields), &v))
		v.Name = "pv-" + name
		created, err2 := volumes.Create(ctx, &v, metav1.CreateOptions{})
		if err = errors.Join(err, err2); err2 == nil {
			created.Status.Phase = corev1.VolumeBound
			_, err2 = volumes.UpdateStatus(ctx, created, metav1.UpdateOptions{})
		}
		err = errors.Join(err, err2)
	}
	created, err2 := claims.Create(ctx, &c, metav1.CreateOptions{})
	if err = errors.Join(err, err2); err == nil && c.Status.Phase != "" {
		created.Status.Phase = c.Status.Phase
		_, err = claims.UpdateStatus(ctx, created, metav1.UpdateOptions{})
	}
	if err == nil && claim == "deleted" {
		err = claims.Delete(ctx, c.Name, metav1.DeleteOptions{}) // it is protected
	}
	if err != nil {
		t.Fatal(err)
	}
}

// volumesOf returns the volumes of a pod with the claim that createVolume creates.
func volumesOf(name string) []corev1.Volume {
	return []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-" + name}}}}
}

// removeVolumes deletes the claims and volumes, which no controller does.
func removeVolumes(ctx context.Context, t *testing.T) {
	free := []byte(`{"metadata":{"finalizers":null}}`)
	volumes, claims := live.Client.CoreV1().PersistentVolumes(), live.Client.CoreV1().PersistentVolumeClaims("default")
	list, err := claims.List(ctx, metav1.ListOptions{})
	for i := 0; err == nil && i < len(list.Items); i++ {
		_, err = claims.Patch(ctx, list.Items[i].Name, types.MergePatchType, free, metav1.PatchOptions{})
	}
	all, err2 := volumes.List(ctx, metav1.ListOptions{})
	for i := 0; err2 == nil && i < len(all.Items); i++ {
		_, err2 = volumes.Patch(ctx, all.Items[i].Name, types.MergePatchType, free, metav1.PatchOptions{})
	}
	if err := errors.Join(err, err2, claims.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}), volumes.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})); err != nil {
		t.Error(err)
	}
}

// What why and taint say that pods request too much of, the scheduler does not find for all of
// them; if they say nothing here, it places all.
func TestEdit_requests(t *testing.T) {
	ctx := prepare(t)
	pods := live.Client.CoreV1().Pods("default")
	labelled(ctx, t, "a", "", nil) // 64 CPUs and 256 Gi each
	labelled(ctx, t, "b", "", nil)
	catchUp(ctx, t)
	stop, err := live.StartWorkloads(ctx)
	started(t, stop, err)
	stop, err = live.StartEvictor(ctx)
	started(t, stop, err)
	container := func(requests string) string {
		return "{name: c, image: example.com/none, resources: {requests: {" + requests + "}, limits: {" + requests + "}}"
	}
	make := func(name, node, spec string) *corev1.Pod {
		p := new(corev1.Pod)
		if err := utilyaml.Unmarshal(fmt.Appendf(nil, "{metadata: {name: %s}, spec: {schedulerName: %s, terminationGracePeriodSeconds: 0, %s}}", name, upstream, spec), p); err != nil {
			t.Fatal(err)
		}
		if p.Spec.NodeName = node; node == "" {
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
		}
		p, err := pods.Create(ctx, p, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	make("busy", "a", "containers: ["+container("cpu: 4")+"}]")
	ended := make("ended", "b", "containers: ["+container("cpu: 60")+"}]")
	ended.Status.Phase = corev1.PodSucceeded
	if _, err := pods.UpdateStatus(ctx, ended, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, spec string
		pods       int
		lacks      string
	}{
		{"fits", "containers: [" + container("cpu: 30") + "}]", 4, ""},
		{"cpu", "containers: [" + container("cpu: 30") + "}]", 5, "150 cpu (at most 124 free)"},
		{"memory", "containers: [" + container("memory: 100Gi") + "}]", 6, "600Gi memory (at most 512Gi free)"},
		{"init", "initContainers: [" + strings.Replace(container("cpu: 50"), "c,", "i,", 1) + "}], containers: [" + container("cpu: 1") + "}]", 3, "150 cpu (at most 124 free)"},
		{"sidecar", "initContainers: [" + strings.Replace(container("cpu: 25"), "c,", "i,", 1) + ", restartPolicy: Always}], containers: [" + container("cpu: 25") + "}]", 3, "150 cpu (at most 124 free)"},
		{"of the pod", "resources: {requests: {cpu: 50}}, containers: [" + container("cpu: 1") + "}]", 3, "150 cpu (at most 124 free)"},
		{"device", "containers: [" + container("example.com/x: 1") + "}]", 1, "1 example.com/x (at most 0 free)"},
	} {
		var names []string
		for i := range tt.pods {
			names = append(names, make(fmt.Sprintf("p-%d", i), "", tt.spec).Name)
		}
		if g := why(ctx, t).PodGroups; len(g) != 1 || g[0].Lacks != tt.lacks {
			t.Errorf("%s: %+v, want %q", tt.name, g, tt.lacks)
		}
		insufficient := 0
		for _, name := range names {
			if _, err := pods.Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"schedulingGates":null}}`), metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range names {
			if nodeOf(ctx, t, name) == "" {
				insufficient++
				p, err := pods.Get(ctx, name, metav1.GetOptions{})
				if err != nil || !strings.Contains(refusal(p), "Insufficient ") {
					t.Errorf("%s: %v, %s", tt.name, err, refusal(p))
				}
			}
		}
		if (insufficient > 0) != (tt.lacks != "") {
			t.Errorf("%s: %d pods are pending", tt.name, insufficient)
		}
		for _, name := range names {
			if err := pods.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}

	create(ctx, t, fmt.Sprintf(`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: large}, spec: {replicas: 2, selector: {matchLabels: {app: large}}, template: {metadata: {labels: {app: large}},
  spec: {schedulerName: %s, terminationGracePeriodSeconds: 0, containers: [%s}]}}}}`, upstream, container("cpu: 40")))
	large := func() (bound, refused int) {
		list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=large"})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list.Items {
			if strings.Contains(refusal(&p), "Insufficient cpu") {
				refused++
			} else if p.Spec.NodeName != "" {
				bound++
			}
		}
		return bound, refused
	}
	await(ctx, t, "one pod is on each node", func() bool { bound, _ := large(); return bound == 2 })
	tool(ctx, t, 0, []string{" requests more than the nodes that admit them have free: 40 cpu (at most 20 free)\n"}, "taint", "b", "x:NoExecute")
	tool(ctx, t, 0, nil, "taint", "b", "x:NoExecute", "--yes")
	await(ctx, t, "the new pod is pending", func() bool { bound, refused := large(); return bound == 1 && refused == 1 })
	if err := live.Client.AppsV1().ReplicaSets("default").Delete(ctx, "large", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// undone returns the labels and the spec of the objects of TestEdit_undo.
func undone(ctx context.Context, t *testing.T) map[string]any {
	t.Helper()
	state := make(map[string]any)
	for _, name := range []string{"a", "b"} {
		n, err := live.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(n.Spec.Taints, func(a, b corev1.Taint) int { return strings.Compare(a.ToString(), b.ToString()) })
		state[name] = []any{n.Labels, n.Spec}
	}
	d, err := live.Client.AppsV1().Deployments("default").Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	state["web"] = []any{d.Labels, d.Spec}
	text, err := json.Marshal(state) // with the times as the API server writes them
	if err := errors.Join(err, json.Unmarshal(text, &state)); err != nil {
		t.Fatal(err)
	}
	return state
}

// Undo restores taints with their times, labels, tolerations and affinities, except what
// another has changed since.
func TestEdit_undo(t *testing.T) {
	ctx := prepare(t)
	labelled(ctx, t, "a", "", map[string]string{"pool": "old", "x": "y"})
	labelled(ctx, t, "b", "", nil)
	patchNode(ctx, t, "a", `{"spec":{"taints":[{"key":"old","value":"1","effect":"NoExecute","timeAdded":"2026-01-02T03:04:05Z"},{"key":"gone","effect":"NoExecute","timeAdded":"2026-02-03T04:05:06Z"},{"key":"stays","effect":"NoSchedule"}]}}`)
	create(ctx, t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}},
  spec: {tolerations: [{key: old, operator: Exists}, {key: new, operator: Exists}, {key: stays, operator: Exists}], affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: x, labelSelector: {matchLabels: {app: web}}}}]}},
  containers: [{name: c, image: example.com/none}]}}}}`)
	before, dir := undone(ctx, t), t.TempDir()
	taints, dedication := filepath.Join(dir, "taints it.json"), filepath.Join(dir, "dedication.json")
	apply := func() {
		tool(ctx, t, 0, []string{"to undo it: kubectl tolerate undo '" + taints + "'\n"}, "taint", "a", "b", "old=2:NoExecute", "gone-", "new=1:NoExecute", "--overwrite", "--yes", "--report", taints)
		tool(ctx, t, 0, nil, "dedicate", "a", "b", "pool=web", "--overwrite", "--workload", "deployment/web", "--yes", "--report", dedication)
	}
	apply()
	if after := undone(ctx, t); reflect.DeepEqual(after["a"], before["a"]) || reflect.DeepEqual(after["b"], before["b"]) || reflect.DeepEqual(after["web"], before["web"]) {
		t.Fatal("nothing is changed")
	}
	tool(ctx, t, 2, []string{"file exists"}, "taint", "a", "z:NoSchedule", "--yes", "--report", taints)
	for _, report := range []string{dedication, taints} {
		tool(ctx, t, 0, []string{"nothing was changed"}, "undo", report)
		tool(ctx, t, 0, nil, "undo", report, "--yes")
		tool(ctx, t, 0, []string{"nothing to do"}, "undo", report, "--yes")
	}
	if got := undone(ctx, t); !reflect.DeepEqual(got, before) {
		t.Errorf("restored to\n%v, want\n%v", got, before)
	}

	for _, report := range []string{dedication, taints} {
		if err := os.Remove(report); err != nil {
			t.Fatal(err)
		}
	}
	apply()
	shell(ctx, t, true, "kubectl taint nodes a other=1:NoSchedule && kubectl taint nodes b --overwrite new=2:NoExecute && kubectl label nodes b --overwrite pool=mine && kubectl label nodes a mine=1")
	tolerations := `[{"op":"add","path":"/spec/template/spec/tolerations/-","value":{"key":"mine","operator":"Exists"}}]`
	shell(ctx, t, true, "kubectl patch deployment web --type json -p '"+tolerations+"'")
	changed := undone(ctx, t)
	kept := make(map[string]bool)
	for _, report := range []string{dedication, taints} {
		for _, o := range edit(ctx, t, 0, "undo", report, "--yes").Objects {
			for _, text := range o.Kept {
				kept[text] = true
			}
		}
	}
	if want := map[string]bool{"label pool": true, "tolerations": true, "taint new:NoExecute": true}; !maps.Equal(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
	if a, b := nodeTaintsOf(ctx, t, "a"), nodeTaintsOf(ctx, t, "b"); !strings.Contains(a, "other=1:NoSchedule") || !strings.Contains(a, "old=1:NoExecute") || strings.Contains(a, "new") || b != "new=2:NoExecute" {
		t.Errorf("a has %s, b has %s", a, b)
	}
	field := func(state map[string]any, name string) any {
		spec := state["web"].([]any)[1].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
		return spec[name]
	}
	got := undone(ctx, t)
	if !reflect.DeepEqual(field(got, "tolerations"), field(changed, "tolerations")) || !reflect.DeepEqual(field(got, "affinity"), field(before, "affinity")) {
		t.Errorf("the template is %v", got["web"])
	}
	if labels := got["b"].([]any)[0].(map[string]any); labels["pool"] != "mine" {
		t.Errorf("labels %v", labels)
	}
}

// Two operators taint the same nodes at once: nothing is lost, and what failed succeeds with
// the command that is printed.
func TestEdit_operators(t *testing.T) {
	ctx := prepare(t)
	for i := range 20 {
		labelled(ctx, t, fmt.Sprintf("n-%02d", i), "", map[string]string{"pool": "it"})
	}
	var both, running sync.WaitGroup // both have read the nodes
	both.Add(2)
	outputs, failed := make([]string, 2), 0
	for i, edit := range []string{"first=1:NoSchedule", "second=2:NoExecute"} {
		var once sync.Once
		kubeconfig := proxy(t, func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPatch {
				once.Do(func() { both.Done(); both.Wait() })
			}
			return false
		})
		c := toolCommand(ctx, t, "taint", "-l", "pool in (it, x)", edit, "--yes", "--report", filepath.Join(t.TempDir(), "report.json"))
		c.Env = append(c.Env, "KUBECONFIG="+kubeconfig)
		running.Go(func() {
			out, _ := c.CombinedOutput()
			outputs[i] = string(out)
		})
	}
	running.Wait()
	for _, out := range outputs {
		t.Log(out)
		if _, command, ok := strings.Cut(out, "\nto finish, run: "); ok {
			command, _, _ = strings.Cut(command, "\n")
			shell(ctx, t, true, command)
			failed++
		}
	}
	if failed == 0 {
		t.Error("nothing failed: too little for a conclusion")
	}
	for i := range 20 {
		if taints := strings.Split(nodeTaintsOf(ctx, t, fmt.Sprintf("n-%02d", i)), ","); len(taints) != 2 || !slices.Contains(taints, "first=1:NoSchedule") || !slices.Contains(taints, "second=2:NoExecute") {
			t.Errorf("node %d has %q", i, taints)
		}
	}
}

// Warnings name exactly the changes that the node lifecycle controller undoes.
func TestEdit_lifecycle(t *testing.T) {
	ctx := prepare(t)
	labelled(ctx, t, "alive", "", nil)
	labelled(ctx, t, "lost", "", nil)
	beating, end := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		for beating.Err() == nil {
			if err := beat(beating, "alive"); err != nil && beating.Err() == nil {
				t.Error(err)
			}
			time.Sleep(200 * time.Millisecond)
		}
	})
	defer func() { end(); running.Wait() }()
	stop, err := live.StartNodeLifecycle(ctx)
	started(t, stop, err)
	const unreachable, cordoned = "node.kubernetes.io/unreachable", "node.kubernetes.io/unschedulable"
	both := func(since metav1.Time) bool { // added at the time or later
		n, err := live.Client.CoreV1().Nodes().Get(ctx, "lost", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, x := range n.Spec.Taints {
			if x.Key == unreachable && x.TimeAdded != nil && !x.TimeAdded.Time.Before(since.Time) {
				count++
			}
		}
		return count == 2
	}
	await(ctx, t, "the controller finds one node unreachable", func() bool { return both(metav1.Time{}) && nodeTaintsOf(ctx, t, "alive") == "" })
	undoes := func(args ...string) string {
		t.Helper()
		for _, text := range edit(ctx, t, 0, append([]string{"taint"}, args...)...).Warnings {
			if strings.Contains(text, "undoes this") {
				return text
			}
		}
		return ""
	}
	if text := undoes("lost", unreachable+"-"); text != "lost: the node lifecycle controller sets "+unreachable+" by the node's conditions, and undoes this; repair the node" {
		t.Errorf("warning %q", text)
	}
	if text := undoes("alive", cordoned+":NoSchedule"); text != "alive: the node lifecycle controller undoes this; use kubectl cordon or kubectl uncordon" {
		t.Errorf("warning %q", text)
	}
	if text := undoes("alive", "lost", "x:NoSchedule"); text != "" {
		t.Errorf("warning %q", text)
	}
	time.Sleep(time.Second) // the unit of the times
	now := metav1.Now()
	tool(ctx, t, 0, nil, "taint", "alive", "lost", "x:NoSchedule", "--yes")
	tool(ctx, t, 0, nil, "taint", "lost", unreachable+"-", "--yes")
	tool(ctx, t, 0, nil, "taint", "alive", cordoned+":NoSchedule", "--yes")
	await(ctx, t, "the controller adds the taints again", func() bool { return both(metav1.NewTime(now.Truncate(time.Second))) })
	await(ctx, t, "the controller removes the taint of a cordon", func() bool { return nodeTaintsOf(ctx, t, "alive") == "x:NoSchedule" })
	shell(ctx, t, true, "kubectl cordon alive")
	await(ctx, t, "the controller adds the taint of the cordon", func() bool { return strings.Contains(nodeTaintsOf(ctx, t, "alive"), cordoned) })
	if text := undoes("alive", cordoned+"-"); text == "" {
		t.Error("no warning about a cordon")
	}
	tool(ctx, t, 0, nil, "taint", "alive", cordoned+"-", "--yes")
	await(ctx, t, "the controller adds the taint of the cordon again", func() bool { return strings.Contains(nodeTaintsOf(ctx, t, "alive"), cordoned) })
}

// The controller of evictions deletes as many ended pods as the preview says.
func TestEdit_ended(t *testing.T) {
	ctx := prepare(t)
	pods := live.Client.CoreV1().Pods("default")
	labelled(ctx, t, "a", "", nil)
	labelled(ctx, t, "b", "", nil)
	second := int64(1)
	for _, tt := range []struct {
		name, node string
		phase      corev1.PodPhase
		toleration corev1.Toleration
	}{
		{"done", "a", corev1.PodSucceeded, corev1.Toleration{Key: "y", Operator: corev1.TolerationOpExists}},
		{"failed", "a", corev1.PodFailed, corev1.Toleration{Key: "x", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}},
		{"later", "a", corev1.PodSucceeded, corev1.Toleration{Key: "x", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &second}},
		{"tolerates", "a", corev1.PodFailed, corev1.Toleration{Operator: corev1.TolerationOpExists}},
		{"elsewhere", "b", corev1.PodFailed, corev1.Toleration{Key: "y", Operator: corev1.TolerationOpExists}},
		{"runs", "a", corev1.PodRunning, corev1.Toleration{Key: "y", Operator: corev1.TolerationOpExists}},
	} {
		p := unpinned("", upstream, nil)
		p.Name, p.Spec.NodeName, p.Spec.Tolerations, p.Spec.TerminationGracePeriodSeconds = tt.name, tt.node, []corev1.Toleration{tt.toleration}, new(int64)
		created, err := pods.Create(ctx, p, metav1.CreateOptions{})
		if err == nil {
			created.Status.Phase = tt.phase
			_, err = pods.UpdateStatus(ctx, created, metav1.UpdateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	stop, err := live.StartEvictor(ctx)
	started(t, stop, err)
	r := edit(ctx, t, 0, "taint", "a", "x=1:NoExecute")
	if len(r.Pods) != 1 || r.Pods[0].Name != "runs" || !slices.Contains(r.Warnings, fmt.Sprintf("%d ended pods are deleted too, with their logs", r.Ended)) {
		t.Errorf("%+v", r)
	}
	tool(ctx, t, 0, nil, "taint", "a", "x=1:NoExecute", "--yes")
	var left []string
	await(ctx, t, "pods are deleted", func() bool {
		list, err := pods.List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		left = nil
		for _, p := range list.Items {
			left = append(left, p.Name)
		}
		return !slices.Contains(left, "runs") && !slices.Contains(left, "later")
	})
	if want := []string{"elsewhere", "tolerates"}; !slices.Equal(left, want) || r.Ended != 3 {
		t.Errorf("%q are left, want %q; the preview: %d are deleted", left, want, r.Ended)
	}
}

// A preview says what the API server would refuse, and changes nothing.
func TestEdit_refused(t *testing.T) {
	ctx := prepare(t)
	labelled(ctx, t, "a", "", nil)
	create(ctx, t, `
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: taints}, spec: {
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [nodes]}]},
  validations: [{expression: "!has(object.spec.taints) || object.spec.taints.all(t, t.key != 'refused')", message: the key is not for you}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: taints}, spec: {policyName: taints, validationActions: [Deny]}}
`)
	nodes := live.Client.CoreV1().Nodes()
	await(ctx, t, "the policy is enforced", func() bool {
		_, err := nodes.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"taints":[{"key":"refused","effect":"NoSchedule"}]}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.IsInvalid(err)
	})
	version := func() string {
		n, err := nodes.Get(ctx, "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return n.ResourceVersion
	}
	before := version()
	tool(ctx, t, 2, []string{"Warning: the API server would refuse this: ", "the key is not for you", "nothing was changed, and the API server would refuse the change"}, "taint", "a", "refused:NoSchedule")
	tool(ctx, t, 2, []string{"the key is not for you", "1 failed"}, "taint", "a", "refused:NoSchedule", "--yes")
	tool(ctx, t, 0, []string{"nothing was changed; to apply it, add --yes"}, "taint", "a", "permitted:NoSchedule")
	if after := version(); after != before {
		t.Error("the node is changed")
	}
}
