package preemption

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// Outcome is the kind of an answer. Its values are words that never change. The zero Outcome
// is that of a plan that nobody made.
type Outcome string

// The outcomes, in the order in which they are checked.
const (
	// Fits: a node takes the pod as things are.
	Fits Outcome = "fits"
	// NotEligible: the pod may not preempt, or not at present.
	NotEligible Outcome = "not-eligible"
	// NothingHelps: on no node does the loss of pods make room, or none of those where it
	// does is left by the extenders, or the search ended in an error (Plan.Err).
	NothingHelps Outcome = "nothing-helps"
	// Preempts: the victims on the node have to leave.
	Preempts Outcome = "preempt"
)

// Ineligibility is why a pod may not preempt (chapter 8); empty if it may. It is one of these
// words, which never change, or a text of the caller's, who keeps the pod from preempting (rule
// 8.13).
type Ineligibility string

// The reasons of kube-scheduler and its variants.
const (
	// PolicyNever: its preemption policy is Never.
	PolicyNever Ineligibility = "policy-never"
	// VictimsTerminating: victims of an earlier preemption still leave its nominated node.
	VictimsTerminating Ineligibility = "victims-terminating"
	// Nominated: it has a nomination already, as the simplified variant says.
	Nominated Ineligibility = "nominated"
	// Disabled: the policy allows no pod to preempt.
	Disabled Ineligibility = "disabled"
)

// Message returns what the pod is told: kube-scheduler's text for one of its reasons, the
// caller's as it stands. It is empty where the pod may preempt.
func (i Ineligibility) Message() string {
	switch i {
	case PolicyNever:
		return "not eligible due to preemptionPolicy=Never."
	case VictimsTerminating:
		return "not eligible due to a terminating pod on the nominated node."
	case Nominated:
		return "not eligible due to the nominated node."
	case Disabled:
		return "not eligible because preemption is disabled."
	}
	return string(i)
}

// byCaller reports whether the reason is a text of the caller's, which is its own message.
func (i Ineligibility) byCaller() bool { return i != "" && i.Message() == string(i) }

// Plan is the answer for a pod: which pods have to leave. It belongs to the caller. The pods and
// budgets that it points to are those that the caller passed in.
type Plan struct {
	// Pod is the preemptor.
	Pod *outrank.Pod
	// Now stood in for the start of pods that have none (Request.Now).
	Now time.Time
	// Release and Variant are whose rules the plan follows, and whoever carries it out goes by.
	Release outrank.Release
	Variant outrank.Variant
	// Outcome is the kind of answer. The zero Plan has none.
	Outcome Outcome
	// Ineligible says why the pod may not preempt, also where it fits; empty if it may.
	Ineligible Ineligibility
	// Resize is set where the preemptor is on its node already, and room is wanted for
	// its resize in place, which the node has deferred (group 7.19). It is nominated
	// nowhere. Where it fits, the kubelet resizes it, and a scheduler has it wait for that (rule
	// 7.19.7).
	Resize bool
	// Warnings are what of the pod no filter has read: its claims for devices, unless Config.Filters has one
	// of the name "DynamicResources" (rule 7.14.7).
	Warnings []outrank.Problem

	// Candidate is the chosen node with its victims. It is the zero value
	// unless the outcome is Preempts.
	Candidate

	// ClusterCertificate says how good the candidate is among all that the nodes could
	// have, or, where nothing helps, whether that is certain. It is nil unless Exact or
	// Across searched for victims. With a Sample it is about the nodes of
	// the sample.
	ClusterCertificate *Certificate

	// Refused is what ended the attempt before any node was asked, so that all of
	// them have this status (PreFilter); Success where nothing did.
	Refused Status
	// Feasible is the number of nodes that take the pod as things are. With Fits, FirstFit is
	// the first of them in the cluster's order; a scheduler that scores the nodes takes another.
	Feasible int
	FirstFit string
	// TurnedDown counts the nodes that do not take the pod as things are, by their status.
	// Unhelpful counts those of them where preemption was tried and does not help, by their status
	// with every possible victim gone. The most frequent status comes first. Unhelpful is set where
	// nothing helps and empty elsewhere; Explain has the answer of every node.
	TurnedDown, Unhelpful []Count

	// Nodes has the answer of every node in the cluster's order, and Candidates every candidate, the
	// best first: found on every node where preemption may help (a Sample may leave some out), also
	// where the pod fits or may not preempt. Only Explain fills them.
	Nodes      []NodeReport
	Candidates []Candidate
	// DecidedBy names the rank by which the first of Candidates beats the second. It is empty where
	// there are fewer than two, and where no rank decides but the order of the nodes.
	DecidedBy string
}

// Err returns the error that the search for victims ended in (rule 8.12): filters
// contradicted themselves, and there is no other candidate. The outcome is NothingHelps
// then, which is not certain. Err is nil everywhere else. Time is linear in Unhelpful.
func (p *Plan) Err() error {
	if p == nil || p.Outcome != NothingHelps || p.dropped() {
		return nil
	}
	var texts []string
	for i := range p.Unhelpful {
		if s := &p.Unhelpful[i].Status; s.Code == Contradiction {
			texts = append(texts, strings.Join(s.Reasons, ", "))
		}
	}
	switch len(texts) {
	case 0:
		return nil
	case 1:
		return errors.New(texts[0])
	}
	slices.Sort(texts)
	return fmt.Errorf("[%s]", strings.Join(texts, ", "))
}

// Count is a number of nodes with one status.
type Count struct {
	Status
	Nodes int
}

// dropped reports whether an extender has dropped a candidate on one of the nodes.
func (p *Plan) dropped() bool {
	return slices.ContainsFunc(p.Unhelpful, func(c Count) bool { return prose.IsDropped(c.Reasons) })
}

// Candidate is a node on which removing the victims makes room.
type Candidate struct {
	Node string
	// Victims have to leave, the most important first. A pod that engine.Snapshot.Bind has moved
	// is a copy with its place, here and below, as that of engine.Snapshot.Cluster is; any other
	// pod is the object that the snapshot was given.
	Victims []Victim
	// Score is what the candidates are compared by.
	Score Score
	// ClearedNominations are the pods of lower priority that are nominated to
	// the node and lose that, by importance (rule 14.3.3).
	ClearedNominations []*outrank.Pod
	// Certificate says how good the victims are among all that this node could have.
	// It is nil without Exact.
	Certificate *Certificate
}

// Victim is a pod that has to leave, with the reasons.
type Victim struct {
	Pod *outrank.Pod
	// Node is where the pod runs, if that is another node than the candidate's, and always in the plan
	// for a group. A pod leaves another node because all running pods of Group, or of the groups
	// below Composite, leave together (rule 12.8.5), or because it keeps the preemptor from the
	// candidate's node from afar (Across).
	Node string
	// Group, or Composite, is what leaves whole, the pod with it (rule 12.6.3). Both are nil for a pod
	// that leaves by itself. Victims of one group stand together.
	Group     *outrank.PodGroup
	Composite *outrank.CompositePodGroup
	// Priority is what the pod counts with: its own, or that of its groups.
	Priority int32
	// Rule names the rule by which the pod may be a victim, where the caller has one
	// (Eligibility.Take, Guard). It is empty where lower priority is the rule. Those that leave
	// together have the rule of the first.
	Rule string
	// Violated are the budgets that the loss of the pod violates, in the order
	// of the cluster. It is empty for most victims. A budget is charged for
	// every possible victim on the node in order of importance, not only for
	// the actual ones (rule 6.3.7). So a victim may be listed with a budget
	// that would have had room for it alone. Victims may share one list, so that it
	// must not be written.
	Violated []*outrank.PodDisruptionBudget
	// Blocks is what the preemptor failed with when this pod was put back or,
	// with the simplified variant, before it was removed. It is Success if an
	// extender named the victim. Blocked is the pod of the group that failed so; nil in the plan for a
	// single pod, and where it is the guard that says so of those that would be away without the pod.
	Blocks  Status
	Blocked *outrank.Pod
}

// leavesWith reports whether two victims that stand together are of one group that leaves whole.
func (v *Victim) leavesWith(w *Victim) bool {
	if v.Composite != nil || w.Composite != nil {
		return v.Composite == w.Composite
	}
	return v.Group != nil && v.Group == w.Group
}

// String names the victim, and Node if that is set.
func (v Victim) String() string {
	if v.Node != "" {
		return prose.Pod(v.Pod) + " on " + v.Node
	}
	return prose.Pod(v.Pod)
}

// NodeReport is the answer of one node.
type NodeReport struct {
	Node string
	// Status is the answer as things are.
	Status Status
	// AfterRemoval is the answer with every possible victim gone; nil where preemption was not
	// tried.
	AfterRemoval *Status
	// Candidate has the victims there; nil if the node is no candidate.
	Candidate *Candidate
}

// Decision is a *[Plan] or a *[GroupPlan]: what can be verified and applied. What embeds one of them
// is none.
type Decision interface {
	decision()
}

func (*Plan) decision() {}

func (*GroupPlan) decision() {}

var errNoPlan = fmt.Errorf("%w: no plan", outrank.ErrInvalid)

// For returns the plan that takes the candidate on another node, of a plan that Explain has made.
// It belongs to the caller, and shares its victims with the candidate. Errors: [ErrNotFound] for a
// node without a candidate, [ErrState] unless the outcome is [Preempts]. Time is linear in the
// candidates.
func (p *Plan) For(node string) (*Plan, error) {
	if p == nil {
		return nil, errNoPlan
	}
	if p.Outcome != Preempts {
		return nil, fmt.Errorf("pod %s: %w: the outcome is %q", prose.Pod(p.Pod), ErrState, p.Outcome)
	}
	for _, c := range p.Candidates {
		if c.Node == node {
			plan := *p
			plan.Candidate = c
			plan.Nodes, plan.Candidates, plan.DecidedBy = nil, nil, ""
			if node != p.Node {
				plan.ClusterCertificate = nil // it is about the best one
			}
			return &plan, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", prose.Object("candidate on node", node), ErrNotFound)
}
