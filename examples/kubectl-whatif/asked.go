package main

import (
	"io"
	"time"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
)

// reply is the answer to a question of package question.
type reply interface {
	WriteText(w io.Writer, limit int) error
}

// Questioned is the output of -o json for every question except the plain one about a single pod, whose answer
// is a Document. A pod that a quota keeps from being created is answered by a Questioned as well. Fields keep
// their names and meanings; new ones may be added.
type Questioned struct {
	// APIVersion is whatif/v1.
	APIVersion string `json:"apiVersion"`
	// Version is the program's, as in a Document.
	Version string `json:"version,omitempty"`
	// Question is pending, replicas, whyNot, onNode, across, moreNodes, leastPriority, largest, emptiable,
	// whyPreempted, report, diff, classes, without or change. It is group if the pod is scheduled
	// with its group only. If a quota keeps the pod from being created, it is the question that was
	// asked, which may then also be pod, and the answer says what the quota says.
	Question inquiry `json:"question"`
	// Cluster describes the cluster and Now the time, as in a Document.
	Cluster Dump      `json:"cluster"`
	Now     time.Time `json:"now,omitzero"`
	// Pod is the pod in question, if there is one.
	Pod *Asked `json:"pod,omitempty"`
	// Changes are made before the question is asked, in this order, and Before is what they set
	// in motion before the turn of the pod in question.
	Changes []string            `json:"changes,omitempty"`
	Before  *question.Aftermath `json:"before,omitempty"`
	// Forbidden lists pods of the changes that quotas keep from being created. It is left out if the
	// answer has them itself.
	Forbidden []quotas.Forbidden `json:"forbidden,omitempty"`
	// Resizes tells how the resizes among the changes ended. It is left out if the answer has them
	// itself.
	Resizes []question.Resized `json:"resizes,omitempty"`
	// Answer has a type that depends on the question: the type of that name in package question, inverse or
	// report, Aftermath for change and without, Answer of package backward for whyPreempted, and Comparison for
	// diff.
	Answer any `json:"answer"`
	// Caveats and Warnings mean what they mean in a Document.
	Caveats  []Warning `json:"caveats"`
	Warnings []Warning `json:"warnings"`
}

// answeredQuestion is an answer with its question and its exit status.
type answeredQuestion struct {
	scene *scene
	reply reply
	exit  int
}
