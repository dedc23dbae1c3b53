package engine_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// FuzzEvaluator asks for a place in a small cluster, changes the cluster and
// asks again. Preempt, Explain and the book must agree every time,
// on a snapshot that was changed in place and remembers earlier answers as on
// a fresh one.
func FuzzEvaluator(f *testing.F) {
	addSeeds(f, 1200)
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := &choices{bytes}
		cluster := c.cluster()
		require.NoError(t, cluster.Validate(), "the decoder makes valid clusters only")
		w := newWorld(t, cluster)
		preemptors := []*outrank.Pod{c.preemptor("x"), c.preemptor("y")}
		for i := range 6 {
			p := preemptors[i%2]
			explainedAsBook(t, w.cluster(), p)
			w.agree(t, p, gen.Now)
			if len(c.rest) == 0 {
				return
			}
			w.changeByBytes(t, c, p, i)
		}
	})
}

// addSeeds adds inputs of random bytes, short and long, and the empty one.
func addSeeds(f *testing.F, longest int) {
	f.Add([]byte{})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 16 {
		seed := make([]byte, (i+1)*longest/16)
		for j := range seed {
			seed[j] = byte(random.Uint32())
		}
		f.Add(seed)
	}
}

// explainedAsBook holds all candidates and all nodes of an explanation to the book, where agree
// looks at what comes of them.
func explainedAsBook(t *testing.T, c *outrank.Cluster, p *outrank.Pod) {
	t.Helper()
	sameAsBook(t, c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{}, explain(t, c, p))
}

// changeByBytes makes one change of the cluster that the snapshot must accept.
func (w *world) changeByBytes(t *testing.T, c *choices, asked *outrank.Pod, serial int) {
	t.Helper()
	switch c.below(7) {
	case 0:
		w.applyPlan(t, asked)
	case 1:
		p := c.pod(fmt.Sprint("added", serial))
		p.NodeName = c.nodeName()
		w.add(t, p)
	case 2:
		if p := w.somePod(c); p != nil {
			w.remove(t, p.Key())
		}
	case 3:
		if old := w.somePod(c); old != nil {
			p := c.pod(old.Name)
			p.Namespace, p.NodeName, p.NominatedNodeName = old.Namespace, old.NodeName, old.NominatedNodeName
			w.update(t, p)
		}
	case 4:
		w.updateNode(t, c.node(w.c.Nodes[c.below(len(w.c.Nodes))].Name))
	case 5:
		if p := w.somePod(c); p != nil && p.NodeName == "" {
			w.nominate(t, p.Key(), w.c.Nodes[c.below(len(w.c.Nodes))].Name)
		}
	case 6:
		w.setBudgets(t, []*outrank.PodDisruptionBudget{c.budget("b", w.cluster().Pods)})
	}
}

// somePod is nil where there is none.
func (w *world) somePod(c *choices) *outrank.Pod {
	all := slices.Sorted(maps.Keys(w.pods))
	if len(all) == 0 {
		return nil
	}
	return w.pods[all[c.below(len(all))]]
}

// applyPlan lets the pod push others out, in the snapshot and beside it. The
// pod is pending and nominated after that.
func (w *world) applyPlan(t *testing.T, p *outrank.Pod) {
	t.Helper()
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), w.snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	if plan.Outcome != preemption.Preempts {
		return
	}
	require.NoError(t, w.snap.Apply(plan))
	for _, v := range plan.Victims {
		delete(w.pods, v.Pod.Key())
	}
	for _, cleared := range plan.ClearedNominations {
		w.renominated(cleared, "")
	}
	w.renominated(p, plan.Node)
}

// renominated writes down the node a pending pod is nominated to by now.
func (w *world) renominated(p *outrank.Pod, node string) {
	if known, ok := w.pods[p.Key()]; ok {
		p = known
	}
	other := *p
	other.NodeName, other.NominatedNodeName = "", node
	w.pods[p.Key()] = &other
}
