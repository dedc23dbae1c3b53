package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	kubeframework "k8s.io/kubernetes/pkg/scheduler/framework"
	kubepreemption "k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// stockAttempt is an attempt to preempt for a pod that takes DefaultPreemption's own steps, from the question
// whether the pod may preempt to the choice of the candidate. It carries nothing out.
type stockAttempt struct {
	*Plugin
	pod  *v1.Pod
	said fwk.NodeToStatusReader
}

// run takes the steps and writes the plan, its nomination and its text into the decision. After an error the plan
// in it means nothing.
func (a *stockAttempt) run(ctx context.Context, cycle fwk.CycleState, d *Decision) error {
	nodes, err := a.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return err
	}
	d.Plan = &preemption.Plan{Pod: plain(a.pod), TurnedDown: a.turnedDown(nodes)}

	// The order of the two checks decides which text a pod that may not preempt gets in a cluster without nodes.
	if may, why := a.stock.PodEligibleToPreemptOthers(ctx, a.pod, a.said.Get(a.pod.Status.NominatedNodeName)); !may {
		d.Plan.Outcome, d.Plan.Ineligible = preemption.NotEligible, ineligible(why)
		d.text = preemptionSays + why
		return nil
	}
	if len(nodes) == 0 {
		return errors.New("no nodes available")
	}

	// An error is about nodes that are no candidates, so that it matters only if there is no candidate.
	d.Plan.Outcome = preemption.NothingHelps
	candidates, statuses, err := a.dryRuns(ctx, cycle)
	if len(candidates) == 0 {
		if err == nil {
			d.Plan.Unhelpful = unhelpful(statuses)
			d.nomination, d.text = execution.Nomination{Override: true}, preemptionSays+notHelpful(a.pod, len(nodes), statuses)
		}
		return err
	}
	d.Plan.Unhelpful = unhelpful(statuses)

	// The extenders may leave no candidate.
	if candidates, err = a.askExtenders(candidates); err != nil {
		return err
	}
	best := a.stock.Evaluator.SelectCandidate(ctx, candidates)
	if best == nil || best.Name() == "" {
		d.text = preemptionSays + "no candidate node for preemption"
		return nil
	}
	d.Plan.Outcome, d.Plan.Candidate = preemption.Preempts, a.candidate(best)
	d.nomination, d.text = a.says(d.Plan)
	return nil
}

// turnedDown counts the nodes by the statuses that the scheduler's filters gave them in this attempt.
func (a *stockAttempt) turnedDown(nodes []fwk.NodeInfo) []preemption.Count {
	list := make([]preemption.Status, len(nodes))
	for i, node := range nodes {
		list[i] = status(a.said.Get(node.Node().Name))
	}
	return counted(list)
}

// dryRuns looks for victims on the nodes where preemption may help, until there are as many candidates as the
// arguments ask for. If it returns candidates and an error, the error is about nodes that are no candidates.
func (a *stockAttempt) dryRuns(ctx context.Context, cycle fwk.CycleState) ([]kubepreemption.Candidate, *kubeframework.NodeToStatus, error) {
	potential, err := a.said.NodesForStatusCode(a.handle.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
	if err != nil || len(potential) == 0 {
		return nil, kubeframework.NewDefaultNodeToStatus(), err
	}
	budgets, err := a.stock.Evaluator.PdbLister.List(labels.Everything())
	if err != nil {
		return nil, nil, err
	}

	// The node at which the sample begins is this plugin's, from its seed; DefaultPreemption would draw one.
	nodes := int32(len(potential))
	_, enough := a.stock.GetOffsetAndNumCandidates(nodes)
	return a.stock.Evaluator.DryRunPreemption(ctx, cycle, a.pod, potential, budgets, a.args.offset(nodes, a.pod), enough)
}

// offset returns the position of the node at which a sample begins, among the nodes where preemption may help. It
// depends on the seed and the pod's key alone, so that a decision can be repeated.
func (a *Args) offset(nodes int32, pod *v1.Pod) int32 {
	if a.Seed == 0 || nodes == 0 {
		return 0
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", a.Seed, keyOf(pod))
	return int32(h.Sum64() % uint64(nodes))
}

// notHelpful returns the text about a pod for which nothing helps. It changes statuses: nodes that were not tried
// get a status, too.
func notHelpful(pod *v1.Pod, nodes int, statuses *kubeframework.NodeToStatus) string {
	statuses.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "Preemption is not helpful for scheduling"))
	e := &kubeframework.FitError{Pod: pod, NumAllNodes: nodes, Diagnosis: kubeframework.Diagnosis{NodeToStatus: statuses}}
	return e.Error()
}

// unhelpful counts the nodes that were tried in vain, by their statuses.
func unhelpful(statuses *kubeframework.NodeToStatus) []preemption.Count {
	names := map[string]preemption.Status{}
	statuses.ForEachExplicitNode(func(node string, said *fwk.Status) { names[node] = status(said) })
	return counted(inOrderOfNames(names))
}

// proposal is a candidate as the extenders have left it.
type proposal struct {
	node    string
	victims *extenderv1.Victims
}

func (p proposal) Name() string                 { return p.node }
func (p proposal) Victims() *extenderv1.Victims { return p.victims }
func (proposal) NumPodGroupDisruptions() int    { return 0 }

// askExtenders lets the scheduler's extenders change the candidates, one after the other, until no candidate is
// left.
func (a *stockAttempt) askExtenders(candidates []kubepreemption.Candidate) ([]kubepreemption.Candidate, error) {
	extenders := a.handle.Extenders()
	left := a.stock.CandidatesToVictimsMap(candidates)
	if len(extenders) == 0 || len(left) == 0 {
		return candidates, nil
	}

	for _, e := range extenders {
		if len(left) == 0 {
			break
		}
		if !e.SupportsPreemption() || !e.IsInterested(a.pod) {
			continue
		}

		// An extender that may be ignored and fails changes nothing: the next one is asked about the same nodes.
		answer, err := e.ProcessPreemption(a.pod, left, a.handle.SnapshotSharedLister().NodeInfos())
		switch {
		case err == nil:
		case e.IsIgnorable():
			continue
		default:
			return nil, err
		}
		if err := checkVictims(answer, e.IsIgnorable()); err != nil {
			return nil, err
		}
		left = answer
	}

	var list []kubepreemption.Candidate
	for node, victims := range left { // in any order: the best of them is chosen
		list = append(list, proposal{node, victims})
	}
	return list, nil
}

// checkVictims looks for nodes without a victim in the answer of an extender. If the extender may be ignored they
// are deleted from the answer, otherwise they are an error.
func checkVictims(answer map[string]*extenderv1.Victims, ignorable bool) error {
	for node, victims := range answer { // in any order: nodes do not depend on each other
		switch {
		case victims != nil && len(victims.Pods) > 0:
		case ignorable:
			delete(answer, node)
		default:
			return fmt.Errorf("expected at least one victim pod on node %q", node)
		}
	}
	return nil
}

// candidate returns the chosen node with its victims and the less important pods that lose their nomination to
// it.
func (a *stockAttempt) candidate(best kubepreemption.Candidate) preemption.Candidate {
	victims := best.Victims()
	c := preemption.Candidate{Node: best.Name(), Score: preemption.Score{Violations: int(victims.NumPDBViolations), Victims: len(victims.Pods)}}
	for i, v := range victims.Pods {
		victim := preemption.Victim{Pod: plain(v)}
		if v.Spec.NodeName != c.Node {
			victim.Node = v.Spec.NodeName
		}
		c.Victims = append(c.Victims, victim)
		if priority := helpers.PodPriority(v); i == 0 || priority > c.Score.TopPriority {
			c.Score.TopPriority = priority
		}
	}

	for _, info := range a.handle.NominatedPodsForNode(c.Node) {
		if pod := info.GetPod(); helpers.PodPriority(pod) < helpers.PodPriority(a.pod) {
			c.ClearedNominations = append(c.ClearedNominations, plain(pod))
		}
	}
	slices.SortStableFunc(c.ClearedNominations, func(x, y *outrank.Pod) int { return cmp.Compare(y.PriorityValue(), x.PriorityValue()) })
	return c
}

// inOrderOfNames lists the statuses in the order of the nodes' names.
func inOrderOfNames(statuses map[string]preemption.Status) []preemption.Status {
	var names []string
	for name := range statuses {
		names = append(names, name)
	}
	slices.Sort(names)
	list := make([]preemption.Status, len(names))
	for i, name := range names {
		list[i] = statuses[name]
	}
	return list
}

// counted counts equal statuses, the most frequent first. Equally frequent ones stay in the order of the list.
func counted(list []preemption.Status) (counts []preemption.Count) {
	for _, s := range list {
		same := func(c preemption.Count) bool {
			return c.Code == s.Code && c.Filter == s.Filter && slices.Equal(c.Reasons, s.Reasons)
		}
		if i := slices.IndexFunc(counts, same); i >= 0 {
			counts[i].Nodes++
		} else {
			counts = append(counts, preemption.Count{Status: s, Nodes: 1})
		}
	}
	slices.SortStableFunc(counts, func(a, b preemption.Count) int { return cmp.Compare(b.Nodes, a.Nodes) })
	return counts
}

// ineligible translates DefaultPreemption's text about a pod that may not preempt. A text that this module does
// not know becomes the reason as it is.
func ineligible(why string) preemption.Ineligibility {
	for _, i := range []preemption.Ineligibility{preemption.PolicyNever, preemption.VictimsTerminating} {
		if why == i.Message() {
			return i
		}
	}
	return preemption.Ineligibility(why)
}

// plain returns the pod as plans have it. A pod that is not understood has its names and its priority alone.
func plain(pod *v1.Pod) *outrank.Pod {
	p, err := convert.Pod(pod)
	if err != nil {
		p = &outrank.Pod{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID), Priority: pod.Spec.Priority}
	}
	p.Value = pod
	return p
}
