package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func keysOf(count int) []string {
	keys := make([]string, count)
	for i := range keys {
		keys[i] = fmt.Sprintf("team-%d/app-%d-6d4b75cb6d-%d", i%20, i%100, i)
	}
	return keys
}

func perSecond(count int, since time.Time) float64 {
	return float64(count) / time.Since(since).Seconds()
}

func newQueue() workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
}

func drain(queue workqueue.TypedRateLimitingInterface[string], count int) {
	for range count {
		key, _ := queue.Get()
		queue.Done(key)
	}
}

func measureQueues(count int) any {
	keys := keysOf(count)
	queue := newQueue()
	started := time.Now()
	for _, key := range keys {
		queue.Add(key)
		key, _ := queue.Get()
		queue.Done(key)
	}
	oneByOne := perSecond(count, started)

	queue = newQueue()
	started = time.Now()
	for _, key := range keys {
		queue.Add(key)
	}
	drain(queue, count)
	bulk := perSecond(count, started)

	queue = newQueue()
	started = time.Now()
	for i, key := range keys {
		queue.AddAfter(key, time.Duration(1+i%1000)*time.Millisecond)
	}
	addAfter := perSecond(count, started)
	drain(queue, count)
	delayed := perSecond(count, started)

	before := heap()
	queue = newQueue()
	for _, key := range keys {
		queue.Add(key)
	}
	bytes := float64(heap()-before) / float64(queue.Len())
	return map[string]float64{
		"oneByOne": oneByOne, "bulk": bulk, "addAfter": addAfter, "delayed": delayed, "bytesPerItem": bytes,
	}
}

func measureIndexer(count int) any {
	by := func(value func(pod *corev1.Pod) string) cache.IndexFunc {
		return func(object any) ([]string, error) { return []string{value(object.(*corev1.Pod))}, nil }
	}
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		"namespace": by(func(pod *corev1.Pod) string { return pod.Namespace }),
		"node":      by(func(pod *corev1.Pod) string { return pod.Spec.NodeName }),
		"app":       by(func(pod *corev1.Pod) string { return pod.Labels["app.kubernetes.io/name"] }),
	})
	rounds := make([][]*corev1.Pod, 10)
	for round := range rounds {
		for i := range count {
			rounds[round] = append(rounds[round], &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{
					Namespace:       fmt.Sprintf("team-%d", i%20),
					Name:            fmt.Sprintf("app-%d-6d4b75cb6d-%d", i%100, i),
					ResourceVersion: fmt.Sprint(round*count + i),
					Labels:          map[string]string{"app.kubernetes.io/name": fmt.Sprintf("app-%d", i%100)},
				},
				Spec: corev1.PodSpec{NodeName: fmt.Sprintf("worker-%d", i%200)},
			})
		}
	}
	started := time.Now()
	for _, pod := range rounds[0] {
		check(store.Add(pod))
	}
	add := perSecond(count, started)
	started = time.Now()
	for _, round := range rounds[1:] {
		for _, pod := range round {
			check(store.Update(pod))
		}
	}
	update := perSecond(count*(len(rounds)-1), started)
	keys := store.ListKeys()
	started = time.Now()
	for range 20 {
		for _, key := range keys {
			_, _, err := store.GetByKey(key)
			check(err)
		}
	}
	getByKey := perSecond(20*len(keys), started)
	started = time.Now()
	listed := 0
	for i := range 20_000 {
		found, err := store.ByIndex("node", fmt.Sprintf("worker-%d", i%200))
		check(err)
		listed += len(found)
	}
	return map[string]float64{"add": add, "update": update, "get": getByKey, "byIndex": perSecond(listed, started)}
}
