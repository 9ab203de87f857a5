// A client-go informer of config maps for tests that prints one line per call of its handler.
//
//	informer [-namespace default] [-json] <kubeconfig>
package main

import (
	"context"
	"encoding/json"
	"flag"
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

var asJSON = flag.Bool("json", false, "print JSON")

func main() {
	namespace := flag.String("namespace", "default", "where to look")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", flag.Arg(0))
	check(err)
	// As every typed client it speaks protobuf.
	client, err := kubernetes.NewForConfig(config)
	check(err)

	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(*namespace))
	configMaps := factory.Core().V1().ConfigMaps().Informer()
	_, err = configMaps.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { print("add", object, true) },
		UpdateFunc: func(_, object any) { print("update", object, true) },
		DeleteFunc: func(object any) {
			tombstone, isTombstone := object.(cache.DeletedFinalStateUnknown)
			if isTombstone {
				object = tombstone.Obj
			}
			print("delete", object, !isTombstone)
		},
	})
	check(err)
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), configMaps.HasSynced) {
		os.Exit(1)
	}
	if *asJSON {
		fmt.Println(`{"type":"synced"}`)
	} else {
		fmt.Println("synced")
	}
	<-ctx.Done()
	factory.Shutdown()
}

func print(what string, object any, finalStateKnown bool) {
	configMap := object.(*corev1.ConfigMap)
	if !*asJSON {
		fmt.Printf("%s %s %s\n", what, configMap.Name, configMap.Data["value"])
		return
	}
	line, err := json.Marshal(map[string]any{
		"type":            what,
		"key":             configMap.Namespace + "/" + configMap.Name,
		"uid":             configMap.UID,
		"resourceVersion": configMap.ResourceVersion,
		"finalStateKnown": finalStateKnown,
	})
	check(err)
	fmt.Println(string(line))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
