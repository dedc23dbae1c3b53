package explain

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// apiVersion is that of a [Report]. A field that is added keeps it; one that is
// renamed, removed or given another meaning changes it.
const apiVersion = "outrank/v1"

// Report explains a decision. It holds names and figures and none of the
// caller's objects; it belongs to the caller, and can be written to JSON and read back.
type Report struct {
	// APIVersion is "outrank/v1" and Kind is "Report".
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Pod is the preemptor.
	Pod     Pod                `json:"pod"`
	Outcome preemption.Outcome `json:"outcome"`
	// Resize is set where room is wanted for a resize in place.
	Resize bool `json:"resize,omitempty"`
	// Ineligible says why the pod may not preempt, "by-caller" where
	// a rule of the caller says so; empty where it may.
	Ineligible preemption.Ineligibility `json:"ineligible,omitempty"`
	// Refusal is the answer of the caller's rule (preemption.Eligibility.Refuse) where that is
	// what keeps the pod from it; else empty.
	Refusal string `json:"refusal,omitempty"`
	// Refused says what ended the attempt before any node was asked; nil where all were.
	Refused *Obstacle `json:"refused,omitempty"`
	// Choice is why this node; nil unless the outcome is preempt.
	Choice *Choice `json:"choice,omitempty"`
	// Victims are those of the chosen node, the most important first.
	Victims     []Victim `json:"victims"`
	MoreVictims int      `json:"moreVictims,omitempty"`
	// Budgets are those that losing the victims breaks.
	Budgets     []Budget `json:"budgets"`
	MoreBudgets int      `json:"moreBudgets,omitempty"`
	// Stay lists the pods that stay on the chosen node; nil unless the outcome is preempt.
	Stay *Stay `json:"stay,omitempty"`
	// Nodes are all nodes, in groups: each is in one of them, the most important kind first,
	// and the largest group first within a kind.
	Nodes []NodeGroup `json:"nodes"`
	// Leaving is room that terminating pods leave behind, where the pod gets no node as things
	// are and pushes nobody out; nil where they leave none.
	Leaving *Leaving `json:"leaving,omitempty"`
	// Nothing says what is missing; nil unless the outcome is nothing-helps.
	Nothing *Nothing `json:"nothing,omitempty"`
}

// Choice is why the node was chosen.
type Choice struct {
	Node string `json:"node"`
	// Candidates is the number of nodes on which preemption makes room.
	Candidates int `json:"candidates"`
	// Score has the figures that the node was ranked by.
	Score Score `json:"score"`
	// DecidedBy names the first rank in which the node beats the runner-up; it is "node-order" where none
	// does. It is empty, and there is no runner-up, where there is no other candidate.
	DecidedBy     string `json:"decidedBy,omitempty"`
	RunnerUp      string `json:"runnerUp,omitempty"`
	RunnerUpScore *Score `json:"runnerUpScore,omitempty"`
	// RunnerUpBudgets are the budgets that its victims break.
	RunnerUpBudgets     []outrank.Key `json:"runnerUpBudgets,omitempty"`
	MoreRunnerUpBudgets int           `json:"moreRunnerUpBudgets,omitempty"`
	// Rounds are the ranks in their order, up to the one that decides.
	Rounds []Round `json:"rounds,omitempty"`
}

// Round is a rank with the number of candidates that are as good as the chosen one by it
// and by all ranks before it.
type Round struct {
	Rank string `json:"rank"`
	Left int    `json:"left"`
}

// Score is a candidate's figures; see [preemption.Score].
type Score struct {
	Violations  int   `json:"violations"`
	TopPriority int32 `json:"topPriority"`
	// PrioritySum is the plain sum of the victims' priorities. What is compared has 2^31
	// added for each victim.
	PrioritySum int64     `json:"prioritySum"`
	Victims     int       `json:"victims"`
	Start       time.Time `json:"start,omitzero"`
	// Own has the figures of the caller's ranks by their names.
	Own map[string]int64 `json:"own,omitempty"`
}

// Victim is why a pod has to leave.
type Victim struct {
	Pod Pod `json:"pod"`
	// Owner is Kind/Name of the pod's controller.
	Owner string `json:"owner,omitempty"`
	// Rule names the rule by which it may be a victim, where the configuration has one in
	// place of lower priority.
	Rule string `json:"rule,omitempty"`
	// With is the group whose pods leave together, this one among them.
	With        outrank.Key `json:"with,omitempty"`
	Terminating bool        `json:"terminating,omitempty"`
	// Blocks says what the preemptor fails with if this pod stays, and all that leave with it,
	// while the other victims leave. Nil where an extender named the victim.
	Blocks *Obstacle `json:"blocks,omitempty"`
	// AtItsTurn is set where that is not so once the other victims are known, as pods were
	// put back one by one: Blocks is then what the preemptor failed with at that moment.
	AtItsTurn bool `json:"atItsTurn,omitempty"`
	// Budgets are those that losing the pod breaks.
	Budgets     []outrank.Key `json:"budgets,omitempty"`
	MoreBudgets int           `json:"moreBudgets,omitempty"`
}

// Budget is a disruption budget that the victims break.
type Budget struct {
	Key outrank.Key `json:"key"`
	// Allowed is how many of its pods might go before this decision.
	Allowed int32 `json:"allowed"`
	// Victims are those by whose loss it counts as broken.
	Victims     []outrank.Key `json:"victims"`
	MoreVictims int           `json:"moreVictims,omitempty"`
}

// Stay lists the pods that stay on the chosen node.
type Stay struct {
	// Spared are pods that might have been victims and are none: with the victims gone the
	// preemptor fits beside them. The least important come first.
	Spared     []Spared `json:"spared"`
	MoreSpared int      `json:"moreSpared,omitempty"`
	// Protected are pods that count with a lower priority and may not be evicted, by a rule
	// of the configuration.
	Protected     []Pod `json:"protected,omitempty"`
	MoreProtected int   `json:"moreProtected,omitempty"`
	// Higher is the number of pods that count with the preemptor's priority or a higher one.
	Higher int `json:"higher"`
	// Room has the free amounts of the node for the preemptor with the victims gone; Short is 0.
	Room []Room `json:"room"`
}

// Spared is a pod of lower priority that stays.
type Spared struct {
	Pod Pod `json:"pod"`
	// Takes lists the amounts that the pod holds of resources that the preemptor asks for.
	Takes resource.List `json:"takes"`
	// Below is set where the pod is less important than every victim.
	Below bool `json:"below,omitempty"`
	// Budgets would break if every possible victim of the node were lost, by the loss of this
	// pod: that is why it was put back before those whose loss breaks none.
	Budgets     []outrank.Key `json:"budgets,omitempty"`
	MoreBudgets int           `json:"moreBudgets,omitempty"`
}

// Stage says how far a node came in a decision.
type Stage string

// The stages, in the order in which they stand in a report.
const (
	// Chosen: the victims are there.
	Chosen Stage = "chosen"
	// Fits: the node takes the pod as things are.
	Fits Stage = "fits"
	// Candidate: preemption would make room there, too.
	Candidate Stage = "candidate"
	// InVain: preemption was tried, and the pod would not fit with all possible victims gone.
	InVain Stage = "in-vain"
	// NoHelp: what keeps the pod out is nothing that the loss of pods could change.
	NoHelp Stage = "no-help"
	// NotTried: preemption might help, and was not tried, as in a sample of the nodes.
	NotTried Stage = "not-tried"
)

// NodeGroup is nodes that were out, or in, for the same thing.
type NodeGroup struct {
	Stage Stage `json:"stage"`
	// Count is the number of nodes and Names the first of them, in the order of the cluster.
	Count int      `json:"count"`
	Names []string `json:"names"`
	// LostBy is the rank in which candidates lose against the chosen node.
	LostBy string `json:"lostBy,omitempty"`
	// Example is the node that Score, Before and After speak of: of those short of room the
	// nearest, of candidates the best, else the first.
	Example string `json:"example"`
	Score   *Score `json:"score,omitempty"`
	// Before says what keeps the pod out as things are, and After what does with every
	// possible victim gone, of which there are Victims. For every node of the group it is
	// the same thing; amounts and holders may differ.
	Before  *Obstacle `json:"before,omitempty"`
	After   *Obstacle `json:"after,omitempty"`
	Victims int       `json:"victims,omitempty"`
	// Way is everything in the way on Example, for nodes that take the pod neither way where no
	// other does; nil beyond the first of them, and where the attempt ended before any node.
	Way *Way `json:"way,omitempty"`
	// Mixed is set where groups were put together because there were too many: the nodes gave
	// the same answer, and the thing may be another one.
	Mixed bool `json:"mixed,omitempty"`
}

// Nothing says what is missing where nothing helps.
type Nothing struct {
	// Nearest is the node where least room is missing; nil where none is short of room.
	Nearest *Nearest `json:"nearest,omitempty"`
	// Enough is the least priority above the pod's own that would find room; nil where none
	// would. Copies of the pod get it, too, so that none of them is a victim.
	Enough *Enough `json:"enough,omitempty"`
	// Lower is the highest priority below the pod's own that would find room, as where the pod
	// now pushes out those that it wants to be near; nil where none would.
	Lower *Enough `json:"lower,omitempty"`
	// Copies is the least priority that would push out copies of the pod, where no priority is
	// enough as they get it, too; nil where none would.
	Copies *Enough `json:"copies,omitempty"`
	// SearchedTo is the priority farthest from the pod's own that was tried, where not all
	// could be; nil where they were.
	SearchedTo *int32 `json:"searchedTo,omitempty"`
	// Hopeless is set where no priority would be enough. Alone is then the node where the
	// least room is missing with the highest one; nil where none is short of room.
	Hopeless bool     `json:"hopeless,omitempty"`
	Alone    *Nearest `json:"alone,omitempty"`
	// Eviction is the cheapest eviction by hand that was tried and makes room, where no higher
	// priority does that a class of a user may have; nil where none was found.
	Eviction *Eviction `json:"eviction,omitempty"`
	// NoEviction is set where no eviction makes room: even without any pod no node takes it.
	NoEviction bool `json:"noEviction,omitempty"`
}

// Nearest is a node with what is missing there.
type Nearest struct {
	Node string `json:"node"`
	// Gone is the number of pods that are thought away.
	Gone    int    `json:"gone"`
	Missing []Room `json:"missing"`
}

// Enough is a priority with which the pod would find room, everything else as it is: with
// one less it would not, or with one more where it is below the pod's own.
type Enough struct {
	Priority int32 `json:"priority"`
	// Outcome is fits where no victims would be needed.
	Outcome     preemption.Outcome `json:"outcome"`
	Node        string             `json:"node,omitempty"`
	Victims     []Pod              `json:"victims,omitempty"`
	MoreVictims int                `json:"moreVictims,omitempty"`
	// Class is the least of the caller's priority classes that is enough and may preempt. A
	// class of the system is none for a pod that has no such priority.
	Class string `json:"class,omitempty"`
	// BeyondUsers is set where only the classes of the system could be that high.
	BeyondUsers bool `json:"beyondUsers,omitempty"`
}
