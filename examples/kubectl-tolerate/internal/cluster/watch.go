package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
)

// quiet is how long Follow collects changes.
const quiet = 500 * time.Millisecond

// Follow calls report with the cluster of the API server, and again when objects changed
// and at the time that report returned, if any. It returns when ctx is cancelled, on an
// error of report, and when objects cannot be listed at first or are forbidden later.
func Follow(ctx context.Context, env *cli.Env, opts *Options, report func(*Cluster) (next time.Time, err error)) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel(nil)
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	var informers []cache.SharedIndexInformer
	start := func(s *served) error {
		s.client = client
		informer := cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{ListWithContextFunc: s.list, WatchFuncWithContext: s.watch}, s), &metav1.PartialObjectMetadata{}, 0, nil)
		err := informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, _ *cache.Reflector, err error) {
			switch {
			case apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || err == io.EOF: // it is listed again
			case !informer.HasSynced() || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
				cancel(cmp.Or(errors.Unwrap(err), err))
			case ctx.Err() == nil:
				fmt.Fprintf(env.ErrOut, "warning: %s: %v; trying again\n", s.paths[0], err)
			}
		})
		if err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { notify() }, UpdateFunc: func(any, any) { notify() }, DeleteFunc: func(any) { notify() },
		}); err != nil {
			return err
		}
		informers = append(informers, informer)
		running.Go(func() { informer.RunWithContext(klog.NewContext(ctx, klog.Logger{})) })
		return nil
	}
	all := opts.resources()
	for _, s := range all[:2] {
		if err := start(s); err != nil {
			return err
		}
	}
	for rest := all[2:]; ; {
		for _, informer := range informers {
			if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
				return context.Cause(ctx)
			}
		}
		var objects []*metav1.PartialObjectMetadata
		for _, informer := range informers {
			for _, o := range informer.GetStore().List() {
				objects = append(objects, o.(*metav1.PartialObjectMetadata))
			}
		}
		slices.SortFunc(objects, func(a, b *metav1.PartialObjectMetadata) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
		texts := make([]io.Reader, len(objects))
		for i, o := range objects {
			texts[i] = strings.NewReader(o.Annotations[kept])
		}
		if len(objects) == 0 {
			texts = []io.Reader{strings.NewReader("[]")}
		}
		c, err := opts.read(ctx, env, kubejson.Objects("the API server", io.MultiReader(texts...), more...))
		if err != nil {
			return err
		}
		if rest != nil && slices.ContainsFunc(c.Pods, func(p *Pod) bool { return p.Claims != nil }) {
			for _, s := range rest {
				if err := start(s); err != nil {
					return err
				}
			}
			rest = nil
			continue
		}
		next, err := report(c)
		if err != nil {
			return err
		}
		var due <-chan time.Time
		if !next.IsZero() {
			due = time.After(next.Sub(env.Now()))
		}
		select {
		case <-ctx.Done():
		case <-due:
			continue
		case <-changed:
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(quiet):
		}
		select {
		case <-changed:
		default:
		}
	}
}

// kept is the annotation with the JSON of the fields that are read.
const kept = "kept"

// list returns all objects, each with its name, and the fields that are read as JSON.
func (s *served) list(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
	list := new(metav1.PartialObjectMetadataList)
	for _, s.path = range s.paths {
		// The changes after this version are watched. What is listed can be newer.
		result := s.client.Get().AbsPath(s.path).Param("limit", "1").Param("labelSelector", s.selector).Do(ctx)
		text, _ := result.Raw()
		err := result.Error()
		if apierrors.IsNotFound(err) {
			s.path = ""
			continue
		}
		if err == nil {
			err = json.Unmarshal(text, list)
		}
		if err != nil {
			return nil, err
		}
		list.Items = nil
		break
	}
	if s.path == "" {
		return list, nil
	}
	for o, err := range pages(ctx, s.client, s.path, s.selector, more) {
		if err != nil {
			return nil, err
		}
		item, err := reduced(o)
		if err != nil {
			return nil, err
		}
		item.ResourceVersion = list.ResourceVersion
		list.Items = append(list.Items, *item)
	}
	return list, nil
}

func reduced(o *kubejson.Object) (*metav1.PartialObjectMetadata, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(o.Raw, &fields); err != nil {
		return nil, err
	}
	fields["kind"], _ = json.Marshal(o.Kind)
	fields["apiVersion"], _ = json.Marshal(o.APIVersion)
	text, err := json.Marshal(fields)
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{Kind: o.Kind, APIVersion: o.APIVersion},
		ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, Annotations: map[string]string{kept: string(text)}},
	}, err
}

// watch returns the changes, with objects as in list.
func (s *served) watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	if s.path == "" { // it is not served
		return watch.NewFake(), nil
	}
	opts.Watch, opts.LabelSelector = true, s.selector
	w, err := s.client.Get().AbsPath(s.path).SpecificallyVersionedParams(&opts, scheme.ParameterCodec, corev1.SchemeGroupVersion).Watch(ctx)
	if err != nil {
		return nil, err
	}
	return watch.Filter(w, func(e watch.Event) (watch.Event, bool) {
		if e.Type == watch.Error {
			return e, true
		}
		o, err := changedObject(e.Object)
		if err != nil {
			return watch.Event{Type: watch.Error, Object: &apierrors.NewInternalError(err).ErrStatus}, true
		}
		e.Object = o
		return e, true
	}), nil
}

func changedObject(from runtime.Object) (*metav1.PartialObjectMetadata, error) {
	accessor, err := meta.Accessor(from)
	if err != nil {
		return nil, err
	}
	kinds, _, err := scheme.Scheme.ObjectKinds(from)
	if err != nil {
		return nil, err
	}
	from.GetObjectKind().SetGroupVersionKind(kinds[0])
	text, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	for o, err := range kubejson.Objects("the API server", bytes.NewReader(text), more...) {
		if err != nil {
			return nil, err
		}
		item, err := reduced(o)
		if item != nil {
			item.ResourceVersion = accessor.GetResourceVersion()
		}
		return item, err
	}
	return nil, io.ErrUnexpectedEOF
}

// IsWatchListSemanticsUnSupported makes client-go list objects by list, which keeps less of
// them in memory.
func (s *served) IsWatchListSemanticsUnSupported() bool { return true }
