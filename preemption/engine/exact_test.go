package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// strictly is how budgets count where none may be violated, or as they usually do.
func strictly(strict bool) preemption.Budgets {
	if strict {
		return preemption.NeverViolate
	}
	return preemption.ChargePossible
}

// fullNode is a node with up to so many pods, three resources and budgets, drawn from
// one number, and a preemptor that mostly needs several of them gone. On some nodes pods
// have to leave whatever they hold (see refuse).
func fullNode(seed uint64, most int) (*outrank.Cluster, *outrank.Pod) {
	r := rand.New(rand.NewPCG(seed, 16))
	names := []resource.Name{resource.CPU, resource.Memory, "example.com/gpu"}
	used := resource.List{}
	c := &outrank.Cluster{}
	if seed%2 == 0 { // of a pod under two budgets both are charged, whatever the first allows
		c.Release = outrank.V1_36
	}
	priorities := 1 + r.IntN(4)
	alike, apps := r.IntN(3), 1+r.IntN(4) // with few of these most pods share budgets
	for i := range 2 + r.IntN(most-1) {
		p := &outrank.Pod{
			Name: fmt.Sprintf("p%02d", i), NodeName: "n", Priority: outrank.Priority(int32(r.IntN(priorities) * 10)),
			StartTime: gen.Now.Add(-time.Duration(r.IntN(6)) * time.Hour), Labels: map[string]string{"app": string(rune('a' + r.IntN(apps))), "tier": string(rune('a' + r.IntN(2)))},
		}
		asks := resource.List{}
		for k, name := range names {
			amount := 1 + r.IntN(2+3*alike)
			if k == 2 && r.IntN(2) == 0 {
				amount = 0
			}
			asks[name] = resource.MustParse(fmt.Sprint(amount))
			used[name] = resource.MustParse(fmt.Sprint(used[name].Value() + int64(amount)))
		}
		p.Containers = []outrank.Container{{Name: "c", Requests: asks}}
		c.Pods = append(c.Pods, p)
	}
	for i := range r.IntN(4) {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{
			Name: fmt.Sprintf("b%d", i), DisruptionsAllowed: int32(r.IntN(3)),
			Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": string(rune('a' + r.IntN(apps)))}},
		})
		if r.IntN(2) == 0 { // it covers some of the pods of the others, and others of its own
			c.Budgets[i].Selector = &outrank.LabelSelector{MatchLabels: map[string]string{"tier": string(rune('a' + r.IntN(2)))}}
		}
	}
	asks := resource.List{}
	offers := resource.List{resource.Pods: resource.MustParse("110")}
	for _, name := range names {
		free := r.IntN(3)
		offers[name] = resource.MustParse(fmt.Sprint(used[name].Value() + int64(free)))
		asks[name] = resource.MustParse(fmt.Sprint(int64(r.IntN(1 + free + int(used[name].Value())*2/3))))
	}
	if r.IntN(4) == 0 {
		offers[resource.Pods] = resource.MustParse(fmt.Sprint(len(c.Pods)))
	}
	c.Nodes = []*outrank.Node{{Name: "n", Labels: map[string]string{"host": "n"}, Allocatable: offers}}
	p := &outrank.Pod{
		Name: "new", Labels: map[string]string{"new": "yes"}, Priority: outrank.Priority(int32(5 + r.IntN(4)*10)),
		Containers: []outrank.Container{{Name: "c", Requests: asks}},
	}
	if r.IntN(2) == 0 {
		refuse(r, c.Pods, p)
	}
	return c, p
}

// refuse gives some of the pods a reason to leave for the preemptor: anti-affinity, or the
// host port of both. These are as often covered by budgets as others.
func refuse(r *rand.Rand, pods []*outrank.Pod, p *outrank.Pod) {
	for _, q := range pods {
		if r.IntN(4) == 0 && q.PriorityValue() < p.PriorityValue() {
			q.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: &outrank.LabelSelector{MatchLabels: p.Labels}, TopologyKey: "host"}}
		}
	}
	if r.IntN(3) == 0 {
		port := []outrank.Port{{HostPort: 80}}
		p.Containers[0].Ports, pods[r.IntN(len(pods))].Containers[0].Ports = port, port
	}
}

// refuses reports whether a pod of fullNode has to leave for the preemptor.
func refuses(q, p *outrank.Pod) bool {
	return len(q.Affinity.PodAntiAffinity) > 0 || len(q.Containers[0].Ports) > 0 && len(p.Containers[0].Ports) > 0
}

// bestSet is the score of the best set of victims on a node, of all that there are.
func bestSet(t fataler, config preemption.Config, c *outrank.Cluster, p *outrank.Pod, node string) (preemption.Score, bool) {
	t.Helper()
	snap := newSnapshot(t, c)
	lookAt, err := newEvaluator(t, config).LookAt(snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	view, err := lookAt(node)
	require.NoError(t, err)
	possible := view.Possible()
	if len(possible) > 16 {
		t.Fatalf("%d pods are too many to try all sets", len(possible))
	}
	var best preemption.Score
	found := false
	for set := uint64(1); set < 1<<len(possible); set++ {
		var victims []*outrank.Pod
		for i, q := range possible {
			if set>>i&1 == 1 {
				victims = append(victims, q)
			}
		}
		if split := slices.ContainsFunc(possible, func(q *outrank.Pod) bool {
			return !slices.Contains(victims, q) && slices.ContainsFunc(victims, func(v *outrank.Pod) bool { return leavesWith(snap, v, q) })
		}); split {
			continue
		}
		sc := scoreOfSet(&config, c, victims)
		if config.Budgets == preemption.NeverViolate && sc.Violations > 0 || found && compareBy(&config, sc, best) >= 0 {
			continue
		}
		if view.Check(victims...).Code == preemption.Success {
			best, found = sc, true
		}
	}
	return best, found
}

// leavesWith reports whether two running pods are of one group that leaves whole.
func leavesWith(snap *engine.Snapshot, a, b *outrank.Pod) bool {
	group, composite := snap.LeavesWith(a)
	otherGroup, otherComposite := snap.LeavesWith(b)
	return (group != nil || composite != nil) && group == otherGroup && composite == otherComposite
}

// scoreOfSet is what the ranks compare of victims by importance, in words of its own.
func scoreOfSet(config *preemption.Config, c *outrank.Cluster, victims []*outrank.Pod) preemption.Score {
	sc := preemption.Score{Victims: len(victims), TopPriority: victims[0].PriorityValue()}
	left := map[*outrank.PodDisruptionBudget]int32{}
	for _, b := range c.Budgets {
		left[b] = b.DisruptionsAllowed
	}
	for _, p := range victims {
		broken := 0
		for _, b := range c.Budgets {
			if b.NamespaceName() != p.NamespaceName() || len(p.Labels) == 0 || b.Selector.Empty() || !b.Selector.Matches(p.Labels) {
				continue
			}
			if _, counted := b.DisruptedPods[p.Name]; counted {
				continue
			}
			if left[b]--; left[b] < 0 {
				broken = 1
				if c.Release != outrank.V1_36 {
					break
				}
			}
		}
		sc.Violations += broken
		sc.PrioritySum += int64(p.PriorityValue()) + 1<<31
		start := p.StartTime
		if start.IsZero() {
			start = gen.Now
		}
		if top := slices.MaxFunc(victims, func(p, q *outrank.Pod) int { return cmp.Compare(p.PriorityValue(), q.PriorityValue()) }); p.PriorityValue() == top.PriorityValue() && (sc.Start.IsZero() || start.Before(sc.Start)) {
			sc.Start = start
		}
		for _, r := range config.Ranks {
			if r.Cost != nil {
				sc.Own = map[string]int64{r.Name: sc.Own[r.Name] + r.Cost(p)}
			}
		}
	}
	return sc
}

func compareBy(config *preemption.Config, a, b preemption.Score) int {
	ranks := config.Ranks
	if ranks == nil {
		ranks = preemption.DefaultRanks()
	}
	for _, r := range ranks {
		var order int
		switch r.Name {
		case preemption.ByViolations.Name:
			order = cmp.Compare(a.Violations, b.Violations)
		case preemption.ByTopPriority.Name:
			order = cmp.Compare(a.TopPriority, b.TopPriority)
		case preemption.ByPrioritySum.Name:
			order = cmp.Compare(a.PrioritySum, b.PrioritySum)
		case preemption.ByVictims.Name:
			order = cmp.Compare(a.Victims, b.Victims)
		case byLastDigit.Name:
			order = cmp.Compare(a.Own[r.Name], b.Own[r.Name])
		case preemption.ByStart.Name:
			order = b.Start.Compare(a.Start)
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// someRanks are ranks in many orders, some left out.
func someRanks(seed uint64) []preemption.Rank {
	r := rand.New(rand.NewPCG(seed, 17))
	if r.IntN(2) == 0 {
		return nil
	}
	ranks := append(preemption.DefaultRanks(), byLastDigit)
	r.Shuffle(len(ranks), func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
	return ranks[:1+r.IntN(len(ranks))]
}

// lastDigit is a cost that has nothing to do with priorities.
func lastDigit(p *outrank.Pod) int64 { return int64(p.Name[len(p.Name)-1]) % 4 }

var byLastDigit = preemption.Rank{Name: "last digit", Cost: lastDigit}

// bestOfVectors is bestSet on a fullNode, by plain sums, for nodes with more pods.
func bestOfVectors(config *preemption.Config, c *outrank.Cluster, p *outrank.Pod) (preemption.Score, bool) {
	var possible []*outrank.Pod
	for _, q := range c.Pods {
		switch {
		case q.PriorityValue() < p.PriorityValue():
			possible = append(possible, q)
		case refuses(q, p):
			return preemption.Score{}, false
		}
	}
	slices.SortFunc(possible, func(a, b *outrank.Pod) int {
		return cmp.Or(cmp.Compare(b.PriorityValue(), a.PriorityValue()), a.StartTime.Compare(b.StartTime), cmp.Compare(a.Name, b.Name))
	})
	names := []resource.Name{resource.CPU, resource.Memory, "example.com/gpu"}
	var short [4]int64
	for k, name := range names {
		short[k] = p.Requests()[name].Value() - c.Nodes[0].Allocatable[name].Value()
		for _, q := range c.Pods {
			short[k] += q.Requests()[name].Value()
		}
		if p.Requests()[name].Value() == 0 {
			short[k] = 0
		}
	}
	short[3] = int64(len(c.Pods)) + 1 - c.Nodes[0].Allocatable[resource.Pods].Value()
	holds, forced := make([][4]int64, len(possible)), uint32(0)
	for i, q := range possible {
		if refuses(q, p) {
			forced |= 1 << i
		}
		for k, name := range names {
			holds[i][k] = q.Requests()[name].Value()
		}
		holds[i][3] = 1
	}
	sums := make([][4]int64, 1<<len(possible))
	var best preemption.Score
	found := false
	for set := uint32(1); set < 1<<len(possible); set++ {
		low := bits.TrailingZeros32(set)
		sums[set] = sums[set&(set-1)]
		enough := true
		for k := range short {
			sums[set][k] += holds[low][k]
			enough = enough && sums[set][k] >= short[k]
		}
		if !enough || set&forced != forced || found && config.Ranks == nil && possible[low].PriorityValue() > best.TopPriority && best.Violations == 0 {
			continue
		}
		var victims []*outrank.Pod
		for i, q := range possible {
			if set>>i&1 == 1 {
				victims = append(victims, q)
			}
		}
		if sc := scoreOfSet(config, c, victims); (config.Budgets != preemption.NeverViolate || sc.Violations == 0) && (!found || compareBy(config, sc, best) < 0) {
			best, found = sc, true
		}
	}
	return best, found
}

// On a node where resources decide, and who has to leave in any case, no set of victims is
// better than the exact one, whatever the ranks and budgets, and it is as good as the best
// of all.
func TestPropertyExactAgainstAllSets(t *testing.T) {
	for _, pods := range []int{9, 12, 16} {
		t.Run(fmt.Sprint(pods), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { agreesWithAllSets(t, rapid.Uint64().Draw(t, "seed"), pods) })
		})
		t.Run(fmt.Sprint(pods, " heavily"), func(t *testing.T) {
			defer exact.SearchHeavily()()
			rapid.Check(t, func(t *rapid.T) { agreesWithAllSets(t, rapid.Uint64().Draw(t, "seed"), pods) })
		})
	}
}

func agreesWithAllSets(t fataler, seed uint64, most int) {
	c, p := fullNode(seed, most)
	config := preemption.Config{Victims: preemption.Exact{Limit: 1 << 20}, Budgets: strictly(seed%5 == 0), Ranks: someRanks(seed)}
	want, found := bestOfVectors(&config, c, p)
	plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	if plan.Outcome == preemption.Fits {
		return
	}
	if found != (plan.Outcome == preemption.Preempts) {
		t.Fatalf("seed %d: a set is found: %v; %v", seed, found, plan)
	}
	if !found {
		return
	}
	if compareBy(&config, want, plan.Score) != 0 {
		t.Fatalf("seed %d, ranks %v: the best set has %+v, the plan %+v\n%v", seed, config.Ranks, want, plan.Score, plan)
	}
	for _, cert := range []*preemption.Certificate{plan.Certificate, plan.ClusterCertificate} {
		if !cert.Optimal || compareBy(&config, cert.Bound, plan.Score) != 0 {
			t.Fatalf("seed %d: %+v", seed, cert)
		}
	}
}

// sharePort reports whether two pods on a node hold one host port. The reference forgets the
// port with either of them (rule 7.6.7), so that its answer about a set depends on the order.
func sharePort(c *outrank.Cluster, node string) bool {
	held := map[int32]bool{}
	for _, p := range c.Pods {
		for _, k := range slices.Concat(p.Containers, p.InitContainers) {
			for _, port := range k.Ports {
				if p.NodeName == node && port.HostPort != 0 {
					if held[port.HostPort] {
						return true
					}
					held[port.HostPort] = true
				}
			}
		}
	}
	return false
}

// Rule 13.4.5: two holders of one port both leave where the filters can only gain. With
// affinity of the preemptor, by which a pod that leaves can be a loss, one of them does.
func TestExactAndTwoHoldersOfAPort(t *testing.T) {
	port := []outrank.Port{{HostPort: 80}}
	for _, one := range []struct {
		affinity []outrank.PodAffinityTerm
		victims  int
	}{
		{nil, 2},
		{[]outrank.PodAffinityTerm{{LabelSelector: selects("x"), TopologyKey: "zone"}}, 1},
	} {
		c := &outrank.Cluster{Nodes: []*outrank.Node{node("n", "4", "a")}}
		for _, name := range []string{"a", "b"} {
			p := pod(name, 1, "1", on("n"), app("x"))
			p.Containers[0].Ports = port
			c.Pods = append(c.Pods, p)
		}
		c.Pods = append(c.Pods, pod("c", 1, "1", on("n"), app("x")))
		p := pod("p", 9, "1")
		p.Containers[0].Ports, p.Affinity.PodAffinity = port, one.affinity
		plan, err := newEvaluator(t, preemption.Config{Victims: preemption.Exact{}}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Len(t, plan.Victims, one.victims, "%v", plan)
	}
}

// With any filters, on every node: the exact victims are the best of all sets by which the
// filters pass, and where there are none, no set passes.
func TestPropertyExactWithFilters(t *testing.T) {
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		config := preemption.Config{
			Victims: preemption.Exact{}, Ranks: someRanks(rapid.Uint64().Draw(t, "ranks")), Budgets: strictly(rapid.IntRange(0, 3).Draw(t, "strict") == 0),
		}
		if rapid.Bool().Draw(t, "heavily") {
			defer exact.SearchHeavily()()
		}
		exactOnEachNode(t, config, c, p)
	})
}

// exactOnEachNode holds the victims on each node to the best of all sets.
func exactOnEachNode(t *rapid.T, config preemption.Config, c *outrank.Cluster, p *outrank.Pod) {
	ex := explainBy(t, config, c, p)
	for _, n := range ex.Nodes {
		if n.AfterRemoval == nil {
			continue
		}
		at := slices.IndexFunc(ex.Candidates, func(k preemption.Candidate) bool { return k.Node == n.Node })
		if n.AfterRemoval.Code == preemption.Contradiction || sharePort(c, n.Node) {
			continue
		}
		want, found := bestSet(t, config, c, p, n.Node)
		require.Equal(t, found, at >= 0, "node %s: %v", n.Node, *n.AfterRemoval)
		if found {
			k := &ex.Candidates[at]
			assert.True(t, k.Certificate.Optimal)
			if compareBy(&config, want, k.Score) != 0 {
				t.Fatalf("node %s, ranks %v: the best set has %+v, the candidate %+v\n%v", n.Node, config.Ranks, want, k.Score, k)
			}
		}
	}
}

// Two pods that have to leave for their anti-affinity take more from their budget than it
// has: 1 - 2 = -1. No third pod of it leaves without a further violation, so that one that
// no budget covers makes room beside them.
func TestExactForcedBeyondBudget(t *testing.T) {
	c := &outrank.Cluster{
		Nodes:   []*outrank.Node{node("n", "9", "a")},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "b", DisruptionsAllowed: 1, Selector: selects("a")}},
		Pods: []*outrank.Pod{
			pod("forced-1", 2, "1", on("n"), app("a"), apart("new"), memory("1")),
			pod("forced-2", 0, "1", on("n"), app("a"), apart("new"), memory("8")),
			pod("covered", -3, "1", on("n"), app("a"), memory("4")),
			pod("free", 0, "1", on("n"), app("x"), memory("8")),
			pod("kept", 12, "1", on("n"), app("x"), memory("6")),
		},
	}
	c.Nodes[0].Allocatable[resource.Memory] = resource.MustParse("29")
	preemptor := pod("preemptor", 10, "1", app("new"), memory("13"))
	plan, err := newEvaluator(t, preemption.Config{Victims: preemption.Exact{}}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: preemptor, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, 1, plan.Score.Violations)
	assert.Equal(t, "n [default/forced-1, default/forced-2, default/free]", choice(plan.Candidate))
	assert.True(t, plan.Certificate.Optimal)
}

// holding has a pod ask for memory, beside cpu.
func holding(memory string) with {
	return func(p *outrank.Pod) { p.Containers[0].Requests[resource.Memory] = resource.MustParse(memory) }
}

// An item is looked at only together with those that are no worse. None is that takes from
// another budget, with any of its pods: beside needed, gone makes as much room as free does,
// but violates their budget.
func TestExactDominanceMindsBudgets(t *testing.T) {
	defer exact.SearchHeavily()()
	c := &outrank.Cluster{
		Release: withGates(), Nodes: []*outrank.Node{node("n", "3", "a")}, Groups: []*outrank.PodGroup{whole("gone"), whole("free")},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "b", DisruptionsAllowed: 1, Selector: selects("b")}},
	}
	c.Nodes[0].Allocatable[resource.Memory] = resource.MustParse("1")
	for _, units := range []bool{false, true} {
		for _, group := range []string{"free", "gone"} { // by importance
			first, second := pod(group+"-1", 0, "1", on("n")), pod(group+"-2", 0, "0", on("n"))
			if group == "gone" {
				map[bool]*outrank.Pod{false: first, true: second}[units].Labels = map[string]string{"app": "b"}
			}
			if units {
				first.Group, second.Group = group, group
			}
			c.Pods = append(c.Pods, first, second)
		}
		c.Pods = append(c.Pods, pod("needed", 0, "0", on("n"), holding("1"), app("b")))
		preemptor := pod("preemptor", 9, "2", holding("1"))
		config := preemption.Config{Victims: preemption.Exact{}}
		plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: preemptor, Now: gen.Now})
		require.NoError(t, err)
		want, _ := bestSet(t, config, c, preemptor, "n")
		assert.Zero(t, want.Violations)
		assert.Equal(t, want, plan.Score, "%v", plan.Victims)
		c.Pods = nil
	}
}

// Of three pods of a budget that allows two, those have to go that neither the reprieve nor
// the least important first would take: no pod of a higher priority takes their place.
func TestExactSearchesALevel(t *testing.T) {
	c := &outrank.Cluster{
		Nodes:   []*outrank.Node{node("n", "5", "a")},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "b", DisruptionsAllowed: 2, Selector: selects("b")}},
		Pods: []*outrank.Pod{
			pod("higher", 5, "2", on("n"), holding("2")),
			pod("one", 0, "2", on("n"), app("b"), holding("0")), pod("three", 0, "1", on("n"), app("b"), holding("1")), pod("two", 0, "0", on("n"), app("b"), holding("2")),
		},
	}
	c.Nodes[0].Allocatable[resource.Memory] = resource.MustParse("5")
	config, preemptor := preemption.Config{Victims: preemption.Exact{}}, pod("preemptor", 9, "2", holding("2"))
	plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: preemptor, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "n [default/one, default/two]", choice(plan.Candidate))
}

// A node may be short of more resources than the search has bounds for.
func TestExactShortOfManyResources(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n", "0", "a")}}
	all, preemptor := pod("all", 5, "0", on("n")), pod("preemptor", 9, "0")
	for i := range 9 {
		p, name := pod(fmt.Sprint("p", i), int32(i%2), "0", on("n")), resource.Name(fmt.Sprint("example.com/r", i))
		c.Nodes[0].Allocatable[name] = resource.MustParse("2")
		for _, q := range []*outrank.Pod{p, all, preemptor} {
			q.Containers[0].Requests[name] = resource.MustParse("1")
		}
		c.Pods = append(c.Pods, p)
	}
	c.Pods = append(c.Pods, all)
	c.Nodes[0].Allocatable[resource.Pods] = resource.MustParse("20")
	for _, ranks := range [][]preemption.Rank{nil, {preemption.ByVictims}} {
		config := preemption.Config{Victims: preemption.Exact{}, Ranks: ranks}
		plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: preemptor, Now: gen.Now})
		require.NoError(t, err)
		want, _ := bestSet(t, config, c, preemptor, "n")
		assert.Equal(t, want, plan.Score)
		assert.Len(t, plan.Victims, map[bool]int{true: 9, false: 1}[ranks == nil])
	}
}

// Two pods and one that is nominated are one too many for the preemptor's constraint, and without the nominated one they
// are not. So one of the two has to leave, although neither has to for certain, and resources would let both stay.
func TestExactAsksFiltersBesideNominatedPods(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "9", "a"), node("n2", "1", "b")},
		Pods: []*outrank.Pod{
			pod("first", 2, "1", on("n1"), app("x")), pod("second", 1, "1", on("n1"), app("x")), pod("other", 0, "5", on("n1"), app("y")),
			pod("kept", 9, "1", on("n2"), app("y")), pod("waits", 9, "1", nominated("n1"), app("x")),
		},
	}
	p := pod("preemptor", 9, "1", app("x"), spread(outrank.TopologySpreadConstraint{WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: selects("x")}))
	p.TopologySpreadConstraints[0].MaxSkew = 3
	req, config := preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{Victims: preemption.Exact{}}
	byBook, err := preemption.Preempt(c, req, config)
	require.NoError(t, err)
	plan, err := newEvaluator(t, config).Preempt(t.Context(), newSnapshot(t, c), req)
	require.NoError(t, err)
	assert.Equal(t, []string{"n1 [default/second]", "n1 [default/second]"}, []string{choice(byBook.Candidate), choice(plan.Candidate)})
}
