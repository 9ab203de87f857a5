package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// One way of writing the objects down: as protobuf, or as JSON of some kind.
type form struct {
	contentType string
	// Appends an event about object i; version 0 leaves the one it was loaded with.
	event    func(batch []byte, kind string, i, version int) []byte
	bookmark func(version int, endsInitial bool) []byte
	// An ERROR event with 410.
	expired func() []byte
	// A list in JSON, of at most limit objects after the first ones; nil in protobuf, which no client here lists in.
	list func(w http.ResponseWriter, version, limit, from int)
}

// The pods of a load server, by path, and whether in protobuf.
type collection struct {
	count, version int
	protobuf       form
	json           map[string]form
}

func serve(source string) {
	collection := load(source)
	server := &server{objects: collection, next: collection.version + 1, watches: map[chan order]bool{}}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	secure := httptest.NewUnstartedServer(server)
	secure.EnableHTTP2 = true
	// As of a kube-apiserver.
	secure.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 250}
	secure.StartTLS()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	check(json.NewEncoder(os.Stdout).Encode(map[string]string{
		"http": fmt.Sprintf("http://%s", plain.Addr()), "https": secure.URL, "ca": string(authority),
	}))
	// The parent holds the other end of the standard input; this process ends when it is closed.
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	check(http.Serve(plain, server))
}

func load(source string) *collection {
	var list struct {
		Metadata metav1.ListMeta
		Items    []json.RawMessage
	}
	check(json.Unmarshal(get(source+"/api/v1/pods"), &list))
	version, err := strconv.Atoi(list.Metadata.ResourceVersion)
	check(err)
	return &collection{
		count: len(list.Items), version: version, protobuf: inProtobuf(list.Items),
		json: map[string]form{
			"/api/v1/pods":                       inJSON(list.Items, "Pod", "v1"),
			"/apis/bench.example.com/v1/widgets": inJSON(list.Items, "Widget", "bench.example.com/v1"),
		},
	}
}

// Puts the digits of a version in the place of those that are there.
func patch(event []byte, at, version int) {
	if version > 0 {
		copy(event[at:], strconv.Itoa(version))
	}
}

func inJSON(items []json.RawMessage, kind, apiVersion string) form {
	var versionAt []int
	for _, item := range items {
		versionAt = append(versionAt, bytes.Index(item, []byte(`"resourceVersion":"`))+len(`"resourceVersion":"`))
	}
	head := fmt.Sprintf(`"object":{"kind":%q,"apiVersion":%q,`, kind, apiVersion)
	return form{
		contentType: "application/json",
		event: func(batch []byte, event string, i, version int) []byte {
			batch = append(append(append(append(batch, `{"type":"`...), event...), `",`...), head...)
			at := len(batch) + versionAt[i] - 1
			batch = append(append(batch, items[i][1:]...), "}\n"...)
			patch(batch, at, version)
			return batch
		},
		bookmark: func(version int, endsInitial bool) []byte {
			annotations := ""
			if endsInitial {
				annotations = fmt.Sprintf(`,"annotations":{%q:"true"}`, metav1.InitialEventsAnnotationKey)
			}
			return fmt.Appendf(nil, `{"type":"BOOKMARK",%s"metadata":{"resourceVersion":"%d"%s}}}`+"\n", head, version, annotations)
		},
		expired: func() []byte {
			status, err := json.Marshal(gone())
			check(err)
			return fmt.Appendf(nil, `{"type":"ERROR","object":%s}`+"\n", status)
		},
		list: func(w http.ResponseWriter, version, limit, from int) {
			to, next := len(items), ""
			if limit > 0 && from+limit < to {
				to = from + limit
				next = fmt.Sprintf(`,"continue":"%d"`, to)
			}
			_, _ = fmt.Fprintf(w, `{"kind":"%sList","apiVersion":%q,"metadata":{"resourceVersion":"%d"%s},"items":[`, kind, apiVersion, version, next)
			for i := from; i < to; i++ {
				if i > from {
					_, _ = w.Write([]byte(","))
				}
				_, _ = w.Write(items[i])
			}
			_, _ = w.Write([]byte("]}\n"))
		},
	}
}

func inProtobuf(items []json.RawMessage) form {
	frames := map[string][][]byte{}
	versionAt := map[string][]int{}
	for _, item := range items {
		var pod corev1.Pod
		check(json.Unmarshal(item, &pod))
		for _, kind := range []string{"ADDED", "MODIFIED"} {
			bytesOf := frame(kind, &pod)
			frames[kind] = append(frames[kind], bytesOf)
			versionAt[kind] = append(versionAt[kind], bytes.Index(bytesOf, []byte(pod.ResourceVersion)))
		}
	}
	return form{
		contentType: "application/vnd.kubernetes.protobuf;stream=watch",
		event: func(batch []byte, kind string, i, version int) []byte {
			at := len(batch) + versionAt[kind][i]
			batch = append(batch, frames[kind][i]...)
			patch(batch, at, version)
			return batch
		},
		bookmark: func(version int, endsInitial bool) []byte {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: strconv.Itoa(version)}}
			if endsInitial {
				pod.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
			}
			return frame("BOOKMARK", pod)
		},
		expired: func() []byte { return frame("ERROR", gone()) },
	}
}

func gone() *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Message: "too old resource version", Reason: metav1.StatusReasonExpired, Code: http.StatusGone,
	}
}

var encoder = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

// One event with its length in front, as a watch in protobuf has them.
func frame(kind string, of runtime.Object) []byte {
	if pod, ok := of.(*corev1.Pod); ok {
		pod.TypeMeta = metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}
	}
	var object bytes.Buffer
	check(encoder.Encode(of, &object))
	event := metav1.WatchEvent{Type: kind, Object: runtime.RawExtension{Raw: object.Bytes()}}
	body, err := event.Marshal()
	check(err)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

type order struct {
	count, rate, first int
	// Ends the watch with 410 instead.
	expires bool
}

type server struct {
	objects *collection
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
			orders <- order{count: number("count"), rate: number("rate"), first: s.next}
		}
		s.next += number("count") + 1
	case "/bench/expire":
		for orders := range s.watches {
			orders <- order{expires: true}
		}
	case "/version":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"major":"1","minor":"36","gitVersion":"v1.36.3"}`))
	case "/bench/sent":
		check(json.NewEncoder(w).Encode(s.sent))
	default:
		form, ok := s.objects.json[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if watch := query.Get("watch"); watch != "true" && watch != "1" {
			w.Header().Set("Content-Type", form.contentType)
			form.list(w, s.objects.version, number("limit"), number("continue"))
			return
		}
		if strings.Contains(r.Header.Get("Accept"), "protobuf") {
			form = s.objects.protobuf
		}
		orders := make(chan order, 1)
		s.watches[orders] = true
		s.lock.Unlock()
		s.watch(w, r, form, orders)
		s.lock.Lock()
		delete(s.watches, orders)
	}
}

func (s *server) watch(w http.ResponseWriter, r *http.Request, form form, orders chan order) {
	w.Header().Set("Content-Type", form.contentType)
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		batch := make([]byte, 0, 1<<18)
		for i := range s.objects.count {
			batch = form.event(batch, "ADDED", i, 0)
			if len(batch) > 1<<17 {
				_, _ = w.Write(batch)
				batch = batch[:0]
			}
		}
		_, _ = w.Write(append(batch, form.bookmark(s.objects.version, true)...))
	}
	w.(http.Flusher).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case order := <-orders:
			if order.expires {
				_, _ = w.Write(form.expired())
				return
			}
			s.send(w, form, order)
		}
	}
}

func (s *server) send(w http.ResponseWriter, form form, o order) {
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
		batch = form.event(batch, "MODIFIED", sent*7919%s.objects.count, o.first+sent)
		if o.rate > 0 || len(batch) > 1<<17 {
			flush()
		}
	}
	batch = append(batch, form.bookmark(o.first+o.count, false)...)
	flush()
}
