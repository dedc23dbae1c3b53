package proof_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/proof"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

func TestBookDecidesAsTheModel(t *testing.T) {
	agree(t, "the book", readCases(t), 1, func(t *testing.T, c proof.Case) proof.Decision {
		cluster, req, config := question(c)
		explained, err := preemption.Explain(cluster, req, config)
		require.NoError(t, err)
		plan, err := preemption.Preempt(cluster, req, config)
		require.NoError(t, err)
		return decision(t, explained, plan)
	})
}

func TestEngineDecidesAsTheModel(t *testing.T) {
	agree(t, "the engine", readCases(t), 1, func(t *testing.T, c proof.Case) proof.Decision {
		cluster, req, config := question(c)
		snapshot, err := engine.NewSnapshot(cluster)
		require.NoError(t, err)
		evaluator, err := engine.New(config)
		require.NoError(t, err)
		explained, err := evaluator.Explain(context.Background(), snapshot, req)
		require.NoError(t, err)
		plan, err := evaluator.Preempt(context.Background(), snapshot, req)
		require.NoError(t, err)
		return decision(t, explained, plan)
	})
}

// question returns a case in the words of the book.
func question(c proof.Case) (*outrank.Cluster, preemption.Request, preemption.Config) {
	cluster := &outrank.Cluster{Release: outrank.V1_36}
	if c.Cluster.Rules.BudgetsStopAtFirst {
		cluster.Release = outrank.V1_37
	}
	for i, n := range c.Cluster.Nodes {
		cluster.Nodes = append(cluster.Nodes, &outrank.Node{
			Name: nodeName(i), Unschedulable: n.Cordoned, Allocatable: amounts(n.CPU, n.Memory, n.Pods),
		})
	}

	// A preemptor that the cluster knows is the pod of its list.
	req := preemption.Request{Pod: podOf(c.Pod), Now: at(c.Now)}
	for _, p := range c.Cluster.Pods {
		pod := podOf(p)
		if p.Name == c.Pod.Name {
			req.Pod = pod
		}
		cluster.Pods = append(cluster.Pods, pod)
	}
	for _, b := range c.Cluster.Budgets {
		cluster.Budgets = append(cluster.Budgets, budgetOf(b))
	}

	var config preemption.Config
	for _, r := range c.Ranks {
		config.Ranks = append(config.Ranks, rankOf[r])
	}
	return cluster, req, config
}

var rankOf = map[proof.Word]preemption.Rank{
	"ByViolations": preemption.ByViolations, "ByTopPriority": preemption.ByTopPriority,
	"ByPrioritySum": preemption.ByPrioritySum, "ByVictims": preemption.ByVictims, "ByStart": preemption.ByStart,
}

func podOf(p proof.Pod) *outrank.Pod {
	pod := &outrank.Pod{
		Name: fmt.Sprintf("p%02d", p.Name), NodeName: nodeName(p.Node), NominatedNodeName: nodeName(p.Nominated),
		Priority: outrank.Priority(int32(p.Priority)), StartTime: at(p.Start),
		Containers: []outrank.Container{{Name: "c", Requests: amounts(p.CPU, p.Memory, 0)}},
	}
	if p.App != 0 {
		pod.Labels = map[string]string{"app": fmt.Sprint(p.App)}
	}
	if p.Never {
		pod.PreemptionPolicy = outrank.PreemptNever
	}
	if p.Terminating {
		pod.DeletionTimestamp = at(9)
	}
	if p.Preempted {
		pod.DisruptionReason = outrank.PreemptionByScheduler
	}
	if p.Gated {
		pod.SchedulingGates = []string{"gate"}
	}
	if p.Finished {
		pod.Phase = outrank.PhaseSucceeded
	}
	return pod
}

func budgetOf(b proof.Budget) *outrank.PodDisruptionBudget {
	var apps []string
	for _, app := range b.Apps {
		apps = append(apps, fmt.Sprint(app))
	}
	disrupted := map[string]time.Time{}
	for _, name := range b.Disrupted {
		disrupted[fmt.Sprintf("p%02d", name)] = at(1)
	}
	return &outrank.PodDisruptionBudget{
		Name: fmt.Sprintf("b%d", b.Name), DisruptionsAllowed: int32(b.Allowed), DisruptedPods: disrupted,
		Selector: &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.In, Values: apps}}},
	}
}

// nodeName names a node by its place; there is none at -1.
func nodeName(place int) string {
	if place < 0 {
		return ""
	}
	return fmt.Sprintf("n%d", place)
}

// at returns a time, none for 0.
func at(seconds int) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}

func amounts(cpu, memory, pods int) resource.List {
	list := resource.List{resource.CPU: resource.NewMilli(int64(cpu)), resource.Memory: resource.New(int64(memory))}
	if pods > 0 {
		list[resource.Pods] = resource.New(int64(pods))
	}
	return list
}

// The words of the book in those of the model.
var (
	codeOf = map[preemption.Code]proof.Word{
		preemption.Success: "Success", preemption.Unschedulable: "Unschedulable",
		preemption.UnschedulableAndUnresolvable: "UnschedulableAndUnresolvable",
	}
	outcomeOf = map[preemption.Outcome]proof.Word{
		preemption.Fits: "Fits", preemption.NotEligible: "NotEligible",
		preemption.NothingHelps: "NothingHelps", preemption.Preempts: "Preempts",
	}
	ineligibleOf = map[preemption.Ineligibility]proof.Word{
		"": "Eligible", preemption.PolicyNever: "PolicyNever", preemption.VictimsTerminating: "VictimsTerminating",
	}
)

// decision returns what was decided in the words of the model: the candidates as they were explained, and the
// choice as it was made without being asked to explain.
func decision(t *testing.T, explained, plan *preemption.Plan) proof.Decision {
	t.Helper()
	d := proof.Decision{Outcome: outcomeOf[plan.Outcome], Ineligible: ineligibleOf[plan.Ineligible], Node: -1}
	require.Equal(t, explained.Outcome, plan.Outcome)
	for i, n := range explained.Nodes {
		d.Before = append(d.Before, codeOf[n.Status.Code])
		if n.Candidate != nil {
			d.Candidates = append(d.Candidates, candidateOf(i, n.Candidate))
		}
	}
	if plan.Outcome != preemption.Preempts {
		return d
	}

	d.Node = slices.IndexFunc(explained.Nodes, func(n preemption.NodeReport) bool { return n.Node == plan.Node })
	require.NotEqual(t, -1, d.Node)
	require.Equal(t, candidateOf(d.Node, explained.Nodes[d.Node].Candidate), candidateOf(d.Node, &plan.Candidate))
	return d
}

func candidateOf(node int, c *preemption.Candidate) proof.Candidate {
	s := c.Score
	one := proof.Candidate{Node: node, Score: proof.Score{
		Violations: s.Violations, TopPriority: int(s.TopPriority), PrioritySum: s.PrioritySum, Victims: s.Victims,
		Start: laterThanAny,
	}}
	if !s.Start.IsZero() {
		one.Score.Start = int(s.Start.Unix())
	}
	for _, v := range c.Victims {
		victim := proof.Victim{Name: number(v.Pod.Name)}
		for _, b := range v.Violated {
			victim.Violated = append(victim.Violated, number(b.Name))
		}
		one.Victims = append(one.Victims, victim)
	}
	return one
}

// laterThanAny is the start in the model of a victim that has none.
const laterThanAny = 1_000_000_000

// number returns the number behind the letter of a name.
func number(name string) (n int) {
	fmt.Sscanf(name[1:], "%d", &n)
	return n
}
