package lockstep

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	tf "k8s.io/kubernetes/pkg/scheduler/testing/framework"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// wayAnswer is the result of a way out.
type wayAnswer string

const (
	wordless   wayAnswer = "has nothing to say"
	says       wayAnswer = "says why not"
	clears     wayAnswer = "clears the nomination"
	finds      wayAnswer = "finds a node"
	breaksDown wayAnswer = "fails"
	// Those of preemption.
	mayNot   wayAnswer = "may not preempt"
	hopeless wayAnswer = "nothing helps"
	vetoed   wayAnswer = "extenders leave nothing"
	preempts wayAnswer = "preempts"
	broken   wayAnswer = "preemption fails"
)

// way is a way out on both sides.
type way struct {
	name   string
	answer wayAnswer
	asked  bool
}

func (w *way) Name() string { return w.name }

// PostFilter answers as a plugin, preemption as DefaultPreemption does.
func (w *way) PostFilter(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	w.asked = true
	nominate := framework.NewPostFilterResultWithNominatedNode
	switch w.answer {
	case wordless:
		return nil, fwk.NewStatus(fwk.Unschedulable)
	case clears:
		return nominate(""), fwk.NewStatus(fwk.Unschedulable, w.text())
	case finds:
		return nominate("n2"), fwk.NewStatus(fwk.Success, w.text())
	case breaksDown:
		return nil, fwk.AsStatus(errors.New(w.text()))
	case mayNot:
		return nil, fwk.NewStatus(fwk.Unschedulable, "preemption: not eligible due to preemptionPolicy=Never.")
	case hopeless:
		return nominate(""), fwk.NewStatus(fwk.Unschedulable, "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.")
	case vetoed:
		return nil, fwk.NewStatus(fwk.Unschedulable, "preemption: no candidate node for preemption")
	case preempts:
		return nominate("n1"), fwk.NewStatus(fwk.Success, "preemption: found a potential placement for pod on node n1, preempting 1 victims")
	case broken:
		return nil, fwk.NewStatus(fwk.Error, `preemption: expected at least one victim pod on node "n1"`)
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, w.text())
}

func (w *way) text() string { return w.name + " " + string(w.answer) }

// turnedDown is the plan of a scheduler whose only node is full.
func turnedDown(outcome preemption.Outcome) *preemption.Plan {
	return &preemption.Plan{Outcome: outcome, TurnedDown: []preemption.Count{
		{Status: preemption.Status{Code: preemption.Unschedulable, Filter: "Full", Reasons: []string{"full"}}, Nodes: 1},
	}}
}

// ours is the same for the library.
func (w *way) ours() execution.WayOut {
	var plan *preemption.Plan
	var err error
	out := execution.WayOut{Name: w.name}
	node := []preemption.Count{{Nodes: 1}}
	switch w.answer {
	case wordless:
	case clears:
		plan, out.Says = turnedDown(preemption.NothingHelps), w.text()
	case finds:
		plan, out.Found = turnedDown(preemption.Preempts), w.text()
		plan.Candidate.Node = "n2"
	case breaksDown:
		plan, err, out.Says = turnedDown(preemption.NotEligible), errors.New("broken"), w.text()
	case mayNot:
		plan = turnedDown(preemption.NotEligible)
		plan.Ineligible = preemption.PolicyNever
	case hopeless:
		plan = turnedDown(preemption.NothingHelps)
	case vetoed:
		plan, node[0].Status = turnedDown(preemption.NothingHelps), preemption.Unschedulable.Because("an extender dropped the node")
		plan.Unhelpful = node
	case preempts:
		plan = turnedDown(preemption.Preempts)
		plan.Candidate = preemption.Candidate{Node: "n1", Victims: make([]preemption.Victim, 1)}
	case broken:
		plan, node[0].Status = turnedDown(preemption.NothingHelps), preemption.Contradiction.Because(`expected at least one victim pod on node "n1"`)
		plan.Unhelpful = node
	default:
		out.Says = w.text()
	}
	out.Ask = func(context.Context, *engine.Snapshot, preemption.Request) (*preemption.Plan, error) {
		w.asked = true
		return plan, err
	}
	return out
}

// drawWays draws some, of which preemption is at most one.
func drawWays(t *rapid.T) []*way {
	var list []*way
	preemptionAt := below(t, 5, "preemption")
	for i := range below(t, 5, "ways") {
		w := &way{name: fmt.Sprint("Way", i)}
		if i == preemptionAt {
			w.answer = pick(t, "answer", mayNot, hopeless, vetoed, preempts, broken)
		} else {
			w.answer = pick(t, "answer", wordless, says, says, clears, finds, breaksDown)
		}
		list = append(list, w)
	}
	return list
}

// outcome is the message to a pod that no node takes, and its nomination.
type outcome struct {
	Nomination string
	Message    string
	Asked      []string
}

const kept = "(kept)"

// byScheduler is the reference's result of the answers.
func byScheduler(t *rapid.T, ways []*way) outcome {
	plugins := []tf.RegisterPluginFunc{tf.RegisterQueueSortPlugin(queuesort.Name, queuesort.New), tf.RegisterBindPlugin(defaultbinder.Name, defaultbinder.New)}
	for _, w := range ways {
		plugins = append(plugins, tf.RegisterPluginAsExtensions(w.name, func(context.Context, apiruntime.Object, fwk.Handle) (fwk.Plugin, error) { return w, nil }, "PostFilter"))
	}
	f, err := tf.NewFramework(quiet, plugins, outrank.DefaultScheduler)
	require.NoError(t, err)
	failed := &framework.FitError{NumAllNodes: 1, Diagnosis: framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}}
	failed.Diagnosis.NodeToStatus.Set("n1", fwk.NewStatus(fwk.Unschedulable, "full"))
	o := outcome{Nomination: kept}
	if !f.HasPostFilterPlugins() {
		return outcome{Message: failed.Error()}
	}
	result, status := f.RunPostFilterPlugins(quiet, framework.NewCycleState(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, failed.Diagnosis.NodeToStatus)
	if result != nil && result.Mode() == fwk.ModeOverride {
		o.Nomination = result.NominatedNodeName
	}
	failed.Diagnosis.PostFilterMsg = status.Message()
	o.Message = failed.Error()
	return o
}

// byOutrank is the library's result of the answers. A plan stands for the answers
// of the nodes where no way has one.
func byOutrank(t *rapid.T, ways []*way) outcome {
	var list []execution.WayOut
	for _, w := range ways {
		list = append(list, w.ours())
	}
	plan, asked, err := execution.FirstWayOut(quiet, nil, preemption.Request{}, list...)
	require.NotNil(t, asked, "%v", err)
	if plan == nil {
		plan = turnedDown(preemption.NotEligible)
	}
	own := *plan
	own.Release = outrank.V1_37
	failure := execution.Failure{Entry: queue.Entry{Pod: &outrank.Pod{Name: "p", Namespace: "default"}}, Plan: &own, Ways: asked, Err: err}
	v, err := failure.Verdict()
	require.NoError(t, err)
	require.Equal(t, "Unschedulable", v.Condition.Reason)
	o := outcome{Nomination: v.Nomination.Node, Message: v.Condition.Message}
	if !v.Nomination.Override {
		o.Nomination = kept
	}
	return o
}

// asked are the names of those that were asked, which are asked anew after that.
func asked(ways []*way) []string {
	var names []string
	for _, w := range ways {
		if w.asked {
			names = append(names, w.name)
		}
		w.asked = false
	}
	return names
}

// The nomination and the message are the same for any ways out, none of them
// included.
func TestWaysOut(t *testing.T) {
	did := map[wayAnswer]int{}
	check(t, 2000, func(t *rapid.T) {
		ways := drawWays(t)
		for _, w := range ways {
			did[w.answer]++
		}
		theirs := byScheduler(t, ways)
		theirs.Asked = asked(ways)
		ours := byOutrank(t, ways)
		ours.Asked = asked(ways)
		require.Equal(t, theirs, ours)
	})
	t.Log(did)
}
