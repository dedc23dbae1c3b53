package invariants

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
)

// Decider is what is judged: the book, or the engine.
type Decider struct {
	Preempt      func(*outrank.Cluster, preemption.Request, preemption.Config) (*preemption.Plan, error)
	Explain      func(*outrank.Cluster, preemption.Request, preemption.Config) (*preemption.Plan, error)
	PreemptGroup func(*outrank.Cluster, preemption.GroupRequest, preemption.Config) (*preemption.GroupPlan, error)
}

// fewest is the least number of cases that each invariant sees.
const fewest = 100

// choice is a node with those who leave for the pod, as an answer has it.
type choice struct {
	node    *Node
	victims []*Pod
	// violated has the budgets that each victim is said to violate, and violations is how many are counted.
	violated   map[*Pod][]string
	violations int
}

// answer is what a decider says about a pod in a world.
type answer struct {
	plan *preemption.Plan
	// candidates are the nodes that could be chosen, the best first. The first is the one that is chosen.
	candidates []choice
}

// always draws worlds with a pod that asks, and lets judge look at each with its answer. The judge returns a sentence
// about what is broken, empty for nothing.
func (d Decider) always(t *testing.T, judge func(w *World, a *answer) (broken string)) {
	t.Helper()
	seeded.AtLeast(t, fewest)
	rapid.Check(t, func(t *rapid.T) {
		w := Worlds.Draw(t, "world")
		a, broken := d.ask(w)
		if broken == "" {
			broken = judge(w, a)
		}
		if broken != "" {
			t.Fatal(broken)
		}
	})
}

// ask has the decider preempt and explain. Both have to say the same.
func (d Decider) ask(w *World) (a *answer, broken string) {
	ask := func(decide func(*outrank.Cluster, preemption.Request, preemption.Config) (*preemption.Plan, error)) (*preemption.Plan, error) {
		return decide(w.Cluster(), w.request(), w.Config())
	}
	plan, err := ask(d.Preempt)
	if err != nil {
		return nil, fmt.Sprintf("no answer but the error %q", err)
	}
	explained, err := ask(d.Explain)
	if err != nil {
		return nil, fmt.Sprintf("no explanation but the error %q", err)
	}

	a = &answer{plan: plan}
	for i := range explained.Candidates {
		c, broken := w.read(&explained.Candidates[i])
		if broken != "" {
			return nil, broken
		}
		a.candidates = append(a.candidates, c)
	}
	if plan.Outcome != preemption.Preempts {
		if len(plan.Victims) > 0 {
			return nil, fmt.Sprintf("%s has to leave, though the outcome is %q", plan.Victims[0].Pod.Name, plan.Outcome)
		}
		return a, ""
	}

	chosen, broken := w.read(&plan.Candidate)
	switch {
	case broken != "":
		return nil, broken
	case len(a.candidates) == 0:
		return nil, plan.Node + " is chosen and is no candidate"
	case chosen.node != a.candidates[0].node || !slices.Equal(chosen.victims, a.candidates[0].victims):
		return nil, fmt.Sprintf("%s is chosen, but the best candidate is %s", plan.Candidate.Node, a.candidates[0].node.Name)
	}
	return a, ""
}

// read looks the pods of a candidate up in the world.
func (w *World) read(c *preemption.Candidate) (choice, string) {
	out := choice{node: w.node(c.Node), violated: map[*Pod][]string{}, violations: c.Score.Violations}
	if out.node == nil {
		return out, fmt.Sprintf("%q is no node", c.Node)
	}
	var broken string
	out.victims, broken = w.readVictims(c.Victims)
	for i, v := range c.Victims {
		for _, b := range v.Violated {
			if broken == "" {
				out.violated[out.victims[i]] = append(out.violated[out.victims[i]], b.Name)
			}
		}
	}
	return out, broken
}

// readVictims looks victims up. Each has to be a pod that runs, and none may stand there twice.
func (w *World) readVictims(victims []preemption.Victim) (pods []*Pod, broken string) {
	for _, v := range victims {
		p := w.pod(v.Pod.Name)
		switch {
		case p == nil || p.Node == "":
			return nil, v.Pod.Name + " has to leave and runs nowhere"
		case slices.Contains(pods, p):
			return nil, v.Pod.Name + " has to leave twice"
		}
		pods = append(pods, p)
	}
	return pods, ""
}

// groupAnswer is what a decider says about a group.
type groupAnswer struct {
	plan    *preemption.GroupPlan
	victims []*Pod
	// placed has the pods that ask with their nodes, in the order in which they were placed.
	placed []placed
}

type placed struct {
	pod  *Pod
	node *Node
}

// alwaysGroups does for groups what always does for a pod.
func (d Decider) alwaysGroups(t *testing.T, judge func(w *World, a *groupAnswer) (broken string)) {
	t.Helper()
	seeded.AtLeast(t, fewest)
	rapid.Check(t, func(t *rapid.T) {
		w := GroupWorlds.Draw(t, "world")
		a, broken := d.askGroup(w)
		if broken == "" {
			broken = judge(w, a)
		}
		if broken != "" {
			t.Fatal(broken)
		}
	})
}

func (d Decider) askGroup(w *World) (*groupAnswer, string) {
	plan, err := d.PreemptGroup(w.Cluster(), w.groupRequest(), w.Config())
	if err != nil {
		return nil, fmt.Sprintf("no answer but the error %q", err)
	}
	a := &groupAnswer{plan: plan}
	var broken string
	if a.victims, broken = w.readVictims(plan.Victims); broken != "" {
		return nil, broken
	}
	for _, at := range plan.Placement {
		p, n := w.pod(at.Pod.Name), w.node(at.Node)
		if p == nil || n == nil {
			return nil, fmt.Sprintf("%s is placed on %q, and one of the two is not there", at.Pod.Name, at.Node)
		}
		a.placed = append(a.placed, placed{p, n})
	}
	return a, ""
}

func (w *World) request() preemption.Request {
	return preemption.Request{Pod: w.Asks[0].object(), Now: scenario.Now}
}

func (w *World) groupRequest() preemption.GroupRequest {
	req := preemption.GroupRequest{Now: scenario.Now}
	for i := range w.Asks {
		req.Pods = append(req.Pods, w.Asks[i].object())
	}
	return req
}

// written returns what a decider says, as bytes: the plan, the explanation, or the plan for a group.
func (d Decider) written(w *World, c *outrank.Cluster) string {
	var said []any
	if w.Asks[0].Group != "" {
		plan, err := d.PreemptGroup(c, w.groupRequest(), w.Config())
		said = append(said, plan, fmt.Sprint(err))
	} else {
		req := w.request()
		plan, err := d.Preempt(c, req, w.Config())
		explained, again := d.Explain(c, req, w.Config())
		said = append(said, plan, fmt.Sprint(err), explained, fmt.Sprint(again))
	}
	text, err := json.Marshal(said)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
