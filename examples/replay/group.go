package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Group is the answer in mode group.
type Group struct {
	// Fits is set if there is a place with nobody pushed out, which is Placed.
	Fits   bool              `json:"fits"`
	Placed map[string]string `json:"placed,omitempty"`
	// Code and Reasons are the result of preemption, which is asked for whether
	// it fits or not, and Nominations the nominations of pods afterwards.
	Code        string            `json:"code"`
	Reasons     []string          `json:"reasons,omitempty"`
	Nominations map[string]string `json:"nominations,omitempty"`
	// Units are the victims, the most important first; the names in a unit are sorted.
	Units                  [][]string `json:"units,omitempty"`
	NumPDBViolations       int        `json:"numPDBViolations"`
	NumPodGroupDisruptions int        `json:"numPodGroupDisruptions"`
	// Preempted are the victims that are not on their way out already.
	Preempted []string `json:"preempted,omitempty"`
	// ClearedNominations are empty: nobody loses a nomination to a group (rule 12.9.12).
	ClearedNominations []string `json:"clearedNominations,omitempty"`
}

// group decides for the pending pods that name the group, in the order of the document.
func (c *Case) group(now time.Time) (*Group, error) {
	req := preemption.GroupRequest{Now: now}
	for _, p := range c.Pods {
		if p != nil && p.NodeName == "" && !p.Finished() && p.GroupKey() == c.PreemptorGroup && p.Group != "" {
			req.Pods = append(req.Pods, p)
		}
	}
	if len(req.Pods) == 0 {
		return nil, fmt.Errorf("preemptorGroup: no pending pod names the group %q", c.PreemptorGroup)
	}

	config := preemption.Config{Profile: preemption.Profile{Schedulers: []string{req.Pods[0].Scheduler()}}}
	eval, err := engine.New(config)
	if err != nil {
		return nil, err
	}
	// Each question is asked of the engine and of the book, which have to agree in everything.
	ask := func() (*preemption.GroupPlan, error) {
		snap, err := engine.NewSnapshot(c.cluster())
		if err != nil {
			return nil, err
		}
		plan, err := eval.PreemptGroup(context.Background(), snap, req)
		if err != nil {
			return nil, err
		}
		book, err := preemption.PreemptGroup(c.cluster(), req, config)
		if err == nil && !reflect.DeepEqual(book, plan) {
			err = fmt.Errorf("preemption.PreemptGroup says %v, and the engine %v", book, plan)
		}
		return plan, err
	}

	// As the group comes, after its refusal by a scheduler, and with a function for the places: three ways
	// to the same answer.
	first, err := ask()
	if err != nil {
		return nil, err
	}
	req.Refused = true
	plan, err := ask()
	if err != nil {
		return nil, err
	}
	req.Place = func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		return plan.Placement, plan.Unhelpful, nil // as it has placed them itself
	}
	own, err := ask()
	if err != nil {
		return nil, err
	}
	if err := alikeForGroup(first, plan, own); err != nil {
		return nil, err
	}
	return groupAnswer(first, plan), nil
}

// alikeForGroup compares the answers with each other: that to a group without a place,
// which is the same whether or not the caller says so, and that with a function for the
// places.
func alikeForGroup(first, plan, own *preemption.GroupPlan) error {
	if !reflect.DeepEqual(groupAnswer(plan, plan), groupAnswer(plan, own)) {
		return fmt.Errorf("with a function that places as it does itself, PreemptGroup says %v and else %v", own.Status, plan.Status)
	}
	if first.Outcome != preemption.Fits && !reflect.DeepEqual(groupAnswer(first, first), groupAnswer(first, plan)) {
		return fmt.Errorf("PreemptGroup says %v, and %v of a group that has no place", first.Status, plan.Status)
	}
	return nil
}

// groupAnswer joins the places as things are and the result of preemption.
func groupAnswer(first, plan *preemption.GroupPlan) *Group {
	g := &Group{
		Code: codeName(plan.Status.Code), Reasons: plan.Status.Reasons, Nominations: nodesOf(plan.Nominations),
	}
	if g.Fits = first.Outcome == preemption.Fits; g.Fits {
		g.Placed = nodesOf(first.Placement)
	}
	for unit := range plan.Units() {
		if unit[0].Pod.Group != "" { // also a pod that leaves by itself
			g.NumPodGroupDisruptions++
		}
		var names []string
		for _, v := range unit {
			names = append(names, string(v.Pod.Key()))
			if !v.Pod.Terminating() {
				g.Preempted = append(g.Preempted, string(v.Pod.Key()))
			}
			if len(v.Violated) > 0 {
				g.NumPDBViolations++
			}
		}
		slices.Sort(names)
		g.Units = append(g.Units, names)
	}
	return g
}

func nodesOf(assignments []preemption.Assignment) map[string]string {
	nodes := map[string]string{}
	for _, a := range assignments {
		nodes[string(a.Pod.Key())] = a.Node
	}
	return nodes
}
