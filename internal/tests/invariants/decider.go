package invariants

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

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
	// violated has the budgets that each victim is said to violate, and blocks what each is said to block.
	violated map[*Pod][]string
	blocks   map[*Pod]said
	// reasons has what else is said of each victim.
	reasons map[*Pod]*preemption.Victim
	// cleared are the pods that lose their nominations to the node.
	cleared []*Pod
	score   preemption.Score
}

// answer is what a decider says about a pod in a world: its plan, and its plan with every reason.
type answer struct {
	plan, explained *preemption.Plan
	// candidates are the nodes that could be chosen, the best first, as they are explained. chosen is the one that the
	// plan has, nil if it has none.
	candidates []choice
	chosen     *choice
	// unreadable says what of the answer is about nothing in the world. It is left out of the choices.
	unreadable string
}

// all are the choice of the plan and all candidates. Each is judged like the others.
func (a *answer) all() []choice {
	if a.chosen == nil {
		return a.candidates
	}
	return append([]choice{*a.chosen}, a.candidates...)
}

// always draws worlds with a pod that asks, and lets judge look at each with its answer. The judge returns a sentence
// about what is broken, empty for nothing. It sees no world with an error in place of an answer; that none has one is
// promised elsewhere (see [Decider.ANodeIsRefusedOnlyIfNobodyCanHelp]).
func (d Decider) always(t *testing.T, judge func(w *World, a *answer) (broken string)) {
	t.Helper()
	d.alwaysAnswers(t, func(w *World, a *answer, err error) string {
		if err != nil {
			return ""
		}
		return judge(w, a)
	})
}

// alwaysAnswers does what always does, and lets judge look at errors, too.
func (d Decider) alwaysAnswers(t *testing.T, judge func(w *World, a *answer, err error) (broken string)) {
	t.Helper()
	seeded.AtLeast(t, fewest)
	rapid.Check(t, func(t *rapid.T) {
		w := Worlds.Draw(t, "world")
		a, panicked, err := caught(func() (*answer, error) { return d.ask(w) })
		if panicked != "" {
			t.Fatal(panicked)
		}
		if broken := judge(w, a, err); broken != "" {
			t.Fatal(broken)
		}
	})
}

// caught calls a decider. If that panics it says so in one sentence, where rapid would print a stack.
func caught[A any](ask func() (*A, error)) (a *A, panicked string, err error) {
	defer func() {
		if r := recover(); r != nil {
			panicked = fmt.Sprintf("there is no answer, but a panic: %v", r)
		}
	}()
	a, err = ask()
	return a, "", err
}

// ask has the decider preempt and explain.
func (d Decider) ask(w *World) (*answer, error) {
	plan, err := d.Preempt(w.Cluster(), w.Request(), w.Config())
	if err != nil {
		return nil, err
	}
	explained, err := d.Explain(w.Cluster(), w.Request(), w.Config())
	if err != nil {
		return nil, err
	}

	a := &answer{plan: plan, explained: explained}
	for i := range explained.Candidates {
		if c := w.read(&explained.Candidates[i], a); c.node != nil {
			a.candidates = append(a.candidates, c)
		}
	}
	if plan.Node != "" || len(plan.Victims) > 0 {
		if c := w.read(&plan.Candidate, a); c.node != nil {
			a.chosen = &c
		}
	}
	return a, nil
}

// read looks the pods of a candidate up in the world.
func (w *World) read(c *preemption.Candidate, a *answer) choice {
	out := choice{node: w.node(c.Node), violated: map[*Pod][]string{}, blocks: map[*Pod]said{}, reasons: map[*Pod]*preemption.Victim{}, score: c.Score}
	if out.node == nil {
		a.unreadable = fmt.Sprintf("%q is no node", c.Node)
	}
	for i := range c.Victims {
		v := &c.Victims[i]
		p, unreadable := w.readVictim(v.Pod.Name, out.victims)
		if unreadable != "" {
			a.unreadable = unreadable
			continue
		}
		out.victims = append(out.victims, p)
		out.blocks[p], out.reasons[p] = readStatus(v.Blocks), v
		for _, b := range v.Violated {
			out.violated[p] = append(out.violated[p], b.Name)
		}
	}
	for _, p := range c.ClearedNominations {
		out.cleared = append(out.cleared, w.pod(p.Name))
	}
	return out
}

// told is the figure of a rank as the score has it.
func (c *choice) told(rank string) int64 {
	switch rank {
	case rankViolations:
		return int64(c.score.Violations)
	case rankTop:
		return int64(c.score.TopPriority)
	case rankSum:
		return c.score.PrioritySum
	case rankVictims:
		return int64(c.score.Victims)
	case rankStart:
		if c.score.Start.IsZero() {
			return 0
		}
		return int64(scenario.Now.Sub(c.score.Start) / time.Minute)
	}
	return c.score.Own[rank]
}

// readVictim looks a victim up. It has to be a pod that runs, and may not stand there twice.
func (w *World) readVictim(name string, before []*Pod) (p *Pod, unreadable string) {
	p = w.pod(name)
	switch {
	case p == nil || p.Node == "":
		return nil, name + " has to leave and runs nowhere"
	case slices.Contains(before, p):
		return nil, name + " has to leave twice"
	}
	return p, ""
}

// groupAnswer is what a decider says about a group.
type groupAnswer struct {
	plan    *preemption.GroupPlan
	victims []*Pod
	// unreadable says which victim is none in the world.
	unreadable string
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
	d.alwaysGroupAnswers(t, func(w *World, a *groupAnswer, err error) string {
		if err != nil {
			return ""
		}
		return judge(w, a)
	})
}

// alwaysGroupAnswers does for groups what alwaysAnswers does for a pod.
func (d Decider) alwaysGroupAnswers(t *testing.T, judge func(w *World, a *groupAnswer, err error) (broken string)) {
	t.Helper()
	seeded.AtLeast(t, fewest)
	rapid.Check(t, func(t *rapid.T) {
		w := GroupWorlds.Draw(t, "world")
		a, panicked, err := caught(func() (*groupAnswer, error) { return d.askGroup(w) })
		if panicked != "" {
			t.Fatal(panicked)
		}
		if broken := judge(w, a, err); broken != "" {
			t.Fatal(broken)
		}
	})
}

// both runs an invariant for a pod and, if that holds, for a group, so that a failure is one sentence with one world.
func both(t *testing.T, forPod, forGroup func(t *testing.T)) {
	t.Helper()
	if t.Run("for a pod", forPod) {
		t.Run("for a group", forGroup)
	}
}

func (d Decider) askGroup(w *World) (*groupAnswer, error) {
	plan, err := d.PreemptGroup(w.Cluster(), w.groupRequest(), w.Config())
	if err != nil {
		return nil, err
	}
	a := &groupAnswer{plan: plan}
	for i := range plan.Victims {
		p, unreadable := w.readVictim(plan.Victims[i].Pod.Name, a.victims)
		if unreadable != "" {
			a.unreadable = unreadable
			continue
		}
		a.victims = append(a.victims, p)
	}
	for _, at := range plan.Placement {
		p, n := w.pod(at.Pod.Name), w.node(at.Node)
		if p == nil || n == nil {
			a.unreadable = fmt.Sprintf("%s is placed on %q, and one of the two is not there", at.Pod.Name, at.Node)
			continue
		}
		a.placed = append(a.placed, placed{p, n})
	}
	return a, nil
}

// Request is the question about the pod that asks.
func (w *World) Request() preemption.Request {
	asked := w.asked()
	return preemption.Request{Pod: asked.object(), Now: scenario.Now, Statuses: w.found()}
}

// asked is the preemptor as the question has it: without the nomination that the cluster knows.
func (w *World) asked() Pod {
	asked := w.Asks[0]
	if w.Known {
		asked.Nominated = ""
	}
	return asked
}

// Preemptors are the pods that ask, in their order.
func (w *World) Preemptors() (pods []*outrank.Pod) {
	for i := range w.Asks {
		pods = append(pods, w.Asks[i].object())
	}
	return pods
}

func (w *World) groupRequest() preemption.GroupRequest {
	return preemption.GroupRequest{Pods: w.Preemptors(), Now: scenario.Now}
}

// written returns what a decider says, as bytes: the plan, the explanation, or the plan for a group.
func (d Decider) written(w *World, c *outrank.Cluster) string {
	var said []any
	if w.Asks[0].Group != "" {
		plan, err := d.PreemptGroup(c, w.groupRequest(), w.Config())
		said = append(said, plan, fmt.Sprint(err))
	} else {
		req := w.Request()
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
