package differential

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Hints compares the queueing hints of the scheduler's plugins with those of outrank's queue, on random pods that
// wait and random changes.
type Hints struct {
	Release outrank.Release
	// Pod, Node and Storage convert what an event is about.
	Pod     func(*corev1.Pod) (*outrank.Pod, error)
	Node    func(*corev1.Node) (*outrank.Node, error)
	Storage func(old, new any) *queue.StorageChange
	// Resizes has the pods wait on their nodes for a resize. The feature gate of such resizes must be on.
	Resizes bool
	// Alter changes something of a node that not every release has; nil for nothing.
	Alter func(n *corev1.Node, choice int)
}

// HintCount counts answers by the filter and what both say.
type HintCount map[string]int

// plugin is a plugin with the events that it registers for.
type plugin struct {
	name  string
	hints []fwk.ClusterEventWithHint
}

// Run compares the hints about the changes of a case. It returns how they differ, if they do.
func (h *Hints) Run(kind string, seed uint64, count HintCount) (differences []string, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	plugins, err := hintsOf(ctx)
	if err != nil {
		return nil, err
	}
	c, err := Generate(kind, seed)
	if err != nil {
		return nil, err
	}
	f, err := featuresOf(kind)
	if err != nil {
		return nil, err
	}

	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x41147)), features: f, c: c, pods: 500}
	g.profile()
	d := &hintDraw{generator: g, hints: h}
	pods := d.waiting()
	changes, err := d.changes()
	if err != nil {
		return nil, err
	}
	for _, waiting := range pods {
		own, err := d.ownChange(waiting)
		if err != nil {
			return nil, err
		}
		ours, err := h.Pod(waiting)
		if err != nil {
			return nil, err
		}
		for _, change := range append(own, changes...) {
			for i := range plugins {
				if text := h.compare(&plugins[i], waiting, ours, &change, count); text != "" {
					differences = append(differences, text)
				}
			}
		}
	}
	return differences, nil
}

// hintsOf returns the filters among the plugins of a scheduler with the default profile.
func hintsOf(ctx context.Context) ([]plugin, error) {
	client := &fake.Clientset{}
	sched, err := scheduler.New(ctx, client, newInformers(client), nil, func(string) events.EventRecorderLogger { return &recorder{&reference{}} })
	if err != nil {
		return nil, err
	}
	var plugins []plugin
	for _, e := range sched.Profiles[corev1.DefaultSchedulerName].EnqueueExtensions() {
		// A pod without a node that comes helps against no filter, and may help against what outrank does not know.
		unknown := queue.Helps(0, &queue.Entry{FailedFilters: []string{e.Name()}}, queue.ClusterEvent{Kind: queue.EventUnscheduledPodAdded})
		if unknown {
			continue
		}
		hints, err := e.EventsToRegister(ctx)
		if err != nil {
			return nil, err
		}
		plugins = append(plugins, plugin{e.Name(), hints})
	}
	return plugins, nil
}

// hintChange is a change of an object: what the scheduler tells its queue, and outrank's event for it.
type hintChange struct {
	name        string
	events      []fwk.ClusterEvent
	old, object any
	ours        queue.ClusterEvent
}

// compare asks both sides whether a change may help a pod that a filter kept off. It returns the difference.
func (h *Hints) compare(p *plugin, waiting *corev1.Pod, ours *outrank.Pod, change *hintChange, count HintCount) string {
	theirs := slices.ContainsFunc(change.events, func(e fwk.ClusterEvent) bool {
		return slices.ContainsFunc(p.hints, func(hint fwk.ClusterEventWithHint) bool {
			if !framework.MatchClusterEvents(hint.Event, e) {
				return false
			}
			if hint.QueueingHintFn == nil {
				return true
			}
			answer, err := hint.QueueingHintFn(klog.Background(), waiting, change.old, change.object)
			return err != nil || answer == fwk.Queue
		})
	})
	said := queue.Helps(h.Release, &queue.Entry{Pod: ours, FailedFilters: []string{p.name}}, change.ours)
	switch {
	case said && p.name == "PodTopologySpread" && len(waiting.Spec.TopologySpreadConstraints) == 0:
		// The constraints of the profile keep such a pod off, which outrank's hints do not know (rule 5.4.30).
		count[p.name+" of the profile"]++
	case theirs != said:
		return fmt.Sprintf("%s, %s: kube-scheduler %t, outrank %t\nwaiting %+v\nevent %+v", p.name, change.name, theirs, said, ours, change.ours)
	case theirs:
		count[p.name+" helps: "+change.name]++
	default:
		count[p.name+" does not"]++
	}
	return ""
}

// podChanges returns the events by which the scheduler tells of an update of a pod. A later release wants to know
// whether it is the waiting one itself.
func podChanges(new, old *corev1.Pod, itself bool) []fwk.ClusterEvent {
	f := reflect.ValueOf(framework.PodSchedulingPropertiesChange)
	args := []reflect.Value{reflect.ValueOf(new), reflect.ValueOf(old), reflect.ValueOf(itself)}
	return f.Call(args[:f.Type().NumIn()])[0].Interface().([]fwk.ClusterEvent)
}
