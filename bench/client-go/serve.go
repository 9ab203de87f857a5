package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// The pods of a load server as watch events in protobuf, and where the digits of the version are in each.
type pods struct {
	added, modified [][]byte
	versionAt       []int
	version         int
}

func serve(source string) {
	collection := load(source)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Printf("http://%s\n", listener.Addr())
	server := &server{pods: collection, next: collection.version + 1, watches: map[chan order]bool{}}
	// Whoever started this process holds the other end of its standard input; when that goes, so does this.
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	check(http.Serve(listener, server))
}

func load(source string) *pods {
	var list corev1.PodList
	check(json.Unmarshal(get(source+"/api/v1/pods"), &list))
	version, err := strconv.Atoi(list.ResourceVersion)
	check(err)
	result := &pods{version: version}
	for i := range list.Items {
		pod := &list.Items[i]
		result.added = append(result.added, frame("ADDED", pod))
		modified := frame("MODIFIED", pod)
		result.modified = append(result.modified, modified)
		result.versionAt = append(result.versionAt, bytes.Index(modified, []byte(pod.ResourceVersion)))
	}
	return result
}

var encoder = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

// One event with its length in front, as a watch in protobuf has them.
func frame(kind string, pod *corev1.Pod) []byte {
	pod.TypeMeta = metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}
	var object bytes.Buffer
	check(encoder.Encode(pod, &object))
	event := metav1.WatchEvent{Type: kind, Object: runtime.RawExtension{Raw: object.Bytes()}}
	body, err := event.Marshal()
	check(err)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func bookmark(version int, endsInitial bool) []byte {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: strconv.Itoa(version)}}
	if endsInitial {
		pod.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return frame("BOOKMARK", pod)
}

type order struct{ count, rate, first int }

type server struct {
	pods    *pods
	lock    sync.Mutex
	next    int
	watches map[chan order]bool
	sent    map[string]float64
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	number := func(name string) int {
		value, _ := strconv.Atoi(query.Get(name))
		return value
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	switch r.URL.Path {
	case "/bench/events":
		s.sent = map[string]float64{}
		for orders := range s.watches {
			orders <- order{number("count"), number("rate"), s.next}
		}
		s.next += number("count") + 1
	case "/bench/sent":
		check(json.NewEncoder(w).Encode(s.sent))
	case "/api/v1/pods":
		orders := make(chan order, 1)
		s.watches[orders] = true
		s.lock.Unlock()
		s.watch(w, r, orders)
		s.lock.Lock()
		delete(s.watches, orders)
	default:
		http.NotFound(w, r)
	}
}

func (s *server) watch(w http.ResponseWriter, r *http.Request, orders chan order) {
	w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf;stream=watch")
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		batch := make([]byte, 0, 1<<18)
		for _, event := range s.pods.added {
			batch = append(batch, event...)
			if len(batch) > 1<<17 {
				_, _ = w.Write(batch)
				batch = batch[:0]
			}
		}
		_, _ = w.Write(append(batch, bookmark(s.pods.version, true)...))
	}
	w.(http.Flusher).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case order := <-orders:
			s.send(w, order)
		}
	}
}

func (s *server) send(w http.ResponseWriter, o order) {
	batch := make([]byte, 0, 1<<18)
	started := time.Now()
	flush := func() {
		_, _ = w.Write(batch)
		w.(http.Flusher).Flush()
		batch = batch[:0]
	}
	for sent := 0; sent < o.count; sent++ {
		if o.rate > 0 {
			due := started.Add(time.Duration(sent) * time.Second / time.Duration(o.rate))
			if wait := time.Until(due); wait > 0 {
				time.Sleep(wait)
			}
			s.lock.Lock()
			s.sent[strconv.Itoa(o.first+sent)] = float64(time.Now().UnixMicro()) / 1000
			s.lock.Unlock()
		}
		i := sent * 7919 % len(s.pods.modified)
		at := len(batch) + s.pods.versionAt[i]
		batch = append(batch, s.pods.modified[i]...)
		copy(batch[at:], strconv.Itoa(o.first+sent))
		if o.rate > 0 || len(batch) > 1<<17 {
			flush()
		}
	}
	batch = append(batch, bookmark(o.first+o.count, false)...)
	flush()
}
