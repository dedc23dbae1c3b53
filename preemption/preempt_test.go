package preemption_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
)

// The outcome says which step ended the decision (rules 8.1 and 8.8).
func TestOutcomes(t *testing.T) {
	busy := func() *outrank.Cluster { return clusterOf(node("a"), pod("x", "a", 1, cpu("1"))) }
	never := func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }
	for _, test := range []struct {
		name    string
		cluster *outrank.Cluster
		pod     *outrank.Pod
		outcome preemption.Outcome
		node    string
	}{
		{"a node takes it", clusterOf(node("a")), preemptor(cpu("1")), preemption.Fits, ""},
		{"a node takes it, and it could not preempt", clusterOf(node("a")), preemptor(cpu("1"), never), preemption.Fits, ""},
		{"it may not preempt", busy(), preemptor(cpu("1"), never), preemption.NotEligible, ""},
		{"somebody leaves", busy(), preemptor(cpu("1")), preemption.Preempts, "a"},
		{"nobody's leaving helps", busy(), preemptor(cpu("2")), preemption.NothingHelps, ""},
		{"there is no node", nil, preemptor(), preemption.NothingHelps, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan, err := preemption.Preempt(test.cluster, preemption.Request{Pod: test.pod, Now: now}, preemption.Config{})
			require.NoError(t, err)
			assert.Equal(t, test.outcome, plan.Outcome)
			assert.Equal(t, test.node, plan.Node)
			assert.Equal(t, now, plan.Now)
			assert.Same(t, test.pod, plan.Pod)
		})
	}
}

// A plan counts the nodes by their answers, the most frequent first, and names the first that fits.
func TestPlanCountsNodes(t *testing.T) {
	c := clusterOf(
		node("a", cordoned), node("b"), node("c", allocatable("pods", "10")), node("d"), node("e", allocatable("pods", "10")),
		pod("x", "b", 200, cpu("1")), pod("y", "d", 200, cpu("1")), pod("z", "e", 200),
	)
	ask := preemption.Request{Pod: preemptor(cpu("1")), Now: now}
	plan, err := preemption.Preempt(c, ask, preemption.Config{})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"2 NodeResourcesFit: Insufficient cpu", "2 NodeResourcesFit: Insufficient cpu", "1 NodeUnschedulable: node(s) were unschedulable",
	}, countsOf(plan.TurnedDown))
	assert.Equal(t, []string{"2 No preemption victims found for incoming pod"}, countsOf(plan.Unhelpful))
	assert.Zero(t, plan.Feasible)

	c.Nodes = append(c.Nodes, node("f"), node("g"))
	plan, err = preemption.Preempt(c, ask, preemption.Config{})
	require.NoError(t, err)
	assert.Equal(t, 2, plan.Feasible)
	assert.Equal(t, "f", plan.FirstFit)
	assert.Empty(t, plan.Unhelpful, "nothing was tried")
}

func countsOf(counts []preemption.Count) []string {
	var list []string
	for _, c := range counts {
		list = append(list, c.String())
	}
	return list
}

// Each victim says what the pod failed with when the victim was put back (rule 9.5).
func TestVictimsSayWhatTheyBlock(t *testing.T) {
	c := clusterOf(node("a"), pod("x", "a", 2, cpu("1")), pod("y", "a", 1, binds(80, "", "")), pod("z", "a", 1))
	plan := explain(t, c, preemptor(cpu("1"), binds(80, "", "")), preemption.Config{})
	require.Equal(t, []string{"x", "y"}, victimNames(plan.Victims))
	assert.Equal(t, "NodeResourcesFit: Insufficient cpu", plan.Victims[0].Blocks.String())
	assert.Equal(t, "NodePorts: node(s) didn't have free ports for the requested pod ports", plan.Victims[1].Blocks.String())
	assert.Equal(t, []int32{2, 1}, []int32{plan.Victims[0].Priority, plan.Victims[1].Priority})
}

// A question that makes no sense is refused, and the error says why.
func TestQuestionsThatAreRefused(t *testing.T) {
	other := func(p *outrank.Pod) { p.UID = "other" }
	busy := clusterOf(node("a"), pod("x", "a", 1), pod("p", "", 100, func(p *outrank.Pod) { p.UID = "one" }))
	for _, test := range []struct {
		name    string
		cluster *outrank.Cluster
		pod     *outrank.Pod
		config  preemption.Config
		is      error
		says    string
	}{
		{"no pod", busy, nil, preemption.Config{}, outrank.ErrInvalid, "pod"},
		{"a configuration without sense", busy, preemptor(), preemption.Config{Ranks: []preemption.Rank{{}}}, outrank.ErrInvalid, "preemption config: Ranks[0]"},
		{"a cluster without sense", clusterOf(node("")), preemptor(), preemption.Config{}, outrank.ErrInvalid, "node"},
		{"a pod that runs", busy, pod("x", "a", 1), preemption.Config{}, preemption.ErrState, "pod default/x: not in the right state: it runs on node a"},
		{"another pod has its name", busy, preemptor(other), preemption.Config{}, preemption.ErrState, "another pod has its name"},
		{"a selector that cannot be read (rule 7.15.7)", busy, preemptor(away("host", oddSelector)), preemption.Config{}, outrank.ErrInvalid, "pod affinity term 0"},
		{"a constraint that cannot be read (rule 7.15.7)", busy, preemptor(spread("host", selecting(oddSelector))), preemption.Config{}, outrank.ErrInvalid, "topologySpreadConstraints[0].labelSelector"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ask := preemption.Request{Pod: test.pod, Now: now}
			for _, decide := range []func(*outrank.Cluster, preemption.Request, preemption.Config) (*preemption.Plan, error){preemption.Preempt, preemption.Explain} {
				plan, err := decide(test.cluster, ask, test.config)
				require.ErrorIs(t, err, test.is)
				require.ErrorContains(t, err, test.says)
				assert.Nil(t, plan)
			}
		})
	}
}

// oddSelector is a selector that old API servers let in: no label could have its value.
var oddSelector = &outrank.LabelSelector{
	MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.NotIn, Values: []string{"b c"}}},
}

// A selector that cannot be read matches nothing if a running pod has it. In a constraint of ScheduleAnyway
// no selector is read (rule 7.15.7).
func TestSelectorsThatCannotBeReadElsewhere(t *testing.T) {
	runRows(t, []row{
		{
			name:    "on a pod that is there",
			cluster: []any{node("a"), pod("x", "a", 1, away("host", oddSelector))},
			pod:     preemptor(web),
			want:    "a: fits",
		},
		{
			name:    "in a constraint of ScheduleAnyway",
			cluster: []any{node("a")},
			pod: preemptor(spread("host", selecting(oddSelector), func(c *constraint) {
				c.WhenUnsatisfiable = outrank.ScheduleAnyway
			})),
			want: "a: fits",
		},
	})
}

// explained is the plan for a drawn case.
func explained(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) *preemption.Plan {
	plan, err := preemption.Explain(c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{})
	if err != nil {
		t.Fatalf("Explain: %v", err)
	}
	return plan
}

// monotone draws only features by which a pod takes room from others and never helps them.
func monotone() gen.Shape {
	return gen.Shape{Budgets: 4, Nominated: 4, Taints: true, Selectors: true}
}

func TestInvariantOnlyNodeOrderMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(gen.Full()).Draw(t, "cluster")
		p := gen.Preemptor(gen.Full()).Draw(t, "preemptor")
		other := gen.Shuffled(c).Draw(t, "shuffled")
		if c.Release = rapid.SampledFrom([]outrank.Release{outrank.V1_36, outrank.V1_37}).Draw(t, "release"); c.Release == outrank.V1_37 {
			other.Budgets = c.Budgets // their order has a meaning (rule 6.3.8)
		}
		other.Release = c.Release
		want, got := explained(t, c, p), explained(t, other, p)
		if diff := testdiff.Diff(withoutChoice(want), withoutChoice(got)); diff != "" {
			t.Fatalf("the order of the nodes has changed more than the choice (-want +got):\n%s", diff)
		}
		// In the same node order, the choice agrees, too.
		other.Nodes = c.Nodes
		if diff := testdiff.Diff(lines(text(want)), lines(text(explained(t, other, p)))); diff != "" {
			t.Fatalf("the order of pods and budgets has changed the plan (-want +got):\n%s", diff)
		}
	})
}

// withoutChoice returns the sorted lines of a plan, without those about the chosen node.
func withoutChoice(plan *preemption.Plan) []string {
	return slices.Sorted(slices.Values(slices.DeleteFunc(lines(text(plan)), func(line string) bool {
		return strings.HasPrefix(line, "best ") || strings.HasPrefix(line, "cleared ")
	})))
}

func TestInvariantTheInputIsUnchanged(t *testing.T) {
	for seed := range 50 {
		c, p := gen.Cluster(gen.Full()).Example(seed), gen.Preemptor(gen.Full()).Example(seed)
		_, err := preemption.Explain(c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{})
		require.NoError(t, err)
		if diff := testdiff.Diff(gen.Cluster(gen.Full()).Example(seed), c); diff != "" {
			t.Fatalf("Explain changed the cluster of seed %d (-before +after):\n%s", seed, diff)
		}
		if diff := testdiff.Diff(gen.Preemptor(gen.Full()).Example(seed), p); diff != "" {
			t.Fatalf("Explain changed the preemptor of seed %d (-before +after):\n%s", seed, diff)
		}
	}
}

func TestInvariantVictimsMatterLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(gen.Full()).Draw(t, "cluster")
		p := gen.Preemptor(gen.Full()).Draw(t, "preemptor")
		for _, k := range explained(t, c, p).Candidates {
			for _, v := range k.Victims {
				if v.Pod.PriorityValue() >= p.PriorityValue() {
					t.Fatalf("victim %s has priority %d, the preemptor %d", v.Pod.Key(), v.Pod.PriorityValue(), p.PriorityValue())
				}
				if v.Pod.NodeName != k.Node {
					t.Fatalf("victim %s of node %s is on %s", v.Pod.Key(), k.Node, v.Pod.NodeName)
				}
			}
		}
	})
}

func TestInvariantVictimsMakeRoomAndNoneIsSpare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(monotone()).Draw(t, "cluster")
		p := gen.Preemptor(monotone()).Draw(t, "preemptor")
		for _, k := range explained(t, c, p).Candidates {
			if !fitsWithout(t, c, p, k, "") {
				t.Fatalf("the pod does not fit on %s after the victims have left", k.Node)
			}
			for _, spared := range k.Victims {
				if fitsWithout(t, c, p, k, spared.Pod.Key()) {
					t.Fatalf("the pod fits on %s although %s stays", k.Node, spared.Pod.Key())
				}
			}
		}
	})
}

// fitsWithout reports whether the pod fits on the candidate's node with one victim back and the others gone.
func fitsWithout(t *rapid.T, c *outrank.Cluster, p *outrank.Pod, k preemption.Candidate, spared outrank.Key) bool {
	rest := *c
	rest.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(p *outrank.Pod) bool {
		return p.Key() != spared && slices.ContainsFunc(k.Victims, func(v preemption.Victim) bool { return v.Pod == p })
	})
	for _, n := range explained(t, &rest, p).Nodes {
		if n.Node == k.Node {
			return n.Status.Code == preemption.Success
		}
	}
	return false
}

func TestInvariantTheSameCallTwiceSaysTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(gen.Full()).Draw(t, "cluster")
		p := gen.Preemptor(gen.Full()).Draw(t, "preemptor")
		first, second := explained(t, c, p), explained(t, c, p)
		if diff := testdiff.Diff(first, second, samePointers); diff != "" {
			t.Fatalf("the second plan differs (-first +second):\n%s", diff)
		}
	})
}

// Without a time for now a missing start is later than any (rules 4.3.5 and 4.3.7), and the score has none.
func TestNowMayBeUnknown(t *testing.T) {
	c := clusterOf(node("a"), pod("x", "a", 1, cpu("500m"), notStarted), pod("y", "a", 1, cpu("500m"), started(-5)))
	plan, err := preemption.Preempt(c, preemption.Request{Pod: preemptor(cpu("1"))}, preemption.Config{})
	require.NoError(t, err)
	assert.Equal(t, []string{"y", "x"}, victimNames(plan.Victims))
	assert.Equal(t, now.Add(5*time.Minute), plan.Score.Start, "the start of the first")

	c.Pods[1].StartTime = time.Time{}
	plan, err = preemption.Preempt(c, preemption.Request{Pod: preemptor(cpu("1"))}, preemption.Config{})
	require.NoError(t, err)
	assert.True(t, plan.Score.Start.IsZero(), "nobody has a start")
}
