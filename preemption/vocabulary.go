package preemption

import "github.com/outrank-go/outrank/preemption/decision"

// The words of a decision are those of package decision, which documents them. The names
// below stand for them.
type (
	// AcrossPlan is what preemption.Evaluator.PreemptAcross found.
	AcrossPlan = decision.AcrossPlan
	// Certificate says how good a set of victims is among all that there could be (rule
	// 13.4.6).
	Certificate = decision.Certificate
	// ClusterState is what a filter knows of a whole cluster, whichever pod looks for a place.
	ClusterState = decision.ClusterState
	// Extender can change the candidates before one is chosen (group 10.2; callExtenders).
	Extender = decision.Extender
	// Proposal is a candidate as extenders see it.
	Proposal = decision.Proposal
	// FilterState is a filter's view of the cluster during one attempt.
	FilterState = decision.FilterState
	// Placement is the nodes of a group's pods, or the reason why there is no place for the
	// group.
	Placement = decision.Placement
	// Assignment is a pod with the node it is to run on.
	Assignment = decision.Assignment
	// Refusal is why there is no place for a group.
	Refusal = decision.Refusal
	// Unit is a set of pods that leave together: a single pod, or all running pods of a group
	// whose DisruptionMode is [outrank.DisruptPodGroup].
	Unit = decision.Unit
	// GroupVictim is a unit that has to leave, with the reasons.
	GroupVictim = decision.GroupVictim
	// GroupPlan is the answer for a group.
	GroupPlan = decision.GroupPlan
	// GuardState is what a guard knows during one attempt.
	GuardState = decision.GuardState
	// Outcome is the kind of answer.
	Outcome = decision.Outcome
	// Ineligibility is why a pod may not preempt (chapter 8).
	Ineligibility = decision.Ineligibility
	// Plan is the answer to the question which pods have to leave.
	Plan = decision.Plan
	// Count is a number of nodes with one status.
	Count = decision.Count
	// Candidate is a node on which removing the victims makes room.
	Candidate = decision.Candidate
	// Victim is a pod that has to leave, with the reasons.
	Victim = decision.Victim
	// Score is what candidates are compared by (chapter 11).
	Score = decision.Score
	// Explanation is a Plan with everything that was found on the way.
	Explanation = decision.Explanation
	// NodeReport is the answer of one node.
	NodeReport = decision.NodeReport
	// Plugins is what a KubeSchedulerConfiguration can change about the built-in filters
	// (group 7.18).
	Plugins = decision.Plugins
	// Policy is how preemption decides where a caller wants more than a scheduler does.
	Policy = decision.Policy
	// Rank is a step in the comparison of two candidates.
	Rank = decision.Rank
	// Regret says how far a plan is from the best one by the ranks of its policy (rule
	// 13.4.8).
	Regret = decision.Regret
	// RankGap is by how much a candidate is better than another in one rank, in the unit of
	// [Certificate].Gap; below 0 where it is worse.
	RankGap = decision.RankGap
	// Request is a question to an preemption.Evaluator.
	Request = decision.Request
	// Sample limits the search as kube-scheduler does: it stops once it has found enough
	// candidates, at least one of them free of budget violations (group 10.1;
	// DryRunPreemption).
	Sample = decision.Sample
	// Scorer has a score of the caller for each candidate.
	Scorer = decision.Scorer
	// Code says whether a pod may run on a node and, if not, whether removing other pods may
	// change that.
	Code = decision.Code
	// Status is the answer of one filter about one node.
	Status = decision.Status
)

// Errors that changes of a snapshot wrap.
var (
	ErrNotFound = decision.ErrNotFound
	ErrExists   = decision.ErrExists
	ErrState    = decision.ErrState
	ErrMark     = decision.ErrMark
)

// GroupCandidate is the name of the only candidate that there is for a group, which stands
// in events where the name of the node is otherwise (rule 12.9.12).
const GroupCandidate = decision.GroupCandidate

// The outcomes, in the order in which they are checked.
const (
	Fits         = decision.Fits
	NotEligible  = decision.NotEligible
	NothingHelps = decision.NothingHelps
	Preempt      = decision.Preempt
)

// The reasons.
const (
	Eligible           = decision.Eligible
	PolicyNever        = decision.PolicyNever
	VictimsTerminating = decision.VictimsTerminating
	Nominated          = decision.Nominated
	Disabled           = decision.Disabled
	ByCaller           = decision.ByCaller
)

// The ranks, in the default order (rules 11.2 to 11.7; ByOwnScore: rule 11.8), and what
// decides in the end.
const (
	ByViolations  = decision.ByViolations
	ByTopPriority = decision.ByTopPriority
	ByPrioritySum = decision.ByPrioritySum
	ByVictims     = decision.ByVictims
	ByStart       = decision.ByStart
	ByNodeOrder   = decision.ByNodeOrder
	ByOwnScore    = decision.ByOwnScore
	ByCost        = decision.ByCost
)

// The codes (rule 7.1.1; framework.Code).
const (
	Success                      = decision.Success
	Unschedulable                = decision.Unschedulable
	UnschedulableAndUnresolvable = decision.UnschedulableAndUnresolvable
	Contradiction                = decision.Contradiction
)

// DefaultRanks returns the ranks in the order of chapter 11. The slice is the caller's.
func DefaultRanks() []Rank { return decision.DefaultRanks() }
