package preemption_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

type candidates = []preemption.Candidate

// extender has a name and leaves what process says.
func extender(name string, process func(given candidates) (candidates, error)) preemption.Extender {
	return preemption.Extender{Name: name, Process: func(_ context.Context, _ *outrank.Pod, given candidates) (candidates, error) {
		return process(given)
	}}
}

// dropping drops a node.
func dropping(name string) preemption.Extender {
	return extender("Dropping", func(given candidates) (candidates, error) {
		return slices.DeleteFunc(given, func(c preemption.Candidate) bool { return c.Node == name }), nil
	})
}

// answering answers the same whatever it is shown.
func answering(said ...preemption.Candidate) preemption.Extender {
	return extender("Answering", func(candidates) (candidates, error) { return said, nil })
}

func ignorable(x preemption.Extender) preemption.Extender {
	x.Ignorable = true
	return x
}

// saying is a candidate as extenders answer it.
func saying(node string, violations int, pods ...*outrank.Pod) preemption.Candidate {
	c := preemption.Candidate{Node: node, Score: preemption.Score{Violations: violations}}
	for _, p := range pods {
		c.Victims = append(c.Victims, preemption.Victim{Pod: p})
	}
	return c
}

// Extenders drop nodes and change victims (group 10.2).
func TestExtenders(t *testing.T) {
	const short = ": Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	x, y, z, high := pod("x", "a", 1, cpu("1")), pod("y", "b", 2, cpu("500m")), pod("z", "b", 3, cpu("500m")), pod("high", "b", 200)
	cluster := []any{node("a"), node("b"), node("c", cordoned), x, y, z, high, pod("far", "c", 1)}
	by := func(extenders ...preemption.Extender) preemption.Config {
		return preemption.Config{Extenders: extenders}
	}
	const cordon = "c: Unresolvable NodeUnschedulable [node(s) were unschedulable]\n"
	const dropped = " out: Unschedulable [an extender dropped the node]\n"
	const answered = "error: extender Answering: node "
	never := extender("Never", func(candidates) (candidates, error) { panic("asked") })
	uninterested := never
	uninterested.Interested = func(p *outrank.Pod) bool { return p.Name != "p" }
	failing := extender("Failing", func(candidates) (candidates, error) { return nil, errPlanted })
	rows := []row{
		{
			name:   "it drops the best",
			config: by(dropping("a")),
			want:   "a" + short + "a" + dropped + "b" + short + "b <- z, y (0)\n" + cordon + "best b",
		},
		{
			name:   "they are asked one after the other, and none once no candidate is left (rule 10.2.5)",
			config: by(dropping("a"), dropping("b"), never),
			want:   "a" + short + "a" + dropped + "b" + short + "b" + dropped + cordon,
		},
		{
			name:   "one that is not interested is not asked (rule 10.2.1)",
			config: by(uninterested),
			want:   "a" + short + "a <- x (0)\nb" + short + "b <- z, y (0)\n" + cordon + "best a",
		},
		{
			name:   "its victims and its number of violations count, and the victims stand by importance (rules 10.2.1 and 10.2.5)",
			why:    "Its victims may be of any priority, and need not make room.",
			config: by(answering(saying("a", 7, x), saying("b", 3, y, high))),
			want:   "a" + short + "a <- x (7)\nb" + short + "b <- high, y (3)\n" + cordon + "best b",
		},
		{
			name:   "a node that it was not asked about becomes a candidate (rule 10.2.3)",
			config: by(answering(saying("c", 0, pod("far", "c", 1)))),
			want:   "a" + short + "a" + dropped + "b" + short + "b" + dropped + cordon + "c <- far (0)\nbest c",
		},
		{
			name:   "one that fails ends the attempt (rule 10.2.2)",
			config: by(failing),
			want:   "error: extender Failing: pod default/p: planted",
		},
		{
			name:   "unless it is ignorable (rule 10.2.2)",
			config: by(ignorable(failing), dropping("a")),
			want:   "a" + short + "a" + dropped + "b" + short + "b <- z, y (0)\n" + cordon + "best b",
		},
		{name: "a node that is not there (rule 10.2.3)", config: by(answering(saying("gone", 0, x))), want: answered + "gone: invalid input: there is no such node"},
		{name: "a victim that is not on its node (rule 10.2.3)", config: by(answering(saying("a", 0, y))), want: answered + "a: invalid input: victim default/y does not run there, or is named twice"},
		{name: "a victim that nobody knows (rule 10.2.3)", config: by(answering(saying("a", 0, pod("w", "a", 1)))), want: answered + "a: invalid input: victim default/w does not run there, or is named twice"},
		{name: "a victim that is missing (rule 10.2.3)", config: by(answering(saying("a", 0, nil))), want: answered + "a: invalid input: victim (nil) does not run there, or is named twice"},
		{name: "a node named twice (rule 10.2.3)", config: by(answering(saying("a", 0, x), saying("a", 0, x))), want: answered + "a: invalid input: it is named twice"},
		{name: "a victim named twice (rule 10.2.3)", config: by(answering(saying("a", 0, x, x))), want: answered + "a: invalid input: victim default/x does not run there, or is named twice"},
		{name: "fewer than no violations (rule 10.2.3)", config: by(answering(saying("a", -1, x))), want: answered + "a: invalid input: -1 violations"},
		{name: "a node without victims (rule 10.2.4)", config: by(answering(saying("a", 0))), want: answered + "a: invalid input: expected at least one victim pod"},
		{
			name:   "an ignorable one drops that node (rule 10.2.4)",
			config: by(ignorable(answering(saying("a", 0), saying("b", 0, y)))),
			want:   "a" + short + "a" + dropped + "b" + short + "b <- y (0)\n" + cordon + "best b",
		},
		{
			name:   "an answer of an ignorable one that makes no sense is passed over (rule 10.2.3)",
			config: by(ignorable(answering(saying("a", 0, y)))),
			want:   "a" + short + "a <- x (0)\nb" + short + "b <- z, y (0)\n" + cordon + "best a",
		},
		{
			name:   "victims that the guard does not let go together (rule 10.2.3)",
			config: preemption.Config{Guard: guardOf(atMost(2)), Extenders: []preemption.Extender{answering(saying("b", 0, y, z, high))}},
			want:   answered + "b: invalid input: the victims may not leave together: Guard: too many",
		},
	}
	for i := range rows {
		rows[i].cluster, rows[i].pod = cluster, preemptor(cpu("1"))
		// The pods of the answers are found by their names.
		if rows[i].config.Extenders == nil {
			panic("no extender")
		}
	}
	runExtended(t, rows)
}

// runExtended is runRows for extenders: with an error Preempt has a plan, and Explain none (rule 8.12).
func runExtended(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			c := clusterOf(r.cluster...)
			explained, err := preemption.Explain(c, r.ask(), r.config)
			assert.Equal(t, lines(r.want), lines(textOrError(explained, err)), r.why)
			plan, shortErr := preemption.Preempt(c, r.ask(), r.config)
			require.Equal(t, fmt.Sprint(err), fmt.Sprint(shortErr))
			if err != nil {
				assert.Nil(t, explained)
				assert.Equal(t, preemption.NothingHelps, plan.Outcome)
				assert.NotEmpty(t, plan.TurnedDown)
				return
			}
			assert.Equal(t, explained.Outcome, plan.Outcome)
			assert.Equal(t, victimNames(explained.Victims), victimNames(plan.Victims))
			assert.Equal(t, explained.Unhelpful, plan.Unhelpful)
		})
	}
}

// An extender is shown the candidates as a plan has them, in the order of the nodes, and may write into what
// it is given (rule 10.2.1).
func TestExtendersAreShownCopies(t *testing.T) {
	c := clusterOf(
		node("b"), node("a"), budget("none", 0), pod("x", "a", 1, web, cpu("1")), pod("y", "b", 2, cpu("1")), pod("n", "", 1, nominatedTo("a")),
	)
	first := extender("First", func(given candidates) (candidates, error) {
		require.Len(t, given, 2)
		assert.Equal(t, "b", given[0].Node)
		assert.Equal(t, c.Budgets, given[1].Victims[0].Violated)
		assert.Equal(t, 1, given[1].Score.Violations)
		assert.Equal(t, []string{"n"}, names(given[1].ClearedNominations))
		left := slices.Clone(given)
		left[1].Score.Violations = 0
		given[0].Victims[0].Pod, given[1].ClearedNominations[0] = c.Pods[0], c.Pods[0]
		left[0].Victims = []preemption.Victim{{Pod: c.Pods[1]}}
		return left, nil
	})
	second := extender("Second", func(given candidates) (candidates, error) {
		assert.Equal(t, []string{"y"}, victimNames(given[0].Victims))
		assert.Equal(t, []string{"n"}, names(given[1].ClearedNominations), "only nodes, victims and violations count")
		assert.Equal(t, int64(1+1<<31), given[1].Score.PrioritySum, "the score is worked out anew")
		assert.Zero(t, given[1].Score.Violations)
		return given, nil
	})
	plan := explain(t, c, preemptor(cpu("1")), preemption.Config{Extenders: []preemption.Extender{first, second}})
	assert.Equal(t, "a", plan.Node)
	assert.Equal(t, c.Budgets, plan.Victims[0].Violated, "victims that were found keep their reasons")
	assert.Equal(t, preemption.NodeResourcesFit, plan.Victims[0].Blocks.Filter)
}

// Where extenders have left none of the candidates that is no error, though filters contradicted themselves
// (rules 8.12 and 10.2.6).
func TestNothingHelpsWhereAllAreDropped(t *testing.T) {
	c := clusterOf(node("a"), node("b"), pod("x", "a", 1, cpu("1")), pod("y", "b", 1))
	ask := preemption.Request{Pod: preemptor(cpu("1")), Now: now, Statuses: func(int, *outrank.Node) (preemption.Status, bool) {
		return preemption.Unschedulable.Because("elsewhere"), true
	}}
	plan, err := preemption.Preempt(c, ask, preemption.Config{Extenders: []preemption.Extender{dropping("a")}})
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome)
	assert.Equal(t, []string{"1 an extender dropped the node", `1 expected at least one victim pod on node "b"`}, countsOf(plan.Unhelpful))
	assert.NoError(t, plan.Err())
}
