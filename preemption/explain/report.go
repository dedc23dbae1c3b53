package explain

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

// Report explains a decision. It holds names and figures and none of the
// caller's objects; it belongs to the caller, and can be written to JSON and read back.
type Report struct {
	// The victims are those of the chosen node.
	Answer
	// Resize is set where room is wanted for a resize in place.
	Resize bool
	// Choice is why this node; nil unless the outcome is preempt.
	Choice *Choice
	// Stay lists the pods that stay on the chosen node; nil unless the outcome is preempt.
	Stay *Stay
	// Nodes are all nodes, in groups: each is in one of them, the most important kind first,
	// and the largest group first within a kind.
	Nodes []NodeGroup
	// Leaving is room that terminating pods leave behind, where the pod gets no node as things
	// are and pushes nobody out; nil where they leave none.
	Leaving *Leaving
	// Nothing says what is missing; nil unless the outcome is nothing-helps.
	Nothing *Nothing
}

// Answer is what a [Report] and a [NodeAnswer] have in common.
type Answer struct {
	// Pod is the preemptor, and Outcome what becomes of it in the whole cluster.
	Pod     Pod
	Outcome preemption.Outcome
	// Ineligible says why the pod may not preempt, in the words of the caller's rule
	// (preemption.Eligibility.Refuse) where that is why; empty where it may.
	Ineligible preemption.Ineligibility
	// Refused says what ended the attempt before any node was asked; nil where all were.
	Refused *Obstacle
	// Victims are those who leave, the most important first, and Budgets those that losing them breaks.
	Victims List[Victim]
	Budgets List[Budget]
}

// Choice is why the node was chosen.
type Choice struct {
	// The candidate of the chosen node.
	Contender
	// Candidates is the number of nodes on which preemption makes room.
	Candidates int
	// DecidedBy names the first rank in which the node beats the runner-up; it is "node-order" where none
	// does. It is empty, and so is RunnerUp, where there is no other candidate.
	DecidedBy string
	RunnerUp  Contender
	// Rounds are the ranks in their order, up to the one that decides.
	Rounds []Round
}

// Contender is a candidate: what it is ranked by, and the budgets that its victims break. Its Node is empty where
// there is none.
type Contender struct {
	Node    string
	Score   preemption.Score
	Budgets List[outrank.Key]
}

// Round is a rank with the number of candidates that are as good as the chosen one by it
// and by all ranks before it.
type Round struct {
	Rank string
	Left int
}

// Victim is why a pod has to leave.
type Victim struct {
	Pod Pod
	// Owner is Kind/Name of the pod's controller.
	Owner string
	// Rule names the rule by which it may be a victim, where the configuration has one in
	// place of lower priority.
	Rule string
	// With is the group whose pods leave together, this one among them.
	With        outrank.Key
	Terminating bool
	// Blocks says what the preemptor fails with if this pod stays, and all that leave with it,
	// while the other victims leave. Nil where an extender named the victim.
	Blocks *Obstacle
	// AtItsTurn is set where that is not so once the other victims are known, as pods were
	// put back one by one: Blocks is then what the preemptor failed with at that moment.
	AtItsTurn bool
	// Budgets are those that losing the pod breaks.
	Budgets List[outrank.Key]
}

// Budget is a disruption budget that the victims break.
type Budget struct {
	Key outrank.Key
	// Allowed is how many of its pods might go before this decision.
	Allowed int32
	// Victims are those by whose loss it counts as broken.
	Victims List[outrank.Key]
}

// Stay lists the pods that stay on the chosen node.
type Stay struct {
	// Spared are pods that might have been victims and are none: with the victims gone the
	// preemptor fits beside them. The least important come first.
	Spared List[Spared]
	// Protected are pods that count with a lower priority and may not be evicted, by a rule
	// of the configuration.
	Protected List[Pod]
	// Higher is the number of pods that count with the preemptor's priority or a higher one.
	Higher int
	// Room has the free amounts of the node for the preemptor with the victims gone; Short is 0.
	Room []Room
}

// Spared is a pod of lower priority that stays.
type Spared struct {
	Pod Pod
	// Takes lists the amounts that the pod holds of resources that the preemptor asks for.
	Takes resource.List
	// Below is set where the pod is less important than every victim.
	Below bool
	// Budgets would break if every possible victim of the node were lost, by the loss of this
	// pod: that is why it was put back before those whose loss breaks none.
	Budgets List[outrank.Key]
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

// Verdict is what became of a node, and why.
type Verdict struct {
	Stage Stage
	// Score is what a candidate is ranked by, nil for other nodes. LostBy is the first rank in which it loses
	// against the chosen node or, where none is, against the candidate that comes first.
	Score  *preemption.Score
	LostBy string
	// Before says what keeps the pod out as things are, and After what does with every
	// possible victim gone, where that does not help.
	Before, After *Obstacle
	// Way is everything in the way, for a node that takes the pod neither way.
	Way *Way
}

// NodeGroup is nodes that were out, or in, for the same thing. Before and After are the same thing for every node of
// the group; amounts and holders may differ.
type NodeGroup struct {
	// The verdict is that on Example. Way is nil where some node takes the pod, beyond the first of the groups,
	// and where the attempt ended before any node.
	Verdict
	// Names are the nodes, in the order of the cluster.
	Names List[string]
	// Example is the node that the verdict speaks of: of those short of room the
	// nearest, of candidates the best, else the first.
	Example string
	// Victims is the number of possible victims there, or of a candidate and the chosen node that of the victims.
	Victims int
	// Mixed is set where groups were put together because there were too many: the nodes gave
	// the same answer, and the thing may be another one.
	Mixed bool
}

// Nothing says what is missing where nothing helps.
type Nothing struct {
	// Nearest is the node where least room is missing; nil where none is short of room.
	Nearest *Nearest
	// Enough is the least priority above the pod's own that would find room; nil where none
	// would. Copies of the pod get it, too, so that none of them is a victim.
	Enough *Enough
	// Lower is the highest priority below the pod's own that would find room, as where the pod
	// now pushes out those that it wants to be near; nil where none would.
	Lower *Enough
	// Copies is the least priority that would push out copies of the pod, where no priority is
	// enough as they get it, too; nil where none would.
	Copies *Enough
	// SearchedTo is the priority farthest from the pod's own that was tried, where not all
	// could be; nil where they were.
	SearchedTo *int32
	// Hopeless is set where no priority would be enough. Alone is then the node where the
	// least room is missing with the highest one; nil where none is short of room.
	Hopeless bool
	Alone    *Nearest
	// Eviction is the cheapest eviction by hand that was tried and makes room, where no higher
	// priority does that a class of a user may have; nil where none was found.
	Eviction *Eviction
	// NoEviction is set where no eviction makes room: even without any pod no node takes it.
	NoEviction bool
}

// Nearest is a node with what is missing there.
type Nearest struct {
	Node string
	// Gone is the number of pods that are thought away.
	Gone    int
	Missing []Room
}

// Enough is a priority with which the pod would find room, everything else as it is: with
// one less it would not, or with one more where it is below the pod's own. One above
// [priority.UserMax] is of the classes of the system alone.
type Enough struct {
	Priority int32
	// The node of the trial is empty where its outcome is fits.
	Trial
	// Class is the least of the caller's priority classes that is enough and may preempt. A
	// class of the system is none for a pod that has no such priority.
	Class string
}

// beyondUsers reports whether only the classes of the system could be that high.
func (e *Enough) beyondUsers() bool { return e.Priority > priority.UserMax }
