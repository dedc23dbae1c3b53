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
	// Leaving says which terminating pods the pod waits for: once they are gone, a node takes it. It is nil if
	// the pod gets a node, or if terminating pods leave no room for it.
	Leaving *Leaving
	// Nothing says what is missing; nil unless the outcome is nothing-helps.
	Nothing *Nothing
}

// Answer is the part that a [Report] and a [NodeAnswer] have in common.
type Answer struct {
	// Pod is the preemptor. Outcome says what becomes of it in the whole cluster.
	Pod     Pod
	Outcome preemption.Outcome
	// Ineligible says why the pod may not preempt. It is empty if it may, and holds the reason of the caller's
	// rule if that refuses it (preemption.Eligibility.Refuse).
	Ineligible preemption.Ineligibility
	// Refused says what ended the attempt before any node was asked. It is nil if nodes were asked.
	Refused *Obstacle
	// Victims lists the pods that leave, the most important first. Budgets lists the disruption budgets that
	// their eviction violates.
	Victims List[Victim]
	Budgets List[Budget]
}

// Choice says why the node was chosen.
type Choice struct {
	// Contender is the candidate of the chosen node.
	Contender
	// Candidates is the number of nodes on which preemption makes room.
	Candidates int
	// DecidedBy names the first rank in which the node beats the runner-up. It is "node-order" if both are
	// equal in every rank. DecidedBy and RunnerUp are empty if there is no other candidate.
	DecidedBy string
	RunnerUp  Contender
	// Rounds lists the ranks in their order, up to the one that decides.
	Rounds []Round
}

// Contender is a candidate with its score and the budgets that its victims violate. Node is empty if there is
// no candidate.
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
	// Rule names the rule of the configuration by which the pod may be a victim. It is empty if the pod is one
	// because of its lower priority.
	Rule string
	// With is the group that leaves as a whole, and to which the pod belongs. It is empty if the pod leaves by
	// itself.
	With outrank.Key
	// Terminating is set if the pod is being deleted already.
	Terminating bool
	// Blocks says what keeps the preemptor out if this pod, and those that leave with it, stay and the other
	// victims leave. It is nil if an extender named the victim.
	Blocks *Obstacle
	// AtItsTurn is set if nothing keeps the preemptor out in that case. Pods are reprieved one by one, and
	// Blocks is then what kept the preemptor out at this pod's turn.
	AtItsTurn bool
	// Budgets lists the budgets that the eviction of the pod violates.
	Budgets List[outrank.Key]
}

// Budget is a disruption budget that the victims violate.
type Budget struct {
	Key outrank.Key
	// Allowed is the number of disruptions that the budget allowed before this decision.
	Allowed int32
	// Victims lists the victims that violate the budget.
	Victims List[outrank.Key]
}

// Stay lists the pods that stay on the chosen node.
type Stay struct {
	// Spared lists the possible victims that stay, the least important first. Once the victims are gone, the
	// preemptor fits beside them.
	Spared List[Spared]
	// Protected lists the pods of lower priority that a rule of the configuration does not allow to be evicted.
	Protected List[Pod]
	// Higher is the number of pods with the preemptor's priority or a higher one.
	Higher int
	// Room has the amounts that the preemptor needs and that are free once the victims are gone.
	Room []Room
}

// Spared is a pod of lower priority that stays.
type Spared struct {
	Pod Pod
	// Takes has the amounts that the pod uses of the resources that the preemptor asks for.
	Takes resource.List
	// Below is set if the pod is less important than every victim.
	Below bool
	// Budgets lists the budgets that the pod would violate if every possible victim of the node were evicted.
	// A pod with such budgets is reprieved before pods without any.
	Budgets List[outrank.Key]
}

// Stage says how far a node came in a decision.
type Stage string

// The stages, in the order in which they stand in a report.
const (
	// Chosen: the node was chosen.
	Chosen Stage = "chosen"
	// Fits: the node takes the pod without preemption.
	Fits Stage = "fits"
	// Candidate: preemption would make room there, too.
	Candidate Stage = "candidate"
	// InVain: preemption was tried, and the pod would not fit even with all possible victims gone.
	InVain Stage = "in-vain"
	// NoHelp: evicting pods would not remove what keeps the pod out.
	NoHelp Stage = "no-help"
	// NotTried: preemption might help, but was not tried, for example because only a sample of the nodes is.
	NotTried Stage = "not-tried"
)

// Verdict says what became of a node, and why.
type Verdict struct {
	Stage Stage
	// Score is the score of a candidate, nil for other nodes. LostBy is the first rank in which the
	// candidate loses against the best one.
	Score  *preemption.Score
	LostBy string
	// Before says what keeps the pod out without preemption. After says what keeps it out with every possible
	// victim gone; it is nil if that was not tried, or if the pod fits then.
	Before, After *Obstacle
	// Way lists the obstacles on a node that does not take the pod even by preemption.
	Way *Way
}

// NodeGroup holds the nodes with the same answer for the same reason. Before and After name the same
// obstacle on every node of the group; amounts, holders and what the node has instead may differ.
type NodeGroup struct {
	// Verdict is about the node Example. Way is nil if some node of the cluster takes the pod, if the attempt
	// ended before any node was asked, and for all groups but the first few.
	Verdict
	// Names lists the nodes, in the order of the cluster.
	Names List[string]
	// Example is the node that the verdict is about: among nodes short of room the one that lacks least, among
	// candidates the best, otherwise the first.
	Example string
	// Victims is the number of victims on a candidate or the chosen node, and the number of possible victims
	// on a node where preemption is in vain.
	Victims int
	// Mixed is set if several groups were merged into this one because there were too many. Its nodes gave the
	// same answer, but perhaps about different obstacles.
	Mixed bool
}

// Nothing says what is missing if nothing helps.
type Nothing struct {
	// Nearest is the node that lacks the least room. It is nil if no node lacks room.
	Nearest *Nearest
	// Enough is the least priority above the pod's own with which the pod would find room, or nil. Copies of
	// the pod get that priority, too, so that none of them is a victim.
	Enough *Enough
	// Lower is the highest priority below the pod's own with which the pod would find room, or nil. It can
	// help if the pod would otherwise preempt the pods that it has affinity to.
	Lower *Enough
	// Copies is the least priority with which the pod would find room if its copies kept their priority. It is
	// nil if there is none, and if Enough or Lower is set.
	Copies *Enough
	// SearchedTo is the priority at which the search for these ended early. It is nil if all priorities were
	// tried, and the pod's own priority if a rule of the caller depends on the priority itself.
	SearchedTo *int32
	// Hopeless is set if no priority would be enough. Alone is then the node that lacks the least room for the
	// pod with the highest priority, or nil if no node lacks room.
	Hopeless bool
	Alone    *Nearest
	// Eviction is the cheapest eviction by hand that was found to make room, or nil. It is only searched if no
	// higher priority helps that a priority class of a user may have.
	Eviction *Eviction
	// NoEviction is set if no eviction makes room: even without any pod no node takes the pod.
	NoEviction bool
}

// Nearest is a node with the amounts that it lacks.
type Nearest struct {
	Node string
	// Gone is the number of pods of the node that are taken to be gone.
	Gone int
	// Missing lists the resources that are short then.
	Missing []Room
}

// Enough is a priority with which the pod would find room if nothing else changed. If it is higher than the
// pod's own, it is the least such priority: with one less there is no room. If it is lower, it is the highest:
// with one more there is no room. Only system priority classes are above [priority.UserMax].
type Enough struct {
	Priority int32
	// Trial has no node if its outcome is fits.
	Trial
	// Class is the lowest of the caller's priority classes that is high enough and may preempt. System classes
	// are considered only if the pod's own priority is above priority.UserMax.
	Class string
}

// beyondUsers reports whether only system priority classes are this high.
func (e *Enough) beyondUsers() bool { return e.Priority > priority.UserMax }
