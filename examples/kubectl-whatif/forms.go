package main

import (
	"slices"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
)

// text prints a decision for a person: the answer first, then why.
func (d *decision) text(p console.Page, list int) error {
	a := newAnswer(d, list)
	// Everything that the answer rests on stands before it, and the reasons after it.
	writeQuestion(p, a)
	if a.Resize != nil {
		writeResize(p, a, list)
	} else {
		writePlace(p, a, list)
	}

	if d.then != nil {
		p.Line("")
		if err := d.then.WriteText(p, list); err != nil {
			return err
		}
	}

	if d.best != nil {
		writeExact(p, d.best)
	}

	writeReasons(p, a, list)
	writeDetails(p, a, list)
	writeWayOut(p, a)

	if d.steps != nil {
		d.steps.WriteText(p, list)
	}
	writeEnd(p, d.scene.opts)
	return nil
}

// document returns the form for programs.
func (d *decision) document() any { return newDocument(d) }

// status returns the exit status of a decision. A pod that waits for terminating pods counts as one that needs
// others to leave. A pod that does not start even once its victims are gone counts as one without room.
func (d *decision) status() int {
	if d.why.Leaving != nil {
		return exitEvicts
	}
	if d.noEffect != nil {
		return exitStays
	}
	return preempted(d.explained.Outcome)
}

// writeResize prints the outcome of a resize.
func writeResize(p console.Page, a *Answer, list int) {
	node := a.Resize.Node
	if l := a.Why.Leaving; l != nil {
		p.Line("\nNobody else has to leave: the resize %s", l.Text())
		return
	}

	switch a.Outcome {
	case preemption.Fits:
		p.Line("\nNobody has to leave: node %s has room for the resize, and its kubelet carries it out.", node)
	case preemption.Preempts:
		p.Line("\nNode %s has no room for the resize as things are. %s to leave; its kubelet can carry it out once they", node, have(len(a.Victims)))
		p.Line("are gone.")
		writeChosen(p, a, list)
		if slices.ContainsFunc(a.TurnedDown, func(r Reason) bool { return slices.Contains(r.Reasons, tooManyPods) }) {
			p.Line("\nkube-scheduler counts the pod itself among the pods of the node and adds one for it.")
		}
	case preemption.NotEligible:
		p.Line("\nNobody leaves, and the resize stays deferred: there is no room for it, and the pod may not push others")
		p.Line("out: %s", whyIneligible(a))
	case preemption.NothingHelps:
		p.Line("\nNobody leaves, and the resize stays deferred: on node %s preemption does not help.", node)
		writeHints(p, a, list)
	}
}
