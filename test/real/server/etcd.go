package main

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
)

func startEtcd(folder string) (*embed.Etcd, error) {
	anyPort := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	config.LogOutputs = []string{"stderr"}
	// Data must survive the death of the process, not of the machine.
	config.UnsafeNoFsync = true
	config.ListenClientUrls = anyPort
	config.AdvertiseClientUrls = anyPort
	config.ListenPeerUrls = anyPort
	config.AdvertisePeerUrls = anyPort
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err := <-etcd.Err():
		return nil, err
	case <-time.After(time.Minute):
		etcd.Close()
		return nil, errors.New("etcd was not ready within a minute")
	}
}

// compactRevisionKey is where API servers tell each other how far etcd has been compacted.
const compactRevisionKey = "compact_rev_key"

// compact compacts etcd at the current revision, and writes it to the key that API servers watch.
func compact(ctx context.Context, client *clientv3.Client) (int64, error) {
	current, err := client.Get(ctx, compactRevisionKey)
	if err != nil {
		return 0, err
	}
	revision := current.Header.Revision
	if _, err := client.Compact(ctx, revision, clientv3.WithCompactPhysical()); err != nil {
		return 0, err
	}
	_, err = client.Put(ctx, compactRevisionKey, strconv.FormatInt(revision, 10))
	return revision, err
}
