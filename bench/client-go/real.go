package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const (
	namespaces = 20
	workers    = 24
)

// How to reach a server: BENCH_CA is the file of its certificate authority, BENCH_TOKEN the token of an administrator.
func configFor(url string) *rest.Config {
	config := &rest.Config{Host: url, QPS: -1, BearerToken: os.Getenv("BENCH_TOKEN"), WarningHandler: rest.NoWarnings{}}
	if strings.HasPrefix(url, "https:") {
		config.CAFile = os.Getenv("BENCH_CA")
	}
	return config
}

// Calls work for 0 to count-1, many at a time, at a rate per second if it is not 0.
func inParallel(count, rate int, work func(i int)) {
	numbers := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range numbers {
				work(i)
			}
		})
	}
	started := time.Now()
	for i := range count {
		if rate > 0 {
			time.Sleep(time.Until(started.Add(time.Duration(i) * time.Second / time.Duration(rate))))
		}
		numbers <- i
	}
	close(numbers)
	all.Wait()
}

// Creates pods of about 7 KB JSON on a real API server.
func fill(url string, count int) map[string]float64 {
	client, err := kubernetes.NewForConfig(configFor(url))
	check(err)
	started := time.Now()
	inParallel(namespaces, 0, func(i int) {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceOf(i)}}
		_, err := client.CoreV1().Namespaces().Create(context.Background(), namespace, metav1.CreateOptions{})
		if !apierrors.IsAlreadyExists(err) {
			check(err)
		}
	})
	inParallel(count, 0, func(i int) {
		_, err := client.CoreV1().Pods(namespaceOf(i)).Create(context.Background(), podOf(i), metav1.CreateOptions{})
		check(err)
	})
	return map[string]float64{"ms": millis(time.Since(started))}
}

// Changes an annotation of one pod after the other.
func churn(url string, pods, count, rate int) map[string]float64 {
	client, err := kubernetes.NewForConfig(configFor(url))
	check(err)
	started := time.Now()
	inParallel(count, rate, func(i int) {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"changed":"%d"}}}`, time.Now().UnixNano())
		number := i * 7919 % pods
		_, err := client.CoreV1().Pods(namespaceOf(number)).
			Patch(context.Background(), nameOf(number), types.MergePatchType, patch, metav1.PatchOptions{})
		check(err)
	})
	return map[string]float64{"ms": millis(time.Since(started))}
}

func namespaceOf(i int) string { return fmt.Sprintf("team-%d", i%namespaces) }
func nameOf(i int) string      { return fmt.Sprintf("app-%d-6d4b75cb6d-%d", i%100, i) }

func podOf(i int) *corev1.Pod {
	app := fmt.Sprintf("app-%d", i%100)
	yes := true
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: nameOf(i), Namespace: namespaceOf(i),
			Labels: map[string]string{
				"app": app, "app.kubernetes.io/name": app, "app.kubernetes.io/version": fmt.Sprintf("1.%d.3", i%40),
				"pod-template-hash": "6d4b75cb6d", "team": namespaceOf(i),
			},
			Annotations: map[string]string{
				"prometheus.io/scrape": "true", "prometheus.io/port": "9090",
				"example.com/config-checksum": fmt.Sprintf("%064x", i), "changed": "0",
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app + "-6d4b75cb6d",
				UID: types.UID(fmt.Sprintf("%08x-1f0c-4c55-9a61-000000000000", i%100)), Controller: &yes, BlockOwnerDeletion: &yes,
			}},
		},
		Spec: corev1.PodSpec{
			NodeName:    fmt.Sprintf("node-%d", i%200),
			Containers:  []corev1.Container{container("web", 8080, i), container("proxy", 8090, i)},
			Tolerations: []corev1.Toleration{{Key: "dedicated", Operator: "Equal", Value: "apps", Effect: "NoSchedule"}},
			Volumes: []corev1.Volume{
				{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
					LocalObjectReference: corev1.LocalObjectReference{Name: app}}}},
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
		},
	}
}

func container(name string, port int32, i int) corev1.Container {
	quantities := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}
	}
	return corev1.Container{
		Name: name, Image: fmt.Sprintf("registry.example.com/platform/%s:v1.%d.3", name, i%40),
		Ports: []corev1.ContainerPort{{Name: "http-" + name, ContainerPort: port}, {Name: "metrics-" + name, ContainerPort: port + 1}},
		Env: []corev1.EnvVar{
			{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}},
			{Name: "LOG_LEVEL", Value: "info"},
			{Name: "DATABASE_URL", Value: fmt.Sprintf("postgres://db.%s.svc.cluster.local:5432/app_%d", namespaceOf(i), i%100)},
			{Name: "CACHE_URL", Value: fmt.Sprintf("redis://cache.%s.svc.cluster.local:6379/0", namespaceOf(i))},
		},
		Resources: corev1.ResourceRequirements{Limits: quantities("500m", "512Mi"), Requests: quantities("100m", "128Mi")},
		VolumeMounts: []corev1.VolumeMount{
			{Name: "config", MountPath: "/etc/config"}, {Name: "scratch", MountPath: "/tmp"},
		},
		LivenessProbe: probe("/healthz", port), ReadinessProbe: probe("/readyz", port),
	}
}

func probe(path string, port int32) *corev1.Probe {
	return &corev1.Probe{
		InitialDelaySeconds: 10,
		ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(port)}},
	}
}
