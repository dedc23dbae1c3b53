package queuepair

import (
	"context"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"

	"github.com/outrank-go/outrank"
	ourqueue "github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// gates records the answers of the reference's PreEnqueue plugins. The gates of our queue repeat the latest answer:
// a plugin that is asked once more, for our queue, may answer differently by then.
type gates struct {
	mu sync.Mutex
	// holds says whether the plugin kept the pod out of the queue when it was last asked.
	holds map[held]bool
	// all are the names of the plugins.
	all map[string]bool
}

// held is a pod with the name of a plugin that was asked about it.
type held struct {
	plugin string
	pod    types.UID
}

func newGates() *gates { return &gates{holds: map[held]bool{}, all: map[string]bool{}} }

// noted is a plugin whose answers are recorded.
type noted struct {
	fwk.PreEnqueuePlugin
	gates *gates
}

func (n *noted) PreEnqueue(ctx context.Context, pod *corev1.Pod) *fwk.Status {
	s := n.PreEnqueuePlugin.PreEnqueue(ctx, pod)
	n.gates.mu.Lock()
	defer n.gates.mu.Unlock()
	n.gates.holds[held{n.Name(), pod.UID}] = !s.IsSuccess()
	return s
}

// watch records the answers of a queue's plugins, and returns gates that repeat them. There is none for the plugin
// SchedulingGates: this library's queue has that check itself.
func (g *gates) watch(q *queue.PriorityQueue) []ourqueue.Gate {
	for _, plugins := range gatesOf(q) {
		for name, plugin := range plugins {
			plugins[name], g.all[name] = &noted{plugin, g}, true
		}
	}
	var list []ourqueue.Gate
	for _, name := range g.names() {
		if name == "SchedulingGates" {
			continue
		}
		gate := ourqueue.Gate{Name: name, Holds: func(pod *outrank.Pod) bool { return g.answer(name, types.UID(pod.UID)) }}
		for _, e := range eventsOf(q)[name] {
			gate.Events = append(gate.Events, KindOf(e))
		}
		list = append(list, gate)
	}
	return list
}

func (g *gates) answer(plugin string, pod types.UID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.holds[held{plugin, pod}]
}

// names returns the names of the plugins, sorted.
func (g *gates) names() []string { return slices.Sorted(maps.Keys(g.all)) }
