// A client-go informer that prints what it is told, for tests: one line per call of a handler.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	config.ContentType = "application/json"
	client, err := kubernetes.NewForConfig(config)
	check(err)

	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"))
	configMaps := factory.Core().V1().ConfigMaps().Informer()
	_, err = configMaps.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { print("add", object) },
		UpdateFunc: func(_, object any) { print("update", object) },
		DeleteFunc: func(object any) {
			if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = tombstone.Obj
			}
			print("delete", object)
		},
	})
	check(err)
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), configMaps.HasSynced) {
		os.Exit(1)
	}
	fmt.Println("synced")
	<-ctx.Done()
	factory.Shutdown()
}

func print(what string, object any) {
	configMap := object.(*corev1.ConfigMap)
	fmt.Printf("%s %s %s\n", what, configMap.Name, configMap.Data["value"])
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
