package explain_test

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// without is the cluster of a question with pods gone and one node changed.
func (q *question) without(gone map[outrank.Key]bool, node string, change func(*outrank.Node)) *engine.Snapshot {
	c := *q.cluster
	c.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(p *outrank.Pod) bool { return gone[p.Key()] })
	c.Nodes = slices.Clone(c.Nodes)
	for i, n := range c.Nodes {
		if n.Name == node && change != nil {
			other := *n
			other.Allocatable, other.Labels = maps.Clone(n.Allocatable), maps.Clone(n.Labels)
			change(&other)
			c.Nodes[i] = &other
		}
	}
	snap, err := engine.NewSnapshot(&c)
	require.NoError(q, err)
	return snap
}

func (q *question) check(snap *engine.Snapshot, pod *outrank.Pod, node string) preemption.Status {
	s, err := q.eval.Check(snap, pod, node)
	require.NoError(q, err)
	return s
}

// possible are the pods that may be victims of a node.
func (q *question) possible(node string) map[outrank.Key]bool {
	lookAt, err := q.eval.LookAt(q.snap, q.request())
	require.NoError(q, err)
	view, err := lookAt(node)
	require.NoError(q, err)
	out := map[outrank.Key]bool{}
	for _, p := range view.Possible() {
		out[p.Key()] = true
	}
	return out
}

// grown gives a node more of what is short: of the i-th one less than is missing.
func grown(short []explain.Room, i int) func(*outrank.Node) {
	return func(n *outrank.Node) {
		for j, s := range short {
			more := resource.Amount(s.Resource, s.Short)
			if j == i {
				more--
			}
			amount := n.Allocatable.Amount(s.Resource) + more
			q := resource.New(amount)
			if s.Resource == resource.CPU {
				q = resource.NewMilli(amount)
			}
			n.Allocatable[s.Resource] = q
		}
	}
}

// shortIsShort holds shortages to the cluster: with exactly so much more on the node it has
// room, and with one less of any of them it has not.
func (q *question) shortIsShort(node string, gone map[outrank.Key]bool, short []explain.Room) {
	if len(short) == 0 || ofDriver(&short[0]) {
		return
	}
	enough := q.check(q.without(gone, node, grown(short, -1)), q.pod, node)
	require.NotEqual(q, preemption.NodeResourcesFit, enough.Filter, "%s: with what is missing there is still: %s", node, enough)
	for i, s := range short {
		got := q.check(q.without(gone, node, grown(short, i)), q.pod, node)
		if got.Filter == preemption.NodePorts {
			continue // ports are a set in a dry run (rule 7.6.7)
		}
		want := "Insufficient " + string(s.Resource)
		if s.Resource == resource.Pods {
			want = "Too many pods"
		}
		require.Equal(q, []string{want}, got.Reasons, "%s: one less than the missing %s of %s", node, s.Short.String(), s.Resource)
		require.Equal(q, s.Needed.Cmp(s.Offered) > 0, resource.Amount(s.Resource, s.Needed) > mustNode(q, node).Allocatable.Amount(s.Resource), "too large")
	}
}

// ofDriver reports whether volumes are short, which a CSI driver attaches.
func ofDriver(r *explain.Room) bool {
	return strings.HasPrefix(string(r.Resource), "attachable-volumes-csi-")
}

func mustNode(q *question, name string) *outrank.Node {
	n, ok := q.snap.Node(name)
	require.True(q, ok)
	return n
}

// What is said to be short is short, by exactly as much: as things are, with every possible
// victim gone, and with one victim back.
func TestPropertyWhatIsShortIsShort(t *testing.T) {
	overShapes(t, allShapes(), func(q *question) {
		for _, g := range q.report.Nodes {
			if g.Before != nil {
				q.shortIsShort(g.Example, nil, g.Before.Short)
			}
			if g.After != nil {
				q.shortIsShort(g.Example, q.possible(g.Example), g.After.Short)
			}
		}
		for i, v := range q.report.Victims.Items {
			if v.Blocks == nil || v.AtItsTurn {
				continue
			}
			gone := map[outrank.Key]bool{}
			for j, o := range q.report.Victims.Items {
				if j != i && (v.With == "" || o.With != v.With) {
					gone[o.Pod.Key] = true
				}
			}
			q.shortIsShort(q.report.Choice.Node, gone, v.Blocks.Short)
		}
		if n := q.report.Nothing; n != nil && n.Nearest != nil {
			gone := q.possible(n.Nearest.Node)
			require.Len(q, gone, n.Nearest.Gone)
			require.NotEmpty(q, n.Nearest.Missing)
			q.shortIsShort(n.Nearest.Node, gone, n.Nearest.Missing)
		}
	})
}

// No other node is nearer to having room than the one that is said to be.
func TestPropertyNearestIsNearest(t *testing.T) {
	part := func(short []explain.Room) (part float64) {
		for _, s := range short {
			needed := max(1, resource.Amount(s.Resource, s.Needed))
			part = max(part, float64(resource.Amount(s.Resource, s.Short))/float64(needed))
		}
		return part
	}
	overShapes(t, []string{"alike", "filters", "nominated", "resources", "units"}, func(q *question) {
		if q.report.Nothing == nil || q.report.Nothing.Nearest == nil {
			return
		}
		least := part(q.report.Nothing.Nearest.Missing)
		for _, n := range q.ex.Nodes {
			last := n.Status
			if n.AfterRemoval != nil && len(q.possible(n.Node)) > 0 {
				last = *n.AfterRemoval
			}
			if last.Filter != preemption.NodeResourcesFit {
				continue // it is not room that is missing
			}
			snap := q.without(q.possible(n.Node), "", nil)
			var short []explain.Room
			node := mustNode(q, n.Node)
			for name, asked := range q.pod.Requests().Max(resource.MustList("pods", "1")) {
				used := snap.Used(n.Node, name)
				for _, p := range snap.NominatedTo(n.Node) {
					if p.PriorityValue() >= q.pod.PriorityValue() && p.Key() != q.pod.Key() {
						used += nominatedTakes(p, name)
					}
				}
				if s := resource.Amount(name, asked) + used - node.Allocatable.Amount(name); s > 0 && resource.Amount(name, asked) > 0 {
					short = append(short, explain.Room{Resource: name, Needed: asked, Short: amountOf(name, s)})
				}
			}
			require.GreaterOrEqual(q, part(short), least, n.Node)
		}
	})
}

func nominatedTakes(p *outrank.Pod, name resource.Name) int64 {
	if name == resource.Pods {
		return 1
	}
	return p.Requests().Amount(name)
}

func amountOf(name resource.Name, n int64) resource.Quantity {
	if name == resource.CPU {
		return resource.NewMilli(n)
	}
	return resource.New(n)
}

// plainShapes are those in which a dry run sees what is there: host ports are a set in it,
// terminating pods and shared claims are counted down more than they were counted up.
var plainShapes = []string{"alike", "nominated", "resources", "units"}

// Who is said to be spared fits: with the victims gone, and all others there, the node
// takes the pod.
func TestPropertySparedFit(t *testing.T) {
	overShapes(t, plainShapes, func(q *question) {
		if q.report.Stay == nil {
			return
		}
		node := q.report.Choice.Node
		gone := map[outrank.Key]bool{}
		for _, v := range q.report.Victims.Items {
			gone[v.Pod.Key] = true
		}
		snap := q.without(gone, "", nil)
		require.Equal(q, preemption.Success, q.check(snap, q.pod, node).Code)
		for _, s := range q.report.Stay.Spared.Items {
			require.Equal(q, node, snap.NodeOf(s.Pod.Key), "%s is said to be spared", s.Pod.Key)
			require.Less(q, s.Pod.Priority, q.pod.PriorityValue())
		}
		var stay int
		for _, p := range q.snap.PodsOn(node) {
			if !gone[p.Key()] {
				stay++
			}
		}
		require.Equal(q, stay, len(q.report.Stay.Spared.Items)+len(q.report.Stay.Protected.Items)+q.report.Stay.Higher)
		for _, r := range q.report.Stay.Room {
			free := mustNode(q, node).Allocatable.Amount(r.Resource) - snap.Used(node, r.Resource) - resource.Amount(r.Resource, r.Reserved)
			require.Equal(q, free, resource.Amount(r.Resource, r.Free), "free %s", r.Resource)
			require.Zero(q, r.Short.Sign())
		}
	})
}

// The priority that is said to be enough is enough, and one less is not, nor is any other
// between it and the pod's own; below its own, one more is not. Where none is, none is. No
// copy of the pod is a victim of any, as copies have the same.
func TestPropertyEnoughIsEnough(t *testing.T) {
	overShapes(t, allShapes(), func(q *question) {
		n := q.report.Nothing
		if n == nil || q.report.Refused != nil {
			return
		}
		eval := q.sparingCopies()
		at := func(priority int32) *preemption.Plan {
			pod := *q.pod
			pod.Priority = &priority
			plan, err := eval.Preempt(context.Background(), q.snap, preemption.Request{Pod: &pod, Now: q.request().Now})
			require.NoError(q, err)
			return plan
		}
		helps := func(p *preemption.Plan) bool { return p.Outcome == preemption.Preempts || p.Outcome == preemption.Fits }
		same := func(e *explain.Enough) {
			plan := at(e.Priority)
			require.True(q, helps(plan))
			require.Equal(q, []any{plan.Outcome, plan.Node}, []any{e.Outcome, e.Node})
			require.Equal(q, keysOf(plan.Victims), keysOfPods(e.Victims.Items))
		}
		own, low, high := q.pod.PriorityValue(), int32(math.MinInt32), int32(math.MaxInt32)
		if n.Enough != nil {
			same(n.Enough)
			require.Greater(q, n.Enough.Priority, own)
			high = n.Enough.Priority - 1
			require.False(q, helps(at(high)), "one less is enough, too")
		}
		if n.Lower != nil {
			same(n.Lower)
			require.Less(q, n.Lower.Priority, own)
			low = n.Lower.Priority + 1
			require.False(q, helps(at(low)), "one more is enough, too")
		}
		require.Nil(q, n.SearchedTo, "not all were tried")
		require.Equal(q, n.Enough == nil && n.Lower == nil, n.Hopeless)
		require.False(q, helps(at(high)))
		for range 4 {
			p := rapid.Int32Range(low, high).Draw(q.T, "priority")
			require.False(q, helps(at(p)), "%d is enough, too", p)
		}
		for p := range int32(30) { // most pods have a priority near 0
			if level := p*10 - 100; level >= low && level <= high {
				require.False(q, helps(at(level)), "%d is enough, too", level)
			}
		}
		if n.Alone != nil {
			require.NotEmpty(q, n.Alone.Missing)
		}
		q.onlyCopies(n)
	})
}

// onlyCopies holds a priority that would be enough if copies could be victims to that.
func (q *question) onlyCopies(n *explain.Nothing) {
	if n.Copies == nil {
		return
	}
	require.True(q, n.Hopeless)
	pod := *q.pod
	pod.Priority = &n.Copies.Priority
	plan, err := q.eval.Preempt(context.Background(), q.snap, preemption.Request{Pod: &pod, Now: q.request().Now})
	require.NoError(q, err)
	require.Equal(q, []any{plan.Outcome, plan.Node}, []any{n.Copies.Outcome, n.Copies.Node})
	require.True(q, slices.ContainsFunc(plan.Victims, func(v preemption.Victim) bool { return q.isCopy(v.Pod) }), "no copy leaves")
}

// sparingCopies is an evaluator by which copies of the pod that have as much are no victims.
func (q *question) sparingCopies() *engine.Evaluator {
	c := q.eval.Config()
	take := c.Eligibility.Take
	c.Eligibility.Take = func(a, v *outrank.Pod) (rule string, ok bool) {
		spared := q.isCopy(v) && v.PriorityValue() >= q.pod.PriorityValue()
		if spared || take == nil {
			return "", !spared
		}
		return take(a, v)
	}
	e, err := engine.New(c)
	require.NoError(q, err)
	return e
}

func keysOf(victims []preemption.Victim) []outrank.Key {
	out := make([]outrank.Key, len(victims))
	for i := range victims {
		out[i] = victims[i].Pod.Key()
	}
	return out
}

func keysOfPods(pods []explain.Pod) []outrank.Key {
	out := make([]outrank.Key, len(pods))
	for i := range pods {
		out[i] = pods[i].Key
	}
	return out
}

// The tolerations that are said to help do: with them no taint keeps the pod out.
func TestPropertyTolerationsHelp(t *testing.T) {
	overShapes(t, []string{"filters", "full", "units"}, func(q *question) {
		for _, g := range q.report.Nodes {
			if g.Before == nil || len(g.Before.Taints) == 0 {
				continue
			}
			pod := *q.pod
			pod.Tolerations = slices.Clone(pod.Tolerations)
			for _, taint := range g.Before.Taints {
				require.False(q, q.pod.Tolerates(taint), "it is tolerated already")
				pod.Tolerations = append(pod.Tolerations, taint.Toleration())
			}
			for _, name := range g.Names.Items {
				got := q.check(q.snap, &pod, name)
				require.NotEqual(q, g.Before.Filter, got.Filter, "%s: %s", name, got)
			}
		}
	})
}

// A label that is said to differ differs; the one that is wanted by the node selector would
// do.
func TestPropertyLabelsAreMissing(t *testing.T) {
	overShapes(t, []string{"filters", "full", "spread"}, func(q *question) {
		for _, g := range q.report.Nodes {
			if g.Before == nil || g.Before.Filter != preemption.NodeAffinity {
				continue
			}
			node := mustNode(q, g.Example)
			for _, l := range g.Before.Labels {
				have, ok := node.Labels[l.Key]
				require.Equal(q, ok, l.Have != nil)
				require.True(q, !ok || have == *l.Have)
			}
			if len(g.Before.Terms) > 0 {
				for i, term := range q.pod.Affinity.NodeAffinity.NodeSelectorTerms {
					require.False(q, fit.MatchesTerm(term, node), "term %d", i)
				}
				continue
			}
			changed := q.without(nil, g.Example, func(n *outrank.Node) {
				if n.Labels == nil {
					n.Labels = map[string]string{}
				}
				for _, l := range g.Before.Labels {
					n.Labels[l.Key] = l.Values[0]
				}
			})
			require.NotEqual(q, preemption.NodeAffinity, q.check(changed, q.pod, g.Example).Filter)
		}
	})
}

// Who is said to hold a port, a disk or a claim, or to keep the pod away, is there, and
// after preemption is nobody who could have left.
func TestPropertyHoldersAreThere(t *testing.T) {
	hold := func(q *question, o *explain.Obstacle, node string, gone map[outrank.Key]bool) {
		if o == nil {
			return
		}
		there := func(p *explain.Pod, on string) *outrank.Pod {
			require.False(q, gone[p.Key], "%s could have left", p.Key)
			pod, ok := q.snap.Pod(p.Key)
			require.True(q, ok, p.Key)
			at := q.snap.NodeOf(p.Key)
			if at == "" {
				at = q.snap.NominationOf(p.Key)
			}
			require.Equal(q, on, at)
			return pod
		}
		for _, port := range o.Ports {
			holder := there(port.Holder, node)
			require.True(q, slices.ContainsFunc(fit.HostPorts(holder), fit.HostPort{IP: port.HostIP, Protocol: port.Protocol, Port: port.HostPort}.Overlaps))
		}
		for _, v := range o.Volumes {
			if v.Holder == nil {
				continue
			}
			holder := there(v.Holder, v.Holder.Node)
			require.True(q, slices.ContainsFunc(holder.Volumes, func(w outrank.Volume) bool {
				return outrank.NewKey(holder.Namespace, w.Claim) == v.Claim || v.Disk == string(w.Disk.Kind)+"/"+w.Disk.ID
			}))
		}
		for _, n := range o.Neighbours {
			if n.Pod != nil {
				there(n.Pod, n.Pod.Node)
				require.Equal(q, *n.Domain, mustNode(q, n.Pod.Node).Labels[n.TopologyKey], "not in one domain")
			}
			value, ok := mustNode(q, node).Labels[n.TopologyKey]
			require.Equal(q, ok, n.Domain != nil)
			require.True(q, !ok || value == *n.Domain)
		}
		for _, s := range o.Spread {
			if s.Domain != nil {
				require.Greater(q, s.With-s.Least, int(s.MaxSkew))
			}
		}
		for _, r := range o.Short {
			if ofDriver(&r) {
				require.Positive(q, r.Short.Sign())
			}
		}
	}
	overShapes(t, allShapes(), func(q *question) {
		for _, g := range q.report.Nodes {
			hold(q, g.Before, g.Example, nil)
			if g.After != nil {
				hold(q, g.After, g.Example, q.possible(g.Example))
			}
		}
	})
}

// The rank that is said to decide decides, with the values that both have, and of the
// candidates as many are left after each rank as are said to be.
func TestPropertyChoiceIsTheRanks(t *testing.T) {
	overShapes(t, allShapes(), func(q *question) {
		c := q.report.Choice
		require.Equal(q, q.ex.Outcome == preemption.Preempts, c != nil)
		if c == nil {
			return
		}
		require.Equal(q, q.ex.Score.Victims, c.Score.Victims)
		require.Len(q, q.ex.Candidates, c.Candidates)
		if c.RunnerUp.Node == "" {
			require.Len(q, q.ex.Candidates, 1)
			return
		}
		order, by := q.ex.Candidates[0].Score.Compare(q.ex.Candidates[1].Score, nil)
		require.LessOrEqual(q, order, 0)
		require.Equal(q, cmp.Or(by, "node-order"), c.DecidedBy)
		require.Equal(q, q.ex.Candidates[1].Node, c.RunnerUp.Node)
		for i, round := range c.Rounds {
			left := 0
			for k := range q.ex.Candidates {
				if order, _ := q.ex.Candidates[0].Score.Compare(q.ex.Candidates[k].Score, preemption.DefaultRanks()[:i+1]); order == 0 {
					left++
				}
			}
			require.Equal(q, preemption.DefaultRanks()[i].Name, round.Rank)
			require.Equal(q, left, round.Left, "after rank %s", round.Rank)
		}
	})
}

// A budget that is said to break covers the pods by whose loss it does.
func TestPropertyBudgetsCoverVictims(t *testing.T) {
	overShapes(t, []string{"full", "resources", "units"}, func(q *question) {
		broken := 0
		for _, b := range q.report.Budgets.Items {
			i := slices.IndexFunc(q.cluster.Budgets, func(c *outrank.PodDisruptionBudget) bool { return c.Key() == b.Key })
			require.GreaterOrEqual(q, i, 0)
			require.Equal(q, q.cluster.Budgets[i].DisruptionsAllowed, b.Allowed)
			for _, key := range b.Victims.Items {
				pod, _ := q.snap.Pod(key)
				require.True(q, q.cluster.Budgets[i].Selector.Matches(pod.Labels))
				broken++
			}
		}
		for _, v := range q.report.Victims.Items {
			broken -= len(v.Budgets.Items)
		}
		require.Zero(q, broken, "budgets and victims tell the same")
	})
}
