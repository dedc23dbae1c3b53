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
	// Fits is set if the group finds places without preemption; Placed are these places.
	Fits   bool              `json:"fits"`
	Placed map[string]string `json:"placed,omitempty"`
	// Code and Reasons are the result of preemption, which is tried even if the group fits.
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
	// Nominations are the nodes to which preemption nominates the group's pods.
	Nominations map[string]string `json:"nominations,omitempty"`
	// Units are the victims, by units that leave together; the most important unit comes first. Names within
	// a unit are sorted.
	Units                  [][]string `json:"units,omitempty"`
	NumPDBViolations       int        `json:"numPDBViolations"`
	NumPodGroupDisruptions int        `json:"numPodGroupDisruptions"`
	// Preempted are the victims that are not terminating already.
	Preempted []string `json:"preempted,omitempty"`
	// ClearedNominations is always empty, because no pod loses its nomination to a group (rule 12.9.12).
	ClearedNominations []string `json:"clearedNominations,omitempty"`
}

// group decides for the pending pods that name the group, in the order of the case.
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

	// The group is decided three times: as it comes; as one that a scheduler has refused; and with a function
	// that places the pods exactly as the second answer did.
	asComes, err := c.askForGroup(eval, config, req)
	if err != nil {
		return nil, err
	}

	req.Refused = true
	refused, err := c.askForGroup(eval, config, req)
	if err != nil {
		return nil, err
	}

	req.Place = func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		return refused.Placement, refused.Unhelpful, nil
	}
	placed, err := c.askForGroup(eval, config, req)
	if err != nil {
		return nil, err
	}

	if err := alikeForGroup(asComes, refused, placed); err != nil {
		return nil, err
	}
	return groupAnswer(asComes, refused), nil
}

// askForGroup asks the engine and package preemption, which must agree in everything.
func (c *Case) askForGroup(eval *engine.Evaluator, config preemption.Config, req preemption.GroupRequest) (*preemption.GroupPlan, error) {
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

// alikeForGroup compares three answers about a group. Placing by a function must not change the answer. A
// group that does not fit as it comes must get the same answer as after a refusal.
func alikeForGroup(asComes, refused, placed *preemption.GroupPlan) error {
	if !reflect.DeepEqual(groupAnswer(refused, refused), groupAnswer(refused, placed)) {
		return fmt.Errorf("with a function that places as it does itself, PreemptGroup says %v and else %v", placed.Status, refused.Status)
	}
	if asComes.Outcome != preemption.Fits && !reflect.DeepEqual(groupAnswer(asComes, asComes), groupAnswer(asComes, refused)) {
		return fmt.Errorf("PreemptGroup says %v, and %v of a group that has no place", asComes.Status, refused.Status)
	}
	return nil
}

// groupAnswer combines the places of the group as it comes with the result of preemption.
func groupAnswer(asComes, plan *preemption.GroupPlan) *Group {
	g := &Group{
		Fits: asComes.Outcome == preemption.Fits,
		Code: codeName(plan.Status.Code), Reasons: plan.Status.Reasons, Nominations: nodesOf(plan.Nominations),
	}
	if g.Fits {
		g.Placed = nodesOf(asComes.Placement)
	}

	for unit := range plan.Units() {
		if unit[0].Pod.Group != "" { // a pod of a group counts even if it leaves alone
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

// nodesOf maps the keys of the pods to their nodes.
func nodesOf(assignments []preemption.Assignment) map[string]string {
	nodes := map[string]string{}
	for _, a := range assignments {
		nodes[string(a.Pod.Key())] = a.Node
	}
	return nodes
}
