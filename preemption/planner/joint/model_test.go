package joint_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

// The model of arXiv 2511.08373, as its abstract and summaries tell it: any pod may run on any node with
// room, or on none. As many pods run as possible, those of the highest priority first; and of all such
// placements the one with the fewest pods on another node than now is meant.

// packed is a pod of the model: its size, its priority from 0, and the node that it runs on, -1 for none.
type packed struct {
	cpu, memory, priority, node int
}

const (
	capacity = 16 // of a node, of cpu and of memory
	tiers    = 3
)

// worth is what a placed pod counts: more than all moves, and more than all pods of lower priority.
var worth = [tiers]int{100, 100 * 30, 100 * 30 * 30}

// reached is how many pods run, by priority, and how many of them moved.
type reached struct {
	running [tiers]int
	moved   int
}

// value is what the model makes most of.
func (r *reached) value() int {
	sum := -r.moved
	for p, n := range r.running {
		sum += worth[p] * n
	}
	return sum
}

// packing solves the model by branch and bound.
type packing struct {
	pods        []packed
	cpu, memory []int // free, by node
	// dear lists the pods by what they are worth for their cpu, and for their memory, the most first.
	dear      [2][]int
	best, now reached
	found     bool
}

// size is what a pod takes, of cpu or of memory.
func (p *packed) size(resource int) int { return [2]int{p.cpu, p.memory}[resource] }

func solve(pods []packed, nodes int) reached {
	x := &packing{pods: slices.Clone(pods), cpu: slices.Repeat([]int{capacity}, nodes), memory: slices.Repeat([]int{capacity}, nodes)}
	slices.SortStableFunc(x.pods, func(a, b packed) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(b.cpu+b.memory, a.cpu+a.memory))
	})
	for resource := range x.dear {
		for i := range x.pods {
			x.dear[resource] = append(x.dear[resource], i)
		}
		slices.SortStableFunc(x.dear[resource], func(i, k int) int {
			a, b := &x.pods[i], &x.pods[k]
			return cmp.Compare(worth[b.priority]*a.size(resource), worth[a.priority]*b.size(resource))
		})
	}
	x.from(0)
	return x.best
}

// atMost is a bound of what the pods from the i-th on add: all of them run where they are, as far as
// all nodes together have room for parts of pods, the most worthwhile first.
func (x *packing) atMost(i int) int {
	least := -1
	for resource, free := range [2]int{sum(x.cpu), sum(x.memory)} {
		gain := 0
		for _, k := range x.dear[resource] {
			if k < i || free == 0 {
				continue
			}
			p := &x.pods[k]
			part := min(p.size(resource), free)
			gain += (worth[p.priority]*part + p.size(resource) - 1) / p.size(resource)
			free -= part
		}
		if least < 0 || gain < least {
			least = gain
		}
	}
	return least
}

func sum(of []int) (all int) {
	for _, n := range of {
		all += n
	}
	return all
}

func (x *packing) from(i int) {
	if x.found && x.now.value()+x.atMost(i) <= x.best.value() {
		return
	}
	if i == len(x.pods) {
		x.best, x.found = x.now, true
		return
	}
	p := x.pods[i]
	order := make([]int, 0, len(x.cpu)+1)
	if p.node >= 0 {
		order = append(order, p.node)
	}
	for n := range x.cpu {
		if n != p.node {
			order = append(order, n)
		}
	}
	for _, n := range order {
		if x.cpu[n] < p.cpu || x.memory[n] < p.memory {
			continue
		}
		before := x.now
		x.now.running[p.priority]++
		if p.node >= 0 && n != p.node {
			x.now.moved++
		}
		x.cpu[n], x.memory[n] = x.cpu[n]-p.cpu, x.memory[n]-p.memory
		x.from(i + 1)
		x.cpu[n], x.memory[n], x.now = x.cpu[n]+p.cpu, x.memory[n]+p.memory, before
	}
	x.from(i + 1)
}

// scattered is a random cluster of nodes that are nearly full, with pods that wait; controllers make all of
// its pods again.
func scattered(seed uint64, nodes, pending int) ([]packed, *outrank.Cluster, []*outrank.Pod) {
	r := rand.New(rand.NewPCG(seed, uint64(nodes*100+pending)))
	draw := func(node int) packed { return packed{2 + r.IntN(6), 2 + r.IntN(6), r.IntN(tiers), node} }
	var pods []packed
	c := &outrank.Cluster{}
	for n := range nodes {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: fmt.Sprint("n", n), Allocatable: resource.MustList("cpu", fmt.Sprint(capacity), "memory", fmt.Sprint(capacity), "pods", "100")})
		cpu, memory := capacity, capacity
		for range 5 {
			if p := draw(n); p.cpu <= cpu && p.memory <= memory {
				pods, cpu, memory = append(pods, p), cpu-p.cpu, memory-p.memory
			}
		}
	}
	for range pending {
		pods = append(pods, draw(-1))
	}
	var out []*outrank.Pod
	for i, p := range pods {
		made := ofSet(&outrank.Pod{Name: fmt.Sprint("p", i), Priority: outrank.Priority(int32(p.priority)), StartTime: clustergen.Now(),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", fmt.Sprint(p.cpu), "memory", fmt.Sprint(p.memory))}}})
		if p.node >= 0 {
			made.NodeName = fmt.Sprint("n", p.node)
			c.Pods = append(c.Pods, made)
		} else {
			out = append(out, made)
		}
	}
	return pods, c, out
}

// follower counts the pods of a cluster, and has replacements take the first node with room.
type follower struct {
	*testing.T
	eval *engine.Evaluator
	snap *engine.Snapshot
	reached
}

func (f *follower) run(victims []*outrank.Pod) {
	slices.SortFunc(victims, func(v, w *outrank.Pod) int { return priority.Compare(v, w, clustergen.Now()) })
	for _, v := range victims {
		if takers, _ := elsewhere(f, f.eval, f.snap, v); len(takers) > 0 {
			f.seat(v, takers[0])
		}
	}
	for p := range f.snap.Pods() {
		if f.snap.NodeOf(p.Key()) != "" {
			f.running[p.PriorityValue()]++
		}
	}
}

func (f *follower) seat(v *outrank.Pod, node string) {
	f.snap = seat(f, f.snap, v, node)
	f.moved++
}

// ofOneByOne returns the result of preempting one by one.
func ofOneByOne(t *testing.T, eval *engine.Evaluator, snap *engine.Snapshot, plan *joint.Plan) reached {
	f := &follower{T: t, eval: eval, snap: snap.Clone()}
	var victims []*outrank.Pod
	for _, at := range plan.Placements {
		require.NoError(t, errOf(f.snap.PutPod(at.Pod)))
		for _, v := range at.OneByOne.Victims {
			require.NoError(t, f.snap.RemovePod(v.Key()))
			victims = append(victims, v)
		}
	}
	for _, at := range plan.Placements {
		if at.OneByOne.Node != "" {
			require.NoError(t, f.snap.Bind(at.Pod.Key(), at.OneByOne.Node))
		}
	}
	f.run(victims)
	return f.reached
}

// ofPlan returns the result of a joint plan.
func ofPlan(t *testing.T, eval *engine.Evaluator, snap *engine.Snapshot, plan *joint.Plan) reached {
	f := &follower{T: t, eval: eval, snap: after(t, eval, snap, plan)}
	var others []*outrank.Pod
	for _, at := range plan.Placements {
		for _, v := range at.Victims {
			i := slices.IndexFunc(plan.Victims, func(w joint.Victim) bool { return w.Pod == v })
			switch {
			case i < 0 || plan.Victims[i].Fate == nil:
				others = append(others, v)
			case plan.Victims[i].Fate.Loss == joint.Moved:
				f.seat(v, plan.Victims[i].Fate.Node)
			}
		}
	}
	f.run(others)
	return f.reached
}

// sides lists the ways to plan that are compared with the model.
var sides = []string{"one by one", "joint", "joint, moves"}

// compared adds up the results of a side over some clusters.
type compared struct {
	same, missing, moved int
}

// Plans with moves come nearer to the model than others, and nothing is better than the model. With -v -all
// the log is a table.
func TestAgainstModel(t *testing.T) {
	clusters := seeded.Sample(1, 4)
	if *every {
		clusters = 100
	}
	var table strings.Builder
	table.WriteString("| nodes / pods waiting | model: not running, moved | " + strings.Join(sides, ": as many, missing, moved | ") + ": as many, missing, moved |\n|---|---|---|---|---|\n")
	eval := must(engine.New(preemption.Config{}))
	var all [3]compared
	for _, size := range [][2]int{{2, 2}, {3, 2}, {3, 4}, {4, 3}} {
		var sums [3]compared
		idle, moved := 0, 0
		for seed := range clusters {
			packed, c, pods := scattered(uint64(seed), size[0], size[1])
			best := solve(packed, size[0])
			idle, moved = idle+len(packed), moved+best.moved
			for _, n := range best.running {
				idle -= n
			}
			snap, err := engine.NewSnapshot(c)
			require.NoError(t, err)
			request := joint.Request{Pods: pods, Now: clustergen.Now()}
			plain, err := joint.Preempt(context.Background(), eval, snap, request)
			require.NoError(t, err)
			request.Moves = &joint.LossCosts{}
			moving, err := joint.Preempt(context.Background(), eval, snap, request)
			require.NoError(t, err)
			for i, got := range []reached{ofOneByOne(t, eval, snap, plain), ofPlan(t, eval, snap, plain), ofPlan(t, eval, snap, moving)} {
				require.LessOrEqual(t, got.value(), best.value(), "%s, cluster %d of %v", sides[i], seed, size)
				sums[i].add(&got, &best)
				all[i].add(&got, &best)
			}
		}
		fmt.Fprintf(&table, "| %d / %d | %d, %d |", size[0], size[1], idle, moved)
		for _, s := range sums {
			fmt.Fprintf(&table, " %d, %d, %d |", s.same, s.missing, s.moved)
		}
		table.WriteString("\n")
	}
	t.Logf("%d clusters each\n%s", clusters, table.String())
	require.GreaterOrEqual(t, all[2].same, all[0].same)
}

func (s *compared) add(got, best *reached) {
	if got.running == best.running {
		s.same++
	}
	for p, n := range best.running {
		s.missing += n - got.running[p]
	}
	s.moved += got.moved
}
