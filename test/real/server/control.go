package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// control answers the parent: one command per line, one answer per line with the same id, in any order.
type control struct {
	folder string
	keys   *keys
	users  *userDirectory
	stop   func()
	etcd   atomic.Pointer[clientv3.Client]
	write  sync.Mutex
}

type command struct {
	ID            int      `json:"id"`
	Command       string   `json:"command"`
	CommonName    string   `json:"commonName"`
	Organizations []string `json:"organizations"`
	Token         string   `json:"token"`
	Name          string   `json:"name"`
	Groups        []string `json:"groups"`
}

type answer struct {
	ID          int    `json:"id,omitempty"`
	Event       string `json:"event,omitempty"`
	Error       string `json:"error,omitempty"`
	Port        int    `json:"port,omitempty"`
	Revision    int64  `json:"revision,omitempty"`
	Certificate string `json:"certificate,omitempty"`
	Key         string `json:"key,omitempty"`
}

// read serves commands until stdin ends. The parent is gone then, so read removes the data.
func (c *control) read(input io.Reader) {
	lines := bufio.NewScanner(input)
	for lines.Scan() {
		var command command
		if err := json.Unmarshal(lines.Bytes(), &command); err != nil {
			c.send(answer{Error: "not a command: " + err.Error()})
			continue
		}
		go func() {
			reply, err := c.execute(command)
			if err != nil {
				reply.Error = err.Error()
			}
			reply.ID = command.ID
			c.send(reply)
		}()
	}
	// etcd still writes: files that it adds while its folder is being removed need another round.
	for range 10 {
		if os.RemoveAll(c.folder) == nil {
			break
		}
	}
	os.Exit(0)
}

func (c *control) execute(command command) (answer, error) {
	switch command.Command {
	case "compact":
		client := c.etcd.Load()
		if client == nil {
			return answer{}, errors.New("etcd has not started yet")
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		revision, err := compact(ctx, client)
		return answer{Revision: revision}, err
	case "certificate":
		pair, err := c.keys.clientCertificate(command.CommonName, command.Organizations)
		if err != nil {
			return answer{}, err
		}
		return answer{Certificate: string(pair.certPEM), Key: string(pair.keyPEM)}, nil
	case "addUser":
		c.users.add(command.Token, command.Name, command.Groups)
		return answer{}, nil
	case "stop":
		c.stop()
		return answer{}, nil
	default:
		return answer{}, fmt.Errorf("there is no command %q", command.Command)
	}
}

func (c *control) send(reply answer) {
	line, err := json.Marshal(reply)
	if err != nil {
		panic(err)
	}
	c.write.Lock()
	defer c.write.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

// announceReady sends the port to the parent as soon as /readyz answers ok.
func (c *control) announceReady(ctx context.Context, port int, adminToken string) {
	authority, err := os.ReadFile(c.keys.path("server-ca.crt"))
	if err != nil {
		c.send(answer{Event: "failed", Error: err.Error()})
		return
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("https://127.0.0.1:%d/readyz", port), nil)
	if err != nil {
		c.send(answer{Event: "failed", Error: err.Error()})
		return
	}
	request.Header.Set("Authorization", "Bearer "+adminToken)
	for ctx.Err() == nil {
		if response, err := client.Do(request); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				c.send(answer{Event: "ready", Port: port})
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
}
