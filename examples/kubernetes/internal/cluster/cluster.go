// Package cluster starts a real Kubernetes for tests: an etcd and a
// kube-apiserver in the test's own process, on loopback addresses and free
// ports, and a kube-scheduler when one is requested. No kubelet runs, so nodes
// are what a test creates, and pods never do more than be bound to one.
package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// A Cluster is an API server that is ready, and its etcd. Make one with [Start].
type Cluster struct {
	Config     *rest.Config // of an administrator, without a limit of requests
	Client     kubernetes.Interface
	KubeConfig string // the file

	dir  string
	etcd *embed.Etcd
	// Of the API server:
	flags  []string
	cancel context.CancelFunc
	ended  chan error // nil if it does not run
}

// patience is how long anything here can take to start: minutes on a busy machine.
const patience = 10 * time.Minute

// Start starts etcd and the API server, with these flags beside its own, and
// waits until it is ready. Feature gates and metrics are global, so a process can
// have one cluster. Start turns off Kubernetes' log.
func Start(ctx context.Context, flags ...string) (_ *Cluster, err error) {
	klog.SetLoggerWithOptions(logr.Discard(), klog.ContextualLogger(true))
	c := new(Cluster)
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	if c.dir, err = os.MkdirTemp("", "cluster"); err != nil {
		return nil, err
	}
	store, err := c.startEtcd()
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	token := rand.Text()
	tokens := filepath.Join(c.dir, "tokens.csv")
	policies := filepath.Join(c.dir, "policy.jsonl")
	if err := errors.Join(
		os.WriteFile(tokens, []byte(token+`,admin,admin,"system:masters"`+"\n"), 0o600),
		os.WriteFile(policies, []byte(policy), 0o600),
	); err != nil {
		return nil, err
	}
	certificates := filepath.Join(c.dir, "certificates")
	key := filepath.Join(certificates, "apiserver.key") // also for the tokens of service accounts
	c.flags = append([]string{
		"--etcd-servers=" + store,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none",
		"--cert-dir=" + certificates,
		"--service-cluster-ip-range=10.0.0.0/16",
		"--service-account-issuer=https://cluster.test",
		"--service-account-key-file=" + key,
		"--service-account-signing-key-file=" + key,
		"--token-auth-file=" + tokens,
		"--authorization-mode=ABAC,RBAC", // the policy permits all to authenticated users, roles the rest
		"--authorization-policy-file=" + policies,
		"--disable-admission-plugins=ServiceAccount", // no controller makes the accounts
		"--enable-priority-and-fairness=false",
		"--max-requests-inflight=0",
		"--max-mutating-requests-inflight=0",
		"--request-timeout=" + patience.String(),        // one deletes thousands of pods
		"--shutdown-watch-termination-grace-period=10s", // else it waits a minute for watches
	}, flags...)
	c.Config = &rest.Config{
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(certificates, "apiserver.crt")},
		ContentConfig:   rest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf"}, // JSON is most of the time of a long list
		QPS:             -1,
	}
	if err := c.startAPIServer(ctx, "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("kube-apiserver: %w", err)
	}
	c.KubeConfig = filepath.Join(c.dir, "kubeconfig")
	return c, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"test": {Server: c.Config.Host, CertificateAuthority: c.Config.CAFile}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"test": {Token: token}},
		Contexts:       map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: "test"}},
		CurrentContext: "test",
	}, c.KubeConfig)
}

func (c *Cluster) stopAPIServer() error {
	if c.ended == nil {
		return nil
	}
	c.cancel()
	err := <-c.ended
	c.ended = nil
	return err
}

// Restart stops the API server, starts another with the same address, etcd and flags, and waits
// until it is ready. After an error, only Stop can be called.
func (c *Cluster) Restart(ctx context.Context) error {
	if err := c.stopAPIServer(); err != nil {
		return err
	}
	return c.startAPIServer(ctx, strings.TrimPrefix(c.Config.Host, "https://"))
}

// Stop ends the API server and etcd, waits for both, and removes their files.
func (c *Cluster) Stop() error {
	err := c.stopAPIServer()
	if c.etcd != nil {
		c.etcd.Close()
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}

// startEtcd returns where it listens, on a port that nobody else has.
func (c *Cluster) startEtcd() (client string, err error) {
	config := embed.NewConfig()
	config.Dir = filepath.Join(c.dir, "etcd")
	config.LogLevel = "fatal"
	config.UnsafeNoFsync = true      // nothing here outlives the test
	config.EnableGRPCGateway = false // it would dial port 0
	free := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config.ListenClientUrls, config.AdvertiseClientUrls = free, free
	config.ListenPeerUrls, config.AdvertisePeerUrls = free, free // it has no peers
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	if c.etcd, err = embed.StartEtcd(config); err != nil {
		return "", err
	}
	select {
	case <-c.etcd.Server.ReadyNotify():
		return "http://" + c.etcd.Clients[0].Addr().String(), nil
	case err := <-c.etcd.Err():
		return "", err
	case <-time.After(patience):
		return "", fmt.Errorf("not ready after %v", patience)
	}
}

// startAPIServer starts the API server, which listens there, and waits until it is ready.
func (c *Cluster) startAPIServer(ctx context.Context, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	completed, err := c.options(ctx, listener)
	if err == nil && c.Client == nil { // Restart keeps both, which tests use meanwhile
		c.Config.Host = "https://" + listener.Addr().String()
		c.Client, err = kubernetes.NewForConfig(c.Config) // reads the certificate that the options have written
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	ctx, c.cancel = context.WithCancel(ctx)
	c.ended = make(chan error, 1)
	go func() {
		err := apiserver.Run(ctx, completed)
		completed.InformerName.Release() // for the next
		c.ended <- err
	}()
	return c.ready(ctx)
}

func (c *Cluster) options(ctx context.Context, listener net.Listener) (completed options.CompletedOptions, err error) {
	opts := options.NewServerRunOptions()
	opts.SecureServing.Listener = listener
	opts.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	set := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, part := range opts.Flags().FlagSets {
		set.AddFlagSet(part)
	}
	if err = set.Parse(c.flags); err == nil {
		err = opts.GenericServerRunOptions.ComponentGlobalsRegistry.Set()
	}
	if err == nil {
		completed, err = opts.Complete(ctx)
	}
	if err == nil {
		err = errors.Join(completed.Validate()...)
	}
	if err == nil {
		completed.InformerName, err = cache.NewInformerName("kube-apiserver")
	}
	return completed, err
}

// policy permits everything to every user, except those whom an administrator
// impersonates with the group system:unauthenticated.
const policy = `{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy",` +
	`"spec": {"group": "system:authenticated", "namespace": "*", "apiGroup": "*", "resource": "*", "nonResourcePath": "*"}}`

// ready waits until the API server is ready.
func (c *Cluster) ready(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		select {
		case err := <-c.ended:
			c.ended <- err
			return false, fmt.Errorf("ended: %w", err)
		default:
			last = c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
			return last == nil, nil
		}
	})
	if wait.Interrupted(err) {
		return fmt.Errorf("not ready after %v: %w", patience, errors.Join(err, last))
	}
	return err
}
