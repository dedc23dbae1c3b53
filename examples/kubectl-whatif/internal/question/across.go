package question

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Across says who has to leave for a pod if victims may be on any node, beside the answer of kube-scheduler,
// which takes victims from one node.
type Across struct {
	Pod Pod `json:"pod"`
	// Outcome, Node and Victims come from the plan. Each victim names its own node.
	Outcome preemption.Outcome `json:"outcome"`
	Node    string             `json:"node,omitempty"`
	Victims []Victim           `json:"victims"`
	// Optimal is set if the search proved that no other choice of victims is better, or that there is none at
	// all. Otherwise the search ended early.
	Optimal bool `json:"optimal"`
	// OneNode is the turn of the pod in kube-scheduler.
	OneNode Turn `json:"oneNode"`
}

// AskAcross answers who has to leave for a pod if victims may also be on nodes other than the pod's own, such
// as pods whose anti-affinity keeps it out, or pods that a spreading constraint counts. kube-scheduler itself
// does not evict in this way.
//
// Errors are those of the setting and of [engine.Evaluator.Preempt] with [preemption.Across]. It takes the time of
// this call and of one plain decision.
func AskAcross(ctx context.Context, set Setting, pod *outrank.Pod) (*Across, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	eval, err := set.decider(pod)
	if err != nil {
		return nil, err
	}

	// Sampling and extenders belong to the way in which kube-scheduler goes through its nodes, so that they are
	// left out.
	config := eval.Config()
	config.Victims = preemption.Across{}
	config.Sample = nil
	config.Extenders = nil
	across, err := engine.New(config)
	if err != nil {
		return nil, err
	}
	plan, err := across.Preempt(ctx, set.Snapshot, preemption.Request{Pod: pod, Now: set.Now})
	if err != nil {
		return nil, err
	}

	s := set.scene(ctx)
	one, _, err := s.decide(eval, pod)
	if err != nil {
		return nil, err
	}

	// A plan without a certificate needs no victim, and is optimal.
	out := &Across{Pod: NameOf(pod, ""), Outcome: plan.Outcome, Node: plan.Node, Victims: []Victim{}, Optimal: true, OneNode: one}
	if c := plan.ClusterCertificate; c != nil {
		out.Optimal = c.Optimal
	}
	if plan.Outcome == preemption.Preempts {
		out.Victims = victimsOf(plan)
	}
	return out, nil
}

// summary says how many pods leave, or why the pod stays pending.
func (a *Across) summary() string {
	switch a.Outcome {
	case preemption.Fits:
		return "Nobody has to leave: a node takes " + string(a.Pod.Key) + " as things are."
	case preemption.Preempts:
		return fmt.Sprintf("%s to leave so that %s can start on %s.", verb(len(a.Victims), "1 pod has", fmt.Sprintf("%d pods have", len(a.Victims))), a.Pod.Key, a.Node)
	case preemption.NotEligible:
		return string(a.Pod.Key) + " stays pending: it may not push others out."
	}
	if a.Optimal {
		return string(a.Pod.Key) + " stays pending: no eviction of less important pods, on whatever nodes, makes room for it."
	}
	return string(a.Pod.Key) + " stays pending: no such eviction was found before the search ended."
}

// WriteText prints at most limit victims with their nodes, or all if limit is 0. The error is that of w.
func (a *Across) WriteText(w io.Writer, limit int) error {
	out := paperFor(w)
	out.say("%s", a.summary())
	if len(a.Victims) > 0 {
		a.writeVictims(out, limit)
	}

	out.line("")
	out.say("kube-scheduler, which takes victims from one node: %s%s.", a.OneNode.Text(), onNamedNode(a.OneNode.Node))
	for _, note := range a.OneNode.Notes(limit) {
		out.line("  %s", note)
	}
	return out.To(w)
}

// writeVictims prints the victims, and says if another choice may be better.
func (a *Across) writeVictims(out *paper, limit int) {
	var rows console.Table
	rows.Head("#", "POD", "PRIORITY", "NODE")
	shown := bounded(len(a.Victims), limit)
	for i := range a.Victims[:shown] {
		v := &a.Victims[i]
		rows.Add(strconv.Itoa(i+1), string(v.Key), strconv.Itoa(int(v.Priority)), v.Node)
		if v.Terminating {
			addNotes(&rows, []string{"leaving already"})
		}
		if len(v.Violated) > 0 {
			addNotes(&rows, []string{"against " + names(v.Violated, mostBudgets)})
		}
	}

	rows.Print(out.Page)
	out.more(len(a.Victims) - shown)
	if !a.Optimal {
		out.say("The search ended early: there may be a better choice.")
	}
}

// onNamedNode returns " on " and the node. It is empty without a node.
func onNamedNode(node string) string {
	if node == "" {
		return ""
	}
	return " on " + node
}

// Overview draws the answer as a page about the snapshot in question.
func (a *Across) Overview(snap *engine.Snapshot, pod *outrank.Pod) *page.Overview {
	s := sketchOf(snap, a.summary(), "kube-scheduler, which takes victims from one node: "+a.OneNode.Text()+onNamedNode(a.OneNode.Node)+".")
	s.figure(len(a.Victims), "pods that have to leave")
	s.figure(violating(a.Victims), "of them against a budget")

	for i := range a.Victims {
		s.leave(a.Victims[i].Key, "leaves for "+string(a.Pod.Key))
	}
	if a.Outcome == preemption.Preempts {
		s.arrive(a.Pod.Key, pod, a.Node, "arrives once those have left who leave for it")
	}
	a.todo(s)
	return &s.Overview
}

// todo says what to do, at the end of the page.
func (a *Across) todo(s *sketch) {
	switch a.Outcome {
	case preemption.Fits:
		s.do("Nothing to do: a node takes it.")
	case preemption.Preempts:
		if a.OneNode.Outcome == PushesOut {
			s.do("kube-scheduler makes room by itself on " + a.OneNode.Node + ", and on one node alone.")
			return
		}
		s.do("Evict them by hand, if they may leave: kube-scheduler takes victims from one node alone.")
	default:
		s.do("What would help is tried without --across.")
	}
}
