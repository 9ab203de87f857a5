package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
)

// userDirectory has the users that were added while the server runs. The API server calls it as a token webhook,
// because its own token file is read only once.
type userDirectory struct {
	config string

	lock    sync.RWMutex
	byToken map[string]authenticationv1.UserInfo
}

func startUserDirectory(folder string) (*userDirectory, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	directory := &userDirectory{
		config:  filepath.Join(folder, "token-webhook.kubeconfig"),
		byToken: map[string]authenticationv1.UserInfo{},
	}
	config := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{ name: users, cluster: { server: "http://%s/" } }]
users: [{ name: kube-apiserver, user: {} }]
contexts: [{ name: users, context: { cluster: users, user: kube-apiserver } }]
current-context: users
`, listener.Addr())
	if err := os.WriteFile(directory.config, []byte(config), 0o600); err != nil {
		return nil, err
	}
	go http.Serve(listener, directory)
	return directory, nil
}

func (d *userDirectory) add(token, name string, groups []string) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.byToken[token] = authenticationv1.UserInfo{Username: name, UID: name, Groups: groups}
}

func (d *userDirectory) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	var review authenticationv1.TokenReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	d.lock.RLock()
	user, known := d.byToken[review.Spec.Token]
	d.lock.RUnlock()
	review.Status = authenticationv1.TokenReviewStatus{Authenticated: known, User: user}
	review.Spec = authenticationv1.TokenReviewSpec{}
	writer.Header().Set("Content-Type", "application/json")
	json.NewEncoder(writer).Encode(review)
}
