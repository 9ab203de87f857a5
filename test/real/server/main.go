// The real kube-apiserver and an etcd in one process, for tests.
//
// Its parent sends JSON lines to stdin and reads them from stdout (see control.go). When stdin closes, the parent is gone:
// the process removes its data folder and ends. Logs go to stderr.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/rest"
	basecompatibility "k8s.io/component-base/compatibility"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/spf13/pflag"
)

func main() {
	folder := flag.String("data", "", "folder for etcd, keys and certificates; removed when the parent goes away")
	port := flag.Int("port", 0, "port on 127.0.0.1; 0 takes a free one")
	adminToken := flag.String("admin-token", "", "bearer token of a member of system:masters")
	flag.Parse()
	if err := serve(*folder, *port, *adminToken, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(folder string, port int, adminToken string, extraFlags []string) error {
	if folder == "" || adminToken == "" {
		return errors.New("-data and -admin-token are needed")
	}
	// Ctrl-C reaches the whole process group; the parent decides when to stop the server.
	signal.Ignore(syscall.SIGINT)
	// The pipe of the log closes with the parent: SIGPIPE must not end this process before it has removed its data.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()

	keys, err := loadOrCreateKeys(filepath.Join(folder, "pki"))
	if err != nil {
		return err
	}
	users, err := startUserDirectory(folder)
	if err != nil {
		return err
	}
	control := &control{folder: folder, keys: keys, users: users, stop: stop}
	// Starts first, so that a parent that dies during the start is noticed too.
	go control.read(os.Stdin)

	etcd, err := startEtcd(filepath.Join(folder, "etcd"))
	if err != nil {
		return err
	}
	defer etcd.Close()
	endpoint := "http://" + etcd.Clients[0].Addr().String()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 10 * time.Second})
	if err != nil {
		return err
	}
	defer client.Close()
	control.etcd.Store(client)

	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	tokenFile := filepath.Join(folder, "tokens.csv")
	if err := os.WriteFile(tokenFile, fmt.Appendf(nil, "%s,admin,admin,\"system:masters\"\n", adminToken), 0o600); err != nil {
		return err
	}
	flags := append([]string{
		"--etcd-servers=" + endpoint,
		"--bind-address=127.0.0.1",
		"--tls-cert-file=" + keys.path("server.crt"),
		"--tls-private-key-file=" + keys.path("server.key"),
		"--client-ca-file=" + keys.path("client-ca.crt"),
		"--token-auth-file=" + tokenFile,
		"--authentication-token-webhook-config-file=" + users.config,
		"--authentication-token-webhook-version=v1",
		// No cache: a token that was refused must be accepted after its user has been added.
		"--authentication-token-webhook-cache-ttl=0s",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + keys.path("service-account.key"),
		"--service-account-key-file=" + keys.path("service-account.key"),
		"--authorization-mode=RBAC",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--disable-admission-plugins=ServiceAccount",
	}, extraFlags...)

	go control.announceReady(ctx, listener.Addr().(*net.TCPAddr).Port, adminToken)
	return runAPIServer(ctx, listener, flags)
}

// runAPIServer does what the kube-apiserver command does, but with an open listener, so that the port is free for certain.
func runAPIServer(ctx context.Context, listener net.Listener, flags []string) error {
	run := options.NewServerRunOptions()
	registry := run.GenericServerRunOptions.ComponentGlobalsRegistry
	set := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, named := range run.Flags().FlagSets {
		set.AddFlagSet(named)
	}
	if err := set.Parse(flags); err != nil {
		return err
	}
	run.SecureServing.Listener = listener
	run.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	if err := registry.Set(); err != nil {
		return err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	if err := logsapi.ValidateAndApply(run.Logs, registry.FeatureGateFor(basecompatibility.DefaultKubeComponent)); err != nil {
		return err
	}
	completed, err := run.Complete(ctx)
	if err != nil {
		return err
	}
	if errs := completed.Validate(); len(errs) != 0 {
		return utilerrors.NewAggregate(errs)
	}
	return app.Run(ctx, completed)
}
