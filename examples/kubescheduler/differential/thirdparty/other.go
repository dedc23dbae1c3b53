package thirdparty

import (
	"context"
	"errors"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Other is a way out that is neither preemption nor the one for devices: a PostFilter plugin that always does the
// same.
type Other struct {
	// Does is one of the actions below; empty means that it finds nothing and changes nothing.
	Does string `json:",omitempty"`
	// Node is the node that the action helps nominates.
	Node string `json:",omitempty"`
}

// The actions of another way out.
const (
	clears = "clears the nomination"
	helps  = "finds a node"
	fails  = "fails"
)

// OtherName is the name of an [Other] as a plugin.
const OtherName = "Other"

// OtherHelp is the message of an [Other] that has found a node.
const OtherHelp = "something else helps"

// The messages of an Other that has found none, or fails.
const (
	otherText = "nothing else helps"
	otherFail = "something else is broken"
)

// DrawOther draws an Other for a cluster with these nodes.
func DrawOther(r *rand.Rand, nodes []*corev1.Node) Other {
	return Other{Does: pick(r, "", clears, helps, fails), Node: pick(r, nodes...).Name}
}

// Plugin returns the way out as a plugin of the scheduler.
func (o Other) Plugin() fwk.Plugin { return otherPlugin{o} }

type otherPlugin struct{ Other }

func (otherPlugin) Name() string { return OtherName }

func (p otherPlugin) PostFilter(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	nominate := func(node string) *fwk.PostFilterResult {
		return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride}}
	}
	switch p.Does {
	case clears:
		return nominate(""), fwk.NewStatus(fwk.Unschedulable, otherText)
	case helps:
		return nominate(p.Node), fwk.NewStatus(fwk.Success, OtherHelp)
	case fails:
		return nil, fwk.AsStatus(errors.New(otherFail))
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, otherText)
}

// WayOut returns the way out as outrank asks it. Its plans are copies of told, the plan of a profile without
// preemption, with the node and the outcome of the action.
func (o Other) WayOut(told *preemption.Plan) execution.WayOut {
	var plan *preemption.Plan
	var err error
	answer := *told
	way := execution.WayOut{Name: OtherName, Says: otherText, Found: OtherHelp}
	switch o.Does {
	case clears:
		answer.Outcome, answer.Ineligible = preemption.NothingHelps, ""
		plan = &answer
	case helps:
		answer.Outcome, answer.Ineligible = preemption.Preempts, ""
		answer.Candidate = preemption.Candidate{Node: o.Node}
		plan = &answer
	case fails:
		plan, err, way.Says = told, errors.New(otherFail), otherFail
	}

	way.Ask = func(context.Context, *engine.Snapshot, preemption.Request) (*preemption.Plan, error) {
		return plan, err
	}
	return way
}
