package engine_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// The cache is right after any number of changes since the last question, from
// none to several thousand, any of which matters.
func TestManyChangesBetweenQuestions(t *testing.T) {
	const nodes, podsPerNode = 60, 4
	questions := seeded.Sample(75, 150)
	r := rand.New(rand.NewPCG(1, 1))
	c := &outrank.Cluster{}
	change := func(p *outrank.Pod) *outrank.Pod {
		q := *p
		q.Priority = outrank.Priority(int32(r.IntN(50)))
		q.StartTime = gen.Now.Add(-time.Duration(r.IntN(1000)) * time.Minute)
		q.Containers = []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", fmt.Sprint(1+r.IntN(3)))}}
		return &q
	}
	for i := range nodes {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.MustList("cpu", "9", "pods", "10")})
		for j := range podsPerNode {
			c.Pods = append(c.Pods, change(&outrank.Pod{Name: fmt.Sprintf("p%d-%d", i, j), NodeName: fmt.Sprint("n", i)}))
		}
	}
	w, e := newWorld(t, c), newEvaluator(t, preemption.Config{})
	names := slices.Sorted(maps.Keys(w.pods))
	asker := pod("asker", 100, "8")
	answers := map[string]bool{}
	for question := range questions {
		answers[w.ask(t, e, asker, gen.Now).String()] = true
		// Few changes as well as many, and all numbers in between.
		for range question * r.IntN(30) {
			w.update(t, change(w.pods[names[r.IntN(len(names))]]))
		}
	}
	assert.Greater(t, len(answers), questions/2, "most of the changes made no difference")
}

// A node that is removed leaves its topology domain, and one that is added or
// changed is in its own: the pods on it count only where the node is.
func TestTopologyFollowsNodes(t *testing.T) {
	asks := map[string]*outrank.Pod{
		"attracted":  pod("p", 100, "1", app("web"), near("friend")),
		"apart":      pod("p", 100, "1", app("web"), apart("friend")),
		"repelled":   pod("p", 100, "1", app("shunned")),
		"spread":     pod("p", 100, "1", app("friend"), spread(outrank.TopologySpreadConstraint{LabelSelector: selects("friend")})),
		"of no zone": pod("p", 100, "1"),
	}
	for name, asker := range asks {
		t.Run(name, func(t *testing.T) {
			c := &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "4", "a"), node("n3", "4", "b")},
				Pods: []*outrank.Pod{
					pod("friend", 1000, "1", on("n1"), app("friend")),
					pod("hermit", 1000, "1", on("n1"), apart("shunned")),
					pod("low2", 1, "4", on("n2")), pod("low3", 2, "4", on("n3")),
				},
			}
			w := newWorld(t, c)
			answers := map[string]bool{}
			ask := func() { answers[w.agree(t, asker, gen.Now).String()] = true }
			ask()
			mark := w.snap.Mark()
			before := *w
			before.c.Nodes = slices.Clone(w.c.Nodes)
			w.removeNode(t, "n1")
			ask()
			w.addNode(t, node("n1", "4", "b"))
			ask()
			w.updateNode(t, node("n1", "4", "c"))
			ask()
			w.updateNode(t, node("n2", "4", "c"))
			ask()
			require.NoError(t, w.snap.Undo(mark))
			w.c.Nodes = slices.Clone(before.c.Nodes)
			ask()
			clone := *w
			clone.snap = w.snap.Clone()
			w.removeNode(t, "n1")
			ask()
			clone.c.Nodes = before.c.Nodes
			answers[clone.agree(t, asker, gen.Now).String()] = true
			assert.True(t, name == "of no zone" || len(answers) > 1, "nodes make no difference: %v", answers)
		})
	}
}

// followedRules are configurations of which a snapshot remembers what they say.
var followedRules = map[string]preemption.Config{
	"default":       {},
	"by start":      {Importance: func(a, b *outrank.Pod) int { return a.StartTime.Compare(b.StartTime) }},
	"by cpu":        {Importance: moreCPU, Ranks: []preemption.Rank{preemption.ByViolations, preemption.ByVictims}},
	"by priority":   {Importance: func(a, b *outrank.Pod) int { return cmp.Compare(a.PriorityValue(), b.PriorityValue()) }},
	"spares some":   {Importance: moreCPU, Eligibility: preemption.Eligibility{Take: func(_, victim *outrank.Pod) (string, bool) { return "", len(victim.Labels)%3 > 0 }}},
	"v1.13":         {Variant: outrank.VariantV1_13},
	"v1.13 by cpu":  {Variant: outrank.VariantV1_13, Importance: moreCPU},
	"ascending":     {Variant: outrank.VariantSimplified, Importance: moreCPU},
	"start is cost": {Ranks: []preemption.Rank{{Name: "start", Cost: func(p *outrank.Pod) int64 { return p.StartTime.Unix() % 7 }}}},
}

// Whatever happens to a snapshot between questions, it answers as a new one
// does, for every preemptor.
func TestPropertyAnswersFollowChanges(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		rules := rapid.SampledFrom(slices.Sorted(maps.Keys(followedRules))).Draw(t, "rules")
		w := &changing{world: newWorld(t, c), e: newEvaluator(t, followedRules[rules])}
		q := *p
		q.Name, q.NominatedNodeName = "another", ""
		w.askers = []*outrank.Pod{p, &q}
		for _, n := range c.Nodes {
			w.names = append(w.names, n.Name)
		}
		w.spare = slices.Clone(c.Nodes)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			for range rapid.SampledFrom([]int{0, 1, 1, 2, 5}).Draw(t, "changes") {
				w.change(t)
			}
			w.ask(t, w.e, rapid.SampledFrom(w.askers).Draw(t, "asker"), gen.Now.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "later"))*time.Second))
		}
	})
}

// changing draws changes of a world.
type changing struct {
	*world
	e      *engine.Evaluator
	askers []*outrank.Pod
	names  []string        // of nodes
	spare  []*outrank.Node // what nodes may become
	serial int
}

func (w *changing) change(t *rapid.T) {
	node := rapid.SampledFrom(w.names).Draw(t, "node")
	switch change := rapid.SampledFrom([]string{"add", "update", "update", "remove", "node", "node", "nominate", "bind", "budgets", "churn", "clone"}).Draw(t, "change"); change {
	case "churn":
		w.churn(t)
	case "clone":
		w.snap = w.snap.Clone()
	case "node":
		w.changeNode(t, node)
	case "budgets":
		var budgets []*outrank.PodDisruptionBudget
		for _, b := range w.c.Budgets {
			other := *b
			other.DisruptionsAllowed = int32(rapid.IntRange(0, 2).Draw(t, "allowed"))
			budgets = append(budgets, &other)
		}
		w.setBudgets(t, budgets)
	default:
		if len(w.pods) > 0 {
			w.changePod(t, change, node)
		}
	}
}

// churn makes many changes of the same few pods, more than are remembered.
func (w *changing) churn(t *rapid.T) {
	all := slices.Sorted(maps.Keys(w.pods))
	for i := range rapid.SampledFrom([]int{0, 100, 520, 530, 1100}).Draw(t, "changes") {
		if len(all) > 0 {
			p := *w.pods[all[i%min(3, len(all))]]
			p.Priority = outrank.Priority(int32(i % 7 * 20))
			w.update(t, &p)
		}
	}
}

func (w *changing) changeNode(t *rapid.T, name string) {
	n := *rapid.SampledFrom(w.spare).Draw(t, "like")
	n.Name = name
	switch {
	case w.place(name) < 0:
		w.addNode(t, &n)
	case rapid.Bool().Draw(t, "goes"):
		w.removeNode(t, name)
	default:
		w.updateNode(t, &n)
	}
}

func (w *changing) changePod(t *rapid.T, change, node string) {
	all := slices.Sorted(maps.Keys(w.pods))
	p := w.pods[rapid.SampledFrom(all).Draw(t, "pod")]
	switch {
	case change == "remove":
		w.remove(t, p.Key())
	case change == "add":
		w.serial++
		q := *p
		q.Name = fmt.Sprint("new", w.serial)
		w.add(t, &q)
	case change == "update":
		q := *w.pods[rapid.SampledFrom(all).Draw(t, "like")]
		q.Name, q.Namespace, q.UID, q.NodeName, q.NominatedNodeName = p.Name, p.Namespace, p.UID, p.NodeName, p.NominatedNodeName
		w.update(t, &q)
	case p.NodeName != "" || w.place(node) < 0:
	case change == "bind":
		w.bind(t, p.Key(), node)
	default:
		w.nominate(t, p.Key(), node)
	}
}
