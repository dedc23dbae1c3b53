package execution_test

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/execution/executiontest"
	"github.com/outrank-go/outrank/priority/queue"
	"github.com/outrank-go/outrank/resource"
)

var errBusy = errors.New("busy")

func withDeletion(p *outrank.Pod) { p.DeletionTime = time.Unix(1, 0) }

// planFor is a plan for pod p on n1 with these victims.
func planFor(victims ...*outrank.Pod) *preemption.Plan {
	plan := &preemption.Plan{Pod: pendingPod("p", withPriority(100), withUID("uid-p")), Outcome: preemption.Preempt, Candidate: preemption.Candidate{Node: "n1"}}
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

func newExecutor(t require.TestingT, config execution.Config) *execution.Executor {
	e, err := execution.NewExecutor(config)
	require.NoError(t, err)
	return e
}

// failOn makes the calls fail that are named as "op pod".
func failOn(err error, calls ...string) func(executiontest.Call) error {
	return func(c executiontest.Call) error {
		if c.Pod != nil && slices.Contains(calls, string(c.Op)+" "+c.Pod.Name) {
			return err
		}
		return nil
	}
}

// story is the calls in short.
func story(r *executiontest.Recorder) []string {
	var lines []string
	for _, c := range r.Calls() {
		line := string(c.Op) + " " + c.Pod.Name
		if c.Op == executiontest.OpNominate {
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
	return func(p *outrank.Pod) { p.NominatedNode = to }
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
