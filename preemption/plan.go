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

// Outcome is the kind of an answer. Its values are words that never change. No decision has the zero Outcome.
type Outcome string

// The outcomes, in the order in which they are checked.
const (
	// Fits means that a node takes the pod as things are.
	Fits Outcome = "fits"
	// NotEligible means that the pod may not preempt, or not at present.
	NotEligible Outcome = "not-eligible"
	// NothingHelps means that the loss of pods makes room on no node, that the extenders have dropped
	// every node where it does, or that the search ended in an error (Plan.Err).
	NothingHelps Outcome = "nothing-helps"
	// Preempts means that the victims on the node have to leave.
	Preempts Outcome = "preempt"
)

// Ineligibility says why a pod may not preempt (chapter 8). It is empty if the pod may. Otherwise it is
// one of the words below, which never change, or the caller's own text (rule 8.13).
type Ineligibility string

// The reasons of kube-scheduler and its variants.
const (
	// PolicyNever means that the pod's preemption policy is Never.
	PolicyNever Ineligibility = "policy-never"
	// VictimsTerminating means that victims of an earlier preemption still leave the node that the pod is
	// nominated to.
	VictimsTerminating Ineligibility = "victims-terminating"
	// Nominated means that the pod has a nomination already, which keeps it from preempting by the
	// simplified variant.
	Nominated Ineligibility = "nominated"
	// NoPriority means that the pod has no priority, which keeps it from preempting by the simplified variant.
	NoPriority Ineligibility = "no-priority"
	// Disabled means that the profile allows no pod to preempt (Profile.Off).
	Disabled Ineligibility = "disabled"
)

// Message returns the text for the pod: kube-scheduler's for one of its reasons, and the caller's as it
// stands. It is empty if the pod may preempt.
func (i Ineligibility) Message() string {
	switch i {
	case PolicyNever:
		return "not eligible due to preemptionPolicy=Never."
	case VictimsTerminating:
		return "not eligible due to a terminating pod on the nominated node."
	case Nominated:
		return "not eligible due to the nominated node."
	case NoPriority:
		return "not eligible without a priority."
	case Disabled:
		return "not eligible because preemption is disabled."
	}
	return string(i)
}

// byCaller reports whether the reason is the caller's own text, which is also its message.
func (i Ineligibility) byCaller() bool { return i != "" && i.Message() == string(i) }

// Plan is the answer for a pod: which pods have to leave. It belongs to the caller. The pods and
// budgets that it points to belong to the caller's input.
type Plan struct {
	// Pod is the preemptor.
	Pod *outrank.Pod
	// Now is Request.Now, which stood in for the start of pods that have none.
	Now time.Time
	// Release and Variant name the rules that the plan follows. Carrying it out follows them, too.
	Release outrank.Release
	Variant outrank.Variant
	// Outcome is the kind of answer. The zero Plan has none.
	Outcome Outcome
	// Ineligible says why the pod may not preempt, even if it fits; empty if it may.
	Ineligible Ineligibility
	// Resize reports whether the preemptor is on its node already and wants room there for its resize in
	// place, which the node has deferred (group 7.19). Such a pod is nominated nowhere. Where it fits, the
	// scheduler leaves it waiting, and the kubelet resizes it (rule 7.19.7).
	Resize bool
	// Warnings name parts of the pod that no filter has read: its claims for devices, unless a filter of
	// the caller has the name "DynamicResources" (rule 7.14.7), and the claims of its volumes of which only
	// the name is known (rule 7.10.4).
	Warnings []outrank.Problem

	// Candidate is the chosen node with its victims. It is the zero value
	// unless the outcome is Preempts.
	Candidate

	// ClusterCertificate says how good the candidate is among all that the nodes could have. Where nothing
	// helps it says whether that is certain. It is nil unless Exact or Across searched for victims. With a
	// Sample it is about the nodes of the sample.
	ClusterCertificate *Certificate

	// Refused is the status that turned the pod down before any node was asked; every node then has it
	// (PreFilter). It is Success if the nodes were asked.
	Refused Status
	// Feasible is the number of nodes that take the pod before any other pod leaves.
	Feasible int
	// FirstFit is the first of these nodes in the cluster's order, empty for none. A scheduler that scores
	// the nodes may take another.
	FirstFit string
	// TurnedDown counts the nodes that do not take the pod as things are, by their status. The most
	// frequent status comes first, here and in Unhelpful.
	TurnedDown []Count
	// Unhelpful counts the nodes where preemption was tried in vain, by their status with every possible
	// victim gone. It is empty unless nothing helps.
	Unhelpful []Count

	// Nodes has the answer of every node in the cluster's order. Only Explain fills it.
	Nodes []NodeReport
	// Candidates has every candidate, the best first, even if the pod fits or may not preempt. A Sample
	// leaves out the nodes that it does not try, and Across lists none. Only Explain fills it.
	Candidates []Candidate
	// DecidedBy names the rank by which the first of Candidates beats the second. It is empty if there
	// are fewer than two, or if they tie in all ranks, so that the order of the nodes decides.
	DecidedBy string
}

// Err returns the error that the search for victims ended in: filters contradicted themselves, and there
// is no candidate (rule 8.12). The outcome NothingHelps is not certain then. Err is nil everywhere else.
// Time is linear in Unhelpful.
func (p *Plan) Err() error {
	// Where extenders have dropped the candidates there were some, so that the search did not fail (rule 8.12).
	if p == nil || p.Outcome != NothingHelps || p.dropped() {
		return nil
	}

	var texts []string
	for i := range p.Unhelpful {
		if s := &p.Unhelpful[i].Status; s.Code == Contradiction {
			texts = append(texts, strings.Join(s.Reasons, ", "))
		}
	}

	// Several texts are sorted, so that the error does not depend on the order of the nodes, and put in
	// brackets, as in the reference.
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

// Candidate is a node where the loss of the victims makes room.
type Candidate struct {
	Node string
	// Victims have to leave, the most important first. Each points to the pod that the caller passed in.
	// Only a pod that engine.Snapshot.Bind has moved is a copy with its new place, here and below.
	Victims []Victim
	// Score has the figures by which candidates are compared.
	Score Score
	// ClearedNominations are the pods of lower priority whose nomination to the node is cleared, the most
	// important first (rule 14.3.3).
	ClearedNominations []*outrank.Pod
	// Certificate says how good the victims are among all sets that this node could lose. It is nil
	// without Exact.
	Certificate *Certificate
}

// Victim is a pod that has to leave, with the reasons.
type Victim struct {
	Pod *outrank.Pod
	// Node is the node of the pod if it is not the candidate's; in the plan for a group it is always set.
	// A pod leaves another node because all running pods of Group, or of the groups below Composite, leave
	// together (rule 12.8.5), or because it keeps the preemptor from the candidate's node from afar
	// (Across).
	Node string
	// Group, or Composite, leaves whole, and the pod with it (rule 12.6.3). Both are nil for a pod that
	// leaves by itself. Victims of one group stand together.
	Group     *outrank.PodGroup
	Composite *outrank.CompositePodGroup
	// Priority is the priority with which the pod counts as a victim: its own, or its groups' (rule 12.6.2).
	// The ranks go by its own.
	Priority int32
	// Rule names the caller's rule by which the pod may be a victim (Eligibility.Take, Guard). It is empty
	// if the pod may be one by its lower priority. In the plan for a group, pods that leave together have
	// the rule of the first.
	Rule string
	// Violated are the budgets that the loss of the pod violates, in the order of the cluster; empty for
	// most victims. By default a budget is charged for every possible victim on the node, in order of
	// importance, and not only for the actual ones (rule 6.3.7). So a victim may be listed with a budget
	// that would have had room for it alone. Victims may share one list: do not change it.
	Violated []*outrank.PodDisruptionBudget
	// Blocks is what the preemptor failed with when this pod was put back or, with the simplified variant,
	// before it was taken away. It is Success for a victim that an extender alone has named.
	Blocks Status
	// Blocked is the pod of the preempting group that failed with Blocks. It is nil in the plan for a
	// single pod, and where Blocks is the guard's.
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
	// Status is the answer before any pod leaves.
	Status Status
	// AfterRemoval is the answer with every possible victim gone; nil where preemption was not tried.
	AfterRemoval *Status
	// Candidate points into Plan.Candidates; nil if the node is not a candidate.
	Candidate *Candidate
}

// Decision is a *[Plan] or a *[GroupPlan], which can be verified and applied. A type that embeds one of them
// also satisfies the interface, but functions that take a Decision refuse it.
type Decision interface {
	decision()
}

func (*Plan) decision() {}

func (*GroupPlan) decision() {}

var errNoPlan = fmt.Errorf("%w: no plan", outrank.ErrInvalid)

// For returns the plan that takes the candidate on a node of the caller's choice. Explain must have made
// p, which lists the candidates. The result belongs to the caller and shares its victims with p. Errors:
// [ErrNotFound] for a node without a candidate, [ErrState] unless the outcome is [Preempts]. Time is
// linear in the candidates.
func (p *Plan) For(node string) (*Plan, error) {
	if p == nil {
		return nil, errNoPlan
	}
	if p.Outcome != Preempts {
		return nil, fmt.Errorf("pod %s: %w: the outcome is %q", prose.Pod(p.Pod), ErrState, p.Outcome)
	}

	at := slices.IndexFunc(p.Candidates, func(c Candidate) bool { return c.Node == node })
	if at < 0 {
		return nil, fmt.Errorf("%s: %w", prose.Object("candidate on node", node), ErrNotFound)
	}
	plan := *p
	plan.Candidate = p.Candidates[at]

	// Explain's reports are about the choice between the candidates, which the caller has made instead. The
	// certificate is about the chosen candidate, and holds only if the caller chooses the same.
	plan.Nodes = nil
	plan.Candidates = nil
	plan.DecidedBy = ""
	if node != p.Node {
		plan.ClusterCertificate = nil
	}
	return &plan, nil
}
