package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type informerRun struct {
	kind, url          string
	pods, events, rate int
}

// Counts calls of a handler down, from one goroutine.
type counter struct {
	left int
	done chan struct{}
}

func expect(count int) *counter {
	return &counter{left: count, done: make(chan struct{})}
}

func (c *counter) hit() {
	c.left--
	if c.left == 0 {
		close(c.done)
	}
}

// As many as for the JavaScript side.
const warmUpEvents = 20_000

func (r informerRun) measure(what string) any {
	config := configFor(r.url)
	added := expect(r.pods)
	var updated atomic.Pointer[counter]
	received := map[string]time.Time{}
	// Has the server send changes and waits until the handler, which makes the key as controllers do, was told of all.
	receive := func(count, rate int) {
		counter := expect(count)
		updated.Store(counter)
		get(fmt.Sprintf("%s/bench/events?count=%d&rate=%d", r.url, count, rate))
		<-counter.done
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) {
			_, err := cache.MetaNamespaceKeyFunc(object)
			check(err)
			added.hit()
		},
		UpdateFunc: func(_, object any) {
			_, err := cache.MetaNamespaceKeyFunc(object)
			check(err)
			if what == "latency" {
				accessor, err := meta.Accessor(object)
				check(err)
				received[accessor.GetResourceVersion()] = time.Now()
			}
			if counter := updated.Load(); counter != nil {
				counter.hit()
			}
		},
	}
	before := heap()
	beforeCPU, started := cpu(), time.Now()
	r.start(config, handler)
	<-added.done
	ms, cpuMs := millis(time.Since(started)), millis(cpu()-beforeCPU)
	switch what {
	case "sync":
		peak := status("VmHWM")
		time.Sleep(500 * time.Millisecond)
		after := heap()
		debug.FreeOSMemory()
		return map[string]float64{
			"ms": ms, "cpuMs": cpuMs, "peakRssMb": peak, "settledRssMb": status("VmRSS"),
			"bytesPerPod": float64(after-before) / float64(r.pods),
		}
	case "watch":
		time.Sleep(300 * time.Millisecond)
		runtime.GC()
		beforeCPU, started = cpu(), time.Now()
		receive(r.events, 0)
		took := time.Since(started)
		return map[string]float64{
			"ms": millis(took), "perSecond": float64(r.events) / took.Seconds(),
			"cpuMicros": float64((cpu() - beforeCPU).Microseconds()) / float64(r.events), "peakRssMb": status("VmHWM"),
		}
	case "follow":
		time.Sleep(300 * time.Millisecond)
		runtime.GC()
		counter := expect(r.events)
		updated.Store(counter)
		beforeCPU, started = cpu(), time.Now()
		fmt.Println("ready")
		<-counter.done
		took := time.Since(started)
		return map[string]float64{
			"ms": millis(took), "perSecond": float64(r.events) / took.Seconds(),
			"cpuMicros": float64((cpu() - beforeCPU).Microseconds()) / float64(r.events),
		}
	case "latency":
		round := func() map[string]float64 {
			time.Sleep(300 * time.Millisecond)
			runtime.GC()
			receive(r.events, r.rate)
			return lateness(r.url, received)
		}
		cold := round()
		receive(warmUpEvents, 0)
		result := round()
		result["coldP99"] = cold["p99"]
		return result
	}
	panic("what is " + what + "?")
}

// How long after the server's writing the handler was called.
func lateness(url string, received map[string]time.Time) map[string]float64 {
	var sent map[string]float64
	check(json.Unmarshal(get(url+"/bench/sent"), &sent))
	late := []float64{}
	for version, at := range sent {
		if when, ok := received[version]; ok {
			late = append(late, float64(when.UnixMicro())/1000-at)
		}
	}
	slices.Sort(late)
	return map[string]float64{"p50": late[len(late)/2], "p99": late[len(late)*99/100], "most": late[len(late)-1]}
}

func (r informerRun) isReal() bool {
	return os.Getenv("BENCH_TOKEN") != ""
}

func (r informerRun) start(config *rest.Config, handler cache.ResourceEventHandler) {
	stop := make(chan struct{})
	if r.kind == "dynamic" {
		client, err := dynamic.NewForConfig(config)
		check(err)
		factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
		// The load server has the pods as a custom resource too.
		resource := schema.GroupVersionResource{Group: "bench.example.com", Version: "v1", Resource: "widgets"}
		if r.isReal() {
			resource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
		}
		_, err = factory.ForResource(resource).Informer().AddEventHandler(handler)
		check(err)
		factory.Start(stop)
		return
	}
	if r.kind == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf"
	} else {
		config.ContentType = "application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	check(err)
	factory := informers.NewSharedInformerFactory(client, 0)
	_, err = factory.Core().V1().Pods().Informer().AddEventHandler(handler)
	check(err)
	factory.StartWithContext(context.Background())
}

func get(url string) []byte {
	client, err := rest.HTTPClientFor(configFor(url))
	check(err)
	response, err := client.Get(url)
	check(err)
	defer response.Body.Close()
	body := []byte{}
	buffer := make([]byte, 1<<16)
	for {
		n, err := response.Body.Read(buffer)
		body = append(body, buffer[:n]...)
		if err != nil {
			return body
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func cpu() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func millis(duration time.Duration) float64 {
	return float64(duration.Microseconds()) / 1000
}

// A line of /proc/self/status, in MB.
func status(name string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	check(err)
	for line := range strings.Lines(string(text)) {
		var kb float64
		if strings.HasPrefix(line, name+":") {
			_, err := fmt.Sscanf(line[len(name)+1:], "%f", &kb)
			check(err)
			return kb / 1024
		}
	}
	return 0
}
