package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// world is a snapshot that is changed in place, and beside it a plain list of
// what it must contain.
type world struct {
	snap *engine.Snapshot
	// c has everything but the pods. Those are in pods, with their present node
	// or nomination.
	c    outrank.Cluster
	pods map[outrank.Key]*outrank.Pod
	// schedulers are those whose pods' nominations count.
	schedulers []string
}

func newWorld(t fataler, c *outrank.Cluster) *world {
	t.Helper()
	w := &world{snap: newSnapshot(t, c), c: *c, pods: map[outrank.Key]*outrank.Pod{}}
	w.c.Nodes, w.c.Pods = slices.Clone(c.Nodes), nil
	for _, p := range c.Pods {
		if !p.Finished() {
			w.pods[p.Key()] = p
		}
	}
	return w
}

func (w *world) add(t fataler, p *outrank.Pod) {
	t.Helper()
	require.NoError(t, errOf(w.snap.PutPod(p)))
	w.pods[p.Key()] = p
}

// update gives a pod another version, which may lack what the known one has.
func (w *world) update(t fataler, p *outrank.Pod) {
	t.Helper()
	replaced, err := w.snap.PutPod(p)
	require.NoError(t, err)
	if replaced == nil { // it counts as older than the known one
		require.NoError(t, w.snap.RemovePod(p.Key()))
		require.NoError(t, errOf(w.snap.PutPod(p)))
	}
	w.pods[p.Key()] = p
}

func (w *world) remove(t fataler, key outrank.Key) {
	t.Helper()
	require.NoError(t, w.snap.RemovePod(key))
	delete(w.pods, key)
}

func (w *world) nominate(t fataler, key outrank.Key, node string) {
	t.Helper()
	require.NoError(t, w.snap.Nominate(key, node))
	p := *w.pods[key]
	p.NominatedNodeName = node
	w.pods[key] = &p
}

func (w *world) bind(t fataler, key outrank.Key, node string) {
	t.Helper()
	require.NoError(t, w.snap.Bind(key, node))
	p := *w.pods[key]
	p.NodeName, p.NominatedNodeName = node, ""
	w.pods[key] = &p
}

func (w *world) addNode(t fataler, n *outrank.Node) {
	t.Helper()
	require.NoError(t, w.snap.PutNode(n))
	w.c.Nodes = append(w.c.Nodes, n)
}

func (w *world) updateNode(t fataler, n *outrank.Node) {
	t.Helper()
	require.NoError(t, w.snap.PutNode(n))
	w.c.Nodes[w.place(n.Name)] = n
}

func (w *world) removeNode(t fataler, name string) {
	t.Helper()
	require.NoError(t, w.snap.RemoveNode(name))
	at := w.place(name)
	w.c.Nodes = slices.Delete(w.c.Nodes, at, at+1)
}

func (w *world) setBudgets(t fataler, budgets []*outrank.PodDisruptionBudget) {
	t.Helper()
	require.NoError(t, setBudgets(w.snap, budgets))
	w.c.Budgets = budgets
}

func (w *world) place(node string) int {
	return slices.IndexFunc(w.c.Nodes, func(n *outrank.Node) bool { return n.Name == node })
}

// cluster returns what is there at present, for a new snapshot.
func (w *world) cluster() *outrank.Cluster {
	c := w.c
	c.Nodes = slices.Clone(w.c.Nodes)
	for _, key := range slices.Sorted(maps.Keys(w.pods)) {
		c.Pods = append(c.Pods, w.pods[key])
	}
	return &c
}

// ask compares the answer of the snapshot with that of a new one.
func (w *world) ask(t fataler, e *engine.Evaluator, p *outrank.Pod, now time.Time) answer {
	t.Helper()
	want, wantErr := e.Preempt(context.Background(), newSnapshot(t, w.cluster()), preemption.Request{Pod: p, Now: now})
	got, err := e.Preempt(context.Background(), w.snap, preemption.Request{Pod: p, Now: now})
	require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err))
	if err != nil {
		return answer{}
	}
	if diff := diffPlans(want, got); diff != "" {
		t.Fatalf("%s asks at %s (-fresh snapshot +changed in place):\n%s", p.Key(), now, diff)
	}
	return answered(got)
}

// agree compares every way to an answer with the book: the snapshot as it is, also when it is
// asked repeatedly and its cache answers, a new snapshot, several workers, and the explanation.
func (w *world) agree(t fataler, p *outrank.Pod, now time.Time) answer {
	t.Helper()
	c := w.cluster()
	config, req := preemption.Config{Profile: preemption.Profile{Schedulers: w.schedulers}}, preemption.Request{Pod: p, Now: now}
	want, err := preemption.Preempt(c, req, config)
	require.NoError(t, err)
	fresh := newSnapshot(t, c)
	for _, workers := range []int{1, 3} {
		e := newEvaluator(t, config).Parallel(workers)
		for turn := range 3 {
			for i, snap := range []*engine.Snapshot{w.snap, fresh} {
				got, err := e.Preempt(context.Background(), snap, req)
				require.NoError(t, err)
				if diff := diffPlans(want, got); diff != "" {
					which := []string{"changed in place", "fresh"}[i]
					t.Fatalf("%s asks for time %d with %d workers at %s (-book +%s):\n%s", p.Key(), turn+1, workers, now, which, diff)
				}
			}
		}
	}
	ex, err := newEvaluator(t, config).Explain(context.Background(), w.snap, req)
	require.NoError(t, err)
	sameAsBook(t, c, req, config, ex)
	return answered(ex)
}

// answer is a decision as tests tell it.
type answer struct {
	Outcome preemption.Outcome
	Node    string
	// Victims are by importance; one that violates a budget has a mark.
	Victims []string
	Cleared []string
	// TurnedDown and Unhelpful count nodes by status. Unhelpful counts only if
	// preemption was tried.
	TurnedDown, Unhelpful map[string]int
}

// String names the node and the victims.
func (a answer) String() string { return fmt.Sprint(a.Outcome, " ", a.Node, a.Victims) }

func answered(p *preemption.Plan) answer {
	a := answer{Outcome: p.Outcome, TurnedDown: map[string]int{}, Unhelpful: map[string]int{}}
	for _, c := range p.TurnedDown {
		a.TurnedDown[inWords(c.Status)] += c.Nodes
	}
	switch {
	case p.Outcome == preemption.NothingHelps:
		for _, c := range p.Unhelpful {
			a.Unhelpful[inWords(c.Status)] += c.Nodes
		}
	case p.Outcome == preemption.Preempts:
		for _, n := range p.Nodes {
			if n.AfterRemoval != nil && n.Candidate == nil {
				a.Unhelpful[inWords(*n.AfterRemoval)]++
			}
		}
	}
	if p.Outcome == preemption.Preempts {
		a.choose(&p.Candidate)
	}
	return a
}

func (a *answer) choose(c *preemption.Candidate) {
	a.Node = c.Node
	for _, v := range c.Victims {
		mark := ""
		if len(v.Violated) > 0 {
			mark = " violates a budget"
		}
		a.Victims = append(a.Victims, string(v.Pod.Key())+mark)
	}
	a.Cleared = append(a.Cleared, keys(c.ClearedNominations)...)
	slices.Sort(a.Cleared)
}

func inWords(s preemption.Status) string {
	return fmt.Sprint(filter.Code(s.Code), " ", s.Filter, s.Reasons)
}
