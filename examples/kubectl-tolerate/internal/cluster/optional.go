package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
)

// optional are the kinds that are not on every API server, with the versions that are read.
var optional = []struct {
	group    string
	versions []string
	kinds    []string
	ofPods   bool // they are in the namespaces of pods
}{
	{"resource.k8s.io", []string{"v1", "v1beta2"}, []string{"ResourceClaim", "ResourceClaimTemplate"}, true},
	{"resource.k8s.io", []string{"v1", "v1beta2"}, []string{"ResourceSlice"}, false},
	{"resource.k8s.io", []string{"v1", "v1beta2", "v1alpha3"}, []string{"DeviceTaintRule"}, false},
	{"karpenter.sh", []string{"v1", "v1beta1"}, []string{"NodePool"}, false},
	{"machine.openshift.io", []string{"v1beta1"}, []string{"MachineSet"}, false},
	{"cluster.x-k8s.io", []string{"v1beta2", "v1beta1"}, []string{"Machine", "MachineDeployment", "MachineSet"}, false}, // in this order
}

// optional adds an object of the kinds that are not on every API server, and reports whether
// it is one.
func (r *reader) optional(o *objects.Object) bool {
	group, version, _ := strings.Cut(o.APIVersion, "/")
	for _, k := range optional {
		switch {
		case !r.Waiting || k.group != group || !slices.Contains(k.versions, version) || !slices.Contains(k.kinds, o.Kind):
			continue
		case group == "resource.k8s.io":
			r.device(o)
		case o.Kind == "Machine":
			r.machine(o)
		default:
			r.pool(o)
		}
		return true
	}
	return r.Waiting && group == "resource.k8s.io" && o.Kind == "DeviceClass" // its selectors are not evaluated
}

// Limits of what is read of these kinds from the API server.
const (
	maxObjects = 50_000 // of a kind
	maxReading = 20 * time.Second
)

// limited calls read with a client of the API server, for so long at most. What it cannot read is a
// warning, so the error is that of the client or of the whole context.
func limited(whole context.Context, env *cli.Env, most time.Duration, read func(context.Context, rest.Interface)) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(whole, most)
	defer cancel()
	read(ctx, client)
	return whole.Err()
}

// waiting reads what pods wait for from the API server. What it does not list is one warning.
func (r *reader) waiting(ctx context.Context, client rest.Interface) {
	if !slices.ContainsFunc(r.Pods, (*Pod).Waits) {
		return
	}
	served, first := served(ctx, client)
	claims := slices.ContainsFunc(r.Pods, func(p *Pod) bool { return len(p.Claims) > 0 })
	for _, k := range optional {
		devices := k.group == "resource.k8s.io"
		if devices && !claims {
			continue
		}
		for _, kind := range k.kinds {
			path := "/" + strings.ToLower(kind) + "s"
			if k.ofPods && r.Namespace != "" {
				path = "/namespaces/" + r.Namespace + path
			}
			found, err := false, error(nil)
			for _, version := range k.versions {
				if name := k.group + "/" + version; !found && err == nil && (served == nil || served[name]) {
					found, err = r.list(ctx, client, "/apis/"+name+path, "")
				}
			}
			if devices && (err != nil || !found && kind != "DeviceTaintRule") {
				r.Devices.Incomplete = true
			}
			first = cmp.Or(first, err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, r.eventsTime())
	defer cancel()
	for _, fields := range autoscalerFields {
		if !r.noEvents {
			_, err := r.list(limited, client, r.path("events"), fields)
			first = cmp.Or(first, err)
		}
	}
	if first != nil {
		r.Warnings = append(r.Warnings, fmt.Errorf("claims, devices, pools of nodes and events of autoscalers are not read completely: %w", first))
	}
}

// served returns the versions of groups that the API server has, nil if it does not list them.
func served(ctx context.Context, client rest.Interface) (map[string]bool, error) {
	var list metav1.APIGroupList
	result := client.Get().AbsPath("/apis").Do(ctx)
	err := result.Error()
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err == nil {
		text, _ := result.Raw()
		err = json.Unmarshal(text, &list)
	}
	names := make(map[string]bool)
	for _, group := range list.Groups {
		for _, version := range group.Versions {
			names[version.GroupVersion] = true
		}
	}
	return names, err
}

// list reads a list, and reports whether the API server has it.
func (r *reader) list(ctx context.Context, client rest.Interface, path, fields string) (bool, error) {
	n := 0
	for o, err := range pages(ctx, client, path, "", fields) {
		if apierrors.IsNotFound(err) && n == 0 {
			return false, nil
		}
		if n++; n > maxObjects {
			err = fmt.Errorf("%s: more than %d objects", path, maxObjects)
		}
		if err == nil || errors.As(err, new(*objects.Problem)) {
			err = r.object(o, err)
		}
		if err != nil {
			return true, err
		}
	}
	return true, nil
}
