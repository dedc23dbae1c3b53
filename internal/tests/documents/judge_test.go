package documents

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// answer is what a port, or the library, says about a world.
type answer struct {
	outcome    preemption.Outcome
	node       string
	victims    []string
	violations int
	// cleared are the pods that lose their nominations to the node, and own what becomes of the pod's own.
	cleared []string
	own     string
}

// What becomes of the pod's own nomination.
const keeps, loses, gets = "keeps", "loses", "gets"

func (a answer) String() string {
	return fmt.Sprintf("%s %s %v violations=%d cleared=%v own nomination: %s", a.outcome, a.node, a.victims, a.violations, a.cleared, a.own)
}

// namesOf returns the names of pods, sorted.
func namesOf(pods []*outrank.Pod) []string {
	var names []string
	for _, p := range pods {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

// preempts is the answer that these pods have to leave a node. The pods of lower priority that are nominated
// there lose their nominations.
func (w *world) preempts(n *outrank.Node, victims []*outrank.Pod, violations int) answer {
	lower := w.nominated(n, func(p *outrank.Pod) bool { return rank(p) < rank(w.pod) })
	return answer{preemption.Preempts, n.Name, namesOf(victims), violations, namesOf(lower), gets}
}

// book and fast are the two ways in which the library decides.
func (w *world) book(config preemption.Config) (*preemption.Plan, error) {
	return preemption.Preempt(w.cluster(), preemption.Request{Pod: w.pod, Now: now}, config)
}

func (w *world) fast(config preemption.Config) (*preemption.Plan, error) {
	snap, err := engine.NewSnapshot(w.cluster())
	if err != nil {
		return nil, err
	}
	eval, err := engine.New(config)
	if err != nil {
		return nil, err
	}
	return eval.Preempt(context.Background(), snap, preemption.Request{Pod: w.pod, Now: now})
}

func (w *world) cluster() *outrank.Cluster {
	return &outrank.Cluster{Nodes: w.nodes, Pods: w.pods, Budgets: w.budgets, Release: w.release}
}

// answerOf returns what a plan says.
func answerOf(t *testing.T, plan *preemption.Plan) answer {
	t.Helper()
	if plan.Outcome == preemption.Fits {
		return answer{outcome: plan.Outcome}
	}

	var victims []*outrank.Pod
	for _, v := range plan.Victims {
		victims = append(victims, v.Pod)
	}
	a := answer{plan.Outcome, plan.Node, namesOf(victims), plan.Score.Violations, namesOf(plan.ClearedNominations), keeps}
	verdict, err := (&execution.Failure{Entry: queue.Entry{Pod: plan.Pod}, Plan: plan, Now: now}).Verdict()
	require.NoError(t, err)
	switch nomination := verdict.Nomination; {
	case nomination.Override && nomination.Node != "":
		a.own = gets
	case nomination.Override:
		a.own = loses
	}
	return a
}

// hold holds the library, in both of its ways, to a port over all cases. Each kind of answer has to occur.
func hold(t *testing.T, variant outrank.Variant, port func(*world) answer) {
	t.Helper()
	seen := map[string]int{}
	for i := range *cases {
		if *only >= 0 && i != *only {
			continue
		}
		w := draw(uint64(i))
		want := port(w)
		for way, decide := range map[string]func(preemption.Config) (*preemption.Plan, error){"the book": w.book, "the engine": w.fast} {
			plan, err := decide(preemption.Config{Variant: variant})
			require.NoError(t, err)
			require.Equal(t, want.String(), answerOf(t, plan).String(), "%s in case %d\n%v", way, i, w)
		}
		want.count(seen)
	}
	if *only >= 0 {
		return
	}
	for _, kind := range []string{"fits", "not-eligible", "nothing-helps", "preempt", "loses", "clears", "violates"} {
		require.Positive(t, seen[kind], "cases of %q", kind)
	}
	t.Log(seen)
}

// count notes the kinds of an answer.
func (a answer) count(seen map[string]int) {
	seen[string(a.outcome)]++
	for kind, is := range map[string]bool{"loses": a.own == loses, "clears": len(a.cleared) > 0, "violates": a.violations > 0} {
		if is {
			seen[kind]++
		}
	}
}
