package main

import (
	"time"

	"github.com/outrank-go/outrank"
)

// Case is a question with all that it is about.
type Case struct {
	ID              string                         `json:"id"`
	Mode            string                         `json:"mode"`
	Profile         string                         `json:"profile"`
	Nodes           []*outrank.Node                `json:"nodes"`
	Pods            []*outrank.Pod                 `json:"pods"`
	PDBs            []*outrank.PodDisruptionBudget `json:"pdbs"`
	Namespaces      []*outrank.Namespace           `json:"namespaces"`
	PriorityClasses []*outrank.PriorityClass       `json:"priorityClasses"`
	Preemptor       *outrank.Pod                   `json:"preemptor"`
	Options         Options                        `json:"options"`
}

// Options are further inputs of some modes.
type Options struct {
	// Of mode kubelet: what the admission check found, and whose kill fails.
	InsufficientResources []FailureReason `json:"insufficientResources"`
	OtherReasons          []OtherReason   `json:"otherReasons"`
	KillErrors            []string        `json:"killErrors"`
	// Of modes quantity and selector.
	Quantities []string               `json:"quantities"`
	Selector   *outrank.LabelSelector `json:"selector"`
	LabelSets  []map[string]string    `json:"labelSets"`
}

// OtherReason is a failed predicate.
type OtherReason struct {
	Name string `json:"name"`
	Desc string `json:"desc"`
}

// latest is the latest time that the case names.
func (c *Case) latest() time.Time {
	var t time.Time
	for _, p := range c.Pods {
		if p != nil && p.StartTime.After(t) {
			t = p.StartTime
		}
		if p != nil && p.DeletionTime.After(t) {
			t = p.DeletionTime
		}
	}
	return t
}

// Decision is the answer to a case; one of the pointers and slices is set.
type Decision struct {
	ID         string         `json:"id"`
	Mode       string         `json:"mode"`
	Profile    string         `json:"profile,omitempty"`
	Error      string         `json:"error,omitempty"`
	Scheduler  *Scheduler     `json:"scheduler,omitempty"`
	Kubelet    *Kubelet       `json:"kubelet,omitempty"`
	Facts      []PodFacts     `json:"facts,omitempty"`
	Quantities []QuantityFact `json:"quantities,omitempty"`
	Selector   *SelectorFact  `json:"selector,omitempty"`
	Priorities []PriorityFact `json:"priorities,omitempty"`
}
