package main

import (
	"encoding/json"
	"io"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Answer is what -o json prints; the text is made from it, too. Fields keep
// their names and meanings, new ones may be added. Lists are never null. Those
// marked as limited hold no more entries than -list allows; the number beside
// them counts all.
type Answer struct {
	// Cluster is what was looked at.
	Cluster Dump `json:"cluster"`
	// Now is what ages are measured from and a missing start counts as. It is
	// left out where neither the dump nor -now names a time.
	Now time.Time `json:"now,omitzero"`
	// Pod is the preemptor, the pod that is asked about.
	Pod Asked `json:"pod"`

	// Outcome is fits, preempt, notEligible or nothingHelps.
	Outcome Outcome `json:"outcome"`
	// Ineligible says why the pod may not push others out: policyNever or
	// victimsTerminating. It may also be set where the pod fits.
	Ineligible string `json:"ineligible,omitempty"`
	// Refused is set where one of the pod's own demands ended the attempt before any
	// node was looked at, so that TurnedDown has nothing but the reason for that.
	Refused bool `json:"refused,omitempty"`
	// FeasibleNodes take the pod as things are; the names are limited.
	FeasibleNodes Nodes `json:"feasibleNodes"`

	// Node is the chosen one, empty unless the outcome is preempt, and so are
	// Victims, Score, Room and ClearedNominations.
	Node string `json:"node,omitempty"`
	// Victims have to leave the node, the most important first.
	Victims []Victim `json:"victims"`
	// Score is what the node won by.
	Score *Score `json:"score,omitempty"`
	// Room has an entry for the number of pods and for everything that the pod
	// asks for.
	Room []Room `json:"room"`
	// ClearedNominations are pods that were to get room on the node and lose
	// that claim.
	ClearedNominations []Nomination `json:"clearedNominations"`

	// DecidedBy is the first rank in which the node beats RunnerUp: violations,
	// topPriority, prioritySum, victims, start or nodeOrder. Both are left out
	// where there is no other candidate.
	DecidedBy string     `json:"decidedBy,omitempty"`
	RunnerUp  *Candidate `json:"runnerUp,omitempty"`
	// Candidates are the nodes on which pushing others out makes room, the best
	// first; limited. They are worked out also where the pod fits elsewhere or
	// may not preempt.
	Candidates     []Candidate `json:"candidates"`
	CandidateCount int         `json:"candidateCount"`

	// TurnedDown counts the nodes that do not take the pod as things are, by
	// why; Unhelpful those of them on which preemption was tried and does not
	// help, by what is still in the way. The most frequent come first.
	TurnedDown []Reason `json:"turnedDown"`
	Unhelpful  []Reason `json:"unhelpful"`
	// Hints say what might help where nothing does.
	Hints []string `json:"hints"`

	// Warnings are about the dump; limited.
	Warnings     []Warning `json:"warnings"`
	WarningCount int       `json:"warningCount"`
}

// Dump is a cluster in figures.
type Dump struct {
	// Source is the file, "standard input" or "the sample cluster".
	Source string `json:"source"`
	Nodes  int    `json:"nodes"`
	// Pods counts those that run or wait; Pending those that wait.
	Pods    int `json:"pods"`
	Pending int `json:"pending"`
	Budgets int `json:"budgets"`
	Classes int `json:"classes"`
	// Skipped counts objects of kinds that play no part, Finished pods that
	// have ended.
	Skipped  map[string]int `json:"skipped"`
	Finished int            `json:"finished"`
}

// Asked is the pod that is asked about.
type Asked struct {
	// Key is namespace/name.
	Key string `json:"key"`
	// From is dump, manifest or flags.
	From     string        `json:"from"`
	Requests resource.List `json:"requests"`

	Priority int32 `json:"priority"`
	// PriorityClass is empty where the priority does not come from a class.
	PriorityClass string `json:"priorityClass,omitempty"`
	// PrioritySource says where the priority comes from.
	PrioritySource PrioritySource `json:"prioritySource"`
	// PreemptionPolicy is PreemptLowerPriority or Never.
	PreemptionPolicy outrank.PreemptionPolicy `json:"preemptionPolicy"`

	// NodeName is a node that the pod insists on, NominatedNode one on which an
	// earlier preemption made room for it.
	NodeName      string            `json:"nodeName,omitempty"`
	NominatedNode string            `json:"nominatedNode,omitempty"`
	NodeSelector  map[string]string `json:"nodeSelector,omitempty"`
}

// PrioritySource says where a priority comes from.
type PrioritySource string

// The sources.
const (
	SourceRecorded     PrioritySource = "recorded"     // in the pod, since it was created
	SourceMissing      PrioritySource = "missing"      // the pod has none and counts as 0
	SourceClass        PrioritySource = "class"        // the class that the pod names
	SourceDefaultClass PrioritySource = "defaultClass" // the cluster's default class
	SourceNoClass      PrioritySource = "noClass"      // 0: no class named, and no default
	SourceNumber       PrioritySource = "number"       // a number, whatever the classes say
)

// Outcome is the kind of answer.
type Outcome string

// The outcomes.
const (
	Fits         Outcome = "fits"
	Preempt      Outcome = "preempt"
	NotEligible  Outcome = "notEligible"
	NothingHelps Outcome = "nothingHelps"
)

// Nodes is a number of nodes and the names of the first of them.
type Nodes struct {
	Count int      `json:"count"`
	Names []string `json:"names"`
}

// Victim is a pod that has to leave.
type Victim struct {
	Key           string        `json:"key"`
	Priority      int32         `json:"priority"`
	PriorityClass string        `json:"priorityClass,omitempty"`
	Start         time.Time     `json:"start,omitzero"`
	Requests      resource.List `json:"requests"`
	// Owner is Kind/Name of the pod's controller.
	Owner string `json:"owner,omitempty"`
	// Violated are the budgets that losing the pod breaks.
	Violated []Budget `json:"violated"`
	// Terminating is set where the pod is on its way out already.
	Terminating bool `json:"terminating"`
	// BlockedBy is what the preemptor was short of when this pod was put back.
	BlockedBy []string `json:"blockedBy"`
}

// Budget is a disruption budget.
type Budget struct {
	Key string `json:"key"`
	// Allowed is how many of its pods may still go.
	Allowed int32 `json:"allowed"`
}

// Score is what nodes are ranked by, in this order. Lower is better but for
// Start.
type Score struct {
	// Violations is the number of victims that break a budget.
	Violations  int   `json:"violations"`
	TopPriority int32 `json:"topPriority"`
	// PrioritySum is the plain sum of the victims' priorities. ShiftedSum is
	// what is ranked: each is raised by 2^31 first, so that none is negative.
	PrioritySum int64 `json:"prioritySum"`
	ShiftedSum  int64 `json:"shiftedSum"`
	Victims     int   `json:"victims"`
	// Start is the earliest start among the victims of the top priority.
	Start time.Time `json:"start,omitzero"`
}

// Candidate is a node on which pushing pods out makes room.
type Candidate struct {
	Node  string `json:"node"`
	Score Score  `json:"score"`
	// Victims are the keys of the pods, the most important first.
	Victims []string `json:"victims"`
	// Violated are the keys of the budgets that losing them breaks.
	Violated []string `json:"violated"`
}

// Nomination is a pending pod that room was made for.
type Nomination struct {
	Key      string `json:"key"`
	Priority int32  `json:"priority"`
}

// Room is what becomes of one resource of the chosen node.
type Room struct {
	Resource    resource.Name     `json:"resource"`
	Allocatable resource.Quantity `json:"allocatable"`
	// Used is what the pods on the node hold as things are, Freed the victims'
	// part of it, Needed what the preemptor asks for.
	Used   resource.Quantity `json:"used"`
	Freed  resource.Quantity `json:"freed"`
	Needed resource.Quantity `json:"needed"`
	// Reserved is kept free for pods of at least the preemptor's priority that
	// are nominated to the node.
	Reserved resource.Quantity `json:"reserved"`
	// After is Used less Freed plus Needed.
	After resource.Quantity `json:"after"`
}

// Reason is why a number of nodes do not do.
type Reason struct {
	// Filter is the rule that failed, empty where no rule was asked.
	Filter  string   `json:"filter,omitempty"`
	Reasons []string `json:"reasons"`
	// Tried is set where pushing pods out might have helped, so that it was
	// tried.
	Tried bool `json:"tried"`
	// Nodes counts them; the names are limited.
	Nodes Nodes `json:"nodes"`
}

// Warning is something odd but harmless about the dump.
type Warning struct {
	Object string `json:"object"`
	Field  string `json:"field,omitempty"`
	Text   string `json:"text"`
}

func writeJSON(w io.Writer, a *Answer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(a)
}
