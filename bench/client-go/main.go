// Command clientgo measures client-go the way bench/informer/child.mjs measures the JavaScript side, and serves watches of the
// objects of a load server, in protobuf if the client accepts it, as a real API server does, else in JSON.
//
//	clientgo serve <url of a load server>
//	clientgo sync|watch|latency json|protobuf|dynamic <url> <pods> [events] [rate]
//	clientgo fill <url of a real server> <pods>
//	clientgo churn <url of a real server> <pods> <events> <rate>
//	clientgo follow json|protobuf|dynamic <url of a real server> <pods> <events>
//	clientgo queues|indexer <count>
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

func main() {
	number := func(at int) int {
		if len(os.Args) <= at {
			return 0
		}
		value, err := strconv.Atoi(os.Args[at])
		check(err)
		return value
	}
	var result any
	switch os.Args[1] {
	case "serve":
		serve(os.Args[2])
		return
	case "fill":
		result = fill(os.Args[2], number(3))
	case "churn":
		result = churn(os.Args[2], number(3), number(4), number(5))
	case "queues":
		result = measureQueues(number(2))
	case "indexer":
		result = measureIndexer(number(2))
	default:
		run := informerRun{kind: os.Args[2], url: os.Args[3], pods: number(4), events: number(5), rate: number(6)}
		result = run.measure(os.Args[1])
	}
	check(json.NewEncoder(os.Stdout).Encode(result))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
