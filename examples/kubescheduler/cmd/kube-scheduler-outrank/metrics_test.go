package main

import (
	"context"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	outrank "github.com/outrank-go/outrank/examples/clientgo/metrics"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Every metric that the alerts and the dashboard name exists in the program, with the labels
// that are asked for.
func TestMetricsOfAlertsAndDashboardExist(t *testing.T) {
	have := map[string]map[string]bool{}
	for _, registry := range []prometheus.Gatherer{legacyregistry.DefaultGatherer, counted(t)} {
		families, err := registry.Gather()
		require.NoError(t, err)
		for _, f := range families {
			labels := map[string]bool{}
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					labels[l.GetName()] = true
				}
			}
			suffixes := []string{""}
			if len(f.GetMetric()) > 0 && f.GetMetric()[0].GetHistogram() != nil {
				suffixes = []string{"_bucket", "_sum", "_count"}
				labels["le"] = true
			}
			for _, suffix := range suffixes {
				have[f.GetName()+suffix] = labels
			}
		}
	}
	name := regexp.MustCompile(`\b(?:outrank|scheduler|leader_election|process|go|rest_client)_\w+`)
	asked := regexp.MustCompile(`(\w+)\{([^}]*)\}`)
	label := regexp.MustCompile(`(\w+)=~?\\?"`)
	for _, file := range []string{"rules.yaml", "dashboard.json"} {
		text, err := os.ReadFile("../../deploy/chart/files/" + file)
		require.NoError(t, err)
		names := name.FindAllString(string(text), -1)
		assert.Greater(t, len(names), 6, file)
		for _, metric := range names {
			assert.Contains(t, have, metric, file)
		}
		for _, selector := range asked.FindAllStringSubmatch(string(text), -1) {
			for _, l := range label.FindAllStringSubmatch(selector[2], -1) {
				if l[1] != "job" { // which Prometheus adds
					assert.Contains(t, have[selector[1]], l[1], "%s: %s", file, selector[0])
				}
			}
		}
	}
}

// counted has the plugin's metrics with a value each, and those of an election in the
// registry of the scheduler.
func counted(t *testing.T) prometheus.Gatherer {
	metrics.Register()
	c := outrank.New()
	c.Counts.AddPreemption()
	c.Counts.AddExecution(&execution.Report{Plan: &preemption.Plan{}, Order: execution.Asynchronous, Victims: make([]execution.PodReport, 1)}, nil)
	c.AddDecision("pod", "preempt", time.Millisecond, time.Millisecond)
	c.SetNotUnderstood(map[string]int{"pod": 1})
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	metrics.ActivePods().Inc()
	lock := &resourcelock.LeaseLock{Client: fake.NewClientset().CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: "me"}}
	lock.LeaseMeta.Namespace, lock.LeaseMeta.Name = "default", "lease"
	_, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, Name: "kube-scheduler", LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}},
	})
	require.NoError(t, err)
	return registry
}
