package execution_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/resource"
)

var errBusy = errors.New("busy")

func withDeletion(p *outrank.Pod) { p.DeletionTimestamp = time.Unix(1, 0) }

// planFor is a plan of the pod p, with a priority of 100, to take these victims
// from node n1.
func planFor(victims ...*outrank.Pod) *preemption.Plan {
	plan := evicting("p", victims...)
	plan.Pod.Priority = outrank.Priority(100)
	return plan
}

// evicting is a plan of a pod of this name to take these victims from node n1.
func evicting(preemptor string, victims ...*outrank.Pod) *preemption.Plan {
	plan := &preemption.Plan{
		Pod: &outrank.Pod{Name: preemptor, UID: "uid-" + preemptor}, Outcome: preemption.Preempts,
		Candidate: preemption.Candidate{Node: "n1"},
	}
	for _, v := range victims {
		plan.Victims = append(plan.Victims, preemption.Victim{Pod: v})
	}
	return plan
}

func victimsNamed(names string) []*outrank.Pod {
	var pods []*outrank.Pod
	for _, name := range strings.Fields(names) {
		pods = append(pods, pendingPod(name, withNode("n1"), withUID("uid-"+name)))
	}
	return pods
}

// way is how a plan is executed: in an order of the executor's, or as the variant of the plan has it.
type way struct {
	order   execution.Order
	variant outrank.Variant
}

// The ways to execute a plan.
var (
	synchronous  = way{order: execution.Synchronous}
	asynchronous = way{order: execution.Asynchronous}
	old          = way{variant: outrank.VariantV1_13}
	simplified   = way{variant: outrank.VariantSimplified}

	ways = []way{synchronous, asynchronous, old, simplified}
)

// acting is a recorder, or what is built on one.
type acting interface{ Actions() execution.Actions }

// config is a configuration that acts on a recorder, one call after the other.
func (w way) config(r acting) execution.Config {
	return with(execution.Config{Order: w.order}, r)
}

// of is a plan that is executed in this way.
func (w way) of(plan *preemption.Plan) *preemption.Plan {
	copied := *plan
	copied.Variant = w.variant
	return &copied
}

// ofRelease is the plan by the rules of a release.
func ofRelease(r outrank.Release, plan *preemption.Plan) *preemption.Plan {
	copied := *plan
	copied.Release = r
	return &copied
}

// with is a configuration that acts on a recorder, one call after the other.
func with(c execution.Config, r acting) execution.Config {
	c.Actions, c.Parallel = r.Actions(), 1
	return c
}

// violating says that these victims of a plan violate a budget.
func violating(plan *preemption.Plan, names string) *preemption.Plan {
	for i := range plan.Victims {
		if v := &plan.Victims[i]; slices.Contains(strings.Fields(names), v.Pod.Name) {
			v.Violated = []*outrank.PodDisruptionBudget{{Name: "b"}}
		}
	}
	return plan
}

func newExecutor(t require.TestingT, config execution.Config) *execution.Executor {
	e, err := execution.NewExecutor(config)
	require.NoError(t, err)
	return e
}

// failOn makes the calls fail that are named as "op pod".
func failOn(err error, calls ...string) func(executiontest.Call) error {
	return func(c executiontest.Call) error {
		if c.Pod != nil && slices.Contains(calls, c.Op+" "+c.Pod.Name) {
			return err
		}
		return nil
	}
}

// story is the calls in short.
func story(r *executiontest.Recorder) []string {
	var lines []string
	for _, c := range r.Calls() {
		line := c.Op + " " + c.Pod.Name
		if c.Op == "nominate" {
			line += " " + c.Node
		}
		if c.Err != nil {
			line += "!"
		}
		lines = append(lines, line)
	}
	return lines
}

func pendingPod(name string, change ...func(*outrank.Pod)) *outrank.Pod {
	p := &outrank.Pod{Name: name, Priority: outrank.Priority(10)}
	for _, f := range change {
		f(p)
	}
	return p
}

func withUID(id string) func(*outrank.Pod) { return func(p *outrank.Pod) { p.UID = id } }
func withNomination(to string) func(*outrank.Pod) {
	return func(p *outrank.Pod) { p.NominatedNodeName = to }
}
func withNode(node string) func(*outrank.Pod) { return func(p *outrank.Pod) { p.NodeName = node } }
func withPriority(value int32) func(*outrank.Pod) {
	return func(p *outrank.Pod) { p.Priority = outrank.Priority(value) }
}
func withStart(at time.Time) func(*outrank.Pod) { return func(p *outrank.Pod) { p.StartTime = at } }

func smallNode(name string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "pods", "10")}
}

func withRequest(cpu string) func(*outrank.Pod) {
	return func(p *outrank.Pod) {
		p.Containers = []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}
	}
}

// entryOf is the entry of a first attempt.
func entryOf(pod *outrank.Pod) queue.Entry {
	return queue.Entry{Pod: pod, Attempts: 1, Cycle: 1}
}

// popped is a queue from which this pod was popped, with the entry.
func popped(t require.TestingT, config queue.Config, pod *outrank.Pod) (*queue.Queue, queue.Entry) {
	q, err := queue.New(config)
	require.NoError(t, err)
	require.NoError(t, q.Add(pod, now))
	entry, ok := q.TryPop(now)
	require.True(t, ok)
	return q, entry
}

func runningPod(name, uid string) *outrank.Pod {
	return &outrank.Pod{Name: name, UID: uid, NodeName: "n1"}
}

func waitingPod(name string, priority int32) *outrank.Pod {
	return pendingPod(name, withUID("uid-"+name), withPriority(priority))
}

// cluster records what is asked of it; during is what happens while a victim,
// by its name, is being evicted.
type cluster struct {
	executiontest.Recorder
	during map[string]func()
}

func (c *cluster) Actions() execution.Actions {
	actions := c.Recorder.Actions()
	evict := actions.Evict
	actions.Evict = func(ctx context.Context, e execution.Eviction) error {
		if happens := c.during[e.Victim.Name]; happens != nil {
			happens()
		}
		return evict(ctx, e)
	}
	return actions
}

// gate lets evictions in one by one.
type gate struct {
	executiontest.Recorder
	open   chan struct{}
	inside atomic.Int64
	fail   error
}

func (g *gate) Actions() execution.Actions {
	actions := g.Recorder.Actions()
	evict := actions.Evict
	actions.Evict = func(ctx context.Context, e execution.Eviction) error {
		g.inside.Add(1)
		defer g.inside.Add(-1)
		<-g.open
		return errors.Join(evict(ctx, e), g.fail)
	}
	return actions
}

var now = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)

// sample is two full nodes.
func sample() *outrank.Cluster {
	pod := func(name, node string, priority int32) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, Priority: outrank.Priority(priority), StartTime: now.Add(-time.Hour),
			Labels:     map[string]string{"app": name},
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
		}
	}
	node := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "2", "pods", "110")}
	}
	return &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods:  []*outrank.Pod{pod("web", "n1", 100), pod("batch", "n1", 10), pod("db", "n2", 500), pod("cache", "n2", 50)},
	}
}

func urgent() *outrank.Pod {
	return &outrank.Pod{
		Name: "urgent", Priority: outrank.Priority(1000),
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
	}
}

// must is for examples alone.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// eventsOf lists the events that a recorder was told.
func eventsOf(r *executiontest.Recorder) []outrank.Event {
	var events []outrank.Event
	for _, c := range r.Calls() {
		if c.Op == "event" {
			events = append(events, c.Event)
		}
	}
	return events
}
