// Command controllerruntime is the controller of bench/controller/child.mjs, written with controller-runtime as its users write it: cached
// reads, CreateOrUpdate for three owned objects of each ReplicationController, and an update of the status if it differs.
//
//	controllerruntime <kubeconfig> <namespace> <objects> <passes>
//
// It prints one line of JSON for the first pass, in which everything is created, and one for each pass over all objects after that,
// which finds everything as it should be.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/go-logr/logr"
)

type reconciler struct {
	client.Client
	runs, writes atomic.Int64
	// When the last run ended, in ns.
	endedAt atomic.Int64
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	defer func() {
		r.runs.Add(1)
		r.endedAt.Store(time.Now().UnixNano())
	}()
	var owner corev1.ReplicationController
	if err := r.Get(ctx, request.NamespacedName, &owner); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	meta := metav1.ObjectMeta{Name: owner.Name, Namespace: owner.Namespace}
	labels := map[string]string{"app": owner.Name}

	configMap := &corev1.ConfigMap{ObjectMeta: meta}
	if err := r.own(ctx, &owner, configMap, func() {
		configMap.Labels = labels
		configMap.Data = map[string]string{"image": owner.Spec.Template.Spec.Containers[0].Image}
	}); err != nil {
		return ctrl.Result{}, err
	}
	secret := &corev1.Secret{ObjectMeta: meta}
	if err := r.own(ctx, &owner, secret, func() {
		secret.Labels = labels
		secret.Data = map[string][]byte{"token": []byte(owner.Name)}
	}); err != nil {
		return ctrl.Result{}, err
	}
	account := &corev1.ServiceAccount{ObjectMeta: meta}
	if err := r.own(ctx, &owner, account, func() { account.Labels = labels }); err != nil {
		return ctrl.Result{}, err
	}
	if owner.Status.Replicas != *owner.Spec.Replicas {
		owner.Status.Replicas = *owner.Spec.Replicas
		r.writes.Add(1)
		return ctrl.Result{}, r.Status().Update(ctx, &owner)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) own(ctx context.Context, owner, object client.Object, set func()) error {
	result, err := controllerutil.CreateOrUpdate(ctx, r.Client, object, func() error {
		set()
		return controllerutil.SetControllerReference(owner, object, r.Scheme())
	})
	if result != controllerutil.OperationResultNone {
		r.writes.Add(1)
	}
	return err
}

// usage is what the process has used so far: CPU time and the peak of its memory.
func usage() (cpu time.Duration, peakMb float64) {
	var used syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), float64(used.Maxrss) / 1024
}

func main() {
	kubeconfig, namespace := os.Args[1], os.Args[2]
	objects, err := strconv.Atoi(os.Args[3])
	check(err)
	passes, err := strconv.Atoi(os.Args[4])
	check(err)
	ctrl.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	check(err)
	// The server decides how fast writes are, not the client.
	config.QPS = -1

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics: server.Options{BindAddress: "0"},
	})
	check(err)
	r := &reconciler{Client: manager.GetClient()}
	var queue workqueue.TypedRateLimitingInterface[reconcile.Request]
	takeQueue := source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		queue = q
		return nil
	})
	check(ctrl.NewControllerManagedBy(manager).
		For(&corev1.ReplicationController{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&corev1.Secret{}).
		Owns(&corev1.ServiceAccount{}).
		WatchesRawSource(takeQueue).
		WithOptions(controller.Options{MaxConcurrentReconciles: 50}).
		Complete(r))

	measure := func(begin func(), isOver func() bool) {
		r.runs.Store(0)
		r.writes.Store(0)
		cpu, _ := usage()
		started := time.Now()
		begin()
		for !isOver() {
			time.Sleep(2 * time.Millisecond)
		}
		elapsed := time.Unix(0, r.endedAt.Load()).Sub(started)
		cpuAfter, peakMb := usage()
		check(json.NewEncoder(os.Stdout).Encode(map[string]any{
			"runs":          r.runs.Load(),
			"sent":          r.writes.Load(),
			"seconds":       elapsed.Seconds(),
			"cpuS":          (cpuAfter - cpu).Seconds(),
			"cpuUsPerRun":   float64((cpuAfter - cpu).Microseconds()) / float64(r.runs.Load()),
			"runsPerSecond": float64(r.runs.Load()) / elapsed.Seconds(),
			"peakMb":        peakMb,
		}))
	}
	isOver := func() bool { return r.runs.Load() >= int64(objects) }
	ended := make(chan error, 1)
	measure(
		func() { go func() { ended <- manager.Start(ctx) }() },
		func() bool { return isOver() && time.Since(time.Unix(0, r.endedAt.Load())) > 500*time.Millisecond },
	)
	var all corev1.ReplicationControllerList
	check(r.List(ctx, &all, client.InNamespace(namespace)))
	keys := make([]types.NamespacedName, 0, objects)
	for _, one := range all.Items {
		keys = append(keys, client.ObjectKeyFromObject(&one))
	}
	all = corev1.ReplicationControllerList{}
	for range passes {
		measure(func() {
			for _, key := range keys {
				queue.Add(reconcile.Request{NamespacedName: key})
			}
		}, isOver)
	}
	cancel()
	check(<-ended)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
