// Kube-scheduler-outrank is kube-scheduler with the plugin Outrank, which takes the place of
// DefaultPreemption where a profile says so (config.yaml of this module is an example):
//
//	kube-scheduler-outrank --config config.yaml
//
// It has all flags of kube-scheduler.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // metrics of the client
	_ "k8s.io/component-base/metrics/prometheus/version"  // the version as a metric
)

func main() { os.Exit(cli.Run(newCommand())) }
