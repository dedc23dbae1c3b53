package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
)

// extender answers with a function.
type extender struct {
	name         string
	ignorable    bool
	uninterested bool
	process      func([]preemption.Candidate) ([]preemption.Candidate, error)
}

func (x extender) extender() preemption.Extender {
	return preemption.Extender{Name: x.name, Process: x.ask, Ignorable: x.ignorable, Interested: func(*outrank.Pod) bool { return !x.uninterested }}
}
func (x extender) ask(_ context.Context, _ *outrank.Pod, ps []preemption.Candidate) ([]preemption.Candidate, error) {
	return x.process(ps)
}

type candidates = []preemption.Candidate

func keep(ps candidates) (candidates, error) { return ps, nil }

// victimsOf are pods as an extender names them.
func victimsOf(pods ...*outrank.Pod) []preemption.Victim {
	var out []preemption.Victim
	for _, p := range pods {
		out = append(out, preemption.Victim{Pod: p})
	}
	return out
}

func drop(node string) func(candidates) (candidates, error) {
	return func(ps candidates) (candidates, error) {
		return slices.DeleteFunc(ps, func(p preemption.Candidate) bool { return p.Node == node }), nil
	}
}

func TestExtenders(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a"), node("n3", "2", "a")},
		Pods: []*outrank.Pod{
			pod("x", 1, "1", on("n1")), pod("y", 2, "1", on("n2")), pod("z", 3, "1", on("n3")), pod("zz", 4, "1", on("n3")),
		},
	}
	set := func(node string, violations int, victims ...*outrank.Pod) func(candidates) (candidates, error) {
		return func(ps candidates) (candidates, error) {
			for i := range ps {
				if ps[i].Node == node {
					ps[i].Victims, ps[i].Score.Violations = victimsOf(victims...), violations
				}
			}
			return ps, nil
		}
	}
	boom := func(candidates) (candidates, error) { return nil, errors.New("connection refused") }
	none := func(candidates) (candidates, error) { return nil, nil }
	for _, test := range []struct {
		name      string
		extenders []preemption.Extender
		want      string // node and victims, or what the error says
	}{
		{"it lets everything pass", []preemption.Extender{extender{process: keep}.extender()}, "n1 [x]"},
		{"it drops a node", []preemption.Extender{extender{process: drop("n1")}.extender()}, "n2 [y]"},
		{"one after the other", []preemption.Extender{extender{process: drop("n1")}.extender(), extender{process: drop("n2")}.extender()}, "n3 [z]"},
		{"it has nothing to do with the pod", []preemption.Extender{extender{uninterested: true, process: boom}.extender()}, "n1 [x]"},
		{"nothing left", []preemption.Extender{extender{process: none}.extender(), extender{name: "not called", process: boom}.extender()}, "nothing-helps"},
		{"it changes victims, which are put in order", []preemption.Extender{
			extender{process: drop("n1")}.extender(), extender{process: drop("n2")}.extender(), extender{process: set("n3", 0, c.Pods[2], c.Pods[3])}.extender(),
		}, "n3 [zz z]"},
		{"violations count for the ranks", []preemption.Extender{extender{process: set("n1", 1, c.Pods[0])}.extender()}, "n2 [y]"},
		{"an error", []preemption.Extender{extender{name: "quota", process: boom}.extender()}, "extender quota: pod default/p: connection refused"},
		{"an error of one that may be ignored", []preemption.Extender{extender{ignorable: true, process: boom}.extender(), extender{process: drop("n1")}.extender()}, "n2 [y]"},
		{"no victims", []preemption.Extender{extender{name: "quota", process: set("n2", 0)}.extender()}, "extender quota: node n2: invalid input: expected at least one victim pod"},
		{"no victims from one that may be ignored", []preemption.Extender{extender{ignorable: true, process: set("n1", 0)}.extender()}, "n2 [y]"},
		{"a node of its own", []preemption.Extender{extender{name: "quota", process: func(ps candidates) (candidates, error) {
			return append(ps, preemption.Candidate{Node: "n9", Victims: ps[0].Victims}), nil
		}}.extender()}, "extender quota: node n9: invalid input: there is no such node"},
		{"a node that it was not asked about", []preemption.Extender{extender{process: drop("n1")}.extender(), extender{process: func(candidates) (candidates, error) {
			return candidates{{Node: "n1", Victims: victimsOf(c.Pods[0])}}, nil
		}}.extender()}, "n1 [x]"},
		{"a node twice", []preemption.Extender{extender{name: "quota", process: func(ps candidates) (candidates, error) {
			return append(ps, ps[0]), nil
		}}.extender()}, "extender quota: node n1: invalid input: it is named twice"},
		{"a victim of another node", []preemption.Extender{extender{name: "quota", process: set("n1", 0, c.Pods[1])}.extender()}, "extender quota: node n1: invalid input: victim default/y does not run there, or is named twice"},
		{"a victim twice", []preemption.Extender{extender{name: "quota", process: set("n1", 0, c.Pods[0], c.Pods[0])}.extender()}, "victim default/x does not run there, or is named twice"},
		{"a victim that is nobody", []preemption.Extender{extender{name: "quota", process: set("n1", 0, nil)}.extender()}, "victim (nil)"},
		{"fewer than no violations", []preemption.Extender{extender{name: "quota", process: set("n1", -1, c.Pods[0])}.extender()}, "extender quota: node n1: invalid input: -1 violations"},
		// An invalid answer of one that may be ignored counts for nothing (rules
		// 10.2.2 and 10.2.3): n1 stays a candidate with its victim, whatever else the answer
		// changed, and the next one is asked about it.
		{"a node of its own from one that may be ignored", []preemption.Extender{extender{ignorable: true, process: func(ps candidates) (candidates, error) {
			return append(ps[1:], preemption.Candidate{Node: "n9", Victims: ps[0].Victims}), nil
		}}.extender()}, "n1 [x]"},
		{"a node twice from one that may be ignored", []preemption.Extender{extender{ignorable: true, process: func(ps candidates) (candidates, error) {
			return append(ps[1:], ps[1]), nil
		}}.extender()}, "n1 [x]"},
		{"a victim of another node from one that may be ignored", []preemption.Extender{extender{ignorable: true, process: func(ps candidates) (candidates, error) {
			ps[1].Victims = ps[0].Victims
			return ps[1:], nil
		}}.extender()}, "n1 [x]"},
		{"a victim that is nobody from one that may be ignored", []preemption.Extender{extender{ignorable: true, process: set("n1", 0, nil)}.extender()}, "n1 [x]"},
		{"fewer than no violations from one that may be ignored", []preemption.Extender{extender{ignorable: true, process: set("n1", -1, c.Pods[0])}.extender()}, "n1 [x]"},
		{"after an invalid answer that is ignored the next one is asked about all", []preemption.Extender{
			extender{ignorable: true, process: func(ps candidates) (candidates, error) {
				return candidates{{Node: "n9", Victims: ps[0].Victims}}, nil
			}}.extender(), extender{process: drop("n1")}.extender(),
		}, "n2 [y]"},
		{"no victims beside a node of its own, both ignored", []preemption.Extender{extender{ignorable: true, process: func(ps candidates) (candidates, error) {
			ps[0].Victims = nil
			return append(ps, preemption.Candidate{Node: "n9"}), nil
		}}.extender()}, "n1 [x]"},
		{"no victims anywhere from one that may be ignored", []preemption.Extender{extender{ignorable: true, process: func(ps candidates) (candidates, error) {
			for i := range ps {
				ps[i].Victims = nil
			}
			return ps, nil
		}}.extender()}, "nothing-helps"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newEvaluator(t, preemption.Config{Extenders: test.extenders})
			plan, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
			got := ""
			switch {
			case err != nil:
				got = err.Error()
			case plan.Outcome == preemption.Preempts:
				got = strings.ReplaceAll(fmt.Sprint(plan.Node, " ", plan.Victims), "default/", "")
			default:
				got = string(plan.Outcome)
			}
			assert.Contains(t, got, test.want)
		})
	}
}

// A node that an extender drops has a status that says so. A node that it left
// unchanged keeps its reasons.
func TestExtenderReasons(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")},
		Pods:  []*outrank.Pod{pod("x", 1, "1", on("n1")), pod("y", 2, "1", on("n2"))},
	}
	ex := explainBy(t, preemption.Config{Extenders: []preemption.Extender{extender{process: drop("n1")}.extender()}}, c, pod("p", 9, "1"))
	require.Equal(t, "n2", ex.Node)
	assert.Equal(t, "NodeResourcesFit: Insufficient cpu", ex.Victims[0].Blocks.String())
	assert.Equal(t, preemption.Unschedulable.Because("an extender dropped the node"), *ex.Nodes[0].AfterRemoval)
	assert.Nil(t, ex.Nodes[0].Candidate)
}

// A caller that stopped at a filter of its own has not asked the others: the dry run
// asks every one of them, those about the node alone, too.
func TestStatusesFromElsewhereLeaveTheOtherFilters(t *testing.T) {
	tainted := node("n1", "1", "a")
	tainted.Taints = []outrank.Taint{{Key: "only", Value: "others", Effect: outrank.NoSchedule}}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{tainted, node("n2", "1", "b")},
		Pods:  []*outrank.Pod{pod("w", 1, "1", on("n1")), pod("x", 2, "1", on("n2"))},
	}
	e, snap := newEvaluator(t, preemption.Config{}), newSnapshot(t, c)
	busy := preemption.Status{Code: preemption.Unschedulable, Filter: "Licences"}
	p := pod("p", 9, "1")
	req := preemption.Request{Pod: p, Now: gen.Now, Statuses: plantest.InOrder([]preemption.Status{busy, busy})}
	plan, err := e.Preempt(context.Background(), snap, req)
	require.NoError(t, err)
	assert.Equal(t, "n2", plan.Node, "the pod does not tolerate the taint of n1, where the victim is the lesser")
	p.NodeSelector = map[string]string{"zone": "a"}
	p.Tolerations = []outrank.Toleration{{Operator: outrank.TolerationExists}}
	plan, err = e.Preempt(context.Background(), snap, req)
	require.NoError(t, err)
	assert.Equal(t, "n1", plan.Node)
}

func TestRequestStatuses(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a"), node("n3", "1", "a"), node("n4", "1", "a")},
		Pods: []*outrank.Pod{
			pod("w", 1, "1", on("n1")), pod("x", 2, "1", on("n2")), pod("y", 3, "1", on("n3")), pod("z", 0, "1", on("n4")),
		},
	}
	e, snap := newEvaluator(t, preemption.Config{}), newSnapshot(t, c)
	ask := func(statuses map[string]preemption.Status) (*preemption.Plan, error) {
		return e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now, Statuses: plantest.ByName(statuses)})
	}
	plan, err := ask(map[string]preemption.Status{
		"n1": {Code: preemption.UnschedulableAndUnresolvable, Filter: "Licences", Reasons: []string{"none left"}},
		"n2": {Code: preemption.Unschedulable},
		"n3": {Code: preemption.Unschedulable},
	})
	require.NoError(t, err)
	assert.Equal(t, "n2", plan.Node, "n1 cannot be helped, n4 was never filtered")
	assert.Contains(t, plan.TurnedDown, preemption.Count{Nodes: 1, Status: preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: "Licences", Reasons: []string{"none left"}}})
	assert.Contains(t, plan.TurnedDown, preemption.Count{Nodes: 1, Status: preemption.UnschedulableAndUnresolvable.Because("the node was not filtered")})

	plan, err = ask(map[string]preemption.Status{"n1": {}})
	require.NoError(t, err)
	assert.Equal(t, preemption.Fits, plan.Outcome, "the caller says so")
	plan, err = ask(map[string]preemption.Status{})
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome, "no node was filtered at all")
	for _, code := range []preemption.Code{preemption.Success, preemption.Unschedulable, preemption.UnschedulableAndUnresolvable, preemption.Contradiction} {
		_, err = ask(map[string]preemption.Status{"n3": {Code: code}})
		assert.NoError(t, err)
	}
	_, err = ask(map[string]preemption.Status{"n1": {}, "n3": {Code: "nonsense"}, "n4": {Code: "other"}})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.EqualError(t, err, "status of node n3: invalid input: there is no code \"nonsense\"")
	inOrder := preemption.Request{Pod: pod("p", 9, "1"), Statuses: plantest.InOrder([]preemption.Status{{}, {}, {Code: "nonsense"}, {}})}
	_, err = e.Preempt(context.Background(), snap, inOrder)
	assert.EqualError(t, err, "status of node n3: invalid input: there is no code \"nonsense\"")
	_, err = e.Explain(context.Background(), snap, inOrder)
	assert.EqualError(t, err, "status of node n3: invalid input: there is no code \"nonsense\"")

	ex, err := e.Explain(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now, Statuses: plantest.ByName(map[string]preemption.Status{
		"n3": {Code: preemption.Unschedulable}, "n2": {Code: preemption.UnschedulableAndUnresolvable},
	})})
	require.NoError(t, err)
	assert.Equal(t, "n3", ex.Node)
}

// Nodes that were not filtered because of a filter are told apart from those for
// which nothing says why, though the texts are the same (rule 7.15.2), in what
// the caller says of nodes as in what the engine finds.
func TestStatusesOfExcludedNodes(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a"), node("n3", "1", "a")}}
	const text = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
	plain := preemption.UnschedulableAndUnresolvable.Because(text)
	excluded, asked := plain, plain
	excluded.ExcludedBy, asked.Filter = preemption.NodeAffinity, preemption.NodeAffinity
	e, snap := newEvaluator(t, preemption.Config{}), newSnapshot(t, c)
	plan, err := e.Preempt(context.Background(), snap, preemption.Request{
		Pod: pod("p", 9, "1"), Now: gen.Now, Statuses: plantest.InOrder([]preemption.Status{excluded, plain, asked}),
	})
	require.NoError(t, err)
	assert.Equal(t, []preemption.Count{{Status: asked, Nodes: 1}, {Status: plain, Nodes: 1}, {Status: excluded, Nodes: 1}}, plan.TurnedDown)

	named := func(p *outrank.Pod) {
		p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchFields: []outrank.NodeRequirement{{Key: "metadata.name", Operator: "In", Values: []string{"n1"}}}}}}
	}
	asker := pod("p", 9, "2", named)
	assert.Equal(t, excluded, explain(t, c, asker).Nodes[1].Status)
	plan, err = e.Preempt(context.Background(), snap, preemption.Request{Pod: asker, Now: gen.Now})
	require.NoError(t, err)
	assert.Contains(t, plan.TurnedDown, preemption.Count{Status: excluded, Nodes: 2})
}

// An extender may name a node that was not among the candidates, also one on which no
// pod could be a victim, and pods of higher priority there (rule 10.2.3).
func TestExtenderNamesAnotherNode(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")},
		Pods:  []*outrank.Pod{pod("x", 1, "1", on("n1")), pod("y", 20, "1", on("n2"))},
	}
	other := func(candidates) (candidates, error) {
		return candidates{{Node: "n2", Victims: victimsOf(c.Pods[1])}}, nil
	}
	var asked []string
	next := func(ps candidates) (candidates, error) {
		for _, p := range ps {
			asked = append(asked, p.Node)
		}
		return ps, nil
	}
	ex := explainBy(t, preemption.Config{Extenders: []preemption.Extender{extender{process: other}.extender(), extender{process: next}.extender()}}, c, pod("p", 9, "1"))
	assert.Equal(t, preemption.Preempts, ex.Outcome)
	assert.Equal(t, "n2 [default/y]", fmt.Sprint(ex.Node, " ", ex.Victims))
	assert.Equal(t, int32(20), ex.Score.TopPriority)
	assert.Equal(t, []string{"n2"}, asked)
	assert.NotEqual(t, preemption.Success, ex.Nodes[0].AfterRemoval.Code)
}

// Beside the error of an extender comes what the nodes answered, and beside no other
// error (rule 8.12).
func TestExtenderFailsBesideAPlan(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{pod("x", 1, "1", on("n1"))}}
	broken := errors.New("connection refused")
	quota := extender{name: "quota", process: func(candidates) (candidates, error) { return nil, broken }}
	e := newEvaluator(t, preemption.Config{Extenders: []preemption.Extender{quota.extender()}})
	p := pod("p", 9, "1")
	plan, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.ErrorIs(t, err, broken)
	require.NotNil(t, plan)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome)
	assert.Equal(t, []preemption.Count{{Nodes: 1, Status: preemption.Status{Code: preemption.Unschedulable, Filter: "NodeResourcesFit", Reasons: []string{"Insufficient cpu"}}}}, plan.TurnedDown)
	assert.NoError(t, plan.Err(), "the error is the other one")
	_, err = e.Explain(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.ErrorIs(t, err, broken)
	ended, end := context.WithCancel(context.Background())
	end()
	plan, err = e.Preempt(ended, newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, plan)
}

// An extender is told of pods as the snapshot has them, however the one before has named them.
func TestExtendersAreToldOfPodsInFull(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a")},
		Pods:  []*outrank.Pod{pod("x", 1, "1", on("n1"))},
	}
	c.Pods[0].UID = "uid-x"
	named := func(ps candidates) (candidates, error) {
		for i := range ps {
			for j, v := range ps[i].Victims {
				ps[i].Victims[j].Pod = &outrank.Pod{Namespace: v.Pod.Namespace, Name: v.Pod.Name, UID: v.Pod.UID}
			}
		}
		return ps, nil
	}
	var told []preemption.Victim
	listens := func(ps candidates) (candidates, error) {
		told = ps[0].Victims
		return ps, nil
	}
	e := newEvaluator(t, preemption.Config{Extenders: []preemption.Extender{extender{process: named}.extender(), extender{process: listens}.extender()}})
	plan, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 5, "1"), Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, preemption.Preempts, plan.Outcome)
	require.Len(t, told, 1)
	assert.Same(t, plan.Victims[0].Pod, told[0].Pod)
}

// An extender is told of the candidates as an explanation without one has them, with the costs of
// victims. Whatever it writes there, only nodes, pods and violations count.
func TestPropertyExtendersSeeWhatAnExplanationHas(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		length := func(victim *outrank.Pod) int64 { return int64(len(victim.Name)) }
		config := preemption.Config{Ranks: []preemption.Rank{preemption.ByViolations, {Name: "length", Cost: length}, {Name: "twice", Cost: length}, preemption.ByStart}}
		config.Ranks = config.Ranks[:rapid.IntRange(1, len(config.Ranks)).Draw(t, "ranks")]
		snap, req := newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now}
		want, err := newEvaluator(t, config).Explain(context.Background(), snap, req)
		require.NoError(t, err)

		var told []candidates
		listens := func(ps candidates) (candidates, error) {
			told = append(told, slices.Clone(ps))
			return ps, nil
		}
		scribbles := func(ps candidates) (candidates, error) {
			for i := range ps {
				left := preemption.Candidate{Node: ps[i].Node, Score: preemption.Score{Violations: ps[i].Score.Violations}}
				for j := range ps[i].Victims {
					left.Victims = append(left.Victims, preemption.Victim{Pod: ps[i].Victims[j].Pod})
					ps[i].Victims[j] = preemption.Victim{}
				}
				clear(ps[i].ClearedNominations)
				clear(ps[i].Score.Own)
				ps[i] = left
			}
			return ps, nil
		}
		config.Extenders = []preemption.Extender{extender{process: listens}.extender(), extender{process: scribbles}.extender(), extender{process: listens}.extender()}
		got, err := newEvaluator(t, config).Explain(context.Background(), snap, req)
		require.NoError(t, err)
		if diff := testdiff.Diff(want, got); diff != "" {
			t.Fatalf("an explanation (-without +with an extender that changes nothing that counts):\n%s", diff)
		}
		if len(want.Candidates) == 0 {
			return
		}
		byName := func(x, y preemption.Candidate) int { return strings.Compare(x.Node, y.Node) }
		slices.SortFunc(want.Candidates, byName)
		require.Len(t, told, 2)
		for _, ps := range told {
			slices.SortFunc(ps, byName)
			if diff := testdiff.Diff(want.Candidates, ps); diff != "" {
				t.Fatalf("candidates (-as explained +as an extender is told):\n%s", diff)
			}
		}
	})
}

// What an extender has changed is worked out anew for the next one, in the order in which it has named the
// victims.
func TestExtendersSeeWhatOthersHaveChanged(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a")},
		Pods:  []*outrank.Pod{pod("x", 1, "1", on("n1")), pod("y", 3, "1", on("n1"))},
	}
	both := func(ps candidates) (candidates, error) {
		ps[0].Victims, ps[0].Score.Violations = append(ps[0].Victims, preemption.Victim{Pod: c.Pods[1]}), 2
		return ps, nil
	}
	var told preemption.Candidate
	listens := func(ps candidates) (candidates, error) {
		told = ps[0]
		return ps, nil
	}
	plan := explainBy(t, preemption.Config{Extenders: []preemption.Extender{extender{process: both}.extender(), extender{process: listens}.extender()}}, c, pod("p", 9, "1"))
	assert.Equal(t, []preemption.Victim{
		{Pod: c.Pods[0], Priority: 1, Blocks: preemption.Status{Code: preemption.Unschedulable, Filter: preemption.NodeResourcesFit, Reasons: []string{"Insufficient cpu"}}},
		{Pod: c.Pods[1], Priority: 3},
	}, told.Victims)
	assert.Equal(t, preemption.Score{Violations: 2, TopPriority: 3, PrioritySum: 4 + 2<<31, Victims: 2, Start: c.Pods[1].StartTime}, told.Score)
	assert.Equal(t, []string{"default/y", "default/x"}, []string{plan.Victims[0].String(), plan.Victims[1].String()}, "by importance")
	assert.Equal(t, told.Score, plan.Score)
}
