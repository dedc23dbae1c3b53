package groups

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// endsAfter is a context that ends once it was asked for its error so many times.
type endsAfter struct {
	context.Context
	left int
}

func (c *endsAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// endingAfter returns a watch that finds its context ended after so many turns, which may be more than those
// between two looks.
func endingAfter(turns int) work.Watch {
	w := work.NewWatch(&endsAfter{context.Background(), 0})
	w.Ended(work.Each - 1 - turns)
	return w
}

// waiting is a group of two pods that wait, in a cluster where others have to leave for them: single pods and
// a group, some covered by a budget.
type waiting struct {
	cluster *outrank.Cluster
	request preemption.GroupRequest
	config  preemption.Config
}

// waitingBeside has so many single pods on each of the two nodes, each of which takes a core. The nodes have
// room for no more.
func waitingBeside(t *testing.T, pods int) *waiting {
	t.Helper()
	pod := func(name, node, group string, priority int32) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, Group: group, Priority: &priority, Labels: map[string]string{"app": group},
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
		}
	}
	c := &outrank.Cluster{Release: groupsPreempt(t), Groups: []*outrank.PodGroup{{Name: "g", DisruptionMode: outrank.DisruptPodGroup}}}
	for _, node := range []string{"a", "b"} {
		for i := range pods {
			p := pod(fmt.Sprint(node, i), node, "", int32(i%3))
			if i%2 == 0 {
				p.Labels["app"] = "web"
			}
			c.Pods = append(c.Pods, p)
		}
		c.Pods = append(c.Pods, pod("g-"+node, node, "g", 0))
		c.Nodes = append(c.Nodes, &outrank.Node{Name: node, Allocatable: resource.MustList("cpu", fmt.Sprint(pods+1), "pods", "1000")})
	}
	c.Budgets = []*outrank.PodDisruptionBudget{{Name: "web", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}

	// One is nominated, so that the group might have to wait for pods that leave.
	first, second := pod("p", "", "", 9), pod("q", "", "", 9)
	first.NominatedNodeName = "b"
	return &waiting{cluster: c, request: preemption.GroupRequest{Pods: []*outrank.Pod{first, second}, Now: now}}
}

// decide decides with a context, and with a watch if there is one. Otherwise the watch asks the context.
func (w *waiting) decide(t *testing.T, ctx context.Context, watch *work.Watch) (*preemption.GroupPlan, error) {
	t.Helper()
	snap, err := state.New(w.cluster, state.UsualTraits)
	require.NoError(t, err)
	terms := dryrun.TermsOf(w.config)
	r, err := begin(ctx, &terms, snap, &w.request, w.request.Place == nil)
	if err != nil {
		return nil, err
	}
	if watch != nil {
		r.look = *watch
	}
	return r.plan, r.decide(ctx, w.request.Refused)
}

// keepsFirst is a guard that never lets the pods of node a go before those of node b.
type keepsFirst struct{ left map[string]int }

func (g *keepsFirst) Add(p *outrank.Pod, n *outrank.Node)    { g.left[n.Name]++ }
func (g *keepsFirst) Remove(p *outrank.Pod, n *outrank.Node) { g.left[n.Name]-- }
func (g *keepsFirst) Rule(*outrank.Pod) string               { return "" }
func (g *keepsFirst) Clone() preemption.GuardState           { return g }
func (g *keepsFirst) Check() preemption.Status {
	if g.left["a"] < 0 && g.left["b"] == 0 {
		return preemption.Unschedulable.Because("b first")
	}
	return preemption.Status{}
}

// keepingFirst starts with all pods there.
var keepingFirst = &preemption.Guard{Name: "Guard", Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
	return &keepsFirst{map[string]int{}}, nil
}}

// firstNode places both pods on the first node that takes them beside each other.
func firstNode(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
	nodes, err := draft.Feasible(pods[0])
	if err != nil || len(nodes) == 0 {
		return nil, &preemption.Refusal{Reason: "no place"}, err
	}
	return []preemption.Assignment{{Pod: pods[0], Node: nodes[0].Name}, {Pod: pods[1], Node: nodes[0].Name}}, nil, nil
}

// A decision about a group ends wherever its context ends, with the error of the context. If it does not
// notice that in time, its plan is whole.
func TestDecisionsEndWithTheirContext(t *testing.T) {
	for _, test := range []struct {
		name string
		pods int
		// turns bounds the turns of all loops together. From one trial to the next are step more.
		turns, step int
		change      func(w *waiting)
	}{
		{"first fit", 3, 500, 1, func(*waiting) {}},
		{"first fit, with hundreds of units", 130, 20_000, 23, func(*waiting) {}},
		{"by the order of the caller", 3, 500, 1, func(w *waiting) {
			w.config.Importance = func(p, q *outrank.Pod) int { return 0 }
		}},
		{"by a rule about each pod", 3, 500, 1, func(w *waiting) {
			w.config.Eligibility.Take = func(_, p *outrank.Pod) (string, bool) { return "", p.Name != "a0" }
		}},
		{"with a guard", 3, 500, 1, func(w *waiting) {
			w.config.Guard = keepingFirst
		}},
		{"with a placing function", 3, 500, 1, func(w *waiting) { w.request.Place = firstNode }},
		{"refused elsewhere", 3, 500, 1, func(w *waiting) { w.request.Refused = true }},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := waitingBeside(t, test.pods)
			test.change(w)
			whole, err := w.decide(t, context.Background(), nil)
			require.NoError(t, err)
			require.Equal(t, preemption.Preempts, whole.Outcome)
			same := func(plan *preemption.GroupPlan, after int) {
				assert.Equal(t, whole.String(), plan.String(), "after %d", after)
			}

			ended := 0
			for turns := 0; turns < test.turns; turns += test.step {
				watch := endingAfter(turns)
				plan, err := w.decide(t, context.Background(), &watch)
				if err == nil {
					same(plan, turns)
					continue
				}
				require.ErrorIs(t, err, context.Canceled, "after %d turns", turns)
				ended++
			}
			assert.Greater(t, ended, 20)
			assert.Less(t, ended, test.turns/test.step, "there are more turns than the case says")

			for asked := range 100 {
				plan, err := w.decide(t, &endsAfter{context.Background(), asked}, nil)
				if err == nil {
					same(plan, asked)
					return
				}
				require.ErrorIs(t, err, context.Canceled, "after %d questions", asked)
			}
			assert.Fail(t, "the context is asked more often than the case says")
		})
	}
}

// A verification ends with its context, too. What it has not asked by then is no fault of the plan.
func TestVerificationsEndWithTheirContext(t *testing.T) {
	for name, guard := range map[string]*preemption.Guard{"no guard": nil, "a guard": keepingFirst} {
		t.Run(name, func(t *testing.T) {
			w := waitingBeside(t, 3)
			w.config.Guard = guard
			plan, err := w.decide(t, context.Background(), nil)
			require.NoError(t, err)
			snap, err := state.New(w.cluster, state.UsualTraits)
			require.NoError(t, err)
			terms := dryrun.TermsOf(w.config)

			for asked := range 100 {
				err := Verify(&endsAfter{context.Background(), asked}, &terms, snap, plan)
				if err == nil {
					assert.Positive(t, asked)
					return
				}
				require.ErrorIs(t, err, context.Canceled, "after %d questions", asked)
			}
			assert.Fail(t, "the context is asked more often than the case says")
		})
	}
}
