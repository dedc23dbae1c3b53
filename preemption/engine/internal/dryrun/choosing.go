package dryrun

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Chooser is an engine.Chooser.
type Chooser struct {
	Name        string
	Choose      func(v ViewedNode) []*outrank.Pod
	AnyPriority bool
}

// ViewedNode is a node that a dry run has entered, with every pod on it.
type ViewedNode interface {
	Preemptor() *outrank.Pod
	Viewed() *outrank.Node
	PossibleVictims() []*outrank.Pod
	Short(name resource.Name) int64
	CheckWithout(pods []*outrank.Pod) preemption.Status
	ViolatedBy(pods []*outrank.Pod) [][]*outrank.PodDisruptionBudget
}

// problems returns what is wrong with the rule.
func (c *Chooser) problems() []outrank.Problem {
	var ps []outrank.Problem
	if c.Name == "" {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: "Chooser.Name", Text: "missing"})
	}
	if c.Choose == nil {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: "Chooser.Choose", Text: "missing"})
	}
	return ps
}
