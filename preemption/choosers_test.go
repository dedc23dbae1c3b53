package preemption_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// choosing chooses the possible victims of these names.
func choosing(names ...string) preemption.Chooser {
	return chooser(func(node preemption.NodeView) []*outrank.Pod {
		return slices.DeleteFunc(node.Possible(), func(p *outrank.Pod) bool { return !slices.Contains(names, p.Name) })
	})
}

func chooser(choose func(node preemption.NodeView) []*outrank.Pod) preemption.Chooser {
	return preemption.Chooser{Name: "Mine", Choose: choose}
}

// The caller's rule chooses the victims on a node.
func TestChoosers(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	third := cpu("300m")
	x, y, z, high := pod("x", "a", 3, web, third), pod("y", "a", 2, web, third), pod("z", "a", 1, third), pod("high", "a", 200)
	cluster := []any{node("a"), x, y, z, high}
	named := func(pods ...*outrank.Pod) preemption.Config {
		return preemption.Config{Victims: chooser(func(preemption.NodeView) []*outrank.Pod { return pods })}
	}
	const fails = "error: rule Mine: node a: invalid input: "
	runRows(t, []row{
		{
			name:    "whom it chooses leaves, by importance",
			cluster: cluster,
			pod:     preemptor(cpu("400m")),
			config:  named(y, x),
			want:    short + "a <- x, y (0)\nbest a",
		},
		{
			name:    "it chooses nobody",
			cluster: cluster,
			pod:     preemptor(cpu("400m")),
			config:  named(),
			want:    short + "a out: Unschedulable [rule Mine chose no victims]",
		},
		{
			name:    "it is not asked where all gone would not do",
			cluster: append(slices.Clone(cluster), pod("w", "a", 100, cpu("100m"))),
			pod:     preemptor(cpu("1")),
			config:  named(high),
			want:    short + "a out: Unschedulable NodeResourcesFit [Insufficient cpu]",
		},
		{
			name:    "what it chooses is not enough",
			cluster: cluster,
			pod:     preemptor(cpu("700m")),
			config:  named(x),
			want:    fails + "without the victims pod default/p does not fit: NodeResourcesFit: Insufficient cpu",
		},
		{
			name:    "one that must not leave",
			cluster: cluster,
			pod:     preemptor(cpu("400m")),
			config:  named(x, high),
			want:    fails + "victim default/high must not be evicted",
		},
		{
			name:    "one that is not there",
			cluster: append([]any{node("b"), pod("far", "b", 1)}, cluster...),
			pod:     preemptor(cpu("400m"), func(p *outrank.Pod) { p.NodeSelector = map[string]string{"host": "a"} }),
			config:  named(pod("far", "b", 1)),
			want:    fails + "victim default/far does not run there",
		},
		{
			name:    "one that it names twice",
			cluster: cluster,
			pod:     preemptor(cpu("400m")),
			config:  named(x, x),
			want:    fails + "victim default/x is named twice",
		},
		{
			name:    "a nil",
			cluster: cluster,
			pod:     preemptor(cpu("400m")),
			config:  named(nil),
			want:    fails + "a victim is missing",
		},
		{
			name:    "those that the guard does not let go together (rule 13.6.6)",
			cluster: cluster,
			pod:     preemptor(cpu("400m")),
			config:  preemption.Config{Victims: choosing("x", "y"), Guard: guardOf(atMost(1))},
			want:    fails + "the victims may not leave together: Guard: too many",
		},
		{
			name:    "budgets are charged for them alone, by importance (rule 13.5.5)",
			cluster: append(slices.Clone(cluster), budget("b", 1)),
			pod:     preemptor(cpu("700m")),
			config:  named(y, x),
			want:    short + "a <- x, y! (1)\nbest a",
		},
		{
			name:    "who names one of a unit takes all (rule 12.8.10)",
			release: withGroups(t),
			cluster: []any{node("a"), group("g", 1, whole), pod("u", "a", 1, cpu("500m"), ofGroup("g")), pod("v", "a", 1, cpu("500m"), ofGroup("g"))},
			pod:     preemptor(cpu("400m")),
			config:  preemption.Config{Victims: choosing("v")},
			want:    short + "a <- u, v (0)\nbest a",
		},
	})
}

// A victim blocks what the pod fails with if it alone comes back, which may be nothing.
func TestChosenVictimsSayWhatTheyBlock(t *testing.T) {
	c := clusterOf(node("a"), pod("x", "a", 3, cpu("500m")), pod("y", "a", 2, cpu("500m")))
	plan := explain(t, c, preemptor(cpu("400m")), preemption.Config{Victims: choosing("x", "y")})
	assert.Equal(t, []preemption.Code{preemption.Success, preemption.Success}, []preemption.Code{plan.Victims[0].Blocks.Code, plan.Victims[1].Blocks.Code})
	plan = explain(t, c, preemptor(cpu("600m")), preemption.Config{Victims: choosing("x", "y")})
	assert.Equal(t, "NodeResourcesFit: Insufficient cpu", plan.Victims[0].Blocks.String())
}

// A NodeView shows the node, and what it would say.
func TestNodeViews(t *testing.T) {
	x, y := pod("x", "a", 3, web, cpu("500m")), pod("y", "a", 2, web, cpu("500m"))
	c := clusterOf(node("a", slots(2)), x, y, budget("b", 1), pod("far", "gone", 1))
	p := preemptor(asks("cpu", "600m", "memory", "2Mi"))
	asked := false
	explain(t, c, p, preemption.Config{Guard: guardOf(atMost(2)), Victims: chooser(func(node preemption.NodeView) []*outrank.Pod {
		asked = true
		assert.Same(t, p, node.Pod())
		assert.Same(t, c.Nodes[0], node.Node())
		possible := node.Possible()
		assert.Equal(t, []*outrank.Pod{x, y}, possible)
		possible[0] = nil // it belongs to the caller
		assert.Equal(t, "NodeResourcesFit: Too many pods, Insufficient cpu", node.Check().String())
		assert.Equal(t, "NodeResourcesFit: Insufficient cpu", node.Check(y).String())
		assert.Equal(t, preemption.Success, node.Check(x, y).Code)
		assert.Equal(t, "NodeResourcesFit: Too many pods, Insufficient cpu", node.Check(c.Pods[2], nil).String(), "others count for nothing")

		violated := node.Violated(y, x, y, nil, c.Pods[2])
		require.Len(t, violated, 5)
		assert.Equal(t, c.Budgets, violated[0], "x comes first, and uses the allowance up")
		assert.Equal(t, [][]*outrank.PodDisruptionBudget{nil, nil, nil, nil}, violated[1:])

		assert.Equal(t, int64(600), node.Short(resource.CPU))
		assert.Equal(t, int64(1), node.Short(resource.Pods))
		assert.Zero(t, node.Short(resource.Memory), "there is enough")
		assert.Zero(t, node.Short("example.com/gpu"), "the pod asks for none")
		return []*outrank.Pod{x, y}
	})})
	assert.True(t, asked)
}

// Check also asks the guard about those that would be gone.
func TestNodeViewAsksTheGuard(t *testing.T) {
	x, y := pod("x", "a", 3, cpu("500m")), pod("y", "a", 2, cpu("500m"))
	var said preemption.Status
	explain(t, clusterOf(node("a"), x, y), preemptor(cpu("400m")), preemption.Config{Guard: guardOf(keeping("x")), Victims: chooser(func(node preemption.NodeView) []*outrank.Pod {
		said = node.Check(x)
		return []*outrank.Pod{y}
	})})
	assert.Equal(t, "Guard: x stays", said.String())
}
