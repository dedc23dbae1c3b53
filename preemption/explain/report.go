package explain

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

// Report explains a decision. It holds names and figures and none of the caller's objects. It belongs to
// the caller, and can be written to JSON and read back.
type Report struct {
	// Answer has the victims on the chosen node.
	Answer
	// Resize is set where the pod wants room for a resize in place.
	Resize bool
	// Choice says why the node was chosen; nil unless the outcome is preempt.
	Choice *Choice
	// Stay lists the pods that stay on the chosen node; nil unless the outcome is preempt.
	Stay *Stay
	// Nodes holds every node, in exactly one group. Groups are sorted by their stage, in the order in which
	// the constants of Stage stand, and within a stage the largest comes first.
	Nodes []NodeGroup
	// Leaving is room that terminating pods leave behind, for a pod that gets no node as things are and
	// pushes nobody out; nil where they leave none.
	Leaving *Leaving
	// Nothing says what is missing; nil unless the outcome is nothing-helps.
	Nothing *Nothing
}

// Answer is the part that a [Report] and a [NodeAnswer] have in common.
type Answer struct {
	// Pod is the preemptor. Outcome says what becomes of it in the whole cluster.
	Pod     Pod
	Outcome preemption.Outcome
	// Ineligible says why the pod may not preempt; empty where it may. Where a rule of the caller refuses
	// (preemption.Eligibility.Refuse), it has the words of that rule.
	Ineligible preemption.Ineligibility
	// Refused says what ended the attempt before any node was asked; nil where the nodes were asked.
	Refused *Obstacle
	// Victims are the pods that leave, the most important first. Budgets are the budgets that losing them
	// breaks.
	Victims List[Victim]
	Budgets List[Budget]
}

// Choice says why the node was chosen.
type Choice struct {
	// Contender is the candidate of the chosen node.
	Contender
	// Candidates is the number of nodes on which preemption makes room.
	Candidates int
	// DecidedBy names the first rank in which the node beats the runner-up, or is "node-order" where it
	// beats it in none. DecidedBy and RunnerUp are empty where there is no other candidate.
	DecidedBy string
	RunnerUp  Contender
	// Rounds are the ranks in their order, up to the one that decides.
	Rounds []Round
}

// Contender is a candidate with its score and the budgets that its victims break. Node is empty where
// there is no candidate.
type Contender struct {
	Node    string
	Score   preemption.Score
	Budgets List[outrank.Key]
}

// Round says how many candidates a rank leaves.
type Round struct {
	Rank string
	// Left counts the candidates that equal the chosen one in this rank and in all ranks before it.
	Left int
}

// Victim says why a pod has to leave.
type Victim struct {
	Pod Pod
	// Owner is Kind/Name of the pod's controller.
	Owner string
	// Rule names the rule of the configuration by which the pod may be a victim. It is empty where lower
	// priority is the rule.
	Rule string
	// With is the group whose pods leave together, this one among them.
	With outrank.Key
	// Terminating is set where the pod is being deleted already.
	Terminating bool
	// Blocks says what keeps the preemptor out if this pod and those that leave with it stay, and the other
	// victims leave. It is nil where an extender named the victim.
	Blocks *Obstacle
	// AtItsTurn is set where nothing keeps the preemptor out then. Pods are put back one by one, and Blocks
	// is what kept the preemptor out when it was this pod's turn.
	AtItsTurn bool
	// Budgets are the budgets that losing the pod breaks.
	Budgets List[outrank.Key]
}

// Budget is a disruption budget that the victims break.
type Budget struct {
	Key outrank.Key
	// Allowed is the number of its pods that could leave before this decision.
	Allowed int32
	// Victims are the victims whose loss counts as breaking the budget.
	Victims List[outrank.Key]
}

// Stay lists the pods that stay on the chosen node.
type Stay struct {
	// Spared are the possible victims that stay, the least important first: once the victims are gone, the
	// preemptor fits beside them.
	Spared List[Spared]
	// Protected are the pods that count with a lower priority and that a rule of the configuration does not
	// let evict.
	Protected List[Pod]
	// Higher is the number of pods that count with the preemptor's priority or a higher one.
	Higher int
	// Room has the amounts that the preemptor needs and those that are free once the victims are gone.
	Room []Room
}

// Spared is a pod of lower priority that stays.
type Spared struct {
	Pod Pod
	// Takes lists the amounts that the pod holds of resources that the preemptor asks for.
	Takes resource.List
	// Below is set where the pod is less important than every victim.
	Below bool
	// Budgets are the budgets that losing this pod would break if every possible victim of the node were
	// lost. A pod with such budgets is put back before those whose loss breaks none.
	Budgets List[outrank.Key]
}

// Stage says how far a node came in a decision.
type Stage string

// The stages, in the order in which they stand in a report.
const (
	// Chosen: the node was chosen.
	Chosen Stage = "chosen"
	// Fits: the node takes the pod as things are.
	Fits Stage = "fits"
	// Candidate: preemption would make room there, too.
	Candidate Stage = "candidate"
	// InVain: preemption was tried, and the pod would not fit with all possible victims gone.
	InVain Stage = "in-vain"
	// NoHelp: losing pods changes nothing about what keeps the pod out.
	NoHelp Stage = "no-help"
	// NotTried: preemption might help, and was not tried, as in a sample of the nodes.
	NotTried Stage = "not-tried"
)

// Verdict says what became of a node, and why.
type Verdict struct {
	Stage Stage
	// Score is the score of a candidate, nil for other nodes. LostBy is the first rank in which the
	// candidate loses against the best one.
	Score  *preemption.Score
	LostBy string
	// Before says what keeps the pod out as things are. After says what keeps it out with every possible
	// victim gone; nil where that was not tried or helps.
	Before, After *Obstacle
	// Way has every obstacle on a node that takes the pod neither as things are nor by preemption.
	Way *Way
}

// NodeGroup holds the nodes with the same answer for the same reason. Before and After name the same
// obstacle on every node of the group; amounts, holders and what the node has instead may differ.
type NodeGroup struct {
	// Verdict is the one on Example. Way is nil where some node takes the pod, where the attempt ended before
	// any node, and for groups beyond the number that is looked into.
	Verdict
	// Names are the nodes, in the order of the cluster.
	Names List[string]
	// Example is the node of the verdict: among nodes short of room the one that lacks least, among
	// candidates the best, otherwise the first.
	Example string
	// Victims is the number of victims on a candidate or the chosen node, and the number of possible victims
	// on a node where preemption is in vain.
	Victims int
	// Mixed is set where several groups were merged because there were too many. The nodes then gave the
	// same answer, perhaps about different obstacles.
	Mixed bool
}

// Nothing says what is missing where nothing helps.
type Nothing struct {
	// Nearest is the node that lacks the least room; nil where no node lacks room.
	Nearest *Nearest
	// Enough is the least priority above the pod's own that would find room; nil where none would. Copies of
	// the pod get that priority, too, so that none of them is a victim.
	Enough *Enough
	// Lower is the highest priority below the pod's own that would find room; nil where none would. It can
	// help where the pod now pushes out the pods that it wants to be near.
	Lower *Enough
	// Copies is the least priority that would find room if the copies of the pod kept theirs. It is nil where
	// none would, and where another priority is enough.
	Copies *Enough
	// SearchedTo is the priority at which the search ended, where it ended before it had tried all of them;
	// nil otherwise. It is the pod's own where a rule of the caller's looks at the priority itself.
	SearchedTo *int32
	// Hopeless is set where no priority would be enough. Alone is then the node that lacks the least room for
	// the pod with the highest priority; nil where no node lacks room.
	Hopeless bool
	Alone    *Nearest
	// Eviction is the cheapest eviction by hand that was tried and makes room; nil where none was found. It
	// is looked for where no higher priority helps that a class of a user may have.
	Eviction *Eviction
	// NoEviction is set where no eviction makes room: even without any pod no node takes the pod.
	NoEviction bool
}

// Nearest is a node with the amounts that it lacks.
type Nearest struct {
	Node string
	// Gone is the number of pods that are seen as gone.
	Gone    int
	Missing []Room
}

// Enough is a priority with which the pod would find room, with everything else as it is. A priority
// higher than the pod's own is the least one: with one less there is no room. A lower one is the highest:
// with one more there is no room. Only the classes of the system go above [priority.UserMax].
type Enough struct {
	Priority int32
	// Trial has no node where its outcome is fits.
	Trial
	// Class is the lowest of the caller's priority classes that is high enough and may preempt. Classes of the
	// system count only for a pod that has the priority of one.
	Class string
}

// beyondUsers reports whether only the classes of the system have such a high priority.
func (e *Enough) beyondUsers() bool { return e.Priority > priority.UserMax }
